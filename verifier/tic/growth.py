"""How the worst cases grow with the horizon, method by method."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from grpocheck.core.tic.kinds import independent_bits
from grpocheck.core.tic.methods import EPSILON, Method, Reading
from grpocheck.core.tic.moments import capped_second_moment, change_of_measure
from grpocheck.core.variants.ratios import Level
from grpocheck.core.variants.terms import TwoSided, UpperCap
from grpocheck.verifier.tic.search import Worst, worst_case

LONGEST = 64
"""The horizons of section 3's tables are 1 to this one."""
FITTED_FROM = 16
"""The law of growth is fitted from this horizon on."""

LEVELS = (Level.SEQUENCE, Level.TOKEN)
CAPPED = {(level, reading): Method(level, reading, UpperCap()) for level in LEVELS for reading in Reading}
TWO_SIDED = {(level, reading): Method(level, reading, TwoSided()) for level in LEVELS for reading in Reading}


def least_ratio(horizon: int) -> Fraction:
    """5H/24 + 5/36: the token level's V at p = 1/2, q = 2/5 over the trajectory level's bound (1 + epsilon)/(4H)."""
    return Fraction(5 * horizon, 24) + Fraction(5, 36)


def lies_within_bounds(worst: Worst) -> bool:
    """1/(4H) <= V <= (1 + epsilon)/(4H)."""
    least = Fraction(1, 4 * worst.horizon)
    return least <= worst.variance <= (1 + EPSILON) * least


def identities_hold(worst: Worst) -> bool:
    """E_old[rho S^2] = H p (1 - p) and E_old[min(rho, 1+epsilon)^2 S^2] <= (1 + epsilon) H p (1 - p) at its (p, q)."""
    tokens = independent_bits(worst.horizon, worst.current, worst.old)
    on_policy = worst.horizon * worst.current * (1 - worst.current)
    return change_of_measure(tokens) == on_policy and capped_second_moment(tokens) <= (1 + EPSILON) * on_policy


@dataclass(frozen=True)
class Growth:
    """The worst cases found of the capped methods, horizon by horizon."""

    worst: Mapping[tuple[Level, Reading], tuple[Worst, ...]]

    def ratios(self, reading: Reading) -> tuple[tuple[int, Fraction], ...]:
        """Horizon, and the token level's worst case over the trajectory level's, each at its own (p, q)."""
        pairs = zip(self.worst[Level.TOKEN, reading], self.worst[Level.SEQUENCE, reading], strict=True)
        return tuple((token.horizon, token.variance / trajectory.variance) for token, trajectory in pairs)

    def fitted(self, reading: Reading) -> tuple[tuple[int, Fraction], ...]:
        """The ratios that a law of growth is fitted to."""
        return tuple(point for point in self.ratios(reading) if point[0] >= FITTED_FROM)


def growth(horizons: Sequence[int], advance: Callable[[int], None] = lambda amount: None) -> Growth:
    """The worst cases of the four capped methods at these horizons; ``advance`` is told of every search."""
    found: dict[tuple[Level, Reading], tuple[Worst, ...]] = {}
    for key, method in CAPPED.items():
        lines = []
        for horizon in horizons:
            lines.append(worst_case(method, horizon))
            advance(1)
        found[key] = tuple(lines)
    return Growth(found)
