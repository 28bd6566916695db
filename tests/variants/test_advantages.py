"""Advantage rules against values worked by hand; TRL's own are in test_trl_calls."""

from fractions import Fraction as F

import pytest
from grpocheck.core.arithmetic import ExactArithmetic, MpArithmetic, parse_exact
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.advantages import AdvantageRule, Baseline, Divisor, Missing, normalised, total_rewards
from grpocheck.core.variants.batch import SampledGroup, SampledResponse, SampledToken

EXACT = ExactArithmetic()
TOKEN = (SampledToken(F(1), F(1)),)


def group(*rewards):
    return SampledGroup(tuple(SampledResponse(TOKEN, r if isinstance(r, tuple) else (r,)) for r in rewards))


def advantages(rule, *groups, arithmetic=EXACT):
    return normalised(total_rewards(groups, rule, arithmetic), rule, arithmetic)


@pytest.mark.parametrize(
    ("baseline", "divisor", "expected"),
    [
        # rewards 1, 0, 0, 0: mean 1/4, squared deviations 9/16 + 3/16 = 3/4
        ("none", "none", ["1", "0", "0", "0"]),
        ("mean", "none", ["3/4", "-1/4", "-1/4", "-1/4"]),
        ("leave-one-out", "none", ["1", "-1/3", "-1/3", "-1/3"]),
        # sqrt(3/16) = sqrt 3 / 4, and sqrt(3/12) = 1/2
        ("mean", "population", ["sqrt(3)", "-1/3*sqrt(3)", "-1/3*sqrt(3)", "-1/3*sqrt(3)"]),
        ("mean", "sample", ["3/2", "-1/2", "-1/2", "-1/2"]),
        ("leave-one-out", "sample", ["2", "-2/3", "-2/3", "-2/3"]),
    ],
)
def test_one_group_by_hand(baseline, divisor, expected):
    rule = AdvantageRule(Baseline(baseline), Divisor(divisor))
    assert advantages(rule, group(F(1), F(0), F(0), F(0))) == (tuple(map(parse_exact, expected)),)


def test_the_batch_couples_its_groups():
    # rewards 2, 0 | 1, 1: batch mean 1, squared deviations 1 + 1 over 4 rewards
    rule = AdvantageRule(Baseline.BATCH_MEAN, Divisor.BATCH_POPULATION)
    root = parse_exact("sqrt(2)")
    assert advantages(rule, group(F(2), F(0)), group(F(1), F(1))) == ((root, -root), (0, 0))
    # own means, divided by the sample deviation sqrt(2/3) of the batch
    lite = AdvantageRule(Baseline.MEAN, Divisor.BATCH_SAMPLE)
    half = parse_exact("1/2*sqrt(6)")
    assert advantages(lite, group(F(2), F(0)), group(F(1), F(1))) == ((half, -half), (0, 0))
    # rewards 3, 1 | 0, 0: batch mean 1, squared deviations 4 + 0 + 1 + 1, so that the deviation is sqrt(6)/2
    third = parse_exact("1/3*sqrt(6)")
    assert advantages(rule, group(F(3), F(1)), group(F(0), F(0))) == ((2 * third, 0), (-third, -third))
    # own means 2 and 0, and the deviation is still about the mean 1 of the batch: sqrt(6/3)
    assert advantages(lite, group(F(3), F(1)), group(F(0), F(0))) == ((root / 2, -root / 2), (0, 0))
    assert rule.couples_groups
    assert lite.couples_groups
    assert not AdvantageRule().couples_groups


def test_the_mean_of_the_batch_is_that_of_its_rewards_and_not_of_its_groups():
    # rewards 3, 1 | 5, none: the mean is 9/3, where that of the groups' means 2 and 5 is 7/2
    rule = AdvantageRule(Baseline.BATCH_MEAN, Divisor.NONE, missing=Missing.EXCLUDED)
    assert advantages(rule, group(F(3), F(1)), group(F(5), None)) == ((0, -2), (2, 0))


def test_epsilon_is_added_to_the_deviation_and_a_floor_is_not():
    # rewards 2, 0: population deviation 1
    assert advantages(AdvantageRule(epsilon=F(1)), group(F(2), F(0))) == ((F(1, 2), F(-1, 2)),)
    # a floor of 4 under the variance: deviation 2
    assert advantages(AdvantageRule(floor=F(4)), group(F(2), F(0))) == ((F(1, 2), F(-1, 2)),)
    assert advantages(AdvantageRule(floor=F(1, 4)), group(F(2), F(0))) == ((1, -1),)


@pytest.mark.parametrize("reward", [F(0), F(1, 3), F(1, 10)])
@pytest.mark.parametrize("divisor", list(Divisor))
def test_a_constant_group_has_advantages_exactly_zero(reward, divisor):
    assert advantages(AdvantageRule(divisor=divisor), group(reward, reward, reward)) == ((0, 0, 0),)


