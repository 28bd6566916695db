"""Expressions as short text, for messages."""

from typing import Any

from grpocheck.contracts.clauses import ensure, require
from grpocheck.core.arithmetic.enclosing import enclose
from grpocheck.core.arithmetic.nodes import Atom, Expression, Kind
from grpocheck.core.arithmetic.notation import digits, exact_text

DEPTH = 3
WIDTH = 4
DIGITS = 20


@require(lambda depth: depth >= 0, "a depth")
@ensure(lambda result: len(result) <= 20_000, "the text stays short")
def describe(value: Any, depth: int = DEPTH) -> str:
    """A number as text; what is long or deeply nested is left out, as dots."""
    if not isinstance(value, Expression):
        length = digits(value)
        return exact_text(value) if length <= 3 * DIGITS else f"(a number of about {length} digits)"
    if depth == 0:
        return "..."
    texts = []
    for factors, coefficient in list(value.terms.items())[:WIDTH]:
        pieces = [factor_text(atom, power, depth - 1) for atom, power in factors[:WIDTH]]
        pieces += ["..."] if len(factors) > WIDTH else []
        if coefficient != 1 or not factors:
            number = describe(coefficient)
            pieces.insert(0, f"({number})" if " " in number and factors else number)
        texts.append("*".join(pieces))
    texts += ["..."] if len(value.terms) > WIDTH else []
    return " + ".join(texts)


@require(lambda power: power != 0, "a factor that occurs")
@ensure(lambda power, result: power == 1 or result.endswith(f"^{power}"), "the power is written")
def factor_text(atom: Atom, power: int, depth: int) -> str:
    """An atom to a power as text."""
    inner = describe(atom.argument, depth)
    name = "" if atom.kind in (Kind.SUM, Kind.EXACT) else atom.kind.value
    return f"{name}({inner})" + ("" if power == 1 else f"^{power}")


@require(lambda bits: bits > 0, "a positive precision")
@ensure(lambda result: result[0] == "[" and result[-1] == "]", "two bounds")
def enclosure_text(value: Any, bits: int = 8192) -> str:
    """What is known of a number at a precision, as ``[lower, upper]``."""
    try:
        lower, upper = enclose(value, DIGITS - 2, bits)
    except ArithmeticError:
        return "[-inf, inf]"
    return f"[{lower}, {upper}]"
