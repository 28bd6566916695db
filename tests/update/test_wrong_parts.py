"""Contracts against parts that are wrong in one place: what each lets pass is what its description says."""

from fractions import Fraction as F

import pytest
from grpocheck.contracts.clauses import ENABLED, ContractViolation
from grpocheck.contracts.predicates import is_clipped_term, is_relative_entropy, vanishes_exactly_when_constant
from grpocheck.core.arithmetic import EnclosureArithmetic, ExactArithmetic
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.prompt import Prompt
from grpocheck.core.ratio import clip
from grpocheck.core.training_free.oracles import Group, Member, best, worst
from grpocheck.core.training_free.responses import Response

NEEDS_CONTRACTS = pytest.mark.skipif(not ENABLED, reason="contracts are off")
FIFTH = F(1, 5)


@pytest.mark.parametrize(
    ("ratio", "advantage", "term"),
    [
        (F(1, 2), F(1), F(1, 2)),
        (F(6, 5), F(1), F(6, 5)),
        (F(7, 5), F(2), F(12, 5)),
        (F(3, 5), F(-2), F(-8, 5)),
        (F(7, 5), F(-2), F(-14, 5)),
        (F(7, 5), F(0), F(0)),
    ],
)
def test_a_clipped_term_is_one_number(ratio, advantage, term):
    """Neither of the two products of which the minimum is taken passes for it where it is not the lesser."""
    assert is_clipped_term(term, ratio, advantage, FIFTH)
    bound = 1 + FIFTH if advantage > 0 else 1 - FIFTH
    for other in {ratio * advantage, bound * advantage, term + 1, term - 1} - {term}:
        assert not is_clipped_term(other, ratio, advantage, FIFTH)


def test_an_enclosed_term_is_held_to_the_same():
    log_2 = EnclosureArithmetic().log(F(2))  # 0.693: below 4/5
    assert is_clipped_term(log_2 * F(1), log_2, F(1), FIFTH)
    assert is_clipped_term(F(-4, 5), log_2, F(-1), FIFTH)
    assert not is_clipped_term(F(6, 5), log_2, F(1), FIFTH)
    assert not is_clipped_term(-log_2, log_2, F(-1), FIFTH)


def test_what_is_0_exactly_where_nothing_differs():
    half = (F(1, 2), F(1, 2))
    other = (F(1, 3), F(2, 3))
    assert [is_relative_entropy(kl, half, half) for kl in (F(0), F(1), F(-1))] == [True, False, False]
    assert [is_relative_entropy(kl, half, other) for kl in (F(0), F(1), F(-1))] == [False, True, False]
    assert [vanishes_exactly_when_constant(s, (F(2), F(2))) for s in (F(0), F(1), F(-1))] == [True, False, False]
    assert [vanishes_exactly_when_constant(s, (F(2), F(3))) for s in (F(0), F(1), F(-1))] == [False, True, False]


class TheOtherEnd(ExactArithmetic):
    """A maximum that is too large, so that a ratio below the interval comes out at its upper end."""

    def maximum(self, left, right):
        return F(2)


@NEEDS_CONTRACTS
def test_a_clip_to_the_wrong_end_is_noticed():
    with pytest.raises(ContractViolation, match="only one below 1-eps raised"):
        clip(F(1, 2), FIFTH, TheOtherEnd())


class Negated(ExactArithmetic):
    """A rational is read with the wrong sign."""

    def number(self, value):
        return -value


@NEEDS_CONTRACTS
def test_exchanged_mass_gradients_are_noticed():
    prompt = Prompt(0, "q", ("good", "bad"), (1, 0), ("1/2", "1/2"))
    assert Bernoulli().mass_gradients((F(1, 3),), prompt, ExactArithmetic()) == ((1,), (-1,))
    with pytest.raises(ContractViolation, match="mass of the first response by 1"):
        Bernoulli().mass_gradients((F(1, 3),), prompt, Negated())


class Contrary(ExactArithmetic):
    """An order that is turned around."""

    def less(self, left, right):
        return right < left


@NEEDS_CONTRACTS
@pytest.mark.parametrize("chosen", [best, worst])
def test_the_worst_for_the_best_is_noticed(chosen):
    members = tuple(
        Member(Response((name,), name), {"t": False}, F(0), F(0), True, F(reward), F(0))
        for name, reward in (("x", 1), ("y", 3), ("z", 2))
    )
    assert chosen(Group("p", 1, members, ("x", "y", "z"), ExactArithmetic())).reward == (3 if chosen is best else 1)
    with pytest.raises(ContractViolation, match="no reward of the group is"):
        chosen(Group("p", 1, members, ("x", "y", "z"), Contrary()))
