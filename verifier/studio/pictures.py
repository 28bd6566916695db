"""The pictures of an outer iteration: F_t over U for one parameter, contours for two, along the way for more."""

from collections.abc import Callable, Sequence
from typing import Any

from grpocheck.core.families.simplex import Simplex
from grpocheck.verifier.studio import svg
from grpocheck.verifier.studio.contours import contour_picture
from grpocheck.verifier.studio.landscape import BeyondFloats, Curve, Landscape, apart, crossing, moved
from grpocheck.verifier.studio.stage import Stage

SAMPLES = 96
MOST_LANES = 5
LANE = 22
TOP, LEFT, RIGHT = 18, 76, 14
LEGEND = "Dashed: a ratio reaches its bound."
LANES = "Bars: where the gradient of a response is alive."
PLOT = 236
"""The lower edge of the plot of F."""


def of_iteration(stage: Stage, t: int) -> dict[str, Any]:
    """The picture of outer iteration t and what it shows in a sentence; none where its groups are not complete, or its
    numbers are no floats."""
    if stage.frozen(t) is None:
        return {"picture": None, "says": "The groups of this outer iteration are not complete: there is no F to draw."}
    try:
        return drawn(Landscape(stage, t), t)
    except BeyondFloats as beyond:
        return {"picture": None, "says": f"No picture: {beyond} is beyond what can be drawn."}


def drawn(land: Landscape, t: int) -> dict[str, Any]:
    """The picture that suits the number of parameters."""
    stage = land.stage
    name, dimension = f"F{index(t)}", stage.problem.dimension
    if dimension == 1:
        says = f"{name} over U, with the steps taken. {LEGEND} {LANES}"
        return {"picture": interval_picture(land), "says": says}
    if dimension == 2:
        triangle = isinstance(stage.problem.family, Simplex) and len(stage.problem.prompts) == 1
        over = "the triangle of three masses" if triangle else "U"
        says = f"{name} over {over}, with the steps taken. {LEGEND}"
        return {"picture": contour_picture(land, triangle), "says": says}
    says = f"{name} along the steps taken; {dimension} parameters are too many for a map. {LEGEND} {LANES}"
    return {"picture": way_picture(land), "says": says}


def index(t: int) -> str:
    """A number as an index."""
    return str(t).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def interval_picture(land: Landscape) -> str:
    """F_t over U inside the real line."""
    origin = land.way[0]
    left, right = (land.edge(origin, [direction]) for direction in (-1.0, 1.0))
    taken = [theta[0] for theta in land.way] + ([] if land.refused is None else [land.refused[0]])
    reach = max(1.0, 2 * (max(taken) - min(taken)))
    low = origin[0] - left if left is not None else min(taken) - reach
    high = origin[0] + right if right is not None else max(taken) + reach
    apart(low, high)
    edges = [place for place, end in ((low, left), (high, right)) if end is not None]
    margin = 0.05 * (high - low)
    window = (low - margin, high + margin)
    marks = [(theta[0], f"θ after {k} steps" if k else "θ old") for k, theta in enumerate(land.way)]
    refused = None if land.refused is None else land.refused[0]
    inset = 1e-4 * (high - low)
    return line_picture(land, lambda s: [s], (low + inset, high - inset), window, edges, marks, refused, "θ")


def way_picture(land: Landscape) -> str:
    """F_t along the straight lines between the steps taken, and a little further."""
    way = land.way
    if len(way) == 1:
        target = land.refused
        if target is None:
            theta = way[0]
            return line_picture(land, lambda s: theta, (0, 1), (-0.1, 1.1), [], [(0.0, "θ old")], None, "inner step")
        way = [*way, target]

    def place(s: float) -> list[float]:
        first = min(int(s), len(way) - 2)
        step = [b - a for a, b in zip(way[first], way[first + 1], strict=True)]
        return moved(way[first], step, s - first)

    last = float(len(land.way) - 1)
    beyond = land.edge(way[-2], [b - a for a, b in zip(way[-2], way[-1], strict=True)])
    room = 1.0 if beyond is None else beyond - (last - (len(way) - 2))
    end = last + min(0.6 if land.refused is None else 1.0, max(0.0, room * 0.999))
    edges = [] if room > 1 or (land.refused is None and room > 0.6) else [last + room]
    window = (-0.05 * max(end, 1), max(end, last + (1.0 if land.refused else 0)) + 0.05 * max(end, 1))
    marks = [(float(k), f"θ after {k} steps" if k else "θ old") for k in range(len(land.way))]
    refused = None if land.refused is None else last + 1
    return line_picture(land, place, (0.0, end), window, edges, marks, refused, "inner step")


