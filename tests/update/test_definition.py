"""Section 1 term by term, against values worked by hand and against mpmath."""

from fractions import Fraction as F

import pytest
from grpocheck.contracts.clauses import ContractViolation
from grpocheck.core.advantage import group_advantages, mean, population_standard_deviation, standardised
from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.ratio import active_bound, clip, clipped_term, importance_ratio
from mpmath import mp, mpf

EXACT = ExactArithmetic()
FIFTH = F(1, 5)


@pytest.mark.parametrize(
    ("rewards", "squares"),
    [
        # (1, 0, 0): mean 1/3, variance 2/9, A = (2/3)/(sqrt 2/3) = sqrt 2 and -1/sqrt 2
        ((1, 0, 0), (2, F(1, 2), F(1, 2))),
        # (1, 0, 0, 0): variance 3/16, A^2 = (9/16)/(3/16) = 3 = G - 1, the bound attained
        ((1, 0, 0, 0), (3, F(1, 3), F(1, 3), F(1, 3))),
        # (3, 1): one deviation each way, so A = +-1 whatever the scale
        ((3, 1), (1, 1)),
    ],
)
def test_advantages_by_hand(rewards, squares):
    found = group_advantages([F(r) for r in rewards], EXACT)
    assert tuple(a * a for a in found) == squares
    assert found[0] > 0
    assert all(a < 0 for a in found[1:])
    assert sum(found) == 0


@pytest.mark.parametrize("reward", [F(0), F(1, 3), F(1, 10), F(-7, 3)])
def test_a_constant_group_has_advantages_exactly_zero(reward):
    # in floats the mean of three 1/10 leaves a residue; here nothing is left
    assert group_advantages([reward] * 3, EXACT) == (0, 0, 0)
    assert population_standard_deviation([reward] * 3, EXACT) == 0


def test_the_deviation_is_the_populations():
    # rewards 1, 0: population deviation 1/2, sample deviation 1/sqrt 2
    assert population_standard_deviation([F(1), F(0)], EXACT) == F(1, 2)


def test_no_epsilon_in_the_denominator():
    tiny = F(1, 10**30)
    assert group_advantages([tiny, F(0)], EXACT) == (1, -1)


def test_clip_and_term_of_the_lesson():
    # seed [002], Example 2: A = 2, w = 1.4 -> 2.4; A = -2, w = 0.6 -> -1.6; A = -2, w = 1.4 -> -2.8 (not saturated)
    assert clipped_term(F(7, 5), F(2), FIFTH, EXACT) == F(12, 5)
    assert clipped_term(F(3, 5), F(-2), FIFTH, EXACT) == F(-8, 5)
    assert clipped_term(F(7, 5), F(-2), FIFTH, EXACT) == F(-14, 5)
    assert clipped_term(F(3, 5), F(2), FIFTH, EXACT) == F(6, 5)
    assert clipped_term(F(3, 5), F(0), FIFTH, EXACT) == 0


@pytest.mark.parametrize(
    ("ratio", "clipped"), [("1/2", "4/5"), ("4/5", "4/5"), ("1", "1"), ("11/10", "11/10"), ("6/5", "6/5"), ("9", "6/5")]
)
def test_clip(ratio, clipped):
    assert clip(F(ratio), FIFTH, EXACT) == F(clipped)


def test_the_active_bound_is_on_the_side_that_counts():
    assert active_bound(F(2), FIFTH, EXACT) == F(6, 5)
    assert active_bound(F(-1, 3), FIFTH, EXACT) == F(4, 5)
    with pytest.raises(ContractViolation, match="advantage 0 has no active bound"):
        active_bound(F(0), FIFTH, EXACT)


def test_divergence_of_the_two_paths():
    # seed [002], Example 1: KL([0.8, 0.2] || [0.5, 0.5]), weighted by the first
    arithmetic = EnclosureArithmetic(digits=40)
    value = kl_divergence([F(4, 5), FIFTH], [F(1, 2), F(1, 2)], arithmetic)
    lower, upper = arithmetic.text(value)
    with mp.workdps(60):
        expected = mpf(4) / 5 * mp.log(mpf(8) / 5) + mpf(1) / 5 * mp.log(mpf(2) / 5)
        assert mpf(lower) <= expected <= mpf(upper)
        assert mpf(upper) - mpf(lower) < mpf(10) ** -38
        assert mp.nstr(expected, 6) == "0.192745"


def test_divergence_is_weighted_by_the_current_policy():
    arithmetic = EnclosureArithmetic()
    forward = kl_divergence([F(4, 5), FIFTH], [F(1, 2), F(1, 2)], arithmetic)
    backward = kl_divergence([F(1, 2), F(1, 2)], [F(4, 5), FIFTH], arithmetic)
    assert F(192744, 10**6) < forward < F(192746, 10**6)
    assert F(223143, 10**6) < backward < F(223144, 10**6)  # log(5/4)


def test_divergence_at_the_reference_is_exactly_zero():
    masses = [F(1, 3), F(1, 2), F(1, 6)]
    assert kl_divergence(masses, masses, EXACT) == 0


def test_contracts_name_the_claim():
    with pytest.raises(ContractViolation, match=r"A3: .*denominator"):
        importance_ratio(F(1, 2), F(0))
    with pytest.raises(ContractViolation, match="A3: the current masses"):
        kl_divergence([F(1, 2), F(49, 100)], [F(1, 2), F(1, 2)], EXACT)
    with pytest.raises(ContractViolation, match="group size G is at least 2"):
        group_advantages([F(1)], EXACT)
    with pytest.raises(ContractViolation, match="at least one value"):
        mean([])
    with pytest.raises(ContractViolation, match="B1: the mean and the deviation are those of the rewards"):
        standardised([F(1), F(0)], F(1, 2), F(0), EXACT)


class SampleRoot(ExactArithmetic):
    """A square root that is off, as if the variance had been divided by G - 1 at G = 2."""

    def sqrt(self, value):
        return super().sqrt(2 * value)


def test_a_wrong_deviation_breaks_its_contract():
    with pytest.raises(ContractViolation, match="B1: s is the population standard deviation"):
        population_standard_deviation([F(1), F(0)], SampleRoot())
