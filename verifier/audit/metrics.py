"""What a trainer logged of one loss call, against what follows from its tensors."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from grpocheck.core.invalid import shown
from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.estimators import named
from grpocheck.verifier.audit.findings import Findings, Where
from grpocheck.verifier.audit.model import Call
from grpocheck.verifier.audit.rules import seen
from grpocheck.verifier.audit.settings import MOST
from grpocheck.verifier.recompute import LossCall, Recomputed

METRIC_ROOM = 2.0**-20
"""Room beside the certified bound for the averaging and printing of a metric, relative to 1 or to its size."""
NEEDS = {
    "kl": "it needs ref_logps, the reference's log-probabilities",
    "entropy": "it needs entropies of the tokens",
    "clip_ratio/low_min": "no response has a token that counts",
    "clip_ratio/high_max": "no response has a token that counts",
    "vespo/phi_seq_mean": "it is the weight of another loss than the declared one",
}


def where_of(call: Call, row: int | None = None) -> Where:
    """The place of a call, or of a response in it; in our own format the line and, from 1, the response."""
    if "row" in call.meta:
        return Where(call.file, call.meta["row"], None if row is None else row + 1)
    return Where(call.file, row)


def padded(arrays: Mapping[str, Any]) -> Mapping[str, Any]:
    """The tensors of a call with entropies of 0 in padding, whatever a trainer left there."""
    found = arrays.get("entropies")
    return arrays if found is None else {**arrays, "entropies": np.where(arrays["mask"] == 1, found, 0.0)}


def logged_of(call: Call) -> dict[str, object]:
    """What was logged of a call; a list of one number stands for it."""
    logged = call.meta.get("trl_metrics_of_this_call")
    if not isinstance(logged, dict):
        return {}
    return {name: found[0] if isinstance(found, list) and len(found) == 1 else found for name, found in logged.items()}


def check_metrics(call: Call, loss_call: LossCall, found: Recomputed, findings: Findings, why: str = "") -> None:
    """The clip fractions, kl and entropy logged of the call; those of several processes are of no single call.

    ``why`` says why the loss itself could not be computed, and so its kl.
    """
    if loss_call.world_size != 1:
        return
    both = found.clip_fraction_low + found.clip_fraction_high
    both_bound = found.clip_fraction_low_bound + found.clip_fraction_high_bound
    low, high = (
        [(found.clip_fraction_low, found.clip_fraction_low_bound)],
        [(found.clip_fraction_high, found.clip_fraction_high_bound)],
    )
    kls = [(found.kl, found.kl_bound)]
    if found.kl is None and not why:  # no penalty is in the loss: either estimate of the divergence is one
        kls = [(found.kl_k3, found.kl_k3_bound), (found.kl_k1, found.kl_k3_bound)]
    known: dict[str, list[tuple[float | None, float]]] = {
        "clip_ratio/low_mean": [*low],
        "clip_ratio/high_mean": [*high],
        "clip_ratio/region_mean": [(both, both_bound)],
        "clip_ratio/low_min": [(found.clip_least_low, found.clip_least_low_bound)],
        "clip_ratio/high_max": [(found.clip_most_high, found.clip_most_high_bound)],
        "cispo_clip_ratio": [*high],
        "vespo/phi_seq_mean": [(found.weight_mean, found.weight_mean_bound)],
        "entropy": [(found.entropy, found.entropy_bound)],
        "kl": kls,
    }
    for name, value in logged_of(call).items():
        wanted = [(one, bound) for one, bound in known.get(name, []) if one is not None]
        if not isinstance(value, int | float) or isinstance(value, bool):
            unchecked(call, {name: value}, "it is no number, nor a list of one", findings)
        elif not wanted:
            reason = NEEDS.get(name, f"it is none of {', '.join(known)}")
            if name in NEEDS or "stated" in call.meta:  # a recorded call holds whatever its trainer logged
                unchecked(call, {name: value}, (why if name == "kl" else "") or reason, findings)
        else:
            if isinstance(value, int) and abs(value) > MOST:
                raise Unreadable(call.file, name, value, "a number that a float holds")
            hidden = unknown_clip(call, name)
            if hidden and 0 <= value <= 1:
                assumed = " or ".join(f"{one:.9g}" for one, _ in wanted)
                reason = f"it needs {hidden}, which neither clip nor settings say; with TRL's 0.2 it is {assumed}"
                unchecked(call, {name: value}, reason, findings)
            elif hidden:
                hold(call, name, float(value), [(0.0, 1.0)], findings, "a share from 0 to 1")
            else:
                hold(call, name, float(value), wanted, findings)
            if name == "kl" and loss_call.settings.beta:
                take_kl(call, loss_call, found, float(value), findings)


def unknown_clip(call: Call, name: str) -> str:
    """The settings that a logged clip fraction follows from and that nothing says, in words; empty where they do."""
    if "clip_ratio" not in name:
        return ""
    config = call.meta["config"]
    low, high = (config.get(key) is not None for key in ("epsilon", "epsilon_high"))
    upper = name in ("clip_ratio/high_mean", "clip_ratio/high_max", "cispo_clip_ratio")
    if low or (high and upper):
        return ""
    return "epsilon or epsilon_high" if upper else "epsilon"


def hold(
    call: Call, name: str, logged: float, wanted: Sequence[tuple[float, float]], findings: Findings, words: str = ""
) -> None:
    """A logged number against what it may be, each with a bound; ``words`` say it where numbers do not."""
    if any(abs(logged - value) <= bound + METRIC_ROOM * max(1.0, abs(value)) for value, bound in wanted):
        return
    away = abs(logged - wanted[0][0])
    findings.add(
        seen(
            "metric-differs",
            where_of(call),
            f"{name} = " + (words or " or ".join(f"{value:.9g}" for value, _ in wanted)),
            f"{logged:.9g}",
            distance=away,
            far=f"{away:.3g}",
            apart=name,
        )
    )


def unchecked(call: Call, logged: Mapping[str, object], why: str, findings: Findings) -> None:
    """Logged numbers that are held against nothing, each with the reason."""
    for name, value in logged.items():
        findings.add(
            seen(
                "metric-unchecked",
                where_of(call),
                f"what {name} follows from",
                f"{name} = {shown(value)} was not checked: {why}",
                apart=f"{name}: {why}",
            )
        )


def take_kl(call: Call, loss_call: LossCall, found: Recomputed, logged: float, findings: Findings) -> None:
    """What a logged kl is, with the other estimates over the same tokens beside it."""
    weighted = loss_call.settings.kl_weight != "none"
    if found.kl_k1 is None or found.kl_k3 is None or logged == found.kl_k1 == found.kl_k3 == 0:
        return  # the policy is the reference still: every estimate of the divergence is right
    room = METRIC_ROOM + found.kl_k3_bound
    in_loss = found.kl is not None and abs(logged - found.kl) <= found.kl_bound + METRIC_ROOM * max(1.0, abs(found.kl))
    if weighted and in_loss:
        name: str | None = "k3"
        words = "the mean over drawn tokens of (exp(d) - d - 1) times the importance ratio, d = log(reference / policy)"
    else:
        name, words = named(loss_call, logged, room)
    findings.add(
        seen(
            "kl-not-kl",
            where_of(call),
            "KL(policy, reference), a sum over responses",
            f"{logged:.6g}: {words}; over drawn tokens k1 is {found.kl_k1:.6g}, k3 is {found.kl_k3:.6g}",
            what="" if name else "a logged kl that is neither the KL divergence nor a mean of an estimator of it",
            distance=abs(logged - found.kl_k1),
            far=f"{abs(logged - found.kl_k1):.3g} from k1",
            detail={"estimator": name, "times_ratio": weighted and in_loss},
        )
    )


def take_open(call: Call, loss_call: LossCall, found: Recomputed, findings: Findings) -> None:
    """A loss or a gradient of which float error leaves everything open: that nothing departs from it is no yes."""
    why = "it may overflow in its float format, where any number may be right"
    if loss_call.loss is not None and np.isinf(found.loss_bound):
        unchecked(call, {"loss": loss_call.loss}, why, findings)
    open_ = np.isinf(found.gradient_bound) & (loss_call.mask > 0)
    if loss_call.grad_logps is not None and open_.any():
        unchecked(call, {"gradient": f"{int(open_.sum())} numbers"}, why, findings)
    if (
        loss_call.world_size > 1
        and loss_call.settings.top_entropy_quantile < 1
        and loss_call.gathered_entropies is None
    ):
        why = "the entropies of the other processes, which the call does not have, say which tokens the quantile keeps"
        unchecked(call, {"policy gradient": f"{int(loss_call.mask.sum())} numbers"}, why, findings)
