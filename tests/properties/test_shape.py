"""Properties over every problem of a shape: counterexamples among small problems, stops gone through, exact reals."""

from dataclasses import replace
from fractions import Fraction as F
from math import comb

import pytest
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.procedure import run
from grpocheck.core.reading import read_problem
from grpocheck.verifier.properties import Place, Verdict, answers, check, check_in_process, parse, shape_scope
from grpocheck.verifier.properties.runs import read_text
from grpocheck.verifier.properties.shape_search import GRIDS, candidates, refutes, simplified
from grpocheck.verifier.properties.shape_stops import applies, failing, scripted, stops
from grpocheck.verifier.properties.symbolic_check import Exploration, explored, problems_of
from grpocheck.verifier.properties.symbolic_model import Part, obstacle, parts
from grpocheck.verifier.properties.verdicts import Watch

from tests.properties.problems import bernoulli, kink, simplex

BUDGET = 240
"""Seconds: far more than it takes, so that a busy machine changes no verdict."""


def sizes(problem: object) -> tuple[object, ...]:
    """What the problems of one shape have in common."""
    prompts = problem.prompts  # type: ignore[attr-defined]
    counts = ("group_size", "inner_steps", "outer_iterations", "family")
    return (*(len(prompt.responses) for prompt in prompts), *(getattr(problem, count) for count in counts))


REFUTED = {
    "F_next >= F": Place(1, 1),
    "ratio_next <= 1 + epsilon": Place(1, 1, 1, 1),
    "status = complete": Place(),
    "1 / deviation > 0": Place(1, 0, 1),
}


@pytest.mark.parametrize(("text", "place"), REFUTED.items())
def test_a_small_problem_refutes(text: str, place: Place) -> None:
    result = check_in_process(text, bernoulli(inner_steps=2), "shape", BUDGET)
    assert (result.verdict, result.method, result.at, result.contracts) == ("refuted", "search", place, False)
    found = read_text(str(result.counterexample))
    assert sizes(found) == sizes(bernoulli(inner_steps=2))
    assert check(text, found).verdict is Verdict.REFUTED


def test_a_counterexample_is_made_of_simple_numbers() -> None:
    """F = -beta KL alone, with beta = 1: the smallest witness against N1 of the project's own search."""
    result = check_in_process("F_next >= F", bernoulli(), "shape", BUDGET)
    found = read_text(str(result.counterexample))
    witness = read_problem("examples/non_claims/n1_penalty_overshoots.toml")
    assert (found.theta, found.epsilon, found.beta, found.step_sizes) == (
        witness.theta,
        witness.epsilon,
        witness.beta,
        witness.step_sizes,
    )
    assert found.prompts[0].rewards == (0, 0)


def test_simplifying_keeps_the_refutation_and_the_shape() -> None:
    stated = parse("theta_next <= theta")
    clumsy = bernoulli(theta="0.37", epsilon="0.23", step_size="0.011", beta="0.3", reference="0.41, 0.59")
    assert refutes(stated, clumsy, Watch())
    simple = simplified(stated, clumsy, Watch())
    assert refutes(stated, simple, Watch())
    assert sizes(simple) == sizes(clumsy)
    assert (simple.epsilon, simple.beta) == (F(1, 2), 0)
    assert simple.prompts[0].reference == (F(1, 2), F(1, 2))


def test_the_smallest_grid_is_gone_through_whole() -> None:
    """Masses 1/2, 1/3, 2/3; three step sizes, two betas, three references, rewards 00 01 10, three groups."""
    every = list(candidates(bernoulli(), GRIDS[0], penalised=True))
    assert len(every) == len(set(map(repr, every))) == 3 * 3 * 2 * 3 * 3 * comb(3, 2)


