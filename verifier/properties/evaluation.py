"""The value of a property at a moment: true, false, undecided or undefined.

A comparison is undecided where the enclosures of its sides still meet at the highest precision, and undefined where a
side divides by 0, or takes the root or logarithm of a number that has none. The connectives are Kleene's, whichever
operand comes first: false and x is false, true or x is true, and otherwise what is not known stays unknown.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from grpocheck.core.arithmetic import Arithmetic, Scalar, UndecidedComparison
from grpocheck.verifier.properties.moments import Element, Moment
from grpocheck.verifier.properties.quantities import QUANTITIES, STATUSES, Sort
from grpocheck.verifier.properties.syntax import (
    Aggregate,
    And,
    Call,
    Chain,
    Comparison,
    Iff,
    Implies,
    Index,
    Literal,
    Name,
    Negative,
    Node,
    Not,
    Or,
    Power,
    Quantified,
    StatusName,
    children,
)
from grpocheck.verifier.properties.writing import written


class Truth(StrEnum):
    """The four values."""

    TRUE = "true"
    FALSE = "false"
    UNDECIDED = "undecided"
    UNDEFINED = "undefined"


TRUE, FALSE, UNDECIDED, UNDEFINED = Truth

Bound = dict[str, Element]
"""What the variables stand for."""


class Undefined(ArithmeticError):  # noqa: N818 - not an error: the property has no value there
    """An expression without a value; the message says why."""


def negated(value: Truth) -> Truth:
    """not P."""
    return {TRUE: FALSE, FALSE: TRUE}.get(value, value)


def conjunction(values: Iterable[Truth]) -> Truth:
    """False where one is false; else undecided where one is, since that one may yet be false; else undefined."""
    unknown = TRUE
    for value in values:
        if value is FALSE:
            return FALSE
        if value is UNDECIDED or (value is UNDEFINED and unknown is TRUE):
            unknown = value
    return unknown


def disjunction(values: Iterable[Truth]) -> Truth:
    """True where one is true; else undecided where one is; else undefined."""
    return negated(conjunction(negated(value) for value in values))


def equivalence(left: Truth, right: Truth) -> Truth:
    """P iff Q."""
    if UNDEFINED in (left, right) or UNDECIDED in (left, right):
        return UNDECIDED if UNDECIDED in (left, right) else UNDEFINED
    return TRUE if left is right else FALSE


@dataclass(frozen=True)
class Evaluator:
    """The values of a checked tree at one moment."""

    moment: Moment

    @property
    def arithmetic(self) -> Arithmetic:
        """The arithmetic of the moment."""
        return self.moment.setting.arithmetic

    def truth(self, node: Node, bound: Bound) -> Truth:
        """The value of a node that is true or false."""
        match node:
            case Comparison(_, _, _):
                return self.compared(node, bound)
            case Not(operand, _):
                return negated(self.truth(operand, bound))
            case And(operands, _):
                return conjunction(self.truth(operand, bound) for operand in operands)
            case Or(operands, _):
                return disjunction(self.truth(operand, bound) for operand in operands)
            case Implies(left, right, _):
                sides = ((left, negated), (right, Truth))
                return disjunction(judge(self.truth(side, bound)) for side, judge in sides)
            case Iff(left, right, _):
                return equivalence(self.truth(left, bound), self.truth(right, bound))
            case Quantified(quantifier, _, body, _):
                values = (self.truth(body, instance) for instance in self.instances(node, bound))
                return conjunction(values) if quantifier == "all" else disjunction(values)
        raise TypeError(f"{node}: expected a checked tree")

    def instances(self, node: Quantified | Aggregate, bound: Bound) -> Iterator[Bound]:
        """What the variables of a quantifier stand for, one after the other."""
        found: list[Bound] = [bound]
        for binder in node.binders:
            assert binder.name is not None
            assert binder.sort is not None
            found = [
                {**before, binder.name: element}
                for before in found
                for element in self.moment.elements(binder.sort, enclosing_prompt(before))
            ]
        return iter(found)

    def compared(self, node: Comparison, bound: Bound) -> Truth:
        """A chain of comparisons: each neighbour with the next."""
        sides = children(node)
        pairs = zip(sides, (operator for operator, _ in node.rest), sides[1:], strict=False)
        return conjunction(self.holds(*pair, bound) for pair in pairs)

    def holds(self, left: Node, operator: str, right: Node, bound: Bound) -> Truth:
        """One comparison."""
        try:
            if isinstance(left, StatusName) or isinstance(right, StatusName):
                equal = self.status(left) is self.status(right)
                return TRUE if equal == (operator == "=") else FALSE
            return TRUE if self.ordered(self.number(left, bound), operator, self.number(right, bound)) else FALSE
        except Undefined:
            return UNDEFINED
        except UndecidedComparison:
            return UNDECIDED

    def status(self, node: Node) -> object:
        """The status that a name stands for, or that of the run."""
        if isinstance(node, StatusName):
            return STATUSES[node.name]
        assert self.moment.end is not None
        return self.moment.end.status

    def ordered(self, left: Scalar, operator: str, right: Scalar) -> bool:
        """Whether two numbers stand in an order; UndecidedComparison where that is not decided."""
        if operator in ("=", "!="):
            return self.arithmetic.equal(left, right) == (operator == "=")
        if operator in ("<", ">="):
            return self.arithmetic.less(left, right) == (operator == "<")
        return self.arithmetic.less(right, left) == (operator == ">")

    def number(self, node: Node, bound: Bound) -> Scalar:
        """The value of a node that is a number. Raises Undefined, or UndecidedComparison."""
        match node:
            case Literal(value, _, _):
                return self.arithmetic.number(value)
            case Name(name, index, _):
                return self.moment.value(name, self.element(node, index, bound))
            case Negative(operand, _):
                return -self.number(operand, bound)
            case Chain(first, rest, _):
                value = self.number(first, bound)
                for operator, operand in rest:
                    value = self.applied(value, operator, self.number(operand, bound), operand)
                return value
            case Power(base, exponent, _):
                value = self.number(base, bound)
                if exponent < 0:
                    self.check(not self.is_zero(value), f"{written(node)}, where {written(base)} is 0")
                return value**exponent
            case Call(function, arguments, _):
                return self.called(function, [self.number(argument, bound) for argument in arguments], node)
            case Aggregate(function, _, body, _):
                values = [self.number(body, instance) for instance in self.instances(node, bound)]
                if function in ("min", "max"):
                    return self.called(function, values, node)
                return sum(values) / len(values) if function == "mean" else sum(values)
        raise TypeError(f"{node}: expected a checked tree")

    def applied(self, left: Scalar, operator: str, right: Scalar, divisor: Node) -> Scalar:
        """An operator of arithmetic."""
        if operator == "+":
            return left + right
        if operator == "-":
            return left - right
        if operator == "*":
            return left * right
        self.check(not self.is_zero(right), f"division by {written(divisor)}, which is 0")
        return left / right

    def called(self, function: str, values: list[Scalar], node: Node) -> Scalar:
        """A function of numbers."""
        if function in ("min", "max"):
            chosen = values[0]
            for value in values[1:]:
                choose = self.arithmetic.minimum if function == "min" else self.arithmetic.maximum
                chosen = choose(chosen, value)
            return chosen
        (value,) = values
        if function == "abs":
            return self.arithmetic.maximum(value, -value)
        if function == "sqrt":
            self.check(not self.arithmetic.less(value, 0), f"{written(node)}, the root of a negative number")
            return self.arithmetic.sqrt(value)
        self.check(self.arithmetic.less(0, value), f"{written(node)}, the logarithm of a number that is not positive")
        return self.arithmetic.log(value)

    def is_zero(self, value: Scalar) -> bool:
        """Whether a number is 0; UndecidedComparison where that is not decided."""
        return self.arithmetic.equal(value, 0)

    @staticmethod
    def check(defined: bool, why: str) -> None:
        """Raise Undefined unless an expression has a value."""
        if not defined:
            raise Undefined(why)

    @staticmethod
    def element(node: Name, index: tuple[Index, ...], bound: Bound) -> Element | None:
        """What an index stands for."""
        if not index:
            return None
        if len(index) == 1 and isinstance(index[0], str):
            return bound[index[0]]
        *prompts, last = index
        assert isinstance(last, int)
        prompt = prompts[0] - 1 if prompts and isinstance(prompts[0], int) else 0
        if prompts and isinstance(prompts[0], str):
            prompt = bound[prompts[0]].prompt
        return Element(*numbered(node, prompt, last - 1))


def numbered(node: Name, prompt: int, place: int) -> tuple[Sort, int, int]:
    """The element that a number stands for: a prompt's own number is its place."""
    sort = QUANTITIES[node.name].sorts[0]
    return (sort, place, 0) if sort is Sort.PROMPT else (sort, prompt, place)


def enclosing_prompt(bound: Bound) -> int | None:
    """The prompt of the innermost quantifier over prompts."""
    return next((element.prompt for element in reversed(bound.values()) if element.sort is Sort.PROMPT), None)
