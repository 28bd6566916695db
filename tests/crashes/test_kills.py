"""Commands killed at moments drawn from a seed: no half file is there, nothing runs on, and the next one finishes."""

import os
import random
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from grpocheck.core import TraceWriter, read_problem, run

from tests.crashes.commands import COMMANDS, EXAMPLES

KILLS = 3

SILENT = {
    "law": ["law", str(EXAMPLES / "two_paths.toml")],
    "lesson": ["lesson", "--all"],
    "dispute": ["dispute", str(EXAMPLES / "disputes" / "own.json")],
    "check": ["check", "TRACE"],
}
"""Commands that write no file; TRACE stands for a trace in another folder."""


def running_with(mark: str) -> list[int]:
    """The processes that were started with a mark in their environment, those of this machine's /proc."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                if mark.encode() in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


def killed(arguments: list[str], moment: float | Callable[[], bool], folder: Path) -> None:
    """Start a command, kill it alone after some seconds or when it is so far, and see all that it started end too."""
    mark = uuid.uuid4().hex
    process = subprocess.Popen(
        [sys.executable, "-m", "grpocheck", *arguments], cwd=folder, env={**os.environ, "CRASH_MARK": mark},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    begun = time.monotonic()
    while process.poll() is None and not (moment() if callable(moment) else time.monotonic() > begun + moment):
        time.sleep(0.02)
    process.kill()
    process.wait()
    end = time.monotonic() + 60
    while running_with(mark):
        assert time.monotonic() < end, "a process runs on"
        time.sleep(0.2)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc to find processes in")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_killed_at_any_time(name: str, tmp_path: Path) -> None:
    writing, path = COMMANDS[name], tmp_path / "file"
    moments = random.Random(name)
    for _ in range(KILLS):
        if not writing.replaces and name == "new":
            path.unlink(missing_ok=True)
        resumes = name == "training-free" and path.exists()
        killed([*writing.at(path), *(["--resume"] if resumes else [])], moments.uniform(0.2, writing.seconds), tmp_path)
        if path.exists() and name != "training-free":
            writing.whole(path)
    if name == "new":
        path.unlink(missing_ok=True)
    again = [*writing.at(path), *(["--resume"] if name == "training-free" and path.exists() else [])]
    done = subprocess.run([sys.executable, "-m", "grpocheck", *again], capture_output=True, check=False)
    assert done.returncode == writing.exits
    writing.whole(path)
    assert [each.name for each in tmp_path.iterdir() if each.name.endswith(".partial")] == []


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace, alone in a folder."""
    path = tmp_path_factory.mktemp("trace") / "trace.jsonl"
    with TraceWriter(path) as writer:
        run(read_problem(EXAMPLES / "two_paths.toml"), seed=1, observer=writer)
    return path


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc to find processes in")
@pytest.mark.parametrize("name", SILENT)
def test_a_killed_command_that_writes_no_file_leaves_nothing(name: str, trace: Path, tmp_path: Path) -> None:
    arguments = [str(trace) if word == "TRACE" else word for word in SILENT[name]]
    before = trace.read_bytes()
    killed(arguments, random.Random(name).uniform(0.2, 3), tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert (trace.read_bytes(), os.listdir(trace.parent)) == (before, [trace.name])


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc to find processes in")
def test_a_killed_verification_goes_on_with_what_it_found(tmp_path: Path) -> None:
    """What was found before the kill is in the cache, whole, and is not computed again."""
    (tmp_path / "examples").symlink_to(EXAMPLES)
    arguments = ["verify", "N1", "N2", "N4", "--jobs", "1", "--cache", "cache"]
    cache = tmp_path / "cache"
    for entries in (1, 2):
        killed(arguments, lambda wanted=entries: len(list(cache.glob("*.json"))) >= wanted, tmp_path)
    kept = {path.name: path.read_bytes() for path in (tmp_path / "cache").glob("*.json")}
    assert len(kept) >= 2
    done = subprocess.run(
        [sys.executable, "-m", "grpocheck", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("from the cache") == len(kept)
    assert kept.items() <= {path.name: path.read_bytes() for path in (tmp_path / "cache").glob("*.json")}.items()
    assert [path.name for path in (tmp_path / "cache").iterdir() if path.suffix != ".json"] == []
