"""An arithmetic that a user supplies, watched: what it raises, and answers of the wrong kind, are broken clauses.

Whether its answers are right is what the contracts of the counted arithmetic say: sqrt(x)^2 = x, less means less.
"""

from fractions import Fraction

from grpocheck.contracts.clauses import ContractViolation, ensure, require, total
from grpocheck.contracts.comparisons import equal
from grpocheck.core.arithmetic.automatic import AutomaticArithmetic
from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.core.arithmetic.errors import DigitBudgetExceeded, NotExact, UndecidedComparison
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.arithmetic.mp import MpArithmetic
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.received import described, entries, error_in_words, text
from grpocheck.core.violations import Clause, SupplyViolation

BUILT_IN = (AutomaticArithmetic, EnclosureArithmetic, ExactArithmetic, MpArithmetic)
LIMITS = (ContractViolation, DigitBudgetExceeded, NotExact, UndecidedComparison)
"""What an arithmetic may raise: its limits, and the contracts of the built-in one that it derives from."""


@total("any arithmetic can be watched")
@ensure(lambda arithmetic, result: (result is arithmetic) == (type(arithmetic) in BUILT_IN), "only a user's own")
def watched(arithmetic: Arithmetic) -> Arithmetic:
    """A built-in arithmetic itself, and a user's own behind its clause."""
    return arithmetic if type(arithmetic) in BUILT_IN else WatchedArithmetic(arithmetic)


class WatchedArithmetic:
    """A user's arithmetic behind its clause."""

    @total("any arithmetic can be watched")
    @ensure(lambda self, supplied: self.supplied is supplied, "the arithmetic is kept")
    def __init__(self, supplied: Arithmetic) -> None:
        """Watch an arithmetic."""
        self.supplied = supplied

    @require(lambda operation: operation.isidentifier(), "an operation has a name")
    @ensure(lambda operation, result: operation not in ("less", "equal") or type(result) is bool, "a bool decides")
    def asked(self, operation: str, *values: object) -> object:
        """The answer of an operation. Raises SupplyViolation for what it raises and for no bool of a comparison."""
        call = f"{operation} of the supplied arithmetic"
        try:
            answer: object = getattr(self.supplied, operation)(*values)
        except (KeyboardInterrupt, *LIMITS):
            raise
        except BaseException as error:
            raise SupplyViolation(Clause.ANSWERS, call, f"raised {error_in_words(error)}") from error
        if operation in ("less", "equal", "holds") and type(answer) is not bool:
            raise SupplyViolation(Clause.ARITHMETIC, call, f"answered {described(answer)}, expected True or False")
        return answer

    @require(lambda operation: operation.isidentifier(), "an operation has a name")
    @ensure(lambda self, result: self.holds(result), "a scalar of the arithmetic")
    def scalar(self, operation: str, *values: object) -> Scalar:
        """The answer of an operation on numbers. Raises SupplyViolation where it is no scalar of the arithmetic."""
        answer = self.asked(operation, *values)
        if issubclass(type(answer), float) or not self.holds(answer):
            found = f"answered {described(answer)}, expected a scalar of the arithmetic, and no float"
            raise SupplyViolation(Clause.ARITHMETIC, f"{operation} of the supplied arithmetic", found)
        return answer

    @property
    @ensure(lambda result: type(result) is str, "a name is a text")
    def name(self) -> str:
        """The name of the arithmetic; raises SupplyViolation for what is no text."""
        call = "name of the supplied arithmetic"
        try:
            said = text(self.supplied.name)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise SupplyViolation(Clause.ARITHMETIC, call, f"raised {error_in_words(error)}") from error
        if not said:
            raise SupplyViolation(Clause.ARITHMETIC, call, "no text, expected one")
        return said

    @total("every rational has a scalar")
    @ensure(lambda value, result: equal(result, value), "the scalar equals the rational")
    def number(self, value: Fraction) -> Scalar:
        """The scalar equal to a rational."""
        return self.scalar("number", value)

    @total("the counted arithmetic states what a root is taken of")
    @ensure(lambda value, result: equal(result * result, value), "sqrt(x)^2 = x")
    def sqrt(self, value: Scalar) -> Scalar:
        """The nonnegative square root."""
        return self.scalar("sqrt", value)

    @total("the counted arithmetic states what a logarithm is taken of")
    @ensure(lambda self, result: self.holds(result), "a scalar of the arithmetic")
    def log(self, value: Scalar) -> Scalar:
        """The natural logarithm."""
        return self.scalar("log", value)

    @total("the exponential is defined everywhere")
    @ensure(lambda self, result: self.holds(result), "a scalar of the arithmetic")
    def exp(self, value: Scalar) -> Scalar:
        """The exponential."""
        return self.scalar("exp", value)

    @total("the order of the reals is total")
    @ensure(lambda left, right, result: not (result and left is right), "a number is not less than itself")
    def less(self, left: Scalar, right: Scalar) -> bool:
        """Whether left < right."""
        return self.asked("less", left, right) is True

    @total("equality is defined for all scalars")
    @ensure(lambda left, right, result: result or left is not right, "a number equals itself")
    def equal(self, left: Scalar, right: Scalar) -> bool:
        """Whether left = right."""
        return self.asked("equal", left, right) is True

    @total("two scalars always have a smaller one")
    @ensure(lambda left, right, result: result is left or result is right, "one of the two")
    def minimum(self, left: Scalar, right: Scalar) -> Scalar:
        """The smaller scalar."""
        return self.scalar("minimum", left, right)

    @total("two scalars always have a larger one")
    @ensure(lambda left, right, result: result is left or result is right, "one of the two")
    def maximum(self, left: Scalar, right: Scalar) -> Scalar:
        """The larger scalar."""
        return self.scalar("maximum", left, right)

    @total("every scalar can be settled")
    @ensure(lambda value, result: equal(result, value), "settling keeps the number")
    def settle(self, value: Scalar) -> Scalar:
        """The same number, kept small."""
        return self.scalar("settle", value)

    @total("any object may be asked about")
    @ensure(lambda value, result: not (result and issubclass(type(value), float)), "a float is no exact number")
    def holds(self, value: object) -> bool:
        """Whether a value is a scalar of the arithmetic."""
        return not issubclass(type(value), float) and self.asked("holds", value) is True

    @require(lambda self, value: self.holds(value), "a scalar of this arithmetic has a text")
    @ensure(lambda result: type(result) is str or [type(end) for end in result] == [str, str], "a text, or two bounds")
    def text(self, value: Scalar) -> str | list[str]:
        """The scalar as text, or as the texts of its bounds; raises SupplyViolation for anything else."""
        answer = self.asked("text", value)
        said, bounds = text(answer), [text(end) for end in entries(answer) or ()]
        if said:
            return said
        if len(bounds) != 2 or not all(bounds):
            found = f"answered {described(answer)}, expected a text or the texts of two bounds"
            raise SupplyViolation(Clause.ARITHMETIC, "text of the supplied arithmetic", found)
        return [str(end) for end in bounds]
