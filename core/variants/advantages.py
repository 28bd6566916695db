"""Advantage rules: what is taken off a reward, and what the difference is divided by.

A_i = (R_i - baseline) / divisor. The baseline is the group's mean (DeepSeekMath, arXiv 2402.03300), the mean of the
other responses (RLOO, arXiv 2402.14740), the batch's mean or nothing. The divisor is 1 (Dr. GRPO, arXiv 2503.20783),
the population or the sample deviation of the group or of the batch (the latter: arXiv 2508.08221), made larger by an
epsilon. GDPO (arXiv 2601.05242) normalises each reward function on its own before the sum, then the sum over the batch.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.contracts.comparisons import at_most, equal
from grpocheck.contracts.predicates import all_equal, all_zero
from grpocheck.core.advantage import mean
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.batch import SampledGroup, SampledResponse
from grpocheck.core.variants.checks import check

Row = Sequence[Scalar | None]
"""One number for each response of a group; None where it is missing."""
Rows = tuple[tuple[Scalar | None, ...], ...]


class Baseline(Enum):
    """What is taken off a reward."""

    NONE = "none"
    MEAN = "mean"
    LEAVE_ONE_OUT = "leave-one-out"
    BATCH_MEAN = "batch-mean"


class Divisor(Enum):
    """The deviation that the difference is divided by; a sample deviation divides the squares by their number - 1."""

    NONE = "none"
    POPULATION = "population"
    SAMPLE = "sample"
    BATCH_POPULATION = "batch-population"
    BATCH_SAMPLE = "batch-sample"

    @property
    @ensure(lambda self, result: result == (self.value.startswith("batch")), "the name says whose deviation it is")
    def is_of_batch(self) -> bool:
        """Whether the deviation is that of all rewards of the batch."""
        return self in (Divisor.BATCH_POPULATION, Divisor.BATCH_SAMPLE)

    @property
    @ensure(lambda self, result: result in (0, 1), "one degree of freedom is lost, or none")
    def lost(self) -> int:
        """How many degrees of freedom the deviation loses: 1 for a sample's."""
        return int(self in (Divisor.SAMPLE, Divisor.BATCH_SAMPLE))


class Missing(Enum):
    """What a missing reward means."""

    ERROR = "error"
    EXCLUDED = "excluded"
    ZERO = "zero"


@invariant(lambda self: self.epsilon >= 0 and self.floor >= 0, "an epsilon and a floor make a divisor larger")
@invariant(lambda self: self.first is None or self.first.first is None, "each reward is normalised once before the sum")
@dataclass(frozen=True)
class AdvantageRule:
    """A_i = (R_i - baseline) / (sqrt(max(variance, floor)) + epsilon); 0 where the divisor would be 0.

    Where a response has several rewards, R_i is their sum with ``weights`` (all 1 if None), each normalised by the rule
    ``first``, if there is one, before the sum. A reward that is missing is an error, or its response stands outside the
    baseline and the deviation and has advantage 0 (a sum takes what is there), or it counts as 0.
    """

    baseline: Baseline = Baseline.MEAN
    divisor: Divisor = Divisor.POPULATION
    epsilon: Fraction = Fraction(0)
    floor: Fraction = Fraction(0)
    missing: Missing = Missing.ERROR
    weights: tuple[Fraction, ...] | None = None
    first: "AdvantageRule | None" = None

    def __post_init__(self) -> None:
        """Refuse what makes a divisor smaller, and a rule before the rule before the sum."""
        check("advantage,epsilon", self.epsilon, self.epsilon >= 0, "a number of at least 0")
        check("advantage,floor", self.floor, self.floor >= 0, "a number of at least 0")
        once = self.first is None or self.first.first is None
        check("advantage,first", "a rule with a first of its own", once, "a rule without one")

    @property
    @ensure(
        lambda self, result: result or not (self.baseline is Baseline.BATCH_MEAN or self.divisor.is_of_batch),
        "a mean or a deviation of the batch couples its groups",
    )
    def couples_groups(self) -> bool:
        """Whether an advantage depends on the rewards of other groups."""
        own = self.baseline is Baseline.BATCH_MEAN or self.divisor.is_of_batch
        return own or (self.first is not None and self.first.couples_groups)


