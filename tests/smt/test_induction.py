"""The induction: it proves the protocol's invariants, and finds every planted mistake with a state that shows it."""

from dataclasses import replace

import pytest
import z3
from grpocheck.proofs.evidence import Budget, Verdict
from grpocheck.proofs.smt.checks import inductive_finding, protocol_findings
from grpocheck.proofs.smt.induction import MEASURE, PROGRESS, Induction, System
from grpocheck.proofs.smt.invariants import INVARIANTS, PROPERTIES, Invariant, Property, bounded_below, decreases
from grpocheck.proofs.smt.obligations import Decision, Obligation, Result, discharge
from grpocheck.proofs.smt.scripts import all_scripts
from grpocheck.proofs.smt.transition import TRANSITIONS

from tests.smt.systems import MISTAKES


def results_of(system: System) -> list[Result]:
    """The results of a system, without the steps of transitions and invariants that are the protocol's own."""
    kept = [entry.name for entry in TRANSITIONS if entry in system.transitions]
    own = [entry.name for entry in INVARIANTS if entry in system.invariants] + [MEASURE]
    return [
        discharge(obligation)
        for obligation in Induction(system).obligations()
        if not (obligation.about in own and any(obligation.name.endswith(f" to {name}") for name in kept))
    ]


def test_every_obligation_of_the_protocol_is_proved() -> None:
    results = [discharge(obligation) for obligation in Induction(System()).obligations()]
    assert {result.decision for result in results} == {Decision.PROVED}, [
        r for r in results if r.decision != Decision.PROVED
    ]
    # start and one step per transition for each invariant, each claim, the measure, and one line per phase
    assert len(results) == 11 * (1 + 15) + 8 + (1 + 15) + 10


def test_each_claim_rests_on_invariants_that_use_only_one_another() -> None:
    system = System()
    for claim in PROPERTIES:
        foundation = system.foundation(claim.claim)
        for invariant in INVARIANTS:
            if invariant.name in foundation:
                assert set(invariant.uses) <= set(foundation)
        assert set(claim.uses) <= set(foundation)
    assert {MEASURE, PROGRESS} <= set(system.foundation("C4"))


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_breaks_the_invariants_that_it_should_and_shows_the_state(mistake: str) -> None:
    system, broken = MISTAKES[mistake]
    refuted = [result for result in results_of(system) if result.decision is Decision.REFUTED]
    assert {result.about for result in refuted} == broken
    for result in refuted:
        assert result.detail.startswith("T = ")
        assert "before: phase = " in result.detail
        assert "after: " in result.detail


def test_the_state_that_breaks_an_invariant_is_the_one_worked_out_by_hand() -> None:
    """K = 1: after step 1 = K the procedure goes on to k = 2, which no plan of one inner step has."""
    system, _ = MISTAKES["off by one in K"]
    (result,) = [result for result in results_of(system) if result.decision is Decision.REFUTED]
    sizes, before, after = result.detail.splitlines()
    assert sizes.endswith("K = 1")
    assert "phase = applying" in before
    assert "inner step k = 1" in before
    assert after.startswith("  after: phase = asking gradient, inner step k = 2, ")


def test_a_refutation_is_shown_with_values_of_a_small_size_where_there_are_some() -> None:
    """The size is 100 - x here, and can be 5 or less."""
    x = z3.Int("x")
    result = discharge(Obligation("C1", "none above 10", (x > 10,), x < 0, size=lambda: 100 - x))
    name, value = result.detail.split(" = ")
    assert name == "x"
    assert int(value) >= 95


def test_a_false_invariant_is_refuted_where_it_fails_and_only_there() -> None:
    never_refused = Invariant("never refused", "M_U never answers 0", lambda plan, s: s.phase != 6)
    refuted = [r for r in results_of(System(invariants=(*INVARIANTS, never_refused))) if r.decision is Decision.REFUTED]
    assert [r.name for r in refuted] == ["never refused: kept when the procedure is to be refused by M_U"]
    assert "after: phase = refused" in refuted[0].detail


def test_an_invariant_that_fails_at_the_start_is_refuted_there() -> None:
    begun = Invariant("begun", "t >= 1", lambda plan, s: s.t >= 1)
    refuted = [r for r in results_of(System(invariants=(*INVARIANTS, begun))) if r.decision is Decision.REFUTED]
    assert [r.name for r in refuted] == ["begun: at the start"]
    assert "outer iteration t = 0" in refuted[0].detail


