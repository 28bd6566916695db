"""A second reading of section 1, for the simplex family without penalty, that shares no code with core.

Numbers are a + b sqrt(v) with rational a, b, v and irrational sqrt(v), in a few lines of their own. Gradients are not
taken by the rule that core uses (claim F2): each term min(rho A, clip(rho) A) is followed with its one-sided
derivatives through min and max, and F is differentiable where the two sides of every coordinate agree. (Each term is
concave in rho and rho is affine in theta here, so F is concave, and a concave function whose partial derivatives exist
is differentiable.)
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import isqrt


@dataclass(frozen=True)
class Number:
    """a + b sqrt(v), where sqrt(v) is irrational unless b is 0."""

    a: Fraction
    b: Fraction
    v: Fraction

    def root(self, other: "Number") -> Fraction:
        """The v that both share; a rational number shares any."""
        if self.b and other.b and self.v != other.v:
            raise ValueError(f"{self} and {other} have different square roots")
        return self.v if self.b else other.v

    def __add__(self, other: "Number") -> "Number":
        """The sum."""
        return Number(self.a + other.a, self.b + other.b, self.root(other))

    def __sub__(self, other: "Number") -> "Number":
        """The difference."""
        return Number(self.a - other.a, self.b - other.b, self.root(other))

    def times(self, factor: Fraction) -> "Number":
        """A rational multiple."""
        return Number(self.a * factor, self.b * factor if self.b else self.b, self.v)

    def __mul__(self, other: "Number") -> "Number":
        """The product."""
        if not other.b:
            return self.times(other.a)
        v = self.root(other)
        return Number(self.a * other.a + self.b * other.b * v, self.a * other.b + self.b * other.a, v)

    def __truediv__(self, other: "Number") -> "Number":
        """The quotient, by the conjugate."""
        if not other.b:
            return self.times(1 / other.a)
        norm = other.a**2 - other.b**2 * other.v
        return self * Number(other.a / norm, -other.b / norm, other.v)

    def sign(self) -> int:
        """-1, 0 or 1, by comparing squares."""
        rational, surd = _sign(self.a), _sign(self.b) * _sign(self.v)
        if rational == surd or surd == 0:
            return rational
        return surd if rational == 0 else rational * _sign(self.a**2 - self.b**2 * self.v)


def _sign(value: Fraction) -> int:
    """The sign of a rational."""
    return (value > 0) - (value < 0)


@dataclass(frozen=True)
class Case:
    """A run of the simplex family with beta = 0 and one step size.

    ``masses`` and ``rewards`` are listed prompt by prompt, ``drawn`` holds positions: [outer iteration][prompt][i].
    """

    masses: tuple[tuple[Fraction, ...], ...]
    rewards: tuple[tuple[Fraction, ...], ...]
    drawn: tuple[tuple[tuple[int, ...], ...], ...]
    epsilon: Fraction
    step_size: Fraction
    inner_steps: int


Vector = tuple[Number, ...]


@dataclass(frozen=True)
class Expected:
    """What section 1 says of one outer iteration."""

    groups: "tuple[Group, ...]"
    attempts: tuple[Vector | None, ...]
    """The answer to each gradient attempt; None for undefined."""
    memberships: tuple[bool, ...]
    applied: tuple[Vector, ...]
    objectives: tuple[Number, ...]
    """F after each applied step."""

    @property
    def status(self) -> str:
        """The status in which the iteration ends; complete where all its steps are applied."""
        if self.attempts[-1] is None:
            return "undefined-gradient"
        return "complete" if self.memberships[-1] else "invalid-update"


Signed = tuple[Number, Number, Number]
"""A value with its derivatives to the right and to the left (the left one as the slope of moving back)."""


def square_root(value: Fraction) -> Fraction | None:
    """The root of a rational square, None of any other rational."""
    root = Fraction(isqrt(value.numerator), isqrt(value.denominator))
    return root if root**2 == value else None


class Group:
    """The definitions of section 1 for one prompt of one outer iteration."""

    def __init__(
        self, theta_old: Vector, rewards: Sequence[Fraction], drawn: Sequence[int], epsilon: Fraction
    ) -> None:
        """Rewards, mean, population deviation and advantages of the drawn group; everything lies in one Q(sqrt v)."""
        self.drawn = tuple(drawn)
        self.rewards = tuple(rewards[position] for position in drawn)
        self.epsilon = epsilon
        mean = sum(self.rewards, Fraction(0)) / len(drawn)
        variance = sum(((reward - mean) ** 2 for reward in self.rewards), Fraction(0)) / len(drawn)
        root = square_root(variance)
        self.v = variance if root is None else Fraction(0)
        if root is None and any(entry.b for entry in theta_old):
            raise ValueError("two different square roots: expected a rational theta_old, or a rational deviation")
        self.theta_old = theta_old
        self.deviation = self.number(0, 1) if root is None else self.number(root)
        self.advantages = tuple(
            self.number(reward - mean) / self.deviation if variance else self.number(0) for reward in self.rewards
        )

    def number(self, a: Fraction | int, b: Fraction | int = 0) -> Number:
        """a + b s, where s is the deviation of the group if that is irrational."""
        return Number(Fraction(a), Fraction(b), self.v)

    def masses(self, theta: Sequence[Number]) -> Vector:
        """theta and one minus its sum."""
        rest = self.number(1)
        for entry in theta:
            rest = rest - entry
        return (*theta, rest)

    def inside(self, theta: Sequence[Number]) -> bool:
        """Whether every mass is positive."""
        return all(mass.sign() > 0 for mass in self.masses(theta))

    def term(self, ratio: Signed, advantage: Number) -> Signed:
        """min(rho A, clip(rho) A) with its one-sided derivatives."""
        clipped = smaller(self.constant(1 + self.epsilon), larger(self.constant(1 - self.epsilon), ratio))
        return smaller(scaled(ratio, advantage), scaled(clipped, advantage))

    def constant(self, value: Fraction) -> Signed:
        """A constant does not move."""
        return self.number(value), self.number(0), self.number(0)

    def surrogate(self, theta: Sequence[Number], slopes: Sequence[Number]) -> Signed:
        """The mean of the terms, with its derivatives along a direction (the masses have these slopes) and back."""
        old, new = self.masses(self.theta_old), self.masses(theta)
        share = self.number(Fraction(1, len(self.drawn)))
        total = self.constant(Fraction(0))
        for position, advantage in zip(self.drawn, self.advantages, strict=True):
            slope = slopes[position] / old[position]
            ratio = (new[position] / old[position], slope, self.number(0) - slope)
            term = scaled(self.term(ratio, advantage), share)
            total = (total[0] + term[0], total[1] + term[1], total[2] + term[2])
        return total

    def value(self, theta: Sequence[Number]) -> Number:
        """The mean of the terms."""
        return self.surrogate(theta, [self.number(0)] * (len(theta) + 1))[0]

    def gradient(self, theta: Sequence[Number]) -> Vector | None:
        """The gradient, None where moving forth and back along some coordinate does not cancel."""
        entries = []
        for axis in range(len(theta)):
            slopes = [self.number(int(position == axis)) for position in range(len(theta))] + [self.number(-1)]
            _, forth, back = self.surrogate(theta, slopes)
            if (forth + back).sign() != 0:
                return None
            entries.append(forth)
        return tuple(entries)


def outer_iteration(case: Case, theta_old: Sequence[Vector], drawn: Sequence[Sequence[int]]) -> Expected:
    """The inner steps of one outer iteration; theta is held prompt by prompt, F is the mean over the prompts."""
    groups = tuple(
        Group(theta, rewards, positions, case.epsilon)
        for theta, rewards, positions in zip(theta_old, case.rewards, drawn, strict=True)
    )
    step = case.step_size / len(groups)
    theta = [group.theta_old for group in groups]
    attempts: list[Vector | None] = []
    memberships: list[bool] = []
    applied: list[Vector] = []
    objectives: list[Number] = []
    while len(applied) < case.inner_steps:
        gradients = [group.gradient(part) for group, part in zip(groups, theta, strict=True)]
        found = [gradient for gradient in gradients if gradient is not None]
        share = Fraction(1, len(groups))
        if len(found) < len(groups):
            attempts.append(None)
            break
        attempts.append(tuple(entry.times(share) for gradient in found for entry in gradient))
        theta_next = [
            tuple(entry + slope.times(step) for entry, slope in zip(part, gradient, strict=True))
            for part, gradient in zip(theta, found, strict=True)
        ]
        memberships.append(all(group.inside(part) for group, part in zip(groups, theta_next, strict=True)))
        if not memberships[-1]:
            break
        theta = theta_next
        applied.append(tuple(entry for part in theta for entry in part))
        total = Number(Fraction(0), Fraction(0), Fraction(0))
        for group, part in zip(groups, theta, strict=True):
            total = total + group.value(part)
        objectives.append(total.times(share))
    return Expected(groups, tuple(attempts), tuple(memberships), tuple(applied), tuple(objectives))


def run(case: Case) -> list[Expected]:
    """The outer iterations of a case, up to the one that stops."""
    sizes = [len(masses) - 1 for masses in case.masses]
    zero = Fraction(0)
    theta = [tuple(Number(mass, zero, zero) for mass in masses[:-1]) for masses in case.masses]
    iterations: list[Expected] = []
    for drawn in case.drawn:
        iterations.append(outer_iteration(case, theta, drawn))
        if iterations[-1].status != "complete":
            break
        flat = list(iterations[-1].applied[-1])
        theta = [tuple(flat[sum(sizes[:i]) : sum(sizes[: i + 1])]) for i in range(len(sizes))]
    return iterations


def scaled(value: Signed, factor: Number) -> Signed:
    """A multiple, derivatives included."""
    return value[0] * factor, value[1] * factor, value[2] * factor


def smaller(left: Signed, right: Signed) -> Signed:
    """The minimum; where the two are equal it moves with the smaller derivative on either side."""
    order = (left[0] - right[0]).sign()
    if order:
        return left if order < 0 else right
    return left[0], _least(left[1], right[1]), _least(left[2], right[2])


def larger(left: Signed, right: Signed) -> Signed:
    """The maximum; where the two are equal it moves with the larger derivative on either side."""
    order = (left[0] - right[0]).sign()
    if order:
        return left if order > 0 else right
    return left[0], _greatest(left[1], right[1]), _greatest(left[2], right[2])


def _least(left: Number, right: Number) -> Number:
    """The smaller number."""
    return left if (left - right).sign() <= 0 else right


def _greatest(left: Number, right: Number) -> Number:
    """The larger number."""
    return left if (left - right).sign() >= 0 else right


_RATIONAL = r"-?\d+(?:/\d+)?"
_ROOT = r"(?:(?P<factor>\d+(?:/\d+)?)\*)?sqrt\((?P<radicand>\d+(?:/\d+)?)\)"
_ALONE = re.compile(rf"(?P<rational>{_RATIONAL})|(?P<sign>-?){_ROOT}")
_SUM = re.compile(rf"(?P<rational>{_RATIONAL}) (?P<sign>[+-]) {_ROOT}")


def same(text: str, number: Number) -> bool:
    """Whether ``p``, ``q*sqrt(n)`` or ``p + q*sqrt(n)`` is the number a + b sqrt(v), by squaring.

    With d = p - a, x = b sqrt(v) and y = -q sqrt(n) they are equal exactly when d = x + y.
    """
    match = _ALONE.fullmatch(text) or _SUM.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r}: expected p, q*sqrt(n) or p + q*sqrt(n)")
    factor = Fraction(match["factor"] or 1) if match["radicand"] else Fraction(0)
    factor = factor if match["sign"] == "-" else -factor
    difference = Fraction(match["rational"] or 0) - number.a
    x_square = number.b**2 * number.v
    y_square = factor**2 * Fraction(match["radicand"] or 0)
    x_sign, y_sign = _sign(number.b) * _sign(x_square), _sign(factor) * _sign(y_square)
    # d = x + y exactly when the signs agree and d^2 = (x + y)^2, that is d^2 - x^2 - y^2 = 2xy.
    cross = difference**2 - x_square - y_square
    return (
        _sign(difference) == _sign_of_sum(x_sign, x_square, y_sign, y_square)
        and _sign(cross) == x_sign * y_sign
        and cross**2 == 4 * x_square * y_square
    )


def _sign_of_sum(first: int, first_square: Fraction, second: int, second_square: Fraction) -> int:
    """The sign of two numbers added, each given by its sign and its square."""
    if first == second or second == 0:
        return first
    return second if first == 0 else first * _sign(first_square - second_square)


def compositions(total: int, parts: int) -> list[tuple[int, ...]]:
    """The ways of writing a total as that many positive integers, in order."""
    return [parts_ for parts_ in product(range(1, total), repeat=parts) if sum(parts_) == total]
