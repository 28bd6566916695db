"""Whole runs: what is generated, rewarded, counted and kept, by hand."""

from fractions import Fraction as F

import pytest
from grpocheck.core import InvalidProblem
from grpocheck.core.training_free.oracles import Group, Supply
from grpocheck.core.training_free.patterns import Pattern
from grpocheck.core.training_free.procedure import run
from grpocheck.core.training_free.responses import Response
from grpocheck.core.training_free.stopping import Stop

from tests.training_free.tasks import three_responses, two_tokens

ONLY_EXTERNAL = {"external": 1, "epistemic": 0}


def test_two_iterations_by_hand() -> None:
    outcome = run(three_responses(weights=ONLY_EXTERNAL))
    first, second = outcome.iterations
    assert outcome.stop is Stop.BUDGET
    assert [mass for _, mass in first.distribution.law()] == [F(1, 4), F(5, 12), F(1, 3)]
    # r_ext = quality / 5, since no test passes: y 1/10, z 0; mean 1/20, sample deviation 1/(10 sqrt 2)
    assert [member.reward for member in first.members] == [F(1, 10), 0]
    assert first.deviation * first.deviation == F(1, 200)
    assert first.best == F(1, 10)
    assert first.patterns == (Pattern("y did better than z", F(3, 4), ("y",)),)
    # the bank: y times 3/2
    assert [mass for _, mass in second.distribution.law()] == [F(6, 29), F(15, 29), F(8, 29)]
    assert [member.reward for member in second.members] == [F(1, 5), F(1, 5)]
    assert outcome.bank.patterns == first.patterns  # equal rewards: the introspection was not asked again
    assert outcome.ledger.to_mapping() == {
        "model_calls": 1, "iterations_started": 2, "generations": 4,
        "test_calls": 3, "quality_calls": 3,  # x was drawn twice and tested once
        "introspections": 1,
    }  # fmt: skip


def test_the_objective_is_a_list_of_pairs() -> None:
    first = run(three_responses(weights=ONLY_EXTERNAL)).iterations[0]
    (high, words), (low, none) = first.objective()
    assert (words, none) == ("y did better than z", "")
    assert high > 0 > low
    assert high + low == 0


def test_novelty_is_for_the_first_time_only_in_the_group_and_in_the_run() -> None:
    outcome = run(three_responses(draws={"recorded": [["y", "y"], ["y", "x"]]}))
    assert [[member.novel for member in entry.members] for entry in outcome.iterations] == [
        [True, False], [False, True],
    ]  # fmt: skip
    # alone, novelty is worth beta * 1 = 3/10: the group mean lies halfway
    members = outcome.iterations[0].members
    assert members[0].reward - members[1].reward == F(3, 10)


def test_every_response_that_was_generated_stays_known() -> None:
    draws = {"recorded": [["x", "y"], ["y", "z"], ["z", "x"]]}
    outcome = run(three_responses(draws=draws, iterations=3))
    assert [[member.novel for member in entry.members] for entry in outcome.iterations] == [
        [True, True], [False, True], [False, False],
    ]  # fmt: skip


def test_a_whole_group_is_measured_against_the_tests_that_failed_before_it() -> None:
    responses = [
        {"text": "x", "mass": "1/2", "passes": ["t1"], "quality": 0},
        {"text": "y", "mass": "1/2", "passes": ["t2"], "quality": 0},
    ]
    draws = {"recorded": [["x", "x"], ["x", "y"]]}
    task = three_responses(tests=["t1", "t2", "t3"], responses=responses, draws=draws, failing=["t1", "t2"])
    first, second = run(task).iterations
    # 1/2 * 1/3 + 3/10 * 1/2, for both though the first already passed t1
    assert [member.external for member in first.members] == [F(1, 6) + F(3, 20)] * 2
    # t1 no longer fails; t2 does: 1/2 * 1/3, and 1/2 * 1/3 + 3/10
    assert [member.external for member in second.members] == [F(1, 6), F(1, 6) + F(3, 10)]


def test_nothing_previously_failing() -> None:
    responses = [
        {"text": "x", "mass": "1/2", "passes": ["t1"], "quality": 0},
        {"text": "y", "mass": "1/2", "passes": [], "quality": 1},
    ]
    task = three_responses(tests=["t1", "t2"], responses=responses, draws={"recorded": [["x", "y"]] * 2}, failing=[])
    for entry in run(task).iterations:
        assert [member.external for member in entry.members] == [F(1, 4), F(1, 5)]


