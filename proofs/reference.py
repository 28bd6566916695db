"""A second reading of section 1, for one prompt and one outer iteration, that shares no code with core.

Numbers are a + b sqrt(v) with rational a, b, v, in a few lines of their own. Gradients are not taken by the rule that
core uses (claim F2): each term min(rho A, clip(rho) A) is followed with its one-sided derivatives through min and max,
and F is differentiable where the two sides of every coordinate agree. (Each term is concave in rho and rho is affine in
theta here, so F is concave, and a concave function whose partial derivatives exist is differentiable.)
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product


@dataclass(frozen=True)
class Number:
    """a + b sqrt(v), where v >= 0 is fixed for a whole run."""

    a: Fraction
    b: Fraction
    v: Fraction

    def __add__(self, other: "Number") -> "Number":
        """The sum."""
        return Number(self.a + other.a, self.b + other.b, self.v)

    def __sub__(self, other: "Number") -> "Number":
        """The difference."""
        return Number(self.a - other.a, self.b - other.b, self.v)

    def __mul__(self, other: "Number") -> "Number":
        """The product."""
        if not other.b:
            return Number(self.a * other.a, self.b * other.a if self.b else self.b, self.v)
        return Number(self.a * other.a + self.b * other.b * self.v, self.a * other.b + self.b * other.a, self.v)

    def __truediv__(self, other: "Number") -> "Number":
        """The quotient, by the conjugate; where the conjugate is 0 the divisor is 2a."""
        if not other.b:
            return Number(self.a / other.a, self.b / other.a, self.v)
        norm = other.a**2 - other.b**2 * self.v
        if other.sign() == 0:
            raise ZeroDivisionError(f"{self} / {other}")
        if norm == 0:
            return self * Number(1 / (2 * other.a), Fraction(0), self.v)
        return self * Number(other.a / norm, -other.b / norm, self.v)

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
    """One prompt, one outer iteration: simplex masses, rewards, the positions drawn, epsilon, K steps of one size."""

    masses: tuple[Fraction, ...]
    rewards: tuple[Fraction, ...]
    drawn: tuple[int, ...]
    epsilon: Fraction
    step_size: Fraction
    inner_steps: int


@dataclass(frozen=True)
class Expected:
    """What section 1 says of a case."""

    variance: Fraction
    advantages: tuple[Number, ...]
    attempts: tuple[tuple[Number, ...] | None, ...]
    """The answer to each gradient attempt; None for undefined."""
    memberships: tuple[bool, ...]
    applied: tuple[tuple[Number, ...], ...]
    objectives: tuple[Number, ...]
    """F after each applied step."""

    @property
    def status(self) -> str:
        """The status in which the run ends."""
        if self.attempts[-1] is None:
            return "undefined-gradient"
        return "complete" if self.memberships[-1] else "invalid-update"


Signed = tuple[Number, Number, Number]
"""A value with its derivatives to the right and to the left (the left one as the slope of moving back)."""


class Section1:
    """The definitions of section 1 for one case, with beta = 0."""

    def __init__(self, case: Case) -> None:
        """Rewards, mean, population variance and advantages of the drawn group."""
        self.case = case
        drawn = [case.rewards[position] for position in case.drawn]
        mean = sum(drawn, Fraction(0)) / len(drawn)
        self.variance = sum(((reward - mean) ** 2 for reward in drawn), Fraction(0)) / len(drawn)
        deviation = self.number(0, 1)
        self.advantages = tuple(
            self.number(reward - mean) / deviation if self.variance else self.number(0) for reward in drawn
        )
        self.theta_old = tuple(self.number(mass) for mass in case.masses[:-1])

    def number(self, a: Fraction | int, b: Fraction | int = 0) -> Number:
        """a + b s, with s the deviation of the group."""
        return Number(Fraction(a), Fraction(b), self.variance)

    def masses(self, theta: Sequence[Number]) -> tuple[Number, ...]:
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
        lower = self.constant(1 - self.case.epsilon)
        upper = self.constant(1 + self.case.epsilon)
        clipped = smaller(upper, larger(lower, ratio))
        return smaller(scaled(ratio, advantage), scaled(clipped, advantage))

    def constant(self, value: Fraction) -> Signed:
        """A constant does not move."""
        return self.number(value), self.number(0), self.number(0)

    def objective(self, theta: Sequence[Number], slopes: Sequence[Number]) -> Signed:
        """F at theta, with its derivatives along a direction in which the masses have these slopes, and back."""
        old, new = self.masses(self.theta_old), self.masses(theta)
        share = self.number(Fraction(1, len(self.case.drawn)))
        total = self.constant(Fraction(0))
        for position, advantage in zip(self.case.drawn, self.advantages, strict=True):
            slope = slopes[position] / old[position]
            ratio = (new[position] / old[position], slope, self.number(0) - slope)
            term = scaled(self.term(ratio, advantage), share)
            total = (total[0] + term[0], total[1] + term[1], total[2] + term[2])
        return total

    def gradient(self, theta: Sequence[Number]) -> tuple[Number, ...] | None:
        """The gradient, None where moving forth and back along some coordinate does not cancel."""
        entries = []
        for axis in range(len(theta)):
            slopes = [self.number(int(position == axis)) for position in range(len(theta))] + [self.number(-1)]
            _, forth, back = self.objective(theta, slopes)
            if (forth + back).sign() != 0:
                return None
            entries.append(forth)
        return tuple(entries)

    def run(self) -> Expected:
        """The inner steps of section 1."""
        theta, step = self.theta_old, self.number(self.case.step_size)
        still = [self.number(0)] * len(self.case.masses)
        attempts: list[tuple[Number, ...] | None] = []
        memberships: list[bool] = []
        applied: list[tuple[Number, ...]] = []
        objectives: list[Number] = []
        while len(applied) < self.case.inner_steps:
            attempts.append(self.gradient(theta))
            if attempts[-1] is None:
                break
            proposal = tuple(entry + step * slope for entry, slope in zip(theta, attempts[-1], strict=True))
            memberships.append(self.inside(proposal))
            if not memberships[-1]:
                break
            theta = proposal
            applied.append(theta)
            objectives.append(self.objective(theta, still)[0])
        return Expected(
            self.variance, self.advantages, tuple(attempts), tuple(memberships), tuple(applied), tuple(objectives)
        )


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
