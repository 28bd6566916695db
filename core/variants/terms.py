"""The terms: what a ratio and an advantage make of a token, as a function that is differentiated.

A surrogate term is a function of the ratio r alone for a given advantage A, and its gradient goes through the ratio.
All clips are of one shape, A times r held between two bounds that depend on the sign of A; section 1's is
min(r A, clip(r) A). A term has a left and a right slope in r, and they differ at a kink.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.contracts.comparisons import at_most, below, decided_sign, equal
from grpocheck.contracts.predicates import lies_between
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.variants.checks import check, check_positive

Bounds = tuple[Scalar | None, Scalar | None]
"""Between which numbers a clip holds the ratio; None where it holds nothing."""


class Term(ABC):
    """What a variant makes of a ratio and an advantage."""

    word: ClassVar[str]
    formula: ClassVar[str]
    source: ClassVar[str]


class Surrogate(Term):
    """A term that is differentiated through its ratio."""

    @abstractmethod
    def value(self, ratio: Scalar, advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic) -> Scalar:
        """The term, in advantage units."""

    @abstractmethod
    def slopes(
        self, ratio: Scalar, advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic
    ) -> tuple[Scalar, Scalar]:
        """The left and the right derivative of the term by its ratio."""


class Clamped(Surrogate):
    """A min(upper, max(lower, r)) with bounds that depend on the sign of A."""

    @abstractmethod
    def bounds(self, positive: bool, epsilon: Scalar, arithmetic: Arithmetic) -> Bounds:
        """The bounds for a positive, or for a negative, advantage."""

    @require(lambda ratio: below(0, ratio), "B3: the ratio is positive")
    @require(lambda epsilon: below(0, epsilon) and below(epsilon, 1), "0 < epsilon < 1")
    @ensure(
        lambda advantage, result: decided_sign(advantage) != 0 or equal(result, 0), "E1: A = 0 makes a term of 0"
    )
    def value(self, ratio: Scalar, advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic) -> Scalar:
        """A times the ratio held between the bounds."""
        if arithmetic.equal(advantage, 0):
            return advantage
        lower, upper = self.bounds(arithmetic.less(0, advantage), epsilon, arithmetic)
        held = ratio if lower is None else arithmetic.maximum(lower, ratio)
        return advantage * (held if upper is None else arithmetic.minimum(upper, held))

    @require(lambda ratio: below(0, ratio), "B3: the ratio is positive")
    @require(lambda epsilon: below(0, epsilon) and below(epsilon, 1), "0 < epsilon < 1")
    @ensure(
        lambda advantage, result: all(equal(slope, 0) or equal(slope, advantage) for slope in result),
        "F2: a clip keeps the slope A or takes it away",
    )
    def slopes(
        self, ratio: Scalar, advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic
    ) -> tuple[Scalar, Scalar]:
        """A inside the bounds and 0 outside; on a bound one of each."""
        zero = advantage - advantage
        if arithmetic.equal(advantage, 0):
            return zero, zero
        lower, upper = self.bounds(arithmetic.less(0, advantage), epsilon, arithmetic)
        if (lower is not None and arithmetic.less(ratio, lower)) or (
            upper is not None and arithmetic.less(upper, ratio)
        ):
            return zero, zero
        left = zero if lower is not None and arithmetic.equal(ratio, lower) else advantage
        right = zero if upper is not None and arithmetic.equal(ratio, upper) else advantage
        return left, right


@dataclass(frozen=True)
class Unclipped(Clamped):
    """r A, whatever the ratio."""

    word: ClassVar[str] = "unclipped"
    formula: ClassVar[str] = "r A"
    source: ClassVar[str] = "importance sampling"

    @require(lambda epsilon: below(0, epsilon), "0 < epsilon")
    @ensure(lambda result: result == (None, None), "nothing is held")
    def bounds(self, positive: bool, epsilon: Scalar, arithmetic: Arithmetic) -> Bounds:
        """No bounds."""
        return None, None


@dataclass(frozen=True)
class TwoSided(Clamped):
    """The pessimistic one of r A and clip(r) A; widths that are not stated are the problem's epsilon.

    Unequal widths are DAPO's clip-higher.
    """

    low: Fraction | None = None
    high: Fraction | None = None

    word: ClassVar[str] = "two-sided"
    formula: ClassVar[str] = "min(r A, clip(r, 1-low, 1+high) A)"
    source: ClassVar[str] = "PPO, arXiv 1707.06347; section 1"

    @ensure(lambda self: self.low is None or 0 < self.low < 1, "0 < low < 1")
    @ensure(lambda self: self.high is None or self.high > 0, "0 < high")
    def __post_init__(self) -> None:
        """Refuse widths that leave a ratio of 1 outside."""
        check("term,low", self.low, self.low is None or 0 < self.low < 1, "a number strictly between 0 and 1")
        check_positive("term,high", self.high)

    @require(lambda epsilon: below(0, epsilon) and below(epsilon, 1), "0 < epsilon < 1")
    @ensure(lambda result: below(result[0], 1) and below(1, result[1]), "a ratio of 1 is inside")
    def widths(self, epsilon: Scalar, arithmetic: Arithmetic) -> tuple[Scalar, Scalar]:
        """1 - low and 1 + high."""
        low = epsilon if self.low is None else arithmetic.number(self.low)
        high = epsilon if self.high is None else arithmetic.number(self.high)
        return 1 - low, 1 + high

    @require(lambda epsilon: below(0, epsilon) and below(epsilon, 1), "0 < epsilon < 1")
    @ensure(
        lambda positive, result: (result[0] is None) == positive,
        "F2: only the side counts on which the advantage would gain",
    )
    def bounds(self, positive: bool, epsilon: Scalar, arithmetic: Arithmetic) -> Bounds:
        """1 + high above for A > 0, 1 - low below for A < 0."""
        lower, upper = self.widths(epsilon, arithmetic)
        return (None, upper) if positive else (lower, None)


@invariant(lambda self: self.high is None or self.high > 0, "0 < high")
@dataclass(frozen=True)
class UpperCap(Clamped):
    """The ratio capped from above alone, for either sign of A: the surrogate of TIC-GRPO.

    It is also what is left of the two-sided clip when the minimum is taken before the product with A.
    """

    high: Fraction | None = None

    word: ClassVar[str] = "upper-cap"
    formula: ClassVar[str] = "min(r, 1+high) A"
    source: ClassVar[str] = "TIC-GRPO, section 3"

    def __post_init__(self) -> None:
        """Refuse a cap at or below 1."""
        check_positive("term,high", self.high)

    @require(lambda epsilon: below(0, epsilon), "0 < epsilon")
    @ensure(lambda result: result[0] is None and below(1, result[1]), "a cap above 1, and no bound below")
    def bounds(self, positive: bool, epsilon: Scalar, arithmetic: Arithmetic) -> Bounds:
        """1 + high above."""
        return None, 1 + (epsilon if self.high is None else arithmetic.number(self.high))


@dataclass(frozen=True)
class DualClip(TwoSided):
    """The two-sided clip with a second bound for A < 0, so that no term falls below cap A."""

    cap: Fraction = Fraction(3)

    word: ClassVar[str] = "dual-clip"
    formula: ClassVar[str] = "A < 0: max(min(r A, clip(r) A), cap A)"
    source: ClassVar[str] = "arXiv 1912.09729; verl's clip_ratio_c"

    @ensure(lambda self: self.cap > 1, "the second bound lies above 1")
    def __post_init__(self) -> None:
        """Refuse a second bound at or below 1."""
        super().__post_init__()
        check("term,cap", self.cap, self.cap > 1, "a number above 1")

    @require(lambda epsilon: below(0, epsilon) and below(epsilon, 1), "0 < epsilon < 1")
    @ensure(lambda positive, result: result[1] is not None and (result[0] is None) == positive, "A < 0 is held twice")
    def bounds(self, positive: bool, epsilon: Scalar, arithmetic: Arithmetic) -> Bounds:
        """As two-sided for A > 0; 1 - low below and the cap above for A < 0."""
        lower, upper = self.widths(epsilon, arithmetic)
        return (None, upper) if positive else (lower, arithmetic.number(self.cap))


@dataclass(frozen=True)
class Delta(TwoSided):
    """The two-sided clip with the unclipped ratio itself capped at delta."""

    delta: Fraction = Fraction(3, 2)

    word: ClassVar[str] = "delta"
    formula: ClassVar[str] = "min(min(r, delta) A, clip(r) A)"
    source: ClassVar[str] = "INTELLECT-2, arXiv 2505.07291; TRL's delta"

    @ensure(lambda self: self.delta > 1, "delta lies above 1")
    def __post_init__(self) -> None:
        """Refuse a delta at or below 1."""
        super().__post_init__()
        check("term,delta", self.delta, self.delta > 1, "a number above 1")

    @require(lambda epsilon: below(0, epsilon) and below(epsilon, 1), "0 < epsilon < 1")
    @ensure(lambda positive, result: result[1] is not None and (result[0] is None) == positive, "A < 0 is held twice")
    def bounds(self, positive: bool, epsilon: Scalar, arithmetic: Arithmetic) -> Bounds:
        """The lesser of delta and 1 + high for A > 0; for A < 0 the greater of them, and 1 - low below."""
        lower, upper = self.widths(epsilon, arithmetic)
        delta = arithmetic.number(self.delta)
        if positive:
            return None, arithmetic.minimum(upper, delta)
        return lower, arithmetic.maximum(upper, delta)


@invariant(lambda self: self.positive > 0 and self.negative > 0, "temperatures are positive")
@dataclass(frozen=True)
class SoftGate(Surrogate):
    """SAPO: a sigmoid gate in place of the clip, of slope A at r = 1, with a temperature for each sign of A."""

    positive: Fraction = Fraction(1)
    negative: Fraction = Fraction(21, 20)

    word: ClassVar[str] = "soft-gate"
    formula: ClassVar[str] = "4/tau sigmoid(tau (r-1)) A, tau by the sign of A"
    source: ClassVar[str] = "SAPO, arXiv 2511.20347"

    def __post_init__(self) -> None:
        """Refuse temperatures that are not positive."""
        check_positive("term,positive", self.positive)
        check_positive("term,negative", self.negative)

    @require(lambda ratio: below(0, ratio), "B3: the ratio is positive")
    @ensure(lambda result: lies_between(result[0], 0, 1), "a gate lies between 0 and 1")
    def gate(self, ratio: Scalar, advantage: Scalar, arithmetic: Arithmetic) -> tuple[Scalar, Scalar]:
        """sigmoid(tau (r-1)), and tau."""
        tau = arithmetic.number(self.positive if arithmetic.less(0, advantage) else self.negative)
        return 1 / (1 + arithmetic.exp(tau * (1 - ratio))), tau

    @require(lambda ratio: below(0, ratio), "B3: the ratio is positive")
    @ensure(lambda self, advantage, result: at_most(result * advantage, 4 / min(self.positive, self.negative)
            * advantage**2), "a gate is at most 1")
    def value(self, ratio: Scalar, advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic) -> Scalar:
        """4/tau sigmoid(tau (r-1)) A."""
        gate, tau = self.gate(ratio, advantage, arithmetic)
        return 4 * gate * advantage / tau

    @require(lambda ratio: below(0, ratio), "B3: the ratio is positive")
    @ensure(lambda advantage, result: at_most(result[0] ** 2, advantage**2), "the slope is at most that at r = 1, A")
    def slopes(
        self, ratio: Scalar, advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic
    ) -> tuple[Scalar, Scalar]:
        """4 sigmoid (1 - sigmoid) A on both sides: there is no kink."""
        gate, _ = self.gate(ratio, advantage, arithmetic)
        slope = 4 * gate * (1 - gate) * advantage
        return slope, slope
