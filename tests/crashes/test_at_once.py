"""Two whole commands at once on one output: one result stands there, whole, and where one has to wait it is told."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.crashes.commands import COMMANDS, EXAMPLES

TAKEN = ("it is there already", "it exists", "File exists", "another process is writing it", "there is something in it")
"""What is said of a place that another one has taken, by how far the other one is."""


def both(first: list[str], second: list[str], folder: Path) -> list[tuple[int, str]]:
    """The exit statuses of two commands that are started together, and what each says on stderr."""
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "grpocheck", *arguments], cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        for arguments in (first, second)
    ]  # fmt: skip
    said = [process.communicate()[1] for process in started]
    return [(process.returncode, words) for process, words in zip(started, said, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in COMMANDS if COMMANDS[name].replaces])
def test_each_writes_its_file_and_the_last_one_stays(name: str, tmp_path: Path) -> None:
    path, writing = tmp_path / "file", COMMANDS[name]
    for status, said in both(writing.at(path), writing.at(path), tmp_path):
        assert status == writing.exits, said
    writing.whole(path)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in COMMANDS if not COMMANDS[name].replaces])
def test_of_two_that_write_over_nothing_one_is_refused(name: str, tmp_path: Path) -> None:
    path, writing = tmp_path / "file", COMMANDS[name]
    (_, silence), (refused, said) = sorted(both(writing.at(path), writing.at(path), tmp_path))
    assert (silence, refused) == ("", 2)
    assert any(words in said for words in TAKEN)
    assert len(said.splitlines()) == 1
    writing.whole(path)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@pytest.mark.slow
def test_two_verifications_share_a_cache_and_a_report(tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(EXAMPLES)
    arguments = ["verify", "N4", "--jobs", "1", "--cache", "cache"]
    for status, said in both(arguments, arguments, tmp_path):
        assert status == 0, said
    assert {path.name for path in tmp_path.iterdir()} - {"build"} == {"examples", "cache", "verify.json"}
    assert all(path.suffix == ".json" for path in (tmp_path / "cache").iterdir())
