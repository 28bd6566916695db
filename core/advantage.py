"""Group advantages: rewards centred by the group's mean and divided by its population standard deviation.

Seed [000], "Compute the finite rewards, their mean and their population standard deviation". Rewards are in reward
units; advantages have no unit. There is no epsilon in the denominator: a group of equal rewards has advantages 0.
"""

from collections.abc import Sequence

from grpocheck.contracts.clauses import ensure, require
from grpocheck.contracts.comparisons import equal
from grpocheck.contracts.predicates import are_standardised, lies_between, vanishes_exactly_when_constant
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar


@require(lambda values: len(values) > 0, "a mean is taken of at least one value")
@ensure(lambda values, result: equal(result * len(values), sum(values)), "B2: the deviations from the mean sum to 0")
def mean(values: Sequence[Scalar]) -> Scalar:
    """The arithmetic mean of one or more values.

    >>> from fractions import Fraction
    >>> mean([Fraction(1), Fraction(0)])
    Fraction(1, 2)
    """
    return sum(values) / len(values)


@require(lambda values: len(values) > 0, "a deviation is taken of at least one value")
@ensure(
    lambda values, result: vanishes_exactly_when_constant(result, values),
    "B1: s >= 0, and s = 0 exactly when all rewards of the group are equal",
)
@ensure(
    lambda values, result: equal(result * result * len(values), sum((v - mean(values)) ** 2 for v in values)),
    "B1: s is the population standard deviation: s^2 is the mean of the squared deviations",
)
def population_standard_deviation(values: Sequence[Scalar], arithmetic: Arithmetic) -> Scalar:
    """s = sqrt(1/G sum_i (R_i - mean)^2), with divisor G and not G - 1, in reward units.

    Raises what the root raises: NotExact where exact arithmetic has none of an irrational variance.

    >>> from fractions import Fraction
    >>> from grpocheck.core.arithmetic import ExactArithmetic
    >>> population_standard_deviation([Fraction(n) for n in (1, 0, 0, 0)], ExactArithmetic())
    Surd('1/4*sqrt(3)')
    """
    centre = mean(values)
    deviations = [value - centre for value in values]
    return arithmetic.sqrt(sum(deviation * deviation for deviation in deviations) / len(values))


@require(lambda rewards: len(rewards) >= 2, "the group size G is at least 2")
@require(
    lambda rewards, average, deviation: (
        equal(average * len(rewards), sum(rewards)) and vanishes_exactly_when_constant(deviation, rewards)
    ),
    "B1: the mean and the deviation are those of the rewards",
)
@ensure(lambda rewards, result: len(result) == len(rewards), "one advantage for each reward")
@ensure(
    lambda deviation, result: are_standardised(result, deviation),
    "B2: s > 0: sum A = 0, mean A^2 = 1, abs(A) <= sqrt(G - 1); s = 0: every A = 0",
)
def standardised(
    rewards: Sequence[Scalar], average: Scalar, deviation: Scalar, arithmetic: Arithmetic
) -> tuple[Scalar, ...]:
    """A_i = (R_i - mean)/s when s > 0, and 0 for every i when s = 0: G numbers without a unit, one a reward.

    Raises UndecidedComparison where it is not decided whether s is 0.
    """
    if arithmetic.less(0, deviation):
        return tuple((reward - average) / deviation for reward in rewards)
    return tuple(reward - reward for reward in rewards)


@require(lambda rewards: len(rewards) >= 2, "the group size G is at least 2")
@ensure(lambda result: equal(sum(result), 0), "B2: sum A = 0")
@ensure(
    lambda rewards, result: all(lies_between(a * a, 0, len(rewards) - 1) for a in result),
    "B2: abs(A) <= sqrt(G - 1)",
)
def group_advantages(rewards: Sequence[Scalar], arithmetic: Arithmetic) -> tuple[Scalar, ...]:
    """The G advantages of one group of G rewards; raises what the deviation and its comparison with 0 raise.

    >>> from fractions import Fraction
    >>> from grpocheck.core.arithmetic import ExactArithmetic
    >>> group_advantages([Fraction(1), Fraction(0)], ExactArithmetic())
    (Fraction(1, 1), Fraction(-1, 1))
    """
    return standardised(rewards, mean(rewards), population_standard_deviation(rewards, arithmetic), arithmetic)
