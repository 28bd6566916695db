"""The arithmetic on which core is checked symbolically: fractions.Fraction, with the functions of math.

In a symbolic process the model of exact reals reads both as real: every Fraction argument stands for any real number,
and math.sqrt, math.log and math.exp for the real functions. In a replay math's functions are those of reals.py.
Elsewhere this arithmetic is of no use: math would answer with floats.
"""

import math
from fractions import Fraction

from grpocheck.core.arithmetic.supply import Scalar
from grpocheck.proofs.symbolic.reals import Real


class SymbolicArithmetic:
    """Exact reals; a minimum or maximum is one new number, so that a choice between two does not split the path."""

    name = "symbolic"

    def number(self, value: Fraction) -> Scalar:
        """The rational itself."""
        return value

    def sqrt(self, value: Scalar) -> Scalar:
        """The nonnegative square root."""
        return math.sqrt(value)

    def log(self, value: Scalar) -> Scalar:
        """The natural logarithm."""
        return math.log(value)

    def exp(self, value: Scalar) -> Scalar:
        """The exponential."""
        return math.exp(value)

    def less(self, left: Scalar, right: Scalar) -> bool:
        """Whether left < right."""
        return left < right  # type: ignore[no-any-return]

    def equal(self, left: Scalar, right: Scalar) -> bool:
        """Whether left = right."""
        return left == right  # type: ignore[no-any-return]

    def minimum(self, left: Scalar, right: Scalar) -> Scalar:
        """The smaller one."""
        return min(left, right)

    def maximum(self, left: Scalar, right: Scalar) -> Scalar:
        """The larger one."""
        return max(left, right)

    def settle(self, value: Scalar) -> Scalar:
        """The number itself."""
        return value

    def holds(self, value: object) -> bool:
        """Whether a value is a number of this arithmetic."""
        return isinstance(value, (int, Fraction, Real)) and not isinstance(value, bool)

    def text(self, value: Scalar) -> str:
        """The number as text."""
        return str(value)


class BranchingArithmetic(SymbolicArithmetic):
    """Exact reals on which a minimum or maximum is one of the two numbers, and the path splits on which.

    More paths, and shorter expressions on each: where the identity of both branches matters, as for a gradient.
    """

    def minimum(self, left: Scalar, right: Scalar) -> Scalar:
        """The smaller one."""
        return left if left <= right else right

    def maximum(self, left: Scalar, right: Scalar) -> Scalar:
        """The larger one."""
        return left if left >= right else right
