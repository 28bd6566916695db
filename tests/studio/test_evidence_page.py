"""The evidence page: every claim once, from the report where there is one, and texts by listed names alone."""

import json
from pathlib import Path

import pytest
from grpocheck.contracts.claims import REGISTRY
from grpocheck.core import InvalidProblem
from grpocheck.verifier.studio import evidence


def test_every_claim_is_there_without_a_report(tmp_path: Path) -> None:
    found = evidence.page(str(tmp_path / "verify.json"))
    assert [entry["id"] for entry in found["claims"]] == list(REGISTRY)
    assert found["report"] is None
    assert "grpocheck verify" in found["trouble"]
    assert all(entry["status"] is None for entry in found["claims"])


def test_what_the_report_found_is_shown(tmp_path: Path) -> None:
    row = {"kind": "smt", "status": "held", "scope": "every T", "name": "x", "seconds": 1.5, "command": "c", "more": 1}
    report = tmp_path / "verify.json"
    claims = [{"id": "A1", "status": "held", "strongest": "smt", "evidence": [row]}]
    report.write_text(json.dumps({"grpocheck": "0.1", "ok": True, "claims": claims, "non_claims": [], "not_run": []}))
    found = evidence.page(str(report))
    first = found["claims"][0]
    assert (found["ok"], first["id"], first["status"], first["strongest"]) == (True, "A1", "held", "smt")
    assert first["found"][0]["scope"] == "every T"
    assert found["claims"][1]["status"] is None


ROWS = ["1", "{}", '{"id": []}', '{"id": "A1", "evidence": 1}', '{"id": "A1", "evidence": [1]}']


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"claims": 1}', '{"claims": []}', "[" * 100_000]
    + ['{"claims": [], "non_claims": [], "not_run": "no"}']
    + [f'{{"claims": [], "non_claims": [{row}]}}' for row in ROWS],
)
def test_a_file_that_is_no_report_says_so(tmp_path: Path, content: str) -> None:
    report = tmp_path / "verify.json"
    report.write_text(content)
    found = evidence.page(str(report))
    assert "verify.json" in found["trouble"]
    assert len(found["claims"]) == len(REGISTRY)


def test_a_theorem_shows_its_statement_and_its_proof() -> None:
    text = evidence.source("Admissibility.applied_parameters_in_domain")["text"]
    assert "Forall (domain) " in text or "Forall domain" in text
    assert "Proof." in text
    assert text.rstrip().endswith(("Qed.", "Defined."))


def test_every_listed_text_can_be_read() -> None:
    for claim in REGISTRY:
        for _, name, _ in evidence.texts_of(claim):
            assert evidence.source(name)["text"].strip()


@pytest.mark.parametrize("name", ["os:system", "grpocheck.core.procedure:run", "../x", "", None, "x" * 300])
def test_no_other_text_can_be_read(name: object) -> None:
    with pytest.raises(InvalidProblem, match="name"):
        evidence.source(name)


def test_a_non_claim_names_its_witnesses() -> None:
    found = {entry["id"]: entry for entry in evidence.page("none")["claims"]}
    assert "n1_objective_falls" in found["N1"]["witnesses"]
    assert found["A1"]["witnesses"] == []
    assert all(name.startswith("n1_") for name in found["N1"]["witnesses"])
