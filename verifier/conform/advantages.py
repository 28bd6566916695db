"""Advantages from rewards as a trainer computes them: in floats, with a bound on every one."""

from __future__ import annotations

import numpy as np
from grpocheck.core.variants.advantages import AdvantageRule, Baseline
from grpocheck.verifier.recompute.bounded import Array, Bounded, Precision
from grpocheck.verifier.recompute.settings import BadSetting


def advantages_of(rule: AdvantageRule, rewards: Array, group_size: int, precision: Precision) -> Bounded:
    """The advantages of one reward for each response, in groups of one size; raises BadSetting for other rules.

    Where rounding leaves open whether a deviation is 0, so is the advantage of a rule without an epsilon.
    """
    if rule.first is not None:
        raise BadSetting("advantage,first", "a rule before the sum", "one reward for each response")
    grouped = Bounded.exact(rewards.reshape(-1, group_size), precision)
    centred = _centred(rule, grouped, precision)
    if rule.divisor.value == "none":
        return _flat(centred)
    axis = None if rule.divisor.is_of_batch else 1
    around = grouped - _mean(grouped, axis, precision)
    number = rewards.size if axis is None else group_size
    squares = (around * around).sum(axis=axis, keepdims=True)
    variance = squares / Bounded.exact(float(max(1, number - rule.divisor.lost)), precision)
    if rule.floor:
        variance = variance.clamp(lower=float(rule.floor))
    deviation = _root(variance)
    divisor = deviation + float(rule.epsilon) if rule.epsilon else deviation
    zero = variance.value == 0
    found = centred / divisor
    if not rule.epsilon:  # core has 0 where the deviation is 0
        found = Bounded(
            np.where(zero, 0.0, found.value), np.where(zero & (centred.error > 0), np.inf, found.error), precision
        )
        found = Bounded(found.value, np.where(zero & (centred.error == 0), 0.0, found.error), precision)
    return _flat(found)


def _flat(numbers: Bounded) -> Bounded:
    """One number for each response."""
    return Bounded(numbers.value.ravel(), numbers.error.ravel(), numbers.precision)


def _mean(numbers: Bounded, axis: int | None, precision: Precision) -> Bounded:
    """The mean: exact where the numbers are all one that a format holds with room for their sum."""
    number = float(numbers.value.size if axis is None else numbers.value.shape[1])
    return numbers.sum(axis=axis, keepdims=True) / Bounded.exact(number, precision)


def _centred(rule: AdvantageRule, grouped: Bounded, precision: Precision) -> Bounded:
    """The rewards without their baseline."""
    size = grouped.value.shape[1]
    if rule.baseline is Baseline.NONE:
        return grouped
    if rule.baseline is Baseline.BATCH_MEAN:
        return grouped - _mean(grouped, None, precision)
    if rule.baseline is Baseline.MEAN or size == 1:
        return grouped - _mean(grouped, 1, precision)
    others = (grouped.sum(axis=1, keepdims=True) - grouped) / Bounded.exact(float(size - 1), precision)
    return grouped - others


def _root(variance: Bounded) -> Bounded:
    """The square root; of a variance that may be 0 the bound is the root of the bound."""
    value = np.sqrt(np.maximum(variance.value, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(value > 0, variance.error / value, np.inf)
    error = np.where(variance.error == 0, 0.0, np.minimum(relative, np.sqrt(variance.error)))
    return Bounded(value, error, variance.precision).rounded_again(1)
