"""The procedure on problems whose outcome is known by hand."""

from fractions import Fraction as F

import pytest
from grpocheck.core.domains import OpenBox
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.families.simplex import Simplex
from grpocheck.core.families.supplied import Supplied
from grpocheck.core.oracles import Supply
from grpocheck.core.outcome import Status
from grpocheck.core.problem import Problem
from grpocheck.core.procedure import run
from grpocheck.core.prompt import Prompt


def two_responses(**changes):
    """The problem of examples/undefined_gradient.toml: from 1/2 the gradient is 2, and the step 1/20 lands on 3/5."""
    data = {
        "prompts": (Prompt(0, "q", ("good", "bad"), (1, 0), ("1/2", "1/2")),),
        "family": Bernoulli(),
        "theta": ("1/2",),
        "group_size": 2,
        "outer_iterations": 1,
        "inner_steps": 2,
        "epsilon": "1/5",
        "beta": 0,
        "step_sizes": (("1/20", "1/20"),),
        "recorded": ((("good", "bad"),),),
    }
    return Problem(**(data | changes))


def counts(outcome, *names):
    ledger = outcome.ledger.to_mapping()
    return tuple(ledger[name] for name in names)


BUDGET = ("draws", "gradient_attempts", "membership_calls", "steps_applied")


def test_a_ratio_on_its_active_boundary_stops_with_undefined_gradient():
    # A = (1, -1), gradient 1/2 (1/(1/2) + 1/(1/2)) = 2, theta = 1/2 + 2/20 = 3/5: ratios 6/5 = 1 + eps, 4/5 = 1 - eps
    outcome = run(two_responses())
    assert outcome.status is Status.UNDEFINED_GRADIENT
    assert outcome.theta == (F(3, 5),)
    assert counts(outcome, *BUDGET) == (2, 2, 1, 1)
    assert outcome.iterations[0].steps[0].gradient == (2,)
    assert outcome.arithmetic.name == "exact"


@pytest.mark.parametrize("mixed", [0, 1])
def test_a_kink_at_any_prompt_stops_the_run(mixed):
    # one mixed group of two: the gradient is 2/2, and 1/2 + 1/10 is again 3/5, on the bounds of that prompt alone
    prompts = tuple(Prompt(place, f"q{place}", ("good", "bad"), (1, 0), ("1/2", "1/2")) for place in range(2))
    groups = tuple(("good", "bad") if place == mixed else ("good", "good") for place in range(2))
    outcome = run(two_responses(prompts=prompts, recorded=(groups,), step_sizes=(("1/10", "1/10"),)))
    assert (outcome.status, outcome.theta) == (Status.UNDEFINED_GRADIENT, (F(3, 5),))


def test_a_step_out_of_the_domain_is_not_applied():
    outcome = run(two_responses(step_sizes=((1, 1),)))
    assert outcome.status is Status.INVALID_UPDATE
    assert outcome.theta == (F(1, 2),)
    assert counts(outcome, *BUDGET) == (2, 1, 1, 0)


def test_a_proposal_on_the_edge_of_the_open_domain_is_outside():
    # 1/2 + 2/4 = 1 is the boundary of (0, 1)
    outcome = run(two_responses(step_sizes=(("1/4", "1/4"),)))
    assert outcome.status is Status.INVALID_UPDATE


def test_the_tie_is_found_with_a_penalty_too():
    # at theta_old = reference the divergence's gradient is exactly 0, since log 1 is
    outcome = run(two_responses(beta="1/25"))
    assert outcome.status is Status.UNDEFINED_GRADIENT
    assert outcome.theta == (F(3, 5),)


def test_a_group_without_variance_does_not_move():
    outcome = run(two_responses(recorded=((("good", "good"),),)))
    assert outcome.status is Status.COMPLETE
    assert outcome.theta == (F(1, 2),)
    assert counts(outcome, *BUDGET) == (2, 2, 2, 2)
    assert outcome.iterations[0].frozen.groups[0].advantages == (0, 0)


def test_beyond_the_active_bound_the_gradient_is_dead():
    # the first step 1/10 lands on 7/10: ratios 7/5 and 3/5, both past their bounds, so the second gradient is 0
    outcome = run(two_responses(step_sizes=(("1/10", "1/10"),)))
    assert outcome.status is Status.COMPLETE
    assert outcome.theta == (F(7, 10),)
    assert outcome.iterations[0].steps[1].gradient == (0,)
    # F = 1/2 (min(7/5, 6/5) - max(3/5, 4/5)) = 1/5 after both steps
    assert [step.objective for step in outcome.iterations[0].steps] == [F(1, 5), F(1, 5)]


