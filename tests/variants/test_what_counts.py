"""What counts and what does not: padding, masked terms beside a divergence, kept groups, numbers on a bound."""

from dataclasses import replace
from fractions import Fraction as F

import pytest
from grpocheck.core.arithmetic import ExactArithmetic
from grpocheck.core.variants.batch import Batch, SampledGroup, SampledResponse, SampledToken
from grpocheck.core.variants.clip_tests import ClipTest, clipped_share
from grpocheck.core.variants.evaluation import slopes, value
from grpocheck.core.variants.frozen_batch import freeze_batch
from grpocheck.core.variants.registry import named
from grpocheck.core.variants.words import with_parts

from tests.variants.by_hand import ARITHMETIC, batch_of, derivative, mpf
from tests.variants.test_evaluation import (
    BETA,
    CLOSE,
    ENTROPIES,
    GROUPS,
    PLACES,
    every,
    exact_batch,
    grpo_token,
    k3,
    mean,
    own,
)

EXACT = ExactArithmetic()
PADDING = SampledToken(mpf(F(1, 97)), mpf(F(89, 97)), mpf(F(1, 2)), mpf(F(1, 3)), mpf(99), active=False)
"""Of a ratio, a divergence and an entropy that would be seen anywhere."""

PADDED = [
    ("grpo-token",),
    ("bnpo",),
    ("gspo",),
    ("section-1", "kl=k3,weight=ratio"),
    ("dapo", "normalisation=group-tokens"),
    ("luspo",),
    ("cispo",),
    ("tic-score",),
    ("reinforce-mean", "advantage=mean", "kl=k1,place=reward-before-baseline"),
    ("reinforce-none", "entropy-mask=1/2", "entropy-bonus=1/100"),
    ("grpo-token", "off-policy-mask=1/2"),
]


@pytest.mark.parametrize("parts", PADDED, ids=" ".join)
@pytest.mark.parametrize("place", [0, 1])
def test_padding_changes_nothing(parts, place):
    """Before the first token or after it: the same value, the same slopes, and none at the padding."""
    variant = own(*parts)
    bare = batch_of(GROUPS, beta=BETA, maximum_length=5, entropies=ENTROPIES)
    padded = replace(bare, groups=tuple(
        SampledGroup(tuple(
            replace(r, tokens=(*r.tokens[:place], PADDING, PADDING, *r.tokens[place:])) for r in group.responses
        ))
        for group in bare.groups
    ))  # fmt: skip
    assert value(variant, padded, ARITHMETIC) == value(variant, bare, ARITHMETIC)
    for group, rows in zip(slopes(variant, padded, ARITHMETIC).log_masses, slopes(variant, bare, ARITHMETIC).log_masses,
                           strict=True):
        assert group == tuple((*row[:place], 0, 0, *row[place:]) for row in rows)


def masked(new, old, reference, a):
    """Where the drift is above 1/2 and A < 0 the term goes, and the divergence stays, as in TRL."""
    whole, penalty = grpo_token(new, old, reference, a), mpf(BETA) * mean(k3(new, reference))
    kept = a > 0 or mean(q - p for p, q in zip(new, old, strict=True)) <= mpf(F(1, 2))
    return whole if kept else -penalty


def test_the_off_policy_mask_leaves_the_divergence_of_the_loss():
    variant, batch, formula = own("grpo-token", "off-policy-mask=1/2"), batch_of(GROUPS, beta=BETA), every(masked)
    assert abs(formula(GROUPS) - every(grpo_token)(GROUPS)) > mpf(F(1, 10))  # (0, 1) is left out
    assert abs(value(variant, batch, ARITHMETIC) - formula(GROUPS)) < CLOSE
    found = slopes(variant, batch, ARITHMETIC).log_masses
    for g, i, h in PLACES:
        assert abs(found[g][i][h] - derivative(formula, GROUPS, (g, i, h))) < CLOSE


def test_the_off_policy_mask_leaves_the_entropies():
    # all eight tokens share the bonus, also the one of (0, 1), which is left out
    variant = own("reinforce-none", "off-policy-mask=1/2", "entropy-bonus=1/100")
    found = slopes(variant, batch_of(GROUPS, entropies=ENTROPIES), ARITHMETIC)
    assert found.log_masses[0][1] == (0,)
    assert found.marked[0][1] == (True,)
    assert abs(found.entropy - mpf(F(1, 800))) < CLOSE


def test_a_drift_of_exactly_the_threshold_is_kept():
    # on policy the drift is log 1 = 0
    batch = exact_batch([(1, -1)])
    assert freeze_batch(own("grpo-token", "off-policy-mask=0"), batch, EXACT).kept == (((True,), (True,)),)
    below = own("grpo-token", "off-policy-mask=-1/1000")
    assert freeze_batch(below, batch, EXACT).kept == (((True,), (False,)),)


def test_a_ratio_on_a_bound_is_clipped_for_none_of_the_tests():
    # one side still moves, and what is on the edge of the range is in it
    variant = with_parts(named("grpo-token"), ["advantage=none", "kl=none"])
    batch = exact_batch([(1, -1, -1, 1)], [("6/5", "4/5", "6/5", "4/5")])
    assert {test: clipped_share(variant, batch, test, EXACT) for test in ClipTest} == dict.fromkeys(ClipTest, 0)


def test_the_exact_divergence_is_averaged_over_the_kept_groups():
    # rewards 1, 0 and 1, 1: the first group is kept, whose surrogate is 0 at ratio 1 and whose divergence is 1/2
    token = (SampledToken(F(1, 10), F(1, 10)),)
    rewards, divergences = ((1, 0), (1, 1)), (F(1, 2), F(3))
    groups = tuple(
        SampledGroup(tuple(SampledResponse(token, (F(r),)) for r in row), divergence)
        for row, divergence in zip(rewards, divergences, strict=True)
    )
    batch = Batch(groups, F(1, 5), F(1, 7), 1)
    kept = with_parts(named("section-1"), ["selection=mean-over-kept"])
    assert value(kept, batch, EXACT) == -F(1, 7) * F(1, 2)
    assert (slopes(kept, batch, EXACT).divergence, slopes(kept, batch, EXACT).groups) == (-F(1, 7), (0,))
    assert value(named("section-1"), batch, EXACT) == -F(1, 7) * (F(1, 2) + 3) / 2


def test_a_missing_reward_makes_no_group_mixed():
    variant = own("reinforce-mean", "advantage=mean,missing=excluded", "selection=mean-over-kept")
    assert freeze_batch(variant, exact_batch([(1, None), (1, 0), (None, None)]), EXACT).places == (1,)
