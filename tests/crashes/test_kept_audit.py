"""An audit that keeps what is done: the same report to the byte, whatever ended the one before; what changed is new."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from grpocheck.verifier.audit import auditing, keeping
from grpocheck.verifier.audit.auditing import Piece, pieces_of
from grpocheck.verifier.audit.discovery import runs_of
from grpocheck.verifier.audit.model import Lines
from grpocheck.verifier.audit.packing import packed, unpacked
from grpocheck.verifier.audit.readers import groups
from grpocheck.verifier.cli import app
from typer.testing import CliRunner

from tests.audit.lines import HEADER, group, written
from tests.crashes.test_whole_files import full_after

COMMAND = CliRunner()
ROWS = 4


def call(batch: int, advantages: list[float], loss: float, **more: object) -> dict[str, object]:
    """A call of a loss on one batch: ROWS responses of two tokens each, in the first pass over them."""
    logps = [[-1.0, -2.0]] * ROWS
    arrays = {"new_logps": logps, "old_logps": logps, "mask": [[1, 1]] * ROWS, "advantages": advantages, "loss": loss}
    meta = {"config": {"loss_type": "grpo", "epsilon": 0.2, "beta": 0.0}, "gen": batch, "mode": "train"}
    return {"kind": "call", "meta": meta, "arrays": {**arrays, "row": list(range(ROWS)), **more}}


def recording(path: Path, name: str, batches: int = 6) -> Path:
    """Batches of one group, each with a call: in the third the loss is wrong, in the fifth an advantage is."""
    settings = {"num_generations": ROWS, "max_steps": len(name)}
    lines: list[object] = [{**HEADER, "dtype": "float64", "settings": settings}]
    for batch in range(batches):
        line = group(batch, f"{name} {batch}", [0.0, 1.0, 1.0, batch / 4], batch=batch)
        advantages = [float(each) for each in line["advantages"]]  # type: ignore[attr-defined]
        if batch == 4:
            advantages[0] += 0.5
        loss = -sum(advantages) / ROWS + (0.25 if batch == 2 else 0.0)
        lines += [line, call(batch, advantages, loss)]
    return written(path, *lines)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two recordings with headers of their own, so two runs, in stretches of a few lines."""
    monkeypatch.setattr(groups, "BYTES_OF_A_STRETCH", 800)
    place = tmp_path / "logs"
    place.mkdir()
    recording(place / "a.jsonl", "a")
    recording(place / "b.jsonl", "bb")
    return place


def report(*arguments: object) -> str:
    done = COMMAND.invoke(app, ["audit", *map(str, arguments)])
    assert (done.exit_code, done.stderr) == (1, "")
    return done.stdout


@pytest.fixture
def pieces_done(monkeypatch: pytest.MonkeyPatch) -> list[Piece]:
    """The pieces whose work is done rather than looked up, as they are."""
    done: list[Piece] = []
    real = Piece.done

    def seen(piece: Piece) -> auditing.Result:
        done.append(piece)
        return real(piece)

    monkeypatch.setattr(Piece, "done", seen)
    return done


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_the_report_is_the_same_and_nothing_is_done_twice(
    form: tuple[str, ...], folder: Path, tmp_path: Path, pieces_done: list[Piece]
) -> None:
    plain = report(folder, *form)
    pieces = len(pieces_done)
    assert pieces > 6
    assert plain.count("loss-differs") >= 2
    assert plain.count("advantage-misplaced") >= 2
    assert report(folder, *form, "--keep", tmp_path / "kept") == plain
    assert len(pieces_done) == 2 * pieces
    assert report(folder, *form, "--keep", tmp_path / "kept") == plain
    assert len(pieces_done) == 2 * pieces


