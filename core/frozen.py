"""What one outer iteration draws and then holds fixed through its K inner steps.

Seed [000], "Hold the responses, rewards, and advantages fixed through the K inner steps".
"""

from collections import Counter
from dataclasses import dataclass

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.contracts.comparisons import below
from grpocheck.contracts.predicates import are_positive, are_standardised, vanishes_exactly_when_constant
from grpocheck.core.arithmetic.supply import Scalar
from grpocheck.core.prompt import Prompt


@invariant(lambda self: len(self.positions) >= 2, "the group size G is at least 2")
@invariant(
    lambda self: len(self.positions) == len(self.rewards) == len(self.advantages) == len(self.old_masses),
    "D1: a group holds one reward, advantage and old mass for each of its G draws",
)
@invariant(
    lambda self: all(0 <= position < len(self.prompt.responses) for position in self.positions),
    "G3: every drawn response is in the support",
)
@invariant(lambda self: are_positive(self.old_masses), "A3: every drawn response has positive old mass")
@invariant(
    lambda self: vanishes_exactly_when_constant(self.deviation, self.rewards),
    "B1: s >= 0, and s = 0 exactly when all rewards of the group are equal",
)
@invariant(lambda self: are_standardised(self.advantages, self.deviation), "B2: the advantages are standardised")
@dataclass(frozen=True)
class Group:
    """The G draws of one prompt: positions in the support (with repetition), rewards, advantages, old masses.

    Each has G entries, draw by draw. Positions count from 0; ``rewards``, their ``average`` and their population
    ``deviation`` are in reward units, ``advantages`` have none, ``old_masses`` are probabilities.
    """

    prompt: Prompt
    positions: tuple[int, ...]
    rewards: tuple[Scalar, ...]
    average: Scalar
    deviation: Scalar
    advantages: tuple[Scalar, ...]
    old_masses: tuple[Scalar, ...]


@require(lambda group: len(group.positions) >= 2, "the group size G is at least 2")
@ensure(
    lambda group, result: tuple(group.positions[first] for first in result) == group.positions, "the same response"
)
@ensure(lambda result: all(result[first] == first <= i for i, first in enumerate(result)), "the first one")
def first_draws(group: Group) -> tuple[int, ...]:
    """For each draw the first draw (from 0) of the same response with the same advantage, which is one object."""
    seen: dict[tuple[int, int], int] = {}
    return tuple(
        seen.setdefault((position, id(advantage)), i)
        for i, (position, advantage) in enumerate(zip(group.positions, group.advantages, strict=True))
    )


@require(lambda group: len(group.positions) >= 2, "the group size G is at least 2")
@ensure(lambda group, result: sum(result.values()) == len(group.positions), "C1: every draw is counted")
@ensure(lambda group, result: {group.positions[i] for i in result} == set(group.positions), "no response is lost")
def draw_counts(group: Group) -> dict[int, int]:
    """How often a response was drawn, under its first draw (from 0); a term of F_t is evaluated once and weighted."""
    return dict(Counter(first_draws(group)))


@invariant(lambda self: self.outer_iteration >= 1, "outer iterations are counted from 1")
@invariant(
    lambda self: [group.prompt.position for group in self.groups] == list(range(len(self.groups))),
    "one group for each prompt, in the problem's order",
)
@invariant(lambda self: len({len(group.positions) for group in self.groups}) == 1, "every group has G draws")
@invariant(lambda self: below(0, self.epsilon) and below(self.epsilon, 1), "0 < epsilon < 1")
@dataclass(frozen=True)
class FrozenIteration:
    """The frozen data of outer iteration t (from 1): everything that F_t needs beside the parameter.

    ``theta_old`` has d entries, ``groups`` one for each of the M prompts; ``beta`` is in reward units per nat.
    """

    outer_iteration: int
    theta_old: tuple[Scalar, ...]
    groups: tuple[Group, ...]
    epsilon: Scalar
    beta: Scalar
