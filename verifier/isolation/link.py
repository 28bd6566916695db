"""A process of user code from outside: started, asked with a time limit, and ended with all that it started."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from grpocheck.core.received import in_a_line
from grpocheck.core.violations import Clause, ClauseBroken
from grpocheck.verifier.isolation.frames import Gone, Late, receive, send

SECONDS = 10.0
"""How long a call may take where nothing is said."""
START_SECONDS = 60.0
"""How long a process may take to import what it is to run."""
MEGABYTES = 4096
"""How much memory, as addresses, it may take where nothing is said."""
MOMENT = 0.25
MOST_SAID = 400


class NotReady(Exception):  # noqa: N818 - what a process is
    """A process that is fit for no call: what is wrong, and what was expected."""

    def __init__(self, problem: str, expected: str) -> None:
        """Keep both, each as one line."""
        super().__init__(problem)
        self.problem = in_a_line(problem, MOST_SAID)
        self.expected = in_a_line(expected, MOST_SAID)


class Link:
    """The process, and the way to it; a late or broken answer ends both."""

    def __init__(self, end: socket.socket, pid: int, seconds: float) -> None:
        """Take charge of a process that was started."""
        self.end = end
        self.pid: int | None = pid
        self.seconds = seconds
        self.ended = ""

    def ask(self, message: Mapping[str, Any] | None, seconds: float | None = None) -> dict[str, Any]:
        """The answer to a message, or what is said unasked. Raises ClauseBroken where nothing comes in time."""
        if self.pid is None:
            raise ClauseBroken(Clause.ANSWERS, self.ended)
        limit = self.seconds if seconds is None else seconds
        self.end.settimeout(limit)
        deadline = time.monotonic() + limit
        try:
            if message is not None:
                send(self.end, message)
            self.end.settimeout(None)
            answer = receive(self.end, deadline)
        except Late:
            self.close()
            self.ended = f"gave no answer within {limit:g} s; its process was ended"
        except Gone as error:
            ended = self.close()
            self.ended = ended if ended and error.is_silent else str(error)
        else:
            if isinstance(answer, dict):
                return answer
            self.close()
            self.ended = "its process sent what is no answer"
        raise ClauseBroken(Clause.ANSWERS, self.ended)

    def close(self) -> str:
        """End the process and what it started; how it had ended by itself, in words, where it had."""
        if self.pid is None:
            return ""
        pid, self.pid = self.pid, None
        self.end.close()
        by_itself = ended_by_itself(pid)
        for end_it, of in ((os.killpg, pid), (os.kill, pid)):  # as long as it is not waited for, the number is its own
            with contextlib.suppress(ProcessLookupError, PermissionError):
                end_it(of, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if not by_itself:
            return ""
        if os.WIFSIGNALED(status):
            return f"its process was ended by signal {os.WTERMSIG(status)}"
        return f"its process exited with status {os.WEXITSTATUS(status)} in place of an answer"


def ended_by_itself(pid: int) -> bool:
    """Whether a process is at its end, or comes to it within a moment; False where the system does not tell."""
    if not hasattr(os, "waitid"):
        return False
    end = time.monotonic() + MOMENT
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() > end:
            return False
        time.sleep(MOMENT / 50)
    return True


def started(service: str, name: str, seconds: float, megabytes: int | None, **more: Any) -> tuple[Link, Any]:
    """A process of its own for user code that is found by its name, and what it says of it.

    Raises NotReady where the code cannot be found, or importing it takes longer than START_SECONDS.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "grpocheck.verifier.isolation.child", str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=2,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    process.returncode = 0  # waited for by its link
    link = Link(ours, process.pid, seconds)
    told = {"service": service, "name": name, "megabytes": megabytes, "path": [os.getcwd(), *sys.path], **more}
    return link, ready(link, told)


def forked(body: Callable[[socket.socket], None], seconds: float) -> tuple[Link, Any]:
    """A copy of this process that runs a body which never returns, and what it says when it is ready.

    Python 3.12 and later warn that a lock which another thread holds stays locked in the copy. Who forks here has no
    use for that: a copy that gets stuck is late, and ended.
    """
    ours, theirs = socket.socketpair()
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"This process .* is multi-threaded", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        ours.close()
        body(theirs)
    theirs.close()
    link = Link(ours, pid, seconds)
    return link, ready(link, None)


def ready(link: Link, told: Mapping[str, Any] | None) -> Any:
    """What a process says before the first call. Raises NotReady where it is not fit for any."""
    expected = "code that can be imported in a process of its own"
    try:
        answer = link.ask(told, START_SECONDS)
    except ClauseBroken as broken:
        raise NotReady(f"it {broken}", expected) from broken
    if "ready" not in answer:
        link.close()
        raise NotReady(str(answer.get("bad")), str(answer.get("expected", expected)))
    return answer["ready"]
