"""What the report counts as held, as lost and as failed; exit statuses as the README states them."""

from pathlib import Path

import pytest
from grpocheck.contracts.claims import Claim, Kind
from grpocheck.contracts.coverage import Coverage, Gap
from grpocheck.proofs.evidence import Finding, Verdict, broken, held, not_run, refuted, undecided
from grpocheck.verifier.evidence.report import ClaimReport, Report, Row

NO_GAP = Coverage(3, 3, (), ())


def report(*findings: Finding, kind: Kind = Kind.SMT, requires: int = 0, claim: str = "A1") -> Report:
    """A report on one claim with one row for each finding, all of one kind."""
    entry = Claim(claim, "a statement", "[000]", {kind: requires} if requires else {})
    rows = tuple(Row(f"m:check_{i}", kind, "a scope", finding, 0.5) for i, finding in enumerate(findings))
    return Report("0", (ClaimReport(entry, rows),), NO_GAP, 1.0)


@pytest.mark.parametrize(
    ("findings", "requires", "status"),
    [
        ([held(cases=1)], 1, 0),
        ([], 0, 0),
        ([], 1, 1),
        ([held(cases=1)], 2, 1),
        ([held(cases=1), held(cases=1)], 2, 0),
        ([held(pieces=2, clauses=2)], 2, 0),
        ([held(pieces=2, clauses=2)], 3, 1),
        ([refuted("x = 1")], 0, 1),
        ([held(cases=1), refuted("x = 1")], 1, 1),
        ([undecided("slow")], 1, 3),
        ([undecided("slow")], 2, 1),
        ([undecided("slow")], 0, 0),
        ([broken("ZeroDivisionError")], 1, 1),
        ([not_run("no Coq", "make proofs-setup")], 1, 0),
        ([not_run("no Coq", "make proofs-setup")], 2, 1),
        ([not_run("no Coq", "make proofs-setup"), undecided("slow")], 2, 3),
    ],
)
def test_exit_status_of_a_claim(findings: list[Finding], requires: int, status: int) -> None:
    assert report(*findings, requires=requires).exit_status == status


def test_a_refuted_witness_is_what_a_non_claim_needs() -> None:
    assert report(refuted("F falls"), kind=Kind.WITNESS, requires=1, claim="N1").exit_status == 0
    assert report(kind=Kind.WITNESS, requires=1, claim="N1").exit_status == 1
    assert report(held(steps=1), kind=Kind.WITNESS, claim="N1").exit_status == 1


def test_evidence_of_another_kind_does_not_make_up_for_a_loss() -> None:
    entry = Claim("A1", "a statement", "[000]", {Kind.PROOF: 1})
    row = Row("m:check", Kind.ENUMERATION, "a scope", held(cases=10**6), 1.0)
    whole = Report("0", (ClaimReport(entry, (row,)),), NO_GAP, 1.0)
    assert whole.exit_status == 1
    assert [str(loss) for loss in whole.losses] == [
        "A1: 0 of 1 pieces of proof evidence held: the rest is gone from the code or was not evaluated"
    ]


def test_evidence_beyond_the_registry_is_told() -> None:
    (entry,) = report(held(cases=1), held(pieces=2, cases=2), requires=1).claims
    assert entry.beyond_registry() == ["A1: 3 pieces of smt evidence, 1 required"]
    (entry,) = report(held(cases=1), requires=1).claims
    assert entry.beyond_registry() == []


def test_a_gap_in_the_contracts_fails_whatever_else_holds() -> None:
    gap = Gap(Path("core/x.py"), 3, "f", "no postcondition")
    whole = report(held(cases=1))
    assert Report(whole.version, whole.claims, Coverage(1, 0, (gap,), ()), 1.0).exit_status == 1


def test_the_strongest_row_is_the_strongest_that_says_the_verdict() -> None:
    entry = Claim("A1", "a statement", "[000]", {})
    rows = (
        Row("m:contracts", Kind.CONTRACT, "examples", held(evaluations=900), 1.0),
        Row("m:small", Kind.ENUMERATION, "small", held(cases=5), 1.0),
        Row("m:large", Kind.ENUMERATION, "large", held(cases=50), 1.0),
        Row("m:proof", Kind.PROOF, "every size", not_run("no Coq", "make proofs-setup"), 0.0),
    )
    strongest = ClaimReport(entry, rows).strongest
    assert strongest is not None
    assert strongest.name == "m:large"


def test_verify_json_has_the_fields_of_the_design() -> None:
    mapping = report(held(cases=4), not_run("no Coq", "make proofs-setup")).to_mapping()
    (claim,) = mapping["claims"]
    assert {"id", "statement", "evidence", "strongest"} <= set(claim)
    assert claim["strongest"] == "smt"
    assert [row["status"] for row in claim["evidence"]] == ["held", "not-run"]
    assert {"kind", "status", "scope", "seconds", "command"} <= set(claim["evidence"][0])
    assert mapping["not_run"] == [{"what": "m:check_1", "why": "no Coq", "enable": "make proofs-setup"}]
    assert mapping["ok"] is True


def test_a_non_claim_shows_its_witness_and_how_to_replay_it() -> None:
    mapping = report(refuted("F falls from 1/4 to 0"), kind=Kind.WITNESS, claim="N1").to_mapping()
    assert mapping["claims"] == []
    (entry,) = mapping["non_claims"]
    assert entry["witness"] == "F falls from 1/4 to 0"
    assert entry["replay"] == "grpocheck verify N1"


def test_a_claim_without_evidence_is_not_covered_and_has_no_strongest() -> None:
    (claim,) = report().to_mapping()["claims"]
    assert (claim["status"], claim["strongest"]) == ("not-covered", None)


def test_held_and_undecided_are_never_confused() -> None:
    assert report(undecided("slow"), not_run("no Coq", "x")).claims[0].verdict == Verdict.UNDECIDED
    assert not report(undecided("slow")).claims[0].succeeds
