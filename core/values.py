"""Exact numbers, counts, texts and tables as people write them: 0.2 is 1/5, and what is not exact is refused.

A float object is refused: 0.2 read into one is no longer 1/5. TOML decimals arrive as their text (DecimalLiteral).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.invalid import MISSING, InvalidProblem, shortened

MAX_DIGITS = 4000
"""A number that is read or written has at most this many digits above and below its line."""

TOO_LARGE = 10**MAX_DIGITS
TOO_LONG = f"a number of at most {MAX_DIGITS} digits"
NUMBER = 'an exact finite number: 1, 0.25, 1e-3 or "1/3"'
NO_FLOAT = 'an exact number in place of a float: write Fraction(1, 5) or "1/5"'

LARGE = 10**18
"""A bound from here on is named as a power of two, where it is one less than that."""
MOST_SUGGESTED = 100
FEW = 16

WRITTEN = re.compile(r"([+-]?)(?:([0-9]+)/([0-9]+)|([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?)", re.ASCII)


@dataclass(frozen=True)
class DecimalLiteral:
    """A decimal as it stands in a TOML file, not yet read as a number."""

    text: str


@total("bad input raises InvalidProblem")
@ensure(lambda value, result: not isinstance(value, int | Fraction) or result == value, "a rational stands for itself")
def rational(key: str, value: object) -> Fraction:
    """The rational that a value stands for: an int, a Fraction, a TOML decimal or a text such as 1/3 or 0.25."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, float):
        raise InvalidProblem(key, value, NO_FLOAT)
    if isinstance(value, bool) or not isinstance(value, int | str | DecimalLiteral):
        raise InvalidProblem(key, value, NUMBER)
    if isinstance(value, int):
        if abs(value) >= TOO_LARGE:
            raise InvalidProblem(key, value, TOO_LONG)
        return Fraction(value)
    return rational_from_text(key, value.text.replace("_", "") if isinstance(value, DecimalLiteral) else value)


@total("bad input raises InvalidProblem")
@ensure(lambda text, result: result >= 0 or text.startswith("-"), "only a number with a minus sign is negative")
@ensure(lambda result: abs(result.numerator) < TOO_LARGE and result.denominator < TOO_LARGE, "its digits are bounded")
def rational_from_text(key: str, text: str) -> Fraction:
    """The number written as 1/3, -2, 0.25 or 1e-3; the length is checked before any digit is read."""
    if len(text) > 2 * MAX_DIGITS + 2:
        raise InvalidProblem(key, text, TOO_LONG)
    match = WRITTEN.fullmatch(text)
    if match is None:
        raise InvalidProblem(key, text, NUMBER)
    sign, numerator, denominator, whole, decimals, exponent = match.groups()
    if any(part is not None and len(part) > MAX_DIGITS for part in (numerator, denominator, whole, decimals)):
        raise InvalidProblem(key, text, TOO_LONG)
    if numerator is not None:
        if int(denominator) == 0:
            raise InvalidProblem(key, text, "a denominator that is not 0")
        size = Fraction(int(numerator), int(denominator))
    else:
        if not whole and not decimals:
            raise InvalidProblem(key, text, NUMBER)
        if exponent is not None and (len(exponent) > 6 or abs(int(exponent)) > 2 * MAX_DIGITS):
            raise InvalidProblem(key, text, TOO_LONG)
        size = Fraction(int(whole or "0")) + Fraction(int(decimals or "0"), 10 ** len(decimals or ""))
        size *= Fraction(10) ** int(exponent or "0")
    if size.numerator >= TOO_LARGE or size.denominator >= TOO_LARGE:
        raise InvalidProblem(key, text, TOO_LONG)
    return -size if sign == "-" else size


@total("bad input raises InvalidProblem")
@ensure(lambda values, result: len(result) == len(values), "one number for each entry, in order")
def rationals(key: str, values: object) -> tuple[Fraction, ...]:
    """A list of exact numbers; an error names the entry."""
    return tuple(rational(f"{key}[{i}]", value) for i, value in enumerate(entries(key, values, "a list of numbers")))


@total("bad input raises InvalidProblem")
@ensure(lambda result, least, most: least <= result and (most is None or result <= most), "a count in its range")
def count(key: str, value: object, least: int, most: int | None = None) -> int:
    """An integer between least and most."""
    last = most if most is None or most < LARGE or most & (most + 1) else f"2^{most.bit_length()} - 1"
    expected = f"an integer of at least {least}" if last is None else f"an integer between {least} and {last}"
    if isinstance(value, str) and value.strip().isdecimal():
        expected += ", without quotation marks"
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        raise InvalidProblem(key, value, expected)
    return value


