"""Exact numbers as text and back, and how long they are."""

import re
from fractions import Fraction
from math import prod

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.arithmetic.decimals import LONGEST, rational_text, read_rational
from grpocheck.core.arithmetic.surd import Surd, square_root_of_rational

Exact = int | Fraction | Surd
"""What holds a number exactly."""

TERM = re.compile(r"(?P<sign>[+-]?)(?:(?P<factor>[\d./eE+-]+)\*)?sqrt\((?P<radicand>[\d./]+)\)", re.ASCII)
SPACED_SIGN = re.compile(r"(?<=[0-9)]) ([+-]) ")
BETWEEN_TERMS = re.compile(r"(?<=[^(*eE])(?=[+-])")


@require(lambda value: not isinstance(value, bool), "a truth value is no number")
@ensure(lambda value, result: ("sqrt" in result) == isinstance(value, Surd), "only an irrational is written with roots")
def exact_text(value: Exact) -> str:
    """An exact number as text: ``3/5`` or ``1/2 + 3/10*sqrt(2)``.

    >>> exact_text(Fraction(3, 5))
    '3/5'
    """
    return str(value) if isinstance(value, Surd) else rational_text(Fraction(value))


@total("text that is no number is refused with a ValueError that names it")
@ensure(lambda text, result: isinstance(result, Fraction) or "sqrt" in text, "text without roots is rational")
def parse_exact(text: str) -> Fraction | Surd:
    """The number written in the text, exactly; what ``exact_text`` writes comes back equal.

    Raises ValueError, which shows the text, for what is no such number.

    >>> parse_exact("1/2 + 3/10*sqrt(2)")
    Surd('1/2 + 3/10*sqrt(2)')
    >>> parse_exact("0.2")
    Fraction(1, 5)
    """
    if len(text) > LONGEST:
        raise ValueError(f"a text of {len(text)} characters: expected a number of at most {LONGEST}")
    compact = SPACED_SIGN.sub(r"\1", text.strip())
    if "sqrt" not in compact:
        return read_rational(compact)
    value: Fraction | Surd = Fraction(0)
    for term in BETWEEN_TERMS.split(compact):
        match = TERM.fullmatch(term)
        if match is None:
            value += read_rational(term)
            continue
        root = square_root_of_rational(read_rational(match["radicand"]))
        factor = read_rational(match["factor"] or "1")
        value += root * (-factor if match["sign"] == "-" else factor)
    return value


@require(lambda value: not isinstance(value, bool), "a truth value is no number")
@ensure(lambda result: result >= 1, "a number has a digit")
def digits(value: Exact) -> int:
    """About how many decimal digits an exact number is written with: numerators, denominators and radicands."""
    if not isinstance(value, Surd):
        return decimal_digits(value.numerator) + decimal_digits(value.denominator)
    return sum(digits(coefficient) + decimal_digits(prod(key)) for key, coefficient in value.terms.items())


@total("any integer has digits")
@ensure(lambda integer, result: result >= 1 and (result - 2) * 3321 <= abs(integer).bit_length() * 1000,
        "log10(2) times the number of bits, rounded up")
def decimal_digits(integer: int) -> int:
    """The decimal digits of an integer, from its number of bits; one too many at times."""
    return abs(integer).bit_length() * 30103 // 100000 + 1


@require(lambda value: not isinstance(value, bool), "a truth value is no number")
@ensure(lambda value, result: result >= digits(value), "a budget counts the number itself at least")
def working_digits(value: Exact) -> int:
    """About how many digits the number or its reciprocal takes, whichever is more.

    A number of degree n over the rationals, with t terms of h digits in all, has a reciprocal of up to n terms, each
    a product of n - 1 conjugates: n * n * h / t digits.
    """
    length = digits(value)
    return max(length, degree(value) ** 2 * length // len(value.terms)) if isinstance(value, Surd) else length


@total("any Surd generates a field")
@ensure(lambda value, result: 2 <= result <= 2 ** len(value.radicals), "between quadratic and all radicals apart")
def degree(value: Surd) -> int:
    """The degree over the rationals of the field of the terms: 2 to the rank of the radicands modulo squares."""
    basis: list[frozenset[int]] = []
    for key in value.terms:
        element = frozenset(key)
        for pivot in basis:
            if max(pivot) in element:
                element ^= pivot
        if element:
            basis.append(element)
            basis.sort(key=max, reverse=True)
    return 1 << len(basis)
