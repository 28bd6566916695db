"""Of which files of a recorded run, and of what else, a piece that is kept depends: neither too few nor too many."""

import importlib.metadata
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from grpocheck.verifier.audit import auditing, keeping
from grpocheck.verifier.audit.auditing import audit, pieces_of
from grpocheck.verifier.audit.discovery import runs_of
from grpocheck.verifier.audit.keeping import Kept, rules_digest
from grpocheck.verifier.audit.report import to_mapping
from grpocheck.verifier.evidence.digest import closure

from tests.audit.planting import copied, edit_arrays, edit_json


@pytest.fixture
def run(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """a06: four batches of six calls each; eight pieces of three calls, after that of the rows."""
    monkeypatch.setattr(auditing, "FILES_OF_A_PIECE", 3)
    return copied(recorded / "a06_dapo_mu3_ga2", tmp_path)


def keys(run: Path) -> list[str]:
    """The key of each piece of a run: its rows first, then its calls."""
    return [Kept(piece, run, "rules").key() for each in runs_of([run]) for piece in pieces_of(each)]


def blank(path: Path) -> None:
    """A space more, which says nothing else."""
    path.write_bytes(path.read_bytes() + b" ")


def another_setting(path: Path) -> None:
    edit_json(path, lambda found: found["args_effective"].update(top_k=50))


CHANGES: dict[str, tuple[str, Callable[[Path], None], set[int]]] = {
    "the tensors of a call": ("calls/call_004.npz", blank, {2}),
    "what stands beside them": ("calls/call_004.json", blank, {2}),
    "what stands beside the first, which says settings": ("calls/call_000.json", blank, {0, 1}),
    "the tensors of a batch": ("gens/gen_001.npz", blank, {0, 3, 4}),
    "what stands beside them too": ("gens/gen_001.json", blank, {0, 3, 4}),
    "a table": ("completions/completions_00002.parquet", blank, {0}),
    "the log": ("trainer_state.json", blank, {0}),
    "the settings": ("run.json", another_setting, {0}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_one_for_the_pieces_that_read_it(run: Path, name: str) -> None:
    file, change, pieces = CHANGES[name]
    before = keys(run)
    assert len(set(before)) == 9
    change(run / file)
    assert {place for place, (was, now) in enumerate(zip(before, keys(run), strict=True)) if was != now} == pieces


@pytest.mark.slow
def test_a_changed_batch_is_held_against_calls_that_were_kept(run: Path, tmp_path: Path) -> None:
    """The calls are as they were, their batch is not: each of its calls has old log-probabilities of no batch now."""
    (tmp_path / "kept").mkdir()

    def audited(rules: str) -> dict[str, object]:
        return to_mapping(audit(runs_of([run]), given=lambda piece: Kept(piece, tmp_path / "kept", rules)))

    before = audited("rules")
    edit_arrays(run / "gens" / "gen_001.npz", lambda arrays: arrays.update(
        old_per_token_logps=arrays["old_per_token_logps"] - np.float32(0.5)))  # fmt: skip
    after = audited("rules")
    found = [one["count"] for one in after["findings"] if one["rule"] == "frozen-data"]  # type: ignore[attr-defined]
    assert "frozen-data" not in json.dumps(before)
    assert found == [6]
    assert after == to_mapping(audit(runs_of([run])))


def test_rules_and_libraries_are_in_every_key(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (piece, *_) = pieces_of(runs_of([run])[0])
    assert Kept(piece, run, "rules").key() != Kept(piece, run, "later rules").key()
    modules = {"audit.rules_rows", "audit.readers.parquet", "audit.moments", "recompute.formulas"}
    assert {f"grpocheck.verifier.{name}" for name in modules} <= set(closure(["grpocheck.verifier.audit.auditing"]))
    before, real = rules_digest(), importlib.metadata.version
    assert rules_digest() == before
    for library in keeping.READERS:
        monkeypatch.setattr(
            importlib.metadata, "version", lambda name, other=library: "99" if name == other else real(name)
        )
        assert rules_digest() != before
    assert set(keeping.READERS) == {"numpy", "pyarrow"}
