"""A check in a process of its own, ended when its time is over or it is cancelled: a property that would run for ever
freezes nothing.

The process is that of worker.py. What is asked goes to it as JSON, and it answers with lines of JSON.
"""

import json
import queue
import time
from collections.abc import Callable

from grpocheck.contracts.clauses import SWITCH, ContractViolation
from grpocheck.core.problem import Problem
from grpocheck.core.writing import problem_to_toml
from grpocheck.verifier.properties.checking import Property
from grpocheck.verifier.properties.child import CheckFailed, child
from grpocheck.verifier.properties.engine import BUDGET, prepared
from grpocheck.verifier.properties.verdicts import Progress, Result, Scope, Verdict, result_from_mapping
from grpocheck.verifier.properties.writing import written

WORKER = "grpocheck.verifier.properties.worker"
GRACE = 1.0
"""Seconds past its budget after which a process that does not stop by itself is ended."""
STARTING = 20.0
"""Seconds that a process may take to start, which are not part of the budget."""
TICK = 0.05
"""Seconds between two looks at whether the check is cancelled."""


def check_in_process(
    stated: str | Property,
    problem: Problem,
    scope: str = Scope.RUN,
    budget: float = BUDGET,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Result:
    """``check`` in a process of its own, which is killed with all that it started when its time is over.

    A search among the problems of a shape runs with contracts off there, and the result says so; otherwise they are as
    they are here. Raises what ``check`` raises (ContractViolation among it), and CheckFailed where the process ends
    without an answer.
    """
    found, within = prepared(stated, problem, scope)
    request = {"property": found.text, "problem": problem_to_toml(problem), "scope": within.value, "budget": budget}
    began = time.monotonic()
    environment = {SWITCH: "off"} if within is Scope.SHAPE else {}
    with child(WORKER, json.dumps(request), environment, leads=True) as lines:
        limit, why = began + STARTING + budget, "it did not start in time"
        while True:
            reason = "cancelled" if cancelled is not None and cancelled() else None
            if time.monotonic() > limit:
                reason = why
            if reason is not None:
                return ended(found, within, reason, time.monotonic() - began)
            try:
                line = lines.get(timeout=TICK)
            except queue.Empty:
                continue
            if line is None:
                raise CheckFailed("the process of the check ended without an answer")
            message = json.loads(line)
            if "result" in message:
                return result_from_mapping(message["result"])
            if "violation" in message:
                raise ContractViolation(message["violation"])
            if "failure" in message:
                raise CheckFailed(message["failure"])
            if "started" in message:
                limit, why = time.monotonic() + budget + GRACE, f"the budget of {budget:g} s is spent"
            elif progress is not None:
                progress(*message["progress"])


def ended(stated: Property, scope: Scope, reason: str, seconds: float) -> Result:
    """The result of a check that was ended from outside."""
    text = written(stated.tree)
    return Result(text, scope, Verdict.UNDECIDED, "none", scope.value, 0, reason=reason, seconds=seconds)
