"""Masks: which terms are left out of the sum while the normalisation stays, and which groups are drawn at all.

The off-policy mask (DeepSeek-V3.2, arXiv 2512.02556) leaves out a response of negative advantage that the policy has
drifted from; the entropy mask (arXiv 2506.01939) keeps the tokens of highest entropy. Dynamic sampling (DAPO, arXiv
2503.14476) leaves out the groups whose rewards are all equal, or draws them again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import pairwise
from math import floor

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.contracts.comparisons import at_most, equal
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.advantages import Row
from grpocheck.core.variants.batch import SampledResponse
from grpocheck.core.variants.checks import check


class Selection(Enum):
    """What becomes of a group whose rewards are all equal."""

    ALL = "all"
    MEAN_OVER_KEPT = "mean-over-kept"
    UNTIL_MIXED = "until-mixed"


@require(lambda rewards: len(rewards) >= 1, "a group has a response")
@ensure(
    lambda rewards, result: result
    or all(equal(a, b) for a, b in pairwise(reward for reward in rewards if reward is not None)),
    "B1: rewards that are not mixed are all equal",
)
def is_mixed(rewards: Row, arithmetic: Arithmetic) -> bool:
    """Whether two rewards of a group differ."""
    present = [reward for reward in rewards if reward is not None]
    return any(not arithmetic.equal(reward, present[0]) for reward in present[1:])


@dataclass(frozen=True)
class OffPolicyMask:
    """Leaves out a response with A < 0 whose mean log(pi_sampler / pi_theta) over its tokens is above the threshold."""

    threshold: Fraction

    @require(lambda response: response.length >= 1, "a response with an active token")
    @ensure(lambda advantage, result: result or at_most(advantage, 0), "a response of positive advantage is kept")
    def keeps(self, response: SampledResponse, advantage: Scalar, arithmetic: Arithmetic) -> bool:
        """Whether the response is kept."""
        if not arithmetic.less(advantage, 0):
            return True
        drift = sum(
            arithmetic.log((token.old if token.sampler is None else token.sampler) / token.current)
            for token in response.tokens
            if token.active
        )
        return not arithmetic.less(arithmetic.number(self.threshold) * response.length, drift)


@invariant(lambda self: 0 < self.share <= 1, "a share of the tokens")
@dataclass(frozen=True)
class EntropyMask:
    """Keeps the active tokens of the batch whose entropy is at least its quantile 1 - share."""

    share: Fraction

    def __post_init__(self) -> None:
        """Refuse what is no share."""
        check("entropy-mask", self.share, 0 < self.share <= 1, "a share above 0 and at most 1")

    @require(lambda entropies: len(entropies) >= 1, "a batch with an active token")
    @ensure(
        lambda entropies, result: any(at_most(result, entropy) for entropy in entropies), "a token is kept at least"
    )
    def bound(self, entropies: Sequence[Scalar], arithmetic: Arithmetic) -> Scalar:
        """The quantile, interpolated linearly between the two entropies beside it."""
        ordered = ascending(entropies, arithmetic)
        position = (1 - self.share) * (len(ordered) - 1)
        place = floor(position)
        if position == place:
            return ordered[place]
        part = arithmetic.number(position - place)
        return ordered[place] + part * (ordered[place + 1] - ordered[place])


@require(lambda values: len(values) >= 1, "a value at least")
@ensure(lambda result: all(at_most(a, b) for a, b in pairwise(result)), "each value is at most the next")
def ascending(values: Sequence[Scalar], arithmetic: Arithmetic) -> list[Scalar]:
    """The values in order, by comparisons of the arithmetic; equal values keep their order."""
    ordered: list[Scalar] = []
    for value in values:
        place = len(ordered)
        while place and arithmetic.less(value, ordered[place - 1]):
            place -= 1
        ordered.insert(place, value)
    return ordered


@require(lambda response: response.length >= 1, "a response with an active token")
@ensure(lambda response, result: len(result) == response.length, "one entropy for each active token")
def entropies_of(response: SampledResponse) -> tuple[Scalar, ...]:
    """The entropies of the active tokens; raises InvalidProblem where one is not known."""
    found = tuple(token.entropy for token in response.tokens if token.active)
    if None in found:
        raise InvalidProblem("entropy", None, "entropies of the tokens: the variant needs them")
    return found
