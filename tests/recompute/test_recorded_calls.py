"""Every recorded call lies within the certified bound, and what a mistaken formula gives lies outside.

The trainer's float32 numbers are the other side here: nothing in these tests was computed by grpocheck and compared
with itself.
"""

from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from grpocheck.verifier.recompute import LossSettings, compare, identify, recompute

from tests.recompute.recorded import finite_calls, recorded_calls


@cache
def recomputed(run, name):
    return recompute(next(call for r, n, _, call in recorded_calls() if (r, n) == (run, name)))


def test_the_archive_has_every_run():
    assert len({run for run, *_ in recorded_calls()}) == 29
    assert len(recorded_calls()) == 320
    assert len(finite_calls()) == 316


def test_every_loss_and_gradient_is_within_its_bound():
    outside = {
        (run, name): [str(entry) for entry in found]
        for run, name, _, call in recorded_calls()
        if (found := compare(call, recompute(call)))
    }
    assert not outside


def test_bounds_are_of_the_size_of_float32():
    """Units in the last place: of a loss as many as terms are summed and a few, of a gradient some tens."""
    for run, name, _, call in finite_calls():
        result = recompute(call)
        if result.undecided:
            continue
        size = np.max(np.abs(call.advantages)) * max(1.0, float(np.max(result.ratios))) * 14  # luspo sums 14 tokens
        assert result.loss_bound <= (np.sum(call.mask) + 60) * 2.0**-24 * size, (run, name)
        units = {"sapo": 160, "vespo": 400}.get(call.settings.loss_type, 60)  # 1 - sigmoid, and a power of a product
        largest = max(np.max(np.abs(result.gradient)), 1e-30)
        assert np.max(result.gradient_bound) <= units * 2.0**-24 * largest, (run, name)


def test_not_finite_losses_are_what_the_formula_gives():
    calls = [call for run, _, _, call in recorded_calls() if run == "a26_inf_reward_nostd"]
    assert len(calls) == 4
    for call in calls:
        assert not np.isfinite(call.loss)
        assert compare(call, recompute(call)) == []
        swallowed = compare(replace(call, loss=0.0), recompute(call))
        assert [(entry.quantity, entry.kind) for entry in swallowed] == [("loss", "swallowed")]


def other(call, **changes):
    return replace(call, settings=replace(call.settings, **changes))


def sample_for_population(meta):
    size = meta["config"]["num_generations"]
    return np.sqrt(size / (size - 1))


