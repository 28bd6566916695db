"""Scripted definitions: random rational data for advantages, terms, divergence, objective and gradient.

Core's functions and the model's get the same arithmetic: rational numbers, a square root that is exact where it is
rational, and a rational function in place of the logarithm. The definitions take whatever they are supplied with.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from random import Random
from typing import Any

from grpocheck.core import Prompt
from grpocheck.core.advantage import mean, population_standard_deviation, standardised
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.frozen import FrozenIteration, Group
from grpocheck.core.gradient import objective_gradient
from grpocheck.core.objective import group_ratios, objective
from grpocheck.core.oracles import Undefined
from grpocheck.core.ratio import clipped_term
from grpocheck.proofs.extraction.model import word, words
from grpocheck.proofs.extraction.runs import Vector, random_masses


class StandIn:
    """The arithmetic that the model is extracted with (Extraction.v), for core."""

    name = "stand-in"

    def number(self, value: Fraction) -> Fraction:
        """The rational itself."""
        return value

    def sqrt(self, value: Fraction) -> Fraction:
        """The square root where it is rational; elsewhere the radicand stands in for it."""
        roots = isqrt(value.numerator), isqrt(value.denominator)
        exact = (roots[0] ** 2, roots[1] ** 2) == (value.numerator, value.denominator)
        return Fraction(*roots) if exact else value

    def log(self, value: Fraction) -> Fraction:
        """x - 1/x stands in for ln x."""
        return value - 1 / value

    def exp(self, value: Fraction) -> Fraction:
        """No definition of the objective has an exponential."""
        raise AssertionError(f"exp({value}) asked")

    def less(self, left: Fraction, right: Fraction) -> bool:
        """Whether left < right."""
        return left < right

    def equal(self, left: Fraction, right: Fraction) -> bool:
        """Whether left = right."""
        return left == right

    def minimum(self, left: Fraction, right: Fraction) -> Fraction:
        """The smaller one."""
        return min(left, right)

    def maximum(self, left: Fraction, right: Fraction) -> Fraction:
        """The larger one."""
        return max(left, right)

    def settle(self, value: Fraction) -> Fraction:
        """The rational itself."""
        return value

    def holds(self, value: object) -> bool:
        """Whether a value is a rational."""
        return isinstance(value, int | Fraction)

    def text(self, value: Fraction) -> str:
        """The rational in digits."""
        return str(value)


@dataclass(frozen=True)
class PromptData:
    """Masses and their slopes on the support of one prompt, and its drawn group of (response, reward)."""

    old: Vector
    reference: Vector
    current: Vector
    slopes: tuple[Vector, ...]
    group: tuple[tuple[int, Fraction], ...]

    def words(self) -> list[str]:
        """The data as the model reads it."""
        parts = [str(len(self.old))]
        for vector in (self.old, self.reference, self.current, *self.slopes):
            parts += words(vector)
        parts.append(str(len(self.group)))
        for response, reward in self.group:
            parts += [str(response), word(reward)]
        return parts


@dataclass(frozen=True)
class Data:
    """The frozen data of an outer iteration and the masses at a parameter."""

    epsilon: Fraction
    beta: Fraction
    prompts: tuple[PromptData, ...]

    def line(self) -> str:
        """The data as the model reads it."""
        dimension = len(self.prompts[0].slopes[0])
        parts = ["objective", str(len(self.prompts)), str(dimension), word(self.epsilon), word(self.beta)]
        return " ".join([*parts, *(part for prompt in self.prompts for part in prompt.words())])


def random_data(seed: int, count: int) -> Iterator[Data]:
    """Data of M <= 2, G <= 4, supports of 2 or 3 and d <= 2, with many exact ties among them."""
    random = Random(seed)
    for _ in range(count):
        dimension = random.randint(1, 2)
        epsilon = random.choice((Fraction(1, 5), Fraction(1, 4), Fraction(1, 2)))
        beta = random.choice((Fraction(0), Fraction(1, 25), Fraction(3, 2)))
        size = random.randint(2, 4)
        prompts = tuple(random_prompt(random, size, dimension, epsilon) for _ in range(random.randint(1, 2)))
        yield Data(epsilon, beta, prompts)


def random_prompt(random: Random, size: int, dimension: int, epsilon: Fraction) -> PromptData:
    """One prompt; half of them have a response whose ratio is exactly on a bound, and some slopes are 0."""
    support = random.randint(2, 3)
    old, reference, current = (random_masses(random, support) for _ in range(3))
    if random.random() < 0.5:
        tied = random.randrange(support)
        mass = old[tied] * random.choice((1 + epsilon, 1 - epsilon))
        if mass < 1:
            rest = 1 - current[tied]
            current = tuple(
                mass if j == tied else entry * (1 - mass) / rest for j, entry in enumerate(current)
            )
    rewards = [Fraction(random.randint(-4, 4), random.choice((1, 2, 3))) for _ in range(support)]
    slopes = tuple(
        tuple(Fraction(random.choice((0, 0, 1, -1, 2, -3)), random.choice((1, 2, 5))) for _ in range(dimension))
        for _ in range(support)
    )
    group = tuple((y, rewards[y]) for y in (random.randrange(support) for _ in range(size)))
    return PromptData(old, reference, current, slopes, group)


def core_values(data: Data) -> dict[str, Any]:
    """What core's functions make of the data, as the model prints it."""
    arithmetic: Any = StandIn()
    groups = tuple(core_group(position, prompt, arithmetic) for position, prompt in enumerate(data.prompts))
    frozen = FrozenIteration(1, (Fraction(0),), groups, data.epsilon, data.beta)
    masses = [prompt.current for prompt in data.prompts]
    ratios = [group_ratios(group, current) for group, current in zip(groups, masses, strict=True)]
    gradient = objective_gradient(frozen, masses, [prompt.slopes for prompt in data.prompts], arithmetic)
    return {
        "advantages": [words(group.advantages) for group in groups],
        "ratios": [words(row) for row in ratios],
        "terms": [
            words(
                clipped_term(ratio, advantage, data.epsilon, arithmetic)
                for ratio, advantage in zip(row, group.advantages, strict=True)
            )
            for row, group in zip(ratios, groups, strict=True)
        ],
        "divergences": words(kl_divergence(prompt.current, prompt.reference, arithmetic) for prompt in data.prompts),
        "objective": word(objective(frozen, masses, arithmetic)),
        "gradient": None if isinstance(gradient, Undefined) else words(gradient),
    }


def core_group(position: int, prompt: PromptData, arithmetic: Any) -> Group:
    """A drawn group as core freezes it."""
    names = tuple(f"y{j}" for j in range(len(prompt.old)))
    rewards = tuple(reward for _, reward in prompt.group)
    positions = tuple(response for response, _ in prompt.group)
    centre = mean(rewards)
    deviation = population_standard_deviation(rewards, arithmetic)
    advantages = standardised(rewards, centre, deviation, arithmetic)
    described = Prompt(position, f"q{position}", names, tuple(Fraction(0) for _ in names), prompt.reference)
    old_masses = tuple(prompt.old[response] for response in positions)
    return Group(described, positions, rewards, centre, deviation, advantages, old_masses)


def difference(data: Data, model: Mapping[str, Any]) -> str:
    """The first value in which core differs from the model; the empty text where none does."""
    found = core_values(data)
    for name, value in found.items():
        if value != model[name]:
            return f"{name}: core has {value}, the model {model[name]}"
    return ""
