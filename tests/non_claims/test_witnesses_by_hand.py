"""Every stored witness worked out again in a few lines of fractions that share nothing with core.

The files are read as plain TOML; what they hold is compared with the numbers that each test works with.
"""

import tomllib
from fractions import Fraction as F
from itertools import product
from pathlib import Path

import pytest
from mpmath import log, mp, mpf

FOLDER = Path(__file__).parents[2] / "examples" / "non_claims"
HALF = F(1, 2)


@pytest.fixture(autouse=True)
def digits():
    with mp.workdps(50):
        yield


def stored(name):
    text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text), [line.removeprefix("#").strip() for line in text.splitlines()]


def prompts_of(data):
    return [([F(r) for r in prompt["rewards"]], [F(m) for m in prompt["reference"]]) for prompt in data["prompts"]]


def counts_of(data):
    return tuple(data[key] for key in ("group_size", "inner_steps", "outer_iterations"))


def numbers_of(data):
    keys = ("epsilon", "beta", "step_size")
    return (*(F(entry) for entry in data["theta"]), *(F(data[key]) for key in keys))


def test_n1_the_objective_falls():
    data, lines = stored("n1_objective_falls")
    assert counts_of(data) == (2, 1, 1)
    assert numbers_of(data) == (F(1, 4), HALF, 0, HALF)
    assert [rewards for rewards, _ in prompts_of(data)] == [[0, 1], [1, 0], [1, 0]]
    assert data["draws"]["recorded"] == [[["a", "b"]] * 3]
    # A = 1 and -1; the slope of one prompt is +-(1/2)(1/p + 1/(1-p)) = +-8/3, of F (1/3)(8/3) = 8/9
    p = F(1, 4)
    after = p + HALF * F(1, 3) * (1 + 1 - 1) * HALF * (1 / p + 1 / (1 - p))
    assert after == F(25, 36)
    a, b = after / p, (1 - after) / (1 - p)
    wants_a = HALF * (min(a, F(3, 2)) - max(b, HALF))
    wants_b = HALF * (min(b, F(3, 2)) - max(a, HALF))
    falls_to = (2 * wants_a + wants_b) / 3
    assert falls_to == F(-5, 81)
    assert "F_1 over applied step 1: before 0, after -5/81; difference -5/81 < 0" in lines


def test_n1_the_penalty_overshoots():
    data, lines = stored("n1_penalty_overshoots")
    assert counts_of(data) == (2, 1, 1)
    assert numbers_of(data) == (F(1, 3), HALF, 1, HALF)
    assert prompts_of(data) == [([0, 0], [HALF, HALF])]
    # F = -KL; its slope in p is -log(p/(1-p)) = log 2 at 1/3
    before, after = mpf(1) / 3, mpf(1) / 3 + log(2) / 2
    values = [-(p * log(2 * p) + (1 - p) * log(2 * (1 - p))) for p in (before, after)]
    assert mp.nstr(values[0], 15) == "-0.0566330122651325"
    assert mp.nstr(values[1], 15) == "-0.066207584537022"
    (fact,) = [line for line in lines if line.startswith("F_1 over applied step 1")]
    assert "before [-0.0566330122651324909" in fact
    assert "after [-0.0662075845370220265" in fact


def test_n2_the_return_falls_for_a_draw():
    data, lines = stored("n2_return_falls")
    assert counts_of(data) == (2, 1, 1)
    assert numbers_of(data) == (F(1, 3), HALF, 0, HALF)
    assert [rewards for rewards, _ in prompts_of(data)] == [[0, 2], [1, 0]]
    assert data["draws"]["recorded"] == [[["a", "a"], ["a", "b"]]]
    # the first group is constant; the second pushes p with slope (1/2)(1/2)(3 + 3/2) = 9/8
    before = F(1, 3)
    after = before + HALF * HALF * HALF * (1 / before + 1 / (1 - before))
    returns = [HALF * (2 * (1 - p) + p) for p in (before, after)]
    assert returns == [F(5, 6), F(53, 96)]
    assert "E[R] over the outer iteration: before 5/6, after 53/96; difference -9/32 < 0" in lines


