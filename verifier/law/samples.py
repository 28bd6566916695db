"""The law of a run from exact draws, where going through all of them would be too much: shares and their intervals.

Every run is one of core with a seed of its own, so that any of them can be run again by its seed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.gradient import Vector
from grpocheck.core.outcome import Outcome, Status
from grpocheck.core.problem import Problem
from grpocheck.core.procedure import run
from grpocheck.verifier.law.branches import Key, Size, balanced_sum, family_of, key_of, key_of_vector, size_of
from grpocheck.verifier.law.elsewhere import RUNS, Helpers, Kept, all_told, stretches
from grpocheck.verifier.law.exact import Bars, no_bars
from grpocheck.verifier.law.intervals import clopper_pearson
from grpocheck.verifier.law.objective import true_objective
from grpocheck.verifier.law.sending import Writer, read_numbers
from grpocheck.verifier.law.telling import equal_rows


@dataclass(frozen=True)
class SampledStatus:
    """How many runs ended with a status, and the confidence interval of its probability."""

    runs: int
    lower: Fraction
    upper: Fraction


@invariant(lambda self: sum(status.runs for status in self.statuses.values()) == self.runs, "C4: one of three statuses")
@invariant(lambda self: sum(runs for _, runs in self.parameters) == self.runs, "A2: every run returns a parameter")
@invariant(lambda self: sum(runs for _, runs in self.objectives) == self.runs, "every run has a last F, or no step")
@dataclass(frozen=True)
class SampledLaw:
    """What ``runs`` runs with the seeds first_seed, first_seed + 1, ... came to.

    Each status's interval holds its probability with the confidence, on its own. All else is a mean or a share of what
    was drawn, without an interval; the rarer parameters may be missing altogether.
    """

    runs: int
    first_seed: int
    confidence: Fraction
    statuses: Mapping[Status, SampledStatus]
    parameters: tuple[tuple[Vector, int], ...]
    objectives: tuple[tuple[Scalar | None, int], ...]
    mean_true_objective: Scalar
    true_objective_at_start: Scalar
    mean_calls: Mapping[str, Fraction]
    size: Size


@require(lambda runs, first_seed: runs >= 1 and first_seed >= 0, "at least one run, from a seed on")
@require(lambda confidence: 0 < confidence < 1, "a confidence between 0 and 1")
@ensure(
    lambda problem, result: result.mean_calls["draws"]
    == len(problem.prompts) * problem.group_size * result.mean_calls["outer_iterations_started"],
    "C1: M*G draws for each started outer iteration",
)
def sampled_law(
    problem: Problem,
    runs: int,
    first_seed: int,
    confidence: Fraction,
    arithmetic: Arithmetic,
    bars: Bars = no_bars,
    helpers: Helpers | None = None,
    kept: Kept | None = None,
) -> SampledLaw:
    """Run the problem so many times, with a seed each, and count; with ``helpers`` the same runs, shared out.

    Runs that are ``kept`` are not made again; the others are added to them.
    """
    family_of(problem)
    statuses: Counter[Status] = Counter()
    thetas: dict[Key, Vector] = {}
    values: dict[Key, Scalar | None] = {}
    theta_runs: Counter[Key] = Counter()
    value_runs: Counter[Key] = Counter()
    calls: Counter[str] = Counter()
    with bars("runs", runs) as advance:
        for ran in all_runs(problem, range(first_seed, first_seed + runs), arithmetic, helpers, kept):
            statuses[ran.status] += 1
            theta = key_of_vector(ran.theta)
            thetas.setdefault(theta, ran.theta)
            theta_runs[theta] += 1
            values.setdefault(key_of(ran.objective), ran.objective)
            value_runs[key_of(ran.objective)] += 1
            calls.update(ran.calls)
            advance(1)
    start = tuple(arithmetic.number(entry) for entry in problem.theta)
    whole = [theta_runs[key] * true_objective(problem, theta, arithmetic) for key, theta in thetas.items()]
    stepped = [((value,), value_runs[key]) for key, value in values.items() if value is not None]
    return SampledLaw(
        runs,
        first_seed,
        confidence,
        {
            status: SampledStatus(statuses[status], *clopper_pearson(statuses[status], runs, confidence))
            for status in Status
        },
        tuple(equal_ones([(theta, theta_runs[key]) for key, theta in thetas.items()])),
        (
            *((value, count) for (value,), count in equal_ones(stepped)),
            *((None, value_runs[key]) for key, value in values.items() if value is None),
        ),
        balanced_sum(whole) / runs,
        true_objective(problem, start, arithmetic),
        {line: Fraction(count, runs) for line, count in calls.items()},
        size_of(problem),
    )


@ensure(lambda found, result: sum(runs for _, runs in result) == sum(runs for _, runs in found), "every run once")
def equal_ones(found: Sequence[tuple[Vector, int]]) -> list[tuple[Vector, int]]:
    """Vectors with their numbers of runs, those that are found equal as one."""
    return [
        (found[rows[0]][0], sum(found[row][1] for row in rows)) for rows in equal_rows([vector for vector, _ in found])
    ]


@dataclass(frozen=True)
class Ran:
    """What is counted of one run."""

    status: Status
    theta: Vector
    objective: Scalar | None
    calls: Mapping[str, int]


def all_runs(
    problem: Problem, seeds: range, arithmetic: Arithmetic, helpers: Helpers | None, kept: Kept | None
) -> Iterator[Ran]:
    """The runs with these seeds, in their order."""
    if helpers is None and kept is None:
        yield from runs_of(problem, seeds, arithmetic)
        return

    def task(part: range) -> tuple[Problem, range, Arithmetic]:
        return problem, part, arithmetic

    parts = [seeds[part.start : part.stop] for part in stretches(len(seeds), -(-len(seeds) // RUNS))]
    for found in all_told("runs", parts, lambda part: runs_elsewhere(*task(part)), runs_elsewhere, task, helpers, kept):
        yield from read_runs(found, arithmetic)


def runs_elsewhere(problem: Problem, seeds: range, arithmetic: Arithmetic) -> Mapping[str, Any]:
    """The runs with these seeds, as JSON can hold them."""
    numbers = Writer()
    runs = [
        [
            ran.status.value,
            numbers.put_all(ran.theta),
            None if ran.objective is None else numbers.put(ran.objective),
            dict(ran.calls),
        ]
        for ran in runs_of(problem, seeds, arithmetic)
    ]
    return {"runs": runs, "numbers": numbers.lines}


def read_runs(found: Mapping[str, Any], arithmetic: Arithmetic) -> Iterator[Ran]:
    """The runs that were written."""
    numbers = read_numbers(found["numbers"], arithmetic)
    for status, theta, objective, calls in found["runs"]:
        value = None if objective is None else numbers[objective]
        yield Ran(Status(status), tuple(numbers[place] for place in theta), value, calls)


def runs_of(problem: Problem, seeds: range, arithmetic: Arithmetic) -> Iterator[Ran]:
    """The runs with these seeds, one by one."""
    for seed in seeds:
        outcome = run(problem, arithmetic=arithmetic, seed=seed)
        yield Ran(outcome.status, outcome.theta, last_objective(outcome), outcome.ledger.to_mapping())


def last_objective(outcome: Outcome) -> Scalar | None:
    """F after the last applied step of a run; None where none was applied."""
    applied = [step for iteration in outcome.iterations for step in iteration.steps if step.is_member]
    return applied[-1].objective if applied else None
