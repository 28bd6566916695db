"""What a trainer logged of one loss call, against what follows from its tensors."""

from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.findings import Findings, Where
from grpocheck.verifier.audit.model import Call
from grpocheck.verifier.audit.rules import seen
from grpocheck.verifier.audit.settings import MOST
from grpocheck.verifier.recompute import LossCall, Recomputed

METRIC_ROOM = 2.0**-20
"""Room beside the certified bound for the averaging and printing of a metric, relative to 1 or to its size."""


def where_of(call: Call, row: int | None = None) -> Where:
    """The place of a call, or of a response in it; in our own format the line."""
    return Where(call.file, call.meta.get("row", row))


def check_metrics(call: Call, loss_call: LossCall, found: Recomputed, findings: Findings) -> None:
    """The clip fractions, kl and entropy logged of the call; those of several processes are of no single call."""
    logged = call.meta.get("trl_metrics_of_this_call")
    if not isinstance(logged, dict) or loss_call.world_size != 1:
        return
    both = found.clip_fraction_low + found.clip_fraction_high
    both_bound = found.clip_fraction_low_bound + found.clip_fraction_high_bound
    known: dict[str, tuple[float | None, float]] = {
        "clip_ratio/low_mean": (found.clip_fraction_low, found.clip_fraction_low_bound),
        "clip_ratio/high_mean": (found.clip_fraction_high, found.clip_fraction_high_bound),
        "clip_ratio/region_mean": (both, both_bound),
        "cispo_clip_ratio": (found.clip_fraction_high, found.clip_fraction_high_bound),
        "entropy": (found.entropy, found.entropy_bound),
        "kl": (found.kl, found.kl_bound),
    }
    for name, (value, bound) in known.items():
        values = logged.get(name)
        if not isinstance(values, list) or len(values) != 1 or value is None or not isinstance(values[0], int | float):
            continue
        if isinstance(values[0], int) and abs(values[0]) > MOST:
            raise Unreadable(call.file, name, values[0], "a number that a float holds")
        away = abs(float(values[0]) - value)
        if away > bound + METRIC_ROOM * max(1.0, abs(value)):
            findings.add(
                seen(
                    "metric-differs",
                    where_of(call),
                    f"{name} = {value:.9g}",
                    f"{float(values[0]):.9g}",
                    distance=away,
                    far=f"{away:.3g}",
                    apart=name,
                )
            )
        if name == "kl" and loss_call.settings.beta:
            take_kl(call, loss_call, found, float(values[0]), findings)


def take_kl(call: Call, loss_call: LossCall, found: Recomputed, logged: float, findings: Findings) -> None:
    """What a logged kl is, with the other estimates over the same tokens beside it."""
    weighted = loss_call.settings.kl_weight != "none"
    if found.kl_k1 is None or found.kl_k3 is None or logged == found.kl_k1 == found.kl_k3 == 0:
        return  # the policy is the reference still: every estimate of the divergence is right
    name = "exp(d) - d - 1" + (" times the importance ratio" if weighted else "")
    findings.add(
        seen(
            "kl-not-kl",
            where_of(call),
            "KL(policy, reference), a sum over responses",
            f"{logged:.6g}: the mean over drawn tokens of {name}, d = log(reference / policy) (k3); of -d it is "
            f"{found.kl_k1:.6g} (k1), of exp(d) - d - 1 alone {found.kl_k3:.6g}",
            distance=abs(logged - found.kl_k1),
            far=f"{abs(logged - found.kl_k1):.3g} from k1",
            detail={"estimator": "k3", "times_ratio": weighted},
        )
    )
