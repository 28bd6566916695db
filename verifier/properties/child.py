"""A process that is asked by JSON on its input and answers by lines on its output, and does not outlive its asking."""

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO


class CheckFailed(RuntimeError):  # noqa: N818 - named for what it says
    """The process of a check ended without an answer; the message says how."""


@contextmanager
def child(
    module: str, request: str, environment: Mapping[str, str], leads: bool
) -> Iterator["queue.Queue[str | None]"]:
    """The lines that ``python -m module`` prints, None after the last; it is killed when the block ends.

    One that leads a group of its own is killed with all that it started, and Ctrl-C does not reach it; another one is
    in this process's group, and its complaints are not shown.
    """
    paths = os.pathsep.join(path for path in sys.path if path)
    process = subprocess.Popen(
        [sys.executable, "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if leads else subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": paths, **environment},
        text=True,
        start_new_session=leads,
    )
    lines: queue.Queue[str | None] = queue.Queue()
    assert process.stdin is not None
    assert process.stdout is not None
    reader = threading.Thread(target=read_lines, args=(process.stdout, lines), daemon=True)
    try:
        reader.start()
        try:
            process.stdin.write(request)
            process.stdin.close()
        except BrokenPipeError:
            raise CheckFailed("the process of the check did not start") from None
        yield lines
    finally:
        kill(process, leads)
        reader.join(1)
        process.stdout.close()


def read_lines(stream: IO[str], lines: "queue.Queue[str | None]") -> None:
    """Pass the lines of a stream on, and None at its end."""
    for line in stream:
        lines.put(line)
    lines.put(None)


def kill(process: "subprocess.Popen[str]", leads: bool) -> None:
    """Kill a process, with its group where it leads one; the group is its own, as it began a session."""
    if leads:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
