"""Integers and rationals as decimal text, of any length (Python's own conversion stops at 4300 digits)."""

import re
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require

CHUNK = 4000
CHUNK_LIMIT = 10**CHUNK
LONGEST = 1_000_000
"""Digits that are read at most; text beyond that is refused, since reading takes quadratic time."""

RATIONAL = re.compile(r"([+-]?)(\d+)(?:/(\d+)|(?:\.(\d+))?(?:[eE]([+-]?\d{1,5}))?)", re.ASCII)


@require(lambda number: number == number // 1, "an integer is written")
@ensure(lambda number, result: (result[0] == "-") == (number < 0), "the text carries the sign")
@ensure(lambda number, result: int(result[-9:].lstrip("-")) == abs(number) % 10 ** len(result[-9:].lstrip("-")),
        "the last digits are those of the integer")
def integer_text(number: int) -> str:
    """The decimal digits of an integer of any length."""
    sign, rest, chunks = "-" if number < 0 else "", abs(number), list[str]()
    while rest >= CHUNK_LIMIT:
        rest, low = divmod(rest, CHUNK_LIMIT)
        chunks.append(str(low).zfill(CHUNK))
    return sign + str(rest) + "".join(reversed(chunks))


@require(lambda digits: digits.isascii() and digits.isdigit(), "only decimal digits are read")
@ensure(lambda digits, result: result % 10 == int(digits[-1]), "the last digit is that of the text")
def read_integer(digits: str) -> int:
    """The natural number written with these digits, of any length."""
    value = 0
    for start in range(0, len(digits), CHUNK):
        chunk = digits[start : start + CHUNK]
        value = value * 10 ** len(chunk) + int(chunk)
    return value


@require(lambda value: value.denominator >= 1, "a rational in lowest terms")
@ensure(lambda value, result: ("/" in result) == (value.denominator != 1), "integers are written without a bar")
def rational_text(value: Fraction) -> str:
    """A rational such as ``-3/5`` or ``12``."""
    numerator = integer_text(value.numerator)
    return numerator if value.denominator == 1 else f"{numerator}/{integer_text(value.denominator)}"


@require(lambda text: len(text) <= LONGEST, f"at most {LONGEST} digits are read")
@ensure(lambda text, result: result <= 0 or not text.startswith("-"), "the sign of the text is the sign of the number")
def read_rational(text: str) -> Fraction:
    """The rational written as ``-3``, ``3/5``, ``0.6`` or ``1.5e-3``; raises ValueError naming any other text."""
    match = RATIONAL.fullmatch(text)
    if match is None:
        raise ValueError(f"{text[:60]!r}: expected a number such as 3, -3/5, 0.6 or 1.5e-3")
    sign, whole, denominator, decimals, exponent = match.groups()
    if denominator is not None:
        below = read_integer(denominator)
        if below == 0:
            raise ValueError(f"{text[:60]!r}: the denominator is 0")
        value = Fraction(read_integer(whole), below)
    else:
        shift = int(exponent or 0) - len(decimals or "")
        value = read_integer(whole + (decimals or "")) * Fraction(10) ** shift
    return -value if sign == "-" else value
