"""Ratios of times: two pieces of work taken in turn, so that whatever slows the machine slows both."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

Work = Callable[[], object]


@dataclass
class Comparison:
    """One line of the report: what was compared, the ratios of each round, and the target that they have to keep."""

    name: str
    ours: str
    peer: str
    ratios: list[float]
    target: float | None
    at_most: bool = True
    unit: str = ""
    remark: str = ""
    limit: str = ""
    """What keeps it from its target, for the page where it is missed."""
    seconds: tuple[float, float] = (0.0, 0.0)

    @property
    def median(self) -> float:
        """The median ratio."""
        return statistics.median(self.ratios)

    @property
    def spread(self) -> tuple[float, float]:
        """The lower and the upper quartile; of fewer than four ratios the least and the largest."""
        if len(self.ratios) < 4:
            return min(self.ratios), max(self.ratios)
        quarters = statistics.quantiles(self.ratios, n=4)
        return quarters[0], quarters[2]

    @property
    def met(self) -> bool | None:
        """Whether the median keeps the target; None where there is none."""
        if self.target is None:
            return None
        return self.median <= self.target if self.at_most else self.median >= self.target


@dataclass
class Growth:
    """Times, or bytes, against a size, and the fitted exponent."""

    name: str
    variable: str
    points: list[tuple[float, float]]
    target: str = ""
    unit: str = "s"
    most: float | None = None
    """The largest exponent that keeps the target, where one is stated."""
    limit: str = ""
    """What the growth comes from, for the page."""
    exponent: float = field(init=False)

    @property
    def met(self) -> bool | None:
        """Whether the exponent keeps the target; None where there is none."""
        return None if self.most is None else self.exponent <= self.most

    def __post_init__(self) -> None:
        """Fit the log of what was measured against log size by least squares."""
        from math import log

        xs, ys = [log(x) for x, _ in self.points], [log(y) for _, y in self.points]
        middle, level = statistics.fmean(xs), statistics.fmean(ys)
        self.exponent = sum((x - middle) * (y - level) for x, y in zip(xs, ys, strict=True)) / sum(
            (x - middle) ** 2 for x in xs
        )


@dataclass
class Spending:
    """Where the time of some work goes: shares by what is done, largest first."""

    name: str
    shares: list[tuple[str, float]]


def timed(work: Work, repeat: int = 1) -> float:
    """Seconds for one call, over some calls in a row."""
    start = time.perf_counter()
    for _ in range(repeat):
        work()
    return (time.perf_counter() - start) / repeat


def repeats(work: Work, least: float = 0.02) -> int:
    """How many calls take a time that can be measured."""
    work()
    once = timed(work)
    return max(1, round(least / max(once, 1e-9)))


def ratios(ours: Work, peer: Work, rounds: int = 15, least: float = 0.02) -> tuple[list[float], tuple[float, float]]:
    """Time of ours over time of the peer, round by round, and the median times of both."""
    ours_repeat, peer_repeat = repeats(ours, least), repeats(peer, least)
    pairs = [(timed(ours, ours_repeat), timed(peer, peer_repeat)) for _ in range(rounds)]
    return [a / b for a, b in pairs], (statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs))


def median_time(work: Work, rounds: int = 5, least: float = 0.01) -> float:
    """The median time of one call."""
    repeat = repeats(work, least)
    return statistics.median(timed(work, repeat) for _ in range(rounds))
