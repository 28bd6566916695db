"""The quantities that a run prints are explained in a line or two each, with the claims that speak of them."""

import re

import pytest
from grpocheck.contracts.claims import REGISTRY
from grpocheck.verifier.cli import app
from grpocheck.verifier.glossary import BY_WORD, ENTRIES
from typer.testing import CliRunner

COMMAND = CliRunner()
CLAIMS = {
    "ratio": {"B3", "G5"}, "advantage": {"B1", "B2"}, "U": {"A1", "A3"}, "epsilon": {"E1", "N4"}, "kink": {"F1", "F2"},
    "kl": {"B4", "G4"}, "term": {"E1", "E2"}, "draws": {"C1", "G3"}, "attempts": {"C2", "C3"},
}  # fmt: skip
"""By hand, from the tables of docs/specification.md."""


@pytest.mark.parametrize("word", CLAIMS)
def test_a_quantity_is_explained_with_its_claims(word: str) -> None:
    for typed in (word, word.upper()):
        told = COMMAND.invoke(app, ["explain", typed], env={"COLUMNS": "120"})
        assert told.exit_code == 0
        meaning, _, stated = told.output.partition("stated in")
        assert meaning.startswith(f"{word} (quantity)\n")
        assert 2 <= len(meaning.strip().splitlines()) <= 4
        assert set(re.findall(r"\b[A-Z][0-9]\b", stated)) == CLAIMS[word] <= set(REGISTRY)


def test_every_word_is_explained_once_and_is_no_name_of_a_claim() -> None:
    assert len(BY_WORD) == len(ENTRIES)
    assert not {word.upper() for word in BY_WORD} & set(REGISTRY)
