"""mpmath numbers at a chosen number of digits: fast, and not certified. A comparison may be wrong within rounding."""

from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.arithmetic.exact import rational
from grpocheck.core.arithmetic.supply import Scalar
from mpmath.ctx_mp import MPContext
from mpmath.libmp import from_rational

DIGITS = 50


@require(lambda context: context.prec > 0, "a context with a precision")
@ensure(lambda context: context.mpf(1) - Fraction(1, 2) == Fraction(1, 2) * context.mpf(1), "they meet on either side")
def let_meet_fractions(context: MPContext) -> None:
    """Let the numbers of a context meet Fractions on their right: mpmath 1.4 does, 1.3 only lets them on the left."""
    numbers = context.mpf
    if numbers(1).__rsub__(Fraction(1, 2)) is not NotImplemented:
        return
    plain = numbers.mpf_convert_rhs

    @total("what is no Fraction is converted as mpmath does it")
    @ensure(lambda value, result: not isinstance(value, Fraction) or isinstance(result, tuple), "a raw number")
    def converted(value: object) -> object:
        """The other operand, as mpmath wants it."""
        if isinstance(value, Fraction):
            return from_rational(value.numerator, value.denominator, *context._prec_rounding)
        return plain(value)

    numbers.mpf_convert_rhs = staticmethod(converted)


class MpArithmetic:
    """Floating-point numbers of ``digits`` decimal digits in a context of their own; no error is certified."""

    name = "mp"

    @require(lambda digits: digits > 0, "a positive number of digits")
    @ensure(lambda self, digits: self.context.dps >= digits, "the context carries the digits")
    def __init__(self, digits: int = DIGITS) -> None:
        """Arithmetic at this many decimal digits."""
        self.digits = digits
        self.context = MPContext()
        self.context.dps = digits
        let_meet_fractions(self.context)

    @total("what is no finite rational is refused with a TypeError")
    @ensure(lambda self, result: self.holds(result), "a finite number of the context")
    def number(self, value: Fraction) -> Scalar:
        """The rational, rounded to the digits of the context."""
        exact = rational(value)
        return self.context.mpf(exact.numerator) / exact.denominator

    @require(lambda self, value: self.holds(value), "a finite number of the context")
    @require(lambda value: value >= 0, "a square root is taken of a nonnegative number")
    @ensure(lambda value, result: (result > 0) == (value > 0), "the root is nonnegative, and 0 only of 0")
    def sqrt(self, value: Scalar) -> Scalar:
        """The nonnegative square root, rounded."""
        return self.finite(self.context.sqrt(self.context.convert(value)))

    @require(lambda self, value: self.holds(value), "a finite number of the context")
    @require(lambda value: value > 0, "a logarithm is taken of a positive number")
    @ensure(lambda value, result: (result > 0) == (value > 1), "a logarithm is positive above 1")
    def log(self, value: Scalar) -> Scalar:
        """The natural logarithm in nats, rounded."""
        return self.finite(self.context.ln(self.context.convert(value)))

    @require(lambda self, value: self.holds(value), "a finite number of the context")
    @ensure(lambda result: result > 0, "an exponential is positive")
    def exp(self, value: Scalar) -> Scalar:
        """The exponential, rounded."""
        return self.finite(self.context.exp(self.context.convert(value)))

    @require(lambda self, left, right: self.holds(left) and self.holds(right), "finite numbers of the context")
    @ensure(lambda left, right, result: not (result and left == right), "a number is not less than itself")
    def less(self, left: Scalar, right: Scalar) -> bool:
        """Whether left < right, as rounded."""
        return bool(left < right)

    @require(lambda self, left, right: self.holds(left) and self.holds(right), "finite numbers of the context")
    @ensure(lambda left, right, result: result or left is not right, "a number equals itself")
    def equal(self, left: Scalar, right: Scalar) -> bool:
        """Whether left = right, as rounded."""
        return bool(left == right)

    @require(lambda self, left, right: self.holds(left) and self.holds(right), "finite numbers of the context")
    @ensure(lambda left, right, result: result is left or result is right, "the minimum is one of the two")
    def minimum(self, left: Scalar, right: Scalar) -> Scalar:
        """The smaller of two numbers, as rounded."""
        return right if right < left else left

    @require(lambda self, left, right: self.holds(left) and self.holds(right), "finite numbers of the context")
    @ensure(lambda left, right, result: result is left or result is right, "the maximum is one of the two")
    def maximum(self, left: Scalar, right: Scalar) -> Scalar:
        """The larger of two numbers, as rounded."""
        return right if left < right else left

    @total("a number that is not finite is refused with an ArithmeticError")
    @ensure(lambda value, result: result == value, "the number is not changed")
    def settle(self, value: Scalar) -> Scalar:
        """The number itself; its digits are bounded already."""
        return self.finite(value)

    @total("a number that is not finite is refused with an ArithmeticError")
    @ensure(lambda self, result: self.holds(result), "a finite number of the context")
    def finite(self, value: Scalar) -> Scalar:
        """The number itself; raises ArithmeticError for an infinity, a NaN or a number of another arithmetic."""
        if not self.holds(value):
            raise ArithmeticError(f"{value!r}: expected a finite number at {self.digits} digits")
        return value

    @total("any object is or is not a finite number of the context")
    @ensure(lambda value, result: not (result and isinstance(value, bool | float)), "a float is no number here")
    def holds(self, value: object) -> bool:
        """Whether a value is a finite number of this context, or an int or Fraction, which it takes on."""
        if isinstance(value, self.context.mpf):
            return bool(self.context.isfinite(value))
        return isinstance(value, int | Fraction) and not isinstance(value, bool)

    @require(lambda self, value: self.holds(value), "a finite number of the context")
    @ensure(lambda result: result[-1].isdigit(), "decimal digits")
    def text(self, value: Scalar) -> str:
        """The number in decimal, rounded to the digits of the context."""
        return str(self.context.nstr(self.context.convert(value), self.digits))
