"""The search, its guide, the laws of growth and the vocabulary: against exact grids and numbers by hand."""

from fractions import Fraction as F
from itertools import product
from math import comb, isclose, log

import pytest
from grpocheck.core.tic.kinds import independent_bits
from grpocheck.core.tic.methods import Method, Reading
from grpocheck.core.tic.moments import response_moments
from grpocheck.core.variants.ratios import Level
from grpocheck.core.variants.terms import TwoSided, UpperCap
from grpocheck.verifier.tic.fits import affine_fit, log_log_slope
from grpocheck.verifier.tic.growth import CAPPED, growth, identities_hold, least_ratio, lies_within_bounds
from grpocheck.verifier.tic.guide import variance_of
from grpocheck.verifier.tic.search import Worst, steps, worst_case
from grpocheck.verifier.tic.vocabulary import Vocabulary

METHODS = [
    Method(level, reading, clip)
    for level, reading, clip in product((Level.TOKEN, Level.SEQUENCE), Reading, (UpperCap(), TwoSided()))
]
TRAJECTORY, TOKEN = CAPPED[Level.SEQUENCE, Reading.SURROGATE], CAPPED[Level.TOKEN, Reading.SURROGATE]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_guide_is_near_the_exact_variance(method):
    for horizon, p, q in ((1, F(9, 10), F(1, 10)), (5, F(1, 2), F(2, 5)), (40, F(3, 5), F(29, 50))):
        exact = response_moments(method, independent_bits(horizon, p, q)).variance
        assert isclose(variance_of(method, horizon)(float(p), float(q)), float(exact), rel_tol=1e-9)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("horizon", [1, 3])
def test_no_point_of_an_exact_grid_is_worse(method, horizon):
    """17 by 17 points, q > p among them: the mirror image of the tokens is searched for them."""
    grid = [F(1, 10) + F(place, 20) for place in range(17)]
    found = worst_case(method, horizon)
    assert F(1, 10) <= found.old <= found.current <= F(9, 10)
    assert found.variance == response_moments(method, independent_bits(horizon, found.current, found.old)).variance
    assert all(
        response_moments(method, independent_bits(horizon, p, q)).variance <= found.variance * F(1001, 1000)
        for p, q in product(grid, grid)
    )


def test_one_token_by_hand():
    """H = 1: V = p^2 (1-p)^2 (1/q + 1/(1-q)), a one capped at q < 5p/6 in both forms at most as large as at 5p/6.

    At q = 5p/6 it is 36/5 p (1-p)^2 / (6 - 5p); its slope vanishes where (1 - 3p)(6 - 5p) + 5p (1-p) = 0, that is
    10 p^2 - 18 p + 6 = 0: p = (9 - sqrt(21))/10 = 0.44174..., with V = 0.26145...
    """
    found = worst_case(TRAJECTORY, 1)
    p = (9 - 21**0.5) / 10
    assert isclose(float(found.current), p, abs_tol=2e-3)
    assert isclose(float(found.variance), 36 / 5 * p * (1 - p) ** 2 / (6 - 5 * p), rel_tol=1e-4)
    assert isclose(float(found.current) / float(found.old), 1.2, rel_tol=1e-3)


def test_steps_are_where_a_ratio_meets_a_bound():
    p, horizon = 0.5, 6
    found = sorted(steps(TRAJECTORY, horizon, p))
    assert len(found) > 2
    for q in found:
        logs = [k * log(p / q) + (horizon - k) * log((1 - p) / (1 - q)) for k in range(horizon + 1)]
        assert min(abs(value - log(1.2)) for value in logs) < 1e-9
    assert [round(q, 9) for q in steps(TOKEN, horizon, p)] == [round(0.5 / 1.2, 9)]


@pytest.mark.parametrize("horizon", [2, 16, 64])
def test_the_worst_cases_of_section_3(horizon):
    found = growth([horizon])
    for reading in Reading:
        assert lies_within_bounds(found.worst[Level.SEQUENCE, reading][0])
        assert identities_hold(found.worst[Level.SEQUENCE, reading][0])
    assert found.ratios(Reading.SURROGATE)[0][1] >= least_ratio(horizon)
    if horizon == 64:
        assert F(160, 10) < found.ratios(Reading.SURROGATE)[0][1] < F(162, 10)
        assert F(97, 10) < found.ratios(Reading.SCORE)[0][1] < F(985, 100)


def test_what_is_outside_the_bounds_is_seen():
    inside = worst_case(TRAJECTORY, 4)
    for variance in (F(1, 17), F(13, 160)):
        assert not lies_within_bounds(Worst(inside.method, 4, inside.current, inside.old, variance))


def test_the_least_ratio_is_the_token_level_over_the_bound():
    """(1/16 + 1/(24 H)) / (6/5 / (4 H))."""
    for horizon in (1, 10, 64):
        assert least_ratio(horizon) == (F(1, 16) + F(1, 24 * horizon)) * 4 * horizon * F(5, 6)


def test_fits_by_hand():
    assert affine_fit([(0, F(1)), (1, F(0)), (2, F(2))]) == (F(1, 2), F(1, 2))
    assert isclose(log_log_slope([(1, F(3)), (2, F(12)), (4, F(48))]), 2)
    # 1 + H is no power: the slope in logarithms from 1 on understates the exponent, later it is nearer to 1
    early, late = ([(h, F(1 + h)) for h in range(first, 65)] for first in (1, 16))
    assert log_log_slope(early) < log_log_slope(late) < 1
    assert affine_fit(early) == affine_fit(late) == (1, 1)


def test_two_words_are_the_class_with_two_logits():
    """S = (ones - H/2, zeros - H/2): |S|^2 is twice the square of the single logit's score."""
    horizon, p, q = 4, F(1, 2), F(2, 5)
    plain, capped, uncapped = Vocabulary(2, horizon).moments()
    rows = []
    for k in range(horizon + 1):
        mass = comb(horizon, k) * q**k * (1 - q) ** (horizon - k)
        ratio = (p / q) ** k * ((1 - p) / (1 - q)) ** (horizon - k)
        rows.append((mass, ratio, 2 * (k - horizon * p) ** 2))
    assert plain == 2 * horizon * p * (1 - p) == Vocabulary(2, horizon).on_policy
    assert capped == sum(m * min(r, F(6, 5)) ** 2 * s for m, r, s in rows)
    assert uncapped == sum(m * r * r * s for m, r, s in rows)
    assert Vocabulary(8, 3).on_policy == Vocabulary(8, 3).moments()[0] == F(21, 8)
