"""Numbers with a certified bound on how far a trainer's floating-point number lies from them.

A ``Bounded`` holds what a formula gives in float64 and, entry by entry, a bound on the distance to what a trainer gets
that evaluates the same formula with rounding after each operation. Each operation here carries the bounds of its
operands over and adds one rounding of its own: a running error analysis. docs/recompute.md states the model, what is
assumed of ``exp`` and ``log``, and why the order of a sum does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

EXP_ULPS = 4
"""Trusted: a trainer's exp and log are within this many units in the last place of the correct number."""

DIVISION_ULPS = 1
"""Trusted: a quotient is within this many units; correctly rounded ones are within half a unit."""

OWN_UNIT = 2.0**-53
"""Half a unit in the last place of the float64 in which the values and the bounds are computed."""

LEAST = 2.0**-1022
"""The smallest normal float64: a value that underflows below it is bounded by it."""

INFLATION = 1 + 2.0**-20
"""What the bounds are multiplied with at the end, for the roundings made in computing them."""


@dataclass(frozen=True)
class Precision:
    """A floating-point format: unit roundoff of its numbers and of its sums, smallest normal and largest number.

    Results below ``tiny`` may be flushed to 0. Sums of half-precision numbers are accumulated in float32 and rounded.
    """

    name: str
    unit: float
    sum_unit: float
    tiny: float
    largest: float


PRECISIONS = {
    entry.name: entry
    for entry in (
        Precision("float64", 2.0**-53, 2.0**-53, 2.0**-1022, float(np.finfo(np.float64).max)),
        Precision("float32", 2.0**-24, 2.0**-24, 2.0**-126, float(np.finfo(np.float32).max)),
        Precision("bfloat16", 2.0**-8, 2.0**-24, 2.0**-126, 2.0**127 * (2 - 2.0**-7)),
        Precision("float16", 2.0**-11, 2.0**-24, 2.0**-14, 65504.0),
    )
}


def gamma(count: Array | float, unit: float) -> Array:
    """gamma_n = n u / (1 - n u): n roundings in any order; infinite where n u reaches 1."""
    part = np.asarray(count, dtype=np.float64) * (unit + OWN_UNIT)
    with np.errstate(divide="ignore"):
        return np.where(part < 1, part / np.where(part < 1, 1 - part, 1.0), np.inf)


