"""A plot of a lesson as a chart, with round numbers on its axes."""

from math import floor, log10

from grpocheck.verifier.charts import Line, chart
from grpocheck.verifier.lessons.blocks import Plot

TICKS = 5


def ticks(low: float, high: float) -> list[float]:
    """Round numbers, about TICKS of them, that span an interval."""
    span = high - low or abs(high) or 1.0
    power = 10.0 ** floor(log10(span / TICKS))
    step = next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= TICKS)
    first = floor(low / step + 1e-9)
    found = [first * step]
    while found[-1] < high - 1e-9 * span:
        found.append((first + len(found)) * step)
    return [round(value, 12) for value in found] if len(found) > 1 else [found[0], found[0] + step]


def svg(plot: Plot) -> str:
    """The plot with its axes, its lines and a legend."""
    rights, ups = (
        {value: f"{value:g}" for value in ticks(min(values), max(values))}
        for values in zip(*(point for line in plot.series for point in line.points), strict=True)
    )
    lines = [Line(series.label, series.points, place, series.dashed) for place, series in enumerate(plot.series)]
    return chart(plot.title, plot.across, plot.upward, lines, rights, ups)
