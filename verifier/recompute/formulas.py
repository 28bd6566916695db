"""A loss and its gradient, recomputed in float64 with a bound on how far a trainer's numbers may lie from them.

L = -F for the objective F of grpocheck.core.variants: the same parts, over arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from grpocheck.verifier.recompute.bounded import INFLATION, Array, Bounded
from grpocheck.verifier.recompute.call import LossCall
from grpocheck.verifier.recompute.masks import (
    decided_weight,
    entropy_weight,
    off_policy_weight,
    sampler_weight,
    token_weights,
)
from grpocheck.verifier.recompute.settings import CLAMPED, BadSetting
from grpocheck.verifier.recompute.terms import TermParts, gamma_weight, term_parts


@dataclass(frozen=True)
class Recomputed:
    """What the formula gives for a call, with the bounds within which the trainer's numbers have to lie.

    ``gradient`` is d loss / d new_logps, (B, T); ``entropy_gradient`` d loss / d entropies, None without a bonus.
    ``ratios`` are (B, T) at token level and (B, 1) at the sequence levels, as the loss has them before any clip.
    ``clip_fraction_low`` and ``_high`` count what a clip holds on the side where it changes the term (below for
    A < 0, above for A > 0): tokens, or at a sequence level responses. ``kl`` is the mean of the estimates as the loss
    has them, their weight by the ratio included; ``kl_k1`` and ``kl_k3`` are the plain means over active tokens.
    ``clip_least_low`` is the least share of a response that is held below, ``clip_most_high`` the largest that is held
    above, of those that have a token; ``weight_mean`` is the mean over responses of VESPO's weight. They are None where
    there is no such number.
    ``undecided`` counts tokens, or responses, whose side of a clip rounding leaves open.
    """

    loss: float
    loss_bound: float
    gradient: Array
    gradient_bound: Array
    entropy_gradient: Array | None
    entropy_gradient_bound: Array | None
    ratios: Array
    ratio_bounds: Array
    clip_fraction_low: float
    clip_fraction_high: float
    clip_fraction_low_bound: float
    clip_fraction_high_bound: float
    kl: float | None
    kl_bound: float
    kl_k1: float | None
    kl_k3: float | None
    kl_k3_bound: float
    entropy: float | None
    entropy_bound: float
    undecided: int
    clip_least_low: float | None = None
    clip_least_low_bound: float = 0.0
    clip_most_high: float | None = None
    clip_most_high_bound: float = 0.0
    weight_mean: float | None = None
    weight_mean_bound: float = 0.0


@dataclass(frozen=True)
class _Penalty:
    """The KL estimate of each token and its derivative by the token's log-probability, and both with the weight."""

    plain: Bounded
    slope: Bounded
    weighted: Bounded


def recompute(call: LossCall) -> Recomputed:
    """The loss of the call's settings and everything that follows from it; raises BadSetting for what is missing.

    >>> call = LossCall(new_logps=[[-1.0, -2.0]], old_logps=[[-1.0, -2.0]], mask=[[1, 1]], advantages=[0.5])
    >>> found = recompute(call)
    >>> found.loss, found.gradient.tolist()
    (-0.5, [[-0.25, -0.25]])
    """
    with np.errstate(all="ignore"):
        return _recomputed(call)


