"""The variants that a loss is held against: names people use, and the numbers that each has or is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.values import rational
from grpocheck.core.variants.advantages import AdvantageRule, Baseline, Divisor
from grpocheck.core.variants.masks import Selection
from grpocheck.core.variants.normalisation import Normalisation, Per
from grpocheck.core.variants.penalties import Divergence, KLTerm, Weight
from grpocheck.core.variants.registry import NAMED, named
from grpocheck.core.variants.scores import CappedScore, ClippedWeight
from grpocheck.core.variants.terms import Delta, DualClip, TwoSided, UpperCap
from grpocheck.core.variants.variant import Variant
from grpocheck.core.variants.words import advantage_text, with_parts
from grpocheck.verifier.recompute.settings import BadSetting, LossSettings
from grpocheck.verifier.recompute.variants import settings_of

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
    """What a variant leaves to its user: the clip width, beta in reward units per nat, and what lengths are divided by.

    ``maximum_length`` None is the width of each batch.
    """

    epsilon: Fraction = Fraction(1, 5)
    beta: Fraction = Fraction(0)
    maximum_length: int | None = None


def numbers_of(epsilon: Any = None, beta: Any = None, maximum_length: int | None = None) -> Numbers:
    """The numbers as people write them, 0.2 being 1/5; raises InvalidProblem, which names the one that is none.

    >>> numbers_of(0.2, "1/25").epsilon
    Fraction(1, 5)
    """
    width, weight = (
        default if value is None else rational(key, str(value) if isinstance(value, float) else value)
        for key, value, default in (("epsilon", epsilon, Fraction(1, 5)), ("beta", beta, Fraction(0)))
    )
    if not 0 < width < 1:
        raise InvalidProblem("epsilon", str(width), "a number strictly between 0 and 1")
    if weight < 0:
        raise InvalidProblem("beta", str(weight), "a number of at least 0")
    if maximum_length is not None and (type(maximum_length) is not int or maximum_length < 1):
        raise InvalidProblem("maximum-length", maximum_length, "a count of at least 1")
    return Numbers(width, weight, maximum_length)


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
    if not isinstance(name, str):
        raise InvalidProblem("variant", name, "the name of a variant")
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise InvalidProblem("parts", parts, "texts such as advantage=leave-one-out, in a list")
    return with_parts(named(name), parts)


def with_penalty(variant: Variant, beta: Fraction) -> Variant:
    """A variant that has a beta and says nothing of a KL term has k3, as DeepSeekMath and trainers do."""
    if beta == 0 or variant.kl.divergence is not Divergence.NONE:
        return variant
    return replace(variant, kl=PENALTIES["k3"])


@dataclass(frozen=True)
class Measured:
    """What a black box shows of its own numbers: where a clip begins to hold, or what a weight is.

    ``low`` and ``high`` are widths below and above 1 on the side that counts, ``cap`` the ratio where A < 0 is held
    from above, ``gain_floor`` that where A > 0 is held from below; None where nothing is held. ``weight_cap`` and
    ``weight_floor`` are of a detached weight.
    """

    low: Fraction | None = None
    high: Fraction | None = None
    cap: Fraction | None = None
    gain_floor: Fraction | None = None
    weight_cap: Fraction | None = None
    weight_floor: Fraction | None = None


def every_variant(
    measured: Measured, numbers: Numbers, penalties: Sequence[str], from_rewards: bool = False
) -> Iterator[Wanted]:
    """The named variants and the compositions that trainers have beside them, each with the measured numbers.

    For a loss that makes its own advantages each named one stands with its own rule for them, then each with every
    other; a method whose rule needs more than one reward for each response is none of such a loss.
    """
    seen: set[tuple[LossSettings, AdvantageRule | None]] = set()
    for base, rule in _bases(from_rewards):
        variant = with_numbers(base, measured)
        if variant is None:
            continue
        for word in penalties:
            own = "" if word == "none" or base.kl == PENALTIES[word] else f" with kl={word}"
            other = "" if rule in (None, base.advantage) else f" with advantage={advantage_text(rule)}"
            made = replace(variant, kl=PENALTIES[word], name=base.name + own + other)
            wanted = Wanted(made if rule is None else replace(made, advantage=rule), numbers)
            try:
                key = (wanted.settings(7), rule)
            except BadSetting:
                continue
            if key in seen and (base.name not in NAMED or rule not in (None, base.advantage)):
                continue
            seen.add(key)
            yield wanted


def _bases(from_rewards: bool) -> Iterator[tuple[Variant, AdvantageRule | None]]:
    """What is tried, with the rule for advantages of a loss of rewards; None of one that takes advantages."""
    known = [base for base in NAMED.values() if base.selection is not Selection.UNTIL_MIXED]
    every = (*known, *_compositions())
    if not from_rewards:
        yield from ((base, None) for base in every)
        return
    yield from ((base, base.advantage) for base in known if base.advantage.first is None)
    yield from ((base, rule) for base in every for rule in RULES if base.name not in NAMED or rule != base.advantage)


RULES = (
    *(
        AdvantageRule(Baseline.MEAN, divisor, epsilon)
        for divisor in (Divisor.POPULATION, Divisor.SAMPLE, Divisor.BATCH_POPULATION, Divisor.BATCH_SAMPLE)
        for epsilon in (Fraction(0), Fraction(1, 10**4), Fraction(1, 10**6), Fraction(1, 10**8))
    ),
    AdvantageRule(Baseline.MEAN, Divisor.NONE),
    AdvantageRule(Baseline.LEAVE_ONE_OUT, Divisor.NONE),
    AdvantageRule(Baseline.NONE, Divisor.NONE),
)
"""Advantages as trainers make them; the epsilons are TRL's, verl's and OpenRLHF's."""

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

