"""Recorded calls of TRL 1.16.0's loss: its value and its gradient by every log-probability, from the parts.

data/trl_calls.json holds one call of each of thirteen recorded runs, with ratios away from 1: loss, gradients and
inputs in float32, responses cut to their active tokens. TRL's loss is minus the objective.
"""

import json
from fractions import Fraction as F
from pathlib import Path

import pytest
from grpocheck.core.variants.evaluation import slopes, value
from grpocheck.core.variants.variant import Variant
from grpocheck.core.variants.words import with_parts

from tests.variants.by_hand import ARITHMETIC, MP, batch_of

CALLS = json.loads((Path(__file__).parent / "data" / "trl_calls.json").read_text(encoding="utf-8"))
LOSS_CLOSE, GRADIENT_CLOSE = 1e-6, 3e-8
"""What float32 leaves of a loss and of a gradient in these calls."""


def parts_of(call):
    """The parts that a TRL configuration names."""
    config, kind = call["config"], call["config"]["loss_type"]
    low, high = config["epsilon"], config["epsilon_high"]
    level = "geometric-mean" if config["importance_sampling_level"] == "sequence" else "token"
    term = f"two-sided,low={low},high={high}"
    if config["delta"] is not None:
        term = f"delta,low={low},high={high},delta={config['delta']}"
    if kind == "cispo":
        term = f"clipped-weight,cap={high}"
    if kind == "sapo":
        term = f"soft-gate,positive={config['sapo_temperature_pos']},negative={config['sapo_temperature_neg']}"
    if kind == "vespo":
        k_pos, rate_pos, k_neg, rate_neg = config["vespo"]
        level = "sequence"
        term = f"gamma-weight,positive-power={k_pos:.0f},positive-rate={rate_pos}"
        term += f",negative-power={k_neg:.0f},negative-rate={rate_neg}"
    # the items of the generation batch, for this micro-batch's share of the steps made of it
    items = F(call["items"]) * call["accumulation"] / call["slices"] / len(call["advantages"])
    normalisation = {
        "grpo": "own-length",
        "sapo": "own-length",
        "bnpo": "all-tokens",
        "dr_grpo": f"constant,constant={config['max_completion_length']}",
        "luspo": "none",
    }.get(kind, f"constant,constant={items}")
    yield from (f"ratio={level}", f"term={term}", f"normalisation={normalisation}", "advantage=none")
    if config["beta"]:
        yield "kl=k3" + (",weight=ratio" if config["use_bias_correction_kl"] else "")
    if config["off_policy_mask_threshold"] is not None:
        yield f"off-policy-mask={config['off_policy_mask_threshold']}"
    if config["top_entropy_quantile"] < 1:
        yield f"entropy-mask={config['top_entropy_quantile']}"
    if config["entropy_coef"]:
        yield f"entropy-bonus={config['entropy_coef']}"


def exact(number):
    return F(str(number))


@pytest.mark.parametrize("call", CALLS, ids=[call["run"] for call in CALLS])
def test_loss_and_gradient_of_a_recorded_call(call):
    config = call["config"]
    rows = range(len(call["advantages"]))
    reference = call.get("ref_logps", [None] * len(rows))
    logs = [[[MP.mpf(str(x)) for x in row] if row is not None else None for row in values]
            for values in (call["new_logps"], call["old_logps"], reference)]
    group = [(logs[0][b], logs[1][b], logs[2][b], exact(call["advantages"][b])) for b in rows]
    sampler = [[[MP.mpf(str(x)) for x in row] for row in call["sampling_logps"]]] if "sampling_logps" in call else None
    entropies = [[[exact(x) for x in row] for row in call["entropies"]]] if "entropies" in call else None
    batch = batch_of(
        [group], beta=exact(config["beta"]), maximum_length=config["max_completion_length"],
        sampler=sampler, entropies=entropies,
    )
    variant = with_parts(Variant("trl"), list(parts_of(call)))
    # TRL divides a loss by the accumulation steps, where its normaliser does not have them already
    scale = 1 if config["loss_type"] in ("dapo", "cispo", "vespo") else call["accumulation"]
    assert abs(float(-value(variant, batch, ARITHMETIC) / scale) - call["loss"]) < LOSS_CLOSE
    found = slopes(variant, batch, ARITHMETIC)
    for b in rows:
        for slope, recorded in zip(found.log_masses[0][b], call["grad_logps"][b], strict=True):
            assert abs(float(-slope / scale) - recorded) < GRADIENT_CLOSE
        for mark, recorded in zip(found.marked[0][b], call.get("grad_entropies", [[]] * len(rows))[b], strict=False):
            assert abs(float(-found.entropy / scale) * mark - recorded) < GRADIENT_CLOSE


def test_the_calls_hold_every_loss_type_away_from_the_old_policy():
    assert {call["config"]["loss_type"] for call in CALLS} == {
        "grpo", "bnpo", "dr_grpo", "dapo", "cispo", "sapo", "luspo", "vespo",
    }  # fmt: skip
    for call in CALLS:
        moved = [
            abs(a - b)
            for new, old in zip(call["new_logps"], call["old_logps"], strict=True)
            for a, b in zip(new, old, strict=True)
        ]
        assert max(moved) > 0.01
