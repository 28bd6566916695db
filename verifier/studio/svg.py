"""Drawings as SVG: coordinates, lines and labels; colours and dark mode are the page's, by class."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

WIDTH = 400
"""Units of width of every picture; text of 14 units stays readable on a page 390 pixels wide."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Plane:
    """A window of coordinates onto a box of the picture: left, top, right, bottom."""

    across: tuple[float, float]
    upward: tuple[float, float]
    box: tuple[float, float, float, float]

    def x(self, value: float) -> float:
        """The place of a horizontal coordinate."""
        low, high = self.across
        return self.box[0] + (value - low) / (high - low) * (self.box[2] - self.box[0])

    def y(self, value: float) -> float:
        """The place of a vertical coordinate, larger values higher up; what is beyond the box is held at its edge."""
        low, high = self.upward
        share = min(1.05, max(-0.05, (value - low) / (high - low)))
        return self.box[3] - share * (self.box[3] - self.box[1])

    def at(self, point: Point) -> Point:
        """The place of a point."""
        return self.x(point[0]), self.y(point[1])


def picture(height: float, title: str, parts: Iterable[str], name: str) -> str:
    """A whole picture; ``title`` says in words what it shows, to those who do not see it."""
    return (
        f'<svg class="picture {name}" viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(title)}" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def line(start: Point, end: Point, kind: str) -> str:
    """A straight line."""
    return (
        f'<line class="{kind}" x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"/>'
    )


def path(points: Sequence[Point], kind: str, closed: bool = False) -> str:
    """A line through points."""
    if not points:
        return ""
    steps = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path class="{kind}" d="M{steps}{"Z" if closed else ""}"/>'


def rectangle(left: float, top: float, right: float, bottom: float, kind: str) -> str:
    """A filled rectangle."""
    width, height = max(0.0, right - left), max(0.0, bottom - top)
    return f'<rect class="{kind}" x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def label(place: Point, text: str, kind: str = "", anchor: str = "middle") -> str:
    """A text."""
    x, y = place
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def dot(place: Point, kind: str, radius: float = 4.5, data: str = "", title: str = "") -> str:
    """A point, with a word that a pointer resting on it shows."""
    shown = f"<title>{escape(title)}</title>" if title else ""
    x, y = place
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"{data}>{shown}</circle>'


def cross(place: Point, kind: str, data: str = "", size: float = 5) -> str:
    """A cross: a place that was not taken."""
    x, y = place
    strokes = f"M{x - size:.1f} {y - size:.1f}L{x + size:.1f} {y + size:.1f}M{x - size:.1f} {y + size:.1f}"
    return f'<path class="{kind}" d="{strokes}L{x + size:.1f} {y - size:.1f}"{data}/>'


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Round numbers from low to high, about so many."""
    step = (high - low) / about
    size = 10.0 ** floor(log10(step))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= step * 0.999)
    first = ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, floor(high / step + 1e-9) + 1)]


def tick_text(value: float) -> str:
    """A round number as text, with a proper minus sign."""
    return f"{value:.6g}".replace("-", "−")


def spread(values: Iterable[float], room: float = 0.08) -> tuple[float, float]:
    """The range of values with some room around it; never empty."""
    known = list(values) or [0.0]
    low, high = min(known), max(known)
    size = high - low
    if size < 1e-12 * max(1.0, abs(high)):
        size = max(abs(high), 1.0) * 0.2
    return low - room * size, high + room * size


def shortened(text: str, most: int) -> str:
    """A label cut to a number of characters."""
    return text if len(text) <= most else text[: most - 1] + "…"
