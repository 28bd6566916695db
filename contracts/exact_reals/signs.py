"""The sign of a polynomial on the current path: known, or asked of the solver, splitting the path when both can be."""

from collections.abc import Callable
from fractions import Fraction
from typing import Literal, TypeAlias

from crosshair import smt
from crosshair.statespace import context_statespace
from grpocheck.contracts.exact_reals.atoms import AtomRegistry, Condition, number
from grpocheck.contracts.exact_reals.polynomials import Polynomial, is_constant, key, primitive, scale

Comparison: TypeAlias = Literal["<", "<=", ">", ">=", "==", "!="]

_REVERSED: dict[Comparison, Comparison] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_HOLDS_FOR_SIGN: dict[Comparison, tuple[int, ...]] = {
    "<": (-1,),
    "<=": (-1, 0),
    ">": (1,),
    ">=": (0, 1),
    "==": (0,),
    "!=": (-1, 1),
}


def compare_with_zero(atoms: AtomRegistry, polynomial: Polynomial, comparison: Comparison) -> bool | Condition:
    """``polynomial comparison 0``: a bool where algebra and the known facts decide it, else an SMT condition."""
    content, part = primitive(polynomial)
    if not part:
        return 0 in _HOLDS_FOR_SIGN[comparison]
    if content < 0:
        comparison = _REVERSED.get(comparison, comparison)
    sign = _known_sign(atoms, part)
    if sign is not None:
        return sign in _HOLDS_FOR_SIGN[comparison]
    term, zero = atoms.term(part), number(0)
    # Negations of the strict forms and of equality, so that both ways of asking have one SMT expression.
    conditions: dict[Comparison, Callable[[], Condition]] = {
        "<": lambda: term < zero,
        ">": lambda: term > zero,
        "==": lambda: term == zero,
        "<=": lambda: smt.not_(term > zero),
        ">=": lambda: smt.not_(term < zero),
        "!=": lambda: smt.not_(term == zero),
    }
    return conditions[comparison]()


def _known_sign(atoms: AtomRegistry, part: Polynomial) -> int | None:
    if is_constant(part) or key(part) in atoms.positive:
        return 1  # a primitive constant is 1
    if key(scale(part, -1)) in atoms.positive:
        return -1
    if len(part) == 1 and all(atoms.is_known_positive(index) for index, _ in next(iter(part))):
        return 1
    return None


def decide(condition: bool | Condition) -> bool:
    """The truth of a condition on this path; the path splits when both are possible."""
    if isinstance(condition, bool):
        return condition
    chosen: bool = context_statespace().choose_possible(condition)
    return chosen


def is_positive(atoms: AtomRegistry, polynomial: Polynomial) -> bool:
    """Whether a polynomial is positive on this path; remembered when it is."""
    if not decide(compare_with_zero(atoms, polynomial, ">")):
        return False
    _, part = positive_primitive(polynomial)
    atoms.positive.add(key(part))
    return True


def positive_primitive(polynomial: Polynomial) -> tuple[Fraction, Polynomial]:
    """``(content, part)`` of a polynomial that is positive on this path, both positive."""
    content, part = primitive(polynomial)
    return (content, part) if content > 0 else (-content, scale(part, -1))
