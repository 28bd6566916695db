"""The gradient of a batch: every group written out, through core/variants, at the smallest sizes."""

from fractions import Fraction as F

import pytest
from grpocheck.core.tic.groups import Groups, batch_variance
from grpocheck.core.tic.kinds import independent_bits
from grpocheck.core.tic.methods import Method, Reading
from grpocheck.core.variants.advantages import AdvantageRule, Baseline, Divisor
from grpocheck.core.variants.ratios import Level
from grpocheck.core.variants.registry import CENTRED
from grpocheck.core.variants.terms import TwoSided, UpperCap

from tests.tic.enumerated import group_gradients, mean_and_variance, variant_of

STANDARDISED = AdvantageRule()
PLAIN = AdvantageRule(Baseline.NONE, Divisor.NONE)
TOKEN = Method(Level.TOKEN, Reading.SURROGATE)
TRAJECTORY = Method(Level.SEQUENCE, Reading.SURROGATE)


@pytest.mark.parametrize("rule", [CENTRED, STANDARDISED, PLAIN], ids=["centred", "standardised", "plain"])
@pytest.mark.parametrize("level", [Level.TOKEN, Level.SEQUENCE])
@pytest.mark.parametrize("clip", [UpperCap(), TwoSided()], ids=lambda clip: clip.word)
@pytest.mark.parametrize(("horizon", "group_size"), [(1, 2), (2, 2), (1, 3)])
def test_the_variance_is_that_of_every_group_in_turn(rule, level, clip, horizon, group_size):
    method, p, q = Method(level, Reading.SURROGATE, clip), F(1, 2), F(1, 5)
    enumerated = group_gradients(variant_of(method, rule), horizon, p, q, group_size, scale=F(3))
    groups = Groups(rule, 1, group_size, F(3))
    assert batch_variance(method, independent_bits(horizon, p, q), groups) == mean_and_variance(enumerated)[1]


def test_scale_prompts_and_size_by_hand():
    """E[mean A^2]: centred c^2/4 (G-1)/G; standardised 1 - 2^(1-G), whatever the scale. M divides once more."""
    for size in (2, 3, 4):
        assert Groups(CENTRED, 1, size, F(6)).advantage_square == 9 * F(size - 1, size)
        assert Groups(STANDARDISED, 1, size, F(6)).advantage_square == 1 - F(1, 2 ** (size - 1))
    tokens = independent_bits(3, F(1, 2), F(2, 5))
    single = batch_variance(TOKEN, tokens, Groups(CENTRED, 1, 4))
    assert batch_variance(TOKEN, tokens, Groups(CENTRED, 7, 4)) == single / 7
    assert batch_variance(TOKEN, tokens, Groups(CENTRED, 1, 4, F(2))) == single * 4


def test_the_own_baseline_takes_the_constant_order_out_of_the_token_level():
    """At p = 1/2, q = 2/5 a token has variance 1/24 and mean -1/4; only 1/(24 H) is left of 1/16 + 1/(24 H)."""
    for horizon in (1, 8, 64):
        tokens = independent_bits(horizon, F(1, 2), F(2, 5))
        assert batch_variance(TOKEN, tokens, Groups(CENTRED, 1, 2)) == F(1, 4) / 2 / 2 * F(1, 24 * horizon)


def test_for_negative_advantages_the_two_sided_clip_keeps_the_mean_in():
    """There the weights depend on the sign of A, and advantages that sum to 0 do not cancel the means."""
    tokens = independent_bits(64, F(9, 10), F(1, 10))
    capped, two_sided = (
        batch_variance(Method(Level.TOKEN, Reading.SURROGATE, clip), tokens, Groups(CENTRED, 1, 4))
        for clip in (UpperCap(), TwoSided())
    )
    assert capped < two_sided / 50
    assert batch_variance(TRAJECTORY, tokens, Groups(CENTRED, 1, 4)) < F(6, 20 * 64) / 16
