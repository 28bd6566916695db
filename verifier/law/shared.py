"""Outer iterations of core put together from parts that several of them share.

F_t, its gradient and the divergence are means over prompts, and what one prompt adds is a function of its own group
and of the parameters that its masses are made of. So a group's advantages, and its part of F_t and of the gradient at
a parameter, are asked of core once, with the oracle calls that this takes, for all combinations that have this group;
only what needs the whole combination, its proposal and whether that is in U, is asked for each. n = 4, G = 8, M = 2
has 330 groups of one prompt in 27,225 combinations. What is put together is an outer iteration as core makes one, its
ledger included: CHECKED of the combinations, spread over all of them, are made by core as well, and compared.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, TypeVar

from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.domains import OpenSimplices
from grpocheck.core.families.simplex import Simplex
from grpocheck.core.frozen import FrozenIteration, Group
from grpocheck.core.gradient import MassGradients, Vector, divergence_gradient, group_surrogate_gradient, kinked_draws
from grpocheck.core.guard import Guard, Kept
from grpocheck.core.objective import group_surrogate
from grpocheck.core.oracles import UNDEFINED_GRADIENT, Undefined
from grpocheck.core.outcome import InnerStep, OuterIteration
from grpocheck.core.problem import Problem
from grpocheck.core.prompt import Prompt
from grpocheck.core.update import draw_group, proposed
from grpocheck.verifier.counts import Counts, probability
from grpocheck.verifier.law.branches import (
    Branch,
    Key,
    branch,
    family_of,
    key_of,
    key_of_vector,
    own_parameters,
    scripted_guard,
)

CHECKED = 8
"""So many combinations of an outer iteration are made by core as well."""

Part = TypeVar("Part")


class PartsDisagree(AssertionError):  # noqa: N818 - named for what it says
    """An outer iteration put together from its parts is not the one that core makes: a fault of this module."""


@dataclass(frozen=True)
class Place:
    """One prompt's group at a parameter: what its part depends on, and the masses there."""

    own: Key
    counts: Counts
    group: Group
    masses: Vector


