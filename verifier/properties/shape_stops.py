"""Every way in which a run of a shape can go, for properties of its outcome alone.

What a run leaves in its ledger depends on nothing but where it stops, if it does: at one of T*K attempts, for want of a
gradient or for a proposal outside U. Each of these 2*T*K + 1 ways is gone through with the procedure itself, under
oracles that answer so, whatever the numbers of the problem.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from grpocheck.core.arithmetic import Arithmetic
from grpocheck.core.oracles import UNDEFINED_GRADIENT, Supply
from grpocheck.core.outcome import Status
from grpocheck.core.problem import Problem, in_domain
from grpocheck.core.procedure import run
from grpocheck.verifier.properties.checking import Property
from grpocheck.verifier.properties.evaluation import Truth
from grpocheck.verifier.properties.explaining import Explanation
from grpocheck.verifier.properties.quantities import Level
from grpocheck.verifier.properties.runs import certified, judged, moments_of, setting_of
from grpocheck.verifier.properties.verdicts import Watch

OF_NUMBERS = {"epsilon", "beta"}
"""The constants that a shape leaves open."""


@dataclass(frozen=True)
class Stop:
    """Where a run stops, counted in attempts from 1, and how; attempt 0 for a run that completes."""

    attempt: int
    status: Status

    def __str__(self) -> str:
        """In words."""
        return "complete" if self.attempt == 0 else f"{self.status} at gradient attempt {self.attempt}"


def applies(stated: Property) -> bool:
    """Whether a property speaks of nothing but the outcome and the counts of the shape."""
    return stated.is_of_outcome and stated.has(Level.OUTCOME) and not stated.names & OF_NUMBERS


def stops(problem: Problem) -> list[Stop]:
    """Every way for a run to end."""
    attempts = range(1, problem.outer_iterations * problem.inner_steps + 1)
    stopping = [Stop(attempt, status) for attempt in attempts for status in Status if status is not Status.COMPLETE]
    return [Stop(0, Status.COMPLETE), *stopping]


def small_entry(problem: Problem) -> Fraction:
    """A first entry of the gradient, above 0, with which all T*K steps together stay in the open, convex U."""
    whole = sum((size for row in problem.step_sizes for size in row), Fraction(0))
    first, *others = problem.theta
    entry = Fraction(1)
    while not in_domain((first + entry * whole, *others), problem.admissible_domain):
        entry /= 2
    return entry


def scripted(problem: Problem, stop: Stop) -> Supply:
    """Oracles under which a run stops so: gradients are small until they are undefined, M_U says yes until it says no.

    Every step moves, so that no oracle is asked the same question twice and answers it otherwise.
    """
    entry = small_entry(problem)
    asked: Iterator[int] = iter(range(1, 10**9))
    members: Iterator[int] = iter(range(10**9))  # M_U is asked about theta_0 first, before the run

    def gradient(frozen: object, theta: Sequence[Any]) -> Any:
        undefined = next(asked) == stop.attempt and stop.status is Status.UNDEFINED_GRADIENT
        return UNDEFINED_GRADIENT if undefined else (entry, *(Fraction(0) for _ in theta[1:]))

    def domain(theta: Sequence[Any]) -> bool:
        return not (next(members) == stop.attempt != 0 and stop.status is Status.INVALID_UPDATE)

    return Supply(gradient=gradient, domain=domain)


def failing(stated: Property, problem: Problem, watch: Watch) -> tuple[Stop, Explanation] | None:
    """The first way in which a run of the shape can go that the property is not true of. Raises Stopped."""
    arithmetic: Arithmetic = certified()
    group = [(prompt.responses[0],) * problem.group_size for prompt in problem.prompts]
    still = replace(problem, recorded=(tuple(group),) * problem.outer_iterations, seed=None)
    every = stops(problem)
    for done, stop in enumerate(every):
        watch.tell(done, len(every))
        outcome = run(still, scripted(still, stop), arithmetic=arithmetic)
        if outcome.status is not stop.status:
            raise RuntimeError(f"a run under oracles that make it {stop} ended {outcome.status}")
        case = judged(stated, moments_of(stated, still, outcome, setting_of(still, arithmetic)), watch)
        if case.truth is not Truth.TRUE and case.explanation is not None:
            return stop, case.explanation
    return None
