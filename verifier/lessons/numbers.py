"""Numbers as a lesson prints them: the exact form where there is one, and plain decimals with an ASCII minus."""

from fractions import Fraction
from typing import Any

from grpocheck.core.arithmetic import Real, Surd, enclose, exact_text
from grpocheck.core.arithmetic.describing import factor_text
from mpmath.libmp import to_rational

PLACES = 8
"""Decimals of a number that is not written in full."""
SIGNIFICANT = 3
"""Digits that are shown of a number that is too small for its decimals."""
SMALLEST = 60
"""Decimals at which one gives up looking for them."""
LONGEST_FORM = 48
"""A closed form that is longer says less than its decimals."""
NOT_PLAIN = ("...", "-1*", "+ -")
"""Marks of a form that is shortened or hard to read."""
DEPTH = 4
MOST_DIGITS = 400


def bounds_of(value: Any, digits: int) -> tuple[Fraction, Fraction]:
    """Rationals around a number, equal for one that is rational; an mpmath number stands for itself."""
    if isinstance(value, int | Fraction):
        return Fraction(value), Fraction(value)
    if hasattr(value, "_mpf_"):
        rounded = Fraction(*to_rational(value._mpf_))
        return rounded, rounded
    lower, upper = enclose(value, digits)
    return Fraction(lower), Fraction(upper)


def rounded(value: Any, places: int) -> Fraction:
    """The multiple of 10**-places nearest to a number, half to even; refined until the digits are certain."""
    digits = places + 8
    while digits <= MOST_DIGITS:
        lower, upper = (round(bound, places) for bound in bounds_of(value, digits))
        if lower == upper:
            return lower
        digits *= 2
    raise ArithmeticError(f"{value}: no {places} certain decimals at {digits} digits")


def plain(value: Fraction, places: int) -> str:
    """A multiple of 10**-places written with that many decimals, no exponent."""
    sign = "-" if value < 0 else ""
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


def decimals(value: Any, places: int = PLACES) -> str:
    """A number in plain decimals: in full where ``places`` decimals suffice, else rounded to them.

    What would be rounded to 0 keeps SIGNIFICANT digits, down to SMALLEST decimals. Trailing zeros are therefore a sign
    of rounding.

    >>> decimals(Fraction(12, 5)), decimals(Fraction(-1, 3), 4), decimals(Fraction(1, 10**9), 2)
    ('2.4', '-0.3333', '0.000000001')
    """
    if has_short_decimals(value, places):
        text = plain(Fraction(value), places)
        return text.rstrip("0").rstrip(".") if places else text
    nearest = rounded(value, places)
    if nearest != 0:
        return plain(nearest, places)
    for more in range(places + 1, SMALLEST):
        if rounded(value, more) != 0:
            return decimals(value, more + SIGNIFICANT - 1)
    return plain(nearest, places)


def has_short_decimals(value: Any, places: int = PLACES) -> bool:
    """Whether a number is rational and written in full with so many decimals."""
    return isinstance(value, int | Fraction) and (value * 10**places) % 1 == 0


def closed_form(value: Any) -> str | None:
    """A number exactly, such as ``12/5``, ``1/2*sqrt(2)`` or ``13/5*log(2) - log(5)``; None where that is too long."""
    if isinstance(value, int | Fraction | Surd):
        text = exact_text(value)
    elif isinstance(value, Real):
        text = ""
        for factors, coefficient in value.terms.items():
            negative = isinstance(coefficient, Fraction) and coefficient < 0
            amount = -coefficient if negative else coefficient
            pieces = [factor_text(atom, power, DEPTH) for atom, power in factors]
            if amount != 1 or not pieces:
                number = exact_text(amount)
                pieces.insert(0, f"({number})" if isinstance(amount, Surd) and pieces else number)
            sign = (" - " if negative else " + ") if text else ("-" if negative else "")
            text += sign + "*".join(pieces)
    else:
        return None
    return None if len(text) > LONGEST_FORM or any(mark in text for mark in NOT_PLAIN) else text


def certainty(value: Any) -> str:
    """``exact``, ``enclosure`` (as many certified decimals as one asks for) or ``rounded`` (not certified)."""
    if isinstance(value, int | Fraction | Surd):
        return "exact"
    return "enclosure" if isinstance(value, Real) else "rounded"
