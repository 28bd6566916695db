"""The worst case of a method on the class I_H: the (p, q) in [1/10, 9/10] with the largest response-level variance.

V is piecewise smooth in q, with a step wherever the ratio of a kind of response crosses a bound: in the surrogate form
the largest V is approached at such a step, from the side on which that kind still contributes. So for each p all the
steps are looked at, from both sides, beside a grid; then p is refined. What is found is rounded to rationals, is
evaluated exactly there, and is the largest found: no search proves that there is none larger. A bound that is proved
is (1 + epsilon)/(4H), for the capped trajectory methods. Exchanging the tokens takes (p, q) to (1 - p, 1 - q) and
leaves V as it is, so that only q <= p is searched.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, log, log1p

from grpocheck.core.tic.kinds import independent_bits
from grpocheck.core.tic.methods import Method, Reading
from grpocheck.core.tic.moments import response_moments
from grpocheck.core.variants.ratios import Level
from grpocheck.core.variants.terms import TwoSided
from grpocheck.verifier.tic.guide import WIDTH, Guide, variance_of

LEAST, MOST = Fraction(1, 10), Fraction(9, 10)
"""Section 3's range of p and q."""
GRID = 16
BESIDE = 1e-9
"""So far, relatively, from a step the two sides of it are looked at."""
FINEST = 1e-5
P_DENOMINATOR, Q_DENOMINATOR = 10**4, 10**5


@dataclass(frozen=True)
class Worst:
    """The largest V found, exactly, and the (p, q) at which it was."""

    method: Method
    horizon: int
    current: Fraction
    old: Fraction
    variance: Fraction


def steps(method: Method, horizon: int, p: float) -> Iterator[float]:
    """The q below p at which some ratio is on a bound."""
    bounds = [1 + WIDTH] + ([1 - WIDTH] if isinstance(method.clip, TwoSided) else [])
    size = 1 if method.level is Level.TOKEN else horizon
    lowest = float(LEAST)
    for bound in map(log, bounds):
        for ones in range(size + 1):

            def beyond(q: float, ones: int = ones, bound: float = bound) -> float:
                return ones * log(p / q) + (size - ones) * (log1p(-p) - log1p(-q)) - bound

            # between two q of which one is beyond the bound the ratio is monotone, but for its least or greatest value
            turn = min(max(ones / size, lowest), p)
            for low, high in ((lowest, turn), (turn, p)):
                if low >= high or (beyond(low) > 0) == (beyond(high) > 0):
                    continue
                rising = beyond(high) > 0
                for _ in range(48):
                    middle = (low + high) / 2
                    if (beyond(middle) > 0) == rising:
                        high = middle
                    else:
                        low = middle
                yield (low + high) / 2


def candidates(method: Method, horizon: int, p: float) -> Iterator[float]:
    """The q <= p that are looked at for one p: denser near p, and both sides of every step."""
    lowest = float(LEAST)
    for place in range(GRID + 1):
        yield p - (p - lowest) * (place / GRID) ** 2
    # a score form is continuous, so that smaller and smaller steps reach its kinks
    for step in steps(method, horizon, p) if method.reading is Reading.SURROGATE else ():
        for side in (step * (1 - BESIDE), step * (1 + BESIDE)):
            if lowest <= side <= p:
                yield side


def best_old(variance: Guide, method: Method, horizon: int, p: float) -> tuple[float, float]:
    """The largest V for one p, and its q: the best candidate, then smaller and smaller steps from it."""
    value, q = max((variance(p, q), q) for q in candidates(method, horizon, p))
    stride = (p - float(LEAST)) / GRID
    while stride > FINEST:
        found = max((variance(p, near), near) for near in (q - stride, q + stride, q) if float(LEAST) <= near <= p)
        if found[0] > value:
            value, q = found
        else:
            stride /= 2
    return value, q


def worst_case(method: Method, horizon: int) -> Worst:
    """The largest V that the search finds for a method at a horizon."""
    variance = variance_of(method, horizon)
    known: dict[Fraction, float] = {}

    def at(p: Fraction) -> float:
        if p not in known:
            known[p] = best_old(variance, method, horizon, float(p))[0]
        return known[p]

    stride = Fraction(1, 20)
    grid = [LEAST + place * stride for place in range(int((MOST - LEAST) / stride) + 1)]
    best = max(grid, key=at)
    while stride > Fraction(1, P_DENOMINATOR):
        near = max((p for p in (best - stride, best + stride, best) if LEAST <= p <= MOST), key=at)
        if near == best:
            stride /= 2
        best = near
    current = Fraction(round(best * P_DENOMINATOR), P_DENOMINATOR)
    _, q = best_old(variance, method, horizon, float(current))
    # beside a step the rational on its other side may be far worse; a score form has no steps
    sides = (floor, ceil) if method.reading is Reading.SURROGATE else (round,)
    rounded = sorted({min(max(Fraction(side(q * Q_DENOMINATOR), Q_DENOMINATOR), LEAST), MOST) for side in sides})
    exact = [(response_moments(method, independent_bits(horizon, current, old)).variance, old) for old in rounded]
    value, old = max(exact)
    return Worst(method, horizon, current, old, value)
