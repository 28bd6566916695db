"""Which method answers: the float64 filter where its bound is good enough, balls with more and more bits elsewhere."""

from math import ceil
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
        self.size = max(map(len, batch.reference))
        self.filter = Filter(batch)
        self.balls: dict[int, Balls] = {}

    def at(self, theta: Any, digits: int = 12) -> Certified | CertifiedBalls:
        """F_t and its gradient at theta, the logits of each prompt: to 10^-digits of the sum of the absolute terms of
        F_t and of the largest entry of the gradient.

        theta is an M x n float64 array (exact, as floats are), or one sequence of exact numbers for each prompt. Raises
        UndecidedComparison where no precision decides on which side of its bound a ratio is, or reaches the digits;
        InvalidProblem for a number of digits that there is none of.
        """
        if not 1 <= digits <= MOST_BITS // 8:
            raise InvalidProblem("digits", digits, f"a number from 1 to {MOST_BITS // 8}")
        if digits <= MOST_FILTERED:
            whole = isinstance(theta, np.ndarray)
            array = theta if whole else filled([list(map(float, row)) for row in theta], self.size, -np.inf)
            found = self.filter.at(array, rounded=not whole)
            if found is not None and found.reaches(digits):
                return found
        listed = theta.tolist() if isinstance(theta, np.ndarray) else theta
        rows = [row[: len(own)] for row, own in zip(listed, self.batch.reference, strict=True)]
        bits = ceil(digits * 3.3220) + SPARE_BITS
        while bits <= MOST_BITS:
            if bits not in self.balls:
                self.balls[bits] = Balls(self.batch, bits)
            exact = self.balls[bits].at(rows)
            if exact is not None and exact.reaches(digits):
                return exact
            bits *= 2
        told = ("a ball that holds the second", "itself")
        raise UndecidedComparison("a ratio, or the size of the gradient", "its bound, or 0", told, MOST_BITS)
