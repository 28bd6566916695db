"""The parts of the definition against numbers worked out by hand."""

from fractions import Fraction as F

import mpmath
import pytest
from grpocheck.contracts.clauses import ENABLED, ContractViolation
from grpocheck.core.advantage import mean
from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.core.training_free.decoding import ResponseLevel, TokenLevel, decoded, entropy, reweighted
from grpocheck.core.training_free.patterns import Bank, Pattern
from grpocheck.core.training_free.responses import Response, Shape
from grpocheck.core.training_free.reward import Weights, epistemic_reward, external_reward, reward
from grpocheck.core.training_free.stopping import Stop, stopping_reason
from grpocheck.core.training_free.whitening import sample_deviation, whitened

ARITHMETIC = EnclosureArithmetic()
DEFAULT = Weights()
NEEDS_CONTRACTS = pytest.mark.skipif(not ENABLED, reason="contracts are off")


# --- patterns and factors: w = 1 + kappa max(0, 2c - 1)


@pytest.mark.parametrize(
    ("confidence", "kappa", "weight", "factor"),
    [
        ("0", "1", "0", "1"),
        ("1/2", "5", "0", "1"),  # exactly even odds: weight 0
        ("51/100", "1", "1/50", "51/50"),
        ("3/4", "1", "1/2", "3/2"),
        ("3/4", "2/3", "1/2", "4/3"),
        ("1", "3", "1", "4"),
    ],
)
def test_a_confidence_becomes_a_factor(confidence: str, kappa: str, weight: str, factor: str) -> None:
    pattern = Pattern("p", F(confidence), ("a",))
    assert pattern.weight == F(weight)
    assert pattern.factor(F(kappa)) == F(factor)


def test_factors_multiply_over_the_patterns_whose_tokens_occur() -> None:
    # w = 3/2 on a or b, 2 on b, 1 (weight 0) on a, and one of no tokens
    bank = Bank(
        F(1),
        (
            Pattern("1", F(3, 4), ("a", "b")),
            Pattern("2", F(1), ("b",)),
            Pattern("3", F(1, 3), ("a",)),
            Pattern("4", F(1), ()),
        ),
    )
    assert bank.response_factor(Response(("a", "c"), "a c")) == F(3, 2)
    assert bank.response_factor(Response(("a", "b"), "a b")) == 3  # the first pattern counts once, though both occur
    assert bank.response_factor(Response(("c",), "c")) == 1
    assert bank.token_factor("b") == 3
    assert bank.token_factor("a") == F(3, 2)
    assert bank.token_factor("c") == 1


def test_the_bank_only_grows_and_keeps_its_order() -> None:
    first, second = Pattern("1", F(1), ("a",)), Pattern("2", F(1), ("b",))
    bank = Bank(F(1), (first,))
    assert bank.extended((second, first)).patterns == (first, second, first)
    assert bank.extended(()).patterns == (first,)
    assert bank.patterns == (first,)


# --- product of experts


def test_reweighting_by_hand() -> None:
    # 1/4, 5/12, 1/3 times 1, 3/2, 1 = 6/24, 15/24, 8/24 over 29/24
    assert reweighted((F(1, 4), F(5, 12), F(1, 3)), (F(1), F(3, 2), F(1))) == (F(6, 29), F(15, 29), F(8, 29))


def test_a_pattern_with_no_tokens_and_a_factor_of_weight_0_change_nothing() -> None:
    base = ResponseLevel((Response(("a",), "a"), Response(("b",), "b")), (F(1, 3), F(2, 3)))
    bank = Bank(F(7), (Pattern("none", F(1), ()), Pattern("even odds", F(1, 2), ("a",))))
    assert decoded(base, bank) == base


def test_token_by_token_is_not_the_same_as_response_by_response() -> None:
    shape = Shape(2)
    rows = {
        (): (("a", F(1, 2)), ("b", F(1, 2))),
        ("a",): (("c", F(1, 3)), ("d", F(2, 3))),
        ("b",): (("d", F(1)),),
    }
    base = TokenLevel(shape, rows)
    assert {response.tokens: mass for response, mass in base.law()} == {
        ("a", "c"): F(1, 6), ("a", "d"): F(1, 3), ("b", "d"): F(1, 2),
    }  # fmt: skip
    bank = Bank(F(1), (Pattern("d", F(1), ("d",)),))
    # after a: 1/3 and 2/3 * 2 over 5/3; after b: d alone, whatever its factor
    assert {response.tokens: mass for response, mass in decoded(base, bank).law()} == {
        ("a", "c"): F(1, 10), ("a", "d"): F(2, 5), ("b", "d"): F(1, 2),
    }  # fmt: skip
    listed = ResponseLevel(*zip(*base.law(), strict=True))
    # whole responses: 1/6, 2/3, 1 over 11/6
    assert decoded(listed, bank).masses == (F(1, 11), F(4, 11), F(6, 11))


def test_the_end_token_ends_a_response_and_is_no_part_of_its_text() -> None:
    shape = Shape(3, ".", " ")
    assert shape.is_whole(("a", "."))
    assert shape.is_whole(("a", "b", "a"))
    assert not shape.is_whole(("a", "b"))
    assert not shape.is_whole(())
    assert shape.response(("a", ".")).text == "a"
    assert shape.response(("a", "b", "a")).text == "a b a"


