"""Losses of numpy with gradients by hand: right ones, and the mistakes that people make. Nothing of ours is in them."""

import numpy as np


def own_length(mask):
    return mask / np.maximum(mask.sum(1, keepdims=True), 1) / len(mask)


def clipped(ratio, advantages, low=0.2, high=0.2):
    """Value and slope by log pi of min(r A, clip(r) A)."""
    unclipped, held = ratio * advantages, np.clip(ratio, 1 - low, 1 + high) * advantages
    return np.minimum(unclipped, held), np.where(unclipped <= held, unclipped, 0.0)


def grpo(new, old, ref, advantages, mask):
    value, slope = clipped(np.exp(new - old), advantages[:, None])
    weight = own_length(mask)
    return -(value * weight).sum(), -slope * weight


def objective(new, old, ref, advantages, mask):
    loss, gradient = grpo(new, old, ref, advantages, mask)
    return -loss, -gradient


def five_times_too_small(new, old, ref, advantages, mask):
    loss, gradient = grpo(new, old, ref, advantages, mask)
    return loss / 5, gradient / 5


def with_an_offset(new, old, ref, advantages, mask):
    loss, gradient = grpo(new, old, ref, advantages, mask)
    return loss + 0.75, gradient


def dapo(new, old, ref, advantages, mask):
    value, slope = clipped(np.exp(new - old), advantages[:, None], high=0.28)
    weight = mask / mask.sum()
    return -(value * weight).sum(), -slope * weight


def dr_grpo(new, old, ref, advantages, mask):
    value, slope = clipped(np.exp(new - old), advantages[:, None])
    weight = mask / len(mask) / 14
    return -(value * weight).sum(), -slope * weight


def gspo(new, old, ref, advantages, mask):
    lengths = np.maximum(mask.sum(1, keepdims=True), 1)
    ratio = np.exp(((new - old) * mask).sum(1, keepdims=True) / lengths)
    value, slope = clipped(ratio, advantages[:, None])
    return -value.mean(), -slope / lengths * mask / len(mask)


def cispo(new, old, ref, advantages, mask):
    weight = np.minimum(np.exp(new - old), 5.0) * advantages[:, None] * mask / mask.sum()
    return -(weight * new).sum(), -weight


def with_k3(new, old, ref, advantages, mask):
    loss, gradient = grpo(new, old, ref, advantages, mask)
    power = np.exp(ref - new)
    weight = own_length(mask) / 25
    return loss + (weight * (power - 1 - (ref - new))).sum(), gradient + weight * (1 - power)


def with_k1(new, old, ref, advantages, mask):
    loss, gradient = grpo(new, old, ref, advantages, mask)
    weight = own_length(mask) / 25
    return loss + (weight * (new - ref)).sum(), gradient + weight


def clip_on_both_sides(new, old, ref, advantages, mask):
    """The ratio is clipped whatever the sign of A."""
    ratio, weight = np.exp(new - old), own_length(mask)
    inside = (ratio >= 0.8) & (ratio <= 1.2)
    value = np.clip(ratio, 0.8, 1.2) * advantages[:, None]
    return -(value * weight).sum(), -np.where(inside, ratio, 0.0) * advantages[:, None] * weight


def maximum_for_minimum(new, old, ref, advantages, mask):
    """max(r A, clip(r) A): the side that is held is the wrong one for either sign of A."""
    ratio, weight = np.exp(new - old), own_length(mask)
    unclipped, held = ratio * advantages[:, None], np.clip(ratio, 0.8, 1.2) * advantages[:, None]
    return -(np.maximum(unclipped, held) * weight).sum(), -np.where(unclipped >= held, unclipped, 0.0) * weight


def maximum_of_values(new, old, ref, advantages, mask):
    return maximum_for_minimum(new, old, ref, advantages, mask)[0]


def ratio_upside_down(new, old, ref, advantages, mask):
    value, slope = clipped(np.exp(old - new), advantages[:, None])
    return -(value * own_length(mask)).sum(), slope * own_length(mask)


def minimum_before_the_product(new, old, ref, advantages, mask):
    ratio, weight = np.exp(new - old), own_length(mask)
    held = np.minimum(ratio, np.clip(ratio, 0.8, 1.2))
    slope = np.where(ratio <= 1.2, ratio, 0.0)
    return -(held * advantages[:, None] * weight).sum(), -slope * advantages[:, None] * weight


def mask_ignored(new, old, ref, advantages, mask):
    return grpo(new, old, ref, advantages, np.ones_like(mask))


def mean_of_means_with_padding(new, old, ref, advantages, mask):
    """Divides by the width of the batch and not by the response's own length."""
    value, slope = clipped(np.exp(new - old), advantages[:, None])
    return -(value * mask).mean(), -slope * mask / mask.size


def detached_ratio(new, old, ref, advantages, mask):
    """The value of GRPO, and no gradient at all where the old policy is not held fixed."""
    return grpo(new, old, ref, advantages, mask)[0], np.zeros_like(new)


def values_only(new, old, ref, advantages, mask):
    return grpo(new, old, ref, advantages, mask)[0]


def of_rewards(new, old, ref, rewards, mask):
    groups = rewards.reshape(-1, 4)
    centred = groups - groups.mean(1, keepdims=True)
    advantages = centred / (groups.std(1, ddof=1, keepdims=True) + 1e-4)
    return grpo(new, old, ref, advantages.ravel(), mask)


def of_rewards_with_a_small_epsilon(new, old, ref, rewards, mask):
    groups = rewards.reshape(-1, 4)
    centred = groups - groups.mean(1, keepdims=True)
    advantages = centred / (groups.std(1, keepdims=True) + np.float32(1e-6))
    return grpo(new, old, ref, advantages.ravel(), mask)


def without_a_reference(new, old, advantages, mask):
    return grpo(new, old, old, advantages, mask)


def raises_on_short_ones(new, old, ref, advantages, mask):
    if new.shape[1] == 1:
        raise ValueError("one token")
    return grpo(new, old, ref, advantages, mask)


def a_little_off(new, old, ref, advantages, mask):
    """Beyond the rounding of the straight evaluation, and not by what another formula would give."""
    loss, gradient = grpo(new, old, ref, advantages, mask)
    return loss * (1 + 2.0**-46), gradient


def one_part_in_ten_billion_off(new, old, ref, advantages, mask):
    """Far inside what a comparison with a tolerance would pass."""
    loss, gradient = grpo(new, old, ref, advantages, mask)
    return loss, gradient * (1 + 2.0**-33)


SEEN = []


def remembers(new, old, ref, advantages, mask):
    SEEN.append(None)
    loss, gradient = grpo(new, old, ref, advantages, mask)
    return loss + len(SEEN), gradient
