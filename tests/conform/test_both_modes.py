"""What conforms to a variant by name is found to be it without the name, of rewards as of advantages."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from grpocheck.core.variants.advantages import AdvantageRule, Baseline, Divisor
from grpocheck.core.variants.registry import NAMED
from grpocheck.verifier.conform import wanted
from grpocheck.verifier.conform.checking import expected
from grpocheck.verifier.conform.conforming import conform
from grpocheck.verifier.conform.inputs import case_of
from grpocheck.verifier.conform.measuring import measure
from grpocheck.verifier.conform.targets import target_of
from grpocheck.verifier.conform.wanted import Measured, Numbers, Wanted, every_variant

from tests.conform import losses

EQUAL = {"dapo-dynamic": "dapo"}
"""Which prompts are sampled is not seen in a loss."""
OF_REWARDS = [name for name in NAMED if name != "gdpo"]
"""GDPO's rule is one for several rewards of a response."""


def centred(rewards):
    groups = rewards.reshape(-1, 4)
    return groups - groups.mean(1, keepdims=True)


def over_deviation(rewards, lost):
    deviation = rewards.reshape(-1, 4).std(1, ddof=lost, keepdims=True)
    return np.where(deviation > 0, centred(rewards) / np.where(deviation > 0, deviation, 1), 0)


RULES = {
    "mean/population": lambda rewards: over_deviation(rewards, 0),
    "mean/sample": lambda rewards: over_deviation(rewards, 1),
    "mean": centred,
    "none": lambda rewards: rewards,
}


def of_rewards(loss, rule, gradient):
    """A loss of tests/conform/losses.py on advantages by a rule; its value alone, or with its gradient."""

    def made(new, old, ref, rewards, mask):
        found = loss(new, old, ref, rule(rewards).reshape(-1), mask)
        return found if gradient else found[0]

    return made


@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize("rule", RULES)
def test_the_clip_of_a_loss_of_rewards_is_measured(rule, gradient):
    """The value holds the whole group; without a baseline A is of either sign only where the rewards are."""
    found = measure(target_of(of_rewards(losses.dapo, RULES[rule], gradient), arrays="numpy"))
    assert (found.low, found.high, found.cap, found.gain_floor) == (F(1, 5), F(7, 25), None, None)
    found = measure(target_of(of_rewards(losses.clip_on_both_sides, RULES[rule], gradient), arrays="numpy"))
    assert (found.low, found.high, found.cap, found.gain_floor) == (F(1, 5), F(1, 5), F(6, 5), F(4, 5))


@pytest.mark.parametrize("gradient", [False, True])
def test_the_cap_of_a_detached_weight_is_measured(gradient):
    for target in (
        target_of(of_rewards(losses.cispo, RULES["mean"], gradient), arrays="numpy"),
        target_of(lambda *given: losses.cispo(*given) if gradient else losses.cispo(*given)[0], arrays="numpy"),
    ):
        found = measure(target)
        assert (found.weight_cap, found.weight_floor, found.low, found.high) == (F(5), None, None, None)


def test_every_registered_variant_is_tried_by_its_name():
    """Those without a clip, with one, and with a weight show different numbers; none shows all of them."""
    shown = (
        Measured(low=F(1, 5), high=F(1, 5)),
        Measured(low=F(1, 5), high=F(1, 5), cap=F(3)),
        Measured(weight_cap=F(6, 5)),
    )
    for rewards in (False, True):
        names = [each.variant.name for one in shown for each in every_variant(one, Numbers(), ["none"], rewards)]
        assert {EQUAL.get(name, name) for name in (OF_REWARDS if rewards else NAMED)} <= set(names)
    once = [each.variant.name for each in every_variant(shown[0], Numbers(), ["none"], True)]
    assert len(once) == len(set(once))


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_a_loss_of_rewards_is_named_as_it_is_when_it_is_demanded(rule):
    loss = of_rewards(losses.grpo, RULES[rule], gradient=False)
    parts = ["kl=none", f"advantage={rule}"]
    assert conform(target_of(loss, arrays="numpy"), "grpo-token", parts).verdict == "conforms"
    found = conform(target_of(loss, arrays="numpy"))
    words = "" if rule == "mean/population" else f" with advantage={rule}"
    assert (found.verdict, [each.wanted.variant.name for each in found.matches]) == ("conforms", [f"grpo-token{words}"])


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["mean", "mean/population"])
def test_a_mistake_in_a_loss_of_rewards_is_named_in_neither_mode(rule):
    loss = of_rewards(losses.clip_on_both_sides, RULES[rule], gradient=False)
    for variant in ("grpo-token", None):
        found = conform(target_of(loss, arrays="numpy"), variant)
        assert (found.verdict, found.matches, found.instead) == ("departs", (), ())
        assert any("without the min" in note for note in found.notes)


def reference(name, rewards, gradient):
    """The reference evaluation of a variant as a loss: what it computes is not tested here, but that both modes agree.

    The right losses of the other tests are of numpy alone.
    """
    variant = Wanted(NAMED[name], Numbers())

    def value(new, old, ref, given, mask):
        case = case_of("given", "", new, old, given, mask, ref)
        target = replace(target_of(value, arrays="numpy"), wants_rewards=rewards)
        found = expected(target, variant, case)
        return (found.loss, found.gradient) if gradient else found.loss

    return value


@pytest.mark.slow
@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize(
    ("name", "rewards"), [*((name, False) for name in NAMED), *((name, True) for name in OF_REWARDS)]
)
def test_both_modes_give_one_answer_for_every_registered_variant(name, rewards, gradient, monkeypatch):
    """Each with its own rule; of the rules that are tried beside it one stands for all, for the sake of time."""
    monkeypatch.setattr(wanted, "RULES", (AdvantageRule(Baseline.MEAN, Divisor.NONE),))
    target = replace(target_of(reference(name, rewards, gradient), arrays="numpy"), wants_rewards=rewards)
    assert conform(target, name).verdict == "conforms"
    found = conform(target)
    assert found.verdict == "conforms"
    assert EQUAL.get(name, name) in [each.wanted.variant.name for each in found.matches]
