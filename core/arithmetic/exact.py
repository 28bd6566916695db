"""Exact arithmetic: rationals, closed under the square roots of rationals; every comparison is decided."""

from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.arithmetic.errors import DigitBudgetExceeded, NotExact
from grpocheck.core.arithmetic.notation import exact_text, working_digits
from grpocheck.core.arithmetic.supply import Scalar
from grpocheck.core.arithmetic.surd import Surd, square_root_of_rational

MAX_DIGITS = 10_000
"""The digits an exact number, or its reciprocal, may take before enclosures are advised."""

ADVICE = "choose --arithmetic enclosure"


@total("what is no finite rational is refused with a TypeError")
@ensure(lambda value, result: result == value, "the rational itself")
def rational(value: object) -> Fraction:
    """A finite rational as a Fraction; a float is refused, since it is rarely the number that was meant."""
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise TypeError(f"{value!r}: expected an int or a fractions.Fraction, not {type(value).__name__}")
    return Fraction(value)


@total("any object is or is not an exact number")
@ensure(lambda value, result: not (result and isinstance(value, bool | float)), "a float is no number here")
def is_exact(value: object) -> bool:
    """Whether a value is an exact number: an int, a Fraction or a Surd."""
    return isinstance(value, int | Fraction | Surd) and not isinstance(value, bool)


class ExactArithmetic:
    """Numbers in Q(sqrt d1, ..., sqrt dk), no precision, no rounding."""

    name = "exact"

    @require(lambda max_digits: max_digits > 0, "a positive digit budget")
    @ensure(lambda self, max_digits: self.max_digits == max_digits, "the budget is kept")
    def __init__(self, max_digits: int = MAX_DIGITS) -> None:
        """Arithmetic in which a settled number, and its reciprocal, takes at most about ``max_digits`` digits."""
        self.max_digits = max_digits

    @total("what is no finite rational is refused with a TypeError")
    @ensure(lambda value, result: result == value, "the number equals the rational")
    def number(self, value: Fraction) -> Scalar:
        """A rational as a scalar."""
        return rational(value)

    @require(lambda self, value: self.holds(value), "an exact number")
    @require(lambda value: value >= 0, "a square root is taken of a nonnegative number")
    @ensure(lambda value, result: result * result == value, "the square of the root is the radicand")
    def sqrt(self, value: Scalar) -> Scalar:
        """The nonnegative square root of a rational; raises NotExact for an irrational."""
        if isinstance(value, Surd):
            raise NotExact(f"sqrt({value}) is no sum of square roots of rationals here: {ADVICE}")
        return square_root_of_rational(Fraction(value))

    @require(lambda self, value: self.holds(value), "an exact number")
    @require(lambda value: value > 0, "a logarithm is taken of a positive number")
    @ensure(lambda value, result: value == 1 and result == 0, "only log 1 is exact, and it is 0")
    def log(self, value: Scalar) -> Scalar:
        """log 1; raises NotExact for any other number."""
        if value != 1:
            raise NotExact(f"log({exact_text(value)}) is not exact: {ADVICE}")
        return Fraction(0)

    @require(lambda self, value: self.holds(value), "an exact number")
    @ensure(lambda value, result: value == 0 and result == 1, "only exp 0 is exact, and it is 1")
    def exp(self, value: Scalar) -> Scalar:
        """exp 0; raises NotExact for any other number."""
        if value != 0:
            raise NotExact(f"exp({exact_text(value)}) is not exact: {ADVICE}")
        return Fraction(1)

    @require(lambda self, left, right: self.holds(left) and self.holds(right), "exact numbers")
    @ensure(lambda left, right, result: not (result and left == right), "a number is not less than itself")
    def less(self, left: Scalar, right: Scalar) -> bool:
        """Whether left < right."""
        return bool(left < right)

    @require(lambda self, left, right: self.holds(left) and self.holds(right), "exact numbers")
    @ensure(lambda left, right, result: result or left is not right, "a number equals itself")
    def equal(self, left: Scalar, right: Scalar) -> bool:
        """Whether left = right."""
        return bool(left == right)

    @require(lambda self, left, right: self.holds(left) and self.holds(right), "exact numbers")
    @ensure(lambda left, right, result: result is left or result is right, "the minimum is one of the two")
    def minimum(self, left: Scalar, right: Scalar) -> Scalar:
        """The smaller of two numbers."""
        return right if right < left else left

    @require(lambda self, left, right: self.holds(left) and self.holds(right), "exact numbers")
    @ensure(lambda left, right, result: result is left or result is right, "the maximum is one of the two")
    def maximum(self, left: Scalar, right: Scalar) -> Scalar:
        """The larger of two numbers."""
        return right if left < right else left

    @require(lambda self, value: self.holds(value), "an exact number")
    @ensure(lambda value, result: result is value, "an exact number is never changed")
    def settle(self, value: Scalar) -> Scalar:
        """The number itself; raises DigitBudgetExceeded when it has outgrown the budget."""
        length = working_digits(value)
        if length > self.max_digits:
            raise DigitBudgetExceeded(length, self.max_digits)
        return value

    @total("any object is or is not an exact number")
    @ensure(lambda value, result: result == is_exact(value), "exact numbers are the scalars here")
    def holds(self, value: object) -> bool:
        """Whether a value is an exact number."""
        return is_exact(value)

    @require(lambda self, value: self.holds(value), "an exact number")
    @ensure(lambda result: result.isascii(), "digits, signs and roots")
    def text(self, value: Scalar) -> str:
        """The number such as ``3/5`` or ``1/2 + 3/10*sqrt(2)``."""
        return exact_text(value)
