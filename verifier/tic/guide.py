"""The response-level variance in floating point: it says where to look, and nothing that is reported comes from it."""

from collections.abc import Callable
from math import comb, exp, log, log1p

from grpocheck.core.tic.methods import EPSILON, Method, Reading
from grpocheck.core.variants.ratios import Level
from grpocheck.core.variants.terms import TwoSided, UpperCap

Guide = Callable[[float, float], float]
"""V as a function of p and q."""

WIDTH = float(EPSILON)


def weights(method: Method, ratio: float) -> tuple[float, float]:
    """The weights of a ratio for A = 1 and for A = -1."""
    cap, floor = 1 + WIDTH, 1 - WIDTH
    if method.reading is Reading.SCORE:
        plus, minus = min(ratio, cap), max(ratio, floor)
    else:
        plus, minus = (ratio if ratio < cap else 0.0), (ratio if ratio > floor else 0.0)
    if isinstance(method.clip, UpperCap):
        return plus, plus
    return (plus, minus) if isinstance(method.clip, TwoSided) else (ratio, ratio)


def variance_of(method: Method, horizon: int) -> Guide:
    """V of a method at a horizon."""

    def token_level(p: float, q: float) -> float:
        ones, zeros = weights(method, p / q), weights(method, (1 - p) / (1 - q))
        first, second = [], []
        for one, zero in zip(ones, zeros, strict=True):
            one, zero = one * (1 - p), -zero * p
            mean = q * one + (1 - q) * zero
            first.append(mean)
            second.append((q * one**2 + (1 - q) * zero**2) / horizon + (1 - 1 / horizon) * mean**2)
        return sum(second) / 2 - ((first[0] - first[1]) / 2) ** 2

    logs = [log(comb(horizon, k)) for k in range(horizon + 1)]

    def trajectory_level(p: float, q: float) -> float:
        one, zero = log(p / q), log1p(-p) - log1p(-q)
        up, down = log(q), log1p(-q)
        difference, square = 0.0, 0.0
        for k in range(horizon + 1):
            mass = exp(logs[k] + k * up + (horizon - k) * down)
            plus, minus = weights(method, exp(k * one + (horizon - k) * zero))
            score = (k - horizon * p) / horizon
            difference += mass * (plus - minus) * score
            square += mass * (plus**2 + minus**2) * score**2
        return square / 2 - (difference / 2) ** 2

    return token_level if method.level is Level.TOKEN else trajectory_level