class SharedIterations:
    """The outer iterations t that begin from one parameter, by the counts of their groups."""

    def __init__(self, problem: Problem, t: int, theta: Vector, kept: Kept | None, arithmetic: Arithmetic) -> None:
        """``kept`` holds the masses of theta where the run has asked for them already."""
        self.problem, self.t, self.theta, self.arithmetic = problem, t, theta, arithmetic
        self.family = family_of(problem)
        self.simplices = isinstance(self.family, Simplex)
        """Whether each prompt has a simplex of its own; parameters that prompts share are in several, one a prefix."""
        self.kept = kept if kept is not None and kept.theta is theta else None
        self.guard = scripted_guard(problem, {}, arithmetic)
        self.calls: Counter[str] = Counter()
        self.known: dict[Key, tuple[Any, dict[str, int]]] = {}

    def ask(self, key: Key, compute: Callable[[Guard], Part], guard: Callable[[], Guard] | None = None) -> Part:
        """What core answers, from memory where it was asked the same before; its calls are counted either way."""
        if key not in self.known:
            asked = self.guard if guard is None else guard()
            before = asked.ledger.to_mapping()
            answer = compute(asked)
            took = {line: count - before[line] for line, count in asked.ledger.to_mapping().items()}
            self.known[key] = answer, {line: count for line, count in took.items() if count}
        found, calls = self.known[key]
        for line, count in calls.items():
            self.calls[line] += count
        part: Part = found
        return part

    def own(self, place: int, theta: Vector) -> Key:
        """What one prompt's masses depend on: its place, and its own parameters."""
        return place, key_of_vector(own_parameters(self.family, place, theta))

    def group(self, place: int, counts: Counts, masses: Vector) -> Group:
        """A group with these counts, drawn from theta."""
        prompt = self.problem.prompts[place]

        def scripted() -> Guard:
            guard = scripted_guard(self.problem, {place: counts}, self.arithmetic)
            guard.ledger.count("outer_iterations_started")
            return guard

        return self.ask(
            ("group", place, counts), lambda asked: draw_group(self.problem, asked, self.t, prompt, masses), scripted
        )

    def masses(self, theta: Vector) -> tuple[Vector, ...]:
        """The masses of every prompt at a parameter, asked for the first time in this iteration."""

        def of(place: int, prompt: Prompt) -> Vector:
            return self.ask(("masses", self.own(place, theta)), lambda asked: asked.prompt_masses(theta, prompt))

        return tuple(of(place, prompt) for place, prompt in enumerate(self.problem.prompts))

    def penalised(self) -> bool:
        """Whether beta > 0, which core asks once for each value and each gradient."""
        return self.ask("penalised", lambda asked: asked.arithmetic.less(0, self.problem.beta))

    def surrogate(self, at: Place) -> Scalar:
        """What one group adds to F_t."""
        return self.ask(
            ("surrogate", at.own, at.counts),
            lambda asked: group_surrogate(at.group, at.masses, self.problem.epsilon, asked.arithmetic),
        )

    def divergence(self, at: Place) -> Scalar:
        """KL_l."""
        return self.ask(
            ("divergence", at.own),
            lambda asked: kl_divergence(at.masses, at.group.prompt.reference, asked.arithmetic),
        )

    def objective(self, places: Sequence[Place]) -> Scalar:
        """F_t at a parameter: grpocheck.core.objective.objective, prompt by prompt."""
        penalised = self.penalised()
        value: Scalar = 0
        for at in places:
            value = value + self.surrogate(at)
            if penalised:
                value = value - self.problem.beta * self.divergence(at)
        return value / len(places)

    def rows(self, at: Place, theta: Vector) -> MassGradients:
        """The mass gradients of one prompt."""
        return self.ask(("rows", at.own), lambda asked: asked.prompt_mass_gradients(theta, at.group.prompt))

    def is_kinked(self, at: Place, rows: MassGradients) -> bool:
        """Whether one of the group's terms has a kink."""
        return self.ask(
            ("kinked", at.own, at.counts),
            lambda asked: bool(kinked_draws(at.group, at.masses, rows, self.problem.epsilon, asked.arithmetic)),
        )

    def slope(self, at: Place, rows: MassGradients, share: Scalar) -> Vector:
        """What one group adds to the gradient."""
        return self.ask(
            ("slope", at.own, at.counts),
            lambda asked: scaled(
                share, group_surrogate_gradient(at.group, at.masses, rows, self.problem.epsilon, asked.arithmetic)
            ),
        )

    def pull(self, at: Place, rows: MassGradients, share: Scalar) -> Vector:
        """What one prompt's divergence adds to the gradient."""
        return self.ask(
            ("pull", at.own),
            lambda asked: scaled(
                -self.problem.beta * share,
                divergence_gradient(at.masses, at.group.prompt.reference, rows, asked.arithmetic),
            ),
        )

    def gradient(self, places: Sequence[Place], theta: Vector) -> Vector | Undefined:
        """grad F_t at a parameter: grpocheck.core.gradient.objective_gradient, prompt by prompt."""
        prompts = [(at, self.rows(at, theta)) for at in places]
        if any(self.is_kinked(at, rows) for at, rows in prompts):
            return UNDEFINED_GRADIENT
        share = self.arithmetic.number(Fraction(1, len(prompts)))
        penalised = self.penalised()
        parts: list[Vector] = []
        for at, rows in prompts:
            parts.append(self.slope(at, rows, share))
            if penalised:
                parts.append(self.pull(at, rows, share))
        return tuple(total(column) for column in zip(*parts, strict=True))

    def moved(self, theta: Vector, step_size: Scalar, gradient: Vector) -> Vector:
        """theta + eta * gradient, coordinate by coordinate."""

        def entry(before: Scalar, slope: Scalar) -> Scalar:
            return self.ask(
                ("moved", key_of(before), step_size, key_of(slope)),
                lambda asked: proposed((before,), step_size, (slope,), asked)[0],
            )

        return tuple(entry(before, slope) for before, slope in zip(theta, gradient, strict=True))

    def is_member(self, proposal: Vector) -> bool:
        """M_U of a proposal: simplices prompt by prompt, every other domain as a whole."""
        if not self.simplices:
            return self.counted(lambda: self.guard.membership("membership call", proposal))
        stated = self.problem.domain
        return all(self.is_mass_function(place, proposal) for place in range(len(self.problem.prompts))) and (
            stated is None or self.counted(lambda: stated.contains(proposal, self.guard.arithmetic))
        )

    def is_mass_function(self, place: int, proposal: Vector) -> bool:
        """Whether a prompt's own parameters are inside its simplex."""
        block = own_parameters(self.family, place, proposal)
        return not block or self.ask(
            ("simplex", self.own(place, proposal)),
            lambda asked: OpenSimplices((len(block),)).contains(block, asked.arithmetic),
        )

    def counted(self, compute: Callable[[], bool]) -> bool:
        """An answer that is asked for anew, its comparisons counted."""
        before = self.guard.ledger.comparisons
        answer = compute()
        self.calls["comparisons"] += self.guard.ledger.comparisons - before
        return answer

    def places(
        self, counts: Sequence[Counts], groups: Sequence[Group], theta: Vector, masses: Sequence[Vector]
    ) -> list[Place]:
        """The groups at a parameter."""
        return [
            Place(self.own(place, theta), count, group, row)
            for place, (count, group, row) in enumerate(zip(counts, groups, masses, strict=True))
        ]

    def iteration(self, counts: Sequence[Counts]) -> tuple[OuterIteration, Kept]:
        """grpocheck.core.update.outer_iteration for groups with these counts; ``calls`` is then its ledger."""
        self.calls = Counter(outer_iterations_started=1)
        theta = self.theta
        masses = self.masses(theta) if self.kept is None else self.kept.masses
        groups = tuple(self.group(place, count, masses[place]) for place, count in enumerate(counts))
        frozen = FrozenIteration(self.t, theta, groups, self.problem.epsilon, self.problem.beta)
        places = self.places(counts, groups, theta, masses)
        at_start = self.objective(places)
        steps: list[InnerStep] = []
        for number, step_size in enumerate(self.problem.step_sizes[self.t - 1], start=1):
            self.calls["gradient_attempts"] += 1
            gradient = self.gradient(places, theta)
            if isinstance(gradient, Undefined):
                steps.append(InnerStep(number, theta, gradient, None, None, theta, None))
                break
            proposal = self.moved(theta, step_size, gradient)
            self.calls["membership_calls"] += 1
            if not self.is_member(proposal):
                steps.append(InnerStep(number, theta, gradient, proposal, False, theta, None))
                break
            self.calls["steps_applied"] += 1
            masses = self.masses(proposal)
            places = self.places(counts, groups, proposal, masses)
            value = self.objective(places)
            steps.append(InnerStep(number, theta, gradient, proposal, True, proposal, value))
            theta = proposal
        return OuterIteration(frozen, at_start, tuple(steps)), Kept(theta, masses)


