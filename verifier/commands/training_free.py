"""The command ``training-free``: run a task, show what happened, and go on with a trace."""

import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from grpocheck.contracts.clauses import ENABLED
from grpocheck.core.arithmetic.enclosing import enclose
from grpocheck.core.training_free.outcome import Iteration, Outcome
from grpocheck.core.training_free.procedure import run
from grpocheck.core.training_free.stopping import Stop
from grpocheck.core.training_free.trace import Kind, Record, Watch, resumed
from grpocheck.verifier.failures import BadOption, emit
from grpocheck.verifier.files import check_place, in_trace
from grpocheck.verifier.printing import printable
from grpocheck.verifier.progress import progress_bar
from grpocheck.verifier.tables import drawn, table
from grpocheck.verifier.training_free.tasks import check_introspection, load_task
from rich.console import RenderableType
from rich.text import Text

REASONS = {
    Stop.SOLVED: "a response passes all tests",
    Stop.BUDGET: "the iteration budget is used up",
    Stop.STALLED: "the best reward improved by less than delta over the iteration before",
}
MOST_PATTERNS_SHOWN = 12


@dataclass(frozen=True)
class TrainingFreeRequest:
    """What was asked of ``training-free``."""

    task: Path
    introspect: str | None = None
    seed: int | None = None
    trace: Path | None = None
    resume: bool = False
    json: bool = False


def run_task(request: TrainingFreeRequest) -> int:
    """Run a task file and print its outcome; 0 for any of the three reasons to stop."""
    check_introspection(request.introspect)
    task, supply = load_task(request.task, request.introspect)
    with ExitStack() as stack:
        advance = stack.enter_context(progress_bar("iterations", task.iterations))

        def watch(kind: Kind, values: Mapping[str, object]) -> None:
            if kind is Kind.STOP:
                advance(1)

        if request.trace is not None:
            stack.enter_context(in_trace(request.trace))
        record = stack.enter_context(record_of(request, watch))
        outcome = run(task, supply, seed=seed_of(request, record), record=record)
    if request.json:
        mapping = {**outcome.to_mapping(), "contracts": "on" if ENABLED else "off"}
        emit(json.dumps(mapping, indent=2, ensure_ascii=False))
    else:
        emit(drawn(outcome_parts(outcome, printable(request.task))))
    return 0


def record_of(request: TrainingFreeRequest, watch: Watch) -> Record:
    """The trace that is written or gone on with. Raises BadOption for one that would be overwritten."""
    if request.trace is None:
        if request.resume:
            raise BadOption("--resume", None, "there is no trace to go on with", "--trace FILE with it")
        return Record(watch=watch)
    if request.resume:
        return resumed(request.trace, watch)
    check_place("--trace", request.trace)
    if request.trace.exists():
        raise BadOption("--trace", request.trace, "it exists", "--resume to go on with it, or another name")
    return Record(request.trace, watch=watch)


def seed_of(request: TrainingFreeRequest, record: Record) -> int | None:
    """The seed that was asked for, else that of a trace that is gone on with."""
    if request.seed is not None or not record.recalls:
        return request.seed
    draws = json.loads(record.lines[0]).get("draws")
    seed = draws.get("seed") if isinstance(draws, dict) else None
    return seed if isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0 else None


def outcome_parts(outcome: Outcome, name: str) -> list[RenderableType]:
    """An outcome for people."""
    parts: list[RenderableType] = [Text(name), Text(f"{outcome.stop.value}: {REASONS[outcome.stop]}"), Text("")]
    solution = outcome.solution
    if solution is not None:
        parts += [Text("the first response that passes all tests:"), Text("")]
        parts += [*(Text(f"    {line}") for line in solution.response.text.splitlines()), Text("")]
    draws = "recorded in the task" if outcome.seed is None else f"seed {outcome.seed}"
    parts += [Text(f"draws       {draws}"), Text(f"contracts   {'on' if ENABLED else 'off'}"), Text("")]
    rows = table("iteration", "entropy", "best r_ext", "tests passed, at best", "patterns", right=("iteration",))
    for entry in outcome.iterations:
        rows.add_row(str(entry.number), entropy_text(entry), *best_texts(entry), str(len(entry.patterns)))
    calls, bounds = outcome.ledger.to_mapping(), outcome.ledger.bounds.to_mapping()
    ledger = table("oracle calls", "made", "at most", right=("made", "at most"))
    for operation, made in calls.items():
        ledger.add_row(operation.replace("_", " "), str(made), str(bounds.get(operation, "")))
    parts += [rows, Text(""), ledger, Text("")]
    bank = table("pattern in the bank", "confidence", "factor", right=("confidence", "factor"))
    for pattern in outcome.bank.patterns[:MOST_PATTERNS_SHOWN]:
        bank.add_row(pattern.description, str(pattern.confidence), str(pattern.factor(outcome.bank.kappa)))
    more = len(outcome.bank.patterns) - MOST_PATTERNS_SHOWN
    return [*parts, bank, *([Text(f"and {more} more; --json lists them all")] if more > 0 else [])]


def entropy_text(entry: Iteration) -> str:
    """The entropy of the distribution that a group was drawn from, in nats, to five digits."""
    lower, _ = enclose(entry.entropy, 5)
    return f"{lower} nats"


def best_texts(entry: Iteration) -> tuple[str, str]:
    """The best external reward of a group, and the most tests that one of its responses passes."""
    passed = max(sum(member.passed.values()) for member in entry.members)
    return str(max(member.external for member in entry.members)), f"{passed} of {len(entry.members[0].passed)}"
