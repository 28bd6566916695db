"""Laws of growth: least squares in exact numbers, and slopes in logarithms."""

from collections.abc import Sequence
from fractions import Fraction
from math import log

Points = Sequence[tuple[int, Fraction]]


def affine_fit(points: Points) -> tuple[Fraction, Fraction]:
    """The slope and the intercept of the line of least squares, exactly.

    >>> affine_fit([(1, Fraction(3)), (2, Fraction(5)), (3, Fraction(7))])
    (Fraction(2, 1), Fraction(1, 1))
    """
    zero, count = Fraction(0), len(points)
    across, upward = Fraction(sum(x for x, _ in points), count), sum((y for _, y in points), start=zero) / count
    together = sum(((x - across) * (y - upward) for x, y in points), start=zero)
    slope = together / sum(((x - across) ** 2 for x, _ in points), start=zero)
    return slope, upward - slope * across


def log_log_slope(points: Points) -> float:
    """The exponent of the power law of least squares: the slope of log y over log x."""
    logs = [(log(x), log(y.numerator) - log(y.denominator)) for x, y in points]
    across, upward = (sum(column) / len(logs) for column in zip(*logs, strict=True))
    together = sum((x - across) * (y - upward) for x, y in logs)
    return float(together / sum((x - across) ** 2 for x, _ in logs))