def test_n2_the_return_falls_in_expectation():
    data, lines = stored("n2_expected_return_falls")
    assert counts_of(data) == (2, 1, 1)
    assert numbers_of(data) == (HALF, HALF, 0, F(1, 3))
    rewards = [rewards for rewards, _ in prompts_of(data)]
    assert rewards == [[0, 1], [0, 1], [3, 0]]
    assert "draws" not in data

    def value(p):
        return sum(a * p + b * (1 - p) for a, b in rewards) / 3

    expected, total = F(0), 0
    for draws in product(product((0, 1), repeat=2), repeat=3):  # all 64 ordered draws, each of probability 1/64
        votes = 0
        for (first, second), (a, b) in zip(draws, rewards, strict=True):
            votes += (first != second) * (1 if a > b else -1)
        after = HALF + F(1, 3) * F(votes, 3) * 2  # a mixed group has slope (1/2)(2 + 2) = 2
        assert 0 < after < 1
        expected += value(after) / 64
        total += 1
    assert total == 64
    assert (value(HALF), expected) == (F(5, 6), F(43, 54))
    fact = "in expectation over all draws: before 5/6, after 43/54; difference -1/27 < 0"
    assert f"E[R] over the outer iteration, {fact}" in lines


def test_n3_the_reward_scale():
    data, lines = stored("n3_reward_scale")
    assert data["group_size"] == 2
    assert F(data["theta"][0]) == F(1, 3)
    assert prompts_of(data) == [([HALF, 0], [HALF, HALF])]
    p = [F(1, 3), F(2, 3)]
    expected = F(0)
    for i, j in product((0, 1), repeat=2):
        advantage = (i == 0) - (j == 0)  # of the first draw: 'a' is the better one
        slope = [1 / p[0], -1 / p[1]]
        expected += p[i] * p[j] * HALF * (advantage * slope[i] - advantage * slope[j])
    assert expected == 1
    assert HALF * 1 - 0 == HALF  # d/dp of p/2
    assert "E grad F_1 = 1, grad E[R] = 1/2" in lines


def test_n3_three_draws():
    data, lines = stored("n3_three_draws")
    assert data["group_size"] == 3
    assert F(data["theta"][0]) == HALF
    assert prompts_of(data) == [([0, 1], [HALF, HALF])]
    coefficient = F(0)  # of sqrt(2)
    for draws in product((0, 1), repeat=3):  # the reward of a draw is its position
        mean = F(sum(draws), 3)
        if mean in (0, 1):
            continue
        # s = sqrt(2)/3, so A = (R - mean) 3/sqrt(2) = (R - mean) (3/2) sqrt(2)
        assert sum((r - mean) ** 2 for r in draws) / 3 == F(2, 9)
        coefficient += F(1, 8) * F(1, 3) * sum((r - mean) * F(3, 2) * (-2 if r else 2) for r in draws)
    assert coefficient == -1  # E[R] = 1 - p has slope -1
    assert "E grad F_1 = -sqrt(2), grad E[R] = -1" in lines


def test_n3_the_direction():
    data, lines = stored("n3_direction")
    assert data["group_size"] == 2
    assert [F(entry) for entry in data["theta"]] == [F(1, 3), F(1, 3)]
    assert prompts_of(data) == [([0, HALF, 2], [F(1, 3)] * 3)]
    rewards = [F(0), HALF, F(2)]
    moves = [(1, 0), (0, 1), (-1, -1)]
    expected = [F(0), F(0)]
    for i, j in product(range(3), repeat=2):  # nine ordered draws; grad rho = 3 grad pi
        sign = (rewards[i] > rewards[j]) - (rewards[i] < rewards[j])
        for axis in (0, 1):
            expected[axis] += F(1, 9) * HALF * 3 * sign * (moves[i][axis] - moves[j][axis])
    true = [rewards[0] - rewards[2], rewards[1] - rewards[2]]
    assert (expected, true) == ([F(-4, 3), F(-2, 3)], [-2, F(-3, 2)])
    assert expected[0] * true[1] - expected[1] * true[0] == F(2, 3)
    assert "E grad F_1 = (-4/3, -2/3), grad E[R] = (-2, -3/2)" in lines


def mixed_step(p, step_size):
    """One step from p by the group 'a', 'b' with rewards 1, 0."""
    return p + step_size * HALF * (1 / p + 1 / (1 - p))