def test_all_tests_pass_and_the_run_stops_with_the_first_response_that_does() -> None:
    responses = [
        {"text": "x", "mass": "1/2", "passes": ["t"], "quality": 0},
        {"text": "y", "mass": "1/2", "passes": [], "quality": 1},
    ]
    outcome = run(three_responses(responses=responses, draws={"recorded": [["y", "y"], ["y", "x"]]}))
    assert outcome.stop is Stop.SOLVED
    assert len(outcome.iterations) == 2
    assert outcome.solution is not None
    assert outcome.solution.response.text == "x"
    assert [pattern.tokens for pattern in outcome.bank.patterns] == [("x",)]  # the last group's patterns are kept


def test_the_novelty_bonus_alone_falls_away_and_triggers_delta() -> None:
    same = {"draws": {"recorded": [["y", "y"]] * 5}, "iterations": 5}
    assert run(three_responses(**same, delta="1/100")).stop is Stop.STALLED
    assert len(run(three_responses(**same, delta="1/100")).iterations) == 2
    assert len(run(three_responses(**same)).iterations) == 5


def test_a_bank_to_start_with_counts_from_the_first_group() -> None:
    bank = [{"description": "x is fine", "confidence": 1, "tokens": ["x"]}]
    outcome = run(three_responses(bank=bank))
    # x times 2: 6/12, 5/12, 4/12 over 15/12
    assert [mass for _, mass in outcome.iterations[0].distribution.law()] == [F(2, 5), F(1, 3), F(4, 15)]
    assert outcome.bank.patterns[0].description == "x is fine"


def test_a_token_model_is_asked_once_for_each_prefix() -> None:
    supply = Supply(tests=lambda prompt, response, tests: [False], quality=lambda prompt, response: F(0))
    outcome = run(two_tokens(), supply)
    assert outcome.ledger.model_calls == 3  # after nothing, after a, after b
    assert sum(mass for _, mass in outcome.iterations[-1].distribution.law()) == 1


@pytest.mark.parametrize("seed", range(5))
def test_draws_depend_on_the_seed_alone(seed: int) -> None:
    task = three_responses(draws=None, group_size=2, iterations=3)
    first, again = (
        [member.response.text for entry in run(task, seed=seed).iterations for member in entry.members]
        for _ in range(2)
    )
    assert first == again
    assert set(first) <= {"x", "y", "z"}


def test_every_iteration_draws_anew() -> None:
    task = three_responses(draws=None, group_size=20, iterations=3)
    supply = Supply(introspection=lambda group: [])
    groups = [tuple(m.response.text for m in entry.members) for entry in run(task, supply, seed=1).iterations]
    assert len(set(groups)) == 3  # of one distribution: equal only with probability below 1e-8


def test_a_large_group_has_about_the_masses_of_its_distribution() -> None:
    task = three_responses(draws=None, group_size=1200, iterations=1)
    (entry,) = run(task, seed=3).iterations
    drawn = [member.response.text for member in entry.members]
    # expected 300, 500, 400; five standard deviations are below 90
    assert all(abs(drawn.count(text) - expected) < 90 for text, expected in (("x", 300), ("y", 500), ("z", 400)))


def test_an_introspection_sees_the_group_as_it_is() -> None:
    seen: list[Group] = []

    def look(group: Group) -> list[Pattern]:
        seen.append(group)
        return []

    run(three_responses(weights=ONLY_EXTERNAL), Supply(introspection=look))
    (group,) = seen
    assert group.prompt == "one of three"
    assert group.vocabulary == ("x", "y", "z")
    assert [member.response for member in group.members] == [Response(("y",), "y"), Response(("z",), "z")]
    assert [dict(member.passed) for member in group.members] == [{"t": False}] * 2


def test_a_seed_beside_recorded_draws_is_refused() -> None:
    with pytest.raises(InvalidProblem, match="no seed beside it"):
        run(three_responses(), seed=1)


def test_an_oracle_that_nobody_supplies_is_named() -> None:
    with pytest.raises(InvalidProblem, match="introspection"):
        run(three_responses(introspection=None))
    with pytest.raises(InvalidProblem, match="test runner"):
        run(two_tokens())