def test_a_missing_reward_is_an_error_outside_or_zero():
    drawn = group(F(1), F(0), F(1), None)
    with pytest.raises(InvalidProblem, match="rewards: None: expected a reward for every response"):
        advantages(AdvantageRule(), drawn)
    # the three that are there: mean 2/3, squared deviations 2/3, sample deviation sqrt(1/3)
    rule = AdvantageRule(divisor=Divisor.SAMPLE, missing=Missing.EXCLUDED)
    third = parse_exact("1/3*sqrt(3)")
    assert advantages(rule, drawn) == ((third, -2 * third, third, 0),)
    zero = AdvantageRule(divisor=Divisor.SAMPLE, missing=Missing.ZERO)
    half = parse_exact("1/2*sqrt(3)")
    assert advantages(zero, drawn) == ((half, -half, half, -half),)


def test_a_group_with_one_reward_or_none_has_nothing_to_compare():
    for baseline in (Baseline.MEAN, Baseline.LEAVE_ONE_OUT):
        rule = AdvantageRule(baseline, Divisor.SAMPLE, missing=Missing.EXCLUDED)
        assert advantages(rule, group(F(5), None), group(None, None)) == ((0, 0), (0, 0))


def test_several_rewards_are_summed_with_weights_and_what_is_missing_is_left_out_of_the_sum():
    rule = AdvantageRule(Baseline.NONE, Divisor.NONE, missing=Missing.EXCLUDED, weights=(F(1), F(2)))
    drawn = group((F(1), F(3)), (None, F(3)), (None, None))
    assert total_rewards([drawn], rule, EXACT) == ((7, 6, None),)
    with pytest.raises(InvalidProblem, match="2 weights, one for each reward function"):
        advantages(AdvantageRule(weights=(F(1),)), drawn)


def test_gdpo_normalises_each_reward_before_the_sum():
    # first function 1, 0 -> 1, -1; second 0, 100 -> -1, 1: they cancel, where the sum of the raw rewards would not
    rule = AdvantageRule(Baseline.BATCH_MEAN, Divisor.BATCH_POPULATION, first=AdvantageRule())
    assert advantages(rule, group((F(1), F(0)), (F(0), F(100)))) == ((0, 0),)
    assert advantages(AdvantageRule(), group((F(1), F(0)), (F(0), F(100)))) == ((-1, 1),)
    # weights come after: 2 * (1, -1) + (-1, 1) = (1, -1), whose batch deviation is 1
    weighted = AdvantageRule(Baseline.BATCH_MEAN, Divisor.BATCH_POPULATION, weights=(F(2), F(1)), first=AdvantageRule())
    assert advantages(weighted, group((F(1), F(0)), (F(0), F(100)))) == ((1, -1),)


def test_gdpo_normalises_in_each_group_on_its_own():
    # 1, 0 -> 1, -1 and 0, 5 -> -1, 1 of one function
    rule = AdvantageRule(Baseline.NONE, Divisor.NONE, first=AdvantageRule())
    assert advantages(rule, group(F(1), F(0)), group(F(0), F(5))) == ((1, -1), (-1, 1))


def test_missing_rewards_counted_as_zero_are_zero_before_a_normalisation_of_their_own():
    # second function: 4 and missing. As 0 it is 4, 0 -> 1, -1; the first is 0, 0 -> 0, 0
    rule = AdvantageRule(Baseline.NONE, Divisor.NONE, missing=Missing.ZERO, first=AdvantageRule())
    assert advantages(rule, group((F(0), F(4)), (F(0), None))) == ((1, -1),)


def test_the_rules_are_the_same_in_every_arithmetic():
    rule = AdvantageRule(Baseline.LEAVE_ONE_OUT, Divisor.SAMPLE, epsilon=F(1, 10**4))
    mp = MpArithmetic(40)
    (found,) = advantages(rule, group(mp.number(F(1)), mp.number(F(0)), mp.number(F(1, 3))), arithmetic=mp)
    mean, variance = F(4, 9), F(7, 27)  # of 1, 0, 1/3: squares 25/81 + 16/81 + 1/81 = 14/27 over 2
    scale = mp.context.sqrt(mp.number(variance)) + mp.number(F(1, 10**4))
    for value, reward in zip(found, (F(1), F(0), F(1, 3)), strict=True):
        assert abs(value - mp.number((reward - mean) * F(3, 2)) / scale) < mp.number(F(1, 10**35))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AdvantageRule(epsilon=F(-1)), "advantage,epsilon: -1: expected a number of at least 0"),
        (lambda: AdvantageRule(floor=F(-1)), "advantage,floor: -1: expected a number of at least 0"),
        (lambda: AdvantageRule(first=AdvantageRule(first=AdvantageRule())), "expected a rule without one"),
    ],
)
def test_what_is_no_rule_is_refused(make, message):
    with pytest.raises(InvalidProblem, match=message):
        make()