def test_every_way_a_run_can_go_is_gone_through() -> None:
    """Six attempts, each of which can find no gradient or lead out of U; or none stops."""
    problem = bernoulli(inner_steps=3, outer_iterations=2, recorded=None)
    every = stops(problem)
    assert len(every) == len(set(every)) == 2 * 6 + 1
    for stop in every:
        still = replace(problem, recorded=((("good", "bad"),),) * 2)
        outcome = run(still, scripted(still, stop))
        assert outcome.status is stop.status
        assert outcome.ledger.gradient_attempts == (stop.attempt or 6)


HOLDS_BY_STOPS = (
    "draws = M * G * iterations and draws <= T * M * G",
    "attempts <= T * K and attempts = steps + 1 or status = complete",
    "status != undefined-gradient implies membership = attempts",
    "status = undefined-gradient implies membership = attempts - 1",
    "status = complete iff steps = T * K",
)


@pytest.mark.parametrize("text", HOLDS_BY_STOPS)
def test_a_property_of_the_outcome_holds_for_every_way(text: str) -> None:
    result = check_in_process(text, bernoulli(inner_steps=2, outer_iterations=2, recorded=None), "shape", BUDGET)
    assert (result.verdict, result.method, result.cases) == ("holds", "enumeration", 9)
    assert "each of the 9 ways a run can go" in result.scope_text


@pytest.mark.parametrize(
    ("text", "stop"),
    [
        ("membership = attempts", "undefined-gradient at gradient attempt 1"),
        ("iterations = T", "undefined-gradient at gradient attempt 1"),
        ("steps != 3", "undefined-gradient at gradient attempt 4"),
        ("steps < 4", "complete"),
    ],
)
def test_a_way_that_fails_is_named(text: str, stop: str) -> None:
    found = failing(parse(text), bernoulli(inner_steps=2, outer_iterations=2, recorded=None), Watch())
    assert found is not None
    assert str(found[0]) == stop


def test_a_failing_way_without_a_problem_is_no_refutation() -> None:
    """At the first attempt every ratio is 1, so that no problem stops there without a gradient."""
    text = "status != undefined-gradient or attempts > 1"
    result = check_in_process(text, bernoulli(inner_steps=1), "shape", 4)
    assert (result.verdict, result.counterexample) == ("undecided", None)
    assert "it fails where a run is undefined-gradient at gradient attempt 1" in result.reason


def test_which_properties_are_of_the_stops_alone() -> None:
    assert applies(parse("draws <= T * M * G"))
    assert not applies(parse("draws <= T and epsilon > 0"))
    assert not applies(parse("status = complete or F > 0"))
    assert not applies(parse("T > 0"))


def test_what_has_no_symbolic_form_says_why() -> None:
    softmax = read_problem("examples/trl_rewards.toml")
    assert "exponentials" in str(obstacle(parse("F_next >= F"), softmax))
    assert "exponentials" in str(obstacle(parse("theta[1] > 0"), softmax))
    assert "outcome" in str(obstacle(parse("status = complete or F > 0"), bernoulli()))
    assert "to be told apart" in str(obstacle(parse("F > 0"), bernoulli(group_size=200, recorded=None)))
    assert obstacle(parse("F_next >= F"), simplex()) is None


def test_harnesses_tell_apart_what_the_property_does() -> None:
    problem = bernoulli(inner_steps=3, outer_iterations=2, recorded=None)
    draws = [((0, 0),), ((0, 1),), ((1, 1),)]
    assert parts(parse("F >= 0"), problem) == [Part(1, 1, False, script) for script in draws]
    assert [(part.k, part.starts) for part in parts(parse("F_next >= 0"), problem)[::3]] == [(1, True), (2, False)]
    assert [part.k for part in parts(parse("k > 1 or F_next >= 0"), problem)[::3]] == [1, 2, 3]
    assert [part.k for part in parts(parse("k > 0 or F >= 0"), problem)[::3]] == [0, 1, 2, 3]
    assert [part.t for part in parts(parse("t > 1 or F >= 0"), problem)[::3]] == [1, 2]
    assert len(parts(parse("ratio[1] > 0"), problem)) == 4


