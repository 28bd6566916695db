"""What a loss that is no known variant shows of itself: on which sides it holds the ratio, and whether the mask counts.

These are hints beside a verdict, of one token with the others on policy: they name the mistakes that people make with a
clip, and decide nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from grpocheck.verifier.conform.inputs import Case
from grpocheck.verifier.conform.targets import Answer, Target
from grpocheck.verifier.conform.wanted import Measured

MOVED = 0.25
MAXIMUM = ": as max(ratio A, clip(ratio) A) does, where the definition takes the min"


def hints(target: Target, measured: Measured, cases: Sequence[Case], answers: Sequence[Answer]) -> Iterator[str]:
    """What may help to find out why a target is none of the variants."""
    yield from clip_hints(measured)
    if counts_padding(target, cases, answers):
        yield "log-probabilities of tokens that the mask leaves out move it: somewhere the mask is not applied"


def clip_hints(measured: Measured) -> Iterator[str]:
    """Where the ratio is held for either sign of A, where that is not as the two-sided clip holds it."""
    gain_high = None if measured.high is None else 1 + measured.high
    loss_low = None if measured.low is None else 1 - measured.low
    gain_floor, loss_high = measured.gain_floor, measured.cap
    held = {"A > 0": (gain_floor, gain_high), "A < 0": (loss_low, loss_high)}
    if (gain_floor, loss_high) == (None, None):
        return  # of the sides that the two-sided clip leaves free none is held
    words = "; ".join(f"for {sign} {_sides(*bounds)}" for sign, bounds in held.items())
    yield f"the ratio is held {words} (the two-sided clip holds it for A > 0 above, for A < 0 below){_mistake(held)}"


def _sides(low: Fraction | None, high: Fraction | None) -> str:
    """On which sides a ratio is held."""
    said = [f"{word} {bound}" for word, bound in (("below", low), ("above", high)) if bound is not None]
    return " and ".join(said) or "nowhere"


def _mistake(held: dict[str, tuple[Fraction | None, Fraction | None]]) -> str:
    """The mistake that holds a ratio so; empty where it is none that is known."""
    (gain_low, gain_high), (loss_low, loss_high) = held["A > 0"], held["A < 0"]
    if gain_low is not None and loss_high is not None and gain_high is None and loss_low is None:
        upside_down = 1 / gain_low - 1 == 1 - 1 / loss_high
        return ": as the ratio old / new does, upside down" if upside_down else MAXIMUM
    if None not in (gain_low, gain_high, loss_low, loss_high):
        return ": as clip(ratio) A alone does, without the min with ratio A"
    if gain_high is not None and loss_high is not None and gain_high == loss_high and gain_low is None:
        return ": as min(ratio, clip(ratio)) A does, whose min is taken before the product with A"
    return ""


def counts_padding(target: Target, cases: Sequence[Case], answers: Sequence[Answer]) -> bool:
    """Whether the log-probabilities of tokens that do not count move the value, or the gradient of those that do."""
    for case, before in zip(cases, answers, strict=True):
        if case.mask.all() or before.raised is not None:
            continue
        after = target.answer(replace(case, new=case.new - MOVED * (case.mask == 0)))
        if after.raised is not None or before.loss != after.loss:
            return True
        if before.gradient is not None and after.gradient is not None:
            return not np.array_equal(before.gradient * case.mask, after.gradient * case.mask, equal_nan=True)
        return False
    return False
