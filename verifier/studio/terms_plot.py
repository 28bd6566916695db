"""Ratio against term, for both signs of the advantage: where the clip cuts, and where it does not."""

from collections.abc import Mapping, Sequence
from typing import Any

from grpocheck.verifier.studio import svg

HEIGHT = 196
LEAST_REACH = 2.0
MOST_REACH = 6.0


def term_plot(rows: Sequence[Mapping[str, Any]], epsilon: float) -> str:
    """min(rho A, clip(rho) A) / abs(A) against rho: min(rho, 1+eps) for A > 0 and -max(rho, 1-eps) for A < 0.

    The rows' responses are dots, those with A > 0 on the left and those with A < 0 on the right; a ratio beyond the
    window stands at its end.
    """
    ratios = [row["ratio"]["drawn"] for row in rows if row.get("ratio")]
    reach = min(MOST_REACH, max([LEAST_REACH, 1 + 2 * epsilon, *(1.1 * ratio for ratio in ratios)]))
    parts = []
    for sign, left in ((1, 0.0), (-1, svg.WIDTH / 2)):
        parts += panel(rows, epsilon, reach, sign, left)
    told = f"Term over the size of the advantage, against the ratio, for both signs; the clip at 1 ± {epsilon:g}"
    return svg.picture(HEIGHT, told, parts, "terms")


def panel(
    rows: Sequence[Mapping[str, Any]], epsilon: float, reach: float, sign: int, left: float
) -> list[str]:
    """The panel of one sign."""
    upward = (0.0, 1 + 2.2 * epsilon) if sign > 0 else (-min(reach, 2.2), 0.0)
    plane = svg.Plane((0.0, reach), upward, (left + 14, 34, left + svg.WIDTH / 2 - 12, HEIGHT - 34))
    bound = 1 + epsilon if sign > 0 else 1 - epsilon
    top, bottom = plane.box[1], plane.box[3]
    flat = (bound, reach) if sign > 0 else (0.0, bound)
    parts = [
        svg.rectangle(plane.x(1 - epsilon), top, plane.x(1 + epsilon), bottom, "clip-band"),
        svg.line((plane.box[0], plane.y(0)), (plane.box[2], plane.y(0)), "axis"),
        svg.line((plane.box[0], top), (plane.box[0], bottom), "axis"),
        svg.line((plane.x(1), top), (plane.x(1), bottom), "grid"),
    ]
    moving = [(0.0, 0.0), (bound, bound)] if sign > 0 else [(bound, -bound), (reach, -reach)]
    still = [(flat[0], sign * bound), (flat[1], sign * bound)]
    parts += [
        svg.path([plane.at(point) for point in moving], "curve"),
        svg.path([plane.at(point) for point in still], "curve cut"),
        svg.dot(plane.at((bound, sign * bound)), "kink", 4),
        svg.label((left + svg.WIDTH / 4, 20), "A > 0" if sign > 0 else "A < 0", "heading"),
        svg.label((plane.x(1 - epsilon) - 3, HEIGHT - 16), "1−ε", "tick", "end"),
        svg.label((plane.x(1 + epsilon) + 3, HEIGHT - 16), "1+ε", "tick", "start"),
        svg.label((plane.box[2], HEIGHT - 16), "ρ", "tick", "end"),
    ]
    for row in rows:
        if row.get("sign") == sign and row.get("term") is not None:
            ratio = min(reach, row["ratio"]["drawn"])
            height = min(ratio, bound) if sign > 0 else -max(ratio, bound)
            title = f"{row['response']}: ratio {row['ratio']['decimal']}"
            parts.append(svg.dot(plane.at((ratio, height)), f"response {row['gradient']}", 5, "", title))
    return parts
