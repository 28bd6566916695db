"""A run on the stage: its events as they were told, and at each of them what was known by then."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grpocheck.contracts.clauses import ContractViolation
from grpocheck.core import (
    Arithmetic,
    Event,
    Kind,
    Outcome,
    Problem,
    Supply,
    SupplyViolation,
    UndecidedComparison,
    run,
)
from grpocheck.core.arithmetic import DigitBudgetExceeded, Scalar
from grpocheck.core.families.supplied import Supplied
from grpocheck.core.frozen import FrozenIteration, Group
from grpocheck.core.gradient import Vector
from grpocheck.core.invalid import InvalidProblem

MOST_EVENTS = 4000
"""Events that are kept; a longer run is cut there, and says so."""
SECONDS = 20.0
SEED = 1
"""The seed of the draws where a problem fixes none: a page that is opened again shows the same run."""


class Cut(BaseException):
    """Ends a run that is longer than the stage: no Exception, so that no oracle's guard takes it for an answer."""


@dataclass(frozen=True)
class Draw:
    """One drawn response: its place in the support, and its reward once it is known."""

    position: int
    reward: Scalar | None = None


@dataclass(frozen=True)
class Calls:
    """The counted calls that events tell of."""

    draws: int = 0
    gradient_attempts: int = 0
    membership_calls: int = 0
    steps_applied: int = 0
    outer_iterations_started: int = 0


COUNTED = {
    Kind.DRAW: "draws",
    Kind.GRADIENT: "gradient_attempts",
    Kind.MEMBERSHIP: "membership_calls",
    Kind.APPLY: "steps_applied",
    Kind.OUTER_ITERATION: "outer_iterations_started",
}


@dataclass(frozen=True)
class Situation:
    """What is known right after an event.

    ``applied`` counts the steps of this outer iteration; ``theta`` is the last valid parameter; ``draws`` are the
    responses drawn in this outer iteration, prompt by prompt; ``groups`` the prompts whose group is complete.
    """

    t: int
    k: int
    applied: int
    theta: Vector
    theta_old: Vector
    draws: tuple[tuple[Draw, ...], ...]
    groups: tuple[Group, ...]
    calls: Calls


@dataclass(frozen=True)
class Stage:
    """A run as far as it went: events, the situation after each, and the outcome or what ended it."""

    problem: Problem
    arithmetic: Arithmetic
    events: tuple[Event, ...]
    situations: tuple[Situation, ...]
    outcome: Outcome | None
    ended: str | None
    """Why there is no outcome: the error, or that the run is longer than the stage."""

    def frozen(self, t: int) -> FrozenIteration | None:
        """The frozen data of outer iteration t, once all its groups are complete."""
        for situation in self.situations:
            if situation.t == t and len(situation.groups) == len(self.problem.prompts):
                number = self.arithmetic.number
                epsilon, beta = number(self.problem.epsilon), number(self.problem.beta)
                return FrozenIteration(t, situation.theta_old, situation.groups, epsilon, beta)
        return None


@dataclass
class Recorder:
    """An observer that keeps events up to a number and a time."""

    most: int = MOST_EVENTS
    until: float = field(default_factory=lambda: time.monotonic() + SECONDS)
    events: list[Event] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        """Keep an event; Cut at the limit."""
        self.events.append(event)
        if event.kind is not Kind.OUTCOME and len(self.events) >= self.most:
            raise Cut(f"only its first {self.most} events are shown: the run goes on")
        if time.monotonic() > self.until:
            raise Cut(f"only what ran within {SECONDS:.0f} s is shown: the run goes on")


def staged(problem: Problem, supply: Supply | None = None, recorder: Recorder | None = None) -> Stage:
    """Run a problem and keep what it tells. What ends it (an error, the stage's limit) is kept as well.

    Raises InvalidProblem for a problem that cannot start here.
    """
    if isinstance(problem.family, Supplied) and (supply is None or supply.policy is None):
        raise InvalidProblem("family", problem.family.name, "a built-in family: the studio has no masses for this one")
    recorder = recorder or Recorder()
    outcome, ended = None, None
    fixed = problem.recorded is not None or problem.seed is not None
    try:
        outcome = run(problem, supply, seed=None if fixed else SEED, observer=recorder)
    except Cut as cut:
        ended = str(cut)
    except (SupplyViolation, UndecidedComparison, DigitBudgetExceeded, ContractViolation) as error:
        ended = f"{type(error).__name__}: {error}"
    if not recorder.events:
        raise InvalidProblem("problem", None, f"a problem that starts: {ended}")
    arithmetic: Any = recorder.events[0].values["arithmetic"]
    events = tuple(recorder.events)
    return Stage(problem, arithmetic, events, situations_of(problem, events), outcome, ended)


def situations_of(problem: Problem, events: Sequence[Event]) -> tuple[Situation, ...]:
    """What is known after each event."""
    none: tuple[tuple[Draw, ...], ...] = ((),) * len(problem.prompts)
    places = {prompt.name: prompt.position for prompt in problem.prompts}
    situations: list[Situation] = []
    now = Situation(0, 0, 0, (), (), none, (), Calls())
    for event in events:
        values: Any = event.values
        if event.kind is Kind.START:
            now = replace(now, theta=values["theta"], theta_old=values["theta"])
        elif event.kind is Kind.OUTER_ITERATION:
            theta = values["theta_old"]
            began = {"theta": theta, "theta_old": theta, "draws": none, "groups": ()}
            now = replace(now, t=values["t"], k=0, applied=0, **began)
        elif event.kind is Kind.DRAW:
            place = places[values["prompt"]]
            drawn = Draw(problem.prompts[place].responses.index(values["response"]))
            now = replace(now, draws=exchanged(now.draws, place, (*now.draws[place], drawn)))
        elif event.kind is Kind.REWARD:
            place, i = places[values["prompt"]], values["i"] - 1
            group = list(now.draws[place])
            group[i] = replace(group[i], reward=values["reward"])
            now = replace(now, draws=exchanged(now.draws, place, tuple(group)))
        elif event.kind is Kind.GROUP:
            now = replace(now, groups=(*now.groups, completed(problem, now, values)))
        elif event.kind in (Kind.GRADIENT, Kind.MEMBERSHIP, Kind.STOP):
            now = replace(now, k=values["k"])
        elif event.kind is Kind.APPLY:
            now = replace(now, k=values["k"], applied=values["k"], theta=values["theta"])
        counted = COUNTED.get(event.kind)
        if counted is not None:
            now = replace(now, calls=replace(now.calls, **{counted: getattr(now.calls, counted) + 1}))
        situations.append(now)
    return tuple(situations)


def exchanged(
    draws: tuple[tuple[Draw, ...], ...], place: int, group: tuple[Draw, ...]
) -> tuple[tuple[Draw, ...], ...]:
    """The draws with those of one prompt exchanged."""
    return (*draws[:place], group, *draws[place + 1 :])


def completed(problem: Problem, now: Situation, values: Any) -> Group:
    """The group that a group event completes."""
    prompt = problem.prompts[len(now.groups)]
    drawn = now.draws[prompt.position]
    return Group(
        prompt,
        tuple(draw.position for draw in drawn),
        tuple(draw.reward for draw in drawn),
        values["mean"],
        values["deviation"],
        tuple(values["advantages"]),
        tuple(values["old_masses"]),
    )
