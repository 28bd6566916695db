"""Finite grids of problems, and the cases of a grid in the order of their heights.

What leaves every group, step and objective as it was is not looked at twice: the order of the draws within a group, the
order of the prompts, and, with two responses, exchanging the two (theta and 1 - theta). A case says for how many it
stands. A shift of a prompt's rewards changes no advantage and no difference of returns, so the least reward is 0.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import NamedTuple

from grpocheck.core import Problem, Prompt
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.families.simplex import Simplex
from grpocheck.proofs.non_claims.shapes import Shape, fractions_below_1, height, mass_functions

Masses = tuple[Fraction, ...]
Positions = tuple[int, ...]

HALF = Fraction(1, 2)
NAMES = "abcdefgh"


class Kind(NamedTuple):
    """One prompt of a case: its masses at theta_0, rewards, reference, and the positions drawn in each iteration."""

    masses: Masses
    rewards: tuple[Fraction, ...]
    reference: Masses
    draws: tuple[Positions, ...]


class Case(NamedTuple):
    """A problem of a grid; ``stands_for`` counts it with those that differ from it by a symmetry alone."""

    height: int
    theta: tuple[Fraction, ...]
    prompts: tuple[Kind, ...]
    epsilon: Fraction
    beta: Fraction
    step_size: Fraction
    stands_for: int


def anything(shape: Shape) -> bool:
    """Every shape is looked at."""
    return True


@dataclass(frozen=True)
class Grid:
    """Which problems are searched. Two responses: one parameter for all prompts (bernoulli); more: simplex.

    Masses have a common denominator up to ``masses``, and one step size serves all steps. Without ``drawn`` a case has
    no draws: it is judged by the law of all of them.
    """

    most: int
    """The largest size of a shape."""
    rewards: tuple[Fraction, ...] = (Fraction(0), Fraction(1))
    masses: int = 4
    epsilons: tuple[Fraction, ...] = fractions_below_1(4)
    step_sizes: tuple[Fraction, ...] = (Fraction(1, 16), Fraction(1, 8), *fractions_below_1(4), Fraction(1))
    betas: tuple[Fraction, ...] = (Fraction(0),)
    drawn: bool = True
    admits: Callable[[Shape], bool] = anything
    where: str = ""
    """``admits`` in words."""

    def describe(self) -> str:
        """The grid in words."""
        parts = [
            "bernoulli for two responses, simplex for more",
            f"masses over denominators up to {self.masses}",
            f"rewards {listed(self.rewards)}, the least of a prompt 0",
            f"epsilon {listed(self.epsilons)}",
            f"beta {listed(self.betas)}",
            f"one step size out of {listed(self.step_sizes)}",
        ]
        return "; ".join(parts + ([self.where] if self.where else []))

    def references(self, responses: int) -> tuple[Masses, ...]:
        """The uniform reference where beta is 0 and it does not enter; else all of the grid."""
        if any(self.betas):
            return mass_functions(responses, self.masses)
        return ((Fraction(1, responses),) * responses,)

    def kinds(self, shape: Shape, masses: tuple[Masses, ...]) -> list[Kind]:
        """The prompts of a shape with one of these masses."""
        rewards = [row for row in product(self.rewards, repeat=shape.responses) if min(row) == 0]
        groups = list(combinations_with_replacement(range(shape.responses), shape.group_size))
        draws = list(product(groups, repeat=shape.outer_iterations)) if self.drawn else [()]
        return sorted(Kind(*kind) for kind in product(masses, rewards, self.references(shape.responses), draws))

    def prompt_lists(self, shape: Shape) -> Iterator[tuple[tuple[Fraction, ...], tuple[Kind, ...], int]]:
        """theta, the prompts up to their order, and for how many this stands."""
        every = mass_functions(shape.responses, self.masses)
        shared = shape.responses == 2
        options = [(masses,) for masses in every if masses[0] <= HALF] if shared else [every]
        for masses in options:
            for kinds in combinations_with_replacement(self.kinds(shape, masses), shape.prompts):
                first = kinds[:1] if shared else kinds
                theta = tuple(mass for kind in first for mass in kind.masses[:-1])
                mirrored = 2 if shared and theta[0] < HALF else 1
                yield theta, kinds, mirrored * arrangements(kinds)

    def cases(self, shape: Shape) -> list[Case]:
        """Every case of a shape, the least height first, then in the order of theta, prompts and the rest."""
        found = []
        settings = list(product(self.epsilons, self.betas, self.step_sizes))
        for theta, kinds, stands_for in self.prompt_lists(shape):
            numbers = height((*theta, *(number for kind in kinds for number in (*kind.rewards, *kind.reference))))
            found += [Case(numbers + height(rest), theta, kinds, *rest, stands_for) for rest in settings]
        return sorted(found)


def listed(numbers: tuple[Fraction, ...]) -> str:
    """Numbers in a row."""
    return ", ".join(map(str, numbers))


def orders(entries: tuple[object, ...]) -> int:
    """In how many orders a collection with repetitions can be written."""
    return factorial(len(entries)) // prod(factorial(times) for times in Counter(entries).values())


def arrangements(kinds: tuple[Kind, ...]) -> int:
    """The orders of the prompts times the orders of every group."""
    return orders(kinds) * prod(orders(group) for kind in kinds for group in kind.draws)


def problem_of(case: Case, shape: Shape) -> Problem:
    """The case as a problem that can run."""
    responses = tuple(NAMES[: shape.responses])
    recorded = tuple(
        tuple(tuple(responses[position] for position in kind.draws[t]) for kind in case.prompts)
        for t in range(shape.outer_iterations)
        if case.prompts[0].draws
    )
    return Problem(
        prompts=tuple(
            Prompt(place, f"q{place + 1}", responses, kind.rewards, kind.reference)
            for place, kind in enumerate(case.prompts)
        ),
        family=Bernoulli() if shape.responses == 2 else Simplex((shape.responses,) * shape.prompts),
        theta=case.theta,
        group_size=shape.group_size,
        outer_iterations=shape.outer_iterations,
        inner_steps=shape.inner_steps,
        epsilon=case.epsilon,
        beta=case.beta,
        step_sizes=((case.step_size,) * shape.inner_steps,) * shape.outer_iterations,
        recorded=recorded or None,
    )
