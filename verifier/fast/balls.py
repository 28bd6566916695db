"""F_t and its gradient in balls (python-flint's arb), to any number of digits; comparisons refined until decided.

A response is evaluated once however often it was drawn; masses, normalisers and logarithms once for each theta.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq, fmpz
from grpocheck.core.arithmetic.notation import Exact
from grpocheck.core.arithmetic.surd import Surd
from grpocheck.verifier.fast.batch import Batch
from grpocheck.verifier.fast.values import Certified

Row = list[Any]


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
        """Enclose the frozen data, once."""
        self.batch, self.bits = batch, bits
        with_precision(bits)
        self.bounds = ball(1 + batch.epsilon), ball(1 - batch.epsilon)
        self.old = [masses(list(map(ball, row)))[0] for row in batch.logits_old]
        self.drawn: list[list[tuple[int, bool, Any, Any]]] = []
        for old, counts, advantages in zip(self.old, batch.counts, batch.advantages, strict=True):
            own = []
            for j, (count, advantage) in enumerate(zip(counts, advantages, strict=True)):
                if count and advantage != 0:
                    weight = ball(advantage) * fmpq(count, batch.group_size)
                    own.append((j, advantage > 0, weight, weight / old[j]))
            self.drawn.append(own)
        self.logs = [[ball(mass).log() for mass in row] for row in batch.reference] if batch.beta else []
        self.beta = fmpq(batch.beta.numerator, batch.beta.denominator)

    def at(self, logits: Sequence[Sequence[Fraction]]) -> Certified | None:
        """F_t and its gradient; None where this precision does not decide a comparison."""
        with_precision(self.bits)
        upper, lower = self.bounds
        objective, scale, gradient = arb(0), arb(0), list[Row]()
        for place, (row, old, drawn) in enumerate(zip(logits, self.old, self.drawn, strict=True)):
            now, scores, total = masses([arb(fmpq(*entry.as_integer_ratio())) for entry in row])
            same = tuple(row) == tuple(self.batch.logits_old[place])
            slopes: dict[int, Any] = {}
            for j, positive, weight, lift in drawn:
                ratio = arb(1) if same else now[j] / old[j]
                bound = upper if positive else lower
                if ratio < bound if positive else ratio > bound:
                    term = weight * ratio
                    slopes[j] = lift
                elif ratio > bound if positive else ratio < bound:
                    term = weight * bound
                else:
                    return None
                objective += term
                scale += abs(term)
            pulls: Row = []
            if self.batch.beta:
                normaliser = total.log()
                logs = zip(scores, self.logs[place], strict=True)
                pulls = [(score - normaliser - log) * self.beta for score, log in logs]
                for mass, pull in zip(now, pulls, strict=True):
                    objective -= mass * pull
                    scale += abs(mass * pull)
            mean = arb(0)
            heights: Row = []
            for j, mass in enumerate(now):
                height = slopes.get(j, 0) - pulls[j] if pulls else slopes.get(j, arb(0))
                heights.append(height)
                mean += mass * height
            gradient.append([mass * (height - mean) for mass, height in zip(now, heights, strict=True)])
        count = len(self.drawn)
        entries = [[entry / count for entry in row] for row in gradient]
        flat = [entry for row in entries for entry in row]
        return Certified(
            middle(objective / count),
            radius(objective / count),
            [[middle(entry) for entry in row] for row in entries],
            max(map(radius, flat)),
            middle((scale / count).abs_lower()),
            max(middle(abs(entry).abs_lower()) for entry in flat),
            "balls",
        )


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
