"""You are the oracle. Truths are those of problems.py: the gradient at 1/2 is 2, at 3/5 there is none, U = (0, 1)."""

from itertools import product
from typing import Any

import pytest
from grpocheck.core import Clause, InvalidProblem
from grpocheck.verifier.studio.oracle import MOST_ANSWER, MOST_ANSWERS, play

from tests.studio.problems import bernoulli

NARROW = {"kind": "open-box", "lower": ["1/4"], "upper": ["13/20"]}


def stands(state: dict[str, Any]) -> dict[str, str]:
    """How the last conclusion of each claim stands."""
    return {entry["claim"]: entry["stands"] for entry in state["conclusions"]}


def test_it_asks_for_the_gradient_first_and_then_for_membership() -> None:
    first = play(bernoulli(), [])["question"]
    assert (first["ask"], first["k"], first["point"], first["truth"]) == ("gradient", 1, "1/2", "2")
    assert [(row["response"], row["slope"]) for row in first["rows"]] == [("good", "1"), ("bad", "−1")]
    second = play(bernoulli(), ["2"])["question"]
    assert (second["ask"], second["k"], second["point"], second["truth"]) == ("domain", 1, "3/5", "yes")
    assert second["inequalities"] == ["0 < 3/5", "3/5 < 1"]


def test_a_run_that_is_too_long_to_be_kept_is_refused() -> None:
    """3000 draws and 3000 rewards come before the first question."""
    long = bernoulli(group_size=3000, draws={"seed": 1})
    with pytest.raises(InvalidProblem, match="problem: None: expected a run that comes to its questions sooner"):
        play(long, [])


def test_true_answers_lead_where_the_run_leads() -> None:
    state = play(bernoulli(), ["2", "yes", "undefined"])
    assert state["status"] == "undefined-gradient"
    assert [entry["exact"] for entry in state["theta"]] == ["3/5"]
    assert [entry["agrees"] for entry in state["asked"]] == [True, True, True]
    assert state["broken"] == []
    assert stands(state) == {"C1": "always", "C2": "always", "C3": "always", "C4": "always", "A2": "always",
                             "A1": "given", "F2": "given"}  # fmt: skip


def test_leaving_it_to_the_truth_is_a_true_answer() -> None:
    state = play(bernoulli(), ["truth", "truth", "truth"])
    assert [entry["given"] for entry in state["asked"]] == ["2", "yes", "undefined"]
    assert state["status"] == "undefined-gradient"


def test_a_false_yes_takes_admissibility_away_and_nothing_notices() -> None:
    """U is stated as (1/4, 13/20); a gradient of 4 proposes 1/2 + 4/20 = 7/10: outside U, where masses are positive."""
    state = play(bernoulli(domain=NARROW), ["4", "yes"])
    assert state["violation"] is None
    assert state["question"]["ask"] == "gradient"  # the run goes on from 7/10
    assert [(entry["call"], entry["noticed"]) for entry in state["broken"]] == [
        ("gradient at 1/2", False),
        ("M_U at 7/10", False),
    ]
    assert stands(state)["A1"] == "broken"
    assert {stands(state)[claim] for claim in ("C1", "C2", "C3", "C4", "A2")} == {"always"}


def test_a_false_no_ends_the_run_and_its_status_says_what_is_not_so() -> None:
    state = play(bernoulli(), ["2", "no"])
    assert state["status"] == "invalid-update"
    assert [entry["exact"] for entry in state["theta"]] == ["1/2"]
    assert "does not follow: it is in U" in state["conclusions"][-1]["says"]


def test_a_false_undefined_ends_the_run_where_there_is_a_gradient() -> None:
    state = play(bernoulli(), ["undefined"])
    assert state["status"] == "undefined-gradient"
    assert state["broken"][0]["truth"] == "2"
    assert "does not follow: it has one" in state["conclusions"][-1]["says"]


@pytest.mark.parametrize(
    ("answers", "clause"),
    [
        (["hello"], "gradient oracle: returns d numbers, or undefined-gradient"),
        (["1, 2"], "gradient oracle: returns d numbers, or undefined-gradient"),
        ([""], "gradient oracle: returns d numbers, or undefined-gradient"),
        (["2", "maybe"], "domain oracle: answers True or False"),
        (["30", "yes"], Clause.DOMAIN_WITHIN.value),
    ],
)
def test_a_clause_that_the_procedure_can_see_ends_it_with_an_error_and_no_status(
    answers: list[str], clause: str
) -> None:
    state = play(bernoulli(), answers)
    assert state["violation"]["clause"] == clause
    assert state["status"] is None
    assert state["question"] is None
    assert [(entry["clause"], entry["noticed"]) for entry in state["broken"]][-1] == (clause, True)
    assert stands(state)["A1"] == "always"  # what was noticed was not applied


def test_the_budget_holds_whatever_is_answered() -> None:
    """Every course of three answers out of seven, on T = 2, K = 2."""
    problem = bernoulli(outer_iterations=2, draws={"recorded": [[["good", "bad"]]] * 2})
    words = ("2", "-1/3", "undefined", "yes", "no", "maybe", "0")
    ended = 0
    for answers in product(words, repeat=3):
        state = play(problem, list(answers))
        calls, bounds = state["calls"], state["bounds"]
        assert bounds["gradient_attempts"] == 4
        assert bounds["draws"] == 4
        assert calls["draws"] == 2 * calls["outer_iterations_started"] <= bounds["draws"]
        assert calls["gradient_attempts"] <= bounds["gradient_attempts"]
        assert calls["membership_calls"] <= calls["gradient_attempts"]
        assert calls["steps_applied"] <= calls["membership_calls"]
        ended += state["question"] is None
    assert 0 < ended < len(words) ** 3


def test_a_run_to_the_end_makes_exactly_its_budget() -> None:
    state = play(bernoulli(), ["0", "yes", "0", "yes"])
    assert state["status"] == "complete"
    assert (state["calls"]["draws"], state["calls"]["gradient_attempts"], state["calls"]["steps_applied"]) == (2, 2, 2)


@pytest.mark.parametrize(
    "answers", [None, "yes", [1], ["x" * (MOST_ANSWER + 1)], ["0"] * (MOST_ANSWERS + 1)], ids=repr
)
def test_what_are_no_answers_is_refused(answers: object) -> None:
    with pytest.raises(InvalidProblem, match="answers"):
        play(bernoulli(), answers)
