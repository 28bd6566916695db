"""F_t over two parameters: contours by marching squares, on the plane or on the triangle of three masses."""

from collections.abc import Callable, Sequence
from math import sqrt

from grpocheck.verifier.studio import svg
from grpocheck.verifier.studio.landscape import Landscape, moved

CELLS = 26
LEVELS = 9
TOP, SIDE = 22.0, 330.0
"""Where a drawing begins, and how wide it is."""

Grid = list[list[float | None]]
Map = Callable[[float, float], svg.Point]


def contour_picture(land: Landscape, triangle: bool) -> str:
    """Contours of F_t, where ratios reach their bounds, the edge of U and the steps."""
    window = ((0.0, 1.0), (0.0, 1.0)) if triangle else window_of(land)
    (left, right), (low, high) = window
    inset = SIDE * 0.5 * sqrt(3) if triangle else SIDE * 0.86

    def to_picture(x: float, y: float) -> svg.Point:
        u, v = (x - left) / (right - left), (y - low) / (high - low)
        if triangle:  # u, v and 1 - u - v are the masses: the last response is at the left, the first at the top
            return 35 + SIDE * (v + u / 2), TOP + inset * (1 - u)
        return 52 + SIDE * u, TOP + inset * (1 - v)

    xs = [left + (right - left) * (i + 0.5) / CELLS for i in range(CELLS)]
    ys = [low + (high - low) * (j + 0.5) / CELLS for j in range(CELLS)]
    inside = [[land.inside((x, y)) for x in xs] for y in ys]
    heights: Grid = [
        [land.value((x, y)) if known else None for x, known in zip(xs, row, strict=True)]
        for y, row in zip(ys, inside, strict=True)
    ]
    known = [height for row in heights for height in row if height is not None]
    parts = shape(to_picture, window, triangle)
    bottom, top = svg.spread(known, 0.0)
    for level in range(1, LEVELS + 1):
        value = bottom + (top - bottom) * level / (LEVELS + 1)
        kind = f"contour level-{level}"
        parts += [svg.path([to_picture(*a), to_picture(*b)], kind) for a, b in level_lines(heights, xs, ys, value)]
    for curve in land.curves:
        beyond: Grid = [
            [land.beyond(curve, (x, y)) if ok else None for x, ok in zip(xs, row, strict=True)]
            for y, row in zip(ys, inside, strict=True)
        ]
        for a, b in level_lines(beyond, xs, ys, 0.0):
            parts.append(svg.path([to_picture(*a), to_picture(*b)], "kink-line"))
    parts += axes(land, to_picture, window, triangle, inset)
    parts += way(land, to_picture)
    told = f"Contours of the objective over two parameters; {len(land.way) - 1} steps taken"
    return svg.picture(TOP + inset + 48, told, parts, "objective")


def window_of(land: Landscape) -> tuple[tuple[float, float], tuple[float, float]]:
    """U where it is bounded, else a square around the steps."""
    origin = land.way[0]
    places = [*land.way, *([] if land.refused is None else [land.refused])]
    size = max(1.0, *(2 * abs(a - b) for place in places for a, b in zip(place, origin, strict=True)))
    window = []
    for axis in range(2):
        unit = [1.0 if i == axis else 0.0 for i in range(2)]
        down, up = (land.edge(origin, moved([0.0, 0.0], unit, sign)) for sign in (-1.0, 1.0))
        low = origin[axis] - (size if down is None else down)
        high = origin[axis] + (size if up is None else up)
        window.append((low, high))
    return window[0], window[1]


def level_lines(
    heights: Grid, xs: Sequence[float], ys: Sequence[float], level: float
) -> list[tuple[svg.Point, svg.Point]]:
    """The pieces of one contour, cell by cell; a cell with a corner outside U has none."""
    pieces = []
    for j in range(len(ys) - 1):
        for i in range(len(xs) - 1):
            corners = [(xs[i], ys[j]), (xs[i + 1], ys[j]), (xs[i + 1], ys[j + 1]), (xs[i], ys[j + 1])]
            values = [heights[j][i], heights[j][i + 1], heights[j + 1][i + 1], heights[j + 1][i]]
            known = [value for value in values if value is not None]
            if len(known) < 4:
                continue
            crossings = []
            for one in range(4):
                a, b = known[one] - level, known[(one + 1) % 4] - level
                if (a < 0) != (b < 0):
                    share = a / (a - b)
                    (x, y), (z, w) = corners[one], corners[(one + 1) % 4]
                    crossings.append((x + share * (z - x), y + share * (w - y)))
            pieces += list(zip(crossings[::2], crossings[1::2], strict=True))
    return pieces


def shape(to_picture: Map, window: tuple[tuple[float, float], tuple[float, float]], triangle: bool) -> list[str]:
    """The edge of what is drawn."""
    (left, right), (low, high) = window
    corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]
    if not triangle:
        corners = [(left, low), (right, low), (right, high), (left, high)]
    return [svg.path([to_picture(*corner) for corner in corners], "edge inside", closed=True)]


def axes(
    land: Landscape,
    to_picture: Map,
    window: tuple[tuple[float, float], tuple[float, float]],
    triangle: bool,
    inset: float,
) -> list[str]:
    """The responses at the corners of a triangle, or ticks on two axes."""
    if triangle:
        names = [svg.shortened(name, 16) for name in land.stage.problem.prompts[0].responses]
        foot = TOP + inset + 20
        return [
            svg.label((svg.WIDTH / 2, TOP - 7), names[0], "heading"),
            svg.label((35 + SIDE, foot), names[1], "heading", "end"),
            svg.label((35, foot), names[2], "heading", "start"),
        ]
    (left, right), (low, high) = window
    parts = []
    for value in svg.ticks(left, right, 5):
        x, y = to_picture(value, low)
        parts.append(svg.label((x, y + 18), svg.tick_text(value), "tick"))
    for value in svg.ticks(low, high, 5):
        x, y = to_picture(left, value)
        parts.append(svg.label((x - 6, y + 5), svg.tick_text(value), "tick", "end"))
    x, y = to_picture(right, low)
    parts.append(svg.label((x, y + 36), "θ₁", "tick", "end"))
    parts.append(svg.label((52, TOP - 7), "θ₂", "tick"))
    return parts


def way(land: Landscape, to_picture: Map) -> list[str]:
    """The steps taken, and the proposal that was refused."""
    points = [to_picture(*theta) for theta in land.way]
    parts = [svg.path(points, "way")]
    if land.refused is not None:
        parts.append(svg.path([points[-1], to_picture(*land.refused)], "way refused-way"))
        parts.append(svg.cross(to_picture(*land.refused), "refused"))
    for k, point in enumerate(points):
        parts.append(svg.dot(point, "step", 5, f' data-step="{k}"', f"θ after {k} steps" if k else "θ old"))
    return parts
