"""F_t over two parameters: contours by marching squares, on the plane or on the triangle of three masses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cos, pi, sin, sqrt

from grpocheck.verifier.studio import svg
from grpocheck.verifier.studio.landscape import Landscape, apart, moved

CELLS = 30
INSET = 0.004
DIRECTIONS = 96
FARTHEST_DRAWN = 3.0
LEVELS = 9
TOP, SIDE = 22.0, 330.0
"""Where a drawing begins, and how wide it is."""

Grid = list[list[float | None]]
Map = Callable[[float, float], svg.Point]


def contour_picture(land: Landscape, triangle: bool) -> str:
    """Contours of F_t, where ratios reach their bounds, the edge of U and the steps."""
    edge = [] if triangle else edge_of(land)
    window = Window(0.0, 1.0, 0.0, 1.0) if triangle else window_of(edge)
    apart(window.left, window.right)
    apart(window.low, window.high)
    height = SIDE * 0.5 * sqrt(3) if triangle else SIDE * 0.86

    def to_picture(x: float, y: float) -> svg.Point:
        u, v = (x - window.left) / (window.right - window.left), (y - window.low) / (window.high - window.low)
        if triangle:  # u, v and 1 - u - v are the masses: the first at the top, the second at the right
            return 35 + SIDE * (v + u / 2), TOP + height * (1 - u)
        return 52 + SIDE * u, TOP + height * (1 - v)

    def place(s: float, t: float) -> svg.Point:
        x, y = window.left + s * (window.right - window.left), window.low + t * (window.high - window.low)
        return (x, (1 - x) * y) if triangle else (x, y)  # a square folded onto the triangle leaves no cell outside

    shares = [INSET + (1 - 2 * INSET) * i / (CELLS - 1) for i in range(CELLS)]
    places = [[place(s, t) for s in shares] for t in shares]
    inside = [[triangle or land.inside(theta) for theta in row] for row in places]
    heights = over(land.value, places, inside)
    known = [value for row in heights for value in row if value is not None]
    outline = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)] if triangle else edge
    parts = [svg.path([to_picture(*corner) for corner in outline], "edge inside", closed=True)]
    bottom, top = svg.spread(known, 0.0)
    for level in range(1, LEVELS + 1):
        value = bottom + (top - bottom) * level / (LEVELS + 1)
        for a, b in level_lines(heights, shares, shares, value):
            parts.append(svg.path([to_picture(*place(*a)), to_picture(*place(*b))], f"contour level-{level}"))
    for curve in land.curves:
        beyond = over(lambda theta, c=curve: land.beyond(c, theta), places, inside)  # type: ignore[misc]
        for a, b in level_lines(beyond, shares, shares, 0.0):
            parts.append(svg.path([to_picture(*place(*a)), to_picture(*place(*b))], "kink-line"))
    parts += corners(land, height) if triangle else axes(to_picture, window)
    parts += way(land, to_picture)
    told = f"Contours of the objective over two parameters; {len(land.way) - 1} steps taken"
    return svg.picture(TOP + height + 48, told, parts, "objective")


def over(value: Callable[[svg.Point], float], places: list[list[svg.Point]], inside: list[list[bool]]) -> Grid:
    """A function on a grid, None outside U."""
    return [
        [value(theta) if known else None for theta, known in zip(row, marks, strict=True)]
        for row, marks in zip(places, inside, strict=True)
    ]


@dataclass(frozen=True)
class Window:
    """What is drawn of the plane."""

    left: float
    right: float
    low: float
    high: float


def edge_of(land: Landscape) -> list[svg.Point]:
    """The edge of U as seen from theta_old, once around; where U has none, as far as the steps suggest."""
    origin = land.way[0]
    places = [*land.way, *([] if land.refused is None else [land.refused])]
    far = max(1.0, *(2 * abs(a - b) for place in places for a, b in zip(place, origin, strict=True)))
    edge = []
    for i in range(DIRECTIONS):
        angle = 2 * pi * i / DIRECTIONS
        direction = [cos(angle), sin(angle)]
        reach = land.edge(origin, direction)
        x, y = moved(origin, direction, far if reach is None else min(reach, FARTHEST_DRAWN * far))
        edge.append((x, y))
    return edge


def window_of(edge: Sequence[svg.Point]) -> Window:
    """What holds the edge of U."""
    xs, ys = zip(*edge, strict=True)
    return Window(min(xs), max(xs), min(ys), max(ys))


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


def corners(land: Landscape, height: float) -> list[str]:
    """The responses at the corners of a triangle."""
    names = [svg.shortened(name, 16) for name in land.stage.problem.prompts[0].responses]
    foot = TOP + height + 20
    return [
        svg.label((svg.WIDTH / 2, TOP - 7), names[0], "heading"),
        svg.label((35 + SIDE, foot), names[1], "heading", "end"),
        svg.label((35, foot), names[2], "heading", "start"),
    ]


def axes(to_picture: Map, window: Window) -> list[str]:
    """Ticks on two axes."""
    parts = []
    for value in svg.ticks(window.left, window.right, 5):
        x, y = to_picture(value, window.low)
        parts.append(svg.label((x, y + 18), svg.tick_text(value), "tick"))
    for value in svg.ticks(window.low, window.high, 5):
        x, y = to_picture(window.left, value)
        parts.append(svg.label((x - 6, y + 5), svg.tick_text(value), "tick", "end"))
    x, y = to_picture(window.right, window.low)
    parts.append(svg.label((x, y + 36), "θ₁", "tick", "end"))
    parts.append(svg.label((46, TOP - 7), "θ₂", "tick", "end"))
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
