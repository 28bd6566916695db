"""Formulas in floating point, to see quickly which of many cannot have a value; exact numbers prove the others."""

import math
from fractions import Fraction
from typing import Any

from grpocheck.verifier.disputes.numbers import OPERATIONS, Dual, Reals, approximate, compared, ieee, value_of

NEAR = 1e-12
"""Two floats so near, in proportion, may be one number."""


class Floats(Reals):
    """Numbers as floats; the comparisons of the exact system hold but for numbers that are nearly the same."""

    def number(self, value: Any) -> Any:
        """A number as a float; a whole one, which may be an index, and what is missing or has derivatives as it is."""
        if value is None or isinstance(value, Dual) or (isinstance(value, Fraction) and value.denominator == 1):
            return value
        return approximate(value)

    def equal(self, a: Any, b: Any) -> bool:
        """Whether two numbers are nearly the same."""
        left, right = approximate(compared(a)), approximate(compared(b))
        return left == right or abs(left - right) <= NEAR * max(abs(left), abs(right))

    def less(self, a: Any, b: Any) -> bool:
        """Whether a < b, and not nearly equal."""
        return approximate(compared(a)) < approximate(compared(b)) and not self.equal(a, b)

    def combined(self, sign: str, a: Any, b: Any) -> Any:
        """An operation of two floats; infinities and what is not a number as IEEE 754 has them.

        A sum, a difference and a product of whole numbers stay whole: -1 is an index.
        """
        value_of(a), value_of(b)
        if a is None or b is None:
            return None
        if isinstance(a, Dual) or isinstance(b, Dual):
            return self.dual(sign, a, b)
        if isinstance(a, Fraction) and isinstance(b, Fraction) and sign in ("+", "-", "*"):
            return OPERATIONS[sign](a, b)
        x, y = approximate(a), approximate(b)
        try:
            if sign == "/":
                return ieee("/", x, y)
            if sign == "**":
                return x**y if x > 0 or y == int(y) else math.nan
        except (OverflowError, ZeroDivisionError):
            return math.inf
        return x + y if sign == "+" else x - y if sign == "-" else x * y

    def function(self, name: str, a: Any) -> Any:
        """log, exp or sqrt of a float."""
        if value_of(a) is None or isinstance(a, Dual):
            return super().function(name, a)
        x = approximate(a)
        if math.isnan(x) or (x < 0 and name != "exp"):
            return math.nan
        if name == "log":
            return -math.inf if x == 0 else math.log(x)
        try:
            return math.exp(x) if name == "exp" else math.sqrt(x)
        except OverflowError:
            return math.inf
