"""Formulas as MathML, which browsers typeset themselves: no font and no script has to be fetched."""

import re
from collections.abc import Iterable, Sequence
from html import escape

from grpocheck.verifier.studio.shown import Shown

MOST_ENTRIES = 6
"""Entries of a vector, or terms of a sum, that are written out; of more the first ones are."""

TERM = re.compile(r"(?P<factor>[0-9/]+)?\*?(?P<root>sqrt\((?P<radicand>[0-9]+)\))?")


def mi(name: str) -> str:
    """A symbol."""
    return f"<mi>{escape(name)}</mi>"


def mo(sign: str) -> str:
    """An operator or a relation."""
    return f"<mo>{escape(sign)}</mo>"


def mn(digits: str) -> str:
    """A number as it is written."""
    return f"<mn>{escape(digits)}</mn>"


def words(text: str) -> str:
    """Words inside a formula."""
    return f"<mtext>{escape(text)}</mtext>"


def row(*parts: str) -> str:
    """Parts one after the other."""
    return f"<mrow>{''.join(parts)}</mrow>"


def fraction(over: str, under: str) -> str:
    """One part over another."""
    return f"<mfrac>{row(over)}{row(under)}</mfrac>"


def root(inside: str) -> str:
    """A square root."""
    return f"<msqrt>{inside}</msqrt>"


def sub(base: str, index: str) -> str:
    """A base with an index."""
    return f"<msub>{row(base)}{row(index)}</msub>"


def sup(base: str, power: str) -> str:
    """A base with an exponent."""
    return f"<msup>{row(base)}{row(power)}</msup>"


def total(index: str) -> str:
    """A sum over an index."""
    return f"<munder>{mo('∑')}{row(index)}</munder>"


def fenced(*parts: str, left: str = "(", right: str = ")") -> str:
    """Parts in brackets."""
    return row(mo(left), *parts, mo(right))


def joined(parts: Iterable[str], sign: str = "+") -> str:
    """Parts with a sign between them."""
    return row(mo(sign).join(parts))


def sum_of(parts: Sequence[str]) -> str:
    """A sum written out, or its first terms and dots."""
    listed = [*parts[:MOST_ENTRIES], mo("⋯")] if len(parts) > MOST_ENTRIES else list(parts)
    return joined(listed) if listed else mn("0")


def column(entries: Sequence[str]) -> str:
    """A vector; one entry stands alone, of many the first ones are written."""
    if len(entries) == 1:
        return entries[0]
    listed = [*entries[:MOST_ENTRIES], mo("⋮")] if len(entries) > MOST_ENTRIES else list(entries)
    lines = "".join(f"<mtr><mtd>{entry}</mtd></mtr>" for entry in listed)
    return row(mo("("), f"<mtable>{lines}</mtable>", mo(")"))


def number(value: Shown) -> str:
    """A number: a fraction or a sum of roots where that is short, else its decimals."""
    if value.short is None:
        return row(mo("−"), mn(value.decimal[1:])) if value.decimal.startswith("-") else mn(value.decimal)
    signs = re.split(r" ([+-]) ", value.short)
    parts = [signed_term(signs[0])]
    for sign, term in zip(signs[1::2], signs[2::2], strict=True):
        parts += [mo("−" if sign == "-" else "+"), signed_term(term)]
    return row(*parts)


def bracketed(value: Shown) -> str:
    """A number as a factor: in brackets where it has a sign or is a sum."""
    plain = value.short if value.short is not None else value.decimal
    return fenced(number(value)) if plain.startswith("-") or " " in plain else number(value)


def signed_term(text: str) -> str:
    """A rational, a root, or one times the other, perhaps with a minus sign."""
    sign = [mo("−")] if text.startswith("-") else []
    match = TERM.fullmatch(text.removeprefix("-"))
    if match is None:
        raise ValueError(f"{text!r}: expected a rational, a root or their product")
    parts = []
    if match["factor"]:
        numerator, _, denominator = match["factor"].partition("/")
        parts.append(fraction(mn(numerator), mn(denominator)) if denominator else mn(numerator))
    if match["root"]:
        parts.append(root(mn(match["radicand"])))
    return row(*sign, *parts)


def relation(left: str, sign: str, right: str) -> str:
    """left sign right."""
    return row(left, mo(sign), right)


def math(*parts: str) -> str:
    """A displayed formula."""
    return f'<math display="block">{row(*parts)}</math>'


def inline(*parts: str) -> str:
    """A formula inside a sentence."""
    return f"<math>{row(*parts)}</math>"


def mover(name: str) -> str:
    """A symbol with a bar over it: a mean."""
    return f'<mover>{mi(name)}<mo stretchy="false">¯</mo></mover>'
