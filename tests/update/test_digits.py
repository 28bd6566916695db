"""The reading at 80 digits, which other evidence compares with: what it has to get right by itself."""

from fractions import Fraction as F

from grpocheck.core import problem_from_mapping
from grpocheck.proofs.digits import Reading, context, number

PROBLEM = {
    "group_size": 3, "outer_iterations": 1, "inner_steps": 1, "epsilon": "1/5", "beta": 0, "step_size": "1/20",
    "theta": ["1/3", "1/3"], "family": "simplex",
    "prompts": [{"name": "q", "responses": ["a", "b", "c"], "rewards": ["-2", "-1/3", "4/3"],
                 "reference": ["1/3", "1/3", "1/3"]}],
    "draws": {"recorded": [[["a", "b", "c"]]]},
}  # fmt: skip


def test_a_reward_that_is_the_mean_has_no_advantage_and_no_kink():
    # the mean of -2, -1/3 and 4/3 is -1/3, and at 80 digits it is not: the two are 1e-81 apart
    reading = Reading(problem_from_mapping(PROBLEM))
    rewards = [number(F(reward)) for reward in ("-2", "-1/3", "4/3")]
    assert sum(rewards) / 3 != rewards[1]
    root = context.sqrt(number(F(3, 2)))  # deviations -5/3, 0, 5/3 over 5/3 sqrt(2/3)
    data = reading.frozen(0, [number(F(1, 3))] * 2)
    below, none, above = (advantage for _, advantage, _ in data[0][1])
    assert none == 0
    assert abs(below + root) < 1e-70
    assert abs(above - root) < 1e-70
    # at (3/10, 2/5) the ratio of b is on its bound 6/5, which counts for nothing; a and c are inside theirs
    slope = reading.gradient(data, [number(F(3, 10)), number(F(2, 5))])
    assert slope is not None
    assert abs(slope[0] + 2 * root) < 1e-70
    assert abs(slope[1] + root) < 1e-70


def test_rewards_that_are_close_together_are_not_equal():
    # 1 and 1 + 10^-30: their deviation is half of 10^-30, and the advantages are -1 and 1
    low, high = number(1), number(1 + F(1, 10**30))
    advantages = Reading(problem_from_mapping(PROBLEM)).advantages([low, high])
    assert abs(advantages[0] + 1) < 1e-40
    assert abs(advantages[1] - 1) < 1e-40
    assert Reading(problem_from_mapping(PROBLEM)).advantages([low, low]) == [0, 0]
