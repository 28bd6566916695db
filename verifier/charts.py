"""Charts of lines as SVG files, written by hand: nothing has to be installed for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, MARGIN = 720, 420, 64
COLOURS = ("#1f5fa8", "#b5532a", "#3a7d44", "#7a4b9a", "#555555")


@dataclass(frozen=True)
class Line:
    """A line of a chart through points of its axes; lines of one ``colour`` (a number from 0) belong together."""

    label: str
    points: Sequence[tuple[float, float]]
    colour: int
    dashed: bool = False


def chart(
    title: str, across: str, upward: str, lines: Sequence[Line], rights: Mapping[float, str], ups: Mapping[float, str]
) -> str:
    """The chart with its axes, its lines and a legend; ``rights`` and ``ups`` are the ticks of the axes, in order.

    The axes reach from their first tick to their last; there are two of each at least.
    """
    (left, *_, right), (low, *_, high) = rights, ups

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return (
            MARGIN + (point[0] - left) / (right - left) * (WIDTH - 2 * MARGIN),
            HEIGHT - MARGIN - (point[1] - low) / (high - low) * (HEIGHT - 2 * MARGIN),
        )

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="12" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{MARGIN}" y="24" font-size="14">{escape(title)}</text>',
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 16}" text-anchor="middle">{escape(across)}</text>',
        f'<text x="8" y="{MARGIN - 16}">{escape(upward)}</text>',
    ]
    for value, text in ups.items():
        y = place((left, value))[1]
        parts.append(f'<line x1="{MARGIN}" y1="{y:.1f}" x2="{WIDTH - MARGIN}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{MARGIN - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    for value, text in rights.items():
        x = place((value, low))[0]
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{text}</text>')
    for number, line in enumerate(lines):
        colour = COLOURS[line.colour % len(COLOURS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, line.points))
        dash = ' stroke-dasharray="7 4"' if line.dashed else ""
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        beside, under = WIDTH - MARGIN - 220, HEIGHT - MARGIN - 16 - 16 * (len(lines) - 1 - number)
        stroke = f'stroke="{colour}" stroke-width="2"{dash}'
        parts.append(f'<line x1="{beside}" y1="{under}" x2="{beside + 28}" y2="{under}" {stroke}/>')
        parts.append(f'<text x="{beside + 34}" y="{under + 4}">{escape(line.label)}</text>')
    return "\n".join([*parts, "</svg>", ""])
