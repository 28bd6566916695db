"""The value of a variant on a batch, and its derivatives by the log-probability of each sampled token.

F is a function of the current masses; everything else in the batch is frozen. Where a term has a kink the derivative
given is the mean of the two one-sided ones, and the kink is listed: whether F is differentiable is decided by
grpocheck.core.variants.differentiability for the policy at hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.contracts.comparisons import at_most, decided_sign, equal
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.batch import Batch, SampledGroup, SampledResponse
from grpocheck.core.variants.frozen_batch import Frozen, Nested, freeze_batch
from grpocheck.core.variants.masks import entropies_of
from grpocheck.core.variants.penalties import Divergence, Place, Weight, estimate, reference_of
from grpocheck.core.variants.ratios import Denominator, Level, RatioRule, ratios, sensitivities
from grpocheck.core.variants.scores import Score
from grpocheck.core.variants.terms import Clamped, Surrogate
from grpocheck.core.variants.variant import Variant

OWN = RatioRule()
"""The rule by which a token's number moves with its own mass alone."""


@invariant(lambda self: decided_sign(self.jump) != 0, "a kink is a jump of the slope")
@dataclass(frozen=True)
class Kink:
    """A term whose slope jumps by ``jump`` along log r, with d log r by the log mass of each token of a response."""

    group: int
    response: int
    jump: Scalar
    direction: tuple[Fraction, ...]


@dataclass(frozen=True)
class Slopes:
    """The derivatives of F: by log pi_theta of each sampled token, by each entropy, and by each exact divergence.

    ``log_masses`` and ``marked`` are [group][response][token], 0 and False for what does not count. ``entropy`` is the
    derivative by the entropy of every marked token, ``divergence`` that by the exact divergence of every group whose
    place in the batch is in ``groups``.
    """

    log_masses: tuple[Nested, ...]
    marked: tuple[Nested, ...]
    kinks: tuple[Kink, ...]
    entropy: Scalar
    divergence: Scalar
    groups: tuple[int, ...]


Alike = tuple[int, int]


@dataclass(frozen=True)
class Sample:
    """One response in its place, with what the variant made of it before."""

    group: int
    response: int
    drawn: SampledResponse
    advantage: Scalar
    weight: Fraction
    kept: tuple[bool, ...]
    marked: tuple[bool, ...]

    @property
    @ensure(lambda self, result: result == (self.group, id(self.drawn)), "the same response in the same group")
    def alike(self) -> Alike:
        """What two samples share whose terms are one and the same: a response drawn twice is computed once.

        Advantage, weight and masks are functions of the response and its group, whatever the variant.
        """
        return self.group, id(self.drawn)


@require(lambda frozen: len(frozen.places) == len(frozen.groups), "kept groups have places")
@ensure(lambda frozen, result: len(result) <= sum(len(group.responses) for group in frozen.groups), "each at most once")
def samples_of(frozen: Frozen) -> list[Sample]:
    """The responses that have a token that counts."""
    return [
        Sample(
            place, i, response, frozen.advantages[g][i], frozen.weights[g][i], frozen.kept[g][i], frozen.marked[g][i]
        )
        for g, (place, group) in enumerate(zip(frozen.places, frozen.groups, strict=True))
        for i, response in enumerate(group.responses)
        if response.length
    ]


@require(lambda sample: sample.drawn.length == len(sample.kept), "a mask for each active token")
@ensure(lambda sample, result: any(sample.kept) or equal(result, 0), "a response that is left out adds nothing")
@ensure(
    lambda sample, frozen, result: not isinstance(frozen.variant.term, Clamped)
    or frozen.variant.ratio.denominator is not Denominator.OLD
    or any(token.current is not token.old for token in sample.drawn.tokens)
    or equal(result, sample.advantage * sum(sample.kept)),
    "B3: where every ratio is 1 a clipped term is A",
)
def policy_value(sample: Sample, frozen: Frozen, arithmetic: Arithmetic) -> Scalar:
    """The sum of the terms of the kept tokens of one response, before its weight."""
    variant, epsilon = frozen.variant, frozen.batch.epsilon
    active = [token for token in sample.drawn.tokens if token.active]
    total = arithmetic.number(Fraction(0))
    for token, ratio, kept in zip(active, ratios(sample.drawn, variant.ratio, arithmetic), sample.kept, strict=True):
        if not kept:
            continue
        if isinstance(variant.term, Surrogate):
            total = total + variant.term.value(ratio, sample.advantage, epsilon, arithmetic)
        elif isinstance(variant.term, Score):
            weight = variant.term.weight(ratio, sample.advantage, epsilon, arithmetic)
            total = total + weight * sample.advantage * arithmetic.log(token.current)
    return total