@require(lambda values: len(values) >= 1, "a deviation is taken of at least one value")
@require(lambda lost: lost in (0, 1), "one degree of freedom is lost, or none")
@ensure(lambda result: at_most(0, result), "B1: a deviation is not negative")
@ensure(
    lambda values, lost, floor, result: floor > 0
    or len(values) == lost
    or equal(result * result * (len(values) - lost), sum((value - mean(values)) ** 2 for value in values)),
    "B1: s^2 (G - lost) is the sum of the squared deviations",
)
def deviation(values: Sequence[Scalar], lost: int, floor: Fraction, arithmetic: Arithmetic) -> Scalar:
    """sqrt(max(1/(G - lost) sum_i (R_i - mean)^2, floor)); the deviation of a single value is 0.

    >>> from grpocheck.core.arithmetic import ExactArithmetic
    >>> deviation([Fraction(1), Fraction(0), Fraction(0), Fraction(0)], 1, Fraction(0), ExactArithmetic())
    Fraction(1, 2)
    """
    centre = mean(values)
    squares = sum((value - centre) * (value - centre) for value in values)
    variance = squares / max(1, len(values) - lost)
    return arithmetic.sqrt(arithmetic.maximum(variance, arithmetic.number(floor)) if floor else variance)


@require(lambda values: any(value is not None for value in values), "a group in which a reward is there")
@ensure(
    lambda values, result: [value is None for value in values] == [base is None for base in result],
    "a missing reward has no baseline",
)
def baselines(values: Row, baseline: Baseline, batch_mean: Scalar) -> tuple[Scalar | None, ...]:
    """The baseline of each reward that is there; the only reward of a group is its own mean of the others."""
    present = [value for value in values if value is not None]
    total = sum(present)
    if baseline is Baseline.NONE:
        return tuple(None if value is None else value - value for value in values)
    if baseline is Baseline.BATCH_MEAN:
        return tuple(None if value is None else batch_mean for value in values)
    if baseline is Baseline.LEAVE_ONE_OUT and len(present) > 1:
        return tuple(None if value is None else (total - value) / (len(present) - 1) for value in values)
    return tuple(None if value is None else total / len(present) for value in values)


@require(lambda rows: len(rows) >= 1, "a batch has a group")
@ensure(
    lambda rows, result: [len(row) for row in result] == [len(row) for row in rows], "one advantage for each response"
)
@ensure(
    lambda rows, result: all(
        reward is not None or equal(advantage, 0)
        for line, row in zip(result, rows, strict=True)
        for advantage, reward in zip(line, row, strict=True)
    ),
    "a missing reward has advantage 0",
)
@ensure(
    lambda rows, rule, result: rule.baseline is Baseline.NONE
    or rule.couples_groups
    or all(equal(sum(row), 0) for row in result),
    "B2: advantages over the group's own mean sum to 0",
)
def normalised(rows: Rows, rule: AdvantageRule, arithmetic: Arithmetic) -> tuple[tuple[Scalar, ...], ...]:
    """(R_i - baseline) / divisor over rewards that are there; 0 where one is missing or the divisor would be 0."""
    zero, everything = arithmetic.number(Fraction(0)), [value for row in rows for value in row if value is not None]
    batch_mean = mean(everything) if rule.baseline is Baseline.BATCH_MEAN and everything else zero
    lines = []
    for row in rows:
        present = [value for value in row if value is not None]
        if not present:
            lines.append((zero,) * len(row))
            continue
        differences = tuple(
            zero if value is None or base is None else value - base
            for value, base in zip(row, baselines(row, rule.baseline, batch_mean), strict=True)
        )
        lines.append(divided(differences, everything if rule.divisor.is_of_batch else present, rule, arithmetic))
    return tuple(lines)


@require(lambda differences, rewards: len(differences) >= 1 and len(rewards) >= 1, "there is a reward")
@ensure(lambda differences, result: len(result) == len(differences), "one quotient for each difference")
@ensure(
    lambda differences, rule, result: rule.divisor is not Divisor.NONE or all_equal(result, differences),
    "without a divisor the differences stay",
)
@ensure(
    lambda differences, rewards, rule, result: rule.divisor is Divisor.NONE
    or rule.baseline not in (Baseline.MEAN, Baseline.LEAVE_ONE_OUT)
    or any(not equal(reward, rewards[0]) for reward in rewards)
    or all_zero(result),
    "B2: rewards that are all equal have advantages 0",
)
def divided(
    differences: Sequence[Scalar], rewards: Sequence[Scalar], rule: AdvantageRule, arithmetic: Arithmetic
) -> tuple[Scalar, ...]:
    """The differences over the deviation of the rewards plus epsilon; 0 over a divisor of 0."""
    if rule.divisor is Divisor.NONE:
        return tuple(differences)
    scale = deviation(rewards, rule.divisor.lost, rule.floor, arithmetic) + arithmetic.number(rule.epsilon)
    if not rule.epsilon and not rule.floor and not arithmetic.less(0, scale):
        return tuple(difference - difference for difference in differences)
    return tuple(difference / scale for difference in differences)


