"""Group files: sampled groups as they are, with rewards or advantages and, token by token, masses or ratios.

    epsilon = 0.2                     # optional, 0.2; beta = 0, maximum_length: the longest response
    [[groups]]
    [[groups.responses]]
    reward = 1                        # or rewards = [1, "missing"], one for each reward function
    ratios = [2, "1/2"]               # or tokens = [{ current = 0.5, old = 0.25, reference = 0.5 }]; one ratio 1 else
    [[groups.responses]]
    reward = "missing"

``advantage`` in place of ``reward``, in every response, states the advantages themselves.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.values import count, entries, rational, rationals, table
from grpocheck.core.variants.batch import Batch, SampledGroup, SampledResponse, SampledToken
from grpocheck.core.variants.clip_tests import ClipTest, clipped_share
from grpocheck.core.variants.evaluation import policy_value, samples_of, slopes, value
from grpocheck.core.variants.frozen_batch import freeze_batch
from grpocheck.core.variants.ratios import ratios
from grpocheck.core.variants.terms import Surrogate, TwoSided
from grpocheck.core.variants.variant import Variant

MISSING = "missing"
MASSES = ("current", "old", "reference", "sampler")


@dataclass(frozen=True)
class GroupFile:
    """A batch as a file states it; ``states_advantages`` says that its rewards are advantages already."""

    batch: Batch
    states_advantages: bool


def read_groups(mapping: Mapping[str, object], arithmetic: Arithmetic) -> GroupFile:
    """The groups of a parsed group file, in scalars of an arithmetic; raises InvalidProblem, which names the key."""
    stated = table("", mapping, ("groups", "epsilon", "beta", "maximum_length"), ("groups",))
    listed = entries("groups", stated["groups"], "a list of groups: [[groups]] tables")
    kinds: set[str] = set()
    functions: set[int] = set()
    groups = []
    for place, group in enumerate(listed):
        fields = table(f"groups[{place}]", group, ("responses",), ("responses",))
        key = f"groups[{place}].responses"
        responses = entries(key, fields["responses"], "a list of responses")
        if not responses:
            raise InvalidProblem(key, responses, "at least one response")
        drawn = tuple(read_response(f"{key}[{i}]", r, kinds, arithmetic) for i, r in enumerate(responses))
        functions.update(len(response.rewards) for response in drawn)
        if len(functions) != 1 or len(kinds) != 1:
            expected = "rewards in every response, as many in each, or an advantage in each"
            raise InvalidProblem(key, sorted(kinds), expected)
        groups.append(SampledGroup(drawn))
    if not groups:
        raise InvalidProblem("groups", listed, "at least one group")
    epsilon, beta = rational("epsilon", stated.get("epsilon", "1/5")), rational("beta", stated.get("beta", 0))
    if not 0 < epsilon < 1:
        raise InvalidProblem("epsilon", epsilon, "a number strictly between 0 and 1")
    if beta < 0:
        raise InvalidProblem("beta", beta, "a number of at least 0")
    longest = max(len(response.tokens) for group in groups for response in group.responses)
    maximum = count("maximum_length", stated.get("maximum_length", longest), longest)
    batch = Batch(tuple(groups), arithmetic.number(epsilon), arithmetic.number(beta), maximum)
    return GroupFile(batch, kinds == {"advantage"})


def read_response(key: str, mapping: object, kinds: set[str], arithmetic: Arithmetic) -> SampledResponse:
    """One response; what it states, rewards or an advantage, is noted in ``kinds``."""
    fields: Mapping[str, Any] = table(key, mapping, ("reward", "rewards", "advantage", "ratios", "tokens"))
    numbers = [name for name in ("reward", "rewards", "advantage") if name in fields]
    if len(numbers) != 1:
        raise InvalidProblem(key, numbers, "one of reward, rewards and advantage")
    kinds.add("advantage" if numbers == ["advantage"] else "rewards")
    stated = fields[numbers[0]]
    listed = entries(f"{key}.rewards", stated, "a list of rewards") if numbers == ["rewards"] else (stated,)
    if not listed:
        raise InvalidProblem(f"{key}.rewards", listed, "at least one reward")
    rewards = tuple(
        None if reward == MISSING else arithmetic.number(rational(f"{key}.{numbers[0]}", reward)) for reward in listed
    )
    if "ratios" in fields and "tokens" in fields:
        raise InvalidProblem(f"{key}.tokens", fields["tokens"], "ratios or tokens, not both")
    if "tokens" not in fields:
        return SampledResponse(read_ratios(f"{key}.ratios", fields.get("ratios", (1,)), arithmetic), rewards)
    tokens = entries(f"{key}.tokens", fields["tokens"], "a list of tokens")
    if not tokens:
        raise InvalidProblem(f"{key}.tokens", tokens, "at least one token")
    return SampledResponse(
        tuple(read_token(f"{key}.tokens[{h}]", token, arithmetic) for h, token in enumerate(tokens)),
        rewards,
    )


def read_ratios(key: str, stated: object, arithmetic: Arithmetic) -> tuple[SampledToken, ...]:
    """Tokens of which only the ratios are known."""
    read = rationals(key, stated)
    if not read or min(read) <= 0:
        raise InvalidProblem(key, read, "at least one ratio, each above 0")
    one = arithmetic.number(Fraction(1))
    return tuple(SampledToken(arithmetic.number(ratio), one) for ratio in read)


def read_token(key: str, mapping: object, arithmetic: Arithmetic) -> SampledToken:
    """A token's masses under the policies that are known."""
    fields: Mapping[str, Any] = table(key, mapping, (*MASSES, "active"), ("current", "old"))
    active = fields.get("active", True)
    if not isinstance(active, bool):
        raise InvalidProblem(f"{key}.active", active, "true or false")
    masses = {}
    for name in MASSES:
        if name in fields:
            mass = rational(f"{key}.{name}", fields[name])
            if not 0 < mass <= 1:
                raise InvalidProblem(f"{key}.{name}", mass, "a mass above 0 and at most 1")
            masses[name] = arithmetic.number(mass)
    return SampledToken(**masses, active=active)


