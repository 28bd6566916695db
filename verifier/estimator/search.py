"""Neighbouring problems, from the smallest on: what a word about a variant in general has to survive.

A bias found here is the smallest of the list; none found here is no proof that there is none. One prompt (two where the
variant couples them), supports of two and three responses, groups of two to four, rewards and masses of small numbers,
responses of one and two tokens; off policy also old masses beside the current ones. Gradients are by one logit for each
response, exact for every mass.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from grpocheck.core.arithmetic import Arithmetic
from grpocheck.core.variants.policies import PromptPolicies, Update
from grpocheck.core.variants.support import TokenSupport
from grpocheck.core.variants.variant import Variant
from grpocheck.verifier.estimator.exact import Estimation, Verdict, estimate
from grpocheck.verifier.estimator.problems import logit_rows

Masses = tuple[Fraction, ...]

GROUP_SIZES = (2, 3, 4)
REWARDS = {2: ((1, 0), (2, 0), (3, 1)), 3: ((1, 0, 0), (2, 1, 0))}
HALF, THIRD, SIXTH = Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)
MASSES: dict[int, tuple[Masses, ...]] = {
    2: ((HALF, HALF), (THIRD, 1 - THIRD)),
    3: ((THIRD, THIRD, THIRD), (HALF, THIRD, SIXTH)),
}
OLD_MASSES: dict[int, Masses] = {2: (Fraction(2, 5), Fraction(3, 5)), 3: (Fraction(1, 4), HALF, Fraction(1, 4))}
LENGTHS = {2: ((1, 1), (1, 2), (2, 1)), 3: ((1, 1, 1), (1, 1, 2))}


@dataclass(frozen=True)
class Neighbour:
    """A small problem: its prompts are alike but for the order of their masses."""

    prompts: int
    group_size: int
    rewards: tuple[int, ...]
    masses: Masses
    old: Masses
    lengths: tuple[int, ...]
    beta: Fraction
    epsilon: Fraction

    def update(self, arithmetic: Arithmetic) -> Update:
        """The update of this problem, its reference uniform."""
        size = len(self.rewards)
        support = TokenSupport(tuple(" ".join([f"r{j}"] * length) for j, length in enumerate(self.lengths)))
        number = arithmetic.number
        prompts = []
        for position in range(self.prompts):
            turned = slice(None, None, -1 if position % 2 else 1)
            current = tuple(map(number, self.masses[turned]))
            old = current if self.old == self.masses else tuple(map(number, self.old[turned]))
            reference = (number(Fraction(1, size)),) * size
            rows = logit_rows(current, [size] * self.prompts, position, arithmetic)
            rewards = tuple(number(Fraction(reward)) for reward in self.rewards)
            prompts.append(PromptPolicies(support, rewards, current, old, reference, rows))
        return Update(tuple(prompts), number(self.epsilon), number(self.beta), max(self.lengths))

    def __str__(self) -> str:
        """The problem in words."""
        parts = [
            f"{len(self.rewards)} responses",
            f"G = {self.group_size}",
            f"rewards {listed(self.rewards)}",
            f"masses {listed(self.masses)}",
        ]
        if self.prompts > 1:
            parts.insert(0, f"{self.prompts} prompts, the masses of each second one reversed")
        if self.old != self.masses:
            parts.append(f"drawn from {listed(self.old)}")
        if set(self.lengths) != {1}:
            parts.append(f"lengths {listed(self.lengths)}")
        if self.beta:
            parts.append(f"beta {self.beta} to the uniform reference")
        return ", ".join(parts)


def listed(numbers: tuple[int, ...] | Masses) -> str:
    """Numbers in brackets."""
    return f"({', '.join(str(number) for number in numbers)})"


@dataclass(frozen=True)
class SearchResult:
    """How many problems were looked at, with which verdicts, and the smallest biased one with what it showed."""

    searched: int
    verdicts: dict[Verdict, int]
    smallest: Neighbour | None
    estimation: Estimation | None


def neighbours(variant: Variant, off_policy: bool, beta: Fraction, epsilon: Fraction) -> Iterator[Neighbour]:
    """Small problems around a variant, from the smallest on: by support, group size, lengths, rewards and masses."""
    for size, group_size in product((2, 3), GROUP_SIZES):
        for lengths, rewards, masses in product(LENGTHS[size], REWARDS[size], MASSES[size]):
            old = OLD_MASSES[size] if off_policy else masses
            prompts = 2 if variant.couples_groups else 1
            if prompts > 1 and (size, group_size) not in ((2, 2), (2, 3), (3, 2)):
                continue
            yield Neighbour(prompts, group_size, rewards, masses, old, lengths, beta, epsilon)


def search(
    variant: Variant, off_policy: bool, beta: Fraction, epsilon: Fraction, arithmetic: Callable[[], Arithmetic]
) -> SearchResult:
    """Estimate on one neighbour after the other, up to the first that shows a bias."""
    verdicts = dict.fromkeys(Verdict, 0)
    for searched, neighbour in enumerate(neighbours(variant, off_policy, beta, epsilon), start=1):
        own = arithmetic()
        estimation = estimate(variant, neighbour.update(own), neighbour.group_size, own)
        verdicts[estimation.verdict] += 1
        if estimation.verdict is Verdict.BIASED:
            return SearchResult(searched, verdicts, neighbour, estimation)
    return SearchResult(sum(verdicts.values()), verdicts, None, None)
