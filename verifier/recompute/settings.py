"""What a loss is computed with: the words and the numbers of a trainer's configuration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from grpocheck.core.invalid import shown

LEVELS = ("token", "sequence", "product")
"""Ratios of tokens; their geometric mean over a response (GSPO; TRL's "sequence"); their product (section 1)."""

CLAMPED = ("two-sided", "delta", "dual-clip", "upper-cap", "unclipped")
TERMS = (*CLAMPED, "soft-gate", "score", "capped-score", "clipped-weight", "gamma-weight")
"""The terms, in the words of grpocheck.core.variants."""

NORMALISATIONS = (
    "own-length",
    "own-length+maximum-length",
    "all-tokens",
    "maximum-length",
    "none",
    "items",
    "constant",
)
"""By what token terms are divided; "items" is TRL's share of the active tokens of a generation batch."""

PENALTIES = ("none", "k1", "k2", "k3", "k3-reversed")
KL_WEIGHTS = ("none", "ratio", "ratio-detached")
SAMPLER_MODES = ("token_truncate", "token_mask", "sequence_truncate", "sequence_mask")

LOSSES: Mapping[str, tuple[str, str]] = {
    "grpo": ("two-sided", "own-length"),
    "bnpo": ("two-sided", "all-tokens"),
    "dr_grpo": ("two-sided", "maximum-length"),
    "dapo": ("two-sided", "items"),
    "cispo": ("clipped-weight", "items"),
    "sapo": ("soft-gate", "own-length"),
    "luspo": ("two-sided", "none"),
    "vespo": ("gamma-weight", "items"),
}
"""TRL's loss types as a term and a normalisation."""


class BadSetting(ValueError):  # noqa: N818 - named for what it says
    """A setting or tensor that cannot be used: names it, shows the value (shortened), says what was expected."""

    def __init__(self, key: str, value: object, expected: str) -> None:
        """The key, the value as given, and what was expected."""
        super().__init__(f"{key}: {shown(value)}: expected {expected}")
        self.key, self.value, self.expected = key, value, expected


@dataclass(frozen=True)
class LossSettings:
    """A loss: names, clip widths, weights. ``term`` and ``normalisation`` that are not stated are the loss type's.

    ``cap`` and ``floor`` hold a detached weight (CISPO) or a negative advantage's ratio (dual clip). ``gamma_powers``
    and ``gamma_rates`` are VESPO's k and lambda for A >= 0 and A < 0, ``temperatures`` SAPO's for A > 0 and A <= 0.
    ``kl_clamp_*`` hold the log ratio and the value of a KL estimate in [-c, c], as verl does. ``sampler_*`` is
    TRL's correction by the ratio of the old policy to the sampler's. ``beta`` weighs the KL term, in reward units per
    nat. Raises BadSetting for words that name nothing, and for numbers that a loss cannot be computed with.
    """

    loss_type: str = "grpo"
    importance_sampling_level: str = "token"
    epsilon: float = 0.2
    epsilon_high: float = 0.2
    delta: float | None = None
    beta: float = 0.0
    term: str | None = None
    normalisation: str | None = None
    maximum_length: int | None = None
    constant: float | None = None
    penalty: str = "k3"
    kl_weight: str = "none"
    kl_clamp_log_ratio: float | None = None
    kl_clamp_value: float | None = None
    cap: float | None = None
    floor: float | None = None
    temperatures: tuple[float, float] = (1.0, 1.05)
    gamma_powers: tuple[float, float] = (2.0, 3.0)
    gamma_rates: tuple[float, float] = (3.0, 2.0)
    gamma_clamps: bool = True
    top_entropy_quantile: float = 1.0
    entropy_coef: float = 0.0
    off_policy_mask_threshold: float | None = None
    sampler_correction: bool = False
    sampler_mode: str = "sequence_mask"
    sampler_clip_min: float | None = None
    sampler_clip_max: float | None = 3.0

    def __post_init__(self) -> None:
        """Refuse words that name nothing, and numbers that a loss cannot be computed with."""
        _one_of("loss_type", self.loss_type, tuple(LOSSES))
        _one_of("importance_sampling_level", self.importance_sampling_level, LEVELS)
        _one_of("term", self.term_in_use, TERMS)
        _one_of("normalisation", self.normalisation_in_use, NORMALISATIONS)
        _one_of("penalty", self.penalty, PENALTIES)
        _one_of("kl_weight", self.kl_weight, KL_WEIGHTS)
        _one_of("sampler_mode", self.sampler_mode, SAMPLER_MODES)
        for entry in fields(self):
            value = getattr(self, entry.name)
            if any(number != number for number in (value if isinstance(value, tuple) else (value,))):
                raise BadSetting(entry.name, value, "a number")
        for key in ("maximum_length", "constant"):
            value = getattr(self, key)
            if value is not None and not value > 0:
                raise BadSetting(key, value, "a positive number")
        if self.normalisation_in_use.endswith("maximum-length") and self.maximum_length is None:
            raise BadSetting("maximum_length", None, f"a number: {self.normalisation_in_use!r} divides by it")
        if self.normalisation_in_use == "constant" and self.constant is None:
            raise BadSetting("constant", None, "a number: 'constant' divides by it")
        if self.term_in_use == "delta" and self.delta is None:
            raise BadSetting("delta", None, "a number: the ratio is capped at it")
        if self.term_in_use in ("clipped-weight", "dual-clip") and self.cap is None:
            raise BadSetting("cap", None, f"a number: {self.term_in_use!r} needs it")
        if not 0 <= self.top_entropy_quantile <= 1:
            raise BadSetting("top_entropy_quantile", self.top_entropy_quantile, "a share from 0 to 1")
        if min(self.temperatures) <= 0:
            raise BadSetting("temperatures", self.temperatures, "positive numbers")

    @property
    def term_in_use(self) -> str:
        """The stated term, or the loss type's; a delta makes the two-sided clip one with it."""
        if self.term is not None:
            return self.term
        term = LOSSES[self.loss_type][0]
        return "delta" if term == "two-sided" and self.delta is not None else term

    @property
    def normalisation_in_use(self) -> str:
        """The stated normalisation, or the loss type's."""
        return self.normalisation or LOSSES[self.loss_type][1]

    @staticmethod
    def from_trl(config: Mapping[str, Any]) -> LossSettings:
        """The settings of a recorded ``config``: TRL's own names, with TRL's defaults for what is not there.

        Raises BadSetting for a value that is of another kind than its setting.
        """
        read = _Reader(config)
        loss_type = read.word("loss_type", "dapo")
        _one_of("loss_type", loss_type, tuple(LOSSES))
        epsilon = read.number("epsilon", 0.2)
        high = read.number_or_none("epsilon_high")
        vespo = _four(config, read)
        length = read.number_or_none("max_completion_length")
        if length is not None and not (math.isfinite(length) and length == int(length)):
            raise BadSetting("max_completion_length", length, "a whole number")
        return LossSettings(
            loss_type=loss_type,
            importance_sampling_level=read.word("importance_sampling_level", "token"),
            epsilon=epsilon,
            epsilon_high=epsilon if high is None else high,
            delta=read.number_or_none("delta"),
            beta=read.number("beta", 0.0),
            maximum_length=None if length is None else int(length),
            kl_weight="ratio" if config.get("use_bias_correction_kl", False) else "none",
            cap=(epsilon if high is None else high) if loss_type == "cispo" else None,
            temperatures=(read.number("sapo_temperature_pos", 1.0), read.number("sapo_temperature_neg", 1.05)),
            gamma_powers=(vespo[0], vespo[2]),
            gamma_rates=(vespo[1], vespo[3]),
            top_entropy_quantile=read.number("top_entropy_quantile", 1.0),
            entropy_coef=read.number("entropy_coef", 0.0),
            off_policy_mask_threshold=read.number_or_none("off_policy_mask_threshold"),
            sampler_correction=bool(
                config.get("use_vllm", False) and config.get("vllm_importance_sampling_correction", True)
            ),
            sampler_mode=read.word("vllm_importance_sampling_mode", "sequence_mask"),
            sampler_clip_min=read.number_or_none("vllm_importance_sampling_clip_min"),
            sampler_clip_max=read.number_or_none("vllm_importance_sampling_clip_max", 3.0),
        )


@dataclass(frozen=True)
class _Reader:
    """Values of a configuration, each checked as it is read."""

    config: Mapping[str, Any]

    def number_or_none(self, key: str, default: float | None = None) -> float | None:
        """A number; the default where the key is missing, None where it says null."""
        value = self.config.get(key, default)
        return None if value is None else _number(key, value)

    def number(self, key: str, default: float) -> float:
        """A number; the default where there is none."""
        found = self.number_or_none(key, default)
        return default if found is None else found

    def word(self, key: str, default: str) -> str:
        """A word."""
        value = self.config.get(key, default)
        if not isinstance(value, str):
            raise BadSetting(key, value, "a word")
        return value


def _four(config: Mapping[str, Any], read: _Reader) -> tuple[float, float, float, float]:
    """VESPO's k and lambda for A >= 0, then for A < 0: a list of four, or TRL's four settings."""
    listed = config.get("vespo")
    if listed is None:
        return (
            read.number("vespo_k_pos", 2.0),
            read.number("vespo_lambda_pos", 3.0),
            read.number("vespo_k_neg", 3.0),
            read.number("vespo_lambda_neg", 2.0),
        )
    if not isinstance(listed, list | tuple) or len(listed) != 4:
        raise BadSetting("vespo", listed, "four numbers: k and lambda for A >= 0, then for A < 0")
    pos_k, pos_rate, neg_k, neg_rate = (_number("vespo", number) for number in listed)
    return pos_k, pos_rate, neg_k, neg_rate


def _number(key: str, value: object) -> float:
    """A number that a float holds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise BadSetting(key, value, "a number")
    try:
        return float(value)
    except OverflowError as error:
        raise BadSetting(key, value, "a number that a float holds") from error


def _one_of(key: str, value: str, known: tuple[str, ...]) -> None:
    """Refuse a word that is none of the known ones."""
    if value not in known:
        raise BadSetting(key, value, "one of " + ", ".join(known))
