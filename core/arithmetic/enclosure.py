"""Arithmetic with certified enclosures: exact numbers stay exact, exp and log are evaluated when a comparison asks."""

from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.arithmetic.elementary import logarithm, square_root
from grpocheck.core.arithmetic.enclosing import enclose
from grpocheck.core.arithmetic.exact import MAX_DIGITS, is_exact, rational
from grpocheck.core.arithmetic.nodes import Kind, Table
from grpocheck.core.arithmetic.notation import exact_text, working_digits
from grpocheck.core.arithmetic.reals import Real, exponential
from grpocheck.core.arithmetic.supply import Scalar

MAX_BITS = 8192
"""The precision up to which a comparison is refined, by default."""
DIGITS = 30
"""The digits to which an enclosure is written, by default."""


class EnclosureArithmetic:
    """Exact numbers and, where exp, log or too many digits come in, reals in certified enclosures."""

    name = "enclosure"

    @require(lambda max_digits: max_digits > 0, "a positive digit budget")
    @require(lambda max_bits: max_bits > 0, "a positive precision")
    @require(lambda digits: digits > 0, "a positive number of digits")
    @ensure(lambda self, max_bits: self.max_bits == self.table.max_bits == max_bits, "the precision is kept")
    def __init__(self, max_digits: int = MAX_DIGITS, max_bits: int = MAX_BITS, digits: int = DIGITS) -> None:
        """Numbers settled at ``max_digits`` digits, compared up to ``max_bits`` bits, written to ``digits`` digits."""
        self.max_digits = max_digits
        self.max_bits = max_bits
        self.digits = digits
        self.table = Table(max_bits)

    @total("what is no finite rational is refused with a TypeError")
    @ensure(lambda value, result: result == value, "the number equals the rational")
    def number(self, value: Fraction) -> Scalar:
        """A rational as a scalar."""
        return rational(value)

    @require(lambda self, value: self.holds(value), "a number of this arithmetic")
    @ensure(lambda value, result: isinstance(value, Real) or result * result == value, "its square is the radicand")
    def sqrt(self, value: Scalar) -> Scalar:
        """The nonnegative square root; raises ValueError for a negative number."""
        return square_root(self.table, value)

    @require(lambda self, value: self.holds(value), "a number of this arithmetic")
    @ensure(lambda value, result: isinstance(result, Real) or value == 1 or isinstance(value, Real), "log 1 is 0")
    def log(self, value: Scalar) -> Scalar:
        """The natural logarithm in nats; raises ValueError for a number that is not positive."""
        return logarithm(self.table, Fraction(value) if isinstance(value, int) else value)

    @require(lambda self, value: self.holds(value), "a number of this arithmetic")
    @ensure(lambda value, result: isinstance(result, Real) or value == 0 or isinstance(value, Real), "exp 0 is 1")
    def exp(self, value: Scalar) -> Scalar:
        """The exponential."""
        return exponential(self.table, Fraction(value) if isinstance(value, int) else value)

    @require(lambda self, left, right: self.holds(left) and self.holds(right), "numbers of this arithmetic")
    @ensure(lambda left, right, result: not (result and left is right), "a number is not less than itself")
    def less(self, left: Scalar, right: Scalar) -> bool:
        """Whether left < right; raises UndecidedComparison past ``max_bits``."""
        return bool(left < right)

    @require(lambda self, left, right: self.holds(left) and self.holds(right), "numbers of this arithmetic")
    @ensure(lambda left, right, result: result or left is not right, "a number equals itself")
    def equal(self, left: Scalar, right: Scalar) -> bool:
        """Whether left = right; raises UndecidedComparison past ``max_bits``."""
        return bool(left == right)

    @require(lambda self, left, right: self.holds(left) and self.holds(right), "numbers of this arithmetic")
    @ensure(lambda left, right, result: result is left or result is right, "the minimum is one of the two")
    def minimum(self, left: Scalar, right: Scalar) -> Scalar:
        """The smaller of two numbers; equal expressions are not refined."""
        return right if right < left else left

    @require(lambda self, left, right: self.holds(left) and self.holds(right), "numbers of this arithmetic")
    @ensure(lambda left, right, result: result is left or result is right, "the maximum is one of the two")
    def maximum(self, left: Scalar, right: Scalar) -> Scalar:
        """The larger of two numbers; equal expressions are not refined."""
        return right if left < right else left

    @require(lambda self, value: self.holds(value), "a number of this arithmetic")
    @ensure(lambda value, result: result is value or result == value, "the same number")
    def settle(self, value: Scalar) -> Scalar:
        """The same number; an exact one beyond the digit budget is from here on computed with in enclosures."""
        if isinstance(value, Real) or working_digits(value) <= self.max_digits:
            return value
        return Real(self.table, {((self.table.atom(Kind.EXACT, value), 1),): Fraction(1)})

    @total("any object is or is not a number of this arithmetic")
    @ensure(lambda value, result: not (result and isinstance(value, bool | float)), "a float is no number here")
    def holds(self, value: object) -> bool:
        """Whether a value is an exact number or a Real."""
        return isinstance(value, Real) or is_exact(value)

    @require(lambda self, value: self.holds(value), "a number of this arithmetic")
    @ensure(lambda value, result: isinstance(result, list) == isinstance(value, Real), "only a Real has bounds")
    def text(self, value: Scalar) -> str | list[str]:
        """An exact number such as ``3/5``, or the decimal bounds ``[lower, upper]`` of a Real."""
        return list(enclose(value, self.digits, self.max_bits)) if isinstance(value, Real) else exact_text(value)
