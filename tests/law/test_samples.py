"""Sampled laws: counts of core's own runs, with intervals, under their own name."""

from collections import Counter
from fractions import Fraction as F

from grpocheck.core import Status, run
from grpocheck.core.arithmetic import EnclosureArithmetic
from grpocheck.core.reading import problem_from_mapping
from grpocheck.verifier.law.samples import sampled_law

from tests.law.test_law import CASES


def test_runs_are_counted_one_by_one():
    problem = problem_from_mapping(CASES["all three statuses"].mapping())
    found = sampled_law(problem, 25, 100, F(99, 100), EnclosureArithmetic())
    outcomes = [run(problem, seed=seed) for seed in range(100, 125)]
    assert {status: found.statuses[status].runs for status in Status} == {
        status: sum(outcome.status is status for outcome in outcomes) for status in Status
    }
    assert min(found.statuses[status].runs for status in Status) > 0
    assert dict(found.parameters) == Counter(outcome.theta for outcome in outcomes)
    assert found.mean_calls["gradient_attempts"] == F(sum(o.ledger.gradient_attempts for o in outcomes), 25)
    assert dict(found.objectives)[None] == found.statuses[Status.INVALID_UPDATE].runs
    assert found.mean_true_objective == sum(outcome.theta[0] for outcome in outcomes) / 25
    assert (found.true_objective_at_start, found.size.ordered_powers) == (F(1, 2), "2^4")


def test_the_intervals_hold_the_exact_probabilities():
    """1/4, 1/2 and 1/4 (test_law has them by hand); these seeds are no exception, and the intervals are not idle."""
    problem = problem_from_mapping(CASES["all three statuses"].mapping())
    found = sampled_law(problem, 150, 0, F(99, 100), EnclosureArithmetic())
    for status, probability in zip(Status, (F(1, 4), F(1, 2), F(1, 4)), strict=True):
        sampled = found.statuses[status]
        assert sampled.lower < probability < sampled.upper
        assert sampled.lower < F(sampled.runs, 150) < sampled.upper
        assert sampled.upper - sampled.lower < F(1, 4)


def test_another_seed_is_another_sample():
    problem = problem_from_mapping(CASES["two prompts, two iterations"].mapping())
    first, again, other = (
        sampled_law(problem, 12, seed, F(1, 2), EnclosureArithmetic()) for seed in (0, 0, 50)
    )
    assert dict(first.parameters) == dict(again.parameters) != dict(other.parameters)
    assert sum(runs for _, runs in other.parameters) == 12