def test_the_old_policy_is_refreshed_between_outer_iterations_only():
    # one step of 1/100 each: t = 1 goes 1/2 -> 1/2 + 2/100 = 13/25; t = 2 divides by the new masses 13/25 and 12/25:
    # gradient 1/2 (25/13 + 25/12) = 625/312
    outcome = run(
        two_responses(
            outer_iterations=2,
            inner_steps=1,
            step_sizes=(("1/100",), ("1/100",)),
            recorded=((("good", "bad"),), (("good", "bad"),)),
        )
    )
    assert outcome.status is Status.COMPLETE
    assert outcome.iterations[1].steps[0].gradient == (F(625, 312),)
    assert outcome.theta == (F(13, 25) + F(625, 31200),)
    assert counts(outcome, *BUDGET) == (4, 2, 2, 2)
    assert counts(outcome, "reward_evaluations", "outer_iterations_started") == (4, 2)


def test_irrational_advantages_stay_exact():
    # three responses, rewards 1, 0, 0, draws a, b, c: s = sqrt(2)/3, A = (sqrt 2, -sqrt(2)/2, -sqrt(2)/2);
    # simplex at (1/3, 1/3): dF/da = 1/3 (3 sqrt 2 + 3 sqrt(2)/2) = 3 sqrt(2)/2, dF/db = sqrt(2)/2 (-1 + 1) = 0
    prompt = Prompt(0, "q", ("a", "b", "c"), (1, 0, 0), ("1/3", "1/3", "1/3"))
    problem = two_responses(
        prompts=(prompt,),
        family=Simplex((3,)),
        theta=("1/3", "1/3"),
        group_size=3,
        inner_steps=1,
        step_sizes=(("1/50",),),
        recorded=((("a", "b", "c"),),),
    )
    outcome = run(problem)
    assert outcome.status is Status.COMPLETE
    gradient = outcome.iterations[0].steps[0].gradient
    assert gradient[0] > 0
    assert gradient[0] ** 2 == F(9, 2)
    assert gradient[1] == 0
    assert (outcome.theta[0] - F(1, 3)) ** 2 == F(9, 2) / 2500
    assert outcome.to_mapping()["theta"] == ["1/3 + 3/100*sqrt(2)", "1/3"]


class Hill:
    """p(theta) = 1/2 + theta (2 - theta)/10: at theta = 1 its slope (1 - theta)/5 is 0 and p = 3/5."""

    def masses(self, theta, prompt, arithmetic):
        first = F(1, 2) + theta[0] * (2 - theta[0]) / 10
        return (first, 1 - first)

    def mass_gradients(self, theta, prompt, arithmetic):
        slope = (1 - theta[0]) / 5
        return ((slope,), (-slope,))


def hill_problem():
    return two_responses(
        family=Supplied(1),
        domain=OpenBox((F(-1),), (F(3),)),
        theta=(0,),
        step_sizes=(("5/2", "5/2"),),
    )


def test_a_tie_whose_ratio_does_not_move_is_no_kink():
    # gradient at 0: 1/2 * 2 * (1/5)/(1/2) = 2/5, so the first step of 5/2 lands on 1 with ratios exactly 6/5 and 4/5
    outcome = run(hill_problem(), Supply(policy=Hill()))
    assert outcome.status is Status.COMPLETE
    assert outcome.theta == (1,)
    assert [step.gradient for step in outcome.iterations[0].steps] == [(F(2, 5),), (0,)]


def test_the_reference_is_not_the_old_policy():
    # the ratio divides by pi_old; with a reference of (1/5, 4/5) nothing changes at beta = 0
    prompt = Prompt(0, "q", ("good", "bad"), (1, 0), ("1/5", "4/5"))
    outcome = run(two_responses(prompts=(prompt,)))
    assert (outcome.status, outcome.theta) == (Status.UNDEFINED_GRADIENT, (F(3, 5),))


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_a_seed_gives_the_same_run_again(seed):
    problem = two_responses(recorded=None, outer_iterations=3, step_sizes=(("1/20", "1/30"),) * 3)
    first, second = run(problem, seed=seed), run(problem, seed=seed)
    assert first.to_mapping() == second.to_mapping()
