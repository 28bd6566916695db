"""The law of two iterations of a task: the expected best reward of each, over every group that can be drawn.

Every number comes from core's own runs, one for each pair of groups, with the draws recorded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod

from grpocheck.core.arithmetic.supply import Scalar
from grpocheck.core.training_free.oracles import Group, Member, best, worst
from grpocheck.core.training_free.outcome import Outcome
from grpocheck.core.training_free.patterns import HALF
from grpocheck.core.training_free.procedure import run
from grpocheck.core.training_free.responses import Listed, ResponseTable
from grpocheck.core.training_free.task import Task
from grpocheck.proofs.non_claims.grid import orders


@dataclass(frozen=True)
class Branch:
    """What follows a first group: its probability, its best reward, and the expectations of the second group."""

    group: tuple[str, ...]
    probability: Fraction
    first_best: Scalar
    first_mean: Scalar
    second_best: Scalar
    second_mean: Scalar
    second_external: Fraction
    """E[max r_ext] of the second group."""
    outcome: Outcome
    """One of the runs with this first group."""

    @property
    def first_external(self) -> Fraction:
        """The best external reward of the first group."""
        return max(member.external for member in self.outcome.iterations[0].members)


def groups(listed: Listed, size: int) -> list[tuple[tuple[str, ...], Fraction]]:
    """Every group up to the order of its draws, with the probability of all its orders."""
    return [
        (tuple(response.text for response, _ in group), orders(group) * prod((m for _, m in group), start=Fraction(1)))
        for group in combinations_with_replacement(listed, size)
    ]


def listed_of(task: Task) -> Listed:
    """The responses that a task lists."""
    if not isinstance(task.model, ResponseTable):
        raise TypeError("task: expected one that lists its responses")
    return task.model.listed


def branch(task: Task, first: tuple[str, ...], probability: Fraction) -> Branch:
    """What follows a first group, over every second one."""
    outcomes: list[Outcome] = []
    second_best: Scalar = Fraction(0)
    mean: Scalar = Fraction(0)
    external = Fraction(0)
    for second, _ in groups(listed_of(task), task.group_size):
        outcome = run(replace(task, iterations=2, recorded=(first, second), seed=None))
        if len(outcome.iterations) != 2:
            raise ValueError(f"the run stops after one iteration: {outcome.stop}")
        entry = outcome.iterations[1]
        masses = {response.text: mass for response, mass in entry.distribution.law()}
        weight = orders(second) * prod(masses[text] for text in second)
        second_best = second_best + weight * entry.best
        mean = mean + weight * mean_reward(entry.members)
        external += weight * max(member.external for member in entry.members)
        outcomes.append(outcome)
    entry = outcomes[0].iterations[0]
    return Branch(first, probability, entry.best, mean_reward(entry.members), second_best, mean, external, outcomes[0])


def law(task: Task) -> list[Branch]:
    """A branch for each first group; their probabilities sum to 1."""
    return [branch(task, first, probability) for first, probability in groups(listed_of(task), task.group_size)]


def averaged(branches: Sequence[Branch], quantity: Callable[[Branch], Scalar]) -> Scalar:
    """The expectation of a quantity over the first group."""
    total: Scalar = Fraction(0)
    for entry in branches:
        total = total + entry.probability * quantity(entry)
    return total


def mean_reward(members: Sequence[Member]) -> Scalar:
    """The mean reward of a group."""
    return sum((member.reward for member in members), start=Fraction(0)) / Fraction(len(members))


def premises_hold(branches: Sequence[Branch]) -> bool:
    """Whether every premise of the proposition is met, and not vacuously.

    Every pattern has a confidence above 1/2 and names tokens that occur in the best response of its group and not in
    the worst; and some group has a pattern with a token.
    """
    named = 0
    for entry in branches:
        first = entry.outcome.iterations[0]
        group = Group(entry.outcome.task.prompt, 1, first.members, (), entry.outcome.arithmetic)
        for pattern in first.patterns:
            high, low = best(group), worst(group)
            right = set(pattern.tokens) <= set(high.response.tokens) - set(low.response.tokens)
            if not pattern.confidence > HALF or not right:
                return False
            named += bool(pattern.tokens)
    return named > 0