def test_n4a_a_ratio_leaves_the_clip():
    data, lines = stored("n4a_ratio_outside")
    assert counts_of(data) == (2, 1, 1)
    assert numbers_of(data) == (F(1, 3), HALF, 0, F(1, 4))
    assert prompts_of(data)[0][0] == [1, 0]
    assert data["draws"]["recorded"] == [[["a", "b"]]]
    after = mixed_step(F(1, 3), F(1, 4))
    assert after < 1
    assert after / F(1, 3) == F(43, 16) > F(3, 2)
    assert "rho of the drawn response 'a' after the step: 43/16 > 1 + epsilon = 3/2" in lines


def test_n4b_above_1_nat():
    data, lines = stored("n4b_divergence_above_1_nat")
    assert numbers_of(data) == (F(1, 4), HALF, 0, F(1, 4))
    assert prompts_of(data)[0][0] == [1, 0]
    assert data["draws"]["recorded"] == [[["a", "b"]]]
    assert mixed_step(F(1, 4), F(1, 4)) == F(11, 12)
    divergence = mpf(1) / 4 * log(mpf(3) / 11) + mpf(3) / 4 * log(mpf(9))
    assert mp.nstr(divergence, 16) == "1.323097686969599"
    (fact,) = [line for line in lines if line.startswith("KL(old to new)")]
    assert fact.startswith("KL(old to new) of 'q1' after one step: [1.32309768696959")
    assert fact.endswith("> 1 nats")


@pytest.mark.parametrize("bound", [10, 100])
def test_n4b_above_any_bound(bound):
    data, _ = stored(f"n4b_divergence_above_{bound}_nats")
    theta, _, beta, step_size = numbers_of(data)
    assert (theta, beta) == (HALF, 0)
    assert prompts_of(data)[0][0] == [1, 0]
    assert data["draws"]["recorded"] == [[["a", "b"]]]
    delta = 1 - mixed_step(HALF, step_size)
    assert 0 < delta < HALF
    # KL = -log(4 delta (1 - delta))/2 > bound exactly when 4 delta (1 - delta) < exp(-2 bound); and e < 3
    assert 4 * delta * (1 - delta) < F(1, 9**bound)


def test_n5_log_ratios():
    for name in ("n5a_log_ratio_negative", "n5b_sample_divergence_negative"):
        data, _ = stored(name)
        assert F(data["theta"][0]) == F(1, 3)
        assert prompts_of(data)[0][1] == [HALF, HALF]
    data, lines = stored("n5a_log_ratio_negative")
    assert data["draws"]["recorded"] == [[["a", "a"]]]
    assert F(1, 3) / HALF < 1  # so its log is negative
    assert any(line.startswith("log(1/3 / 1/2) = [-0.4054651081081643") for line in lines)  # log(2/3)
    data, lines = stored("n5b_sample_divergence_negative")
    assert data["draws"]["recorded"] == [[["a", "b"]]]
    assert F(1, 3) / HALF * F(2, 3) / HALF == F(8, 9) < 1  # half the log of this is the mean
    assert mp.nstr(log(mpf(8) / 9) / 2, 12) == "-0.0588915178282"
    assert any("[-0.05889151782819172" in line for line in lines)


def test_n7_theta_goes_in_a_circle():
    data, lines = stored("n7_cycle")
    assert counts_of(data) == (2, 1, 2)
    assert numbers_of(data) == (F(1, 4), HALF, 0, F(3, 8))
    assert [rewards for rewards, _ in prompts_of(data)] == [[0, 1], [2, 0]]
    assert data["draws"]["recorded"] == [[["a", "a"], ["a", "b"]], [["a", "b"], ["a", "a"]]]
    p, path = F(1, 4), [F(1, 4)]
    for sign in (1, -1):  # first the second prompt wants 'a', then the first one wants 'b'
        p += sign * F(3, 8) * HALF * HALF * (1 / p + 1 / (1 - p))
        path.append(p)
    assert path == [F(1, 4), F(3, 4), F(1, 4)]
    assert HALF * (0 - 1) + HALF * (2 - 0) == HALF  # d/dp of ((1 - p) + 2 p)/2
    assert "theta: 1/4 -> 3/4 -> 1/4" in lines
    assert "grad E[R] on the way: 1/2, 1/2, never 0" in lines
