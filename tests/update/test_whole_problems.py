"""Random whole problems against section 1 written out again in mpmath at 80 digits (grpocheck.proofs.digits)."""

from fractions import Fraction

from grpocheck.core import Status, arithmetic_named, problem_from_mapping, run
from grpocheck.proofs.digits import Reading, context, enclosed, value_of
from grpocheck.verifier.strategies import problems
from hypothesis import assume, given, settings

CLOSE = context.mpf(10) ** -24


@settings(max_examples=25, deadline=None)
@given(problems())
def test_a_run_is_what_the_definition_says(problem):
    expected, found = Reading(problem).run(), run(problem).to_mapping()
    assert found["status"] == expected.status
    assert all(enclosed(text, value, CLOSE) for text, value in zip(found["theta"], expected.theta, strict=True))
    objectives = [step["objective"] for step in found["steps"]]
    assert all(enclosed(text, value, CLOSE) for text, value in zip(objectives, expected.objectives, strict=True))
    counts = found["ledger"]
    assert (counts["gradient_attempts"], counts["membership_calls"]) == (expected.attempts, expected.memberships)
    assert counts["draws"] == counts["outer_iterations_started"] * len(problem.prompts) * problem.group_size


@settings(max_examples=10, deadline=None)
@given(problems(families=("bernoulli", "simplex")))
def test_rounded_arithmetic_agrees_where_nothing_is_tied(problem):
    exact = run(problem)
    assume(exact.status is Status.COMPLETE)  # an exact tie may be missed by rounded numbers, and ends otherwise
    rounded = run(problem, arithmetic=arithmetic_named("mp", digits=60))
    assert rounded.status is Status.COMPLETE
    thetas = zip(exact.to_mapping()["theta"], rounded.theta, strict=True)
    assert all(enclosed(text, value_of(str(value)), CLOSE) for text, value in thetas)


def test_a_proposal_on_the_boundary_of_the_domain_is_outside_in_both():
    # rewards 0 and 1: A = -1 and 1, so the slope is -(1/theta + 1/(1 - theta))/2, and the step size takes theta to 0
    for bottom in (2, 3, 10, 29):
        theta = Fraction(1, bottom)
        step_size = theta / ((1 / theta + 1 / (1 - theta)) / 2)
        prompt = {"name": "q", "responses": ["a", "b"], "rewards": [0, 1], "reference": ["1/2", "1/2"]}
        stated = {"group_size": 2, "outer_iterations": 1, "inner_steps": 1, "epsilon": "1/5", "beta": 0}
        stated |= {"step_size": str(step_size), "theta": [str(theta)], "family": "bernoulli", "prompts": [prompt]}
        problem = problem_from_mapping({**stated, "draws": {"recorded": [[["a", "b"]]]}})
        assert (str(run(problem).status), Reading(problem).run().status) == ("invalid-update",) * 2
