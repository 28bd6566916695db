"""A property as text again: the reading that was checked, with its parentheses where they are needed."""

from grpocheck.verifier.properties.parser import (
    ADD,
    AND,
    COMPARE,
    IFF,
    IMPLIES,
    LOWEST,
    MINUS,
    MULTIPLY,
    NOT,
    OR,
    RAISE,
)
from grpocheck.verifier.properties.syntax import (
    Aggregate,
    And,
    Binder,
    Call,
    Chain,
    Comparison,
    Iff,
    Implies,
    Literal,
    Name,
    Negative,
    Node,
    Not,
    Or,
    Power,
    Quantified,
    StatusName,
)


def written(node: Node, floor: int = LOWEST) -> str:
    """A node as text that is read back as the same node."""
    text, binding = written_with(node)
    return f"({text})" if binding < floor else text


def written_with(node: Node) -> tuple[str, int]:
    """A node as text, and how tightly its outermost operator binds."""
    match node:
        case Literal(_, text, _):
            return text, RAISE + 1
        case Name(name, index, _):
            return name + index_text(index), RAISE + 1
        case StatusName(name, _):
            return name, RAISE + 1
        case Negative(operand, _):
            return f"-{written(operand, MINUS)}", MINUS
        case Chain(first, rest, _):
            level = ADD if rest[0][0] in "+-" else MULTIPLY
            return joined(first, rest, level), level
        case Power(base, exponent, _):
            return f"{written(base, RAISE + 1)}^{exponent}", RAISE
        case Call(function, arguments, _):
            return f"{function}({', '.join(map(written, arguments))})", RAISE + 1
        case Aggregate(function, binders, body, _):
            return f"{function}({binders_text(binders)}: {written(body)})", RAISE + 1
        case Comparison(first, rest, _):
            return joined(first, rest, COMPARE), COMPARE
        case Not(operand, _):
            return f"not {written(operand, NOT)}", NOT
        case And(operands, _):
            return " and ".join(written(operand, AND + 1) for operand in operands), AND
        case Or(operands, _):
            return " or ".join(written(operand, OR + 1) for operand in operands), OR
        case Implies(left, right, _):
            return f"{written(left, IMPLIES + 1)} implies {written(right, IMPLIES)}", IMPLIES
        case Iff(left, right, _):
            return f"{written(left, IFF + 1)} iff {written(right, IFF + 1)}", IFF
        case Quantified(quantifier, binders, body, _):
            return f"{quantifier} {binders_text(binders)}: {written(body)}", LOWEST


def joined(first: Node, rest: tuple[tuple[str, Node], ...], level: int) -> str:
    """Operands with their operators between them."""
    others = "".join(f" {operator} {written(operand, level + 1)}" for operator, operand in rest)
    return written(first, level + 1) + others


def index_text(index: tuple[str | int, ...]) -> str:
    """An index in brackets; nothing for a variable that was given none in the text."""
    shown = [str(part) for part in index if not str(part).startswith("#")]
    return f"[{','.join(shown)}]" if shown else ""


def binders_text(binders: tuple[Binder, ...]) -> str:
    """Variables with what they range over."""
    return ", ".join(binder_text(binder) for binder in binders)


def binder_text(binder: Binder) -> str:
    """A variable with what it ranges over, as far as they are known."""
    if binder.name is None or binder.name.startswith("#"):
        return str(binder.sort)
    return binder.name if binder.sort is None else f"{binder.name} in {binder.sort}"