@require(lambda response: len(response.rewards) >= 1, "a reward, or a place where it is missing")
@ensure(lambda response, rule: not rule.weights or len(rule.weights) == len(response.rewards), "a weight for each")
@ensure(
    lambda response, rule, result: (result is None)
    == (rule.missing is Missing.EXCLUDED and all(reward is None for reward in response.rewards)),
    "a sum is missing when every reward of an excluded response is",
)
def total_reward(response: SampledResponse, rule: AdvantageRule, arithmetic: Arithmetic) -> Scalar | None:
    """The weighted sum of a response's rewards; raises InvalidProblem where the rule has a missing one as an error."""
    fits = rule.weights is None or len(rule.weights) == len(response.rewards)
    check("advantage,weights", rule.weights, fits, f"{len(response.rewards)} weights, one for each reward function")
    if rule.missing is Missing.ERROR and None in response.rewards:
        raise InvalidProblem("rewards", None, "a reward for every response (or a rule for missing ones)")
    if rule.missing is Missing.EXCLUDED and all(reward is None for reward in response.rewards):
        return None
    weights = rule.weights or (Fraction(1),) * len(response.rewards)
    terms = [
        arithmetic.number(weight) * reward
        for weight, reward in zip(weights, response.rewards, strict=True)
        if reward is not None
    ]
    return sum(terms, arithmetic.number(Fraction(0)))


@require(lambda groups: len(groups) >= 1, "a batch has a group")
@ensure(
    lambda groups, result: [len(row) for row in result] == [len(group.responses) for group in groups],
    "one sum for each response",
)
def total_rewards(groups: Sequence[SampledGroup], rule: AdvantageRule, arithmetic: Arithmetic) -> Rows:
    """R_i of every response, with each reward function normalised on its own first where the rule says so."""
    if rule.missing is Missing.ZERO:
        zero = arithmetic.number(Fraction(0))
        groups = with_rewards(groups, lambda place, i, k, reward: zero if reward is None else reward)
    if rule.first is not None:
        groups = normalised_functions(groups, rule.first, arithmetic)
    return tuple(tuple(total_reward(response, rule, arithmetic) for response in group.responses) for group in groups)


@require(lambda groups: len(groups) >= 1, "a batch has a group")
@ensure(
    lambda groups, result: [[r.rewards.count(None) for r in group.responses] for group in result]
    == [[r.rewards.count(None) for r in group.responses] for group in groups],
    "what is missing stays missing",
)
def normalised_functions(
    groups: Sequence[SampledGroup], rule: AdvantageRule, arithmetic: Arithmetic
) -> tuple[SampledGroup, ...]:
    """The groups with each reward function put through a rule of its own."""
    functions = range(len(groups[0].responses[0].rewards))
    columns = [
        normalised(tuple(tuple(r.rewards[k] for r in group.responses) for group in groups), rule, arithmetic)
        for k in functions
    ]
    return with_rewards(groups, lambda place, i, k, reward: None if reward is None else columns[k][place][i])


@require(lambda groups: len(groups) >= 1, "a batch has a group")
@ensure(
    lambda groups, result: all(
        new.tokens is old.tokens
        for after, before in zip(result, groups, strict=True)
        for new, old in zip(after.responses, before.responses, strict=True)
    ),
    "D1: the responses stay as they were drawn",
)
def with_rewards(
    groups: Sequence[SampledGroup], change: Callable[[int, int, int, Scalar | None], Scalar | None]
) -> tuple[SampledGroup, ...]:
    """The groups with each reward changed: ``change`` is given its group, response and function, and the reward."""
    return tuple(
        replace(
            group,
            responses=tuple(
                replace(response, rewards=tuple(change(place, i, k, r) for k, r in enumerate(response.rewards)))
                for i, response in enumerate(group.responses)
            ),
        )
        for place, group in enumerate(groups)
    )
