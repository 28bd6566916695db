"""B1 and B2 for every group size, by induction over the group.

Core computes mean, deviation and advantages by going through the rewards one by one. ``Folded`` is that computation as
a fold: what has been accumulated after n rewards, and what the next reward adds. Every statement about a whole group is
proved from statements about n of its G rewards, which hold for none and are kept by one more. That core computes this
fold, operation for operation, is checked on the terms that core makes for each group size up to a bound.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from itertools import zip_longest
from typing import Any

import z3
from grpocheck.core.advantage import mean
from grpocheck.proofs.smt.logic import Truth, choose, every, implies
from grpocheck.proofs.smt.obligations import Obligation
from grpocheck.proofs.smt.terms import group_paths, require_contracts_off

LARGEST_GROUP = 40
"""The largest group size at which core's terms are compared with the fold's."""

Real = Any


class NotTheFold(Exception):  # noqa: N818 - named for what it says
    """Core computes something else than the fold."""


@dataclass(frozen=True)
class Folded:
    """What is accumulated over the first n rewards of a group, given the mean and the deviation of the whole group.

    Core accumulates the total and the squares. The others are what the claims speak of: sums over the advantages and
    over the group without one marked draw, and whether all rewards so far are the first one.
    """

    count: Real
    total: Real
    squares: Real
    deviations: Real
    advantages: Real
    advantage_squares: Real
    other_count: Real
    other_deviations: Real
    other_squares: Real
    marked: Truth
    alike: Truth


@dataclass(frozen=True)
class Group:
    """The whole group: G, its mean, its deviation s, the reward of the marked draw, and the first reward."""

    size: Real
    mean: Real
    deviation: Real
    marked_reward: Real
    first: Real


NONE_YET = Folded(0, 0, 0, 0, 0, 0, 0, 0, 0, False, True)


def with_reward(total: Real, reward: Real) -> Real:
    """The sum of the rewards with one more."""
    return total + reward


def with_square(squares: Real, reward: Real, average: Real) -> Real:
    """The sum of the squared deviations with one more."""
    deviation = reward - average
    return squares + deviation * deviation


def advantage_of(reward: Real, average: Real, deviation: Real) -> Real:
    """A = (R - mean) / s."""
    return (reward - average) / deviation


def one_more(group: Group, so_far: Folded, reward: Real, is_marked: bool) -> Folded:
    """The accumulated values with one more reward, which is that of the marked draw or another."""
    deviation = reward - group.mean
    advantage = advantage_of(reward, group.mean, group.deviation)
    others = int(not is_marked)
    return Folded(
        count=so_far.count + 1,
        total=with_reward(so_far.total, reward),
        squares=with_square(so_far.squares, reward, group.mean),
        deviations=so_far.deviations + deviation,
        advantages=so_far.advantages + advantage,
        advantage_squares=so_far.advantage_squares + advantage * advantage,
        other_count=so_far.other_count + others,
        other_deviations=so_far.other_deviations + others * deviation,
        other_squares=so_far.other_squares + others * deviation * deviation,
        marked=is_marked or so_far.marked,
        alike=every(so_far.alike, reward == group.first),
    )


def invariants(group: Group, f: Folded) -> dict[str, Truth]:
    """What holds of the accumulated values after n rewards, by name."""
    marked, spread = group.marked_reward - group.mean, group.deviation > 0
    return {
        "counts are counts": every(f.count >= 0, f.other_count >= 0),
        "sum of deviations = sum of rewards - n mean": f.deviations == f.total - f.count * group.mean,
        "s > 0: s times sum of A = sum of deviations": implies(spread, f.advantages * group.deviation == f.deviations),
        "s > 0: s^2 times sum of A^2 = sum of squares": implies(
            spread, f.advantage_squares * group.deviation * group.deviation == f.squares
        ),
        "squares of the others >= 0": f.other_squares >= 0,
        "the others are all but the marked": choose(
            f.marked,
            every(
                f.count == f.other_count + 1,
                f.deviations == f.other_deviations + marked,
                f.squares == f.other_squares + marked * marked,
            ),
            every(f.count == f.other_count, f.deviations == f.other_deviations, f.squares == f.other_squares),
        ),
        CAUCHY_SCHWARZ: f.other_deviations * f.other_deviations <= f.other_count * f.other_squares,
        "equal rewards: sum = n R_1, and sum of squares = n (R_1 - mean)^2": implies(
            f.alike,
            every(
                f.total == f.count * group.first,
                f.squares == f.count * (group.first - group.mean) * (group.first - group.mean),
            ),
        ),
    }


CAUCHY_SCHWARZ = "Cauchy-Schwarz: (sum of d)^2 <= n sum of d^2 over the others"
USED = {CAUCHY_SCHWARZ: ("counts are counts", "squares of the others >= 0")}
"""Which other invariants an invariant needs to be kept."""


def symbols() -> tuple[Group, Folded, Real]:
    """A group, accumulated values and a reward of which nothing is known."""
    group = Group(*(z3.Real(entry.name) for entry in fields(Group)))
    sorts = {"marked": z3.BoolSort(), "alike": z3.BoolSort()}
    folded = {entry.name: z3.Const(entry.name, sorts.get(entry.name, z3.RealSort())) for entry in fields(Folded)}
    return group, Folded(**folded), z3.Real("reward")


def fold_obligations() -> Iterator[Obligation]:
    """The induction over the group, and B1 and B2 at its end."""
    group, folded, reward = symbols()
    holds = invariants(group, folded)
    both = "B1, B2"
    for name, conclusion in invariants(group, NONE_YET).items():
        yield Obligation(both, f"{name}: for no reward", (), conclusion)
    for name, before in holds.items():
        known = (before, *(holds[used] for used in USED.get(name, ())))
        after = invariants(group, one_more(group, folded, reward, is_marked=False))[name]
        yield Obligation(both, f"{name}: kept by one more reward", known, after)
        marking = (*known, z3.Not(folded.marked), reward == group.marked_reward)
        after = invariants(group, one_more(group, folded, reward, is_marked=True))[name]
        yield Obligation(both, f"{name}: kept by the marked reward", marking, after)
    yield from whole_group(group, folded, tuple(holds.values()))


def whole_group(group: Group, folded: Folded, holds: tuple[Truth, ...]) -> Iterator[Obligation]:
    """B1 and B2 for the whole group: n = G, the mean is core's mean, and s^2 = sum of squares / G."""
    radicand = folded.squares / group.size
    whole = (
        group.size >= 2,
        folded.count == group.size,
        group.mean == folded.total / group.size,
        folded.marked,
        *holds,
    )
    marked = group.marked_reward - group.mean
    yield Obligation("B1", "B1, every G: the root is taken of a nonnegative number", whole, radicand >= 0)
    root = (*whole, group.deviation >= 0, group.deviation * group.deviation == radicand)
    yield Obligation(
        "B1", "B1, every G: s = 0 only if every reward is the mean", root, implies(group.deviation == 0, marked == 0)
    )
    yield Obligation(
        "B1", "B1, every G: s = 0 if all rewards are equal", root, implies(folded.alike, group.deviation == 0)
    )
    spread = (*root, group.deviation > 0)
    advantage = advantage_of(group.marked_reward, group.mean, group.deviation)
    yield Obligation("B2", "B2, every G, s > 0: sum of A = 0", spread, folded.advantages == 0)
    yield Obligation("B2", "B2, every G, s > 0: sum of A^2 = G", spread, folded.advantage_squares == group.size)
    yield Obligation("B2", "B2, every G, s > 0: A^2 <= G - 1", spread, advantage * advantage <= group.size - 1)
    level = group.marked_reward - group.marked_reward
    yield Obligation("B2", "B2, every G, s = 0: A = R - R = 0", (), level == 0)


