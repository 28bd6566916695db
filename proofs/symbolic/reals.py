"""Real numbers to 60 digits, for replaying a counterexample with square roots, logarithms or exponentials.

Rational numbers stay exact: only what is irrational becomes a Real. Two numbers closer than 10^-40 count as equal. That
is a judgement and not a proof, so it decides only whether a refutation is believed, never whether a claim holds.
"""

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any

import mpmath

_CONTEXT: Any = mpmath.mp.clone()
_CONTEXT.dps = 60
_CLOSE = _CONTEXT.mpf(10) ** -40


def _digits(value: Any) -> Any:
    """A number in 60 digits, or None when it is none."""
    if isinstance(value, Real):
        return value.digits
    if isinstance(value, (int, Fraction)):
        return _CONTEXT.mpf(value.numerator) / value.denominator
    return None


def _arithmetic(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: "Real", other: Any) -> Any:
        digits = _digits(other)
        return NotImplemented if digits is None else Real(operation(self.digits, digits))

    return method


def _comparison(holds: Callable[[int], bool]) -> Callable[[Any, Any], Any]:
    def method(self: "Real", other: Any) -> Any:
        digits = _digits(other)
        return NotImplemented if digits is None else holds(_sign(self.digits - digits))

    return method


def _sign(digits: Any) -> int:
    return 0 if abs(digits) <= _CLOSE else 1 if digits > 0 else -1


def _quotient(dividend: Any, divisor: Any) -> Any:
    if _sign(divisor) == 0:
        raise ZeroDivisionError("division by zero")
    return dividend / divisor


class Real:
    """An irrational number (or one that is not seen to be rational)."""

    def __init__(self, digits: Any) -> None:
        """A number of 60 digits."""
        self.digits = digits

    __add__ = _arithmetic(lambda a, b: a + b)
    __radd__ = _arithmetic(lambda a, b: b + a)
    __sub__ = _arithmetic(lambda a, b: a - b)
    __rsub__ = _arithmetic(lambda a, b: b - a)
    __mul__ = _arithmetic(lambda a, b: a * b)
    __rmul__ = _arithmetic(lambda a, b: b * a)
    __truediv__ = _arithmetic(_quotient)
    __rtruediv__ = _arithmetic(lambda a, b: _quotient(b, a))
    __pow__ = _arithmetic(lambda a, b: a**b)
    __lt__ = _comparison(lambda sign: sign < 0)
    __le__ = _comparison(lambda sign: sign <= 0)
    __gt__ = _comparison(lambda sign: sign > 0)
    __ge__ = _comparison(lambda sign: sign >= 0)
    __eq__ = _comparison(lambda sign: sign == 0)
    __ne__ = _comparison(lambda sign: sign != 0)
    __hash__ = None  # type: ignore[assignment]  # close numbers are equal, so no hash agrees with equality

    def __neg__(self) -> "Real":
        """The negative."""
        return Real(-self.digits)

    def __abs__(self) -> "Real":
        """The absolute value."""
        return Real(abs(self.digits))

    def __bool__(self) -> bool:
        """Whether it is not 0."""
        return _sign(self.digits) != 0

    def __repr__(self) -> str:
        """Twelve digits."""
        return f"{mpmath.nstr(self.digits, 12)}..."


def sqrt(value: Any) -> Any:
    """The square root, exact where it is rational; ValueError below 0, as math.sqrt."""
    if value < 0:
        raise ValueError("math domain error")
    if isinstance(value, (int, Fraction)):
        root = Fraction(isqrt(value.numerator), isqrt(value.denominator))
        if root * root == value:
            return root
    return Real(_CONTEXT.sqrt(max(_digits(value), 0)))


def log(value: Any) -> Any:
    """The natural logarithm, exact at 1; ValueError at 0 and below, as math.log."""
    if value <= 0:
        raise ValueError("math domain error")
    return Fraction(0) if value == 1 else Real(_CONTEXT.log(_digits(value)))


def exp(value: Any) -> Any:
    """The exponential, exact at 0."""
    return Fraction(1) if value == 0 else Real(_CONTEXT.exp(_digits(value)))