def _recomputed(call: LossCall) -> Recomputed:
    """As ``recompute``, with numpy's floating-point warnings off: what is not finite is a result here."""
    settings, precision, mask = call.settings, call.format, call.mask
    new = Bounded.exact(call.new_logps, precision)
    log_ratio = new - Bounded.exact(call.old_logps, precision)
    ratio = _ratios(call, log_ratio)
    advantages = call.bounded_advantages
    parts, score = _term(call, log_ratio, ratio)
    counted = _counted_weight(call)
    policy = parts.value * advantages
    if score:
        policy = policy * new
    per_token = -policy if counted is None else -(policy * counted)
    penalty = _penalty(call, new, ratio)
    beta = Bounded.constant(settings.beta, precision)
    if penalty is not None:
        per_token = per_token + beta * penalty.weighted
    weight = token_weights(call)
    shape = call.new_logps.shape
    spread = Bounded(np.broadcast_to(weight.value, shape), np.broadcast_to(weight.error, shape), precision)
    token_weight = spread.masked(mask)
    total = _total(call, _broadcast(per_token, shape).masked(mask), spread)
    bonus, entropy_gradient = _entropy_bonus(call)
    if bonus is not None:
        total = total - bonus
    gradient = _gradient(call, parts, score, ratio, counted, penalty, token_weight)
    below, above = _held(call, ratio)
    low, high = _token_mean(call, below), _token_mean(call, above)
    least, most = _extreme(call, below, np.min), _extreme(call, above, np.max)
    weight_mean = _token_mean(call, parts.value) if call.settings.term_in_use == "gamma-weight" else None
    kl = None if penalty is None else _token_mean(call, penalty.weighted)
    k1, k3 = _plain_divergences(call, new)
    entropy = None if call.entropies is None else _token_mean(call, Bounded.exact(call.entropies, precision))
    return Recomputed(
        loss=float(total.value),
        loss_bound=float(total.rounded_again(1).error) * INFLATION,
        gradient=gradient.value,
        gradient_bound=gradient.error * INFLATION,
        entropy_gradient=None if entropy_gradient is None else entropy_gradient.value,
        entropy_gradient_bound=None if entropy_gradient is None else entropy_gradient.error * INFLATION,
        ratios=ratio.value,
        ratio_bounds=ratio.error * INFLATION,
        clip_fraction_low=float(low.value),
        clip_fraction_high=float(high.value),
        clip_fraction_low_bound=float(low.error) * INFLATION,
        clip_fraction_high_bound=float(high.error) * INFLATION,
        kl=None if kl is None else float(kl.value),
        kl_bound=0.0 if kl is None else float(kl.error) * INFLATION,
        kl_k1=None if k1 is None else float(k1.value),
        kl_k3=None if k3 is None else float(k3.value),
        kl_k3_bound=0.0 if k3 is None else float(k3.error) * INFLATION,
        entropy=None if entropy is None else float(entropy.value),
        entropy_bound=0.0 if entropy is None else float(entropy.error) * INFLATION,
        undecided=int(np.sum(parts.undecided & (_column(mask, parts.undecided.shape) > 0))),
        clip_least_low=None if least is None else float(least.value),
        clip_least_low_bound=0.0 if least is None else float(least.error) * INFLATION,
        clip_most_high=None if most is None else float(most.value),
        clip_most_high_bound=0.0 if most is None else float(most.error) * INFLATION,
        weight_mean=None if weight_mean is None else float(weight_mean.value),
        weight_mean_bound=0.0 if weight_mean is None else float(weight_mean.error) * INFLATION,
    )


def _total(call: LossCall, terms: Bounded, weights: Bounded) -> Bounded:
    """The weighted sum of the terms, in any order; not finite where the sums before the division overflow."""
    rows = terms.sum(axis=1, keepdims=True)
    if call.settings.normalisation_in_use.startswith("own-length"):
        rows = rows / Bounded.exact(np.maximum(call.lengths, 1.0), call.format)
    before = rows.sum()
    total = (terms * weights).sum()
    if not np.isfinite(before.value):
        return before
    return Bounded(total.value, np.where(np.isinf(before.error), np.inf, total.error), call.format)


def _column(mask: Array, shape: tuple[int, ...]) -> Array:
    """The mask of tokens, or of responses that have one."""
    return mask if shape[1] == mask.shape[1] else np.max(mask, axis=1, keepdims=True, initial=0.0)


def _broadcast(number: Bounded, shape: tuple[int, ...]) -> Bounded:
    """A number of each response as one of each token."""
    return Bounded(np.broadcast_to(number.value, shape), np.broadcast_to(number.error, shape), number.precision)


def _ratios(call: LossCall, log_ratio: Bounded) -> Bounded:
    """exp of the log ratio: of each token, of the mean over a response, or of the sum."""
    level = call.settings.importance_sampling_level
    if level == "token":
        return log_ratio.exp()
    total = log_ratio.masked(call.mask).sum(axis=1, keepdims=True)
    if level == "product":
        return total.exp()
    return (total / Bounded.exact(np.maximum(call.lengths, 1.0), call.format)).exp()


def _term(call: LossCall, log_ratio: Bounded, ratio: Bounded) -> tuple[TermParts, bool]:
    """The parts of the term, and whether it is a score: a detached weight on A log pi."""
    settings = call.settings
    if settings.term_in_use == "gamma-weight":
        weight = gamma_weight(log_ratio, call.mask, settings, call.advantages, sampler_weight(call))
        return TermParts(weight, None, np.zeros(weight.value.shape, dtype=np.bool_)), True
    parts = term_parts(ratio, settings, call.advantages)
    return parts, parts.slope is None


def _counted_weight(call: LossCall) -> Bounded | None:
    """The product of the masks and of the sampler's ratio by which the policy term of each token is weighted."""
    found = [off_policy_weight(call), entropy_weight(call)]
    if call.settings.term_in_use != "gamma-weight":  # there the sampler's ratio is part of w
        found.append(sampler_weight(call))
    product = None
    for weight in found:
        if weight is not None:
            product = weight if product is None else product * weight
    return product


