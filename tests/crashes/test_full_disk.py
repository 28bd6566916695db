"""Where there is no room, or no place: one line that names the path, exit status 2, the older file, no leftovers."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from grpocheck.core import TraceError
from grpocheck.core.training_free.trace import resumed
from grpocheck.verifier.cli import app
from typer.testing import CliRunner

from tests.crashes.commands import COMMANDS, QUICK
from tests.crashes.test_whole_files import full_after

SLOW = [name for name in COMMANDS if name not in QUICK]
COMMAND = CliRunner()


def refused(arguments: list[str], *words: str) -> None:
    """Exit status 2 and one line that has the words."""
    done = COMMAND.invoke(app, arguments)
    assert done.exit_code == 2, done.output
    (said,) = done.stderr.strip().splitlines()
    assert "Traceback" not in said
    for word in words:
        assert word in said


OLDER = {
    "run": '{"event": "start", "schema": "grpocheck-trace/1"}\n',
    "audit-sarif": '{"runs": [{"tool": {"driver": {"name": "grpocheck"}}}]}',
    "audit-html": "<!doctype html>\n<title>grpocheck audit</title></html>",
    "estimator": '<svg font-size="12" role="img"></svg>',
    "dispute": "# Disputes\n",
    "vectors": '{"schema": "grpocheck-vectors/1"}',
    "prove": "# Against the property: F_next < F\n",
}
"""What an earlier call may have left: only such a file is written over."""


def full(name: str, folder: Path) -> None:
    path = folder / "file"
    writing = COMMANDS[name]
    if writing.replaces:
        path.write_text(OLDER[name])
    with full_after(100):
        refused(writing.at(path), repr(str(path)), "File too large", "expected a file that can be written")
    left = {each.name: each.read_text() for each in folder.iterdir()}
    assert left == ({"file": OLDER[name]} if writing.replaces else {})


@pytest.mark.parametrize("name", QUICK)
def test_a_full_disk(name: str, tmp_path: Path) -> None:
    full(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SLOW if name != "training-free"])
def test_a_full_disk_slowly(name: str, tmp_path: Path) -> None:
    full(name, tmp_path)


@pytest.mark.slow
def test_a_training_free_run_on_a_full_disk_keeps_its_lines_and_is_gone_on_with(tmp_path: Path) -> None:
    writing, path, whole = COMMANDS["training-free"], tmp_path / "file", tmp_path / "whole"
    assert COMMAND.invoke(app, writing.at(whole)).exit_code == 0
    with full_after(60_000):
        refused(writing.at(path), repr(str(path)), "File too large")
    kept = path.read_bytes()
    assert kept.endswith(b"\n")
    assert 20_000 < len(kept) <= 60_000
    assert whole.read_bytes().startswith(kept)
    assert COMMAND.invoke(app, [*writing.at(path), "--resume"]).exit_code == 0
    assert path.read_bytes() == whole.read_bytes()


def in_the_way(folder: Path, kind: str) -> tuple[Path, str]:
    """A place where no file can be written, and what is said of it."""
    path = folder / "x"
    if kind == "folder":
        path.mkdir()
        return path, "it is"
    if kind == "pipe":
        os.mkfifo(path)
        return path, "it is"
    if kind == "file above":
        path.write_text("")
        return path / "y", "there is no folder"
    if kind == "nothing above":
        return path / "y", "there is no folder"
    return Path(kind), "it is"


PLACES = ["folder", "pipe", "file above", "nothing above", "/dev/full"]


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("name", QUICK)
def test_a_place_where_no_file_can_be(name: str, kind: str, tmp_path: Path) -> None:
    path, said = in_the_way(tmp_path, kind)
    before = sorted(tmp_path.iterdir())
    refused(COMMANDS[name].at(path), repr(str(path)), said, "expected a file that")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.slow
@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("name", SLOW)
def test_a_place_where_no_file_can_be_slowly(name: str, kind: str, tmp_path: Path) -> None:
    test_a_place_where_no_file_can_be(name, kind, tmp_path)


def test_where_stdout_goes_no_file_is_written(tmp_path: Path) -> None:
    """The report would be written over by the file, or the file by the report."""
    out = tmp_path / "out.sarif"
    with out.open("w") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "grpocheck", *COMMANDS["audit-sarif"].at(out)],
            stdout=stdout, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert "it is what stdout or stderr goes to" in done.stderr
    assert out.read_text() == ""


def mounted(folder: Path, options: str) -> None:
    """A small file system of its own at a folder, or a skip that says why there is none."""
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small file system")
def test_a_file_system_without_room(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted(folder, "size=64k")
    try:
        (folder / "file").write_text(OLDER["run"])
        with (folder / "filler").open("wb", buffering=0) as filler, suppress(OSError):
            while True:
                filler.write(b"0" * 4096)
        refused(COMMANDS["run"].at(folder / "file"), str(folder / "file"), "No space left on device")
        (folder / "filler").unlink()
        assert {each.name: each.read_text() for each in folder.iterdir()} == {"file": OLDER["run"]}
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a read-only file system")
@pytest.mark.parametrize("name", ["run", "new"])
def test_a_file_system_that_is_read_only(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "fixed"
    folder.mkdir()
    mounted(folder, "size=64k")
    try:
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        refused(COMMANDS[name].at(folder / "file"), str(folder / "file"), "Read-only file system")
        with pytest.raises(TraceError, match="No such file"):
            resumed(folder / "file")
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(os.getuid() == 0, reason="root writes in every folder")
def test_a_folder_in_which_one_may_not_write(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    refused(COMMANDS["new"].at(tmp_path / "file"), str(tmp_path / "file"), "Permission denied")