def line_picture(
    land: Landscape,
    place: Callable[[float], Sequence[float]],
    over: tuple[float, float],
    window: tuple[float, float],
    edges: Sequence[float],
    marks: Sequence[tuple[float, str]],
    refused: float | None,
    axis: str,
) -> str:
    """F_t along a line of parameters, with its kinks, where the clip cuts, the edge of U and the steps."""
    grid = [over[0] + (over[1] - over[0]) * i / SAMPLES for i in range(SAMPLES + 1)]
    kinks = kinks_along(land, place, grid)
    samples = sorted({*grid, *(s for _, s in kinks), *(s for s, _ in marks if over[0] <= s <= over[1])})
    heights = [land.value(place(s)) for s in samples]
    curves = land.curves[:MOST_LANES]
    bottom = PLOT + LANE * len(curves)
    plane = svg.Plane(window, svg.spread(heights), (LEFT, TOP, svg.WIDTH - RIGHT, PLOT))
    parts = frame(plane, axis, bottom)
    parts += outside(plane, window, edges, bottom)
    for curve, s in kinks:
        title_line = svg.line((plane.x(s), TOP), (plane.x(s), bottom), "kink-line")
        parts.append(title_line if curve in curves else "")
    parts.append(svg.path([plane.at(point) for point in zip(samples, heights, strict=True)], "curve"))
    for lane, curve in enumerate(curves):
        parts += lane_of(land, curve, plane, place, samples, PLOT + LANE * lane)
    parts += steps_of(land, plane, place, marks, refused)
    told = f"The objective along {axis}; {len(kinks)} kinks; {len(marks) - 1} steps taken"
    return svg.picture(bottom + 40, told, parts, "objective")


def kinks_along(
    land: Landscape, place: Callable[[float], Sequence[float]], grid: Sequence[float]
) -> list[tuple[Curve, float]]:
    """Where the ratio of a response crosses its bound."""
    found = []
    for curve in land.curves:
        beyond = [land.beyond(curve, place(s)) for s in grid]
        for (low, a), (high, b) in zip(zip(grid, beyond), list(zip(grid, beyond))[1:], strict=False):  # noqa: B905
            if (a < 0) != (b < 0):
                found.append((curve, crossing(lambda s, c=curve: land.beyond(c, place(s)), low, high)))  # type: ignore[misc]
    return found


def frame(plane: svg.Plane, axis: str, bottom: float) -> list[str]:
    """Axes, grid and ticks."""
    left, top, right, _ = plane.box
    parts = []
    for value in svg.ticks(*plane.upward):
        parts.append(svg.line((left, plane.y(value)), (right, plane.y(value)), "grid"))
        parts.append(svg.label((left - 6, plane.y(value) + 5), svg.tick_text(value), "tick", "end"))
    for value in svg.ticks(*plane.across):
        parts.append(svg.line((plane.x(value), bottom), (plane.x(value), bottom + 5), "axis"))
        parts.append(svg.label((plane.x(value), bottom + 20), svg.tick_text(value), "tick"))
    parts.append(svg.line((left, bottom), (right, bottom), "axis"))
    parts.append(svg.label((right, bottom + 36), axis, "tick", "end"))
    parts.append(svg.label((left, top - 3), "F", "tick", "start"))
    return parts


def outside(plane: svg.Plane, window: tuple[float, float], edges: Sequence[float], bottom: float) -> list[str]:
    """What lies outside U, up to its edges."""
    parts = []
    for edge in edges:
        at_left = edge - window[0] < window[1] - edge
        ends = (plane.box[0], plane.x(edge)) if at_left else (plane.x(edge), plane.box[2])
        parts.append(svg.rectangle(*(ends[0], TOP, ends[1], bottom), "outside"))
        parts.append(svg.line((plane.x(edge), TOP), (plane.x(edge), bottom), "edge"))
    return parts


def lane_of(
    land: Landscape,
    curve: Curve,
    plane: svg.Plane,
    place: Callable[[float], Sequence[float]],
    samples: Sequence[float],
    top: float,
) -> list[str]:
    """A strip that says where the gradient of a response is alive, and where the clip cuts it."""
    middle = top + LANE / 2 + 2
    parts = []
    cut = [land.beyond(curve, place(s)) > 0 for s in samples]
    begin = 0
    for i in range(1, len(samples) + 1):
        if i == len(samples) or cut[i] != cut[begin]:
            end = samples[min(i, len(samples) - 1)]
            kind = "lane cut" if cut[begin] else "lane alive"
            parts.append(svg.line((plane.x(samples[begin]), middle), (plane.x(end), middle), kind))
            begin = i
    sign = "+" if curve.sign > 0 else "−"
    parts.append(svg.label((plane.box[0] - 6, middle + 5), f"{svg.shortened(curve.response, 5)} {sign}", "tick", "end"))
    return parts


def steps_of(
    land: Landscape,
    plane: svg.Plane,
    place: Callable[[float], Sequence[float]],
    marks: Sequence[tuple[float, str]],
    refused: float | None,
) -> list[str]:
    """The parameters that the run went through, and the proposal that was refused."""
    points = [(plane.at((s, land.value(place(s)))), text) for s, text in marks]
    parts = [svg.path([point for point, _ in points], "way")]
    for k, (point, text) in enumerate(points):
        parts.append(svg.dot(point, "step", 5, f' data-step="{k}"', text))
    if refused is not None:
        low, high = plane.across
        held = min(high, max(low, refused))
        parts.append(svg.cross((plane.x(held), points[-1][0][1]), "refused"))
        where = "end" if held > (low + high) / 2 else "start"
        parts.append(svg.label((plane.x(held), points[-1][0][1] - 12), "refused", "tick", where))
    return parts
