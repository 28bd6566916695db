"""The list of claims is readable wherever the examples are and however narrow the terminal is."""

from pathlib import Path

import pytest
from grpocheck.contracts.claims import REGISTRY
from grpocheck.proofs.shipped import examples
from grpocheck.verifier import tables
from grpocheck.verifier.commands import claims


@pytest.mark.parametrize("width", [60, 100, 118])
def test_ids_statements_and_files_stay_whole_enough_to_read(
    width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # not a clone: the examples are beside the packages
    for module in (tables, claims):
        monkeypatch.setattr(module, "width", lambda: width)
    assert claims.list_claims(as_json=False) == 0
    lines = capsys.readouterr().out.splitlines()
    for entry in (entry for entry in REGISTRY.values() if not entry.promised):
        (line,) = [line for line in lines if line.startswith(f"{entry.id} ")]
        identifier, statement, file = (cell.strip() for cell in line.split("   ") if cell.strip())
        assert identifier == entry.id
        assert entry.statement.startswith(statement)
        assert len(statement) >= 12
        assert file.startswith("examples/non_claims/n")
        assert file.endswith(".toml") or width == 60
    assert f"examples/is{''.join(str(examples()).split())}" in "".join("".join(lines).split())
    assert sum(str(examples())[:20] in line for line in lines) == 1
    assert max(map(len, lines)) <= width


def test_a_clone_needs_no_line_that_says_where_its_examples_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    assert claims.list_claims(as_json=False) == 0
    printed = capsys.readouterr().out
    assert "examples/non_claims/n6_novelty.toml" in printed
    assert "examples/ is" not in printed
