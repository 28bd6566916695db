"""A trace that ends early, wherever it is cut: no reader and no command takes it for a whole one."""

from pathlib import Path

import pytest
from grpocheck.core import TraceError, read_trace
from grpocheck.verifier import check
from grpocheck.verifier.cli import app
from typer.testing import CliRunner

from tests.crashes.commands import EXAMPLES

COMMAND = CliRunner()


def invoked(*arguments: object) -> tuple[int, str]:
    """The exit status, and what is said on either stream."""
    done = COMMAND.invoke(app, [str(argument) for argument in arguments])
    return done.exit_code, done.stdout + done.stderr


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The trace of a run of six events or more."""
    path = tmp_path_factory.mktemp("trace") / "whole.jsonl"
    assert invoked("run", EXAMPLES / "two_paths.toml", "--seed", "1", "--trace", path)[0] == 0
    assert path.read_bytes().count(b"\n") > 6
    return path.read_bytes()


def test_no_beginning_of_a_trace_is_read_as_a_whole_one(trace: bytes, tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl"
    for end in places(trace, 13):
        path.write_bytes(trace[:end])
        with pytest.raises(TraceError):
            list(read_trace(path))
    path.write_bytes(trace)
    assert [fields["event"] for _, fields in read_trace(path)][-1] == "outcome"


def places(raw: bytes, step: int) -> list[int]:
    """Where a file is cut: around every line break, and every so many bytes."""
    breaks = [place for place, byte in enumerate(raw) if byte == ord("\n")]
    around = {place + more for place in breaks for more in (-1, 0, 1)}
    return sorted(place for place in {*around, *range(0, len(raw), step)} if 0 <= place < len(raw))


def test_no_beginning_of_a_trace_passes_the_checker(trace: bytes, tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl"
    for end in places(trace, 97):
        path.write_bytes(trace[:end])
        status, said = check.check(str(path))
        assert status == 2, (end, said)
    path.write_bytes(trace)
    assert check.check(str(path))[0] == 0


@pytest.mark.slow
def test_no_command_takes_the_beginning_of_a_trace(trace: bytes, tmp_path: Path) -> None:
    path, whole = tmp_path / "cut.jsonl", tmp_path / "whole.jsonl"
    whole.write_bytes(trace)
    for end in places(trace, 1009):
        path.write_bytes(trace[:end])
        for arguments in (("replay", path), ("check", path), ("diff", path, whole), ("draws", path)):
            status, said = invoked(*arguments)
            assert status == 2, (end, arguments, said)
            assert "Traceback" not in said
            assert "defect of grpocheck" not in said