@require(lambda frozen: frozen.variant.kl.place is Place.LOSS, "a KL term of the loss")
@ensure(
    lambda frozen, result: frozen.variant.kl.divergence.is_sampled or equal(result, 0), "only sampled terms are here"
)
def penalty_value(sample: Sample, frozen: Frozen, arithmetic: Arithmetic) -> Scalar:
    """The sum of the KL estimates of the active tokens of one response, masked or not, before weight and beta."""
    kl = frozen.variant.kl
    total = arithmetic.number(Fraction(0))
    if not kl.divergence.is_sampled:
        return total
    active = [token for token in sample.drawn.tokens if token.active]
    for token, ratio in zip(active, ratios(sample.drawn, frozen.variant.ratio, arithmetic), strict=True):
        value = estimate(token.current, reference_of(token), kl, arithmetic).value
        total = total + (value if kl.weight is Weight.NONE else ratio * value)
    return total


@require(lambda frozen: len(frozen.places) == len(frozen.groups), "kept groups have places")
@ensure(
    lambda frozen, result: bool(frozen.groups) or (equal(result[0], 0) and equal(result[1], 0)),
    "without a kept group there is no bonus and no divergence",
)
def whole_batch_slopes(frozen: Frozen, arithmetic: Arithmetic) -> tuple[Scalar, Scalar]:
    """The derivative of F by the entropy of each marked token, and by the exact divergence of each kept group."""
    zero, variant = arithmetic.number(Fraction(0)), frozen.variant
    entropy = divergence = zero
    tokens = sum(mark for group in frozen.marked for line in group for mark in line)
    if variant.entropy_bonus and tokens:
        entropy = arithmetic.number(variant.entropy_bonus / tokens)
    if variant.kl.divergence is Divergence.EXACT and frozen.groups:
        divergence = -frozen.batch.beta / len(frozen.groups)
    return entropy, divergence


@require(lambda batch: len(batch.groups) >= 1, "a batch has a group")
@ensure(
    lambda batch, result: any(response.length for group in batch.groups for response in group.responses)
    or any(group.divergence is not None for group in batch.groups)
    or equal(result, 0),
    "a batch in which nothing counts has F = 0",
)
def value(variant: Variant, batch: Batch, arithmetic: Arithmetic) -> Scalar:
    """F on a batch, in advantage units; for a score term the sum of weight A log pi, which is no objective.

    Raises InvalidProblem for a batch that lacks what the variant is made of (a reward, a reference, an entropy), and
    UndecidedComparison where a clip is not decided.
    """
    return value_of(freeze_batch(variant, batch, arithmetic), arithmetic)


@require(lambda frozen: len(frozen.places) == len(frozen.groups), "kept groups have places")
@ensure(lambda frozen, result: bool(frozen.groups) or equal(result, 0), "without a kept group F = 0")
def value_of(frozen: Frozen, arithmetic: Arithmetic) -> Scalar:
    """F on a batch of which all but the current masses is frozen."""
    variant, batch = frozen.variant, frozen.batch
    entropy, divergence = whole_batch_slopes(frozen, arithmetic)
    total = arithmetic.number(Fraction(0))
    penalised = arithmetic.less(0, batch.beta)
    known: dict[Alike, Scalar] = {}
    for sample in samples_of(frozen):
        if sample.alike not in known:
            part = policy_value(sample, frozen, arithmetic)
            if penalised and variant.kl.place is Place.LOSS:
                part = part - batch.beta * penalty_value(sample, frozen, arithmetic)
            known[sample.alike] = sample.weight * part
        total = total + known[sample.alike]
        if variant.entropy_bonus:
            pairs = zip(entropies_of(sample.drawn), sample.marked, strict=True)
            total = total + entropy * sum(h for h, mark in pairs if mark)
    if penalised and variant.kl.divergence is Divergence.EXACT:
        total = total + divergence * sum(divergence_of(group) for group in frozen.groups)
    return total


@require(lambda group: len(group.responses) >= 1, "a group has a response")
@ensure(lambda result: at_most(0, result), "B4: KL >= 0")
def divergence_of(group: SampledGroup) -> Scalar:
    """The exact divergence at a group's prompt; raises InvalidProblem where it is not known."""
    if group.divergence is None:
        raise InvalidProblem("divergence", None, "the exact divergence of each prompt: the KL term is exact")
    return group.divergence


@require(lambda batch: len(batch.groups) >= 1, "a batch has a group")
@ensure(
    lambda batch, result: [[len(tokens) for tokens in group] for group in result.log_masses]
    == [[len(response.tokens) for response in group.responses] for group in batch.groups],
    "a slope for each sampled token",
)
@ensure(
    lambda batch, result: all(
        token.active or equal(slope, 0)
        for group, rows in zip(batch.groups, result.log_masses, strict=True)
        for response, row in zip(group.responses, rows, strict=True)
        for token, slope in zip(response.tokens, row, strict=True)
    ),
    "what is not active moves nothing",
)
def slopes(variant: Variant, batch: Batch, arithmetic: Arithmetic) -> Slopes:
    """The derivatives of F on a batch, with the kinks that they pass over: at a kink the mean of both sides.

    Raises what ``value`` raises: InvalidProblem and UndecidedComparison.
    """
    return slopes_of(freeze_batch(variant, batch, arithmetic), arithmetic)


