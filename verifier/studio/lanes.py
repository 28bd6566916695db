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
GRACE = 1.0
"""Seconds that a process may take to end by itself; one that is in the middle of a long operation does not."""


@dataclass
class Lane:
    """One process at a time, with its budget in seconds; contracts on or off in it."""

    name: str
    seconds: float
    contracts: bool
    process: subprocess.Popen[bytes] | None = None
    jobs: set[str] = field(default_factory=set)
    """The questions that are being answered or wait for it, as the page calls them."""
    cancelled: set[str] = field(default_factory=set)
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
        """End the process and what it started, whatever it does."""
        process, self.process = self.process, None
        if process is None:
            return
        process.terminate()  # a check that it started leads a group of its own, which only the process can end
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
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
        """Give up a question if it is being answered, or waits for it."""
        if job not in self.jobs:
            return False
        self.cancelled.add(job)
        return True

    def answer(self, question: str, request: dict[str, Any], job: str = "") -> dict[str, Any]:
        """The answer of the process; an error mapping where there is none within the budget."""
        until = time.monotonic() + self.seconds
        if job:
            self.jobs.add(job)
        try:
            while not self.busy.acquire(timeout=POLL):
                if job in self.cancelled:
                    return failure("cancelled", "cancelled")
                if time.monotonic() > until:
                    said = f"another question has been running for {self.seconds:.0f} s: cancel it first"
                    return failure("busy", said)
            try:
                return self.asked(question, request, job)
            finally:
                self.busy.release()
        finally:
            self.jobs.discard(job)
            self.cancelled.discard(job)

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
            if job in self.cancelled:
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
