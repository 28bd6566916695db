"""The arithmetic that is supplied: field operations and order come with the scalar, the rest from here.

core is written once over this protocol; the same lines run on rationals with square roots, on certified enclosures,
on mpmath numbers and, symbolically, on CrossHair's exact reals.
Seed [000], "scalar arithmetic, square roots, logarithms and comparisons are supplied terminating exact operations".
"""

from fractions import Fraction
from typing import Any, Protocol, TypeAlias

# An exact or certified real number with + - * / and comparisons. Which class it is depends on the arithmetic;
# a fractions.Fraction is a Scalar of every exact and enclosure arithmetic. A float never is.
Scalar: TypeAlias = Any


class Arithmetic(Protocol):
    """What core asks of a number system. Each call terminates with the exact answer or raises."""

    name: str
    """``exact``, ``enclosure`` or ``mp``."""

    def number(self, value: Fraction) -> Scalar:
        """The scalar equal to a rational."""
        ...

    def sqrt(self, value: Scalar) -> Scalar:
        """The nonnegative square root of a nonnegative scalar."""
        ...

    def log(self, value: Scalar) -> Scalar:
        """The natural logarithm of a positive scalar, in nats."""
        ...

    def exp(self, value: Scalar) -> Scalar:
        """The exponential."""
        ...

    def less(self, left: Scalar, right: Scalar) -> bool:
        """Whether left < right; decided, or UndecidedComparison is raised."""
        ...

    def equal(self, left: Scalar, right: Scalar) -> bool:
        """Whether left = right; decided, or UndecidedComparison is raised."""
        ...

    def minimum(self, left: Scalar, right: Scalar) -> Scalar:
        """The smaller of two scalars."""
        ...

    def maximum(self, left: Scalar, right: Scalar) -> Scalar:
        """The larger of two scalars."""
        ...

    def settle(self, value: Scalar) -> Scalar:
        """The same number, kept small enough to go on with (called on every applied parameter)."""
        ...
