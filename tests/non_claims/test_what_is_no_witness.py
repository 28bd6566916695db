"""Problems that come close and refute nothing: each condition of a refutation matters."""

from dataclasses import replace
from fractions import Fraction as F

import pytest
from grpocheck.core import read_problem
from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.proofs.non_claims.refutations import (
    direction_is_wrong,
    divergence_exceeds,
    expected_return_falls,
    gradient_is_biased,
    log_ratio_is_negative,
    objective_falls,
    ratio_leaves_the_clip,
    return_falls,
    sample_divergence_is_negative,
    theta_cycles,
)
from grpocheck.proofs.non_claims.truth import Stopped, true_gradient, true_objective
from mpmath import log, mp, mpf
from test_witnesses_by_hand import FOLDER


def stored(name, **changes):
    return replace(read_problem(FOLDER / f"{name}.toml"), **changes)


def with_rewards(problem, *rewards):
    prompts = tuple(replace(prompt, rewards=row) for prompt, row in zip(problem.prompts, rewards, strict=True))
    return replace(problem, prompts=prompts)


def test_a_cycle_where_the_return_does_not_depend_on_theta_is_none():
    # E[R] = ((1 - p) + p)/2: every point is stationary, though theta moves as before
    problem = with_rewards(stored("n7_cycle"), (0, 1), (1, 0))
    assert theta_cycles(stored("n7_cycle")) is not None
    assert theta_cycles(problem) is None


def test_theta_that_stays_is_no_cycle():
    same = (("a", "a"), ("a", "a"))
    assert theta_cycles(stored("n7_cycle", recorded=(same, same))) is None


def test_a_path_that_does_not_close_is_no_cycle():
    twice_up = (("a", "a"), ("a", "b"))
    problem = stored("n7_cycle", recorded=(twice_up, twice_up), step_sizes=((F(1, 16),), (F(1, 16),)))
    assert theta_cycles(problem) is None


def test_a_wrong_length_is_no_wrong_direction_and_the_other_way_round():
    assert direction_is_wrong(stored("n3_reward_scale")) is None
    assert gradient_is_biased(stored("n3_direction")) is None


def test_a_gradient_of_the_opposite_sign_has_a_wrong_direction():
    # the votes say -(1/3) per unit of rewards, E[R] has slope (3 - 1 - 1)/3
    refutation = direction_is_wrong(stored("n2_expected_return_falls"))
    assert refutation is not None
    assert refutation.facts == ("E grad F_1 = -1/3, grad E[R] = 1/3", "inner product -1/9 < 0")


def test_a_gradient_that_vanishes_has_no_direction():
    # two prompts of opposite taste and equal votes: E grad F = 0, while E[R] has slope (2 - 1)/2
    problem = with_rewards(stored("n2_return_falls", recorded=None), (2, 0), (0, 1))
    problem = replace(problem, step_sizes=((F(1, 16),),))
    assert direction_is_wrong(problem) is None
    assert gradient_is_biased(problem) is None


def test_rewards_0_and_1_are_unbiased_in_groups_of_two():
    assert gradient_is_biased(with_rewards(stored("n3_reward_scale"), (1, 0))) is None
    assert gradient_is_biased(stored("n3_three_draws", group_size=2, step_sizes=((F(1, 16),),))) is None


def test_the_expectation_does_not_fall_where_the_votes_weigh_as_the_rewards():
    assert expected_return_falls(with_rewards(stored("n2_expected_return_falls"), (0, 1), (0, 1), (2, 0))) is None


def test_an_equal_return_has_not_fallen():
    # rewards of the same size: E[R] stays at 1/2 wherever theta goes
    assert return_falls(with_rewards(stored("n2_return_falls"), (0, 1), (1, 0))) is None


def test_a_group_of_one_response_is_no_sample_divergence():
    assert sample_divergence_is_negative(stored("n5b_sample_divergence_negative", recorded=((("a", "a"),),))) is None


def test_log_ratios_at_and_above_the_reference():
    # b has 2/3 against 1/2
    assert log_ratio_is_negative(stored("n5a_log_ratio_negative", recorded=((("b", "b"),),))) is None
    assert log_ratio_is_negative(stored("n5a_log_ratio_negative", theta=(F(1, 2),))) is None


def test_a_ratio_on_the_bound_is_inside():
    # slope (1/2)(3 + 3/2) = 9/4 and rho = 1 + 3 (9/4) eta = 3/2 at eta = 2/27
    on_the_bound = stored("n4a_ratio_outside", step_sizes=((F(2, 27),),))
    assert ratio_leaves_the_clip(on_the_bound) is None
    assert ratio_leaves_the_clip(replace(on_the_bound, step_sizes=((F(2, 27) + F(1, 10**9),),))) is not None


def test_a_divergence_below_the_bound():
    assert divergence_exceeds(2)(stored("n4b_divergence_above_1_nat")) is None  # it is 1.32


@pytest.mark.parametrize(
    ("name", "refute"),
    [("n1_objective_falls", objective_falls), ("n2_return_falls", return_falls), ("n7_cycle", theta_cycles)],
)
def test_a_run_that_stops_says_so(name, refute):
    problem = stored(name)
    steps = ((F(4),) * problem.inner_steps,) * problem.outer_iterations
    with pytest.raises(Stopped, match="the run stops with status invalid-update"):
        refute(replace(problem, step_sizes=steps))


def test_the_law_of_more_than_one_iteration_is_refused():
    with pytest.raises(ValueError, match=r"outer_iterations: 2: expected 1"):
        expected_return_falls(stored("n7_cycle"))


def test_the_true_objective_of_the_two_paths():
    # seed [002], Example 1: 0.8 - 0.1 * 0.192745 = 0.7807255; its slope 1 - 0.1 log((0.8/0.5)/(0.2/0.5))
    problem = read_problem(FOLDER.parent / "two_paths.toml")
    arithmetic = EnclosureArithmetic()
    with mp.workdps(40):
        value = mpf(4) / 5 - (mpf(4) / 5 * log(mpf(8) / 5) + mpf(1) / 5 * log(mpf(2) / 5)) / 10
        slope = 1 - log(mpf(4)) / 10
        assert mp.nstr(value, 7) == "0.7807255"
        found = (true_objective(problem, problem.theta, arithmetic), *true_gradient(problem, problem.theta, arithmetic))
        for number, expected in zip(found, (value, slope), strict=True):
            lower, upper = map(mpf, arithmetic.text(number))
            assert lower - mpf(10) ** -28 <= expected <= upper + mpf(10) ** -28
