"""Scripted runs: random tables of oracle answers, followed by core's own run and written for the model.

A table is indexed by the position of a call, (t, prompt, draw) or (t, k), and no position is asked twice. What core
shows of a run is written in the form in which the model prints it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from grpocheck.core import UNDEFINED_GRADIENT, Event, Kind, Outcome, Problem, Prompt, Supply, run
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.domains import WholeSpace
from grpocheck.core.families.supplied import Supplied
from grpocheck.core.frozen import FrozenIteration
from grpocheck.core.oracles import Undefined
from grpocheck.proofs.extraction.model import word, words

Vector = tuple[Fraction, ...]

LEDGER = {
    "outer_iterations_started": "started",
    "draws": "drew",
    "reward_evaluations": "rewarded",
    "gradient_attempts": "asked_gradient",
    "membership_calls": "asked_membership",
    "steps_applied": "applied",
}
"""Lines of core's ledger, each with the event of the model's trace that it has to count."""


@dataclass(frozen=True)
class Step:
    """The answers at an inner step (t, k): eta, the gradient (None where undefined), and M_U of the proposal."""

    step_size: Fraction
    gradient: Vector | None
    member: bool


@dataclass(frozen=True)
class Script:
    """A run's plan and every answer of its oracles; responses are numbered from 0."""

    group_size: int
    theta: Vector
    rewards: tuple[Vector, ...]
    references: tuple[Vector, ...]
    draws: tuple[tuple[tuple[int, ...], ...], ...]
    steps: tuple[tuple[Step, ...], ...]

    def line(self) -> str:
        """The script as the model reads it."""
        sizes = (len(self.steps), len(self.rewards), self.group_size, len(self.steps[0]), len(self.theta))
        parts = ["run", *map(str, sizes), *(str(len(rewards)) for rewards in self.rewards), *words(self.theta)]
        for table in (*self.rewards, *self.references):
            parts += words(table)
        parts += [str(response) for round_ in self.draws for group in round_ for response in group]
        for step in (step for row in self.steps for step in row):
            parts += [word(step.step_size), *(["u"] if step.gradient is None else ["g", *words(step.gradient)])]
            parts.append(str(int(step.member)))
        return " ".join(parts)

    def problem(self) -> Problem:
        """The script's problem, for core."""
        prompts = tuple(
            Prompt(position, f"q{position}", tuple(f"y{j}" for j in range(len(rewards))), rewards, reference)
            for position, (rewards, reference) in enumerate(zip(self.rewards, self.references, strict=True))
        )
        return Problem(
            prompts=prompts,
            family=Supplied(len(self.theta)),
            theta=self.theta,
            group_size=self.group_size,
            outer_iterations=len(self.steps),
            inner_steps=len(self.steps[0]),
            epsilon=Fraction(1, 5),
            beta=Fraction(0),
            step_sizes=tuple(tuple(step.step_size for step in row) for row in self.steps),
            domain=WholeSpace(len(self.theta)),
        )


def random_scripts(seed: int, count: int) -> Iterator[Script]:
    """Scripts of T, M, K <= 3, G <= 4 and d <= 2; the first ones of a seed are the same whatever the count."""
    random = Random(seed)
    for _ in range(count):
        yield random_script(random)


def random_script(random: Random) -> Script:
    """One script; half of them have no early stop planned, the others stop more or less often."""
    outer, prompts, size, inner = (random.randint(low, high) for low, high in ((1, 3), (1, 3), (2, 4), (1, 3)))
    dimension = random.randint(1, 2)
    supports = [random.randint(1, 3) for _ in range(prompts)]
    stops = random.choice((0.0, 0.0, 0.1, 0.3))
    numbers = random.sample(range(2, 40), outer * inner)  # all step sizes differ

    def number() -> Fraction:
        return Fraction(random.randint(-12, 12), random.choice((1, 2, 3, 7)))

    def step(t: int, k: int) -> Step:
        gradient = None if random.random() < stops else tuple(number() for _ in range(dimension))
        return Step(Fraction(1, numbers[t * inner + k]), gradient, random.random() >= stops)

    return Script(
        group_size=size,
        theta=tuple(number() for _ in range(dimension)),
        rewards=tuple(tuple(number() for _ in range(support)) for support in supports),
        references=tuple(random_masses(random, support) for support in supports),
        draws=tuple(
            tuple(tuple(random.randrange(support) for _ in range(size)) for support in supports) for _ in range(outer)
        ),
        steps=tuple(tuple(step(t, k) for k in range(inner)) for t in range(outer)),
    )


def random_masses(random: Random, size: int) -> Vector:
    """A mass function with small denominators."""
    weights = [random.randint(1, 5) for _ in range(size)]
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


