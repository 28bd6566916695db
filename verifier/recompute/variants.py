"""The variants of grpocheck.core.variants as settings of a loss over arrays."""

from __future__ import annotations

from grpocheck.core.variants.normalisation import Per
from grpocheck.core.variants.penalties import Divergence, Place
from grpocheck.core.variants.ratios import Denominator, Level
from grpocheck.core.variants.scores import CappedScore, ClippedWeight, GammaWeight
from grpocheck.core.variants.terms import Delta, DualClip, SoftGate, TwoSided, UpperCap
from grpocheck.core.variants.variant import Variant
from grpocheck.verifier.recompute.settings import BadSetting, LossSettings

_LEVELS = {Level.TOKEN: "token", Level.GEOMETRIC: "sequence", Level.SEQUENCE: "product"}
_WITHOUT_OWN = {Per.NONE: "none", Per.MAXIMUM: "maximum-length", Per.ALL_TOKENS: "all-tokens", Per.CONSTANT: "constant"}
_WITH_OWN = {Per.NONE: "own-length", Per.MAXIMUM: "own-length+maximum-length"}


def settings_of(variant: Variant, epsilon: float, beta: float, maximum_length: int) -> LossSettings:
    """A variant with the numbers of a problem; raises BadSetting for a part that is no function of the tensors.

    An exact KL term is one of the whole policy and not of sampled tokens: it is left out, and so is what makes
    advantages of rewards.
    """
    term, rule, kl = variant.term, variant.normalisation, variant.kl
    known = _WITH_OWN if rule.own_length else _WITHOUT_OWN
    if rule.per not in known:
        raise BadSetting("normalisation", rule.per.value, "a normalisation of the batch")
    if variant.ratio.denominator is not Denominator.OLD:
        raise BadSetting("ratio", variant.ratio.denominator.value, "a ratio to the old policy")
    if kl.place is not Place.LOSS:
        raise BadSetting("kl", kl.place.value, "a term of the loss")
    low = high = epsilon
    if isinstance(term, TwoSided):
        low = epsilon if term.low is None else float(term.low)
    if isinstance(term, TwoSided | UpperCap | CappedScore) and term.high is not None:
        high = float(term.high)
    gate = term if isinstance(term, SoftGate) else SoftGate()
    weight = term if isinstance(term, GammaWeight) else GammaWeight()
    sampled = kl.divergence not in (Divergence.NONE, Divergence.EXACT)
    return LossSettings(
        loss_type="grpo",
        importance_sampling_level=_LEVELS[variant.ratio.level],
        epsilon=low,
        epsilon_high=high,
        delta=float(term.delta) if isinstance(term, Delta) else None,
        beta=beta if sampled else 0.0,
        term=term.word,
        normalisation=known[rule.per],
        maximum_length=maximum_length,
        constant=None if rule.constant is None else float(rule.constant),
        penalty=kl.divergence.value if sampled else "none",
        kl_weight=kl.weight.value,
        kl_clamp_log_ratio=None if kl.clamp_log_ratio is None else float(kl.clamp_log_ratio),
        kl_clamp_value=None if kl.clamp_value is None else float(kl.clamp_value),
        cap=float(term.cap) if isinstance(term, ClippedWeight | DualClip) else None,
        floor=float(term.floor) if isinstance(term, ClippedWeight) and term.floor is not None else None,
        temperatures=(float(gate.positive), float(gate.negative)),
        gamma_powers=(float(weight.positive_power), float(weight.negative_power)),
        gamma_rates=(float(weight.positive_rate), float(weight.negative_rate)),
        gamma_clamps=False,
        top_entropy_quantile=1.0 if variant.entropy_mask is None else float(variant.entropy_mask.share),
        entropy_coef=float(variant.entropy_bonus),
        off_policy_mask_threshold=(
            None if variant.off_policy_mask is None else float(variant.off_policy_mask.threshold)
        ),
    )
