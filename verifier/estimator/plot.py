"""A plot of an estimator against the group size, as a chart whose values are on a scale of powers of ten."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log10
from typing import Any

from grpocheck.core.arithmetic import Surd, enclose
from grpocheck.verifier.charts import Line, chart

DASHED = "total variance"
"""The quantity whose lines are dashed."""


@dataclass(frozen=True)
class Series:
    """One line: values by group size, of one variant."""

    variant: str
    quantity: str
    points: tuple[tuple[int, float], ...]


def approximate(value: Any) -> float:
    """A number as a float, for drawing only."""
    if isinstance(value, int | Fraction):
        return float(value)
    if isinstance(value, Surd) or hasattr(value, "terms"):
        return float(enclose(value, 12)[0])
    return float(value)


def svg(series: Sequence[Series], title: str) -> str:
    """The plot: the group size to the right, values upward on a scale of powers of ten; a value of 0 is at the foot."""
    sizes = sorted({size for line in series for size, _ in line.points})
    positive = [value for line in series for _, value in line.points if value > 0] or [1.0]
    low, high = floor(log10(min(positive))), ceil(log10(max(positive)))
    variants = list(dict.fromkeys(line.variant for line in series))
    lines = [
        Line(
            f"{line.variant}: {line.quantity}",
            [(size, log10(value) if value > 0 else low) for size, value in line.points],
            variants.index(line.variant),
            line.quantity == DASHED,
        )
        for line in series
    ]
    rights = {float(size): str(size) for size in (sizes if len(sizes) > 1 else (*sizes, sizes[0] + 1))}
    ups = {float(power): f"1e{power}" for power in range(low, max(high, low + 1) + 1)}
    return chart(title, "group size G", "", lines, rights, ups)