@dataclass(frozen=True)
class Bounded:
    """``value`` in float64, and ``error`` >= |a trainer's number - value|, both of one shape.

    A value that is not finite stands for what the trainer has, too; an infinite error says that nothing is known.
    """

    value: Array
    error: Array
    precision: Precision

    @staticmethod
    def exact(values: ArrayLike, precision: Precision) -> Bounded:
        """Numbers that the trainer has without an error: its inputs."""
        value = np.asarray(values, dtype=np.float64)
        return Bounded(value, np.zeros(value.shape), precision)

    @staticmethod
    def constant(value: float | Array, precision: Precision) -> Bounded:
        """A setting, which the trainer rounds to its format where that does not hold it."""
        number = np.asarray(value, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            if precision.unit <= OWN_UNIT:
                exact = np.ones(number.shape, dtype=np.bool_)
            elif precision.unit <= 2.0**-24:
                exact = number == number.astype(np.float32)
            else:  # eight significant bits fit both half-precision formats
                significand = np.frexp(number)[0] * 2**8
                exact = (significand == np.round(significand)) & ((number == 0) | (np.abs(number) >= precision.tiny))
            # below the smallest normal number the steps of a format no longer shrink
            rounding = precision.unit * np.maximum(np.abs(number), precision.tiny)
            return Bounded(number, np.where(exact, 0.0, rounding), precision)

    def _rounded(self, value: Array, error: Array, roundings: float = 1.0, exact: Any = False) -> Bounded:
        """A result with roundings of its own; where ``exact`` holds there is none."""
        precision = self.precision
        with np.errstate(invalid="ignore", over="ignore"):
            own = gamma(roundings, precision.unit) * (np.abs(value) + error) + precision.tiny
            bound = error + own if exact is False else np.where(exact, error, error + own)
        return Bounded(*_in_range(value, bound, precision), precision)

    def lift(self, other: Bounded | float) -> Bounded:
        """An operand as a ``Bounded``: plain numbers are settings."""
        return other if isinstance(other, Bounded) else Bounded.constant(other, self.precision)

    def __add__(self, other: Bounded | float) -> Bounded:
        """The sum, rounded; a sum with an exact 0 is exact, and so is one that is 0 of exact numbers."""
        right = self.lift(other)
        with np.errstate(invalid="ignore", over="ignore"):
            value, error = self.value + right.value, self.error + right.error
        return self._rounded(value, error, exact=self.is_zero | right.is_zero | ((value == 0) & (error == 0)))

    def __sub__(self, other: Bounded | float) -> Bounded:
        """The difference, rounded."""
        return self + (-self.lift(other))

    def __neg__(self) -> Bounded:
        """The negative, which is exact."""
        return Bounded(-self.value, self.error, self.precision)

    def __mul__(self, other: Bounded | float) -> Bounded:
        """The product, rounded; a product with an exact 0 or 1 is exact."""
        right = self.lift(other)
        with np.errstate(invalid="ignore", over="ignore"):
            value = self.value * right.value
            error = (
                _times(np.abs(self.value), right.error)
                + _times(np.abs(right.value), self.error)
                + _times(self.error, right.error)
            )
        exact = self.is_zero | right.is_zero | self._is_one | right._is_one
        return self._rounded(value, error, exact=exact)

    def __truediv__(self, other: Bounded | float) -> Bounded:
        """The quotient, within ``DIVISION_ULPS`` units; unknown where the divisor may be 0."""
        right = self.lift(other)
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            value = self.value / right.value
            least = np.abs(right.value) - right.error
            unknown = (right.error > 0) & ~(least > 0)
            value = np.where(unknown & np.isfinite(self.value) & ~np.isfinite(value), 0.0, value)
            spread = self.error + _times(np.abs(value), right.error)
            error = np.where(unknown, np.inf, np.where(spread == 0, 0.0, spread / least))
        return self._rounded(value, error, 2 * DIVISION_ULPS, exact=self.is_zero | right._is_one)

    @property
    def is_zero(self) -> NDArray[np.bool_]:
        """Where the trainer has exactly 0."""
        zero: NDArray[np.bool_] = (self.value == 0) & (self.error == 0)
        return zero

    @property
    def _is_one(self) -> NDArray[np.bool_]:
        one: NDArray[np.bool_] = (np.abs(self.value) == 1) & (self.error == 0)
        return one

    @property
    def lower(self) -> Array:
        """The least that the trainer's number can be."""
        return np.asarray(self.value - self.error)

    @property
    def upper(self) -> Array:
        """The greatest that the trainer's number can be."""
        return np.asarray(self.value + self.error)

    def exp(self) -> Bounded:
        """The exponential, within ``EXP_ULPS`` units."""
        with np.errstate(over="ignore", invalid="ignore"):
            value = np.exp(self.value)
            error = np.where(self.error == 0, 0.0, np.maximum(value, LEAST) * np.expm1(self.error))
            if np.any(np.isinf(value)):  # which of them need not overflow
                unknown = np.isinf(value) & (self.error > 0) & (np.exp(self.lower) <= self.precision.largest)
                value = np.where(unknown, self.precision.largest, value)
        one = (self.value == 0) & (self.error == 0)
        return self._rounded(value, error, 2 * EXP_ULPS, exact=one)

    def log(self) -> Bounded:
        """The logarithm, within ``EXP_ULPS`` units; unknown where the argument may be 0 and need not be."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            value = np.log(self.value)
            unknown = (self.error > 0) & (np.abs(self.value) <= self.error)
            value = np.where(unknown & ~np.isfinite(value), 0.0, value)
            relative = np.where(self.error == 0, 0.0, self.error / self.value)
            error = np.where(unknown, np.inf, -np.log1p(-np.minimum(relative, 1.0)))
        return self._rounded(value, error, 2 * EXP_ULPS)

    def sigmoid(self) -> Bounded:
        """1 / (1 + exp(-x)) as exp, sum and quotient; its slope is at most 1/4 and at most itself."""
        with np.errstate(over="ignore", invalid="ignore"):
            value = np.where(
                self.value >= 0,
                1 / (1 + np.exp(-np.abs(self.value))),
                np.exp(-np.abs(self.value)) / (1 + np.exp(-np.abs(self.value))),
            )
            value = np.where(np.isnan(self.value), np.nan, value)
            growth = np.maximum(value, LEAST) * np.expm1(self.error)
            error = np.minimum(np.minimum(self.error / 4, growth), 1.0)
        return self._rounded(value, error, 2 * EXP_ULPS + 2 * DIVISION_ULPS + 1)

    def clamp(self, lower: float | None = None, upper: float | None = None) -> Bounded:
        """The number held between settings."""
        low = Bounded.constant(-np.inf if lower is None else lower, self.precision)
        high = Bounded.constant(np.inf if upper is None else upper, self.precision)
        return self.between(low, high)

    def between(self, low: Bounded, high: Bounded) -> Bounded:
        """min(max(x, low), high), with the bound of what holds the number where that is decided."""
        value = np.minimum(np.maximum(self.value, low.value), high.value)
        own = np.broadcast_to(self.error, value.shape)
        with np.errstate(invalid="ignore"):
            far_below = self.upper < low.lower
            far_above = self.lower > high.upper
            at_low = self.lower <= low.upper
            at_high = self.upper >= high.lower
        error = own + np.where(at_low, low.error, 0.0) + np.where(at_high, high.error, 0.0)
        error = np.where(far_below, low.error, np.where(far_above, high.error, error))
        return Bounded(value, error, self.precision)

    def sum(self, axis: int | None = None, keepdims: bool = False) -> Bounded:
        """The sum in any order: gamma of the number of terms that are not exactly 0, times the sum of their sizes."""
        precision = self.precision
        over: dict[str, Any] = {"axis": axis, "keepdims": keepdims}  # numpy 2.5 has no type for a bool
        with np.errstate(invalid="ignore", over="ignore"):
            value = np.sum(self.value, **over)
            size = np.sum(np.abs(self.value) + self.error, **over)
            count = np.sum(~self.is_zero, **over)
            roundings = np.maximum(count - 1.0, 0.0)
            error = np.sum(self.error, **over)
            error = error + np.where(roundings > 0, gamma(roundings, precision.sum_unit) * size, 0.0)
        if precision.sum_unit != precision.unit:  # accumulated in float32, then rounded
            with np.errstate(invalid="ignore"):
                error = error + precision.unit * (np.abs(value) + error)
        return Bounded(*_in_range(np.asarray(value), np.asarray(error), precision), precision)

    def masked(self, mask: Array) -> Bounded:
        """The product with a mask of zeros and ones: 0 where it is 0, and NaN where 0 times an infinity stood."""
        with np.errstate(invalid="ignore"):
            value = self.value * mask
        left_out = (mask == 0) & np.isfinite(self.error)
        return Bounded(value, np.where(left_out, 0.0, np.broadcast_to(self.error, value.shape)), self.precision)

    def rounded_again(self, times: int) -> Bounded:
        """The same number after further roundings: products and quotients that a trainer orders otherwise."""
        return self._rounded(self.value, self.error, times, exact=self.is_zero)


def _times(size: Array, error: Array) -> Array:
    """A product in which a bound of 0 wins over an infinite size."""
    with np.errstate(invalid="ignore", over="ignore"):
        product = size * error
        if np.isfinite(np.max(product, initial=0.0)):  # a NaN or an infinity anywhere would show
            return product
        return np.where((error == 0) | (size == 0), 0.0, product)


def _in_range(value: Array, error: Array, precision: Precision) -> tuple[Array, Array]:
    """What overflows in the trainer's format is infinite there; what may overflow has an unknown error."""
    with np.errstate(invalid="ignore", over="ignore"):
        if np.max(np.abs(value) + error, initial=0.0) <= precision.largest:  # which no NaN is
            return value, error
        error = np.where(np.isfinite(value), error, 0.0)
        size = np.abs(value)
        over = size - error > precision.largest
        value = np.where(over, np.copysign(np.inf, value), value)
        maybe = ~over & (size + error > precision.largest)
    error = np.where(maybe, np.inf, np.where(np.isfinite(value), error, 0.0))
    return value, error
