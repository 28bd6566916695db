"""Which method answers: the float64 filter where its bound is good enough, balls with more and more bits elsewhere."""

from fractions import Fraction
from math import ceil, isfinite
from typing import Any

import numpy as np
from grpocheck.core.arithmetic.errors import UndecidedComparison
from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.fast.balls import Balls, CertifiedBalls
from grpocheck.verifier.fast.batch import Batch
from grpocheck.verifier.fast.filtered import Filter, filled
from grpocheck.verifier.fast.values import Certified

MOST_FILTERED = 14
"""More digits than these are never tried in float64."""
MOST_BITS = 1 << 14
SPARE_BITS = 24


class Evaluator:
    """F_t of one outer iteration and its gradient, certified, at any theta."""

    def __init__(self, batch: Batch) -> None:
        """Keep the frozen data; each method rounds them once, when it is first used."""
        self.batch = batch
        self.sizes = [len(row) for row in batch.reference]
        self.filter = Filter(batch)
        self.balls: dict[int, Balls] = {}

    def at(self, theta: Any, digits: int = 12) -> Certified | CertifiedBalls:
        """F_t and its gradient at theta, the logits of each prompt: to 10^-digits of the sum of the absolute terms of
        F_t and of the largest entry of the gradient.

        theta is an M x n array of floats or integers of at most 64 bits, exact as they are (n is the largest support,
        and what is beyond a prompt's own is not looked at), or one sequence of exact numbers for each prompt. Raises
        UndecidedComparison where no precision decides on which side of its bound a ratio is, or reaches the digits;
        InvalidProblem for a number of digits that there is none of, and for a theta of another shape or not finite.
        """
        if not 1 <= digits <= MOST_BITS // 8:
            raise InvalidProblem("digits", digits, f"a number from 1 to {MOST_BITS // 8}")
        theta = self.read(theta)
        if digits <= MOST_FILTERED:
            found = self.filtered(theta)
            if found is not None and found.reaches(digits):
                return found
        listed = theta.tolist() if isinstance(theta, np.ndarray) else theta
        rows = [[exact(entry) for entry in row[:size]] for row, size in zip(listed, self.sizes, strict=True)]
        bits = ceil(digits * 3.3220) + SPARE_BITS
        while bits <= MOST_BITS:
            if bits not in self.balls:
                self.balls[bits] = Balls(self.batch, bits)
            enclosed = self.balls[bits].at(rows)
            if enclosed is not None and enclosed.reaches(digits):
                return enclosed
            bits *= 2
        told = ("a ball that holds the second", "itself")
        raise UndecidedComparison("a ratio, or the size of the gradient", "its bound, or 0", told, MOST_BITS)

    def filtered(self, theta: Any) -> Certified | None:
        """What the filter says; None where it decides nothing, as of logits that no float is near to."""
        if isinstance(theta, np.ndarray):
            array = theta.astype(np.float64, copy=False)
            if not self.filter.whole:
                array = np.where(self.filter.inside, array, -np.inf)
            with np.errstate(invalid="ignore"):  # of infinities and NaNs nothing is decided
                return self.filter.at(array, rounded=theta.dtype.kind != "f")
        try:
            array = filled([list(map(float, row)) for row in theta], max(self.sizes), -np.inf)
        except OverflowError:
            return None
        return self.filter.at(array, rounded=True)

    def read(self, theta: Any) -> Any:
        """An M x n array, or a list of exact numbers for each prompt; InvalidProblem for what is neither."""
        if isinstance(theta, np.ndarray):
            shape = (len(self.sizes), max(self.sizes))
            if theta.shape != shape or theta.dtype.kind not in "fiu" or theta.dtype.itemsize > 8:
                stated = f"{theta.dtype} of shape {theta.shape}"
                raise InvalidProblem("theta", stated, f"floats or integers of at most 64 bits, of shape {shape}")
            if isinstance(theta, np.ma.MaskedArray):  # whose sums leave out what is masked
                raise InvalidProblem("theta", "a masked array", "an array without a mask")
            return np.asarray(theta)
        try:
            rows = [list(row) for row in theta]
        except TypeError as error:
            raise InvalidProblem("theta", theta, "the logits of each prompt") from error
        if (found := [len(row) for row in rows]) != self.sizes:
            raise InvalidProblem("theta", found, f"the logits of each prompt, {self.sizes} of them")
        return [[exact(entry) for entry in row] for row in rows]


def exact(entry: Any) -> float | Fraction:
    """A logit as the float or the rational that it is; InvalidProblem for what is no finite number."""
    value = entry.item() if isinstance(entry, np.generic) else entry
    if isinstance(value, float) and isfinite(value):
        return value
    try:
        return Fraction(value)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise InvalidProblem("theta", entry, "finite logits") from error
