"""A plot of a lesson as SVG, written by hand: nothing has to be installed for it."""

from collections.abc import Sequence
from html import escape
from math import floor, log10

from grpocheck.verifier.lessons.blocks import Plot

WIDTH, HEIGHT, MARGIN = 720, 420, 64
COLOURS = ("#1f5fa8", "#b5532a", "#3a7d44", "#7a4b9a", "#555555")
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
    rights = ticks(*extremes([x for line in plot.series for x, _ in line.points]))
    ups = ticks(*extremes([y for line in plot.series for _, y in line.points]))

    def across(value: float) -> float:
        return MARGIN + (value - rights[0]) / (rights[-1] - rights[0]) * (WIDTH - 2 * MARGIN)

    def upward(value: float) -> float:
        return HEIGHT - MARGIN - (value - ups[0]) / (ups[-1] - ups[0]) * (HEIGHT - 2 * MARGIN)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="12" role="img">',
        f"<title>{escape(plot.title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{MARGIN}" y="24" font-size="14">{escape(plot.title)}</text>',
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 16}" text-anchor="middle">{escape(plot.across)}</text>',
        f'<text x="8" y="{MARGIN - 16}">{escape(plot.upward)}</text>',
    ]
    for value in ups:
        y = upward(value)
        parts.append(f'<line x1="{MARGIN}" y1="{y:.1f}" x2="{WIDTH - MARGIN}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{MARGIN - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
    for value in rights:
        parts.append(f'<text x="{across(value):.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{value:g}</text>')
    for place, line in enumerate(plot.series):
        colour = COLOURS[place % len(COLOURS)]
        path = " ".join(f"{across(x):.1f},{upward(y):.1f}" for x, y in line.points)
        dash = ' stroke-dasharray="7 4"' if line.dashed else ""
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        x, y = WIDTH - MARGIN - 220, HEIGHT - MARGIN - 16 - 16 * (len(plot.series) - 1 - place)
        parts.append(f'<line x1="{x}" y1="{y}" x2="{x + 28}" y2="{y}" stroke="{colour}" stroke-width="2"{dash}/>')
        parts.append(f'<text x="{x + 34}" y="{y + 4}">{escape(line.label)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def extremes(values: Sequence[float]) -> tuple[float, float]:
    """The least and the greatest."""
    return min(values), max(values)
