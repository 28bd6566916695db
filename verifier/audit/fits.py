"""A loss that the tensors of a call fit, in words: its name, and what of it settings do not say."""

from grpocheck.verifier.recompute.identifying import name_of
from grpocheck.verifier.recompute.settings import LossSettings

NOT_NAMED = {
    "penalty": "kl",
    "kl_weight": "kl_weight",
    "kl_clamp_log_ratio": "kl_clamp_log_ratio",
    "kl_clamp_value": "kl_clamp_value",
    "top_entropy_quantile": "top_entropy_quantile",
    "entropy_coef": "entropy_coef",
    "off_policy_mask_threshold": "off_policy_mask_threshold",
    "sampler_correction": "sampler_correction",
}
"""Settings that the name of a loss leaves out, each with the word for it."""


def fit_of(settings: LossSettings, declared: LossSettings) -> str:
    """The name of a loss, and its settings that the name leaves out where they are not those declared.

    >>> fit_of(LossSettings(beta=0.04, penalty="k1"), LossSettings(beta=0.04))
    'grpo token epsilon=0.2 epsilon_high=0.2 beta=0.04 kl=k1'
    """
    names = [name for name in NOT_NAMED if getattr(settings, name) != getattr(declared, name)]
    if not settings.beta:
        names = [name for name in names if name != "penalty" and not name.startswith("kl_")]
    words = [f"{NOT_NAMED[name]}={value_of(getattr(settings, name))}" for name in names]
    length, said = settings.maximum_length, declared.maximum_length
    if settings.normalisation_in_use.endswith("maximum-length") and said not in (None, length):
        words.append(f"max_completion_length={length}")
    return " ".join([name_of(settings), *words])


def value_of(value: object) -> str:
    """A value of a setting."""
    return f"{value:g}" if isinstance(value, float) else str(value)
