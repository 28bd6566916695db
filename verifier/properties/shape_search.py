"""Small rational problems of the shape of a given one: one of them that refutes a property, and simpler ones that do.

A search that finds nothing says nothing: only a refutation counts. Small grids are gone through whole; from larger ones
problems are picked at random, the same ones each time.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement, islice, product
from math import prod
from typing import Any, TypeAlias

from grpocheck.core.arithmetic import UndecidedComparison
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.families.simplex import Simplex
from grpocheck.core.families.softmax import Softmax
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.problem import Problem
from grpocheck.core.prompt import Prompt
from grpocheck.proofs.non_claims.shapes import fractions_below_1, mass_functions
from grpocheck.verifier.properties.checking import Property
from grpocheck.verifier.properties.evaluation import Truth
from grpocheck.verifier.properties.runs import case_of_run
from grpocheck.verifier.properties.verdicts import Stopped, Watch

MOST_WHOLE = 20_000
"""A grid of more problems is not gone through whole."""
MOST_PICKED = 4_000
"""So many are picked from it instead; from the widest grid they are picked without end."""

Masses: TypeAlias = tuple[Fraction, ...]


def numbers(*values: int | str) -> tuple[Fraction, ...]:
    """Rationals in a row."""
    return tuple(map(Fraction, values))


@dataclass(frozen=True)
class Grid:
    """Out of which numbers the problems are made."""

    denominators: int
    """Masses are over common denominators up to this many more than there are responses."""
    rewards: tuple[Fraction, ...]
    epsilons: tuple[Fraction, ...]
    step_sizes: tuple[Fraction, ...]
    betas: tuple[Fraction, ...]
    coordinates: tuple[Fraction, ...]
    """Of a parameter that is no mass."""


GRIDS = (
    Grid(1, numbers(0, 1), numbers("1/2"), numbers("1/2", "1/4", 1), numbers(0, 1), numbers(0, 1)),
    Grid(2, numbers(0, 1, 2), numbers("1/2", "1/4", "3/4"), numbers("1/2", "1/4", "1/8", 1, 2), numbers(0, 1),
         numbers(0, 1, -1, "1/2", "1/3", "1/4")),
)  # fmt: skip


def widely(problem: Problem) -> Grid:
    """A grid that no search goes through whole, with numbers of the given problem among its own."""
    return Grid(
        4,
        (*numbers(0, 1, 2, 3, -1, "1/2"), *{reward for prompt in problem.prompts for reward in prompt.rewards}),
        (*fractions_below_1(5), problem.epsilon, Fraction(1, 100)),
        (*numbers("1/16", "1/8", "1/4", "1/3", "1/2", 1, 2, 4), *{size for row in problem.step_sizes for size in row}),
        (*numbers(0, "1/10", 1, 4), problem.beta),
        (*numbers(0, 1, -1, 2, -2, "1/2", "1/3", "1/4", "1/5", "-1/2"), *problem.theta),
    )


def parameters(problem: Problem, grid: Grid) -> list[list[Masses]]:
    """What theta is put together from: a choice for each of its parts."""
    sizes = [len(prompt.responses) for prompt in problem.prompts]
    if isinstance(problem.family, Bernoulli):
        return [[masses[:-1] for masses in mass_functions(2, 2 + grid.denominators)]]
    if isinstance(problem.family, Simplex):
        return [[masses[:-1] for masses in mass_functions(n, n + grid.denominators)] for n in sizes]
    if isinstance(problem.family, Softmax):
        return [[(Fraction(0), *rest) for rest in product(grid.coordinates, repeat=n - 1)] for n in sizes]
    return [[(value,) for value in grid.coordinates]] * problem.dimension


def choices(problem: Problem, grid: Grid, penalised: bool) -> list[Sequence[Any]]:
    """Everything that a problem of the grid chooses: settings, theta, and for each prompt rewards, reference, draws."""
    betas = grid.betas if penalised else grid.betas[:1]
    found: list[Sequence[Any]] = [grid.epsilons, grid.step_sizes, betas, *parameters(problem, grid)]
    for prompt in problem.prompts:
        n = len(prompt.responses)
        uniform = (Fraction(1, n),) * n
        others = [masses for masses in mass_functions(n, n + grid.denominators) if masses != uniform]
        groups = list(combinations_with_replacement(prompt.responses, problem.group_size))
        found.append([row for row in product(grid.rewards, repeat=n) if min(row) <= 0])
        found.append([uniform, *others] if penalised else [uniform])
        found += [groups] * problem.outer_iterations
    return found


def problem_of(problem: Problem, picked: Sequence[Any]) -> Problem | None:
    """The problem of a choice; None where it is none (a parameter outside the family's domain)."""
    epsilon, step_size, beta, *rest = picked
    each = 2 + problem.outer_iterations
    blocks = rest[len(rest) - each * len(problem.prompts) :]
    theta = tuple(entry for part in rest[: len(rest) - len(blocks)] for entry in part)
    prompts: list[Prompt] = []
    groups: list[Sequence[tuple[str, ...]]] = []
    for prompt in problem.prompts:
        rewards, reference, *drawn = blocks[each * prompt.position : each * (prompt.position + 1)]
        prompts.append(replace(prompt, rewards=rewards, reference=reference))
        groups.append(drawn)
    recorded = tuple(zip(*groups, strict=True))
    row = (step_size,) * problem.inner_steps
    try:
        return replace(
            problem, prompts=tuple(prompts), theta=theta, epsilon=epsilon, beta=beta, domain=None, recorded=recorded,
            seed=None, step_sizes=(row,) * problem.outer_iterations,
        )  # fmt: skip
    except InvalidProblem:
        return None


def candidates(problem: Problem, grid: Grid, penalised: bool) -> Iterator[Problem | None]:
    """The problems of a grid: all of them where they are few, else some picked at random, from a fixed seed.

    None stands for a choice that makes no problem: from the widest grid there may be nothing but these.
    """
    every = choices(problem, grid, penalised)
    if prod(map(len, every)) <= MOST_WHOLE:
        picks: Iterator[Sequence[Any]] = product(*every)
    else:
        chance = random.Random(0)
        endless = iter(lambda: tuple(chance.choice(options) for options in every), None)
        picks = islice(endless, MOST_PICKED) if grid in GRIDS else endless
    return (problem_of(problem, picked) for picked in picks)


def refutes(stated: Property, candidate: Problem, watch: Watch) -> bool:
    """Whether the run of a problem refutes; what cannot be decided does not."""
    try:
        case, _ = case_of_run(stated, candidate, watch)
    except UndecidedComparison:
        return False
    return case.truth in (Truth.FALSE, Truth.UNDEFINED)


def found_in(stated: Property, problem: Problem, grid: Grid, watch: Watch, tally: list[int]) -> Problem | None:
    """The first problem of a grid that refutes, None where none does; the tally counts. Raises Stopped."""
    penalised = bool({"beta", "kl", "kl_next", "reference", "F", "F_next"} & stated.names) or not stated.is_of_outcome
    for candidate in candidates(problem, grid, penalised):
        watch.tell(tally[0], 0)
        if candidate is None:
            continue
        tally[0] += 1
        if refutes(stated, candidate, watch):
            return candidate
    return None


def complexity(value: Fraction) -> int:
    """How much there is to read in a number."""
    return abs(value.numerator) + value.denominator


SIMPLE = tuple(sorted({Fraction(a, b) for a in range(-2, 4) for b in range(1, 5)}, key=lambda x: (complexity(x), -x)))


def simpler(problem: Problem) -> Iterator[Problem]:
    """Problems with one number of this one simpler, of the same shape."""

    def numbers_for(value: Fraction) -> Iterator[Fraction]:
        return (candidate for candidate in SIMPLE if complexity(candidate) < complexity(value))

    def changed(**fields: Any) -> Iterator[Problem]:
        try:
            yield replace(problem, **fields)
        except InvalidProblem:
            return

    for value in numbers_for(problem.beta):
        yield from changed(beta=value)
    for value in numbers_for(problem.epsilon):
        yield from changed(epsilon=value)
    for value in numbers_for(problem.step_sizes[0][0]):
        yield from changed(step_sizes=((value,) * problem.inner_steps,) * problem.outer_iterations)
    for place, entry in enumerate(problem.theta):
        for value in numbers_for(entry):
            yield from changed(theta=(*problem.theta[:place], value, *problem.theta[place + 1 :]))
    for prompt in problem.prompts:
        before, after = problem.prompts[: prompt.position], problem.prompts[prompt.position + 1 :]
        uniform = (Fraction(1, len(prompt.reference)),) * len(prompt.reference)
        if prompt.reference != uniform:
            yield from changed(prompts=(*before, replace(prompt, reference=uniform), *after))
        for place, reward in enumerate(prompt.rewards):
            for value in numbers_for(reward):
                rewards = (*prompt.rewards[:place], value, *prompt.rewards[place + 1 :])
                yield from changed(prompts=(*before, replace(prompt, rewards=rewards), *after))


def simplified(stated: Property, problem: Problem, watch: Watch) -> Problem:
    """A problem that refutes as this one does, each of its numbers as simple as could be found in the time."""
    try:
        while True:
            better = next((other for other in simpler(problem) if refutes(stated, other, watch)), None)
            if better is None:
                return problem
            problem = better
    except Stopped:
        return problem
