"""The syntax tree of a property. Every node has the column (from 1) where it begins, for messages."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from grpocheck.verifier.properties.quantities import Sort

Index: TypeAlias = "str | int"
"""A variable or a number counted from 1."""


@dataclass(frozen=True)
class Literal:
    """An exact number, and as it was written."""

    value: Fraction
    text: str
    column: int


@dataclass(frozen=True)
class Name:
    """A quantity with the index written after it, if any; a checked one has at most one variable, or numbers."""

    name: str
    index: tuple[Index, ...]
    column: int


@dataclass(frozen=True)
class StatusName:
    """One of the three statuses."""

    name: str
    column: int


@dataclass(frozen=True)
class Negative:
    """-x."""

    operand: "Node"
    column: int


@dataclass(frozen=True)
class Chain:
    """x + y - z, or x * y / z: the first operand, and the others each after its operator."""

    first: "Node"
    rest: tuple[tuple[str, "Node"], ...]
    column: int


@dataclass(frozen=True)
class Power:
    """x^n for a whole number n."""

    base: "Node"
    exponent: int
    column: int


@dataclass(frozen=True)
class Call:
    """A function of its arguments."""

    function: str
    arguments: tuple["Node", ...]
    column: int


@dataclass(frozen=True)
class Binder:
    """A variable and what it ranges over; no name for ``responses`` alone, no sort where it is to be inferred."""

    name: str | None
    sort: Sort | None
    column: int


@dataclass(frozen=True)
class Aggregate:
    """The sum, mean, min or max of a number over what the binders range over."""

    function: str
    binders: tuple[Binder, ...]
    body: "Node"
    column: int


@dataclass(frozen=True)
class Comparison:
    """x < y <= z: each neighbour compared with the next."""

    first: "Node"
    rest: tuple[tuple[str, "Node"], ...]
    column: int


@dataclass(frozen=True)
class Not:
    """not P."""

    operand: "Node"
    column: int


@dataclass(frozen=True)
class And:
    """P and Q and ..."""

    operands: tuple["Node", ...]
    column: int


@dataclass(frozen=True)
class Or:
    """P or Q or ..."""

    operands: tuple["Node", ...]
    column: int


@dataclass(frozen=True)
class Implies:
    """P implies Q."""

    left: "Node"
    right: "Node"
    column: int


@dataclass(frozen=True)
class Iff:
    """P iff Q."""

    left: "Node"
    right: "Node"
    column: int


@dataclass(frozen=True)
class Quantified:
    """all or any over what the binders range over."""

    quantifier: str
    binders: tuple[Binder, ...]
    body: "Node"
    column: int


Node: TypeAlias = (
    Literal
    | Name
    | StatusName
    | Negative
    | Chain
    | Power
    | Call
    | Aggregate
    | Comparison
    | Not
    | And
    | Or
    | Implies
    | Iff
    | Quantified
)

TRUTHS = Comparison | Not | And | Or | Implies | Iff | Quantified
"""The nodes that are true or false; all others are numbers, or the name of a status."""


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below a node."""
    match node:
        case Literal() | Name() | StatusName():
            return ()
        case Negative(operand, _) | Not(operand, _):
            return (operand,)
        case Power(base, _, _):
            return (base,)
        case Chain(first, rest, _) | Comparison(first, rest, _):
            return (first, *(operand for _, operand in rest))
        case Call(_, arguments, _):
            return arguments
        case And(operands, _) | Or(operands, _):
            return operands
        case Implies(left, right, _) | Iff(left, right, _):
            return (left, right)
        case Aggregate(_, _, body, _) | Quantified(_, _, body, _):
            return (body,)