def test_a_claim_that_the_invariants_do_not_imply_is_refuted_in_a_state() -> None:
    halved = Property(
        "C2", "attempts <= K", lambda plan, s: s.gradient_attempts <= plan.inner_steps, PROPERTIES[3].uses
    )
    (refuted,) = [r for r in results_of(System(properties=(halved,))) if r.decision is Decision.REFUTED]
    assert refuted.about == "C2"
    assert "state: phase = " in refuted.detail


@pytest.mark.parametrize(
    ("transition", "phase"), [("stop at an invalid update", "refused"), ("return complete", "stepped")]
)
def test_a_missing_transition_leaves_the_procedure_standing(transition: str, phase: str) -> None:
    system = System(transitions=tuple(entry for entry in TRANSITIONS if entry.name != transition))
    (refuted,) = [r for r in results_of(system) if r.decision is Decision.REFUTED]
    assert refuted.about == PROGRESS
    assert f"state: phase = {phase}" in refuted.detail


@pytest.mark.parametrize(
    ("before", "after", "falls"),
    [((1, 5), (0, 9), True), ((1, 5), (1, 4), True), ((1, 5), (2, 4), False), ((1, 5), (1, 5), False)],
)
def test_a_measure_falls_when_the_first_entry_that_changes_is_smaller(
    before: tuple[int, int], after: tuple[int, int], falls: bool
) -> None:
    assert decreases(before, after) is falls


def test_a_measure_is_bounded_below_when_no_entry_is_negative() -> None:
    assert bounded_below((0, 3)) is True
    assert bounded_below((3, -1)) is False


def test_what_z3_cannot_decide_is_unknown_and_its_claim_undecided() -> None:
    x, y, z = z3.Ints("x y z")
    fermat = Obligation(
        "C1", "no sum of two cubes is a cube", (x > 0, y > 0, z > 0), x * x * x + y * y * y != z * z * z
    )
    result = discharge(fermat, seconds=0.2)
    assert result.decision is Decision.UNKNOWN
    finding = inductive_finding([Result("C1", "another", Decision.PROVED), result])
    assert finding.verdict is Verdict.UNDECIDED
    assert not finding.broken


def test_what_follows_from_contradictory_hypotheses_is_not_proved() -> None:
    x = z3.Int("x")
    result = discharge(Obligation("C1", "empty", (x > 0, x < 0), x == 7))
    assert result.decision is Decision.UNKNOWN
    assert "may be empty" in result.detail


def test_no_result_at_all_is_not_held() -> None:
    with pytest.raises(ValueError, match="counts"):
        inductive_finding([])


def test_a_claim_is_held_only_where_its_own_invariants_are_inductive() -> None:
    """t <= 3 holds in all the runs that are followed, but not for every T; only A1 rests on it."""
    few = Invariant("few", "t <= 3", lambda plan, s: s.t <= 3)
    shaken = replace(PROPERTIES[0], uses=(*PROPERTIES[0].uses, "few"))
    system = System(invariants=(*INVARIANTS, few), properties=(shaken, *PROPERTIES[1:]))
    findings = protocol_findings(system, list(all_scripts(2, 1)), Budget(60))
    assert findings["A1"].verdict is Verdict.UNDECIDED
    assert findings["A1"].broken
    assert "few: kept when the procedure is to begin an outer iteration" in findings["A1"].detail
    assert "outer iteration t = 4" in findings["A1"].detail
    assert {finding.verdict for claim, finding in findings.items() if claim != "A1"} == {Verdict.HELD}
    assert findings["D2"].counts == {"obligations": 17, "runs": 44, "transitions": findings["D2"].counts["transitions"]}


def test_a_mistake_in_the_system_is_reported_with_its_state_and_with_where_core_leaves_it() -> None:
    system, _ = MISTAKES["update applied before the membership answer"]
    findings = protocol_findings(system, list(all_scripts(1, 1)), Budget(60))
    assert all(finding.verdict is Verdict.UNDECIDED and finding.broken for finding in findings.values())
    assert "not inductive: parameters in U" in findings["A1"].detail
    assert "core's run leaves the transition system" in findings["A1"].detail
    assert "not inductive" not in findings["D2"].detail
