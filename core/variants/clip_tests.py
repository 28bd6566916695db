"""On which tokens a clip takes the gradient away, and what two mistaken tests count in its place."""

from enum import Enum
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.batch import Batch
from grpocheck.core.variants.evaluation import samples_of
from grpocheck.core.variants.frozen_batch import freeze_batch
from grpocheck.core.variants.ratios import ratios
from grpocheck.core.variants.terms import TwoSided
from grpocheck.core.variants.variant import Variant


class ClipTest(Enum):
    """Which tokens are counted as clipped.

    Binding: those whose term has lost its slope. Inverted: those outside the range on the side where the advantage does
    not count, which keep it. Range-only: those outside the range, whatever their advantage.
    """

    BINDING = "binding"
    INVERTED = "inverted"
    RANGE_ONLY = "range-only"


@require(lambda epsilon: 0 < epsilon < 1, "0 < epsilon < 1")
@ensure(
    lambda test, advantage, result: not result or test is ClipTest.RANGE_ONLY or advantage != 0,
    "E1: a term of advantage 0 has no slope to lose",
)
def counts_as_clipped(
    term: TwoSided, test: ClipTest, ratio: Scalar, advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic
) -> bool:
    """Whether a test counts a token of this ratio and advantage."""
    if test is ClipTest.BINDING:
        slopes = term.slopes(ratio, advantage, epsilon, arithmetic)
        return not arithmetic.equal(advantage, 0) and all(arithmetic.equal(slope, 0) for slope in slopes)
    lower, upper = term.widths(epsilon, arithmetic)
    above, below = arithmetic.less(upper, ratio), arithmetic.less(ratio, lower)
    if test is ClipTest.RANGE_ONLY:
        return above or below
    return (above and arithmetic.less(advantage, 0)) or (below and arithmetic.less(0, advantage))


@require(lambda batch: len(batch.groups) >= 1, "a batch has a group")
@ensure(lambda result: 0 <= result <= 1, "a share of the active tokens")
def clipped_share(variant: Variant, batch: Batch, test: ClipTest, arithmetic: Arithmetic) -> Fraction:
    """The share of a batch's active tokens that a test counts as clipped; InvalidProblem without a two-sided clip."""
    term, active, counted = variant.term, 0, 0
    if not isinstance(term, TwoSided):
        raise InvalidProblem("term", term.word, "a term with a clip on both sides")
    for sample in samples_of(freeze_batch(variant, batch, arithmetic)):
        for ratio in ratios(sample.drawn, variant.ratio, arithmetic):
            active += 1
            counted += counts_as_clipped(term, test, ratio, sample.advantage, batch.epsilon, arithmetic)
    return Fraction(counted, max(1, active))
