"""When the expected best reward cannot fall: factors that never fall as the reward rises.

Let pi_new be proportional to pi times a factor, and let the factor never fall as the reward rises. For a threshold t
let f be the least factor among the responses of reward at least t. Then

    P_new(r >= t) / P_new(r < t)  >=  f P(r >= t) / (f P(r < t))  =  P(r >= t) / P(r < t)

so pi_new dominates pi stochastically in the reward. The best of G independent draws is at least t with probability
1 - (1 - P(r >= t))^G, which rises with P(r >= t), and its expectation, a sum of such terms, cannot fall. Two responses
meet the condition whenever the better one is named, so two responses never refute N6. The proposition of seed [003]
assumes less: that what is named did better in one group.

For every support, law and group size, and factors that are equal at equal rewards, it is a theorem that Coq's kernel
checks: expected_best_never_falls in proofs/coq/Reweighting.v.

``python -m grpocheck.proofs.non_claims.n6_condition`` looks at every case of a small scope, exactly, and counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from typing import NamedTuple

from grpocheck.core.training_free.decoding import reweighted
from grpocheck.proofs.non_claims.shapes import mass_functions

Numbers = tuple[Fraction, ...]

FACTORS = tuple(map(Fraction, ("1", "3/2", "2", "4")))
REWARDS = tuple(map(Fraction, ("0", "1/8", "1/2", "1")))
GROUP_SIZES = (2, 3)
DENOMINATOR = 6
MOST_RESPONSES = 3


class Case(NamedTuple):
    """Masses, their factors and rewards in rising order, and the group size."""

    masses: Numbers
    factors: Numbers
    rewards: Numbers
    group_size: int


@dataclass(frozen=True)
class Scope:
    """What was counted."""

    cases: int = 0
    monotone: int = 0
    """Cases in which the factor never falls as the reward rises."""
    others_that_fall: int = 0
    """Other cases in which the expected best reward falls: the condition is not idle."""
    while_the_mean_rises: int = 0
    """Those of them in which the mean rises: a better mean is not enough."""
    two_responses: int = 0
    """Monotone cases of two responses: those in which naming the better one is all that happens."""


class ConditionFails(Exception):  # noqa: N818 - named for what it says
    """A case that meets the condition and falls all the same."""


def cases(responses: int) -> Iterator[Case]:
    """Every case with so many responses."""
    masses = mass_functions(responses, DENOMINATOR)
    rewards = list(combinations_with_replacement(REWARDS, responses))
    factors = list(product(FACTORS, repeat=responses))
    for chosen in product(masses, factors, rewards, GROUP_SIZES):
        yield Case(*chosen)


def is_monotone(case: Case) -> bool:
    """Whether a larger reward never has a smaller factor."""
    pairs = list(zip(case.rewards, case.factors, strict=True))
    return all(low[1] <= high[1] for low in pairs for high in pairs if low[0] < high[0])


def tail(masses: Numbers, rewards: Numbers, threshold: Fraction) -> Fraction:
    """P(r >= t)."""
    return sum((mass for mass, reward in zip(masses, rewards, strict=True) if reward >= threshold), start=Fraction(0))


def expected_best(masses: Numbers, rewards: Numbers, group_size: int) -> Fraction:
    """E[max r] of independent draws, by its tails: the least reward, and each step up times the chance to make it."""
    levels = sorted(set(rewards))
    chances = ((low, high, 1 - (1 - tail(masses, rewards, high)) ** group_size) for low, high in pairwise(levels))
    return levels[0] + sum((high - low) * chance for low, high, chance in chances)


def mean(masses: Numbers, rewards: Numbers) -> Fraction:
    """E[r] of one draw."""
    return sum((mass * reward for mass, reward in zip(masses, rewards, strict=True)), start=Fraction(0))


def counted() -> Scope:
    """Look at every case; raises ConditionFails for one that meets the condition and falls."""
    cases_seen = monotone = falls = better_mean = two = 0
    for responses in range(2, MOST_RESPONSES + 1):
        for case in cases(responses):
            cases_seen += 1
            after = reweighted(case.masses, case.factors)
            rises = expected_best(after, case.rewards, case.group_size) >= expected_best(
                case.masses, case.rewards, case.group_size
            )
            if not is_monotone(case):
                falls += not rises
                better_mean += not rises and mean(after, case.rewards) > mean(case.masses, case.rewards)
                continue
            monotone += 1
            two += responses == 2
            dominates = all(tail(after, case.rewards, t) >= tail(case.masses, case.rewards, t) for t in case.rewards)
            if not (rises and dominates):
                raise ConditionFails(f"{case}: the masses become {after}")
    return Scope(cases_seen, monotone, falls, better_mean, two)


def main() -> int:
    """The command; the exit status."""
    found = counted()
    print(
        f"{found.cases} cases: masses over denominators up to {DENOMINATOR} on 2 to {MOST_RESPONSES} responses, "
        f"factors {', '.join(map(str, FACTORS))}, rewards {', '.join(map(str, REWARDS))}, groups of 2 and 3\n"
        f"{found.monotone} with factors that never fall as the reward rises ({found.two_responses} of them with two "
        "responses): the reward distribution dominates the old one and the expected best never falls\n"
        f"{found.others_that_fall} of the {found.cases - found.monotone} others: the expected best falls, in "
        f"{found.while_the_mean_rises} of them while the mean rises"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
