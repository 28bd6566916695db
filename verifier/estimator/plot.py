"""A plot of an estimator against the group size, as an SVG file written by hand: nothing has to be installed for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from math import ceil, floor, log10
from typing import Any

from grpocheck.core.arithmetic import Surd, enclose

WIDTH, HEIGHT, MARGIN = 720, 420, 64
COLOURS = ("#1f5fa8", "#b5532a")
DASHES = {"squared bias": "", "total variance": "7 4"}


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
    high = max(high, low + 1)

    def across(size: int) -> float:
        span = max(1, sizes[-1] - sizes[0])
        return MARGIN + (size - sizes[0]) / span * (WIDTH - 2 * MARGIN)

    def upward(value: float) -> float:
        share = (log10(value) - low) / (high - low) if value > 0 else 0
        return HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{MARGIN}" y="24" font-size="14">{escape(title)}</text>',
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 16}" text-anchor="middle">group size G</text>',
    ]
    for power in range(low, high + 1):
        y = upward(10.0**power)
        parts.append(f'<line x1="{MARGIN}" y1="{y:.1f}" x2="{WIDTH - MARGIN}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{MARGIN - 8}" y="{y + 4:.1f}" text-anchor="end">1e{power}</text>')
    for size in sizes:
        x = across(size)
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{size}</text>')
    variants = list(dict.fromkeys(line.variant for line in series))
    for place, line in enumerate(series):
        colour = COLOURS[variants.index(line.variant) % len(COLOURS)]
        path = " ".join(f"{across(size):.1f},{upward(value):.1f}" for size, value in line.points)
        dash = f' stroke-dasharray="{DASHES[line.quantity]}"' if DASHES[line.quantity] else ""
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        y = 44 + 16 * place
        x = WIDTH - MARGIN - 250
        parts.append(f'<line x1="{x}" y1="{y}" x2="{x + 28}" y2="{y}" stroke="{colour}" stroke-width="2"{dash}/>')
        parts.append(f'<text x="{x + 34}" y="{y + 4}">{escape(f"{line.variant}: {line.quantity}")}</text>')
    return "\n".join([*parts, "</svg>", ""])
