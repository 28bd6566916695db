"""Score terms: a weight that is not differentiated, on A times the score grad log pi of each token.

The gradient of such a term is weight A grad log pi(a_h|s_h); REINFORCE has the weight 1. As a function it is
weight A log pi with the weight held fixed, which trainers print as a loss and which estimates nothing.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.contracts.comparisons import at_most, below, decided_sign, equal
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.variants.checks import check, check_positive
from grpocheck.core.variants.terms import Term


class Score(Term):
    """A term whose weight is detached from its gradient."""

    @abstractmethod
    def weight(self, ratio: Scalar, advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic) -> Scalar:
        """The detached weight on A grad log pi."""


@dataclass(frozen=True)
class PlainScore(Score):
    """A grad log pi, whatever the ratio."""

    word: ClassVar[str] = "score"
    formula: ClassVar[str] = "A log pi"
    source: ClassVar[str] = "REINFORCE, Williams 1992"

    @require(lambda ratio: below(0, ratio), "B3: the ratio is positive")
    @ensure(lambda result: equal(result, 1), "REINFORCE weighs every token alike")
    def weight(self, ratio: Scalar, advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic) -> Scalar:
        """1."""
        return arithmetic.number(Fraction(1))


@invariant(lambda self: self.high is None or self.high > 0, "0 < high")
@dataclass(frozen=True)
class CappedScore(Score):
    """The ratio, capped from above, as a detached weight: TIC-GRPO's score form."""

    high: Fraction | None = None

    word: ClassVar[str] = "capped-score"
    formula: ClassVar[str] = "sg[min(r, 1+high)] A log pi"
    source: ClassVar[str] = "TIC-GRPO, section 3"

    def __post_init__(self) -> None:
        """Refuse a cap at or below 1."""
        check_positive("term,high", self.high)

    @require(lambda ratio: below(0, ratio), "B3: the ratio is positive")
    @ensure(lambda ratio, result: below(0, result) and at_most(result, ratio), "a capped ratio is at most the ratio")
    def weight(self, ratio: Scalar, advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic) -> Scalar:
        """min(r, 1 + high)."""
        return arithmetic.minimum(ratio, 1 + (epsilon if self.high is None else arithmetic.number(self.high)))


@invariant(lambda self: self.cap > 0 and (self.floor is None or 0 < self.floor < self.cap), "0 < floor < cap")
@dataclass(frozen=True)
class ClippedWeight(Score):
    """CISPO: the ratio held at most at the cap (and at least at the floor) as a detached weight."""

    cap: Fraction = Fraction(5)
    floor: Fraction | None = None

    word: ClassVar[str] = "clipped-weight"
    formula: ClassVar[str] = "sg[min(max(r, floor), cap)] A log pi"
    source: ClassVar[str] = "CISPO, MiniMax-M1, arXiv 2506.13585; the cap 5 of ScaleRL, arXiv 2510.13786"

    def __post_init__(self) -> None:
        """Refuse bounds that hold no interval of positive numbers."""
        check_positive("term,cap", self.cap)
        inside = self.floor is None or 0 < self.floor < self.cap
        check("term,floor", self.floor, inside, "a number between 0 and the cap")

    @require(lambda ratio: below(0, ratio), "B3: the ratio is positive")
    @ensure(lambda self, result: at_most(result, self.cap), "the weight is at most the cap")
    def weight(self, ratio: Scalar, advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic) -> Scalar:
        """min(max(r, floor), cap)."""
        held = ratio if self.floor is None else arithmetic.maximum(ratio, arithmetic.number(self.floor))
        return arithmetic.minimum(held, arithmetic.number(self.cap))


@invariant(
    lambda self: min(self.positive_power, self.negative_power) >= 0 and min(self.positive_rate, self.negative_rate) > 0,
    "powers are not negative, rates are positive",
)
@dataclass(frozen=True)
class GammaWeight(Score):
    """VESPO: e^rate r^power e^(-rate r), which is 1 at r = 1, as a detached weight; power and rate by the sign of A."""

    positive_power: int = 2
    positive_rate: Fraction = Fraction(3)
    negative_power: int = 3
    negative_rate: Fraction = Fraction(2)

    word: ClassVar[str] = "gamma-weight"
    formula: ClassVar[str] = "sg[r^k exp(lambda (1-r))] A log pi, k and lambda by the sign of A"
    source: ClassVar[str] = "VESPO, arXiv 2602.10693"

    def __post_init__(self) -> None:
        """Refuse powers below 0 and rates that are not positive."""
        for sign in ("positive", "negative"):
            power, rate = getattr(self, f"{sign}_power"), getattr(self, f"{sign}_rate")
            check(f"term,{sign}-power", power, power >= 0, "a count of at least 0")
            check_positive(f"term,{sign}-rate", rate)

    @require(lambda ratio: below(0, ratio), "B3: the ratio is positive")
    @ensure(lambda result: below(0, result), "the weight is positive")
    @ensure(
        lambda ratio, result: decided_sign(ratio - 1) != 0 or equal(result, 1), "on policy every response weighs 1"
    )
    def weight(self, ratio: Scalar, advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic) -> Scalar:
        """r^k exp(lambda (1-r))."""
        if arithmetic.less(advantage, 0):
            power, rate = self.negative_power, self.negative_rate
        else:
            power, rate = self.positive_power, self.positive_rate
        return ratio**power * arithmetic.exp(arithmetic.number(rate) * (1 - ratio))