def scaled(factor: Scalar, vector: Vector) -> Vector:
    """A vector times a number; zeros stay as they are."""
    return tuple(factor * entry for entry in vector)


def total(column: Sequence[Scalar]) -> Scalar:
    """The sum, without the rational zeros that most parts have in most coordinates."""
    parts = [entry for entry in column if not isinstance(entry, Fraction) or entry]
    return sum(parts[1:], parts[0]) if parts else Fraction(0)


def branches(
    problem: Problem,
    t: int,
    theta: Vector,
    kept: Kept | None,
    every: Sequence[tuple[Counts, ...]],
    arithmetic: Arithmetic,
) -> Iterator[Branch]:
    """Outer iteration t from theta for every combination of groups; raises PartsDisagree where core makes another."""
    shared = SharedIterations(problem, t, theta, kept, arithmetic)
    lines = shared.guard.ledger.to_mapping()
    masses = tuple(family_of(problem).masses(theta, prompt, arithmetic) for prompt in problem.prompts)
    weights: dict[tuple[int, Counts], Scalar] = {}
    stride = max(1, len(every) // CHECKED)
    for number, counts in enumerate(every):
        iteration, now = shared.iteration(counts)
        for place, count in enumerate(counts):
            if (place, count) not in weights:
                weights[place, count] = probability(count, masses[place])
        weight = prod((weights[entry] for entry in enumerate(counts)), start=Fraction(1))
        found = Branch(weight, iteration, {line: shared.calls[line] for line in lines}, now)
        if number % stride == 0:
            compare(found, branch(problem, t, theta, kept, masses, counts, arithmetic), counts)
        yield found


def summary(found: Branch) -> Mapping[str, object]:
    """All that a branch comes to, in keys that equal numbers share."""
    return {
        "probability": key_of(found.probability),
        "calls": found.calls,
        "objective at theta_old": key_of(found.iteration.objective),
        "steps": [
            (step.number, step.status, key_of_vector(step.theta), key_of(step.objective))
            for step in found.iteration.steps
        ],
        "masses": [] if found.kept is None else [key_of_vector(row) for row in found.kept.masses],
    }


def compare(found: Branch, made: Branch, counts: Sequence[Counts]) -> None:
    """Raise PartsDisagree unless a branch put together is the one that core made."""
    ours, cores = summary(found), summary(made)
    for what, value in cores.items():
        if ours[what] != value:
            raise PartsDisagree(f"groups with counts {counts}: {what} is {ours[what]!r}, of core {value!r}")
