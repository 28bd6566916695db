"""Advantages of many groups at once in float64, with a bound on what a float format may make of them.

Two bounds stand beside each value: how far a trainer that computes in its own format (unit roundoff u) may be from the
exact advantage, and how far this module's float64 may be. A logged advantage is decided where the two leave no doubt;
the undecided ones are for exact.py. The bounds follow the operations one by one (Higham, Accuracy and Stability of
Numerical Algorithms, 2002, chapters 2 to 4): a sum of n terms in any order errs by at most gamma(n) times the sum of
the magnitudes, gamma(n) = n u / (1 - n u), and a root-mean-square of perturbed differences by no more than the largest
perturbation.
"""

from dataclasses import dataclass

import numpy as np
from grpocheck.core.variants.advantages import AdvantageRule, Baseline, Divisor
from grpocheck.verifier.audit.model import Booleans, Floats

DOUBLE = 2.0**-53
SLACK = 2.0
"""A trainer may take a deviation in another order (a running one): its bound is doubled."""
WIDE, NARROW = np.finfo(np.float64), np.finfo(np.float32)
"""Half formats have the range of float32, in which their sums are accumulated."""


@dataclass(frozen=True)
class Bounded:
    """Numbers and how far they may be from the exact ones, all of one shape."""

    value: Floats
    error: Floats


@dataclass(frozen=True)
class Groups:
    """Rewards of N groups of at most G responses and K functions: (N, G, K), nan where one is missing.

    ``there`` (N, G) is False where a group has fewer responses.
    """

    rewards: Floats
    there: Booleans

    @property
    def scored(self) -> Booleans:
        """Responses with a reward from at least one function."""
        found: Booleans = self.there & ~np.isnan(self.rewards).all(axis=2)
        return found


def range_of(roundoff: float) -> tuple[float, float]:
    """The smallest normal and the largest number of a format, by its roundoff.

    >>> range_of(2.0**-24)
    (1.1754943508222875e-38, 3.4028234663852886e+38)
    """
    found = WIDE if roundoff <= DOUBLE else NARROW
    return float(found.tiny), float(found.max)


def beyond_range(total: Bounded, there: Booleans, roundoff: float) -> Booleans:
    """Groups, by their totals, in which the squares of differences leave the range of the format: no deviation is kept.

    (N,); what the trainer's advantages are then depends on how it computes, and not on its rule alone.
    """
    least, most = range_of(roundoff)
    top = np.where(there, total.value, -np.inf).max(axis=1)
    bottom = np.where(there, total.value, np.inf).min(axis=1)
    with np.errstate(invalid="ignore", over="ignore"):
        spread = np.where(top > bottom, top - bottom, 0.0)
        wide = spread > np.sqrt(most / np.maximum(there.sum(axis=1), 1))
        narrow = spread < 8 * np.sqrt(there.sum(axis=1) * least)  # with room for squares that are flushed to 0
        return np.asarray((spread > 0) & np.isfinite(total.value).all(axis=1) & (wide | narrow))


def gamma(count: Floats | float, roundoff: float) -> Floats:
    """The relative error of ``count`` roundings."""
    product = np.minimum(np.asarray(count, dtype=np.float64) * roundoff, 0.5)
    return np.asarray(product / (1 - product))


def totals(groups: Groups, weights: Floats, roundoff: float) -> Bounded:
    """The weighted sums over reward functions, missing ones left out."""
    plain = len(weights) == 1 and weights[0] == 1.0
    count = 0 if plain else len(weights) + 1
    with np.errstate(invalid="ignore"):  # infinite rewards; nothing is said of their groups
        terms = np.nan_to_num(groups.rewards, nan=0.0, posinf=np.inf, neginf=-np.inf) * weights
        return Bounded(terms.sum(axis=2), gamma(count, roundoff) * np.abs(terms).sum(axis=2))


def advantages(groups: Groups, weights: Floats, rule: AdvantageRule, roundoff: float) -> Bounded:
    """The advantages of a rule, 0 for responses without a reward, computed with the roundoff."""
    scored = groups.scored
    if rule.first is None:
        return normalised(totals(groups, weights, roundoff), scored, rule, roundoff)
    value, error = np.zeros(scored.shape), np.zeros(scored.shape)
    magnitude = np.zeros(scored.shape)
    for place, weight in enumerate(weights):
        if weight == 0:
            continue  # 0 times anything is 0, whatever float error it had
        column = groups.rewards[:, :, place]
        there = groups.there & ~np.isnan(column)
        part = normalised(Bounded(np.where(there, column, 0.0), np.zeros(column.shape)), there, rule.first, roundoff)
        value += weight * part.value
        error += abs(weight) * part.error
        magnitude += np.abs(weight * part.value) + abs(weight) * part.error
    return normalised(Bounded(value, error + gamma(len(weights) + 1, roundoff) * magnitude), scored, rule, roundoff)