@dataclass(frozen=True)
class Realised:
    """What a variant makes of one batch: numbers [group][response], or [group][response][token].

    ``objective`` is F in reward units, ``slopes`` dF/d log pi of every token (the mean of both sides at a kink), of
    which ``kinks`` counts the terms that have one. ``clipped`` is the share of tokens that each way to count calls
    clipped, None for a variant without a two-sided clip.
    """

    advantages: tuple[tuple[Scalar, ...], ...]
    ratios: tuple[tuple[tuple[Scalar, ...], ...], ...]
    terms: tuple[tuple[Scalar, ...], ...] | None
    ratio_slopes: tuple[tuple[tuple[Scalar, ...], ...], ...] | None
    objective: Scalar | None
    slopes: tuple[tuple[tuple[Scalar, ...], ...], ...]
    kinks: int
    clipped: Mapping[str, Fraction] | None


def realised(variant: Variant, batch: Batch, arithmetic: Arithmetic) -> Realised:
    """Advantages, ratios, terms, objective and slopes of one batch.

    ``terms`` are each response's normalised sum of terms, so that the policy part of F is their mean over responses;
    a variant whose weights are detached has none.
    ``ratio_slopes`` are the slopes of the terms in their ratios (the mean of both sides at a kink).
    """
    frozen = freeze_batch(variant, batch, arithmetic)
    samples = samples_of(frozen)
    shape: list[list[Any]] = [[() for _ in group.responses] for group in frozen.groups]
    zero = arithmetic.number(Fraction(0))
    found_ratios, ratio_slopes = [[*row] for row in shape], [[*row] for row in shape]
    terms: list[list[Scalar]] = [[zero for _ in row] for row in shape]
    responses = sum(len(row) for row in shape)
    for sample in samples:
        place, i = frozen.places.index(sample.group), sample.response
        found_ratios[place][i] = ratios(sample.drawn, variant.ratio, arithmetic)
        if variant.has_objective:
            terms[place][i] = responses * sample.weight * policy_value(sample, frozen, arithmetic)
        if isinstance(variant.term, Surrogate):
            ratio_slopes[place][i] = tuple(
                sum(variant.term.slopes(ratio, sample.advantage, batch.epsilon, arithmetic)) / 2
                for ratio in found_ratios[place][i]
            )
    clipped = None
    if isinstance(variant.term, TwoSided):
        clipped = {test.value: clipped_share(variant, batch, test, arithmetic) for test in ClipTest}
    derivatives = slopes(variant, batch, arithmetic)
    return Realised(
        frozen.advantages,
        tuple(map(tuple, found_ratios)),
        tuple(map(tuple, terms)) if variant.has_objective else None,
        tuple(map(tuple, ratio_slopes)) if isinstance(variant.term, Surrogate) else None,
        value(variant, batch, arithmetic) if variant.has_objective else None,
        derivatives.log_masses,
        len(derivatives.kinks),
        clipped,
    )
