"""Lanes: processes that answer the page's questions one at a time, each within a budget, and can be cancelled.

The server itself computes nothing. A question that takes longer than its budget, or is cancelled, ends with its
process; the next one finds a new process. So no problem and no property can freeze the page, and none runs on.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from grpocheck.contracts.clauses import SWITCH

MODULE = "grpocheck.verifier.studio.worker"
POLL = 0.05


@dataclass
class Lane:
    """One process at a time, with its budget in seconds; contracts on or off in it."""

    name: str
    seconds: float
    contracts: bool
    process: subprocess.Popen[bytes] | None = None
    job: str = ""
    """The question that is being answered, as the page calls it."""
    cancelled: str = ""
    busy: threading.Lock = field(default_factory=threading.Lock)
    closed: bool = False

    def start(self) -> None:
        """Start a process unless there is one."""
        if self.process is not None and self.process.poll() is None:
            return
        environment = {**os.environ, SWITCH: "on" if self.contracts else "off"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )

    def stop(self) -> None:
        """End the process, whatever it does."""
        process, self.process = self.process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # a session of its own: what it started ends with it
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def close(self) -> None:
        """End the process for good."""
        self.closed = True
        self.stop()

    def cancel(self, job: str) -> bool:
        """Give up a question if it is the one being answered."""
        if not job or self.job != job:
            return False
        self.cancelled = job
        return True

    def answer(self, question: str, request: dict[str, Any], job: str = "") -> dict[str, Any]:
        """The answer of the process; an error mapping where there is none within the budget."""
        if not self.busy.acquire(timeout=self.seconds):
            return failure("busy", f"another question has been running for {self.seconds:.0f} s: cancel it first")
        try:
            self.job = job
            return self.asked(question, request, job)
        finally:
            self.job = ""
            self.busy.release()

    def asked(self, question: str, request: dict[str, Any], job: str) -> dict[str, Any]:
        """Send a question and wait for its line."""
        self.start()
        process = self.process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        line = json.dumps({"question": question, "request": request}).encode() + b"\n"
        try:
            process.stdin.write(line)
            process.stdin.flush()
        except OSError:
            self.stop()
            return failure("lost", "the process that answers is gone: ask again")
        until = time.monotonic() + self.seconds
        received = bytearray()
        descriptor = process.stdout.fileno()
        while not received.endswith(b"\n"):
            if job and self.cancelled == job:
                self.renew()
                return failure("cancelled", "cancelled")
            if self.closed or time.monotonic() > until:
                self.renew()
                return failure("budget", f"not answered within {self.seconds:.0f} s, and given up: undecided")
            if select.select([descriptor], [], [], POLL)[0]:
                chunk = os.read(descriptor, 1 << 20)
                if not chunk:
                    self.renew()
                    return failure("lost", "the process that answers ended: out of memory, perhaps")
                received += chunk
        answer: dict[str, Any] = json.loads(received)
        return answer

    def renew(self) -> None:
        """A new process in place of one that is given up."""
        self.stop()
        if not self.closed:
            self.start()


def failure(kind: str, message: str) -> dict[str, Any]:
    """An answer that is an error: its kind and what to tell people."""
    return {"error": {"kind": kind, "message": message}}
