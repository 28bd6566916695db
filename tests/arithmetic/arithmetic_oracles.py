"""Independent readings of the expressions under test: by mpmath at 120 digits, and modulo a prime."""

from fractions import Fraction

import mpmath
from hypothesis import strategies as st

CONTEXT = mpmath.mp.clone() if hasattr(mpmath.mp, "clone") else mpmath.MPContext()
CONTEXT.dps = 120

RADICANDS = [Fraction(2), Fraction(3), Fraction(6), Fraction(12), Fraction(8, 9), Fraction(75), Fraction(1, 7)]
RADICANDS += [Fraction(10007 * 10009), Fraction(10007 * 30), Fraction(10009, 4), Fraction(10007**2 * 10009)]

small_rationals = st.fractions(min_value=-5, max_value=5, max_denominator=12)
linear = st.lists(st.tuples(small_rationals, st.sampled_from([Fraction(1), *RADICANDS])), max_size=4)


def value_of(terms):
    """The sum of coefficient * sqrt(radicand), at 120 digits."""
    total = CONTEXT.mpf(0)
    for coefficient, radicand in terms:
        root = CONTEXT.sqrt(CONTEXT.mpf(radicand.numerator) / radicand.denominator)
        total += CONTEXT.mpf(coefficient.numerator) / coefficient.denominator * root
    return total


def sign_of(value):
    """The sign of a number of moderate size and height, which is 0 when below 10**-90."""
    return 0 if abs(value) < CONTEXT.mpf(10) ** -90 else 1 if value > 0 else -1


def read(text):
    """A decimal or a fraction as an mpmath number."""
    rational = Fraction(text)
    return CONTEXT.mpf(rational.numerator) / rational.denominator