MISTAKES = {
    "population deviation for the sample's": (
        lambda meta: meta["config"]["scale_rewards"] != "none",
        lambda call, meta: replace(call, advantages=call.advantages * sample_for_population(meta)),
    ),
    "no epsilon beside the deviation": (
        lambda meta: meta["config"]["scale_rewards"] != "none",
        # 1e-4 beside a deviation of 5 at most: none of the recorded rewards deviates more
        lambda call, meta: replace(call, advantages=call.advantages * (1 + 1e-4 / 5)),
    ),
    "mean over tokens for the mean over responses, and the other way round": (
        lambda meta: True,
        lambda call, meta: other(
            call,
            normalisation="all-tokens" if call.settings.normalisation_in_use == "own-length" else "own-length",
        ),
    ),
    "the longest response of the batch for the maximum length": (
        lambda meta: meta["config"]["loss_type"] == "dr_grpo",
        lambda call, meta: other(call, maximum_length=call.settings.maximum_length + 1),
    ),
    "accumulation counted twice": (
        lambda meta: meta["current_gradient_accumulation_steps"] > 1,
        lambda call, meta: replace(call, gradient_accumulation_steps=call.gradient_accumulation_steps**2),
    ),
    "the clip of the other side": (
        lambda meta: meta["config"]["loss_type"] in ("grpo", "bnpo", "dapo", "dr_grpo", "luspo"),
        lambda call, meta: replace(call, old_logps=call.new_logps, new_logps=call.old_logps),
    ),
    "no clip": (
        lambda meta: meta["config"]["loss_type"] in ("grpo", "bnpo", "dapo", "dr_grpo", "luspo"),
        lambda call, meta: other(call, term="unclipped"),
    ),
    "the minimum taken before the product with A": (
        lambda meta: meta["config"]["loss_type"] in ("grpo", "bnpo", "dapo", "dr_grpo", "luspo"),
        lambda call, meta: other(call, term="upper-cap"),
    ),
    "k1 for k3": (lambda meta: meta["config"]["beta"] > 0, lambda call, meta: other(call, penalty="k1")),
    "k2 for k3": (lambda meta: meta["config"]["beta"] > 0, lambda call, meta: other(call, penalty="k2")),
    "k3 the wrong way round": (
        lambda meta: meta["config"]["beta"] > 0,
        lambda call, meta: other(call, penalty="k3-reversed"),
    ),
    "k3 without its weight": (
        lambda meta: meta["config"]["beta"] > 0,
        lambda call, meta: other(call, kl_weight="none"),
    ),
    "the weight of k3 detached": (
        lambda meta: meta["config"]["beta"] > 0,
        lambda call, meta: other(call, kl_weight="ratio-detached"),
    ),
    "the mask ignored": (lambda meta: True, lambda call, meta: replace(call, mask=np.ones_like(call.mask))),
    "token ratios for the sequence's, and the other way round": (
        lambda meta: meta["config"]["loss_type"] != "vespo",
        lambda call, meta: other(
            call,
            importance_sampling_level="token" if call.settings.importance_sampling_level == "sequence" else "sequence",
        ),
    ),
    "no off-policy mask": (
        lambda meta: meta["config"]["off_policy_mask_threshold"] is not None,
        lambda call, meta: other(call, off_policy_mask_threshold=None),
    ),
    "no entropy mask": (
        lambda meta: meta["config"]["top_entropy_quantile"] < 1,
        lambda call, meta: other(call, top_entropy_quantile=1.0),
    ),
    "no entropy bonus": (
        lambda meta: meta["config"]["entropy_coef"] > 0,
        lambda call, meta: other(call, entropy_coef=0.0),
    ),
    "no delta": (lambda meta: meta["config"]["delta"] is not None, lambda call, meta: other(call, delta=None)),
    "SAPO's temperatures exchanged": (
        lambda meta: meta["config"]["loss_type"] == "sapo",
        lambda call, meta: other(call, temperatures=call.settings.temperatures[::-1]),
    ),
    "VESPO's powers exchanged": (
        lambda meta: meta["config"]["loss_type"] == "vespo",
        lambda call, meta: other(call, gamma_powers=call.settings.gamma_powers[::-1]),
    ),
    "CISPO's cap as 1 + epsilon": (
        lambda meta: meta["config"]["loss_type"] == "cispo",
        lambda call, meta: other(call, cap=1 + call.settings.cap),
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistaken_formula_lies_outside(mistake):
    applies, make = MISTAKES[mistake]
    seen = noticed = 0
    for run, name, meta, call in finite_calls():
        if not applies(meta):
            continue
        wrong = make(call, meta)
        right, mistaken = recomputed(run, name), recompute(wrong)
        same = right.loss == pytest.approx(mistaken.loss, abs=3 * right.loss_bound) and np.all(
            np.abs(right.gradient - mistaken.gradient) <= 3 * (right.gradient_bound + mistaken.gradient_bound)
        )
        if same:  # a call in which the mistake makes no difference
            continue
        seen += 1
        noticed += bool(compare(wrong, mistaken))
    assert seen >= 2
    assert noticed == seen


def identified(calls, hide):
    """How many calls have their own loss type and level among the names, and for how many there are several."""
    right, several = Counter(), 0
    for _, _, _, call in calls:
        declared = f"{call.settings.loss_type} {call.settings.importance_sampling_level}"
        names = {" ".join(name.split()[:2]) for name in identify(hide(call))}
        right[declared in names] += 1
        several += len(names) > 1
    return right[True] / right.total(), several


@pytest.mark.slow
def test_the_variant_is_identified_whatever_its_settings_are_called():
    hidden = {"loss_type": "sapo", "importance_sampling_level": "token", "term": None}
    share, several = identified(finite_calls(), lambda call: other(call, **hidden))
    assert share == 1
    assert several  # first passes, where the ratio is 1, cannot tell a level


@pytest.mark.slow
def test_the_variant_is_identified_from_the_tensors_alone():
    share, _ = identified(finite_calls()[::7], lambda call: replace(call, settings=LossSettings()))
    assert share >= 0.95


@pytest.mark.slow
def test_the_variant_of_every_call_is_identified_from_the_tensors_alone():
    share, _ = identified(finite_calls(), lambda call: replace(call, settings=LossSettings()))
    assert share >= 0.95


def test_a_call_of_no_variant_has_no_name():
    """Twice the gradient of a recorded call whose ratios have moved: nothing has it with any numbers."""
    call = next(call for run, name, _, call in finite_calls() if (run, name) == ("a02_grpo_mu3_kl", "call_002"))
    assert identify(call)
    assert identify(replace(call, loss=2.3 * call.loss, grad_logps=2.3 * call.grad_logps)) == []
