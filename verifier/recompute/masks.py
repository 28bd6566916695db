"""Which terms count, and with which weight: off-policy rows, entropy quantiles, the sampler's ratio, normalisers.

A keep-or-drop decision that rounding leaves open is a weight of 1/2 with an error of 1/2.
"""

from __future__ import annotations

import numpy as np
from grpocheck.verifier.recompute.bounded import Array, Bounded, Precision
from grpocheck.verifier.recompute.call import LossCall
from grpocheck.verifier.recompute.settings import BadSetting
from numpy.typing import NDArray


def decided_weight(kept: NDArray[np.bool_], open_: NDArray[np.bool_], precision: Precision) -> Bounded:
    """1 where kept, 0 where not, and anything between where it is open."""
    return Bounded(np.where(open_, 0.5, np.where(kept, 1.0, 0.0)), np.where(open_, 0.5, 0.0), precision)


def off_policy_weight(call: LossCall) -> Bounded | None:
    """DeepSeek-V3.2's mask as TRL has it: a response of A < 0 whose mean log(sampler / current) is above a threshold
    is left out. Tokens that the sampler has no number for are no evidence."""
    threshold, precision = call.settings.off_policy_mask_threshold, call.format
    if threshold is None:
        return None
    sampler = call.old_logps if call.sampling_logps is None else call.sampling_logps
    drift = Bounded.exact(sampler, precision) - Bounded.exact(call.new_logps, precision)
    lost = np.isnan(drift.value)
    drift = Bounded(np.where(lost, 0.0, drift.value), np.where(lost, 0.0, drift.error), precision)
    mean = drift.masked(call.mask).sum(axis=1, keepdims=True) / Bounded.exact(np.maximum(call.lengths, 1.0), precision)
    bound = Bounded.constant(threshold, precision)
    gap = mean.value - bound.value
    margin = mean.error + bound.error
    positive = call.advantages >= 0
    return decided_weight(positive | (gap <= 0), ~positive & (np.abs(gap) <= margin), precision)


def entropy_weight(call: LossCall) -> Bounded | None:
    """The mask of the tokens whose entropy is at least the quantile 1 - q of the active tokens of all processes."""
    share, precision = call.settings.top_entropy_quantile, call.format
    if share >= 1:
        return None
    if call.entropies is None:
        raise BadSetting("entropies", None, "entropies of the tokens: top_entropy_quantile needs them")
    known = call.gathered_entropies
    if known is None:
        if call.world_size > 1:  # the other processes' entropies are part of the quantile and are not here
            return Bounded(np.where(call.mask > 0, 0.5, 0.0), np.where(call.mask > 0, 0.5, 0.0), precision)
        known = call.entropies[call.mask > 0]
    if known.size == 0:
        return Bounded.exact(np.zeros(call.mask.shape), precision)
    low, high = quantile_interval(np.sort(known.ravel()), 1 - share)
    active = call.mask > 0
    return decided_weight(
        active & (call.entropies >= high), active & (call.entropies >= low) & (call.entropies < high), precision
    )


def quantile_interval(ordered: Array, share: float) -> tuple[float, float]:
    """Between which numbers the quantile lies that torch interpolates linearly, in float32.

    The position is the float32 product of the share and the last index, which is the same on every machine. The
    interpolation starts at the nearer of the two numbers beside it, so that it never passes that one.
    """
    position = np.float32(share) * np.float32(ordered.size - 1)
    place = int(np.floor(position))
    part = float(position) - place
    below = float(ordered[place])
    if part == 0:
        return below, below
    above = float(ordered[place + 1])
    between = below + part * (above - below)
    margin = 4 * 2.0**-24 * max(abs(below), abs(above))
    return max(below, between - margin), min(above, between + margin)


def sampler_weight(call: LossCall) -> Bounded | None:
    """TRL's ratio of the old policy to the sampler's, truncated or masked; as recorded where it was."""
    settings, precision = call.settings, call.format
    if call.importance_ratio is not None:
        return Bounded.exact(call.importance_ratio, precision)
    if not settings.sampler_correction:
        return None
    if call.sampling_logps is None:
        raise BadSetting("sampling_logps", None, "the sampler's log-probabilities: its correction needs them")
    difference = Bounded.exact(call.old_logps, precision) - Bounded.exact(call.sampling_logps, precision)
    difference = difference.masked(call.mask)
    lost = np.isnan(difference.value)
    difference = Bounded(np.where(lost, 0.0, difference.value), np.where(lost, 0.0, difference.error), precision)
    if settings.sampler_mode.startswith("sequence"):
        difference = difference.sum(axis=1, keepdims=True)
    ratio = difference.exp()
    if settings.sampler_mode.endswith("truncate"):
        return ratio.clamp(settings.sampler_clip_min, settings.sampler_clip_max)
    low = Bounded.constant(-np.inf if settings.sampler_clip_min is None else settings.sampler_clip_min, precision)
    high = Bounded.constant(np.inf if settings.sampler_clip_max is None else settings.sampler_clip_max, precision)
    inside = (ratio.lower >= low.upper) & (ratio.upper <= high.lower)
    outside = (ratio.upper < low.lower) | (ratio.lower > high.upper)
    return ratio * decided_weight(inside, ~inside & ~outside, precision)


def token_weights(call: LossCall) -> Bounded:
    """The weight of each token term in the loss, (B, 1): the normaliser and the accumulation, without masks."""
    settings, precision = call.settings, call.format
    rows, lengths = call.new_logps.shape[0], np.maximum(call.lengths, 1.0)
    per = settings.normalisation_in_use
    one = Bounded.exact(np.ones((rows, 1)), precision)

    def count(number: float | Array) -> Bounded:
        return Bounded.exact(number, precision)

    accumulation = float(call.gradient_accumulation_steps if call.training else 1)
    if per == "items":
        if call.num_items_in_batch is None:
            raise BadSetting("num_items_in_batch", None, "the active tokens of the generation batch")
        items = Bounded.constant(max(call.num_items_in_batch, 1.0), precision) / count(float(call.world_size))
        if call.training:
            items = items * count(accumulation) / count(float(call.steps_per_generation))
        return one / items
    if per == "all-tokens":
        weight = one / count(max(float(np.sum(call.mask)), 1.0))
    else:
        weight = one / count(float(rows))
        if per == "constant":
            weight = weight / Bounded.constant(float(settings.constant or 0), precision)
        if per.endswith("maximum-length"):
            weight = weight / count(float(settings.maximum_length or 0))
        if per.startswith("own-length"):
            weight = weight / count(lengths)
    return weight / count(accumulation)
