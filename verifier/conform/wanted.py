"""The variants that a loss is held against: names people use, and the numbers that each has or is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.masks import Selection
from grpocheck.core.variants.normalisation import Normalisation, Per
from grpocheck.core.variants.penalties import Divergence, KLTerm, Weight
from grpocheck.core.variants.registry import NAMED, named
from grpocheck.core.variants.scores import CappedScore, ClippedWeight
from grpocheck.core.variants.terms import Delta, DualClip, TwoSided, UpperCap
from grpocheck.core.variants.variant import Variant
from grpocheck.core.variants.words import with_parts
from grpocheck.verifier.recompute.settings import BadSetting, LossSettings
from grpocheck.verifier.recompute.variants import settings_of

ALIASES: Mapping[str, str] = {"grpo": "grpo-token", "ppo": "grpo-token", "rloo": "reinforce-leave-one-out"}

PENALTIES: Mapping[str, KLTerm] = {
    "none": KLTerm(),
    "k1": KLTerm(Divergence.K1),
    "k2": KLTerm(Divergence.K2),
    "k3": KLTerm(Divergence.K3),
    "k3-weighted": KLTerm(Divergence.K3, Weight.DIFFERENTIATED),
    "k3-weighted-detached": KLTerm(Divergence.K3, Weight.DETACHED),
    "k3-reversed": KLTerm(Divergence.K3_REVERSED),
}


@dataclass(frozen=True)
class Numbers:
    """What a variant leaves to its user; ``maximum_length`` None is the width of each batch."""

    epsilon: Fraction = Fraction(1, 5)
    beta: Fraction = Fraction(0)
    maximum_length: int | None = None


@dataclass(frozen=True)
class Wanted:
    """A variant with its numbers."""

    variant: Variant
    numbers: Numbers

    def settings(self, width: int) -> LossSettings:
        """The settings of a batch with this many positions."""
        longest = self.numbers.maximum_length or width
        return settings_of(self.variant, float(self.numbers.epsilon), float(self.numbers.beta), longest)


def variant_called(name: str, parts: Sequence[str] = ()) -> Variant:
    """The variant of a name as people write it (dr_grpo, GSPO), with parts exchanged; raises InvalidProblem."""
    plain = name.strip().lower().replace("_", "-")
    return with_parts(named(ALIASES.get(plain, plain)), parts)


def with_penalty(variant: Variant, beta: Fraction) -> Variant:
    """A variant that has a beta and says nothing of a KL term has k3, as DeepSeekMath and trainers do."""
    if beta == 0 or variant.kl.divergence is not Divergence.NONE:
        return variant
    return replace(variant, kl=PENALTIES["k3"])


@dataclass(frozen=True)
class Measured:
    """What a black box shows of its own numbers: where a clip begins to hold, or what a weight is.

    ``low`` and ``high`` are widths below and above 1 on the side that counts, ``cap`` where A < 0 is held from above;
    None where nothing is held. ``weight_cap`` and ``weight_floor`` are of a detached weight.
    """

    low: Fraction | None = None
    high: Fraction | None = None
    cap: Fraction | None = None
    weight_cap: Fraction | None = None
    weight_floor: Fraction | None = None


def every_variant(measured: Measured, numbers: Numbers, penalties: Sequence[str]) -> Iterator[Wanted]:
    """The named variants and the compositions that trainers have beside them, each with the measured numbers."""
    seen: dict[LossSettings, None] = {}
    for base in (*NAMED.values(), *_compositions()):
        if base.selection is Selection.UNTIL_MIXED or base.name == "section-1":
            continue
        variant = with_numbers(base, measured)
        if variant is None:
            continue
        for word in penalties:
            own = "" if word == "none" or base.kl == PENALTIES[word] else f" with kl={word}"
            wanted = Wanted(replace(variant, kl=PENALTIES[word], name=base.name + own), numbers)
            try:
                settings = wanted.settings(7)
            except BadSetting:
                continue
            if settings in seen and base.name not in NAMED:
                continue
            seen[settings] = None
            yield wanted


COMPOSED = (
    "grpo-token",
    "gspo",
    "cispo",
    "sapo",
    "dual-clip",
    "delta",
    "vespo",
    "reinforce-mean",
    "importance-weighted",
)


def _compositions() -> Iterator[Variant]:
    """Terms and levels with normalisations that no named variant has, and that trainers let people choose."""
    rules = {
        "own length": Normalisation(),
        "all tokens": Normalisation(False, Per.ALL_TOKENS),
        "sum": Normalisation(False, Per.NONE),
        "maximum length": Normalisation(False, Per.MAXIMUM),
    }
    for name in COMPOSED:
        for words, rule in rules.items():
            if NAMED[name].normalisation != rule:
                yield replace(NAMED[name], name=f"{name} over {words}", normalisation=rule)


def with_numbers(variant: Variant, measured: Measured) -> Variant | None:
    """A variant with what was measured in the place of its own numbers; None where the two cannot be one."""
    term = variant.term
    try:
        if isinstance(term, DualClip | Delta):
            if measured.cap is None or measured.low is None or measured.high is None:
                return None
            if isinstance(term, DualClip):
                return replace(variant, term=DualClip(measured.low, measured.high, measured.cap))
            return replace(variant, term=Delta(measured.low, measured.high, measured.cap))
        if isinstance(term, TwoSided):
            if measured.low is None or measured.high is None or measured.cap is not None:
                return None
            return replace(variant, term=TwoSided(measured.low, measured.high))
        if isinstance(term, UpperCap):
            return None if measured.high is None else replace(variant, term=UpperCap(measured.high))
        if isinstance(term, CappedScore):
            return None if measured.weight_cap is None else replace(variant, term=CappedScore(measured.weight_cap - 1))
        if isinstance(term, ClippedWeight):
            cap = measured.weight_cap
            return None if cap is None else replace(variant, term=ClippedWeight(cap, measured.weight_floor))
    except InvalidProblem:
        return None
    return variant