class ScriptedOracles:
    """The oracles of a script, as core calls them; what they were asked about is kept for the trace."""

    def __init__(self, script: Script) -> None:
        """The oracles before their first call."""
        self.script = script
        self.place = (0, 0)
        self.frozen: FrozenIteration | None = None

    def supply(self) -> Supply:
        """The oracles as a supply."""
        return Supply(draws=self.draw, policy=self, domain=self.is_member, gradient=self.gradient)

    def draw(self, masses: Sequence[Any], prompt: Prompt, outer_iteration: int, draw: int) -> str:
        """The response at (t, prompt, draw)."""
        return prompt.responses[self.script.draws[outer_iteration - 1][prompt.position][draw - 1]]

    def masses(self, theta: Sequence[Any], prompt: Prompt, arithmetic: Any) -> Sequence[Any]:
        """Masses do not enter a scripted run: the reference's serve."""
        return prompt.reference

    def mass_gradients(self, theta: Sequence[Any], prompt: Prompt, arithmetic: Any) -> Sequence[Sequence[Any]]:
        """Not asked, since the gradient oracle is supplied: 0."""
        return tuple(tuple(Fraction(0) for _ in theta) for _ in prompt.responses)

    def gradient(self, frozen: FrozenIteration, theta: Sequence[Any]) -> Sequence[Any] | Undefined:
        """The answer at (t, k), k by the number of attempts in outer iteration t."""
        t, k = self.place
        self.place = (t, k + 1) if t == frozen.outer_iteration else (frozen.outer_iteration, 1)
        self.frozen = frozen
        answer = self.step().gradient
        return UNDEFINED_GRADIENT if answer is None else answer

    def is_member(self, theta: Sequence[Any]) -> bool:
        """The answer at (t, k); core asks about theta_0 as well, before the run, and it is in U."""
        return self.place == (0, 0) or self.step().member

    def step(self) -> Step:
        """The answers at the current (t, k)."""
        t, k = self.place
        return self.script.steps[t - 1][k - 1]


def frozen_data(frozen: FrozenIteration) -> dict[str, Any]:
    """What the gradient oracle was given, as the model prints it."""
    return {
        "theta_old": words(frozen.theta_old),
        "reference": [words(group.prompt.reference) for group in frozen.groups],
        "groups": [
            [group.prompt.position, [[y, word(r)] for y, r in zip(group.positions, group.rewards, strict=True)]]
            for group in frozen.groups
        ],
    }


class Watcher:
    """An observer that writes core's events as the model prints its own."""

    def __init__(self, oracles: ScriptedOracles, problem: Problem) -> None:
        """Watch a run of a problem whose oracles are scripted."""
        self.oracles = oracles
        self.positions = {prompt.name: prompt.position for prompt in problem.prompts}
        self.responses = [prompt.responses for prompt in problem.prompts]
        self.trace: list[list[Any]] = []

    def __call__(self, event: Event) -> None:
        """Write one event; what the model does not have (groups, start, stop, outcome) is left out."""
        seen = event.values
        if event.kind is Kind.OUTER_ITERATION:
            self.trace.append(["started", seen["t"], self.numbers(seen["theta_old"])])
        elif event.kind is Kind.DRAW:
            position = self.positions[str(seen["prompt"])]
            response = self.responses[position].index(str(seen["response"]))
            self.trace.append(["drew", seen["t"], position, seen["i"], response])
        elif event.kind is Kind.REWARD:
            position = self.positions[str(seen["prompt"])]
            self.trace.append(["rewarded", seen["t"], position, seen["i"], self.numbers([seen["reward"]])[0]])
        elif event.kind is Kind.GRADIENT:
            answer = None if isinstance(seen["answer"], Undefined) else self.numbers(seen["answer"])
            frozen = None if self.oracles.frozen is None else frozen_data(self.oracles.frozen)
            self.trace.append(["asked_gradient", seen["t"], seen["k"], frozen, self.numbers(seen["theta"]), answer])
        elif event.kind is Kind.MEMBERSHIP:
            proposal = self.numbers(seen["proposal"])
            self.trace.append(["asked_membership", seen["t"], seen["k"], proposal, seen["answer"]])
        elif event.kind is Kind.APPLY:
            self.trace.append(["applied", seen["t"], seen["k"], self.numbers(seen["theta"])])

    @staticmethod
    def numbers(values: Any) -> list[str]:
        """Numbers of an event."""
        return words(values)


@dataclass(frozen=True)
class CoreRun:
    """What core shows of a run: status, parameter and trace as the model prints them, and the ledger."""

    status: str
    theta: list[str]
    trace: list[list[Any]]
    ledger: Mapping[str, int]


def core_run(script: Script) -> CoreRun:
    """Core's own run along a script."""
    problem = script.problem()
    oracles = ScriptedOracles(script)
    watcher = Watcher(oracles, problem)
    outcome: Outcome = run(
        problem, oracles.supply(), arithmetic=ExactArithmetic(), observer=watcher, one_answer=False
    )
    counts = outcome.ledger.to_mapping()
    return CoreRun(str(outcome.status), words(outcome.theta), watcher.trace, {name: counts[name] for name in LEDGER})


def difference(script: Script, model: Mapping[str, Any]) -> str:
    """The first thing in which core's run differs from the model's; the empty text where nothing does."""
    found = core_run(script)
    trace = model["trace"]
    for number, (ours, theirs) in enumerate(zip(found.trace, trace, strict=False), start=1):
        if ours != theirs:
            return f"event {number}: core has {ours}, the model {theirs}"
    if len(found.trace) != len(trace):
        return f"core has {len(found.trace)} events, the model {len(trace)}"
    if (found.status, found.theta) != (model["status"], model["theta"]):
        return f"core returns {found.theta}, {found.status}; the model {model['theta']}, {model['status']}"
    for name, event in LEDGER.items():
        events = sum(entry[0] == event for entry in trace)
        if found.ledger[name] != events:
            return f"core's ledger has {name} = {found.ledger[name]}, the model's trace {events}"
    return ""
