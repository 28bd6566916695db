"""The arithmetic that is supplied: field operations and order come with the scalar, the rest from here.

core is written once over this protocol; the same lines run on rationals with square roots, on certified enclosures,
on mpmath numbers and, symbolically, on CrossHair's exact reals.
Seed [000], "scalar arithmetic, square roots, logarithms and comparisons are supplied terminating exact operations".
"""

from fractions import Fraction
from typing import Any, Protocol, TypeAlias

Scalar: TypeAlias = Any
"""An exact or certified real number with + - * / and comparisons.

Which class it is depends on the arithmetic; a fractions.Fraction is a Scalar of every exact and enclosure arithmetic. A
float never is.
"""


class Arithmetic(Protocol):
    """What core asks of a number system. Each call terminates with the exact answer or raises."""

    @property
    def name(self) -> str:
        """``exact``, ``enclosure`` or ``mp``; a user's own has its own."""
        ...

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

    def holds(self, value: object) -> bool:
        """Whether a value is a finite scalar of this arithmetic (an int counts, a bool or a float does not)."""
        ...

    def text(self, value: Scalar) -> "str | list[str]":
        """An exact number as a string such as "1/2 + 3/10*sqrt(2)", else [lower, upper] or a decimal string."""
        ...