def test_entropies_against_mpmath() -> None:
    with mpmath.workdps(40):
        p, q = mpmath.mpf(1) / 4, mpmath.mpf(3) / 4
        expected = -(p * mpmath.log(p) + q * mpmath.log(q))
        lower, upper = map(mpmath.mpf, ARITHMETIC.text(entropy((F(1, 4), F(3, 4)), ARITHMETIC)))
        assert lower <= expected <= upper
    assert entropy((F(1),), ARITHMETIC) == 0


def test_the_entropy_of_a_token_model_is_that_of_its_responses() -> None:
    rows = {
        (): (("a", F(1, 2)), ("b", F(1, 2))),
        ("a",): (("c", F(1, 3)), ("d", F(2, 3))),
        ("b",): (("d", F(1)),),
    }
    model = TokenLevel(Shape(2), rows)
    # by hand: responses 1/6, 1/3, 1/2; the logarithms of 2 and 3 with rational coefficients
    with mpmath.workdps(40):
        expected = mpmath.log(6) / 6 + mpmath.log(3) / 3 + mpmath.log(2) / 2
        lower, upper = map(mpmath.mpf, ARITHMETIC.text(model.entropy(ARITHMETIC)))
        assert lower <= expected <= upper


# --- rewards


def test_the_external_reward_by_hand() -> None:
    passed = {"t1": True, "t2": False, "t3": True, "t4": False}
    # 1/2 * 2/4 + 3/10 * (t3 of t2, t3) 1/2 + 1/5 * 3/4
    assert external_reward(passed, ("t2", "t3"), F(3, 4), DEFAULT) == F(1, 4) + F(3, 20) + F(3, 20)


def test_nothing_previously_failing_gives_no_reward_for_new_passes() -> None:
    assert external_reward({"t1": True, "t2": True}, (), F(0), DEFAULT) == F(1, 2)


def test_the_epistemic_reward_is_entropy_plus_one_for_the_new() -> None:
    assert epistemic_reward(F(1, 3), True) == F(4, 3)
    assert epistemic_reward(F(1, 3), False) == F(1, 3)


def test_the_reward_weighs_the_two_parts() -> None:
    # 7/10 * 1/2 + 3/10 * 4/3
    assert reward(F(1, 2), F(4, 3), DEFAULT) == F(3, 4)


# --- whitening, with the sample deviation plus 1e-8


def test_whitening_by_hand() -> None:
    # rewards 0, 3, 6: mean 3, sample variance (9 + 0 + 9)/2 = 9, deviation 3
    rewards = [F(0), F(3), F(6)]
    assert mean(rewards) == 3
    assert sample_deviation(rewards, ARITHMETIC) == 3
    by = 3 + F(1, 10**8)
    assert whitened(rewards, F(3)) == (-3 / by, 0, 3 / by)


def test_two_rewards_deviate_by_their_distance_over_the_root_of_2() -> None:
    deviation = sample_deviation([F(0), F(1)], ARITHMETIC)
    assert deviation * deviation == F(1, 2)
    low, high = whitened([F(0), F(1)], deviation)
    assert low + high == 0
    assert high * (deviation + F(1, 10**8)) == F(1, 2)


def test_equal_rewards_have_advantages_0() -> None:
    assert sample_deviation([F(2), F(2), F(2)], ARITHMETIC) == 0
    assert whitened([F(2), F(2), F(2)], F(0)) == (0, 0, 0)


def test_entropies_cancel_from_the_advantages() -> None:
    shared = ARITHMETIC.log(F(2))
    rewards = [shared + 1, shared]
    assert sample_deviation(rewards, ARITHMETIC) ** 2 == F(1, 2)


# --- the three stopping rules, in their order


@pytest.mark.parametrize(
    ("solved", "iteration", "improvement", "delta", "reason"),
    [
        (True, 1, None, None, Stop.SOLVED),
        (True, 3, F(0), F(1), Stop.SOLVED),  # before the budget and the threshold
        (False, 3, F(0), F(1), Stop.BUDGET),  # before the threshold
        (False, 3, F(2), None, Stop.BUDGET),
        (False, 2, F(1, 101), F(1, 100), Stop.STALLED),
        (False, 2, F(1, 100), F(1, 100), None),  # below means below
        (False, 2, F(-5), None, None),  # no threshold
        (False, 1, None, F(1, 100), None),
    ],
)
def test_when_a_run_stops(
    solved: bool, iteration: int, improvement: F | None, delta: F | None, reason: Stop | None
) -> None:
    assert stopping_reason(solved, iteration, 3, improvement, delta, ARITHMETIC) is reason


# --- contracts that would notice


@NEEDS_CONTRACTS
def test_a_group_of_one_is_refused() -> None:
    with pytest.raises(ContractViolation, match="G - 1"):
        sample_deviation([F(1)], ARITHMETIC)


@NEEDS_CONTRACTS
def test_a_factor_below_1_is_no_expert() -> None:
    with pytest.raises(ContractViolation, match="at least 1"):
        reweighted((F(1, 2), F(1, 2)), (F(1, 2), F(1)))