@np.errstate(invalid="ignore", over="ignore")  # infinite rewards; nothing is said of their groups
def normalised(total: Bounded, there: Booleans, rule: AdvantageRule, roundoff: float) -> Bounded:
    """(R - baseline) / (deviation + epsilon) where a response is there; 0 elsewhere, and over a divisor of 0."""
    value = np.where(there, total.value, 0.0)
    error = np.where(there, total.error, 0.0)
    centre = baseline_of(Bounded(value, error), there, rule.baseline, roundoff)
    difference = np.where(there, value - centre.value, 0.0)
    least, _ = range_of(roundoff)
    away = np.where(there, error + centre.error + roundoff * (np.abs(difference) + error + centre.error) + least, 0.0)
    if rule.divisor is Divisor.NONE:
        return Bounded(difference, away)
    spread = deviation(Bounded(value, error), there, rule.divisor, roundoff)
    epsilon = float(rule.epsilon)
    below = spread.value + epsilon
    off = SLACK * spread.error + roundoff * (below + spread.error)
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.where(below > 0, difference / below, 0.0)
        room = below - off
        far = np.where(room > 0, (away + np.abs(quotient) * off) / room, np.inf)
    far = far + 2 * roundoff * np.abs(quotient) + least
    # A deviation that is exactly 0 has differences that are: what is left of them is the trainer's own residue.
    return Bounded(np.where(there, quotient, 0.0), np.where(there, far, 0.0))


def baseline_of(total: Bounded, there: Booleans, baseline: Baseline, roundoff: float) -> Bounded:
    """What is taken off each reward."""
    if baseline is Baseline.NONE:
        return Bounded(np.zeros(there.shape), np.zeros(there.shape))
    if baseline is Baseline.BATCH_MEAN:
        return mean(total, there, None, roundoff)
    if baseline is Baseline.MEAN:
        return mean(total, there, 1, roundoff)
    count = there.sum(axis=1, keepdims=True).astype(np.float64)
    others = np.maximum(count - 1, 1)
    whole = total.value.sum(axis=1, keepdims=True)
    magnitude = (np.abs(total.value) + total.error).sum(axis=1, keepdims=True)
    value = np.where(count > 1, (whole - total.value) / others, total.value)
    error = (total.error.sum(axis=1, keepdims=True) + gamma(count + 2, roundoff) * magnitude) / others
    return Bounded(value, np.broadcast_to(error, value.shape))


def mean(total: Bounded, there: Booleans, axis: int | None, roundoff: float) -> Bounded:
    """The mean over groups' responses (axis 1) or over all of them (None), in the shape of the responses."""
    count = np.maximum(there.sum(axis=axis, keepdims=True), 1).astype(np.float64)
    value = total.value.sum(axis=axis, keepdims=True) / count
    magnitude = (np.abs(total.value) + total.error).sum(axis=axis, keepdims=True)
    error = (total.error.sum(axis=axis, keepdims=True) + gamma(count + 1, roundoff) * magnitude) / count
    return Bounded(np.broadcast_to(value, there.shape), np.broadcast_to(error, there.shape))


@np.errstate(invalid="ignore", over="ignore")
def deviation(total: Bounded, there: Booleans, divisor: Divisor, roundoff: float) -> Bounded:
    """The deviation of the group's rewards, or the batch's, in the shape of the responses."""
    axis = None if divisor.is_of_batch else 1
    centre = mean(total, there, axis, roundoff)
    count = there.sum(axis=axis, keepdims=True).astype(np.float64)
    difference = np.where(there, total.value - centre.value, 0.0)
    away = np.where(there, total.error + centre.error + roundoff * np.abs(difference), 0.0)
    worst = away.max(axis=axis, keepdims=True) * (1 + roundoff)
    left = np.maximum(count - divisor.lost, 1)
    largest = np.abs(difference).max(axis=axis, keepdims=True)
    unit = np.ldexp(1.0, np.frexp(largest)[1] - 1)  # so that no square here leaves the range of float64
    value = unit * np.sqrt(((difference / unit) ** 2).sum(axis=axis, keepdims=True) / left)
    swelling = np.sqrt(np.maximum(count, 1) / left)
    error = swelling * worst + gamma(count + 6, roundoff) * (value + swelling * worst)
    least, most = range_of(roundoff)
    flushed = (2 * count + 1) * least / left  # of the mean of squares: each square and sum
    with np.errstate(divide="ignore"):
        error = error + np.minimum(np.sqrt(flushed), flushed / value)
    error = np.where(np.sqrt(count) * largest > np.sqrt(most), np.inf, error)
    return Bounded(np.broadcast_to(value, there.shape), np.broadcast_to(error, there.shape))
