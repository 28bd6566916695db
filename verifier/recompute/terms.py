"""The terms of a loss: what a ratio and an advantage make of a token, with bounds.

A clipped ratio has the slope 1 inside its bounds and 0 outside; where rounding leaves open on which side a ratio is,
the slope is anything between, which a centre of 1/2 with an error of 1/2 says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from grpocheck.verifier.recompute.bounded import Array, Bounded
from grpocheck.verifier.recompute.settings import CLAMPED, LossSettings
from numpy.typing import NDArray

TOKEN_CLAMP = 20.0
"""TRL's VESPO holds log ratios of tokens in [-20, 20], and their sum in [log 1e-8, 20]."""
LEAST_LOG = float(np.log(1e-8))

COMPARED = 4
"""Roundings between a ratio and its bound on the way to the comparison: both products with A, and the bound's own."""


@dataclass(frozen=True)
class TermParts:
    """``value`` is the term over A (before log pi for a score), ``slope`` its derivative by the ratio over A.

    A score has no slope: its value is a detached weight on A log pi.
    """

    value: Bounded
    slope: Bounded | None
    undecided: NDArray[np.bool_]


def holding_bounds(settings: LossSettings, advantages: Array) -> tuple[Array, Array]:
    """Between which numbers a clip holds the ratio, for the sign of each advantage; infinite where nothing holds."""
    term = settings.term_in_use
    low, high = 1 - settings.epsilon, 1 + settings.epsilon_high
    infinite = np.full(advantages.shape, np.inf)
    negative = advantages < 0
    if term == "unclipped":
        return -infinite, infinite
    if term == "upper-cap":
        return -infinite, np.full(advantages.shape, high)
    above = np.inf
    if term == "dual-clip" and settings.cap is not None:
        above = settings.cap
    top = high
    if term == "delta" and settings.delta is not None:
        above, top = max(high, settings.delta), min(high, settings.delta)
    return np.where(negative, low, -np.inf), np.where(negative, above, top)


def term_parts(ratio: Bounded, settings: LossSettings, advantages: Array) -> TermParts:
    """The term of the settings, for every ratio and advantage."""
    term = settings.term_in_use
    precision = ratio.precision
    decided = np.zeros(np.broadcast_shapes(ratio.value.shape, advantages.shape), dtype=np.bool_)
    if term in CLAMPED:
        low, high = (Bounded.constant(bound, precision) for bound in holding_bounds(settings, advantages))
        low, high = (Bounded(b.value, _finite(precision.unit * np.abs(b.value)), precision) for b in (low, high))
        return _clamped(ratio, low, high)
    if term == "soft-gate":
        positive, negative = settings.temperatures
        tau = Bounded.constant(np.where(advantages > 0, positive, negative), precision)
        gate = (tau * (ratio - 1.0)).sigmoid()
        one = Bounded.exact(1.0, precision)
        return TermParts(gate * 4.0 / tau, (gate * (one - gate) * 4.0).rounded_again(4), decided)
    if term == "score":
        return TermParts(Bounded.exact(np.ones(decided.shape), precision), None, decided)
    if term == "capped-score":
        return TermParts(ratio.clamp(upper=1 + settings.epsilon_high), None, decided)
    return TermParts(ratio.clamp(settings.floor, settings.cap), None, decided)


def _finite(error: Array) -> Array:
    """An error of 0 for a bound at infinity."""
    return np.where(np.isfinite(error), error, 0.0)


def _clamped(ratio: Bounded, low: Bounded, high: Bounded) -> TermParts:
    """The ratio between its bounds; the slope is open where the comparison may go either way."""
    precision = ratio.precision
    value = ratio.between(low, high)
    margin = ratio.error + COMPARED * precision.unit * np.where(np.isinf(ratio.value), 0.0, np.abs(ratio.value))
    with np.errstate(invalid="ignore"):
        outside = (ratio.value + margin < low.lower) | (ratio.value - margin > high.upper)
        inside = (ratio.value - margin > low.upper) & (ratio.value + margin < high.lower)
    undecided = ~outside & ~inside
    slope = np.where(outside, 0.0, np.where(inside, 1.0, 0.5))
    nothing = np.isnan(ratio.value)
    slope = np.where(nothing, np.nan, slope)
    return TermParts(
        value, Bounded(slope, np.where(undecided & ~nothing, 0.5, 0.0), precision), undecided & ~nothing
    )


def gamma_weight(log_ratio: Bounded, mask: Array, settings: LossSettings, advantages: Array, extra: Bounded | None) -> (
    Bounded
):
    """VESPO's detached weight exp(lambda + k log w - lambda w) of each response, w the product of its ratios."""
    precision = log_ratio.precision
    held = log_ratio.clamp(-TOKEN_CLAMP, TOKEN_CLAMP) if settings.gamma_clamps else log_ratio
    total = held.masked(mask).sum(axis=1, keepdims=True)
    if extra is not None:
        total = total + extra.log().clamp(LEAST_LOG, TOKEN_CLAMP).sum(axis=1, keepdims=True)
    if settings.gamma_clamps:
        total = total.clamp(LEAST_LOG, TOKEN_CLAMP)
    sign = advantages >= 0
    power = Bounded.constant(np.where(sign, *settings.gamma_powers), precision)
    rate = Bounded.constant(np.maximum(np.where(sign, *settings.gamma_rates), 1e-4), precision)
    weight = (rate + power * total - rate * total.exp()).exp()
    lost = ~np.isfinite(weight.value)  # nan_to_num: what is not a finite weight is none
    return Bounded(np.where(lost, 0.0, weight.value), weight.error, precision)