def _penalty(call: LossCall, new: Bounded, ratio: Bounded) -> _Penalty | None:
    """The KL estimates of the loss; None where it has none."""
    settings, precision = call.settings, call.format
    if settings.beta == 0 or settings.penalty == "none":
        return None
    if call.ref_logps is None:
        raise BadSetting("ref_logps", None, "the reference model's log-probabilities: beta is not 0")
    backwards = Bounded.exact(call.ref_logps, precision) - new
    limit = settings.kl_clamp_log_ratio
    held = backwards if limit is None else backwards.clamp(-limit, limit)
    plain, slope = _estimate(settings.penalty, held)
    if limit is not None:
        slope = slope * _inside(backwards, limit)
    if settings.kl_clamp_value is not None:
        slope = slope * _inside(plain, settings.kl_clamp_value)
        plain = plain.clamp(-settings.kl_clamp_value, settings.kl_clamp_value)
    return _Penalty(plain, slope, plain if settings.kl_weight == "none" else plain * ratio)


def _inside(number: Bounded, limit: float) -> Bounded:
    """1 where a number is inside [-limit, limit], 0 outside, and anything between where rounding leaves it open."""
    distance = np.abs(number.value) - limit
    return decided_weight(distance <= 0, np.abs(distance) <= number.error, number.precision)


def _estimate(kind: str, backwards: Bounded) -> tuple[Bounded, Bounded]:
    """k1, k2, k3 and their derivatives by log pi, from d = log pi_ref - log pi."""
    one = Bounded.exact(1.0, backwards.precision)
    if kind == "k1":
        return -backwards, Bounded.exact(np.ones(backwards.value.shape), backwards.precision)
    if kind == "k2":
        return (backwards * backwards * 0.5).rounded_again(1), -backwards
    if kind == "k3":
        power = backwards.exp()
        return _cancelling(power, backwards, one), (one - power).rounded_again(1)
    power = (-backwards).exp()
    return _cancelling(power, -backwards, one), (power - one).rounded_again(1)


def _cancelling(power: Bounded, difference: Bounded, one: Bounded) -> Bounded:
    """exp(d) - d - 1, summed in either order: the intermediate sums are rounded at the size of the larger of them."""
    value = power.value - difference.value - 1
    largest = np.abs(power.value) + np.abs(difference.value) + 1 + power.error + difference.error
    error = power.error + difference.error + one.error + 2 * one.precision.unit * largest
    # near d = 0 the float64 difference itself cancels: expm1 does not
    accurate = np.expm1(difference.value) - difference.value
    value = np.where(np.isfinite(value), accurate, value)
    return Bounded(value, np.where(np.isfinite(value), error, 0.0), one.precision)


def _entropy_bonus(call: LossCall) -> tuple[Bounded | None, Bounded | None]:
    """coefficient times the mean entropy of the tokens that the entropy mask keeps, and the loss's slope by each."""
    settings, precision = call.settings, call.format
    if settings.entropy_coef == 0:
        return None, None
    if call.entropies is None:
        raise BadSetting("entropies", None, "entropies of the tokens: entropy_coef needs them")
    kept = entropy_weight(call)
    marked = Bounded.exact(call.mask, precision) if kept is None else kept.masked(call.mask)
    number = marked.sum()
    if float(number.value) < 1:
        number = Bounded(np.asarray(1.0), number.error, precision)
    accumulation = Bounded.exact(float(call.gradient_accumulation_steps if call.training else 1), precision)
    coefficient = Bounded.constant(settings.entropy_coef, precision)
    total = (Bounded.exact(call.entropies, precision) * marked).sum()
    slope = -(marked * (coefficient / number / accumulation)).rounded_again(2)
    return coefficient * (total / number / accumulation), slope


def _gradient(
    call: LossCall,
    parts: TermParts,
    score: bool,
    ratio: Bounded,
    counted: Bounded | None,
    penalty: _Penalty | None,
    token_weight: Bounded,
) -> Bounded:
    """d loss / d new_logps: the policy term through its ratio or its log pi, and the KL term through both."""
    settings, precision, shape = call.settings, call.format, call.new_logps.shape
    advantages = call.bounded_advantages
    weight = token_weight if counted is None else token_weight * counted
    contributions: list[Bounded] = []
    if score:
        contributions.append(-(weight * parts.value * advantages))
    elif parts.slope is not None:
        through = weight * advantages * parts.slope
        contributions.append(_through_ratio(call, -through.rounded_again(4), ratio))
    if penalty is not None:
        scale = token_weight * Bounded.constant(settings.beta, precision)
        slope = scale * penalty.slope
        if settings.kl_weight != "none":
            slope = slope * _broadcast(ratio, shape)
        contributions.append(slope)
        if settings.kl_weight == "ratio":
            contributions.append(_through_ratio(call, scale * penalty.plain, ratio))
        # autograd adds the two halves of the estimate's slope separately, each of the size of the whole scale
        power = np.abs(penalty.slope.value) + 2
        size = np.abs(scale.value) * power * (np.abs(ratio.value) if settings.kl_weight != "none" else 1.0)
        residue = Bounded(np.zeros(shape), 8 * precision.unit * size, precision)
        contributions.append(residue)
    total = contributions[0]
    for part in contributions[1:]:
        total = total + part
    size = np.sum([np.abs(part.value) + part.error for part in contributions], axis=0)
    error = total.error + len(contributions) * precision.unit * size
    final = Bounded(_full(total.value, shape), _full(error, shape), precision).rounded_again(4)
    nothing = np.isnan(np.broadcast_to(call.advantages, shape))  # a slope of NaN times 0 depends on the order
    return Bounded(final.value, np.where(nothing, np.inf, final.error), precision)