def fold_of(rewards: Sequence[Real]) -> tuple[Real, Real]:
    """The mean of a group and the radicand of its deviation, folded from left to right."""
    total = reduce(with_reward, rewards, NONE_YET.total)
    average = total / len(rewards)
    squares = reduce(lambda so_far, reward: with_square(so_far, reward, average), rewards, NONE_YET.squares)
    return average, squares / len(rewards)


def check_core_is_the_fold(largest: int = LARGEST_GROUP) -> int:
    """Compare core's terms with the fold's for G from 2 to ``largest``, term by term; how many terms were compared."""
    require_contracts_off()
    compared = 0
    for size in range(2, largest + 1):
        rewards = [z3.Real(f"R_{i}") for i in range(1, size + 1)]
        average, radicand = fold_of(rewards)
        for arithmetic, (deviation, advantages) in group_paths(rewards):
            spread = arithmetic.taken == [True]
            known = [deviation >= 0, deviation * deviation == radicand]
            known.append(deviation > 0 if spread else z3.Not(deviation > 0))
            expected = [advantage_of(r, average, deviation) if spread else r - r for r in rewards]
            pairs = [
                (mean(rewards), average),
                *zip_longest(arithmetic.known, known),
                *zip_longest(advantages, expected),
            ]
            for made, folded in pairs:
                if made is None or folded is None or not made.eq(folded):
                    raise NotTheFold(f"G = {size}: core computes {made}, the fold {folded}")
            compared += len(pairs)
    return compared
