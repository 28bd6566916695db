"""Mean, population standard deviation and advantages of one group (claims B1, B2).

The contracts are icontract's own: see grpocheck.proofs.symbolic.harness.
"""

from collections.abc import Sequence
from fractions import Fraction

from grpocheck.core.advantage import group_advantages, population_standard_deviation
from grpocheck.proofs.symbolic.arithmetic import SymbolicArithmetic
from grpocheck.proofs.symbolic.harness import harness
from icontract import ensure

EXACT = SymbolicArithmetic()

Two = tuple[Fraction, Fraction]
Three = tuple[Fraction, Fraction, Fraction]
Eight = tuple[Fraction, Fraction, Fraction, Fraction, Fraction, Fraction, Fraction, Fraction]


def constant(values: Sequence[Fraction]) -> bool:
    """Whether all values are equal."""
    return all(value == values[0] for value in values[1:])


def square_sum(values: Sequence[Fraction]) -> Fraction:
    """The sum of the squares."""
    return sum((value * value for value in values), Fraction(0))


def within_root(advantages: Sequence[Fraction]) -> bool:
    """abs(A) <= sqrt(G - 1), without a root."""
    return all(advantage * advantage <= len(advantages) - 1 for advantage in advantages)


def signs_agree(advantages: Sequence[Fraction], rewards: Sequence[Fraction]) -> bool:
    """A reward above the mean has a positive advantage, and only such a one."""
    total = sum(rewards)
    return all((a > 0) == (len(rewards) * r > total) for a, r in zip(advantages, rewards, strict=True))


@harness(size="G = 2, any rewards")
@ensure(lambda result: result >= 0, "B1: s >= 0")
@ensure(lambda rewards, result: (result == 0) == constant(rewards), "B1: s = 0 exactly for equal rewards")
def deviation_of_two(rewards: Two) -> Fraction:
    """The population standard deviation of two rewards."""
    result: Fraction = population_standard_deviation(rewards, EXACT)
    return result


@harness(size="G = 3, any rewards")
@ensure(lambda result: result >= 0, "B1: s >= 0")
@ensure(lambda rewards, result: (result == 0) == constant(rewards), "B1: s = 0 exactly for equal rewards")
def deviation_of_three(rewards: Three) -> Fraction:
    """The population standard deviation of three rewards."""
    result: Fraction = population_standard_deviation(rewards, EXACT)
    return result


@harness(size="G = 8, any rewards")
@ensure(lambda result: result >= 0, "B1: s >= 0")
@ensure(lambda rewards, result: (result == 0) == constant(rewards), "B1: s = 0 exactly for equal rewards")
def deviation_of_eight(rewards: Eight) -> Fraction:
    """The population standard deviation of eight rewards."""
    result: Fraction = population_standard_deviation(rewards, EXACT)
    return result


@harness(size="G = 2, any rewards")
@ensure(lambda result: sum(result) == 0, "B2: sum A = 0")
@ensure(lambda rewards, result: constant(rewards) or square_sum(result) == 2, "B2: s > 0: the mean of A^2 is 1")
@ensure(lambda rewards, result: not constant(rewards) or not any(result), "B2: s = 0: every A = 0")
@ensure(lambda result: within_root(result), "B2: abs(A) <= sqrt(G-1)")
@ensure(lambda rewards, result: signs_agree(result, rewards), "B2: A > 0 exactly for a reward above the mean")
def advantages_of_two(rewards: Two) -> tuple[Fraction, ...]:
    """The advantages of two rewards."""
    return group_advantages(rewards, EXACT)


@harness(size="G = 3, any rewards")
@ensure(lambda result: sum(result) == 0, "B2: sum A = 0")
@ensure(lambda rewards, result: constant(rewards) or square_sum(result) == 3, "B2: s > 0: the mean of A^2 is 1")
@ensure(lambda rewards, result: not constant(rewards) or not any(result), "B2: s = 0: every A = 0")
@ensure(lambda result: within_root(result), "B2: abs(A) <= sqrt(G-1)")
@ensure(lambda rewards, result: signs_agree(result, rewards), "B2: A > 0 exactly for a reward above the mean")
def advantages_of_three(rewards: Three) -> tuple[Fraction, ...]:
    """The advantages of three rewards."""
    return group_advantages(rewards, EXACT)


@harness(size="G = 8, any rewards")
@ensure(lambda result: sum(result) == 0, "B2: sum A = 0")
@ensure(lambda rewards, result: constant(rewards) or square_sum(result) == 8, "B2: s > 0: the mean of A^2 is 1")
@ensure(lambda rewards, result: not constant(rewards) or not any(result), "B2: s = 0: every A = 0")
@ensure(lambda result: within_root(result), "B2: abs(A) <= sqrt(G-1)")
def advantages_of_eight(rewards: Eight) -> tuple[Fraction, ...]:
    """The advantages of eight rewards."""
    return group_advantages(rewards, EXACT)
