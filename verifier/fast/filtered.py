"""F_t and its gradient in float64, vectorised, with an error bound that is proved in docs/fast.md.

Every bound is a sum of nonnegative terms, each an upper bound to first order; ``SLACK`` covers what first order leaves
out and the rounding of the bounds themselves, as long as the error of the shifted logits stays below ``LARGEST``.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from grpocheck.verifier.fast.batch import Batch
from grpocheck.verifier.fast.values import Certified
from grpocheck.verifier.vectors.numbers import nearest
from mpmath.ctx_mp import MPContext

U = 2.0**-53
"""Half a unit in the last place: the relative error of one rounded operation."""
TRUSTED = 8 * U
"""What numpy's exp and log are trusted with: a relative error of 4 units in the last place (tests/fast measures it)."""
SLACK = 1.02
LARGEST = 1e-3
SMALLEST = 1e-250
"""Weights, advantages, betas and errors below this are not decided here: underflow may have spoilt them."""

precise = MPContext()
precise.prec = 90


def nearest_log(value: Fraction) -> float:
    """A float within a relative 2 U of the logarithm of a positive rational."""
    return float(precise.log(precise.mpf(value.numerator) / value.denominator))


def filled(rows: Any, size: int, pad: float) -> Any:
    """Rows of different lengths as one array."""
    return np.array([[*row, *([pad] * (size - len(row)))] for row in rows], dtype=np.float64)


class Filter:
    """The float64 evaluation of one batch."""

    def __init__(self, batch: Batch) -> None:
        """Round the frozen data, once."""
        self.size = size = max(map(len, batch.reference))
        self.inside = filled([[1.0] * len(row) for row in batch.reference], size, 0.0) > 0
        self.whole = bool(self.inside.all())
        self.prompts, self.group = len(batch.reference), batch.group_size
        advantages = filled([list(map(nearest, row)) for row in batch.advantages], size, 0.0)
        self.sign = np.sign(advantages)
        self.drawn = (self.sign != 0) & (filled(batch.counts, size, 0.0) > 0)
        self.weight = filled(batch.counts, size, 0.0) * advantages / batch.group_size  # within 4 U
        self.bound = np.where(self.sign > 0, float(1 + batch.epsilon), float(1 - batch.epsilon))  # within U
        self.clipped = self.weight * self.bound  # within 6 U
        self.logs = filled([list(map(nearest_log, row)) for row in batch.reference], size, 0.0)  # within 2 U
        self.longest_log = float(np.abs(self.logs).max())
        self.beta = float(batch.beta) if batch.beta < 1 / SMALLEST else np.inf
        drawn = [a for row in batch.advantages for a in row if a != 0]
        ordinary = all(abs(nearest(a)) > SMALLEST for a in drawn) and (
            batch.beta == 0 or SMALLEST < self.beta < 1 / SMALLEST
        )
        self.sum_error = (size + 2) * U
        try:
            logits = filled([list(map(float, row)) for row in batch.logits_old], size, -np.inf)
        except OverflowError:  # no float is near to them
            logits = None
        old = None if logits is None else self.masses(logits, rounded=True)
        self.decided = ordinary and old is not None
        if old is not None:
            self.inverse, self.old_error = 1.0 / np.where(self.inside, old[0], 1.0), old[1] + U
            self.lift = self.weight * self.inverse  # c A / (G pi_old), within old_error + 5 U

    def masses(self, logits: Any, rounded: bool) -> tuple[Any, float, Any, Any, float, float] | None:
        """(masses, their relative error, shifted logits, normalisers, error and reach of the shifted logits)."""
        shifted = logits - logits.max(axis=1, keepdims=True)
        reach = -float(shifted.min() if self.whole else shifted[self.inside].min())
        error = U * reach + (2 * U * float(np.abs(logits[self.inside]).max()) if rounded else 0.0)
        weights = np.exp(shifted)
        least = weights.min() if self.whole else weights[self.inside].min()
        if not (error < LARGEST and least > SMALLEST):
            return None
        total = weights.sum(axis=1, keepdims=True)
        relative = 2 * (error + TRUSTED) + self.sum_error + U
        return weights / total, relative, shifted, total, error, reach

    def at(self, logits: Any, rounded: bool = False) -> Certified | None:
        """F_t and its gradient at logits (a float64 array, padded with -inf); None where a comparison is not decided.

        ``rounded`` says that the logits are rounded from others.
        """
        found = self.masses(logits, rounded) if self.decided else None
        if found is None:
            return None
        masses, error, shifted, total, shift_error, reach = found
        ratio = masses * self.inverse
        ratio_error = error + self.old_error + U
        gap = ratio - self.bound
        if (self.drawn & (np.abs(gap) <= SLACK * ((ratio_error + U) * ratio + 2 * U * self.bound))).any():
            return None
        active = self.drawn & (gap * self.sign < 0)
        terms = np.where(active, self.weight * ratio, self.clipped)
        own = np.abs(terms).sum()
        objective = terms.sum(axis=1).sum()
        objective_error = own * (ratio_error + 6 * U + self.sum_error + self.prompts * U)
        slopes = np.where(active, self.lift, 0.0)
        slope_error = np.abs(slopes) * (self.old_error + 6 * U)
        scale = own
        if self.beta:
            totals = np.log(total)
            logs = shifted - totals - self.logs
            if not self.whole:
                logs = np.where(self.inside, logs, 0.0)
            longest = float(np.abs(totals).max())
            log_error = shift_error + error + TRUSTED * longest + 3 * U * (longest + self.longest_log + reach)
            pulls = masses * logs
            pulled = np.abs(pulls).sum()
            objective = objective - self.beta * pulls.sum(axis=1).sum()
            spread = self.prompts * log_error * (1 + error)
            spread = spread + pulled * (error + 3 * U + self.sum_error + self.prompts * U)
            objective_error = objective_error + self.beta * spread + U * (own + self.beta * pulled)
            scale = own + self.beta * pulled
            slopes = slopes - self.beta * logs
            slope_error = slope_error + self.beta * (log_error + 4 * U * np.abs(logs)) + U * np.abs(slopes)
        means = (masses * slopes).sum(axis=1, keepdims=True)
        heights = (masses * np.abs(slopes)).sum(axis=1, keepdims=True)
        mean_error = (masses * slope_error).sum(axis=1, keepdims=True) + (error + U + self.sum_error) * heights
        away = slopes - means
        gradient = masses * away / self.prompts
        gradient_error = masses * (slope_error + mean_error + (error + 4 * U) * np.abs(away)) / self.prompts
        if self.beta or self.drawn.any():
            moved = self.beta or active.any()
            if not (objective_error > SMALLEST and (gradient_error.max() > SMALLEST or not moved)):
                return None
        share = SLACK / self.prompts
        return Certified(
            float(objective) / self.prompts,
            share * float(objective_error) + 2 * U * float(scale) / self.prompts,
            gradient,
            SLACK * float(gradient_error.max()),
            float(scale) / self.prompts,
            float(np.abs(gradient).max()),
            "float64",
        )
