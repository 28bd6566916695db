"""What a black box shows of its own numbers: where its clip begins to hold, and what its weights are held at.

One response of one token has its ratio moved while the others stay on policy; the slope of the loss there, over the
slope on policy, is the ratio where nothing is held, 0 where a clip holds, and the weight itself for a detached one.
Of a loss that gives values alone the change of the value shows the bound of a clip, and what both log-probabilities
moved together change shows the weight of a score; what the rest of a group adds to the value is in neither.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from grpocheck.verifier.conform.inputs import Case, case_of
from grpocheck.verifier.conform.targets import Target
from grpocheck.verifier.conform.wanted import Measured

FAR = 4.0
"""How far log ratios are moved: to ratios of 55 and of 1/55."""
BISECTIONS = 40
CLOSE = 1e-5
"""Relative distance within which a measured number is taken for the simplest fraction near it."""
FLAT = 1e-4
"""Relative difference within which two slopes of float32 are one."""
SAME = 1e-9
"""The same of two values of float64."""
LITTLE = 1 / 16
"""By how much a log ratio is moved, away from the side that a clip holds, where values alone show the advantage."""
LEVEL = -5.0
"""The log-probability of the tokens under the old policy."""


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator in a closed interval of positive numbers.

    >>> simplest(Fraction("0.1999"), Fraction("0.2001"))
    Fraction(1, 5)
    """
    whole = math.floor(low)
    if whole == low:
        return Fraction(whole)
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))


def near(value: float, close: float = CLOSE) -> Fraction:
    """The simplest fraction near a number, of its sign."""
    if value == 0 or not math.isfinite(value):
        return Fraction(0)
    size = abs(value)
    found = simplest(Fraction(size * (1 - close)), Fraction(size * (1 + close)))
    return found if value > 0 else -found


def probe_case(log_ratio: float, sign: int, group_size: int, wants_rewards: bool, level: float = LEVEL) -> Case:
    """A response of one token at a log ratio, with an advantage of this sign or 0; its group is on policy.

    The others of its group have reward 0, so that its advantage has the sign, or is 0, without a baseline, too.
    """
    rows = group_size if wants_rewards else 1
    rewards = np.zeros(rows)
    rewards[0] = float(sign)
    old = np.full((rows, 1), LEVEL)
    old[0, 0] = level
    new = old.copy()
    new[0, 0] += log_ratio
    return case_of("probe", "", new, old, rewards if rows > 1 else [float(sign)], rewards=rewards, group_size=rows)


def slope_at(target: Target, log_ratio: float, sign: int) -> float:
    """The slope of the loss by the moved log-probability, without that of A = 0, which is a KL term's."""
    found, still = (
        target.answer(probe_case(log_ratio, of_sign, target.group_size, target.wants_rewards))
        for of_sign in (sign, 0)
    )
    if found.gradient is None or still.gradient is None:
        return math.nan
    return float(found.gradient[0, 0] - still.gradient[0, 0])


def value_at(target: Target, log_ratio: float, sign: int, level: float = LEVEL) -> float:
    """The loss, without that of A = 0."""
    found, still = (
        target.answer(probe_case(log_ratio, of_sign, target.group_size, target.wants_rewards, level))
        for of_sign in (sign, 0)
    )
    return found.loss - still.loss


def measure(target: Target) -> Measured:
    """The bounds of the clip, or of the detached weight, as the target's slopes show them."""

    if target.answer(probe_case(0.0, 1, target.group_size, target.wants_rewards)).gradient is None:
        return _measured_by_values(target)

    def relative(sign: int) -> Callable[[float], float]:
        on_policy = slope_at(target, 0.0, sign)
        if not math.isfinite(on_policy) or on_policy == 0:
            return lambda log_ratio: math.nan
        return lambda log_ratio: slope_at(target, log_ratio, sign) / on_policy

    gain, loss = relative(1), relative(-1)
    high, low = _bound(gain, FAR), _bound(loss, -FAR)
    return Measured(
        low=None if low is None else 1 - low,
        high=None if high is None else high - 1,
        cap=_bound(loss, FAR),
        gain_floor=_bound(gain, -FAR),
        weight_cap=_held_weight(gain, FAR),
        weight_floor=_held_weight(gain, -FAR),
    )


def _measured_by_values(target: Target) -> Measured:
    """The bounds of a clip, as the values past them show: a term that is held is its bound times A."""

    def held(sign: int, far: float) -> Fraction | None:
        on_policy = value_at(target, 0.0, sign)
        at, before = (value_at(target, log_ratio, sign) - on_policy for log_ratio in (far, far * 0.875))
        advantage = on_policy
        if target.wants_rewards:  # the other terms of the group are in the value, and not in its changes
            free = -math.copysign(LITTLE, sign)
            advantage = (value_at(target, free, sign) - on_policy) / math.expm1(free)
        if advantage == 0 or not math.isfinite(at) or not abs(at - before) <= SAME * abs(advantage):
            return None
        bound = 1 + at / advantage
        return near(bound) if bound > 0 else None

    def weight(log_ratio: float) -> float:
        on_policy, at = (
            value_at(target, moved, 1, LEVEL - 1) - value_at(target, moved, 1) for moved in (0.0, log_ratio)
        )
        return at / on_policy if on_policy != 0 else math.nan

    high, low = held(1, FAR), held(-1, -FAR)
    return Measured(
        low=None if low is None else 1 - low,
        high=None if high is None else high - 1,
        cap=held(-1, FAR),
        gain_floor=held(1, -FAR),
        weight_cap=_held_weight(weight, FAR),
        weight_floor=_held_weight(weight, -FAR),
    )


def _bound(relative: Callable[[float], float], far: float) -> Fraction | None:
    """The ratio past which the slope is 0, between 1 and a far one; None where it is not 0 there."""
    if relative(far) != 0:
        return None
    inside, outside = 0.0, far
    for _ in range(BISECTIONS):
        middle = (inside + outside) / 2
        if relative(middle) == 0:
            outside = middle
        else:
            inside = middle
    return near(math.exp((inside + outside) / 2), CLOSE if abs(inside - outside) < CLOSE else 10 * CLOSE)


def _held_weight(relative: Callable[[float], float], far: float) -> Fraction | None:
    """The number at which a detached weight is held; None where the slope goes on changing, or is that on policy."""
    at, before = relative(far), relative(far * 0.875)
    if not math.isfinite(at) or at <= 0 or abs(at - before) > FLAT * at or abs(at - 1) < FLAT:
        return None
    return near(at)