def test_stretches_say_what_the_whole_does(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = report(folder, "--json")
    monkeypatch.setattr(groups, "BYTES_OF_A_STRETCH", 1 << 30)
    assert [len(part.stretches) for run in runs_of([folder]) for part in run.groups] == [1, 1]
    assert report(folder, "--json") == cut


def test_lines_that_are_none_of_a_call_are_read_once(tmp_path: Path) -> None:
    lines = [group(step, f"p{step}", [0.0, 1.0]) for step in range(9)]
    path = written(tmp_path / "run.jsonl", {**HEADER, "dtype": "float64"}, *lines)
    (run,) = runs_of([path])
    assert [piece.lines for piece in pieces_of(run)] == [None]
    escaped = path.read_text() + '{"kind": "c\\u0061ll", "meta": {"config": {}}, "arrays": {}}\n'
    path.write_text(escaped)
    (run,) = runs_of([path])
    assert len(list(pieces_of(run))) == 2


def test_a_changed_file_is_audited_afresh(folder: Path, tmp_path: Path, pieces_done: list[Piece]) -> None:
    kept = tmp_path / "kept"
    before = report(folder, "--keep", kept)
    text = (folder / "b.jsonl").read_text()
    found = os.stat(folder / "b.jsonl")
    (folder / "b.jsonl").write_text(text.replace("0.25]", "0.75]"))  # a reward
    os.utime(folder / "b.jsonl", ns=(found.st_atime_ns, found.st_mtime_ns))  # not told by its time, nor by its size
    assert os.stat(folder / "b.jsonl").st_size == found.st_size
    pieces_done.clear()
    after = report(folder, "--keep", kept)
    assert after != before
    assert pieces_done
    assert {piece.run.name for piece in pieces_done} == {str(folder / "b.jsonl")}
    assert after == report(folder)


def test_other_settings_are_another_audit_and_other_rules_do_all_of_it_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pieces_done: list[Piece]
) -> None:
    kept, stated = tmp_path / "kept", ("--settings", tmp_path / "settings.json")
    stated[1].write_text('{"scale_rewards": "none"}')
    before = report(folder, "--keep", kept)
    pieces = len(pieces_done)
    declared = report(folder, *stated, "--keep", kept)
    assert declared == report(folder, *stated)
    assert "advantage-rule-declared" in declared
    assert "advantage-rule-declared" not in before
    pieces_done.clear()
    monkeypatch.setattr(keeping, "rules_digest", lambda: "the rules of a later version")
    assert report(folder, "--keep", kept) == before
    assert len(pieces_done) == pieces


@pytest.mark.parametrize("keeps", [False, True])
def test_an_interrupted_audit_says_whether_the_next_one_goes_on(
    keeps: bool, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(piece: Piece) -> auditing.Result:
        raise KeyboardInterrupt

    monkeypatch.setattr(Piece, "done", interrupted)
    done = COMMAND.invoke(app, ["audit", str(folder), *(["--keep", str(tmp_path / "kept")] if keeps else [])])
    assert (done.exit_code, done.stdout) == (130, "")
    said, last = done.stderr.splitlines()
    assert ("the same command goes on from there" in said) is keeps
    assert ("nothing of this audit was kept" in said) is not keeps
    assert last == "interrupted"


def stretches(pieces: Iterable[Piece]) -> list[Lines]:
    """The stretches of lines that are pieces of their own, in their order."""
    return [piece.lines[1] for piece in pieces if piece.lines is not None]


def test_lines_that_were_there_before_a_log_grew_are_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pieces_done: list[Piece]
) -> None:
    monkeypatch.setattr(groups, "BYTES_OF_A_STRETCH", 800)
    path = recording(tmp_path / "a.jsonl", "a", batches=12)
    whole = path.read_text()
    path.write_text("".join(whole.splitlines(keepends=True)[:-6]))
    (run,) = runs_of([path])
    there = stretches(pieces_of(run))[:-1]  # the last one has no end, and grows
    assert len(there) > 3
    report(path, "--keep", tmp_path / "kept")
    path.write_text(whole)
    pieces_done.clear()
    after = report(path, "--keep", tmp_path / "kept")
    (run,) = runs_of([path])
    assert stretches(pieces_of(run))[: len(there)] == there
    assert stretches(pieces_done) == stretches(pieces_of(run))[len(there) :]
    assert after == report(path)


