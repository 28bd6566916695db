"""Scripted supplies: every course that the answers of a run can take in a small scope, for core's own run to follow.

A run's course is decided by the answers of the gradient oracle and of M_U: an undefined gradient or a refusal at some
inner step (t, k), or neither. The other answers (draws, rewards, masses, gradients) are drawn from a seed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from grpocheck.core import UNDEFINED_GRADIENT, Problem, Prompt, Supply
from grpocheck.core.domains import WholeSpace
from grpocheck.core.families.supplied import Supplied
from grpocheck.core.frozen import FrozenIteration
from grpocheck.core.oracles import Undefined

LARGEST = 3
"""T, M, G and K up to this."""

ROUNDS = 3
"""How often every course is followed, each time with other draws, rewards, masses and gradients."""

MASSES = (Fraction(1, 6), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2))
Vector = tuple[Any, ...]


class Ending(StrEnum):
    """How the answers let a run end."""

    COMPLETE = "complete"
    UNDEFINED = "undefined-gradient"
    REFUSED = "invalid-update"


@dataclass(frozen=True)
class Script:
    """The sizes T, M, G, K of a run, how it ends, at which inner step (t, k), and the seed of all other answers."""

    outer_iterations: int
    prompts: int
    group_size: int
    inner_steps: int
    ending: Ending
    at: tuple[int, int]
    seed: int

    def __str__(self) -> str:
        """The script in a line."""
        sizes = f"T = {self.outer_iterations}, M = {self.prompts}, G = {self.group_size}, K = {self.inner_steps}"
        place = "" if self.ending is Ending.COMPLETE else f" at t = {self.at[0]}, k = {self.at[1]}"
        return f"script {self.seed}: {sizes}, {self.ending}{place}"


def all_scripts(largest: int = LARGEST, rounds: int = ROUNDS) -> Iterator[Script]:
    """Every course of a run for T, M, G, K up to ``largest``, ``rounds`` times over."""
    sizes = range(1, largest + 1)
    plans = product(sizes, sizes, range(2, largest + 1), sizes)
    courses = ((plan, course) for plan in plans for course in courses_of(plan[0], plan[3]))
    repeated = (entry for entry in courses for _ in range(rounds))
    for seed, ((outer, prompts, group, inner), (ending, place)) in enumerate(repeated):
        yield Script(outer, prompts, group, inner, ending, place, seed)


def courses_of(outer_iterations: int, inner_steps: int) -> Iterator[tuple[Ending, tuple[int, int]]]:
    """The 2TK + 1 ways in which a run can go."""
    yield Ending.COMPLETE, (0, 0)
    for t, k in product(range(1, outer_iterations + 1), range(1, inner_steps + 1)):
        yield Ending.UNDEFINED, (t, k)
        yield Ending.REFUSED, (t, k)


class ScriptedSupply:
    """The oracles of a script; they keep what they were asked and what they answered."""

    def __init__(self, script: Script) -> None:
        """The supply of a script, before its first call."""
        self.script = script
        self.random = Random(script.seed)
        self.problem = problem_of(script, self.random)
        self.frozen: FrozenIteration | None = None
        self.valid: list[Vector] = []
        self.attempts = 0

    def supply(self) -> Supply:
        """The oracles as core takes them."""
        return Supply(draws=self.draw, policy=self, domain=self.is_member, gradient=self.gradient)

    def place(self) -> tuple[int, int]:
        """The inner step (t, k) of the current gradient attempt, by the number of attempts."""
        t, k = divmod(self.attempts - 1, self.script.inner_steps)
        return t + 1, k + 1

    def draw(self, masses: Sequence[Any], prompt: Prompt, outer_iteration: int, draw: int) -> str:
        """Any response of the support."""
        return self.random.choice(prompt.responses)

    def masses(self, theta: Sequence[Any], prompt: Prompt, arithmetic: Any) -> Vector:
        """Masses that depend on the parameter."""
        first = Random(str((self.script.seed, prompt.name, tuple(theta)))).choice(MASSES)
        rest = (1 - first) / (len(prompt.responses) - 1)
        return (first, *(rest for _ in prompt.responses[1:]))

    def mass_gradients(self, theta: Sequence[Any], prompt: Prompt, arithmetic: Any) -> tuple[Vector, ...]:
        """Not asked: the gradient oracle is supplied."""
        raise RuntimeError("mass gradients are asked for, although the gradient oracle is supplied")

    def gradient(self, frozen: FrozenIteration, theta: Sequence[Any]) -> Vector | Undefined:
        """Undefined where the script says so, else any vector; now and then 0, so that theta stays where it is."""
        self.frozen = frozen
        self.attempts += 1
        here = self.place() == self.script.at
        if here and self.script.ending is Ending.UNDEFINED:
            return UNDEFINED_GRADIENT
        if not here and self.random.random() < 0.2:
            return tuple(Fraction(0) for _ in theta)
        # The large part makes a proposal new, so that M_U can refuse it without contradicting an earlier answer.
        return tuple(Fraction(self.random.randint(-9, 9), 7) + 100**self.attempts for _ in theta)

    def is_member(self, theta: Sequence[Any]) -> bool:
        """1 for theta_0 and every proposal but the one that the script refuses."""
        if self.attempts and self.place() == self.script.at and self.script.ending is Ending.REFUSED:
            return False
        self.valid.append(tuple(theta))
        return True


def problem_of(script: Script, random: Random) -> Problem:
    """A problem of the script's sizes, all its step sizes different."""
    prompts = []
    for position in range(script.prompts):
        size = random.choice((2, 3))
        rewards = tuple(Fraction(random.randint(0, 2), 2) for _ in range(size))
        prompts.append(Prompt(position, f"q{position}", ("a", "b", "c")[:size], rewards, (Fraction(1, size),) * size))
    dimension = random.choice((1, 2))
    return Problem(
        prompts=tuple(prompts),
        family=Supplied(dimension),
        theta=tuple(Fraction(random.randint(-3, 3), 5) for _ in range(dimension)),
        group_size=script.group_size,
        outer_iterations=script.outer_iterations,
        inner_steps=script.inner_steps,
        epsilon=Fraction(1, 5),
        beta=Fraction(0),
        step_sizes=tuple(
            tuple(Fraction(1, 2 + t * script.inner_steps + k) for k in range(script.inner_steps))
            for t in range(script.outer_iterations)
        ),
        domain=WholeSpace(dimension),
    )