@require(lambda frozen: len(frozen.places) == len(frozen.groups), "kept groups have places")
@ensure(lambda frozen, result: result.groups == frozen.places, "the kept groups are named")
def slopes_of(frozen: Frozen, arithmetic: Arithmetic) -> Slopes:
    """The derivatives of F on a batch of which all but the current masses is frozen."""
    batch = frozen.batch
    zero = arithmetic.number(Fraction(0))
    rows = [[[zero] * len(response.tokens) for response in group.responses] for group in batch.groups]
    marked = [[[False] * len(response.tokens) for response in group.responses] for group in batch.groups]
    kinks: list[Kink] = []
    known: dict[Alike, list[Effect]] = {}
    for sample in samples_of(frozen):
        places = [h for h, token in enumerate(sample.drawn.tokens) if token.active]
        if sample.alike not in known:
            known[sample.alike] = effects_of(sample, frozen, arithmetic)
        for effect in known[sample.alike]:
            for h, part in zip(places, effect.direction, strict=True):
                rows[sample.group][sample.response][h] += part * (effect.left + effect.right) / 2
            if not arithmetic.equal(effect.left, effect.right):
                whole = [Fraction(0)] * len(sample.drawn.tokens)
                for h, part in zip(places, effect.direction, strict=True):
                    whole[h] = part
                kinks.append(Kink(sample.group, sample.response, effect.right - effect.left, tuple(whole)))
        for h, mark in zip(places, sample.marked, strict=True):
            marked[sample.group][sample.response][h] = mark
    entropy, divergence = whole_batch_slopes(frozen, arithmetic)
    return Slopes(nested(rows), nested(marked), tuple(kinks), entropy, divergence, frozen.places)


@require(lambda rows: len(rows) >= 1, "a batch has a group")
@ensure(lambda rows, result: [len(group) for group in result] == [len(group) for group in rows], "the same shape")
def nested(rows: Sequence[Sequence[Sequence[Scalar]]]) -> tuple[Nested, ...]:
    """[group][response][token] as tuples."""
    return tuple(tuple(tuple(row) for row in group) for group in rows)


@dataclass(frozen=True)
class Effect:
    """What one log ratio, or one log mass, adds: one-sided derivatives of F along a direction of the active tokens."""

    left: Scalar
    right: Scalar
    direction: Sequence[Fraction]


@require(lambda sample: sample.drawn.length == len(sample.kept), "a mask for each active token")
@ensure(
    lambda sample, result: all(len(effect.direction) == sample.drawn.length for effect in result),
    "a direction has an entry for each active token",
)
def effects_of(sample: Sample, frozen: Frozen, arithmetic: Arithmetic) -> list[Effect]:
    """Everything that the terms and the KL estimates of one response add to the derivatives of F."""
    variant, batch, length = frozen.variant, frozen.batch, sample.drawn.length
    found = ratios(sample.drawn, variant.ratio, arithmetic)
    effects: list[Effect] = []
    # at a sequence level the terms of the tokens are one and the same, and so are their ratios
    groups = [(0, sum(sample.kept))] if variant.ratio.level is not Level.TOKEN else list(enumerate(sample.kept))
    for place, count in groups:
        if count and isinstance(variant.term, Surrogate):
            left, right = variant.term.slopes(found[place], sample.advantage, batch.epsilon, arithmetic)
            scale = sample.weight * int(count) * found[place]
            effects.append(Effect(scale * left, scale * right, sensitivities(variant.ratio, place, length)))
    for place, kept in enumerate(sample.kept):
        if kept and isinstance(variant.term, Score):
            weight = variant.term.weight(found[place], sample.advantage, batch.epsilon, arithmetic)
            slope = sample.weight * weight * sample.advantage
            effects.append(Effect(slope, slope, sensitivities(OWN, place, length)))
    kl = variant.kl
    if kl.divergence.is_sampled and kl.place is Place.LOSS and arithmetic.less(0, batch.beta):
        active = [token for token in sample.drawn.tokens if token.active]
        for place, (token, ratio) in enumerate(zip(active, found, strict=True)):
            known = estimate(token.current, reference_of(token), kl, arithmetic)
            scale = -batch.beta * sample.weight * (1 if kl.weight is Weight.NONE else ratio)
            own = sensitivities(OWN, place, length)
            effects.append(Effect(scale * known.left, scale * known.right, own))
            if kl.weight is Weight.DIFFERENTIATED:
                slope = scale * known.value
                effects.append(Effect(slope, slope, sensitivities(variant.ratio, place, length)))
    return effects
