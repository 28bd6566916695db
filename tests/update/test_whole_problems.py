"""Random whole problems against section 1 written out again in mpmath at 80 digits (grpocheck.proofs.digits)."""

from grpocheck.core import Status, arithmetic_named, run
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