def _full(values: Array, shape: tuple[int, ...]) -> Array:
    """An array of the whole shape."""
    return np.array(np.broadcast_to(values, shape))


def _through_ratio(call: LossCall, by_ratio: Bounded, ratio: Bounded) -> Bounded:
    """From the derivative by the ratio that each token's term has to that by every log-probability it is made of."""
    level, precision = call.settings.importance_sampling_level, call.format
    if level == "token":
        return by_ratio * ratio
    by_response = by_ratio.sum(axis=1, keepdims=True) * ratio
    if level == "sequence":
        by_response = by_response / Bounded.exact(np.maximum(call.lengths, 1.0), precision)
    return _broadcast(by_response, call.new_logps.shape).masked(call.mask)


def _token_mean(call: LossCall, number: Bounded) -> Bounded:
    """The mean over active tokens; over responses where there is one number for each, as TRL averages."""
    precision = call.format
    if number.value.shape[1] == 1 and call.mask.shape[1] != 1:
        return number.sum() / Bounded.exact(float(number.value.shape[0]), precision)
    return number.masked(call.mask).sum() / Bounded.exact(max(float(np.sum(call.mask)), 1.0), precision)


def _held(call: LossCall, ratio: Bounded) -> tuple[Bounded, Bounded]:
    """Which ratios are held below for A < 0, and which above for A > 0: 1 or 0, 1/2 where that is open."""
    settings, precision = call.settings, call.format
    if settings.delta is not None:
        ratio = ratio.clamp(upper=settings.delta)
    low = Bounded.constant(1 - settings.epsilon, precision)
    high = Bounded.constant(1 + settings.epsilon_high, precision)
    if settings.term_in_use == "clipped-weight" and settings.cap is not None:
        high = Bounded.constant(settings.cap, precision)
    if settings.term_in_use not in (*CLAMPED, "clipped-weight"):
        nothing = Bounded.exact(np.zeros(ratio.value.shape), precision)
        return nothing, nothing
    sides = []
    for side, bound, sign in ((-1, low, call.advantages < 0), (1, high, call.advantages > 0)):
        beyond = side * (ratio.value - bound.value)
        margin = ratio.error + precision.unit * np.abs(bound.value)
        weight = np.where(sign & (beyond > margin), 1.0, 0.0)
        open_ = np.where(sign & (np.abs(beyond) <= margin), 0.5, 0.0)
        sides.append(Bounded(weight + open_, open_, precision))
    return sides[0], sides[1]


def _extreme(call: LossCall, held: Bounded, extreme: Callable[[Array], np.float64]) -> Bounded | None:
    """The least or the largest share of a response that is held, of those with a token; None where there is none."""
    lengths = call.lengths[:, 0]
    if held.value.shape[1] == 1 and call.mask.shape[1] != 1:
        shares, errors = held.value[:, 0], held.error[:, 0]
    else:
        with np.errstate(invalid="ignore"):
            shares, errors = (np.sum(part * call.mask, axis=1) / lengths for part in (held.value, held.error))
        shares, errors = shares[lengths > 0], errors[lengths > 0]
    if not shares.size:
        return None
    ends = np.array([extreme(shares - errors), extreme(shares + errors)])
    return Bounded(np.mean(ends), np.ptp(ends) / 2, call.format).rounded_again(1)


def _plain_divergences(call: LossCall, new: Bounded) -> tuple[Bounded | None, Bounded | None]:
    """The means of k1 and k3 over the active tokens, where there is a reference."""
    if call.ref_logps is None:
        return None, None
    backwards = Bounded.exact(call.ref_logps, call.format) - new
    return _token_mean(call, _estimate("k1", backwards)[0]), _token_mean(call, _estimate("k3", backwards)[0])
