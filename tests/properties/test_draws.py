"""Properties over every draw, against counts by hand and against every ordered draw run on its own."""

from dataclasses import replace
from itertools import product

import pytest
from grpocheck.core.problem import Problem
from grpocheck.core.procedure import run
from grpocheck.verifier.properties import Place, Result, Verdict, answers, check, check_in_process, draws_scope
from grpocheck.verifier.properties.runs import read_text

from tests.properties.problems import bernoulli, kink, simplex

UNKNOWN = "2 * log(sqrt(2)) = log(2)"


def drawn(result: Result) -> object:
    """The draws of a counterexample."""
    return read_text(str(result.counterexample)).recorded


def test_all_draws_are_gone_through_up_to_their_order() -> None:
    """good good, good bad, bad bad: three groups that stand for 2^2 ordered ones."""
    result = check("F_next >= F", bernoulli(recorded=None), "draws")
    assert (result.verdict, result.method, result.cases, result.stands_for) == ("holds", "enumeration", 3, 4)
    assert "3 cases up to the order of the draws" in result.scope_text
    assert "standing for 2^2 = 4 ordered draws" in result.scope_text


@pytest.mark.parametrize(
    ("text", "draws", "place"),
    [
        ("F_next = F", ("good", "bad"), Place(1, 1)),
        ("deviation > 0", ("good", "good"), Place(1, 0, 1)),
        ("mean_reward > 0", ("bad", "bad"), Place(1, 0, 1)),
        ("status = complete", ("good", "bad"), Place()),
        ("1 / deviation > 0", ("good", "good"), Place(1, 0, 1)),
    ],
)
def test_a_draw_that_refutes_is_recorded(text: str, draws: tuple[str, ...], place: Place) -> None:
    problem = bernoulli(inner_steps=2, recorded='[[["good", "good"]]]' if "bad" in draws else '[[["good", "bad"]]]')
    result = check(text, problem, "draws")
    assert (result.verdict, drawn(result), result.at) == (Verdict.REFUTED, ((draws,),), place)
    assert result.undefined == text.startswith("1 /")
    assert check(text, problem).verdict is Verdict.HOLDS


def test_the_order_counts_where_a_draw_is_named_by_its_number() -> None:
    """Of good bad the first ratio is 6/5 and the second 4/5; of bad good it is the other way round."""
    result = check("ratio_next[1] >= ratio_next[2]", bernoulli(), "draws")
    assert (result.verdict, drawn(result)) == ("refuted", ((("bad", "good"),),))
    result = check("ratio_next[1] + ratio_next[2] = 2", bernoulli(), "draws")
    assert (result.verdict, result.cases, result.stands_for) == ("holds", 4, 4)


def two_iterations(**changes: object) -> Problem:
    """Step size 1/5: good bad leads from 1/2 to 9/10, and from there out of U; equal rewards lead nowhere."""
    return bernoulli(outer_iterations=2, step_size="0.2", recorded=None, **changes)


def test_a_later_iteration_begins_wherever_the_one_before_can_end() -> None:
    """1/2, 1/2 and 9/10 after the first: two parameters with three groups each."""
    result = check("theta = 1/2 or theta = 9/10", two_iterations(), "draws")
    assert (result.verdict, result.cases, result.stands_for) == ("holds", 3 + 2 * 3, 16)
    result = check("status = complete", two_iterations(), "draws")
    assert (result.verdict, drawn(result)) == ("refuted", ((("good", "bad"),), (("good", "bad"),)))
    assert check("theta_old = 1/2", two_iterations(), "draws").at == Place(2, 0)


def test_the_end_of_a_run_is_joined_with_the_steps_on_the_way() -> None:
    holds = "status = invalid-update implies theta_next = 9/10 and steps = 1 and attempts = 2 and iterations = 2"
    assert check(holds, two_iterations(), "draws").verdict is Verdict.HOLDS
    result = check("status = invalid-update implies theta_next = 1/2", two_iterations(), "draws")
    assert (result.verdict, result.at, drawn(result)) == (
        "refuted",
        Place(1, 1),
        ((("good", "bad"),), (("good", "bad"),)),
    )
    lost = "t = 2 or status != complete or mean_reward > 0"
    result = check(lost, two_iterations(), "draws")
    assert (result.verdict, result.at) == ("refuted", Place(1, 0, 1))
    assert check("t = 2 or status != complete or mean_reward >= 0", two_iterations(), "draws").cases == 3 + 3 * 3


def every_ordered_draw(problem: Problem) -> list[Problem]:
    """The problem with every record that there is."""
    groups = [list(product(prompt.responses, repeat=problem.group_size)) for prompt in problem.prompts]
    iterations = list(product(*groups))
    records = product(iterations, repeat=problem.outer_iterations)
    return [replace(problem, recorded=record, seed=None) for record in records]


