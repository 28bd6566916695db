"""Evidence that is declared for a claim looks at that claim: otherwise it would hold whatever core does."""

import ast
from collections.abc import Sequence
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest
from grpocheck.contracts.claims import claims_named_in
from grpocheck.core.families.autoregressive import AutoregressiveMasses
from grpocheck.core.generation import Generation
from grpocheck.proofs import properties
from grpocheck.proofs.enumerated_definitions import Tally
from grpocheck.proofs.evidence import Evidence, Verdict, discover

FUNCTIONS = {
    node.name: node
    for node in ast.parse(Path(properties.__file__).read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef)
}
GENERATION = Generation(("a", "b", "."), ".", 2, ((("a",), ("b",)),))
TABLES = [[[F(1, 2), F(1, 4), F(1, 4)], [F(1, 3), F(2, 3)], [F(1, 5), F(2, 5), F(2, 5)]]] * 2


def named_by(function: str, seen: set[str]) -> set[str]:
    """The claims that a function of the properties, and those that it names, hold core to."""
    seen.add(function)
    found: set[str] = set()
    for node in ast.walk(FUNCTIONS[function]):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "require":
            message = node.args[1]
            text: Any = message.values[0] if isinstance(message, ast.JoinedStr) else message
            found |= set(claims_named_in(text.value))
        elif isinstance(node, ast.Name) and node.id in FUNCTIONS and node.id not in seen:
            found |= named_by(node.id, seen)
    return found


@pytest.mark.parametrize("entry", discover(("grpocheck.proofs.properties",)), ids=lambda entry: entry.name)
def test_a_property_looks_at_every_claim_that_it_is_declared_for(entry: Evidence) -> None:
    assert named_by(entry.name.partition(":")[2], set()) == set(entry.claims)


def test_a_tally_holds_no_claim_that_was_never_looked_at() -> None:
    tally = Tally("A3", "G2")
    tally.cases = 7
    tally.check("A3", True, "a case")
    with pytest.raises(ValueError, match="expected \\['A3', 'G2'\\]"):
        tally.findings()
    tally.check("G2", True, "a case")
    assert [(claim, finding.verdict) for claim, finding in tally.findings().items()] == [
        ("A3", Verdict.HELD),
        ("G2", Verdict.HELD),
    ]


def test_a_support_by_hand() -> None:
    # after "a" no "b": of 2 tokens "a a" and "a .", all three after "b", and the end alone
    words = [(".",), ("a", "a"), ("a", "."), ("b", "a"), ("b", "b"), ("b", ".")]
    assert properties.words_allowed(GENERATION) == words
    properties.masses_are_products((GENERATION, *TABLES))


def test_a_mass_of_0_breaks_a3(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgotten(AutoregressiveMasses):
        """The first response gets no mass, and the last one gets it."""

        def masses(self, theta: Sequence[Any], prompt: Any, arithmetic: Any) -> list[Any]:
            first, *others, last = AutoregressiveMasses.masses(self, theta, prompt, arithmetic)
            return [first - first, *others, last + first]

    monkeypatch.setattr(properties, "AutoregressiveMasses", Forgotten)
    with pytest.raises(AssertionError, match="A3: the masses of"):
        properties.masses_are_products((GENERATION, *TABLES))


def test_a_response_that_is_left_out_breaks_a3(monkeypatch: pytest.MonkeyPatch) -> None:
    class Shorter(AutoregressiveMasses):
        """One supported response is missing."""

        @property
        def support_keys(self) -> tuple[str, ...]:
            return ("a a", "a .", "b a", "b b", "b .")

    monkeypatch.setattr(properties, "AutoregressiveMasses", Shorter)
    with pytest.raises(AssertionError, match="A3: the support is"):
        properties.masses_are_products((GENERATION, *TABLES))
