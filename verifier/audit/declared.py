"""What settings alone show: sampling that is cut, a cap that shrinks gradients, an objective that is another one."""

from collections.abc import Mapping
from typing import Any

from grpocheck.verifier.audit.findings import Findings, Where, counted
from grpocheck.verifier.audit.rules import seen
from grpocheck.verifier.audit.settings import Settings

COMES_NEAR = 2.0
"""How much longer than any response a maximum length may be before it is said."""
TRL_EPSILON = 0.2
"""What TRL clips by where epsilon is not said."""
NEUTRAL: Mapping[str, tuple[Any, ...]] = {
    "top_p": (1.0,),
    "top_k": (0, -1),
    "min_p": (0.0,),
    "repetition_penalty": (1.0,),
}
DEPARTURES: Mapping[str, tuple[Any, str]] = {
    "off_policy_mask_threshold": (None, "responses far off the policy are left out"),
    "top_entropy_quantile": (1.0, "only tokens of high entropy count"),
    "entropy_coef": (0.0, "an entropy bonus"),
    "delta": (None, "ratios are capped above, for negative advantages too"),
    "mask_truncated_completions": (False, "responses cut at the maximum length count nowhere"),
    "multi_objective_aggregation": ("sum_then_normalize", "each reward is normalised before the sum"),
    "sync_ref_model": (False, "the reference follows the policy"),
    "use_vllm": (False, "another program samples, and its law is corrected for or not"),
}
LOSSES: Mapping[str, str] = {
    "grpo": "a mean over each response's own tokens",
    "bnpo": "a mean over all tokens of a micro-batch",
    "dr_grpo": "tokens divided by a maximum length",
    "dapo": "a mean over all tokens of a batch",
    "cispo": "a detached clipped weight",
    "sapo": "a soft gate in place of the clip",
    "luspo": "weights by length",
    "vespo": "a gamma weight in place of the clip",
}


def check_settings(settings: Settings, longest: int | None, run: str, findings: Findings) -> None:
    """All that settings show; ``longest`` is the longest response seen."""
    where = Where(settings.source or run)
    sampling = {**settings.values, **generation_settings(settings)}
    cut = []
    for name, neutral in NEUTRAL.items():
        value = sampling.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value not in neutral:
            cut.append(f"{name} = {value:g}")
    if cut:
        findings.add(
            seen(
                "sampling-cut",
                where,
                "draws from the policy itself: top_p = 1, top_k = 0, min_p = 0, no penalty",
                ", ".join(cut),
                distance=float(len(cut)),
            )
        )
    temperature = sampling.get("temperature")
    if isinstance(temperature, int | float) and temperature != 1:
        findings.add(
            seen(
                "sampling-temperature",
                where,
                "temperature = 1",
                f"temperature = {temperature:g}; TRL divides the logits of its log-probabilities by it too, so that "
                "draws and ratios are of one and the same tempered policy",
                distance=abs(float(temperature) - 1),
            )
        )
    check_cap(settings, longest, where, findings)
    check_objective(settings, where, findings)


def generation_settings(settings: Settings) -> Mapping[str, Any]:
    """What is handed on to the sampler beside TRL's own settings."""
    found = settings.values.get("generation_kwargs")
    return found if isinstance(found, dict) else {}


def check_cap(settings: Settings, longest: int | None, where: Where, findings: Findings) -> None:
    """A maximum length that divides the loss and that no response comes near."""
    most = settings.count("max_completion_length")
    if settings.word("loss_type") != "dr_grpo" or most is None or not longest or most < COMES_NEAR * longest:
        return
    findings.add(
        seen(
            "cap-shrinks-gradient",
            where,
            f"a max_completion_length near the longest response, of {counted(longest, 'token')}",
            f"{most}: every gradient is divided by it",
            distance=most / longest,
            far=f"{most / longest:.1f} times smaller",
        )
    )


def check_objective(settings: Settings, where: Where, findings: Findings) -> None:
    """Settings under which another objective than section 1's is trained."""
    found = []
    loss_type = settings.word("loss_type") or ""
    if loss_type in LOSSES:
        found.append(f"loss_type = {loss_type} ({LOSSES[loss_type]})")
    elif loss_type:
        found.append(f"loss_type = {loss_type} (which loss that is, is not known here)")
    level = settings.word("importance_sampling_level")
    if level == "token":
        found.append("importance_sampling_level = token (a ratio for each token, not one for the response)")
    elif level is None and loss_type in LOSSES:
        found.append("importance_sampling_level is not said (of TRL a ratio for each token, not one for the response)")
    elif level == "sequence":
        found.append("importance_sampling_level = sequence (the geometric mean of the token ratios, not their product)")
    low, high = settings.number("epsilon"), settings.number("epsilon_high")
    if high is not None and high != (TRL_EPSILON if low is None else low):
        least = f"{TRL_EPSILON} of TRL's" if low is None else f"{low:g}"
        found.append(f"epsilon_high = {high:g} beside epsilon = {least} (a clip wider above than below, or narrower)")
    if settings.number("beta"):
        weighted = ", times the importance ratio" if settings.values.get("use_bias_correction_kl") else ""
        found.append(
            f"beta = {settings.values['beta']:g} (the mean over drawn tokens of the estimator k3{weighted}, not the "
            "exact KL)"
        )
    scale = settings.word("scale_rewards")
    if scale is not None and settings.word("multi_objective_aggregation") != "normalize_then_sum":
        words = {
            "group": "over the group's sample deviation + 1e-4, not its population deviation",
            "batch": "over the batch's deviation, not the group's",
            "none": "not divided by a deviation",
        }
        found.append(f"scale_rewards = {scale} (advantages {words.get(scale, scale)})")
    for name, (neutral, words_) in DEPARTURES.items():
        value = settings.values.get(name, neutral)
        if value is not None and value != neutral:
            found.append(f"{name} = {value} ({words_}; without: {neutral})")
    if found:
        findings.add(
            seen(
                "objective-departs",
                where,
                "the objective of section 1: one ratio for a response, clipped on both sides, the group's population "
                "deviation, the exact KL",
                f"another, by {counted(len(found), 'setting')}: " + "; ".join(found),
                distance=float(len(found)),
            )
        )
