"""F_t as a function to draw: core's own objective, on mpmath numbers, at any parameter.

Nothing that is claimed rests on it: numbers here are rounded, for pictures alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite

from grpocheck.core import Kind
from grpocheck.core.arithmetic import MpArithmetic, Scalar, enclose
from grpocheck.core.families.family import Family
from grpocheck.core.frozen import FrozenIteration, Group
from grpocheck.core.objective import objective
from grpocheck.core.problem import in_domain
from grpocheck.verifier.studio.stage import Stage

DIGITS = 20
NARROWEST = 1e-9
"""How wide a picture is at least, beside the numbers at its ends."""
FARTHEST = 2.0**10
"""How far an edge of U is looked for."""

Place = Sequence[float]


class BeyondFloats(ValueError):  # noqa: N818 - named for what it says
    """A number of an iteration is too large, or too near 0, for the floats that pictures are drawn in."""


@dataclass(frozen=True)
class Curve:
    """A response whose term has a bound: its ratio as a function of the parameter, and the bound."""

    prompt: str
    response: str
    sign: int
    place: int
    position: int
    old_mass: float
    bound: float

    @property
    def name(self) -> str:
        """The response with the sign of its advantage."""
        return f"{self.response} (A {'>' if self.sign > 0 else '<'} 0)"


class Landscape:
    """The objective of outer iteration t of a stage, and the way that the run took over it."""

    def __init__(self, stage: Stage, t: int) -> None:
        """Of an outer iteration whose groups are complete."""
        frozen = stage.frozen(t)
        if frozen is None:
            raise ValueError(f"outer iteration {t}: its groups are not complete")
        assert isinstance(stage.problem.family, Family)
        self.stage, self.t, self.family = stage, t, stage.problem.family
        self.arithmetic = MpArithmetic(DIGITS)
        self.frozen = self.rounded(frozen)

    def number(self, value: Scalar) -> Scalar:
        """A scalar of the run, rounded."""
        if isinstance(value, int | Fraction):
            return self.arithmetic.number(Fraction(value))
        return self.arithmetic.number(Fraction(enclose(value, DIGITS)[0]))

    def rounded(self, frozen: FrozenIteration) -> FrozenIteration:
        """The frozen data, rounded."""
        groups = tuple(
            Group(
                group.prompt,
                group.positions,
                tuple(map(self.number, group.rewards)),
                self.number(group.average),
                self.number(group.deviation),
                tuple(map(self.number, group.advantages)),
                tuple(map(self.number, group.old_masses)),
            )
            for group in frozen.groups
        )
        theta = tuple(map(self.number, frozen.theta_old))
        return FrozenIteration(frozen.outer_iteration, theta, groups, self.number(frozen.epsilon),
                               self.number(frozen.beta))

    def masses(self, theta: Place) -> list[tuple[Scalar, ...]]:
        """pi_theta of every prompt."""
        numbers = tuple(self.arithmetic.number(Fraction(entry)) for entry in theta)
        return [self.family.masses(numbers, prompt, self.arithmetic) for prompt in self.stage.problem.prompts]

    def value(self, theta: Place) -> float:
        """F_t at a parameter in U."""
        return finite(objective(self.frozen, self.masses(theta), self.arithmetic))

    def inside(self, theta: Place) -> bool:
        """Whether a parameter is in U."""
        return in_domain([Fraction(entry) for entry in theta], self.stage.problem.admissible_domain)

    @cached_property
    def curves(self) -> list[Curve]:
        """Each drawn response with A other than 0, once."""
        epsilon = float(self.frozen.epsilon)
        found: dict[tuple[int, int], Curve] = {}
        for group in self.frozen.groups:
            for position, advantage, old in zip(group.positions, group.advantages, group.old_masses, strict=True):
                key = (group.prompt.position, position)
                if key not in found and abs(float(advantage)) > 1e-15:
                    sign = 1 if advantage > 0 else -1
                    name = group.prompt.responses[position]
                    if float(old) == 0:
                        raise BeyondFloats(f"the mass of {name} at theta_old")
                    found[key] = Curve(group.prompt.name, name, sign, *key, float(old), 1 + sign * epsilon)
        return list(found.values())

    def beyond(self, curve: Curve, theta: Place) -> float:
        """How far the ratio of a response is beyond its bound: positive where the clip cuts its term."""
        mass = float(self.masses(theta)[curve.place][curve.position])
        return curve.sign * (mass / curve.old_mass - curve.bound)

    @cached_property
    def way(self) -> list[list[float]]:
        """The parameters of the iteration: theta_old, then after each applied step."""
        taken = [self.frozen.theta_old]
        for event, now in zip(self.stage.events, self.stage.situations, strict=True):
            if event.kind is Kind.APPLY and now.t == self.t:
                taken.append(tuple(map(self.number, now.theta)))
        return [[finite(entry) for entry in theta] for theta in taken]

    @cached_property
    def refused(self) -> list[float] | None:
        """The proposal that the domain oracle refused, if the iteration ended so."""
        for event, now in zip(self.stage.events, self.stage.situations, strict=True):
            if event.kind is Kind.MEMBERSHIP and now.t == self.t and event.values["answer"] is False:
                proposal = event.values["proposal"]
                assert isinstance(proposal, tuple)
                return [finite(self.number(entry)) for entry in proposal]
        return None

    def edge(self, origin: Place, direction: Place) -> float | None:
        """The largest s with origin + s direction in U, for an origin in U; None where U goes on without end.

        U is convex: every kind of domain is.
        """
        low, high = 0.0, 1.0
        while self.inside(moved(origin, direction, high)):
            low, high = high, 2 * high
            if high > FARTHEST:
                return None
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if self.inside(moved(origin, direction, middle)) else (low, middle)
        return low


def apart(low: float, high: float) -> None:
    """Raise BeyondFloats where two ends are too near each other for a picture between them."""
    if not high - low > NARROWEST * max(abs(low), abs(high)):
        raise BeyondFloats("so narrow a U")


def finite(number: Scalar) -> float:
    """A number as a float to draw."""
    found = float(number)
    if not isfinite(found):
        raise BeyondFloats("a number of the iteration")
    return found


def moved(origin: Place, direction: Place, length: float) -> list[float]:
    """origin + length direction."""
    return [a + length * b for a, b in zip(origin, direction, strict=True)]


def crossing(function: Callable[[float], float], low: float, high: float) -> float:
    """A zero of a function between two places where its signs differ."""
    below = function(low) < 0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if (function(middle) < 0) == below else (low, middle)
    return (low + high) / 2
