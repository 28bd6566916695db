"""F_t and its gradient in balls (python-flint's arb), to any number of digits; comparisons refined until decided.

A response is evaluated once however often it was drawn; masses, normalisers and logarithms once for each theta.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Any

from flint import arb, ctx, fmpq, fmpz
from grpocheck.core.arithmetic.notation import Exact
from grpocheck.core.arithmetic.surd import Surd
from grpocheck.verifier.fast.batch import Batch

Row = list[Any]
ZERO = arb(0)
QUICK = 0.5
"""So much of the accuracy is asked for in floats, whose own rounding then does not matter."""
QUICK_DIGITS = 300
"""A share of more digits is no float."""


@dataclass(frozen=True)
class CertifiedBalls:
    """F_t, its gradient and its terms as balls; as numbers with errors (Certified) where they are read."""

    ball: Any
    balls: list[Row]
    terms: list[Any]
    method = "balls"

    @cached_property
    def objective(self) -> Fraction:
        """The middle of the ball of F_t."""
        return middle(self.ball)

    @cached_property
    def objective_error(self) -> Fraction:
        """Its radius."""
        return radius(self.ball)

    @cached_property
    def gradient(self) -> list[list[Fraction]]:
        """The middles of the gradient's balls, a row for each prompt."""
        return [list(map(middle, row)) for row in self.balls]

    @cached_property
    def gradient_error(self) -> Fraction:
        """The largest of their radii."""
        return max(radius(entry) for row in self.balls for entry in row)

    @cached_property
    def scale(self) -> Fraction:
        """A lower bound of the sum of the absolute terms of F_t."""
        return sum((middle(term.abs_lower()) for term in self.terms), Fraction(0))

    @cached_property
    def largest(self) -> Fraction:
        """A lower bound of the largest absolute entry of the gradient."""
        return max(middle(entry.abs_lower()) for row in self.balls for entry in row)

    def reaches(self, digits: int) -> bool:
        """Whether both errors are at most 10^-digits of what they are read beside; a quick look first."""
        flat = [entry for row in self.balls for entry in row]
        if digits <= QUICK_DIGITS:
            share = 10.0**-digits * QUICK
            worst = max(float(entry.rad()) for entry in flat)
            quick = any(abs(float(entry)) * share > worst for entry in flat)
            if quick and abs(float(self.ball)) * share > float(self.ball.rad()):
                return True
        if not all(entry.is_finite() for entry in (self.ball, *self.terms, *flat)):
            return False
        exact = Fraction(1, 10**digits)
        return self.objective_error <= exact * self.scale and self.gradient_error <= exact * self.largest


def ball(value: Exact) -> Any:
    """The ball of an exact number at the working precision."""
    if not isinstance(value, Surd):
        return arb(fmpq(value.numerator, value.denominator))
    total = arb(0)
    for key, coefficient in value.terms.items():
        root = arb(1)
        for radical in key:
            root *= arb(fmpz(radical)).sqrt()
        total += root * fmpq(coefficient.numerator, coefficient.denominator)
    return total


class Balls:
    """One batch at one precision."""

    def __init__(self, batch: Batch, bits: int) -> None:
        """Enclose the frozen data, once; the share 1/M of a prompt is put into every weight."""
        self.batch, self.bits = batch, bits
        with_precision(bits)
        upper, lower = ball(1 + batch.epsilon), ball(1 - batch.epsilon)
        share = Fraction(1, len(batch.reference))
        self.drawn: list[list[tuple[int, bool, Any, Any, Any]]] = []
        for row, counts, advantages in zip(batch.logits_old, batch.counts, batch.advantages, strict=True):
            old, own = masses(list(map(ball, row)))[0], []
            for j, (count, advantage) in enumerate(zip(counts, advantages, strict=True)):
                if count and advantage != 0:
                    weight = ball(advantage) * ball(share * Fraction(count, batch.group_size))
                    bound = upper if advantage > 0 else lower
                    own.append((j, advantage > 0, bound * old[j], weight / old[j], weight * bound))
            self.drawn.append(own)
        self.logs = [[ball(mass).log() for mass in row] for row in batch.reference] if batch.beta else []
        self.beta = ball(batch.beta * share)

    def at(self, logits: Sequence[Sequence[Any]]) -> CertifiedBalls | None:
        """F_t and its gradient; None where this precision does not decide a comparison."""
        with_precision(self.bits)
        objective, terms, gradient = arb(0), list[Any](), list[Row]()
        for place, (row, drawn) in enumerate(zip(logits, self.drawn, strict=True)):
            now, scores, total = masses(list(map(point, row)))
            slopes: dict[int, Any] = {}
            # At the old logits themselves every ratio is 1, which is not on a bound.
            same = all(new == old for new, old in zip(row, self.batch.logits_old[place], strict=True))
            for j, positive, edge, lift, clipped in drawn:
                mass = now[j]
                if same or (mass < edge if positive else mass > edge):
                    slopes[j] = lift
                    terms.append(mass * lift)
                elif mass > edge if positive else mass < edge:
                    terms.append(clipped)
                else:
                    return None
            if self.logs:
                normaliser, beta = total.log(), self.beta
                heights = []
                for score, log, mass in zip(scores, self.logs[place], now, strict=True):
                    pull = (score - normaliser - log) * beta
                    heights.append(-pull)
                    terms.append(-mass * pull)
                for j, lift in slopes.items():
                    heights[j] += lift
            else:
                heights = [slopes.get(j, ZERO) for j in range(len(row))]
            mean = sum(map(mul, now, heights), ZERO)
            gradient.append([mass * (height - mean) for mass, height in zip(now, heights, strict=True)])
        objective = sum(terms, ZERO)
        return CertifiedBalls(objective, gradient, terms)


def point(value: Any) -> Any:
    """A float or a rational as a ball; a float is exact."""
    return arb(value) if isinstance(value, float) else ball(Fraction(value))


def with_precision(bits: int) -> None:
    """Set the working precision of python-flint, which is one for the whole process."""
    ctx.prec = bits


def masses(logits: Row) -> tuple[Row, Row, Any]:
    """Masses, logits relative to the first, and the normaliser."""
    first = logits[0]
    scores = [logit - first for logit in logits]
    weights = [score.exp() for score in scores]
    total = sum(weights[1:], weights[0])
    inverse = 1 / total
    return [weight * inverse for weight in weights], scores, total


def middle(value: Any) -> Fraction:
    """The midpoint of a ball, exactly."""
    mantissa, exponent = value.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def radius(value: Any) -> Fraction:
    """The radius of a ball, exactly."""
    mantissa, exponent = value.rad().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
