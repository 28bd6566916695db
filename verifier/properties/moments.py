"""What a property is evaluated on: a parameter of a run with its frozen groups, the step that leaves it, the outcome.

Every number is one that core computes: masses of the family, ratios, terms, KL and F_t by its own functions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from grpocheck.core.advantage import mean
from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.frozen import FrozenIteration
from grpocheck.core.gradient import Vector
from grpocheck.core.objective import objective
from grpocheck.core.outcome import Status
from grpocheck.core.ratio import clipped_term, importance_ratio
from grpocheck.verifier.properties.quantities import Sort

Masses = Sequence[Vector]
"""pi_theta(b_j | q) of every prompt."""


class Element(NamedTuple):
    """Something a quantifier ranges over: a prompt, a draw or a support response of it, or a coordinate; from 0."""

    sort: Sort
    prompt: int
    place: int


@dataclass(frozen=True)
class Setting:
    """The constants of a problem, and theta_0."""

    outer_iterations: int
    inner_steps: int
    group_size: int
    supports: tuple[int, ...]
    epsilon: Scalar
    beta: Scalar
    theta_0: Vector
    arithmetic: Arithmetic

    @property
    def constants(self) -> dict[str, Scalar]:
        """The constants by name."""
        return {
            "T": Fraction(self.outer_iterations),
            "M": Fraction(len(self.supports)),
            "G": Fraction(self.group_size),
            "K": Fraction(self.inner_steps),
            "d": Fraction(len(self.theta_0)),
            "epsilon": self.epsilon,
            "beta": self.beta,
        }


@dataclass(frozen=True)
class Ending:
    """How a run ended: its status, and the counts of its ledger under the names of a property."""

    status: Status
    counts: Mapping[str, int]


COUNTS = {
    "draws": "draws",
    "attempts": "gradient_attempts",
    "membership": "membership_calls",
    "steps": "steps_applied",
    "iterations": "outer_iterations_started",
}
"""The names of a property for lines of the ledger."""


def ending(status: Status, ledger: Mapping[str, int]) -> Ending:
    """The end of a run with this ledger."""
    return Ending(status, {name: ledger[line] for name, line in COUNTS.items()})


@dataclass(frozen=True)
class At:
    """A parameter with the masses there, evaluated when they are first asked for."""

    theta: Vector
    evaluate: Callable[[Vector], Masses]
    kept: list[Masses] = field(default_factory=list)

    @property
    def masses(self) -> Masses:
        """The masses of every prompt."""
        if not self.kept:
            self.kept.append(self.evaluate(self.theta))
        return self.kept[0]


@dataclass(frozen=True)
class Moment:
    """A place of a run: a parameter, and for an applied step the parameter after it; or the outcome alone."""

    setting: Setting
    end: Ending | None = None
    frozen: FrozenIteration | None = None
    k: int = 0
    old: At | None = None
    here: At | None = None
    after: At | None = None
    step_size: Scalar | None = None
    kept: dict[tuple[str, Element | None], Scalar] = field(default_factory=dict)

    @property
    def t(self) -> int | None:
        """The outer iteration, None for the outcome."""
        return None if self.frozen is None else self.frozen.outer_iteration

    def elements(self, sort: Sort, prompt: int | None) -> list[Element]:
        """What a quantifier over a sort goes through; of one prompt within a quantifier over prompts."""
        if sort is Sort.COORDINATE:
            return [Element(sort, 0, place) for place in range(len(self.setting.theta_0))]
        prompts = range(len(self.setting.supports)) if prompt is None else (prompt,)
        if sort is Sort.PROMPT:
            return [Element(sort, entry, 0) for entry in range(len(self.setting.supports))]
        sizes = self.setting.supports
        return [
            Element(sort, entry, place)
            for entry in prompts
            for place in range(self.setting.group_size if sort is Sort.RESPONSE else sizes[entry])
        ]

    def value(self, name: str, element: Element | None) -> Scalar:
        """A quantity; of the element, where it belongs to one. Computed once."""
        key = name, element
        if key not in self.kept:
            self.kept[key] = self.evaluated(name, element)
        return self.kept[key]

    def evaluated(self, name: str, element: Element | None) -> Scalar:
        """A quantity, from core."""
        constants = self.setting.constants
        if name in constants:
            return constants[name]
        if name in COUNTS:
            assert self.end is not None
            return Fraction(self.end.counts[name])
        at = self.after if name.endswith("_next") else self.here
        base = name.removesuffix("_next")
        assert self.frozen is not None
        assert self.old is not None
        assert at is not None
        if base == "t":
            return Fraction(self.frozen.outer_iteration)
        if base == "k":
            return Fraction(self.k)
        if base == "step_size":
            return self.step_size
        if base == "F":
            return objective(self.frozen, at.masses, self.setting.arithmetic)
        if base == "kl":
            return self.divergence(at, element)
        if base in ("theta", "theta_old", "theta_0"):
            vector = {"theta": at.theta, "theta_old": self.old.theta, "theta_0": self.setting.theta_0}[base]
            return vector[0 if element is None else element.place]
        assert element is not None
        group = self.frozen.groups[element.prompt]
        if base in ("mean_reward", "deviation"):
            return group.average if base == "mean_reward" else group.deviation
        return self.of_response(base, element, at)

    def divergence(self, at: At, element: Element | None) -> Scalar:
        """KL of a prompt, or its mean over the prompts."""
        assert self.frozen is not None
        arithmetic = self.setting.arithmetic
        every = [
            kl_divergence(masses, group.prompt.reference, arithmetic)
            for masses, group in zip(at.masses, self.frozen.groups, strict=True)
            if element is None or group.prompt.position == element.prompt
        ]
        return mean(every)

    def position(self, element: Element) -> int:
        """Where in its support a response is."""
        assert self.frozen is not None
        drawn = element.sort is Sort.RESPONSE
        return self.frozen.groups[element.prompt].positions[element.place] if drawn else element.place

    def response(self, element: Element) -> str:
        """The name of a response."""
        assert self.frozen is not None
        return self.frozen.groups[element.prompt].prompt.responses[self.position(element)]

    def of_response(self, base: str, element: Element, at: At) -> Scalar:
        """A quantity of a drawn response, or of one of the support."""
        assert self.frozen is not None
        assert self.old is not None
        group, position = self.frozen.groups[element.prompt], self.position(element)
        if base == "reward":
            return group.rewards[element.place] if element.sort is Sort.RESPONSE else group.prompt.rewards[position]
        if base == "reference":
            return group.prompt.reference[position]
        if base == "advantage":
            return group.advantages[element.place]
        old_mass = self.old.masses[element.prompt][position]
        if base == "old_mass":
            return old_mass
        mass = at.masses[element.prompt][position]
        if base == "mass":
            return mass
        ratio = importance_ratio(mass, old_mass)
        if base == "ratio":
            return ratio
        assert base == "term"
        advantage = group.advantages[element.place]
        return clipped_term(ratio, advantage, self.frozen.epsilon, self.setting.arithmetic)
