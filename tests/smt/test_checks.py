"""The declared evidence, run as the verifier runs it."""

import pytest
from grpocheck.contracts.claims import Kind
from grpocheck.proofs.evidence import Evidence, Verdict, discover
from grpocheck.verifier.workers import Outcome, run_evidence

MODULE = "grpocheck.proofs.smt.checks"


@pytest.fixture(scope="module")
def outcomes() -> dict[str, tuple[Evidence, Outcome]]:
    entries = [(entry, entry.seconds) for entry in discover((MODULE,))]
    done = run_evidence(entries, jobs=2, progress=lambda entry, done, total: None)
    return {entry.name.partition(":")[2]: (entry, outcome) for entry, outcome in done}


def test_every_claim_is_held_at_every_size(outcomes: dict[str, tuple[Evidence, Outcome]]) -> None:
    held = {
        name: {claim: finding.verdict for claim, finding in outcome.findings.items()}
        for name, (_, outcome) in outcomes.items()
    }
    protocol = ("A1", "A2", "C1", "C2", "C3", "C4", "D1", "D2")
    assert held == {
        "protocol_at_every_size": dict.fromkeys(protocol, Verdict.HELD),
        "clipped_terms": {"E1": Verdict.HELD, "E2": Verdict.HELD},
        "small_groups": {"B1": Verdict.HELD, "B2": Verdict.HELD},
        "groups_of_every_size": {"B1": Verdict.HELD, "B2": Verdict.HELD},
    }, {name: outcome.findings for name, (_, outcome) in outcomes.items()}


def test_the_findings_count_what_was_done(outcomes: dict[str, tuple[Evidence, Outcome]]) -> None:
    entry, outcome = outcomes["protocol_at_every_size"]
    assert entry.kind is Kind.SMT
    # 3 rounds; T, K <= 3 give 9 + 2 * 36 = 81 courses, M <= 3 and G = 2, 3
    assert outcome.findings["D2"].counts["runs"] == 3 * 81 * 3 * 2
    # D2: one invariant at the start and through 15 transitions, and the claim
    assert outcome.findings["D2"].counts["obligations"] == outcome.findings["D2"].pieces == 1 + 15 + 1
