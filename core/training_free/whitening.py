"""Whitened advantages of a group: the SAMPLE standard deviation, plus 1e-8 in the denominator, exactly as written.

Seed [003]: A_i = (r_i - mean) / (s + 1e-8) with s = sqrt(1/(G-1) sum (r_j - mean)^2). Section 1 of the specification
differs twice: its deviation is the population's (1/G), and nothing is added to it. So here the mean square is
(G-1)/G (s/(s + 1e-8))^2, never 1 (non-claim N8); there it is exactly 1 wherever the rewards differ (B2).
"""

from collections.abc import Sequence
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require
from grpocheck.contracts.comparisons import at_most
from grpocheck.contracts.predicates import vanishes_exactly_when_constant
from grpocheck.contracts.training_free import are_whitened, keeps_the_order
from grpocheck.core.advantage import mean
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar

STABILISER = Fraction(1, 10**8)
"""The 1e-8 that is added to the deviation."""


@require(lambda rewards: len(rewards) >= 2, "G >= 2: a sample deviation divides by G - 1")
@ensure(lambda rewards, result: vanishes_exactly_when_constant(result, rewards), "0 exactly when all rewards are equal")
def sample_deviation(rewards: Sequence[Scalar], arithmetic: Arithmetic) -> Scalar:
    """s = sqrt of the sum of squared distances from the mean over G - 1, in reward units."""
    centre = mean(rewards)
    squares = sum((reward - centre) * (reward - centre) for reward in rewards)
    return arithmetic.sqrt(squares / Fraction(len(rewards) - 1))


@require(lambda rewards: len(rewards) >= 2, "G >= 2")
@require(lambda deviation: at_most(0, deviation), "a deviation is at least 0")
@ensure(lambda result, deviation: are_whitened(result, deviation, STABILISER), "sum 0, sample variance (s/(s+1e-8))^2")
@ensure(lambda rewards, result: keeps_the_order(rewards, result), "a larger reward has a larger advantage")
def whitened(rewards: Sequence[Scalar], deviation: Scalar) -> tuple[Scalar, ...]:
    """A_i = (r_i - mean) / (s + 1e-8)."""
    centre = mean(rewards)
    return tuple((reward - centre) / (deviation + STABILISER) for reward in rewards)
