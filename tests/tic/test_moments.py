"""The moments of one response: against enumeration with core/variants, and against formulas derived by hand."""

from fractions import Fraction as F
from itertools import product
from math import comb

import pytest
from grpocheck.contracts.clauses import ContractViolation
from grpocheck.core.tic.kinds import IndependentTokens, Kind, TokenMasses, independent_bits, responses_by_kind
from grpocheck.core.tic.methods import Method, Reading
from grpocheck.core.tic.moments import (
    capped_second_moment,
    change_of_measure,
    growth_base,
    response_moments,
    uncapped_second_moment,
)
from grpocheck.core.variants.ratios import Level
from grpocheck.core.variants.terms import TwoSided, Unclipped, UpperCap

from tests.tic.enumerated import group_gradients, mass, mean_and_variance, variant_of

LEVELS = (Level.TOKEN, Level.SEQUENCE)
POINTS = ((F(1, 2), F(2, 5)), (F(9, 10), F(1, 10)), (F(3, 10), F(7, 10)), (F(3, 5), F(11, 20)))
ENUMERATED = [
    Method(level, reading, clip)
    for level in LEVELS
    for reading, clip in (
        (Reading.SURROGATE, UpperCap()),
        (Reading.SCORE, UpperCap()),
        (Reading.SURROGATE, TwoSided()),
    )
]


@pytest.mark.parametrize("method", ENUMERATED, ids=lambda method: method.name)
@pytest.mark.parametrize("horizon", [1, 2, 3, 4])
def test_the_moments_are_those_of_every_response_in_turn(method, horizon):
    """A group of one response with A = 1 or -1, all 2^H of them, through the objective of core/variants."""
    for p, q in POINTS:
        enumerated = group_gradients(variant_of(method), horizon, p, q, 1, low=F(-1))
        found = response_moments(method, independent_bits(horizon, p, q))
        assert (found.mean, found.variance) == mean_and_variance(enumerated)


@pytest.mark.parametrize("level", LEVELS)
def test_the_two_sided_clip_as_a_detached_weight(level):
    """A > 0: min(w, 6/5); A < 0: max(w, 4/5); by hand on the four responses of H = 2."""
    p, q = F(9, 10), F(1, 10)
    weighted = []
    for bits in product((1, 0), repeat=2):
        single = [(p if bit else 1 - p) / (q if bit else 1 - q) for bit in bits]
        used = single if level is Level.TOKEN else [single[0] * single[1]] * 2
        plus = sum(min(w, F(6, 5)) * (bit - p) for w, bit in zip(used, bits, strict=True)) / 2
        minus = sum(max(w, F(4, 5)) * (bit - p) for w, bit in zip(used, bits, strict=True)) / 2
        weighted += [(mass(bits, q) / 2, plus), (mass(bits, q) / 2, -minus)]
    found = response_moments(Method(level, Reading.SCORE, TwoSided()), independent_bits(2, p, q))
    assert (found.mean, found.variance) == mean_and_variance(weighted)


@pytest.mark.parametrize("horizon", [1, 2, 7, 64, 128])
def test_the_token_level_at_a_half_and_two_fifths(horizon):
    """A token one is at 5/4, beyond the cap; a zero has 5/6 * (-1/2): mean -1/4 and variance 5/48 - 1/16 = 1/24."""
    tokens = independent_bits(horizon, F(1, 2), F(2, 5))
    found = response_moments(Method(Level.TOKEN, Reading.SURROGATE), tokens).variance
    assert found == F(1, 16) + F(1, 24 * horizon)


@pytest.mark.parametrize("horizon", [1, 3, 64, 128])
@pytest.mark.parametrize(("p", "q"), POINTS)
def test_identities_and_bounds(horizon, p, q):
    tokens = independent_bits(horizon, p, q)
    assert change_of_measure(tokens) == horizon * p * (1 - p)
    assert 0 < capped_second_moment(tokens) <= F(6, 5) * horizon * p * (1 - p)


@pytest.mark.parametrize("method", [Method(level, reading) for level in LEVELS for reading in Reading])
def test_on_policy_every_method_is_the_plain_one(method):
    """Every ratio is 1, so that V = p (1 - p) / H; the lower bound 1/(4H) is its value at 1/2."""
    assert response_moments(method, independent_bits(5, F(1, 3), F(1, 3))).variance == F(2, 9) / 5
    assert response_moments(method, independent_bits(5, F(1, 2), F(1, 2))).variance == F(1, 20)


