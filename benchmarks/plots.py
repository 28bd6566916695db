"""Growths as one SVG of small log-log plots: the points that were measured, and the line of the fitted exponent."""

from html import escape
from math import exp, log
from statistics import fmean
from typing import Any

WIDTH, HEIGHT, MARGIN, COLUMNS = 260, 190, 42, 3
STYLE = (
    "text{font:11px sans-serif;fill:#333} .name{font-weight:bold} .frame{fill:none;stroke:#bbb} "
    ".fit{stroke:#c60;stroke-width:1.5} .point{fill:#06c}"
)


def plot(entry: dict[str, Any], left: float, top: float) -> list[str]:
    """One growth in a frame whose axes are logarithmic."""
    points = entry["points"]
    xs, ys = [log(x) for x, _ in points], [log(y) for _, y in points]
    middle, level, exponent = fmean(xs), fmean(ys), entry["exponent"]
    fitted = [level + exponent * (x - middle) for x in (xs[0], xs[-1])]
    low, high = min(*ys, *fitted), max(*ys, *fitted)
    low, high = (low, high) if high - low > log(2) else (low - log(2), high + log(2))
    wide, tall = WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN

    def place(x: float, y: float) -> tuple[float, float]:
        across, up = (x - xs[0]) / (xs[-1] - xs[0]), (y - low) / (high - low)
        return left + MARGIN + across * wide, top + HEIGHT - MARGIN - up * tall

    (x1, y1), (x2, y2) = place(xs[0], fitted[0]), place(xs[-1], fitted[1])
    factor, unit = (1e3, "ms") if entry["unit"] == "s" else (1 / 1024, "KiB")
    name = entry["name"] if len(entry["name"]) < 38 else entry["name"][:36] + "..."
    fit = f"exponent {exponent:.2f} in {escape(entry['variable'][:34])}"
    lines = [
        f'<text class="name" x="{left + 8:.0f}" y="{top + 16:.0f}">{escape(name)}</text>',
        f'<text x="{left + 8:.0f}" y="{top + 31:.0f}">{fit}</text>',
        f'<rect class="frame" x="{left + MARGIN}" y="{top + MARGIN}" width="{wide}" height="{tall}"/>',
        f'<line class="fit" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>',
    ]
    for x, y in zip(xs, ys, strict=True):
        cx, cy = place(x, y)
        lines.append(f'<circle class="point" cx="{cx:.1f}" cy="{cy:.1f}" r="3"/>')
        lines.append(f'<text x="{cx - 6:.1f}" y="{top + HEIGHT - MARGIN + 14:.0f}">{exp(x):.0f}</text>')
    for y in (low, high):
        _, cy = place(xs[0], y)
        lines.append(f'<text x="{left + 2:.0f}" y="{cy + 4:.1f}">{exp(y) * factor:.2g}</text>')
    lines.append(f'<text x="{left + 2:.0f}" y="{top + HEIGHT - 12:.0f}">{unit}</text>')
    return lines


def svg(growths: list[dict[str, Any]]) -> str:
    """All growths, three in a row."""
    rows = -(-len(growths) // COLUMNS)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{COLUMNS * WIDTH}" height="{rows * HEIGHT}" '
        f'viewBox="0 0 {COLUMNS * WIDTH} {rows * HEIGHT}">',
        f"<style>{STYLE}</style>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, entry in enumerate(growths):
        lines += plot(entry, number % COLUMNS * WIDTH, number // COLUMNS * HEIGHT)
    return "\n".join([*lines, "</svg>"]) + "\n"
