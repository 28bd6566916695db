"""Terms against their formulas: values by hand, slopes by differences on either side."""

from fractions import Fraction as F

import pytest
from grpocheck.core.arithmetic import EnclosureArithmetic, ExactArithmetic, MpArithmetic
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.ratio import clipped_term
from grpocheck.core.variants.scores import CappedScore, ClippedWeight, GammaWeight, PlainScore
from grpocheck.core.variants.terms import Delta, DualClip, SoftGate, TwoSided, Unclipped, UpperCap

EXACT = ExactArithmetic()
FIFTH = F(1, 5)
RATIOS = [F(x) for x in ("1/10", "1/2", "4/5", "9/10", "1", "11/10", "6/5", "13/10", "3/2", "2", "3", "5")]
ADVANTAGES = [F(2), F(1, 3), F(0), F(-1, 3), F(-2)]


def clip(r, low, high):
    return min(1 + high, max(1 - low, r))


FORMULAS = [
    (Unclipped(), lambda r, a: r * a),
    (TwoSided(), lambda r, a: min(r * a, clip(r, FIFTH, FIFTH) * a)),
    (TwoSided(F(1, 10), F(3, 10)), lambda r, a: min(r * a, clip(r, F(1, 10), F(3, 10)) * a)),
    (UpperCap(), lambda r, a: min(r, F(6, 5)) * a),
    (UpperCap(F(1)), lambda r, a: min(r, F(2)) * a),
    (DualClip(), lambda r, a: max(min(r * a, clip(r, FIFTH, FIFTH) * a), 3 * a) if a < 0 else
     min(r * a, clip(r, FIFTH, FIFTH) * a)),
    (DualClip(cap=F(11, 10)), lambda r, a: max(min(r * a, clip(r, FIFTH, FIFTH) * a), F(11, 10) * a) if a < 0 else
     min(r * a, clip(r, FIFTH, FIFTH) * a)),
    (Delta(), lambda r, a: min(min(r, F(3, 2)) * a, clip(r, FIFTH, FIFTH) * a)),
    (Delta(delta=F(11, 10)), lambda r, a: min(min(r, F(11, 10)) * a, clip(r, FIFTH, FIFTH) * a)),
]


@pytest.mark.parametrize(("term", "formula"), FORMULAS, ids=lambda entry: repr(entry) if hasattr(entry, "word") else "")
@pytest.mark.parametrize("advantage", ADVANTAGES)
def test_clips_are_their_formulas_with_their_one_sided_slopes(term, formula, advantage):
    step = F(1, 10**6)
    for ratio in RATIOS:
        assert term.value(ratio, advantage, FIFTH, EXACT) == formula(ratio, advantage)
        left, right = term.slopes(ratio, advantage, FIFTH, EXACT)
        # piecewise linear with breaks at multiples of 1/10: the quotients are the slopes
        assert left == (formula(ratio, advantage) - formula(ratio - step, advantage)) / step
        assert right == (formula(ratio + step, advantage) - formula(ratio, advantage)) / step


@pytest.mark.parametrize("advantage", ADVANTAGES)
def test_equal_widths_are_the_clip_of_section_one(advantage):
    for ratio in RATIOS:
        assert TwoSided().value(ratio, advantage, FIFTH, EXACT) == clipped_term(ratio, advantage, FIFTH, EXACT)


def test_the_soft_gate_is_a_sigmoid_of_slope_a_on_policy():
    mp = MpArithmetic(40)
    gate = SoftGate(F(2), F(3))
    number, exp = mp.number, mp.context.exp
    for ratio, advantage, tau in ((F(3, 2), F(5), 2), (F(1, 2), F(-5), 3), (F(7, 4), F(0), 3)):
        found = gate.value(number(ratio), number(advantage), number(FIFTH), mp)
        expected = 4 / mp.context.mpf(tau) / (1 + exp(-tau * (number(ratio) - 1))) * number(advantage)
        assert abs(found - expected) < number(F(1, 10**36))
        step = number(F(1, 10**15))
        sides = [gate.value(number(ratio) + s * step, number(advantage), number(FIFTH), mp) for s in (-1, 1)]
        slopes = gate.slopes(number(ratio), number(advantage), number(FIFTH), mp)
        assert slopes[0] == slopes[1]
        assert abs(slopes[0] - (sides[1] - sides[0]) / (2 * step)) < number(F(1, 10**20))
    assert SoftGate().slopes(F(1), F(-7), FIFTH, EnclosureArithmetic()) == (-7, -7)


def test_detached_weights():
    weigh = lambda term, ratio, advantage=1: term.weight(F(ratio), F(advantage), FIFTH, EXACT)  # noqa: E731
    assert weigh(PlainScore(), "7/2") == 1
    assert [weigh(CappedScore(), r) for r in ("1/2", "6/5", "2")] == [F(1, 2), F(6, 5), F(6, 5)]
    assert [weigh(ClippedWeight(), r) for r in ("1/2", "5", "6")] == [F(1, 2), 5, 5]
    assert [weigh(ClippedWeight(F(5), F(4, 5)), r) for r in ("1/2", "1")] == [F(4, 5), 1]
    assert weigh(GammaWeight(), "1") == weigh(GammaWeight(), "1", "-1") == 1


def test_the_gamma_weight_is_its_formula():
    mp = MpArithmetic(40)
    number, exp = mp.number, mp.context.exp
    # VESPO's defaults: k = 2, lambda = 3 for A >= 0; k = 3, lambda = 2 for A < 0; e^l w^k e^(-l w)
    for advantage, k, rate in ((F(1), 2, 3), (F(0), 2, 3), (F(-1), 3, 2)):
        w = number(F(7, 4))
        found = GammaWeight().weight(w, number(advantage), number(FIFTH), mp)
        assert abs(found - exp(rate) * w**k * exp(-rate * w)) < number(F(1, 10**36))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: TwoSided(low=F(1)), "term,low: 1: expected a number strictly between 0 and 1"),
        (lambda: TwoSided(high=F(0)), "term,high: 0: expected a number above 0"),
        (lambda: UpperCap(F(-1)), "term,high"),
        (lambda: DualClip(cap=F(1)), "term,cap: 1: expected a number above 1"),
        (lambda: DualClip(low=F(2)), "term,low"),
        (lambda: Delta(delta=F(1)), "term,delta"),
        (lambda: SoftGate(positive=F(0)), "term,positive"),
        (lambda: CappedScore(F(0)), "term,high"),
        (lambda: ClippedWeight(F(2), F(3)), "term,floor: 3: expected a number between 0 and the cap"),
        (lambda: GammaWeight(negative_rate=F(0)), "term,negative-rate"),
    ],
)
def test_what_is_no_term_is_refused(make, message):
    with pytest.raises(InvalidProblem, match=message):
        make()
