"""The run's arithmetic, with every square root, logarithm, exponential and comparison entered in the ledger."""

from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.contracts.comparisons import at_most, below, decided_order, decided_sign, equal
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.ledger import Ledger


class CountedArithmetic:
    """An Arithmetic that passes each call on to the supplied one and counts it."""

    @total("any supplied arithmetic can be counted")
    @ensure(
        lambda self, supplied, ledger: self.supplied is supplied and self.ledger is ledger,
        "calls go to this arithmetic, and are entered in this ledger",
    )
    def __init__(self, supplied: Arithmetic, ledger: Ledger) -> None:
        """Count the calls of an arithmetic in a ledger."""
        self.supplied = supplied
        self.ledger = ledger

    @property
    @ensure(lambda result: bool(result), "the arithmetic has a name")
    def name(self) -> str:
        """The name of the supplied arithmetic."""
        return self.supplied.name

    @total("every rational has a scalar")
    @ensure(lambda value, result: equal(result, value), "the scalar equals the rational")
    def number(self, value: Fraction) -> Scalar:
        """The scalar equal to a rational; no counted call."""
        return self.supplied.number(value)

    @require(lambda value: decided_sign(value) != -1, "a square root is taken of a nonnegative scalar")
    @ensure(lambda value, result: equal(result * result, value), "sqrt(x)^2 = x")
    @ensure(lambda result: decided_sign(result) != -1, "B1: a square root is nonnegative")
    def sqrt(self, value: Scalar) -> Scalar:
        """The nonnegative square root; one call."""
        self.ledger.square_roots += 1
        return self.supplied.sqrt(value)

    @require(lambda value: below(0, value), "A3: a logarithm is taken of a positive scalar")
    @ensure(lambda value, result: at_most(result, value - 1), "log x <= x - 1")
    @ensure(lambda value, result: at_most(value * (1 - result), 1), "log x >= 1 - 1/x: x (1 - log x) <= 1")
    def log(self, value: Scalar) -> Scalar:
        """The natural logarithm; one call."""
        self.ledger.logarithms += 1
        return self.supplied.log(value)

    @total("the exponential is defined everywhere")
    @ensure(lambda result: below(0, result), "A3: an exponential is positive")
    @ensure(lambda value, result: at_most(value, result - 1), "exp x >= 1 + x")
    def exp(self, value: Scalar) -> Scalar:
        """The exponential; one call."""
        self.ledger.exponentials += 1
        return self.supplied.exp(value)

    @total("the order of the reals is total; what cannot be decided raises UndecidedComparison")
    @ensure(lambda left, right, result: not result or below(left, right), "less means less")
    @ensure(lambda left, right, result: result or at_most(right, left), "not less means at least")
    def less(self, left: Scalar, right: Scalar) -> bool:
        """Whether left < right; one comparison."""
        self.ledger.comparisons += 1
        return self.supplied.less(left, right)

    @total("equality is defined for all scalars; what cannot be decided raises UndecidedComparison")
    @ensure(lambda left, right, result: result or decided_order(left, right) != 0, "the same number is equal to itself")
    @ensure(lambda left, right, result: not result or equal(left, right), "equal means equal")
    def equal(self, left: Scalar, right: Scalar) -> bool:
        """Whether left = right; one comparison."""
        self.ledger.comparisons += 1
        return self.supplied.equal(left, right)

    @total("two scalars always have a smaller one")
    @ensure(lambda left, right, result: at_most(result, left) and at_most(result, right), "below both")
    @ensure(lambda left, right, result: result is left or result is right, "one of the two")
    def minimum(self, left: Scalar, right: Scalar) -> Scalar:
        """The smaller scalar; one comparison."""
        self.ledger.comparisons += 1
        return self.supplied.minimum(left, right)

    @total("two scalars always have a larger one")
    @ensure(lambda left, right, result: at_most(left, result) and at_most(right, result), "above both")
    @ensure(lambda left, right, result: result is left or result is right, "one of the two")
    def maximum(self, left: Scalar, right: Scalar) -> Scalar:
        """The larger scalar; one comparison."""
        self.ledger.comparisons += 1
        return self.supplied.maximum(left, right)

    @total("every scalar can be settled")
    @ensure(lambda value, result: equal(result, value), "settling keeps the number")
    def settle(self, value: Scalar) -> Scalar:
        """The same number, kept small; no counted call."""
        return self.supplied.settle(value)

    @total("any object may be asked about")
    @ensure(lambda value, result: not (result and isinstance(value, float)), "a float is no exact number")
    def holds(self, value: object) -> bool:
        """Whether a value is a finite scalar of the supplied arithmetic; no counted call."""
        return self.supplied.holds(value)

    @require(lambda self, value: self.holds(value), "a scalar of this arithmetic has a text")
    @ensure(lambda result: bool(result), "every scalar has a text")
    def text(self, value: Scalar) -> str | list[str]:
        """The scalar as text; no counted call."""
        return self.supplied.text(value)