TEXTS = (
    "F_next >= F",
    "F_next > F",
    "ratio_next <= 1 + epsilon",
    "sum(support: mass_next * reward) >= sum(support: mass * reward)",
    "all prompts: deviation = 0 or any responses: advantage > 0",
    "all prompts: deviation > 0 or all responses: advantage > 0",
    "any prompts: deviation > 0",
    "status = complete",
    "draws = T * M * G",
    "steps = K * T or status != complete",
    "status = complete or ratio < 1 + epsilon",
    "max(responses: advantage) <= sqrt(G - 1)",
    "all i, j: reward[i] > reward[j] implies advantage[i] >= advantage[j] + 1",
)
THREE = {
    "two prompts of three responses": (replace(simplex(), recorded=None), 1),
    "a kink": (replace(kink(), group_size=3, recorded=None), 1),
    "two iterations": (two_iterations(group_size=2), 2),
}


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name in THREE for text in TEXTS[:: 3 if "prompts" in name else 1]]
)
def test_the_enumeration_agrees_with_every_ordered_draw(name: str, text: str) -> None:
    problem, iterations = THREE[name]
    expected = [check(text, entry).verdict for entry in every_ordered_draw(problem)]
    assert len(expected) == (9**2 if "three" in name else 2 ** (problem.group_size * iterations))
    found = check(text, problem, "draws")
    assert (found.verdict is Verdict.REFUTED) == (Verdict.REFUTED in expected)
    assert (found.verdict is Verdict.HOLDS) == (Verdict.REFUTED not in expected)


def test_the_counts_at_the_end_are_those_of_a_run() -> None:
    path = replace(two_iterations(), recorded=((("good", "bad"),), (("good", "bad"),)))
    ledger = run(path).ledger
    text = f"status = invalid-update implies draws = {ledger.draws} and attempts = {ledger.gradient_attempts} and "
    text += f"membership = {ledger.membership_calls} and steps = {ledger.steps_applied} and iterations = 2"
    assert check(text, two_iterations(), "draws").verdict is Verdict.HOLDS
    assert (ledger.draws, ledger.gradient_attempts, ledger.membership_calls, ledger.steps_applied) == (4, 2, 2, 1)


def test_an_undecided_case_leaves_the_whole_undecided_but_a_refutation_counts() -> None:
    result = check(f"deviation > 0 or {UNKNOWN}", bernoulli(), "draws")
    assert (result.verdict, result.cases) == ("undecided", 3)
    result = check(f"mean_reward > 0 and {UNKNOWN}", bernoulli(), "draws")
    assert (result.verdict, drawn(result)) == ("refuted", ((("bad", "bad"),),))


def test_draws_that_apply_no_step_say_nothing_of_steps() -> None:
    """A step of length 10 leads out of U from a mixed group; from the others it leads nowhere and is applied."""
    result = check("k = 1 implies theta_next = theta", bernoulli(step_size="10"), "draws")
    assert result.verdict is Verdict.HOLDS
    nowhere = bernoulli(step_size="10", rewards="1, 1", beta="1", reference="0.9, 0.1")
    result = check("theta_next = theta", nowhere, "draws")
    assert (result.verdict, result.cases) == ("undecided", 3)
    assert "no step is applied" in result.reason


def test_a_budget_says_how_far_it_went(monkeypatch: pytest.MonkeyPatch) -> None:
    result = check("F_next >= F", bernoulli(), "draws", budget=-1)
    assert result.verdict is Verdict.UNDECIDED
    assert "after 0 of 3 cases; --budget gives it more" in result.reason
    monkeypatch.setattr(draws_scope, "MOST_CASES", 2)
    result = check("F_next >= F", bernoulli(), "draws")
    assert (result.verdict, result.cases) == ("undecided", 0)
    assert "too large: 3 cases up to the order of the draws" in result.reason
    assert "standing for 2^2 = 4 ordered draws" in result.reason


def test_an_enormous_enumeration_is_refused_at_once() -> None:
    result = check("ratio[1] > 0", replace(bernoulli(recorded=None), group_size=100_000), "draws")
    assert (result.verdict, result.cases) == ("undecided", 0)
    assert "too large" in result.reason


def test_an_unreplayed_refutation_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "drawn", lambda problem, iterations: ((("good", "good"),),))
    result = check("F_next = F", bernoulli(), "draws")
    assert (result.verdict, result.counterexample) == (Verdict.UNDECIDED, None)


def test_probabilities_do_not_matter_only_the_support() -> None:
    """However unlikely, bad bad can be drawn."""
    result = check("mean_reward > 0", bernoulli(theta="0.999"), "draws")
    assert drawn(result) == ((("bad", "bad"),),)


def test_progress_comes_through_a_process() -> None:
    told: list[tuple[int, int]] = []
    check_in_process("F_next >= F", kink(), "draws", progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (3, 3)