def test_what_is_not_capped_grows_with_the_base():
    """p = 9/10, q = 1/10: 81/10 + 1/90 = 73/9; H = 1 by hand: 81 * 1/10 * 1/100 + 1/81 * 9/10 * 81/100."""
    assert growth_base(independent_bits(1, F(9, 10), F(1, 10))) == F(73, 9)
    assert uncapped_second_moment(independent_bits(1, F(9, 10), F(1, 10))) == F(81, 1000) + F(9, 1000)
    second = [uncapped_second_moment(independent_bits(h, F(9, 10), F(1, 10))) for h in (63, 64)]
    assert F(73, 9) < second[1] / second[0] < F(73, 9) * F(64, 63) ** 2
    plain = Method(Level.SEQUENCE, Reading.SCORE, Unclipped())
    assert response_moments(plain, independent_bits(3, F(9, 10), F(1, 10))).second * 9 == uncapped_second_moment(
        independent_bits(3, F(9, 10), F(1, 10))
    )


def test_the_two_sided_trajectory_clip_has_no_cap_for_negative_advantages():
    """Half the responses have A < 0, and theirs grow as without a cap; the capped method stays below 6/(20 H)."""
    tokens = independent_bits(16, F(9, 10), F(1, 10))
    two_sided = response_moments(Method(Level.SEQUENCE, Reading.SURROGATE, TwoSided()), tokens).variance
    assert two_sided * 16**2 > F(49, 100) * uncapped_second_moment(tokens)
    assert response_moments(Method(Level.SEQUENCE, Reading.SURROGATE), tokens).variance < F(6, 20 * 16)


def test_a_ratio_on_the_cap_counts_as_capped():
    """p / q = 6/5 exactly: in the surrogate form the token one contributes nothing, in the score form 6/5."""
    tokens = independent_bits(1, F(1, 2), F(5, 12))
    zero = F(7, 12) * (F(6, 7) * F(1, 2)) ** 2
    assert response_moments(Method(Level.TOKEN, Reading.SURROGATE), tokens).second == zero
    assert response_moments(Method(Level.TOKEN, Reading.SCORE), tokens).second == zero + F(5, 12) * F(3, 5) ** 2


def test_a_ratio_on_the_lower_bound_counts_as_clipped_too():
    """p = 2/5, q = 1/2: a one is at 4/5, a zero at 6/5. A > 0 keeps the one alone, A < 0 the zero alone."""
    found = response_moments(Method(Level.TOKEN, Reading.SURROGATE, TwoSided()), independent_bits(1, F(2, 5), F(1, 2)))
    assert found.second == (F(1, 2) * (F(4, 5) * F(3, 5)) ** 2 + F(1, 2) * (F(6, 5) * F(2, 5)) ** 2) / 2


def test_exchanging_the_tokens_changes_nothing():
    for method in ENUMERATED:
        one, other = independent_bits(3, F(2, 5), F(1, 5)), independent_bits(3, F(3, 5), F(4, 5))
        assert response_moments(method, one).variance == response_moments(method, other).variance


@pytest.mark.parametrize("horizon", [1, 2, 3, 5])
def test_kinds_are_those_of_the_responses_written_out(horizon):
    without, written = {}, {}
    for bits in product((1, 0), repeat=horizon):
        kind = Kind(sum(bits), horizon - sum(bits), False)
        without[kind] = without.get(kind, 0) + 1
    for length in range(horizon):
        for bits in product((1, 0), repeat=length):
            kind = Kind(sum(bits), length - sum(bits), True)
            written[kind] = written.get(kind, 0) + 1
    assert responses_by_kind(horizon, False) == without
    assert responses_by_kind(horizon, True) == {**without, **written}


def test_a_hundred_and_twenty_eight_tokens_are_counted():
    assert responses_by_kind(128, False)[Kind(64, 64, False)] == comb(128, 64)


def test_what_is_no_policy_is_refused():
    with pytest.raises(ContractViolation, match="A3"):
        TokenMasses(F(1, 2), F(1, 3))
    with pytest.raises(ContractViolation, match="A3"):
        IndependentTokens(2, TokenMasses(F(1, 2), F(1, 2)), TokenMasses(F(1, 3), F(1, 3), F(1, 3)))
    with pytest.raises(ContractViolation, match="A3"):
        independent_bits(2, F(1), F(1, 2))
    with pytest.raises(ContractViolation, match="ratio per token"):
        Method(Level.GEOMETRIC, Reading.SCORE)
