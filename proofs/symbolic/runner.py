"""Check harnesses symbolically: a process for each postcondition, refutations replayed, callees accounted for.

``check(all_harnesses(), jobs=2, budget=180)`` gives one Result for every postcondition, in the order of the harnesses.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from dataclasses import replace

from grpocheck.contracts.clauses import SWITCH
from grpocheck.proofs.symbolic.harness import Harness
from grpocheck.proofs.symbolic.verdicts import Counterexample, Finding, Result, Verdict

DEFAULT_BUDGET = 180.0
"""Seconds of processor time for one postcondition."""

PATIENCE = 4
"""How many times its budget a process may take by the clock, on a machine that is busy with something else."""

GRACE = 30.0
"""Seconds beyond that, for starting and for writing a counterexample."""

Progress = Callable[[Result, int, int], None]


class ChildError(RuntimeError):
    """A process that ended without an answer; the message says how."""


class _Children:
    """The processes that are running, so that they can be ended together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._stopped = False

    def answer(self, module: str, arguments: list[str], written: str, seconds: float) -> dict[str, object]:
        """The last line that ``python -m module`` prints, read as JSON; TimeoutExpired when it takes too long."""
        paths = os.pathsep.join(path for path in sys.path if path)
        environment = {**os.environ, SWITCH: "off", "PYTHONPATH": paths}
        with tempfile.TemporaryFile("w+") as complaints:
            with self._lock:
                if self._stopped:
                    raise ChildError("stopped")
                child = subprocess.Popen(
                    [sys.executable, "-m", module, *arguments],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=complaints,
                    env=environment,
                    text=True,
                )
                self._running.add(child)
            try:
                printed, _ = child.communicate(written, timeout=seconds)
            finally:
                child.kill()
                child.wait()
                with self._lock:
                    self._running.discard(child)
            if child.returncode != 0 or not printed.strip():
                complaints.seek(0)
                last = complaints.read().strip().splitlines()[-1:] or ["no message"]
                raise ChildError(f"its process ended with exit status {child.returncode}: {last[0]}")
        answer: dict[str, object] = json.loads(printed.splitlines()[-1])
        return answer

    def stop(self) -> None:
        """End every running process and start no other."""
        with self._lock:
            self._stopped = True
            for child in self._running:
                child.kill()


def check(
    harnesses: Iterable[Harness],
    jobs: int = 2,
    budget: float = DEFAULT_BUDGET,
    progress: Progress | None = None,
    executor: Executor | None = None,
) -> list[Result]:
    """The verdict on every postcondition of the harnesses, in order.

    ``budget`` is in seconds of processor time for each postcondition; ``jobs`` processes run at a time, or as many as
    an executor lets, which then starts them. ``progress`` is told each result as it comes, with how many are done of
    how many; a confirmation that rests on a callee that was not confirmed is withdrawn only in the list. An interrupt
    ends the processes.
    """
    tasks = [(entry, position) for entry in harnesses for position in range(len(entry.postconditions))]
    results: list[Result | None] = [None] * len(tasks)
    children = _Children()
    futures: dict[Future[Result], int] = {}
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for place, (entry, position) in enumerate(tasks):
                if executor is None:
                    futures[pool.submit(_check_one, children, entry, position, budget)] = place
                else:
                    futures[executor.submit(_check_elsewhere, entry, position, budget)] = place
            for done, future in enumerate(as_completed(futures), start=1):
                result = future.result()
                results[futures[future]] = result
                if progress is not None:
                    progress(result, done, len(tasks))
        except BaseException:
            children.stop()
            for future in futures:
                future.cancel()
            pool.shutdown(cancel_futures=True)
            raise
    return _resting_on_confirmed_callees([result for result in results if result is not None])


def _check_elsewhere(entry: Harness, position: int, budget: float) -> Result:
    """One postcondition, wherever this is called; the process ends with the call."""
    return _check_one(_Children(), entry, position, budget)


def _check_one(children: _Children, entry: Harness, position: int, budget: float) -> Result:
    place = [entry.module, entry.function, str(position)]
    try:
        seconds = PATIENCE * budget + GRACE
        finding = _finding(children.answer(f"{__package__}.worker", [*place, str(budget)], "", seconds))
    except ChildError as failure:
        finding = Finding(Verdict.ERROR, str(failure))
    except subprocess.TimeoutExpired as late:
        finding = Finding(Verdict.UNDECIDED, f"no answer within {late.timeout:.0f} s", seconds=late.timeout)
    counterexample = None
    if finding.verdict is Verdict.REFUTED:
        finding, counterexample = _replayed(children, place, finding)
    return Result(
        harness=entry.name,
        postcondition=entry.postconditions[position],
        size=entry.size,
        verdict=finding.verdict,
        detail=finding.detail,
        seconds=finding.seconds,
        paths=finding.paths,
        counterexample=counterexample,
        callees=finding.callees,
    )


def _finding(answer: dict[str, object]) -> Finding:
    fields: dict[str, object] = {**answer, "verdict": Verdict(str(answer["verdict"]))}
    callees = answer["callees"]
    assert isinstance(callees, list)
    return Finding(**{**fields, "callees": tuple(callees)})  # type: ignore[arg-type]


def _replayed(children: _Children, place: list[str], finding: Finding) -> tuple[Finding, Counterexample | None]:
    """A refutation, believed when its counterexample breaks the postcondition on concrete numbers too."""
    try:
        answer = children.answer(f"{__package__}.replay", place, json.dumps(finding.arguments), GRACE)
    except (ChildError, subprocess.TimeoutExpired) as failure:
        answer = {"broken": False, "raised": None, "found": str(failure)}
    # A counterexample by an exception is one only if the same exception was found symbolically.
    if answer["broken"] and (answer["raised"] is None or finding.detail.startswith(f"{answer['raised']}:")):
        arguments = answer["arguments"]
        assert isinstance(arguments, dict)
        return finding, Counterexample(arguments, str(answer["found"]))
    detail = f"counterexample does not replay: {finding.detail}; on concrete numbers: {answer['found']}"
    return replace(finding, verdict=Verdict.UNDECIDED, detail=detail), None


def _resting_on_confirmed_callees(results: list[Result]) -> list[Result]:
    """The results, a confirmation withdrawn where a callee with contracts was not confirmed here.

    CrossHair leaves out the paths on which a callee breaks its contract, so that a wrong contract hides its callers.
    """
    while True:
        confirmed = {result.harness for result in results}
        confirmed -= {result.harness for result in results if result.verdict is not Verdict.CONFIRMED}
        resting = [
            result
            if result.verdict is not Verdict.CONFIRMED or set(result.callees) <= confirmed
            else replace(
                result,
                verdict=Verdict.UNDECIDED,
                detail=f"rests on {', '.join(sorted(set(result.callees) - confirmed))}, not confirmed in this run",
            )
            for result in results
        ]
        if resting == results:
            return results
        results = resting