CONFIRMED = (
    "term <= ratio * advantage",
    "k = 1 implies ratio = 1",
    "sum(responses: advantage) = 0",
)


@pytest.mark.parametrize("text", CONFIRMED)
def test_exact_reals_confirm(text: str) -> None:
    """Of one step: theta is theta_old, so that every ratio before it is 1."""
    stated = f"{text} or theta_next = theta_next - 1"
    result = check_in_process(stated, bernoulli(), "shape", BUDGET)
    assert (result.verdict, result.method, result.reason) == ("holds", "symbolic", "")
    assert "harnesses" in result.scope_text


def test_a_symbolic_counterexample_comes_with_numbers_and_leads_to_a_problem() -> None:
    stated = parse("reward[1] <= reward[2] + 10")
    found = explored(stated, bernoulli(), Watch(), BUDGET)
    assert not found.holds
    assert found.counterexample is not None
    problems = list(problems_of(bernoulli(), found))
    assert any(refutes(stated, problem, Watch()) for problem in problems)
    assert all(sizes(problem) == sizes(bernoulli()) for problem in problems)


def test_a_counterexample_that_no_grid_holds_is_found_symbolically() -> None:
    """The rewards of the small grids are 0, 1 and 2."""
    result = check_in_process("abs(reward[1] - reward[2]) <= 100", bernoulli(), "shape", BUDGET)
    assert (result.verdict, result.method) == ("refuted", "symbolic")
    rewards = read_text(str(result.counterexample)).prompts[0].rewards
    assert abs(rewards[0] - rewards[1]) > 100


def test_what_fails_for_numbers_that_no_run_is_known_to_come_by_is_undecided() -> None:
    """theta is any parameter for the exploration; a run that reaches a ratio of 50 would need a step that fits."""
    result = check_in_process("ratio <= 50", bernoulli(inner_steps=1), "shape", 8)
    assert result.verdict is not Verdict.HOLDS
    assert (result.counterexample is None) == (result.verdict is Verdict.UNDECIDED)


def test_nothing_holds_by_search_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = Exploration(3, confirmed=2, paths=9, reason="undecided: 1 of 10 paths were left open")
    monkeypatch.setattr(shape_scope, "explored", lambda *arguments: nothing)
    monkeypatch.setattr(shape_scope, "GRIDS", ())  # the widest one has no end: the search stops when its time is spent
    result = check("F >= F", bernoulli(), "shape", budget=5)
    assert result.verdict is Verdict.UNDECIDED
    assert result.cases > 0
    assert "explored symbolically: undecided: 1 of 10 paths" in result.reason
    assert "none refutes it" in result.reason


def test_a_search_whose_find_does_not_replay_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "replayed", lambda *arguments: None)
    result = check("status = complete", bernoulli(inner_steps=2), "shape", budget=30)
    assert (result.verdict, result.counterexample) == (Verdict.UNDECIDED, None)
    assert "run again" in result.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["kl >= 0", "theta_next > 0", "abs(F) <= max(2, 1 / min(responses: old_mass)) + beta * kl"]
)
def test_exact_reals_confirm_with_logarithms(text: str) -> None:
    assert check_in_process(text, kink(), "shape", BUDGET).verdict is Verdict.HOLDS


@pytest.mark.parametrize("name", ["autoregressive", "trl_rewards", "supplied_family"])
def test_a_search_ends_with_its_budget_whatever_the_family(name: str) -> None:
    """What always holds and has no symbolic form there can only end undecided."""
    problem = read_problem(f"examples/{name}.toml")
    if name == "supplied_family":
        with pytest.raises(InvalidProblem, match="a built-in family"):
            check("F_next >= F_next", problem, "shape", budget=2)
        return
    result = check("F_next >= F_next", problem, "shape", budget=2)
    assert result.verdict is Verdict.UNDECIDED
    assert "the budget of 2 s is spent" in result.reason
