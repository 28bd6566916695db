"""The response-level variance in floating point: it says where to look, and nothing that is reported comes from it."""

from collections.abc import Callable

from grpocheck.core.tic.methods import EPSILON, Method, Reading
from grpocheck.core.variants.ratios import Level
from grpocheck.core.variants.terms import UpperCap

Guide = Callable[[float, float], float]
"""V as a function of p and q."""
Weight = Callable[[float], float]

WIDTH = float(EPSILON)


def weights(method: Method) -> tuple[Weight, Weight]:
    """The weights of a ratio for A = 1 and for A = -1."""
    cap, floor = 1 + WIDTH, 1 - WIDTH
    if method.reading is Reading.SCORE:

        def capped(ratio: float) -> float:
            return ratio if ratio < cap else cap

        def floored(ratio: float) -> float:
            return ratio if ratio > floor else floor
    else:

        def capped(ratio: float) -> float:
            return ratio if ratio < cap else 0.0

        def floored(ratio: float) -> float:
            return ratio if ratio > floor else 0.0

    return capped, capped if isinstance(method.clip, UpperCap) else floored


def variance_of(method: Method, horizon: int) -> Guide:
    """V of a method at a horizon: the upper cap, or the two-sided clip."""
    above, below = weights(method)

    def token_level(p: float, q: float) -> float:
        first, second = [], []
        for weight in (above, below):
            one, zero = weight(p / q) * (1 - p), -weight((1 - p) / (1 - q)) * p
            mean = q * one + (1 - q) * zero
            first.append(mean)
            second.append((q * one**2 + (1 - q) * zero**2) / horizon + (1 - 1 / horizon) * mean**2)
        return sum(second) / 2 - ((first[0] - first[1]) / 2) ** 2

    growing = [(horizon - k) / (k + 1) for k in range(horizon)] + [0.0]
    one_sided = isinstance(method.clip, UpperCap)

    def trajectory_level(p: float, q: float) -> float:
        mass, ratio = (1 - q) ** horizon, ((1 - p) / (1 - q)) ** horizon
        odds, step = q / (1 - q), (p / q) * ((1 - q) / (1 - p))
        score = -p
        difference, square = 0.0, 0.0
        for k in range(horizon + 1):
            if one_sided:
                square += mass * (above(ratio) * score) ** 2
            else:
                plus, minus = above(ratio), below(ratio)
                difference += mass * (plus - minus) * score
                square += mass * (plus**2 + minus**2) * score**2 / 2
            mass *= growing[k] * odds
            ratio *= step
            score += 1 / horizon
        return square - (difference / 2) ** 2

    return token_level if method.level is Level.TOKEN else trajectory_level
