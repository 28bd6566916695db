"""One response's gradient by going through every response, with the objectives of core/variants: no counting."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction as F
from itertools import product
from math import prod

from grpocheck.core.arithmetic import ExactArithmetic
from grpocheck.core.tic.methods import Method, Reading
from grpocheck.core.variants.batch import Batch, SampledGroup, SampledResponse, SampledToken
from grpocheck.core.variants.evaluation import slopes
from grpocheck.core.variants.ratios import Level, RatioRule
from grpocheck.core.variants.registry import AS_GIVEN, MAXIMUM_LENGTH, named
from grpocheck.core.variants.terms import TwoSided
from grpocheck.core.variants.variant import Variant

EXACT = ExactArithmetic()
EPSILON = F(1, 5)


def variant_of(method: Method, rule=AS_GIVEN) -> Variant:
    """The composition of parts that a method is; at the token level one ratio per token and the common H."""
    found = named("tic-surrogate" if method.reading is Reading.SURROGATE else "tic-score")
    if isinstance(method.clip, TwoSided):
        assert method.reading is Reading.SURROGATE  # the score form of the two-sided clip is by hand in the tests
        found = replace(found, term=TwoSided())
    if method.level is Level.TOKEN:
        found = replace(found, ratio=RatioRule(Level.TOKEN), normalisation=MAXIMUM_LENGTH)
    return replace(found, advantage=rule)


def response(bits, p: F, q: F, reward: F) -> SampledResponse:
    """A response of binary tokens with its masses under the current and the old policy."""
    tokens = tuple(SampledToken(p if bit else 1 - p, q if bit else 1 - q) for bit in bits)
    return SampledResponse(tokens, (reward,))


def mass(bits, q: F) -> F:
    return prod((q if bit else 1 - q for bit in bits), start=F(1))


def gradients(group, p: F, found) -> F:
    """The derivative by the logit of p of what a batch of one group makes: slopes times a - p."""
    return sum(
        slope * (bit - p)
        for bits, row in zip(group, found, strict=True)
        for bit, slope in zip(bits, row, strict=True)
    )


def group_gradients(
    variant: Variant, horizon: int, p: F, q: F, group_size: int, scale: F = F(1), low: F = F(0)
) -> Iterator[tuple[F, F]]:
    """Probability and gradient of every group: rewards are fair coins, tokens are drawn from the old policy."""
    every = list(product((1, 0), repeat=horizon))
    for coins in product((low, scale), repeat=group_size):
        for group in product(every, repeat=group_size):
            drawn = SampledGroup(tuple(response(bits, p, q, coin) for bits, coin in zip(group, coins, strict=True)))
            found = slopes(variant, Batch((drawn,), EPSILON, F(0), horizon), EXACT)
            weight = prod((mass(bits, q) for bits in group), start=F(1, 2**group_size))
            yield weight, gradients(group, p, found.log_masses[0])


def mean_and_variance(weighted) -> tuple[F, F]:
    values = list(weighted)
    assert sum(weight for weight, _ in values) == 1
    mean = sum(weight * value for weight, value in values)
    return mean, sum(weight * value * value for weight, value in values) - mean * mean
