"""The commands ``run`` and ``replay``."""

import dataclasses
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grpocheck.contracts.clauses import ENABLED
from grpocheck.core import Problem, Supply, TraceWriter, replay, run
from grpocheck.core.events import Event, Observer
from grpocheck.core.events import Kind as EventKind
from grpocheck.core.families.family import Family
from grpocheck.core.procedure import supplied_names
from grpocheck.core.trace import read_trace
from grpocheck.verifier.commands.arithmetics import chosen_arithmetic
from grpocheck.verifier.commands.draws import read_alpha
from grpocheck.verifier.failures import BadOption, emit, say
from grpocheck.verifier.files import check_writable, in_trace, problem_at
from grpocheck.verifier.isolation.link import SECONDS
from grpocheck.verifier.isolation.stdout import stdout_kept
from grpocheck.verifier.isolation.supply import isolated
from grpocheck.verifier.outcomes import View, outcome_tables
from grpocheck.verifier.printing import printable
from grpocheck.verifier.progress import progress_bar
from grpocheck.verifier.supplied.cross_examination import cross_examined
from grpocheck.verifier.supplied.draw_law import LawTest
from grpocheck.verifier.supplied.draws_seen import DrawsUnderTest
from grpocheck.verifier.supplied.loading import load_supply


@dataclass(frozen=True)
class RunRequest:
    """What was asked of ``run``."""

    problem: Path
    json: bool = False
    trace: Path | None = None
    arithmetic: str = "auto"
    digits: int | None = None
    max_digits: int | None = None
    max_bits: int | None = None
    seed: int | None = None
    supply: str | None = None
    draw_law: str | None = None
    isolate: bool = False
    call_limit: float | None = None
    cross_examine: bool = False


def run_problem(request: RunRequest) -> int:
    """Run a problem file and print its outcome; 0 for any of the three statuses."""
    arithmetic = chosen_arithmetic(
        request.arithmetic,
        lambda reason: say(f"grpocheck: from here on certified enclosures instead of exact numbers: {reason}"),
        digits=request.digits,
        max_digits=request.max_digits,
        max_bits=request.max_bits,
    )
    replaced = False
    if request.trace is not None:
        check_writable("--trace", request.trace, "a trace", request.problem)
        replaced = request.trace.is_file() and request.trace.stat().st_size > 0
    problem = problem_at(request.problem)
    with ExitStack() as stack:
        given = stack.enter_context(given_supply(request.supply, request.isolate, request.call_limit))
        supply = with_tested_draws(given or Supply(), request.draw_law)
        if request.cross_examine:
            supply = compared_with(problem, supply, request.arithmetic)
        own_arithmetic = supply.arithmetic is not None and request.arithmetic == "auto"
        observers: list[Observer] = [stack.enter_context(step_progress(problem.outer_iterations * problem.inner_steps))]
        if request.trace is not None:
            observers.append(stack.enter_context(TraceWriter(request.trace)))
        outcome = run(
            problem,
            supply,
            arithmetic=None if own_arithmetic else arithmetic,
            seed=request.seed,
            observer=lambda event: tell_all(observers, event),
        )
    if replaced:
        say(f"grpocheck: {printable(str(request.trace))}: the trace of an earlier run was replaced")
    show(View(outcome, printable(request.problem), supply, ENABLED, supplied_names(supply), problem), request.json)
    return 0


def with_tested_draws(supply: Supply, alpha: str | None) -> Supply:
    """The supply, its draws tested at an error probability where one is stated."""
    if alpha is None:
        return supply
    level = read_alpha("--draw-law", alpha)
    if supply.draws is None:
        raise BadOption("--draw-law", alpha, "no draws are supplied to be tested", "a --supply with draws")
    return dataclasses.replace(supply, draws=DrawsUnderTest(supply.draws, LawTest(level)))


@contextmanager
def given_supply(name: str | None, isolate: bool, call_limit: float | None) -> Iterator[Supply | None]:
    """The supply of a name, in a process of its own where that is asked for; None where none is named.

    What a supply prints goes to stderr: stdout is the command's.
    """
    if name is None:
        if isolate or call_limit is not None:
            option, value = ("--isolate", None) if isolate else ("--call-limit", call_limit)
            raise BadOption(option, value, "no supply is named", "a --supply")
        yield None
    elif isolate or call_limit is not None:
        with isolated(name, seconds=SECONDS if call_limit is None else call_limit) as supply:
            yield supply
    else:
        with stdout_kept():
            yield load_supply(name)


def compared_with(problem: Problem, supply: Supply, arithmetic: str) -> Supply:
    """The supply, its answers compared with the problem's own definition where that says what they have to be."""
    if not supplied_names(supply):
        raise BadOption("--cross-examine", None, "no oracle is supplied to be examined", "a --supply")
    if arithmetic == "mp" or supply.arithmetic is not None:
        found = "its numbers have no certified error, so that none is decided to be wrong"
        raise BadOption("--cross-examine", arithmetic, found, "--arithmetic auto, exact or enclosure")
    if not isinstance(problem.family, Family) and (supply.policy is not None or supply.gradient is not None):
        found = "the problem states no family that masses or gradients could be compared with"
        raise BadOption("--cross-examine", problem.family.name, found, "a problem of one of the families")
    return cross_examined(problem, supply)


def replay_trace(trace: Path, as_json: bool, supply_name: str | None, isolate: bool, call_limit: float | None) -> int:
    """Replay a trace and print the outcome that it led to again."""
    with given_supply(supply_name, isolate, call_limit) as supply, in_trace(trace):
        outcome = replay(trace, supply)
        supplied = list(next(read_trace(trace))[1]["supplied"])
    title = f"{printable(trace)}: replayed, every event the same"
    show(View(outcome, title, supply or Supply(), ENABLED, supplied), as_json)
    return 0


def show(view: View, as_json: bool) -> None:
    """Print an outcome as JSON or as tables, and say whether contracts are on."""
    if as_json:
        emit(json.dumps(outcome_mapping(view), indent=2, ensure_ascii=False))
    else:
        emit(outcome_tables(view))


def outcome_mapping(view: View) -> dict[str, Any]:
    """The outcome format, which oracles were supplied, and whether contracts were checked."""
    return {**view.outcome.to_mapping(), "supplied": [*view.supplied], "contracts": "on" if view.contracts else "off"}


def tell_all(observers: list[Observer], event: Event) -> None:
    """Tell several observers of an event."""
    for observer in observers:
        observer(event)


@contextmanager
def step_progress(steps: int) -> Iterator[Observer]:
    """An observer that moves a progress bar on by one for every applied step."""
    with progress_bar("inner steps", steps) as advance:

        def observe(event: Event) -> None:
            if event.kind is EventKind.APPLY:
                advance(1)

        yield observe
