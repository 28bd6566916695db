"""Every property of the shelf has the verdict that it is recorded with, and its reference exists."""

from pathlib import Path

import pytest
from grpocheck.contracts.claims import REGISTRY
from grpocheck.proofs.cited import read_registry
from grpocheck.verifier.properties import SHELF, Shelved, Verdict, check, check_in_process
from grpocheck.verifier.properties.runs import read_text

HOUSE = Path(__file__).resolve().parents[2]
BUDGET = 300


@pytest.mark.parametrize("entry", SHELF.values(), ids=lambda entry: entry.name)
def test_a_shelved_property_has_its_verdict(entry: Shelved) -> None:
    result = check_in_process(entry.property, entry.problem, entry.scope, BUDGET)
    assert (result.verdict, result.scope, result.undefined) == (entry.verdict, entry.scope, False)
    assert (result.counterexample is not None) == (entry.verdict is Verdict.REFUTED)
    if result.counterexample is not None:
        again = check(entry.property, read_text(result.counterexample))
        assert (again.verdict, again.at, again.values) == (Verdict.REFUTED, result.at, result.values)


def test_claims_hold_and_non_claims_are_refuted() -> None:
    for entry in SHELF.values():
        if entry.claim is not None:
            promised = REGISTRY[entry.claim].promised
            assert entry.verdict is (Verdict.HOLDS if promised else Verdict.REFUTED), entry.name
    of = {entry.claim for entry in SHELF.values()}
    for letter, digits in {"A": "13", "B": "12345", "C": "1234", "E": "12", "G": "1", "N": "12457"}.items():
        assert {f"{letter}{digit}" for digit in digits} <= of


def test_references_lead_somewhere() -> None:
    theorems = {theorem.name: theorem.claims for theorem in read_registry().theorems}
    for entry in SHELF.values():
        kind, _, name = entry.reference.partition(" ")
        if kind == "theorem":
            assert entry.claim is None or {entry.claim, "G2"} & set(theorems[name]), entry.name
        elif kind == "witness":
            assert (HOUSE / name).is_file(), entry.name
            assert entry.claim is not None
            assert Path(name).name.startswith(entry.claim.lower())
        else:
            assert (HOUSE / entry.reference.partition(",")[0]).is_file(), entry.name


def test_a_wrong_record_would_be_noticed() -> None:
    """The smallest number of N2, by hand: 2 (1 - theta) + theta at theta = 1/3, and below it after the step."""
    result = check(SHELF["N2"].property, SHELF["N2"].problem)
    assert result.values["sum(support: mass * reward)"] == "5/3"
    result = check(SHELF["N4a"].property, SHELF["N4a"].problem, "draws")
    assert result.values["ratio[1]"] == "35/18"
