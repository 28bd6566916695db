"""Advantages of a few groups exactly: core's own rules over the Fractions that the floats are."""

from collections.abc import Sequence
from fractions import Fraction

from grpocheck.core.arithmetic import EnclosureArithmetic, Scalar, enclose
from grpocheck.core.variants.advantages import AdvantageRule, normalised, total_rewards
from grpocheck.core.variants.batch import SampledGroup, SampledResponse, SampledToken

DIGITS = 17
_TOKEN = SampledToken(Fraction(1), Fraction(1))

Rewards = Sequence[Sequence[Sequence[float]]]
"""Groups of responses of functions, nan where a reward is missing."""


def exact_advantages(groups: Rewards, rule: AdvantageRule) -> tuple[tuple[Scalar, ...], ...]:
    """The advantages by a rule; the rewards are taken for the numbers that the floats are."""
    arithmetic = EnclosureArithmetic()
    sampled = [
        SampledGroup(tuple(SampledResponse((_TOKEN,), tuple(map(exact_or_none, row))) for row in group))
        for group in groups
    ]
    return normalised(total_rewards(sampled, rule, arithmetic), rule, arithmetic)


def exact_or_none(value: float) -> Fraction | None:
    """The number that a float is; None for nan."""
    return None if value != value else Fraction(value)


def within(exact: Scalar, logged: float, bound: float) -> bool:
    """Whether a logged number is within a bound of an exact one; decided by enclosures."""
    lower, upper = interval(exact - Fraction(logged))
    return max(-lower, upper) <= Fraction(bound)


def interval(exact: Scalar) -> tuple[Fraction, Fraction]:
    """An enclosure of an exact number, tight to DIGITS digits."""
    lower, upper = enclose(exact, DIGITS)
    return Fraction(lower), Fraction(upper)


def decimal(exact: Scalar) -> float:
    """The float nearest to the middle of an exact number's enclosure, to be shown."""
    lower, upper = interval(exact)
    return float((lower + upper) / 2)


def exact_total(row: Sequence[float], weights: Sequence[float]) -> Fraction | None:
    """The weighted sum of a response's rewards that are there; None where none is."""
    terms = [
        Fraction(weight) * Fraction(reward)
        for weight, reward in zip(weights, row, strict=True)
        if reward == reward and abs(reward) != float("inf")
    ]
    missing = all(reward != reward for reward in row)
    return None if missing else sum(terms, Fraction(0))