@total("bad input raises InvalidProblem")
@ensure(lambda values, result: len(result) == len(values), "a list is read whole")
def entries(key: str, values: object, expected: str) -> Sequence[object]:
    """A list or tuple, as it is; a text is none."""
    if not isinstance(values, list | tuple):
        raise InvalidProblem(key, values, expected)
    return values


@total("bad input raises InvalidProblem")
@ensure(lambda value, result: result == value, "a text is kept as it is")
def text(key: str, value: object, expected: str = "a text") -> str:
    """A text that can be written to a file."""
    if not isinstance(value, str):
        raise InvalidProblem(key, value, expected)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidProblem(key, ascii(value), f"{expected} without lone surrogates") from None
    return value


@total("bad input raises InvalidProblem")
@ensure(lambda result: len(set(result)) == len(result), "no text occurs twice")
def distinct_texts(key: str, values: object, noun: str) -> tuple[str, ...]:
    """A nonempty list of texts without repeats."""
    listed = tuple(text(f"{key}[{i}]", value) for i, value in enumerate(entries(key, values, f"a list of {noun}s")))
    if not listed:
        raise InvalidProblem(key, values, f"at least one {noun}")
    seen: set[str] = set()
    for i, entry in enumerate(listed):
        if entry in seen:
            raise InvalidProblem(f"{key}[{i}]", entry, f"each {noun} once")
        seen.add(entry)
    return listed


@total("a number too long for a file raises InvalidProblem")
@ensure(lambda value, result: rational("number", result) == value, "the text is read back as the same number")
def rational_text(value: Fraction) -> str:
    """The exact number as a text: 3 or -1/5."""
    if abs(value.numerator) >= TOO_LARGE or value.denominator >= TOO_LARGE:
        raise InvalidProblem("number", value, TOO_LONG)
    return str(value)


@total("bad input raises InvalidProblem")
@ensure(lambda result, allowed: set(result) <= set(allowed), "a table has only keys that mean something")
@ensure(lambda result, required: set(required) <= set(result), "a table has every key that it needs")
def table(key: str, value: object, allowed: Sequence[str], required: Sequence[str] = ()) -> Mapping[str, object]:
    """A table with known keys; an unknown key is refused, with the nearest known one as a suggestion."""
    prefix = f"{key}." if key else ""
    name = key or "the problem"
    if not isinstance(value, Mapping) or not all(isinstance(entry, str) for entry in value):
        raise InvalidProblem(name, value, "a table")
    known = frozenset(allowed)
    for entry in value:
        if entry not in known:
            expected = f"a known key: {known_keys(entry, allowed)}"
            raise InvalidProblem(prefix + (shortened(entry) or '""'), value[entry], expected)
    for entry in required:
        if entry not in value:
            raise InvalidProblem(prefix + entry, None, MISSING)
    return value


@require(lambda key, allowed: key not in allowed, "the key is unknown")
@ensure(lambda allowed, result: not allowed or any(known in result for known in allowed), "a known key is named")
def known_keys(key: str, allowed: Sequence[str]) -> str:
    """What may stand in place of an unknown key: the nearest known one (capitals aside), or some of them."""
    begin, known = key[:MOST_SUGGESTED], allowed[:MOST_SUGGESTED]
    near = get_close_matches(begin, known, n=1) or get_close_matches(begin.lower(), known, n=1)
    if near:
        return f"{near[0]} (did you mean that?)"
    few = ", ".join(allowed[:FEW])
    return "one of " + (few if len(allowed) <= FEW else f"{few}, … ({len(allowed)} in all)")


@total("bad input raises InvalidProblem")
@ensure(lambda value, words, result: result == value and result in words, "one of the words, as it is written")
def choice(key: str, value: object, words: Sequence[str]) -> str:
    """One of some words; in place of any other text the nearest of them is suggested.

    >>> choice("family", "Softmax", ("bernoulli", "softmax"))
    Traceback (most recent call last):
        ...
    grpocheck.core.invalid.InvalidProblem: family: 'Softmax': expected softmax (did you mean that?)
    """
    if isinstance(value, str) and value in words:
        return value
    raise InvalidProblem(key, value, known_keys(value if isinstance(value, str) else "", words))
