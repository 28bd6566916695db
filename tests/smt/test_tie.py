"""The tie: core's run follows the protocol on every course of answers, and a core with a mistake leaves it."""

from dataclasses import replace
from typing import Any

import pytest
from grpocheck.proofs.smt.induction import System
from grpocheck.proofs.smt.invariants import Invariant, Property
from grpocheck.proofs.smt.scripts import Ending, Script, all_scripts, courses_of
from grpocheck.proofs.smt.tie import Untied, follow, tie
from grpocheck.proofs.smt.transition import TRANSITIONS

from tests.smt.systems import MISTAKES

LEAVES = {
    "draws repeated inside the inner loop": "at the event draw t = 1, prompt = q0, i = 1: 0 transitions",
    "old policy refreshed": "at the event gradient t = 1, k = 2: core shows theta_old",
    "advantages recomputed inside the loop": "at the event gradient t = 1, k = 2: core shows data",
    "a reference that follows the policy": "core shows reference",
    "off by one in K": "gradient t = 1, k = 3: 0 transitions of the system are possible while it is stepped",
    "off by one in T": "at the event outcome: 0 transitions",
    "one step size for all steps": "at the event membership t = 1, k = 2: core shows proposal",
    "update applied before the membership answer": "at the event apply t = 1, k = 1: 0 transitions",
    "membership not asked": "at the event apply t = 1, k = 1: 0 transitions",
    "refused proposal returned": "at the event outcome: core shows returned",
    "outer_iterations_started not counted": "core shows outer_iterations_started = 1, the system has 2",
    "draws not counted": "core shows draws = 1, the system has 2",
    "gradient_attempts not counted": "core shows gradient_attempts = 1, the system has 2",
    "membership_calls not counted": "core shows membership_calls = 1, the system has 2",
    "steps_applied not counted": "core shows steps_applied = 1, the system has 2",
}
"""Where a core with a mistake first does something else than the definition."""


def test_core_follows_the_protocol_and_takes_every_transition() -> None:
    tied = tie(System(), all_scripts(largest=2, rounds=1))
    # T, K in {1, 2} give 3 + 5 + 5 + 9 courses; M in {1, 2}, G = 2
    assert tied.runs == 44
    assert tied.statuses == {"COMPLETE": 8, "UNDEFINED_GRADIENT": 18, "INVALID_UPDATE": 18}
    assert sum(tied.taken.values()) == tied.transitions
    assert set(tied.taken) == {transition.name for transition in System().transitions}


def test_a_complete_run_has_as_many_events_as_the_definition_says() -> None:
    """T (1 + M (2G + 1) + 3K) + 1: start, draws, rewards and group, three calls a step, and the outcome."""
    follower = follow(Script(2, 2, 3, 2, Ending.COMPLETE, (0, 0), seed=1), System())
    assert sum(follower.taken.values()) == 2 * (1 + 2 * (2 * 3 + 1) + 3 * 2) + 1


def test_every_course_of_answers_is_a_script() -> None:
    assert len(set(courses_of(3, 2))) == len(list(courses_of(3, 2))) == 2 * 3 * 2 + 1
    scripts = list(all_scripts(largest=2, rounds=3))
    assert len({script.seed for script in scripts}) == len(scripts) == 3 * 44


def test_a_tie_that_never_takes_a_transition_is_none() -> None:
    with pytest.raises(Untied, match="be refused by M_U"):
        tie(System(), [script for script in all_scripts(2, 1) if script.ending is not Ending.REFUSED])


@pytest.mark.parametrize("mistake", MISTAKES)
def test_core_does_not_follow_a_protocol_with_a_mistake(mistake: str) -> None:
    system, _ = MISTAKES[mistake]
    with pytest.raises(Untied, match=r"script \d+: T = "):
        tie(system, all_scripts(largest=2, rounds=1))


def test_an_invariant_that_fails_in_a_run_is_noticed() -> None:
    once = Invariant("once", "t <= 1", lambda plan, s: s.t <= 1)
    with pytest.raises(Untied, match=r"at the event outer-iteration t = 2: t <= 1 does not hold in State"):
        follow(Script(2, 1, 2, 1, Ending.COMPLETE, (0, 0), seed=1), System(invariants=(once,)))


def test_a_claim_that_fails_at_the_end_of_a_run_is_noticed() -> None:
    never = Property("C4", "no run is complete", lambda plan, s: s.status != 1, ())
    with pytest.raises(Untied, match=r"at the event outcome: no run is complete does not hold in State"):
        follow(Script(1, 1, 2, 1, Ending.COMPLETE, (0, 0), seed=1), System(properties=(never,)))


def test_two_transitions_that_an_event_allows_are_one_too_many() -> None:
    again = replace(TRANSITIONS[1], name="draw a response in another way")
    with pytest.raises(Untied, match=r"at the event draw .*: 2 transitions of the system are possible"):
        follow(Script(1, 1, 2, 1, Ending.COMPLETE, (0, 0), seed=1), System(transitions=(*TRANSITIONS, again)))


def test_a_measure_that_does_not_fall_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grpocheck.proofs.smt.tie.remaining", lambda plan, s: (plan.outer_iterations - s.t,))
    with pytest.raises(Untied, match=r"at the event draw .*: what remains of the run does not fall"):
        follow(Script(1, 1, 2, 1, Ending.COMPLETE, (0, 0), seed=1), System())


@pytest.mark.parametrize("mistake", LEAVES)
def test_a_core_with_a_mistake_leaves_the_protocol(mistake: str, answers: dict[str, Any]) -> None:
    assert LEAVES[mistake] in answers["protocol"][mistake]


def test_every_wrong_core_is_looked_at_and_a_right_one_is_followed(answers: dict[str, Any]) -> None:
    right = "none, with the replacement"
    assert set(answers["protocol"]) == {right, *LEAVES}
    assert answers["protocol"][right] == ""
