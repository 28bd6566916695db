"""Numbers for people: the exact text beside a decimal that says whether it is rounded."""

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from sys import float_info
from typing import Any

from grpocheck.core.arithmetic import Scalar, Surd, enclose, exact_text
from grpocheck.core.arithmetic.describing import describe
from grpocheck.core.arithmetic.notation import digits as digits_of
from grpocheck.verifier.tables import abbreviated

SIGNIFICANT = 6
ENCLOSED_DIGITS = 12
MOST_EXACT_DIGITS = 9
"""A terminating decimal of up to so many digits is written whole."""
MOST_IN_A_FORMULA = 22
"""An exact text up to this length stands in a formula; a longer one by its decimals."""
MOST_TEXT = 240
EXPRESSION_DEPTH = 2
ROUNDED = Context(prec=SIGNIFICANT)


@dataclass(frozen=True)
class Shown:
    """A number with its decimals, and whether these are rounded.

    ``short`` is the exact text where it is short enough for a formula and made of rationals and roots, else None.
    ``drawn`` is a float for pictures alone: the nearest one that is finite, since JSON has no other.
    """

    value: Scalar
    decimal: str
    rounded: bool
    short: str | None
    drawn: float

    @property
    def exact(self) -> str:
        """The exact text, shortened where it is very long; of a number with exp or log its expression."""
        if self.short is not None:
            return self.short
        if isinstance(self.value, int | Fraction | Surd):
            digits = digits_of(self.value)
            return exact_text(self.value) if digits < MOST_TEXT else f"a number of about {digits} digits"
        return abbreviated(describe(self.value, EXPRESSION_DEPTH), MOST_TEXT)

    def to_mapping(self) -> dict[str, Any]:
        """The number for the page."""
        return {"exact": self.exact, "decimal": self.decimal, "rounded": self.rounded, "drawn": self.drawn}


def shown(value: Scalar) -> Shown:
    """A scalar of an exact or enclosure arithmetic, for people.

    >>> shown(Fraction(3, 5)).decimal, shown(Fraction(1, 3)).decimal, shown(Fraction(1, 3)).rounded
    ('0.6', '0.333333', True)
    """
    short = None
    if isinstance(value, int | Fraction | Surd) and digits_of(value) <= MOST_IN_A_FORMULA:
        text = exact_text(value)
        short = text if len(text) <= MOST_IN_A_FORMULA else None
    if isinstance(value, int | Fraction):
        ratio = Fraction(value)
        whole = terminating(ratio)
        if whole is not None:
            return Shown(value, whole, False, short, float(ratio))
        rounded = ROUNDED.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    else:
        lower, upper = (Decimal(bound) for bound in enclose(value, ENCLOSED_DIGITS))
        rounded = Decimal(0) if lower < 0 < upper else ROUNDED.create_decimal(lower)
    drawn = min(max(float(rounded), -float_info.max), float_info.max)
    return Shown(value, plain(rounded), True, short, drawn)


def terminating(ratio: Fraction) -> str | None:
    """All decimals of a rational, where they end after a few."""
    rest, places = ratio.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0 and power <= MOST_EXACT_DIGITS:
            rest, power = rest // prime, power + 1
        places = max(places, power)
    if rest != 1 or places > MOST_EXACT_DIGITS or abs(ratio) >= 10**MOST_EXACT_DIGITS:
        return None
    return plain(Decimal(int(ratio * 10**places)).scaleb(-places))


def plain(number: Decimal) -> str:
    """A decimal without an exponent where that is readable."""
    if number == 0:
        return "0"
    if -6 <= number.adjusted() <= 8:
        text = f"{number:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{number.normalize():e}"


def vector(values: tuple[Scalar, ...]) -> list[dict[str, Any]]:
    """The entries of a vector for the page."""
    return [shown(entry).to_mapping() for entry in values]
