"""KL terms: exact, or estimated from the sampled tokens by k1, k2 or k3, in the loss or in the reward.

With l = log(pi_theta(a_h|s_h) / pi_ref(a_h|s_h)) of a sampled token: k1 = l, k2 = l^2/2, k3 = exp(-l) - 1 + l
(Schulman, "Approximating KL divergence", 2020). Under pi_theta k1 and k3 average to KL(pi_theta || pi_ref). k2 does
not, though its expected gradient is the KL's, and those of k1 and k3 are not. k3 with l reversed, exp(l) - 1 - l, is a
fault: it averages to chi^2 - KL. A weight by the importance ratio, detached or not, corrects for stale samples.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.contracts.comparisons import at_most, below, decided_sign, equal
from grpocheck.contracts.predicates import lies_between
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.batch import SampledToken
from grpocheck.core.variants.checks import check, check_positive

IN_REWARD = "in the reward an unweighted number of each response: k1, k2 or k3"


class Divergence(Enum):
    """How the divergence is had."""

    NONE = "none"
    EXACT = "exact"
    K1 = "k1"
    K2 = "k2"
    K3 = "k3"
    K3_REVERSED = "k3-reversed"

    @property
    @ensure(lambda self, result: result == self.value.startswith("k"), "k1, k2, k3 are of single tokens")
    def is_sampled(self) -> bool:
        """Whether it is a number of each sampled token."""
        return self not in (Divergence.NONE, Divergence.EXACT)


class Weight(Enum):
    """By what a sampled divergence in the loss is weighted."""

    NONE = "none"
    DETACHED = "ratio-detached"
    DIFFERENTIATED = "ratio"


class Place(Enum):
    """Where the term stands; in the reward it is a number that is not differentiated, of the old policy."""

    LOSS = "loss"
    REWARD_BEFORE = "reward-before-baseline"
    REWARD_AFTER = "reward-after-baseline"


@invariant(
    lambda self: self.place is Place.LOSS or (self.divergence is not Divergence.EXACT and self.weight is Weight.NONE),
    "in the reward stands a number of each response, unweighted",
)
@invariant(
    lambda self: all(c is None or c > 0 for c in (self.clamp_log_ratio, self.clamp_value)), "clamps hold an interval"
)
@dataclass(frozen=True)
class KLTerm:
    """beta times a divergence; ``clamp_log_ratio`` holds l, ``clamp_value`` the estimate, in [-c, c]."""

    divergence: Divergence = Divergence.NONE
    weight: Weight = Weight.NONE
    place: Place = Place.LOSS
    clamp_log_ratio: Fraction | None = None
    clamp_value: Fraction | None = None

    def __post_init__(self) -> None:
        """Refuse an exact or weighted term in the reward, and clamps that hold no interval."""
        in_reward = self.place is not Place.LOSS
        check("kl", self.divergence.value, not in_reward or self.divergence is not Divergence.EXACT, IN_REWARD)
        check("kl,weight", self.weight.value, not in_reward or self.weight is Weight.NONE, IN_REWARD)
        check_positive("kl,clamp-log-ratio", self.clamp_log_ratio)
        check_positive("kl,clamp-value", self.clamp_value)


@dataclass(frozen=True)
class Estimate:
    """A sampled divergence with its left and right derivative by log pi_theta of the token."""

    value: Scalar
    left: Scalar
    right: Scalar


@require(lambda mass, base: below(0, mass) and below(0, base), "A3: both masses are positive")
@require(lambda term: term.divergence.is_sampled, "k1, k2 or k3")
@ensure(
    lambda term, result: term.clamp_value is None or lies_between(result.value, -term.clamp_value, term.clamp_value),
    "a clamped estimate stays between its clamps",
)
@ensure(
    lambda term, result: term.divergence is Divergence.K1 or at_most(0, result.value),
    "N5: k2 and k3 are not negative, k1 may be",
)
@ensure(
    lambda term, mass, base, result: decided_sign(mass - base) != 0 or equal(result.value, 0),
    "B4: where the masses agree every estimate is 0",
)
def estimate(mass: Scalar, base: Scalar, term: KLTerm, arithmetic: Arithmetic) -> Estimate:
    """The estimate from a token of these masses under the policy and the reference."""
    ratio = mass / base
    one = arithmetic.number(Fraction(1))
    log_ratio = Estimate(arithmetic.log(ratio), one, one)
    if term.clamp_log_ratio is not None:
        held = clamped(log_ratio, arithmetic.number(term.clamp_log_ratio), arithmetic)
        if held.value is not log_ratio.value:
            ratio = arithmetic.exp(held.value)
        log_ratio = held
    value, slope = function_of_log_ratio(term.divergence, ratio, log_ratio.value, arithmetic)
    found = Estimate(value, slope * log_ratio.left, slope * log_ratio.right)
    return found if term.clamp_value is None else clamped(found, arithmetic.number(term.clamp_value), arithmetic)


@require(lambda divergence: divergence.is_sampled, "k1, k2 or k3")
@require(lambda ratio: below(0, ratio), "B3: a ratio is positive")
@ensure(
    lambda divergence, ratio, result: divergence is Divergence.K1
    or decided_sign(ratio - 1) in (None, decided_sign(result[1])),
    "k2 and k3 rise above l = 0 and fall below it",
)
def function_of_log_ratio(
    divergence: Divergence, ratio: Scalar, log_ratio: Scalar, arithmetic: Arithmetic
) -> tuple[Scalar, Scalar]:
    """The estimate and its derivative, as functions of l = log ratio."""
    if divergence is Divergence.K1:
        return log_ratio, arithmetic.number(Fraction(1))
    if divergence is Divergence.K2:
        return log_ratio * log_ratio / 2, log_ratio
    if divergence is Divergence.K3:
        return 1 / ratio - 1 + log_ratio, 1 - 1 / ratio
    return ratio - 1 - log_ratio, ratio - 1


@require(lambda limit: below(0, limit), "an interval [-c, c]")
@ensure(lambda limit, result: lies_between(result.value, -limit, limit), "the value is between the clamps")
@ensure(
    lambda inner, result: all(
        equal(new, 0) or equal(new, old)
        for new, old in ((result.left, inner.left), (result.right, inner.right))
    ),
    "F2: a clamp keeps a slope or takes it away",
)
def clamped(inner: Estimate, limit: Scalar, arithmetic: Arithmetic) -> Estimate:
    """A number held in [-limit, limit], with its one-sided derivatives."""
    zero = inner.left - inner.left
    if arithmetic.less(limit, inner.value):
        return Estimate(limit, zero, zero)
    if arithmetic.less(inner.value, -limit):
        return Estimate(-limit, zero, zero)
    left, right = inner.left, inner.right
    if arithmetic.equal(inner.value, limit):
        left = left if arithmetic.less(0, left) else zero
        right = right if arithmetic.less(right, 0) else zero
    elif arithmetic.equal(inner.value, -limit):
        left = left if arithmetic.less(left, 0) else zero
        right = right if arithmetic.less(0, right) else zero
    return Estimate(inner.value, left, right)


@require(lambda term: term.divergence.is_sampled and term.place is not Place.LOSS, "k1, k2 or k3 in the reward")
@ensure(
    lambda term, result: term.divergence is Divergence.K1 or at_most(0, result), "N5: k2 and k3 are not negative"
)
def response_penalty(tokens: Sequence[SampledToken], term: KLTerm, arithmetic: Arithmetic) -> Scalar:
    """The sum of the estimates over the active tokens, under the old policy, which made the reward."""
    return sum(
        (
            estimate(token.old, reference_of(token), term, arithmetic).value
            for token in tokens
            if token.active
        ),
        arithmetic.number(Fraction(0)),
    )


@require(lambda token: token.active, "a token that counts")
@ensure(lambda result: below(0, result), "A3: a sampled token has positive reference mass")
def reference_of(token: SampledToken) -> Scalar:
    """The reference mass of a token; raises InvalidProblem where there is none."""
    if token.reference is None:
        raise InvalidProblem("reference", None, "reference masses: the KL term needs them")
    return token.reference
