"""The arithmetic that the command picks: exact as long as the problem allows it, enclosures from there on.

An exact number is also a number of the enclosure arithmetic, so going over loses nothing and repeats nothing: no oracle
is asked again and no draw is made again.
"""

from collections.abc import Callable
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.contracts.comparisons import at_most, below, decided_sign, equal
from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.core.arithmetic.errors import DigitBudgetExceeded, NotExact
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar

Notice = Callable[[str], None]


class AutomaticArithmetic:
    """Exact arithmetic that goes over to enclosures where a number outgrows it; ``reason`` then says why."""

    @total("both arithmetics are given")
    @ensure(lambda self: self.name == "exact" and self.reason is None, "a run begins exact")
    def __init__(self, exact: ExactArithmetic, enclosure: EnclosureArithmetic, notice: Notice = lambda reason: None):
        """Begin exact; ``notice`` is told the reason when the arithmetic goes over."""
        self.exact = exact
        self.enclosure = enclosure
        self.notice = notice
        self.reason: str | None = None

    @property
    @ensure(lambda self, result: (result == "exact") == (self.reason is None), "the name says what is in use")
    def name(self) -> str:
        """``exact``, or ``enclosure`` once a number outgrew it."""
        return self.current.name

    @property
    @ensure(lambda self, result: result is self.exact or result is self.enclosure, "one of the two is in use")
    def current(self) -> Arithmetic:
        """The arithmetic in use."""
        return self.exact if self.reason is None else self.enclosure

    @require(lambda operation: operation in ("sqrt", "log", "exp", "settle"), "only these leave the exact numbers")
    @ensure(lambda self, result: self.current.holds(result), "the answer is a scalar of the arithmetic in use")
    def answered(self, operation: str, value: Scalar) -> Scalar:
        """The exact answer, or that of enclosures from here on when no exact number is small enough to hold it."""
        if self.reason is None:
            try:
                return getattr(self.exact, operation)(value)
            except (NotExact, DigitBudgetExceeded) as limit:
                self.reason = str(limit)
                self.notice(self.reason)
        return getattr(self.enclosure, operation)(value)

    @total("every rational has a scalar")
    @ensure(lambda value, result: equal(result, value), "the scalar equals the rational")
    def number(self, value: Fraction) -> Scalar:
        """The scalar equal to a rational."""
        return self.current.number(value)

    @require(lambda value: decided_sign(value) != -1, "a square root is taken of a nonnegative scalar")
    @ensure(lambda value, result: equal(result * result, value), "sqrt(x)^2 = x")
    def sqrt(self, value: Scalar) -> Scalar:
        """The nonnegative square root."""
        return self.answered("sqrt", value)

    @require(lambda value: decided_sign(value) not in (-1, 0), "a logarithm is taken of a positive scalar")
    @ensure(lambda value, result: at_most(result, value - 1), "log x <= x - 1")
    def log(self, value: Scalar) -> Scalar:
        """The natural logarithm."""
        return self.answered("log", value)

    @total("the exponential is defined everywhere")
    @ensure(lambda value, result: at_most(value, result - 1), "exp x >= 1 + x")
    def exp(self, value: Scalar) -> Scalar:
        """The exponential."""
        return self.answered("exp", value)

    @total("the order of the reals is total; what cannot be decided raises UndecidedComparison")
    @ensure(lambda left, right, result: not result or below(left, right), "less means less")
    def less(self, left: Scalar, right: Scalar) -> bool:
        """Whether left < right."""
        return self.current.less(left, right)

    @total("equality is defined for all scalars; what cannot be decided raises UndecidedComparison")
    @ensure(lambda left, right, result: not result or equal(left, right), "equal means equal")
    def equal(self, left: Scalar, right: Scalar) -> bool:
        """Whether left = right."""
        return self.current.equal(left, right)

    @total("two scalars always have a smaller one")
    @ensure(lambda left, right, result: at_most(result, left) and at_most(result, right), "below both")
    def minimum(self, left: Scalar, right: Scalar) -> Scalar:
        """The smaller scalar."""
        return self.current.minimum(left, right)

    @total("two scalars always have a larger one")
    @ensure(lambda left, right, result: at_most(left, result) and at_most(right, result), "above both")
    def maximum(self, left: Scalar, right: Scalar) -> Scalar:
        """The larger scalar."""
        return self.current.maximum(left, right)

    @total("every scalar can be settled")
    @ensure(lambda value, result: equal(result, value), "settling keeps the number")
    def settle(self, value: Scalar) -> Scalar:
        """The same number, as an enclosed one where it outgrew the digit budget."""
        return self.answered("settle", value)

    @total("any object may be asked about")
    @ensure(lambda value, result: not (result and isinstance(value, float)), "a float is no exact number")
    def holds(self, value: object) -> bool:
        """Whether a value is a scalar of the arithmetic in use."""
        return self.current.holds(value)

    @require(lambda self, value: self.holds(value), "a scalar of this arithmetic has a text")
    @ensure(lambda result: bool(result), "every scalar has a text")
    def text(self, value: Scalar) -> str | list[str]:
        """The scalar as text; exact numbers stay exact in both arithmetics."""
        return self.current.text(value)