@pytest.mark.parametrize("damage", ["cut", "empty", "swapped", "bits", "other types"])
def test_what_is_no_whole_entry_counts_as_none(damage: str, folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    plain = report(folder, "--keep", kept)
    entries = sorted(kept.iterdir())
    for number, entry in enumerate(entries):
        raw = entry.read_bytes()
        if damage == "cut":
            entry.write_bytes(raw[: len(raw) * (number + 1) // (len(entries) + 1)])
        elif damage == "empty":
            entry.write_bytes(b"")
        elif damage == "swapped":
            entry.write_bytes(entries[number - 1].read_bytes())
        elif damage == "bits":
            entry.write_bytes(raw.replace(b"Result", b"Resulx", 1))
        else:
            stated = json.loads(raw)
            content = json.dumps({"Path": ["/"]})
            key = str(stated["key"])
            entry.write_text(json.dumps({"key": key, "sha256": keeping.hashlib.sha256(content.encode()).hexdigest(),
                                         "content": content}))  # fmt: skip
    assert report(folder, "--keep", kept) == plain


def test_a_file_that_changes_while_it_is_audited_is_not_kept(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Piece.done

    def changing(piece: Piece) -> auditing.Result:
        result = real(piece)
        with (folder / "a.jsonl").open("r+") as file:
            file.write('{"format":  ')
        return result

    monkeypatch.setattr(Piece, "done", changing)
    (run, _) = runs_of([folder])
    keeping.Kept(next(iter(pieces_of(run))), tmp_path / "kept", "rules").done()
    assert list((tmp_path / "kept").iterdir()) == []


def test_what_comes_out_is_packed_as_it_is(folder: Path) -> None:
    for run in runs_of([folder]):
        for piece in pieces_of(run):
            result = piece.done()
            again = unpacked(json.loads(json.dumps(packed(result))))
            assert again == result
            assert repr(again.findings) == repr(result.findings)  # that no type became another
            for finding, other in zip(result.findings, again.findings, strict=True):
                assert (finding.worst is finding.first) == (other.worst is other.first)
    with pytest.raises(TypeError, match="Path"):
        packed(Path("x"))
    with pytest.raises(LookupError):
        unpacked({"Path": ["x"]})


def test_where_nothing_can_be_kept(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = COMMAND.invoke(app, ["audit", str(folder), "--keep", str(tmp_path / "file")])
    assert done.exit_code == 2
    assert "--keep" in done.stderr
    assert "expected a folder" in done.stderr


def test_a_full_disk_is_said_and_the_next_one_goes_on(folder: Path, tmp_path: Path) -> None:
    kept, plain = tmp_path / "kept", report(folder, "--keep", tmp_path / "whole")
    most = max(path.stat().st_size for path in (tmp_path / "whole").iterdir()) - 1  # there is room for all but one
    with full_after(most):
        done = COMMAND.invoke(app, ["audit", str(folder), "--keep", str(kept)])
    assert (done.exit_code, done.stdout) == (2, "")
    (said,) = done.stderr.splitlines()
    assert str(kept) in said
    assert "File too large" in said
    assert all(path.suffix == ".json" and path.stat().st_size <= most for path in kept.iterdir())
    assert report(folder, "--keep", kept) == plain


SLOW_PIECES = """
import sys, time
from grpocheck.verifier.audit import auditing
from grpocheck.verifier.audit.model import Lines
from grpocheck.verifier.audit.readers import groups
groups.BYTES_OF_A_STRETCH = 800
real = auditing.Piece.done
def slow(piece):
    time.sleep(0.15)
    return real(piece)
auditing.Piece.done = slow
sys.argv = ["grpocheck", *sys.argv[1:]]
from grpocheck.verifier.cli import main
main()
"""
"""The command, each piece of whose work takes a while."""


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_an_audit_that_was_ended_goes_on(end: signal.Signals, folder: Path, tmp_path: Path) -> None:
    """Ended again and again when one more entry is there, it gets to the end, and no entry is ever written again."""
    kept, plain = tmp_path / "kept", report(folder)
    command = [sys.executable, "-c", SLOW_PIECES, "audit", str(folder), "--keep", str(kept)]
    seen: dict[str, bytes] = {}
    for _ in range(4):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        patience = time.monotonic() + 300
        while process.poll() is None and len(list(kept.glob("*.json"))) <= len(seen):
            assert time.monotonic() < patience
            time.sleep(0.01)
        process.send_signal(end)
        _, said = process.communicate()
        assert process.returncode == (-signal.SIGKILL if end is signal.SIGKILL else 130)
        if end is not signal.SIGKILL:
            kept_there = f"grpocheck: what is done is kept in {str(kept)!r}: the same command goes on from there"
            assert said.splitlines() == [kept_there, "interrupted"]
        found = {path.name: path.read_bytes() for path in kept.glob("*.json")}
        assert seen.items() < found.items()
        seen = found
    assert report(folder, "--keep", kept) == plain
    after = {path.name: path.read_bytes() for path in kept.iterdir()}
    assert seen.items() < after.items()


@pytest.mark.slow
def test_two_audits_at_once_and_in_several_processes(folder: Path, tmp_path: Path) -> None:
    kept, plain = tmp_path / "kept", report(folder)
    command = [sys.executable, "-m", "grpocheck", "audit", str(folder), "--keep", str(kept)]
    both = [
        subprocess.Popen([*command, "--jobs", jobs], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for jobs in ("1", "2")
    ]
    for process in both:
        out, said = process.communicate()
        assert (process.returncode, said, out) == (1, "", plain)
    assert all(path.suffix == ".json" for path in kept.iterdir())
