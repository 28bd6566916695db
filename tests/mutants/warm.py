"""A warm process that examines changed trees in children of its own: the packages that do not change are loaded once.

A child is forked from here, imports the changed tree and runs what it is asked to. Its time is that of the processor,
so that a busy machine changes no result; a child that is not done when its time is over is ended.
"""

import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

# What core, its evidence and its tests import from elsewhere, loaded before the first fork.
import flint  # noqa: F401
import icontract  # noqa: F401
import mpmath  # noqa: F401
import pytest
import typer.testing  # noqa: F401

Answer = dict[str, Any] | None
LONGEST_WAIT = 10.0
"""How many times its processor time a child may take by the clock of a busy machine."""

MEMORY = 6 * 2**30


class OutOfTime(BaseException):
    """The processor time of a child is over."""


def in_a_child(tree: Path, seconds: float, work: Callable[[], Answer]) -> tuple[Answer, float]:
    """What the work answers with the packages of a tree, and its processor time; what never ends is said not to."""
    if any(name.partition(".")[0] == "grpocheck" for name in sys.modules):
        raise RuntimeError("grpocheck is imported already: a child would not import the changed tree")
    receiving, sending = os.pipe()
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        os.close(receiving)
        _work_and_exit(tree, seconds, work, sending)
    os.close(sending)
    chunks: list[bytes] = []
    ended_for: str | None = None
    while True:
        left = seconds * LONGEST_WAIT + 60 - (time.monotonic() - started)
        if left <= 0 or not select.select([receiving], [], [], left)[0]:
            ended_for = "it does not end"
            break
        chunk = os.read(receiving, 1 << 16)
        if not chunk:
            break
        chunks.append(chunk)
    os.close(receiving)
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        os.kill(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    text = b"".join(chunks).decode()
    if ended_for is None and text:
        answer: Answer = json.loads(text)
    else:
        says = ended_for or f"its process ended with status {status} and no answer"
        answer = {"evidence": "time" if os.WIFSIGNALED(status) else "process", "claims": [], "says": says}
    return answer, usage.ru_utime + usage.ru_stime


def _work_and_exit(tree: Path, seconds: float, work: Callable[[], Answer], sending: int) -> None:
    """The body of a child."""
    os.setsid()
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silent, stream)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 5, int(seconds) + 10))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _time_is_over)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(tree))
    os.environ["PYTHONPATH"] = str(tree)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    try:
        answer = work()
    except OutOfTime:
        answer = {"evidence": "time", "claims": ["C4"], "says": f"not done after {seconds:g} s"}
    except BaseException as error:
        answer = {"evidence": "import", "claims": [], "says": f"{type(error).__name__}: {error}"[:300]}
    signal.setitimer(signal.ITIMER_PROF, 0)
    os.write(sending, json.dumps(answer).encode())
    os._exit(0)


def _time_is_over(_signal: int, _frame: object) -> None:
    """End the work of this process."""
    raise OutOfTime


def failing_test(paths: Sequence[str]) -> Answer:
    """The first test under some paths that fails on the packages of this process; None where all pass."""
    noted = Noted()
    arguments = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:warnings", *paths]
    status = pytest.main(arguments, plugins=[noted])
    if status == pytest.ExitCode.OK:
        return None
    if status not in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED):
        raise RuntimeError(f"pytest ended with {status!r}")
    return {"test": noted.name or f"collection: {status!r}"}


class Noted:
    """A plugin of pytest that remembers the first test that fails."""

    name = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the test."""
        if report.failed and not self.name:
            self.name = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a file that cannot be collected."""
        if report.failed and not self.name:
            self.name = report.nodeid
