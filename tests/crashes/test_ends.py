"""How a command's process ends: interrupted, or where nobody reads what it says; and what it leaves in the folder."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.crashes.commands import EXAMPLE, EXAMPLES, LOG

LEAVING_A_THREAD = """
import threading
from grpocheck.verifier.failures import guarded
from grpocheck.verifier.isolation.threads import leaving_threads
from grpocheck.verifier.process import prepare
import sys, time, typer
@guarded
def command():
    threading.Thread(target=time.sleep, args=(600,)).start()
    {ends}
def main():
    try:
        command()
    except typer.Exit as end:
        sys.exit(end.exit_code)
prepare()
leaving_threads(main)
"""
"""A command that ends, or is interrupted, while a thread runs on that would take ten minutes."""


@pytest.mark.parametrize(
    ("ends", "status", "said"),
    [
        ("import os; os.kill(os.getpid(), 15); time.sleep(60)", 130, "interrupted\n"),
        ("return 3", 3, "grpocheck: user code left 1 thread running, not waited for (--isolate ends what it starts)\n"),
    ],
)
def test_threads_are_not_waited_for_and_named_only_where_a_command_came_to_its_end(
    ends: str, status: int, said: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEAVING_A_THREAD.format(ends=ends)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (status, said)


PROBLEM = str(EXAMPLES / "two_paths.toml")
SPEAKING: dict[str, tuple[list[str], int]] = {
    "run": (["run", PROBLEM, "--seed", "1"], 0),
    "check": (["check", "trace.jsonl"], 0),
    "audit": (["audit", LOG], 1),
    "law": (["law", EXAMPLE], 0),
    "dispute": (["dispute", str(EXAMPLES / "disputes" / "own.json")], 0),
    "verify": (["verify", "N4", "--jobs", "1"], 0),
    "prove": (["prove", "F_next < F", EXAMPLE], 1),
    "estimator": (["estimator", "section-1", EXAMPLE], 0),
    "help": (["--help"], 0),
    "version": (["--version"], 0),
}
"""Commands, and the exit status of each where somebody listens."""

QUICK = ("audit", "help", "version")
NAMES = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in SPEAKING]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a trace in it."""
    made = tmp_path_factory.mktemp("folder")
    arguments = ["run", PROBLEM, "--seed", "1", "--trace", "trace.jsonl"]
    subprocess.run([sys.executable, "-m", "grpocheck", *arguments], cwd=made, check=True, capture_output=True)
    return made


def ended(name: str, folder: Path, before: Callable[[], object] | None = None, **streams: Any) -> tuple[int, str]:
    """The exit status of a command and what it says on stderr, where that is listened to."""
    arguments = [sys.executable, "-m", "grpocheck", *SPEAKING[name][0]]
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **streams}
    done = subprocess.run(arguments, cwd=folder, preexec_fn=before, check=False, **streams)
    return done.returncode, (done.stderr or b"").decode()


def nobody_reads() -> int:
    """The writing end of a pipe whose reader has gone."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.parametrize("name", NAMES)
def test_a_reader_who_went_away_is_no_error(name: str, folder: Path) -> None:
    writing = nobody_reads()
    status, said = ended(name, folder, stdout=writing)
    os.close(writing)
    assert "Traceback" not in said
    assert "grpocheck:" not in said
    assert status == SPEAKING[name][1]


@pytest.mark.parametrize("name", NAMES)
def test_a_closed_stdout_is_said_before_anything_is_done(name: str, folder: Path) -> None:
    status, said = ended(name, folder, before=lambda: os.close(1))
    assert status == 2
    assert said == (
        "grpocheck: stdout is closed; expected somewhere for the result (>/dev/null where nobody wants it)\n"
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_full_stdout_is_said_in_one_line(name: str, folder: Path) -> None:
    with open("/dev/full", "wb") as full:
        status, said = ended(name, folder, stdout=full)
    (line,) = [line for line in said.splitlines() if "cache" not in line and " s)" not in line]
    assert line.startswith("grpocheck: ")
    assert "stdout" in line
    assert "No space left on device" in line
    assert status == 2


@pytest.mark.parametrize("name", NAMES)
def test_without_stderr_the_status_is_the_same(name: str, folder: Path) -> None:
    writing = nobody_reads()
    assert ended(name, folder, stderr=writing)[0] == SPEAKING[name][1]
    os.close(writing)
    assert ended(name, folder, before=lambda: os.close(2), stderr=None)[0] == SPEAKING[name][1]


@pytest.mark.slow
def test_a_verification_leaves_its_report_and_its_cache_and_nothing_else(tmp_path: Path) -> None:
    """B2 is checked by Hypothesis too, which keeps files of its own unless told otherwise."""
    (tmp_path / "examples").symlink_to(EXAMPLES)
    arguments = ["verify", "B2", "--jobs", "1", "--budget", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "grpocheck", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "property" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"examples", "verify.json", "build"}


INTERRUPTED_WHILE_IT_BEGINS = """
import sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from grpocheck.__main__ import main
main()
"""


INTERRUPTED_AT_ITS_FIRST_STEP = """
import grpocheck.verifier.cli
def interrupted():
    raise KeyboardInterrupt
grpocheck.verifier.cli.main = interrupted
from grpocheck.__main__ import main
main()
"""


@pytest.mark.parametrize("program", [INTERRUPTED_WHILE_IT_BEGINS, INTERRUPTED_AT_ITS_FIRST_STEP])
def test_an_interrupt_before_the_command_is_there_is_no_traceback(program: str) -> None:
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


def test_an_interrupt_while_the_arguments_are_read_is_no_traceback() -> None:
    program = """
import sys, typer
from grpocheck.verifier.command_line import usage
def interrupted(*arguments, **options):
    raise typer.Abort
usage.TyperGroup.main = interrupted
from grpocheck.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")
