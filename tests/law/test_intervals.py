"""Clopper-Pearson intervals: printed tables, mpmath's incomplete beta function, exact coverage."""

from fractions import Fraction as F
from math import comb

import pytest
from grpocheck.verifier.law.intervals import clopper_pearson, tail_bounds
from mpmath.ctx_mp import MPContext

context = MPContext()
context.dps = 40

# k, n, confidence, lower, upper as statistical tables print them (exact binomial limits)
TABLES = [
    (0, 10, F(19, 20), "0", "0.3085"),
    (1, 10, F(19, 20), "0.0025", "0.4450"),
    (2, 10, F(19, 20), "0.0252", "0.5561"),
    (5, 10, F(19, 20), "0.1871", "0.8129"),
    (10, 10, F(19, 20), "0.6915", "1"),
    (0, 20, F(19, 20), "0", "0.1684"),
    (10, 20, F(19, 20), "0.2720", "0.7280"),
    (0, 10, F(99, 100), "0", "0.4113"),
    (5, 10, F(99, 100), "0.1283", "0.8717"),
    (50, 100, F(19, 20), "0.3983", "0.6017"),
]


@pytest.mark.parametrize(("successes", "draws", "confidence", "lower", "upper"), TABLES)
def test_printed_tables(successes, draws, confidence, lower, upper):
    found = clopper_pearson(successes, draws, confidence)
    assert [round(float(end), 4) for end in found] == [float(lower), float(upper)]


def tail(successes, draws, p):
    """P(at least so many successes) as a regularised incomplete beta function, at 40 digits."""
    point = context.mpf(p.numerator) / p.denominator
    return context.betainc(successes, draws - successes + 1, 0, point, regularized=True)


@pytest.mark.parametrize(("successes", "draws"), [(1, 3), (7, 30), (29, 30), (400, 1000), (3, 5000)])
def test_ends_are_outside_by_less_than_a_step_and_never_inside(successes, draws):
    confidence = F(99, 100)
    share = context.mpf(1) / 200
    step = F(1, 2**24 * draws)
    lower, upper = clopper_pearson(successes, draws, confidence)
    assert tail(successes, draws, lower) <= share < tail(successes, draws, lower + step)
    if successes < draws:
        # at most k successes at p are at least n - k at 1 - p
        assert tail(draws - successes, draws, 1 - upper) <= share < tail(draws - successes, draws, 1 - upper + step)


@pytest.mark.parametrize("confidence", [F(1, 2), F(9, 10), F(99, 100)])
def test_coverage_is_at_least_the_confidence_everywhere(confidence):
    draws = 12
    intervals = [clopper_pearson(k, draws, confidence) for k in range(draws + 1)]
    for p in [F(i, 97) for i in range(1, 97)]:
        covered = sum(
            comb(draws, k) * p**k * (1 - p) ** (draws - k)
            for k, (lower, upper) in enumerate(intervals)
            if lower <= p <= upper
        )
        assert covered >= confidence


def test_tails_are_enclosed():
    for draws, successes, numerator in [(40, 3, 1000), (300, 299, 3), (300, 0, 5), (64, 64, 4095), (500, 10, 1)]:
        p = F(numerator, 4096)
        exact = sum(comb(draws, j) * p**j * (1 - p) ** (draws - j) for j in range(successes, draws + 1))
        lower, upper = tail_bounds(successes, draws, numerator, 12, F(1, 200))
        assert lower <= exact <= upper
        assert upper - lower < F(1, 2**50)
