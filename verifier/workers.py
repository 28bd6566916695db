"""Evidence in processes of its own, each with a budget: a check that hangs or crashes costs only its own finding."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from grpocheck.contracts.claims import claims_named_in
from grpocheck.contracts.clauses import SWITCH, ContractViolation
from grpocheck.proofs.evidence import Budget, Evidence, Finding, OutOfBudget, broken, find, refuted, undecided
from grpocheck.proofs.lifeline import end_with

GRACE = 15.0
"""Seconds past its budget after which a process that does not stop by itself is ended."""

NOWHERE = os.path.join(os.devnull, "hypothesis")
"""Where no folder can be made: Hypothesis keeps nothing between two checks, least of all in the user's folder."""


@dataclass(frozen=True)
class Outcome:
    """The findings of one piece of evidence, claim by claim, and the seconds that it took."""

    findings: dict[str, Finding]
    seconds: float


Progress = Callable[[str, int, int], None]
"""Told the name of a piece of evidence, and how many cases are done of how many."""


def violated_claims(violation: ContractViolation) -> tuple[str, ...]:
    """The claims that a violated contract's message names; empty where it names none."""
    return next((named for line in str(violation).splitlines() if (named := claims_named_in(line))), ())


def findings_of(entry: Evidence, budget: Budget) -> dict[str, Finding]:
    """Run a piece of evidence here. A violated contract refutes the claims that it names, or all that were declared."""
    try:
        return entry.findings(entry.check(budget))
    except OutOfBudget as over:
        return dict.fromkeys(entry.claims, undecided(f"out of its budget: {over}"))
    except ContractViolation as violation:
        message = str(violation)
        named = violated_claims(violation) or entry.claims
        others = dict.fromkeys(entry.claims, undecided(f"stopped by a violated contract of {', '.join(named)}"))
        return {**others, **dict.fromkeys(named, refuted(message))}
    except Exception as error:
        return dict.fromkeys(entry.claims, broken(f"the check failed: {type(error).__name__}: {error}"))


def run_in_child(name: str, seconds: float, pipe: Connection) -> None:
    """The body of a worker process: sends ``("progress", done, total)`` and at last the findings or why it has none."""
    os.setsid()
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", NOWHERE)
    parent = multiprocessing.parent_process()
    assert parent is not None
    assert parent.pid is not None
    end_with(parent.pid)
    try:
        entry = find(name)
    except Exception as error:
        pipe.send(("failed", f"its module cannot be imported: {type(error).__name__}: {error}"))
    else:
        budget = Budget(seconds, lambda done, total: pipe.send(("progress", done, total)))
        pipe.send(("findings", findings_of(entry, budget)))
    pipe.close()


class _Worker:
    """One piece of evidence in its process."""

    def __init__(self, entry: Evidence, seconds: float) -> None:
        """Start the process."""
        context = multiprocessing.get_context("spawn")
        self.entry = entry
        self.seconds = seconds
        self.started = time.monotonic()
        self.pipe, far_end = context.Pipe(duplex=False)
        self.process: BaseProcess = context.Process(
            target=run_in_child, args=(entry.name, seconds, far_end), name=entry.name, daemon=True
        )
        with contracts_switched(entry.contracts), interrupts_delayed():
            self.process.start()
        far_end.close()

    def elapsed(self) -> float:
        """Seconds since the process was started."""
        return time.monotonic() - self.started

    def read(self, progress: Progress) -> dict[str, Finding] | None:
        """The findings, if they have come; reports progress on the way."""
        try:
            while self.pipe.poll():
                message: tuple[Any, ...] = self.pipe.recv()
                if message[0] == "findings":
                    findings: dict[str, Finding] = message[1]
                    return findings
                if message[0] == "failed":
                    return self._all(broken(message[1]))
                progress(self.entry.name, message[1], message[2])
        except (EOFError, OSError):
            self.process.join()
            return self._all(broken(f"its process ended with exit status {self.process.exitcode} and no finding"))
        if self.elapsed() > self.seconds + GRACE:
            return self._all(undecided(f"out of its budget: ended after {self.elapsed():.0f} s without an answer"))
        return None

    def _all(self, finding: Finding) -> dict[str, Finding]:
        """One finding for every claim of the evidence."""
        return dict.fromkeys(self.entry.claims, finding)

    def stop(self) -> None:
        """End the process and those that it started, if they still run, and close the pipe."""
        self._signal(signal.SIGTERM)
        self.process.join(2)
        self._signal(signal.SIGKILL)
        self.process.join()
        self.pipe.close()

    def _signal(self, number: signal.Signals) -> None:
        """Send a signal to the process group; to the process alone where it does not lead one yet."""
        assert self.process.pid is not None
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            if self.process.is_alive():
                os.kill(self.process.pid, number)


def run_evidence(
    entries: Sequence[tuple[Evidence, float]], jobs: int, progress: Progress
) -> Iterator[tuple[Evidence, Outcome]]:
    """Run pieces of evidence, each with its seconds, at most ``jobs`` at a time; yields them as they finish.

    Contracts are on in a worker unless its evidence says otherwise, whatever the calling process has. Closing the
    iterator ends what still runs.
    """
    waiting = list(reversed(entries))
    running: list[_Worker] = []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                running.append(_Worker(*waiting.pop()))
            wait([worker.pipe for worker in running], timeout=0.5)
            for worker in list(running):
                findings = worker.read(progress)
                if findings is not None:
                    running.remove(worker)
                    worker.stop()
                    yield worker.entry, Outcome(findings, worker.elapsed())
    finally:
        for worker in running:
            worker.stop()


def outcome_of(name: str, seconds: float) -> Outcome:
    """One piece of evidence by name, in a process of its own, wherever this is called."""
    ((_, outcome),) = run_evidence([(find(name), seconds)], 1, lambda name, done, total: None)
    return outcome


def run_elsewhere(
    entries: Sequence[tuple[Evidence, float]], executor: Executor
) -> Iterator[tuple[Evidence, Outcome]]:
    """As run_evidence, each piece being a call of outcome_of that an executor makes; nobody hears of progress.

    Closing the iterator takes back what still runs.
    """
    waiting = {executor.submit(outcome_of, entry.name, seconds): entry for entry, seconds in entries}
    try:
        for future in as_completed(waiting):
            yield waiting[future], future.result()
    finally:
        for future in waiting:
            future.cancel()


@contextmanager
def interrupts_delayed() -> Iterator[None]:
    """Ctrl-C waits while the block runs and never reaches a process that is started in it: only this one handles it.

    Blocked it is for this thread and that process alone: another thread may take it, for which this one is interrupted.
    """
    came: list[int] = []
    handler = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    if handler is not None:
        signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    resource_tracker.ensure_running()  # else the first process starts it, and that unblocks the signal
    previous = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous)
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
        if came:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def contracts_switched(on: bool) -> Iterator[None]:
    """The environment in which a process is started, with contracts on or off."""
    previous = os.environ.get(SWITCH)
    os.environ[SWITCH] = "on" if on else "off"
    try:
        yield
    finally:
        if previous is None:
            del os.environ[SWITCH]
        else:
            os.environ[SWITCH] = previous
