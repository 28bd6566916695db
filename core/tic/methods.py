"""The methods that section 3 compares: the level of the ratio, the reading of the cap, and the clip.

The clip is a term of grpocheck.core.variants: the upper cap min(r, 1 + epsilon), for either sign of A, or section 1's
two-sided clip, which for A > 0 is the same and for A < 0 is max(r, 1 - epsilon), with no cap above.
"""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.variants.ratios import Level
from grpocheck.core.variants.terms import Clamped, TwoSided, Unclipped, UpperCap

EPSILON = Fraction(1, 5)
"""Section 3's clip threshold."""

EXACT = ExactArithmetic()
UPPER_CAP = UpperCap()


class Reading(Enum):
    """What the abstract of [001] leaves open.

    Surrogate: the capped objective is differentiated, so that what is capped contributes no gradient. Score: the
    capped ratio is a detached weight on A times the score.
    """

    SURROGATE = "surrogate"
    SCORE = "score"


@dataclass(frozen=True)
class Method:
    """A level, a reading and a clip."""

    level: Level
    reading: Reading
    clip: Clamped = UPPER_CAP

    @property
    @ensure(lambda self, result: result.split()[0] in ("token", "trajectory"), "the level comes first")
    def name(self) -> str:
        """Such as ``trajectory surrogate upper-cap``."""
        level = "trajectory" if self.level is Level.SEQUENCE else "token"
        return f"{level} {self.reading.value} {self.clip.word}"

    @ensure(lambda self: self.level is not Level.GEOMETRIC, "a ratio per token, or of the whole trajectory")
    def __post_init__(self) -> None:
        """State which methods section 3 compares."""

    @require(lambda ratio: ratio > 0, "B3: a ratio is positive")
    @require(lambda advantage: advantage in (1, -1), "on the class I_H an advantage is 1 or -1")
    @require(lambda epsilon: 0 < epsilon < 1, "0 < epsilon < 1")
    @ensure(
        lambda self, ratio, advantage, epsilon, result: isinstance(self.clip, Unclipped)
        or (isinstance(self.clip, TwoSided) and advantage < 0)
        or 0 <= result <= min(ratio, 1 + epsilon),
        "E1: a weight is at most 1 + epsilon, but for the two-sided clip and A < 0",
    )
    def weight(self, ratio: Fraction, advantage: int, epsilon: Fraction) -> Fraction:
        """What A times the score is multiplied by: a ratio that is at its bound counts as clipped."""
        sign = Fraction(advantage)
        if self.reading is Reading.SCORE:
            return Fraction(self.clip.value(ratio, sign, epsilon, EXACT) / sign)
        left, right = self.clip.slopes(ratio, sign, epsilon, EXACT)
        return ratio * (left / sign) if left == right else Fraction(0)
