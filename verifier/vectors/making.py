"""Test vectors for implementers in any language: inputs, and what core makes of them, in JSON.

Outputs are exact fractions or decimals of fifty digits; docs/vectors.md says what they mean, and
docs/vectors.schema.json what they look like.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from enum import Enum
from fractions import Fraction
from typing import Any

from grpocheck import __version__
from grpocheck.contracts.clauses import ensure
from grpocheck.core.arithmetic import Arithmetic, EnclosureArithmetic, Scalar
from grpocheck.core.families.softmax import softmax, softmax_jacobian
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.advantages import AdvantageRule
from grpocheck.core.variants.batch import Batch, SampledGroup, SampledResponse, SampledToken
from grpocheck.core.variants.evaluation import slopes
from grpocheck.core.variants.masks import Selection
from grpocheck.core.variants.penalties import Divergence, KLTerm, estimate, reference_of
from grpocheck.core.variants.registry import NAMED
from grpocheck.core.variants.variant import Variant
from grpocheck.verifier.estimator.groups import realised
from grpocheck.verifier.prime_logs import PrimeLogs
from grpocheck.verifier.vectors.cases import (
    DivergenceCase,
    Group,
    ObjectiveCase,
    divergence_cases,
    objective_cases,
)
from grpocheck.verifier.vectors.numbers import DIGITS, MAX_BITS, vector_number

SCHEMA = "grpocheck-vectors/1"

FLOOR = Fraction(1, 1000)
"""Numbers below this size are compared as if they were of this size."""

MISSING_REWARD = "missing-reward"

Json = dict[str, Any]
Advance = Callable[[int], None]


def listed_variants() -> list[Variant]:
    """The named methods that are functions of a batch: all but those that draw again until groups are mixed."""
    return [variant for variant in NAMED.values() if variant.selection is Selection.ALL]


def arithmetic_of_vectors() -> Arithmetic:
    """Exact numbers and certified enclosures, logarithms in primes."""
    return PrimeLogs(EnclosureArithmetic(max_bits=MAX_BITS))


@ensure(lambda result: len({case["id"] for case in result["cases"]}) == len(result["cases"]), "every case has a name")
@ensure(
    lambda result: all(
        set(case["expected"]) == {variant["name"] for variant in result["variants"]}
        for case in result["cases"]
        if case["kind"] == "objective"
    ),
    "every batch is put through every variant",
)
def vectors(advance: Advance = lambda amount: None) -> Json:
    """The test vectors for implementers, as JSON holds them; docs/vectors.md says what each field means.

    Numbers are texts: exact fractions, or fifty digits. ``advance`` is told of every batch put through a variant and of
    every pair of policies.
    """
    variants = listed_variants()
    cases = [objective_vector(case, variants, advance) for case in objective_cases()]
    for case in divergence_cases():
        cases.append(divergence_vector(case))
        advance(1)
    return {
        "schema": SCHEMA,
        "generator": f"grpocheck {__version__}",
        "digits": DIGITS,
        "variants": [variant_mapping(variant) for variant in variants],
        "cases": cases,
    }


def number_of_steps() -> int:
    """How often ``vectors`` tells of progress."""
    return len(list(objective_cases())) * len(listed_variants()) + len(list(divergence_cases()))


def part_value(value: Any) -> Any:
    """A field of a part: numbers exactly, words as they are."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, AdvantageRule):
        return rule_mapping(value)
    return str(value) if isinstance(value, Fraction) else value


def rule_mapping(rule: AdvantageRule) -> Json:
    """An advantage rule; what becomes of missing rewards and weights is the default in every named method."""
    return {name: part_value(getattr(rule, name)) for name in ("baseline", "divisor", "epsilon", "floor", "first")}


def variant_mapping(variant: Variant) -> Json:
    """A variant as the parts that it is made of."""
    term = {name.name: part_value(getattr(variant.term, name.name)) for name in fields(variant.term)}  # type: ignore[arg-type]
    normalisation = variant.normalisation
    return {
        "name": variant.name,
        "source": variant.source,
        "advantage": rule_mapping(variant.advantage),
        "ratio": variant.ratio.level.value,
        "term": {"kind": variant.term.word, "formula": variant.term.formula, **term},
        "kl": variant.kl.divergence.value,
        "normalisation": {"own_length": normalisation.own_length, "per": normalisation.per.value},
    }


def objective_vector(case: ObjectiveCase, variants: Sequence[Variant], advance: Advance) -> Json:
    """A batch, and what every variant makes of it."""
    expected = {}
    for variant in variants:
        expected[variant.name] = outputs(variant, case)
        advance(1)
    return {
        "id": case.id,
        "kind": "objective",
        "about": case.about,
        "floor": str(FLOOR),
        "floors": {},
        "input": {
            "epsilon": str(case.epsilon),
            "beta": str(case.beta),
            "maximum_length": case.maximum_length,
            "groups": [group_mapping(group) for group in case.groups],
        },
        "expected": expected,
    }


def group_mapping(group: Group) -> Json:
    """A group as it is given."""
    return {
        "divergence": str(group.divergence),
        "responses": [
            {
                "rewards": [None if reward is None else str(reward) for reward in response.rewards],
                "tokens": [
                    {
                        "current": str(token.current),
                        "old": str(token.old),
                        "reference": str(token.reference),
                        "active": token.active,
                    }
                    for token in response.tokens
                ],
            }
            for response in group.responses
        ],
    }


def batch_of(case: ObjectiveCase, arithmetic: Arithmetic) -> Batch:
    """A case as core has it."""
    number = arithmetic.number
    groups = tuple(
        SampledGroup(
            tuple(
                SampledResponse(
                    tuple(
                        SampledToken(number(t.current), number(t.old), number(t.reference), active=t.active)
                        for t in response.tokens
                    ),
                    tuple(None if reward is None else number(reward) for reward in response.rewards),
                )
                for response in group.responses
            ),
            number(group.divergence),
        )
        for group in case.groups
    )
    return Batch(groups, number(case.epsilon), number(case.beta), case.maximum_length)


def outputs(variant: Variant, case: ObjectiveCase) -> Json:
    """Advantages, ratios, terms, F, its gradient and the divergence estimates; or the error that there has to be."""
    arithmetic = arithmetic_of_vectors()
    batch = batch_of(case, arithmetic)
    if any(None in response.rewards for group in batch.groups for response in group.responses):
        return refused(variant, batch, arithmetic)
    found = realised(variant, batch, arithmetic)
    return {
        "advantages": nested(found.advantages),
        "ratios": with_gaps(found.ratios, batch),
        "terms": None if found.terms is None else nested(found.terms),
        "objective": None if found.objective is None else vector_number(found.objective),
        "gradient": gradient(variant, batch, arithmetic),
        "kl": divergence_estimates(variant, batch, arithmetic),
    }


def refused(variant: Variant, batch: Batch, arithmetic: Arithmetic) -> Json:
    """The error of a batch with a missing reward; core refuses it, or this is a defect."""
    try:
        realised(variant, batch, arithmetic)
    except InvalidProblem as error:
        if error.key == "rewards":
            return {"error": MISSING_REWARD}
        raise
    raise AssertionError(f"{variant.name}: a missing reward was not refused")


def nested(values: Any) -> Any:
    """Numbers in nested tuples as texts in nested lists."""
    return [nested(entry) for entry in values] if isinstance(values, tuple | list) else vector_number(values)


def with_gaps(ratios: Sequence[Sequence[Sequence[Scalar]]], batch: Batch) -> Any:
    """Numbers of active tokens as [group][response][token], None where a token is not active."""
    filled = []
    for group, rows in zip(batch.groups, ratios, strict=True):
        lines = []
        for response, row in zip(group.responses, rows, strict=True):
            found: Iterator[Scalar] = iter(row)
            lines.append([vector_number(next(found)) if token.active else None for token in response.tokens])
        filled.append(lines)
    return filled


def gradient(variant: Variant, batch: Batch, arithmetic: Arithmetic) -> Any:
    """dF/d log pi of every sampled token; where a term has a kink the two numbers that it may lie between."""
    found = slopes(variant, batch, arithmetic)
    zero = arithmetic.number(Fraction(0))
    spread: dict[tuple[int, int, int], Scalar] = {}
    for kink in found.kinks:
        jump = kink.jump if arithmetic.less(zero, kink.jump) else -kink.jump
        for h, part in enumerate(kink.direction):
            if not arithmetic.less(zero, abs(part)):
                continue  # the kink does not move with this token
            place = kink.group, kink.response, h
            spread[place] = spread.get(place, zero) + abs(part) * jump / 2
    return [
        [
            [
                vector_number(slope)
                if spread.get((g, i, h)) is None
                else {"between": [vector_number(slope - spread[g, i, h]), vector_number(slope + spread[g, i, h])]}
                for h, slope in enumerate(row)
            ]
            for i, row in enumerate(rows)
        ]
        for g, rows in enumerate(found.log_masses)
    ]


def divergence_estimates(variant: Variant, batch: Batch, arithmetic: Arithmetic) -> Any:
    """The estimate of the divergence from each active token; None where the variant estimates none."""
    if not variant.kl.divergence.is_sampled:
        return None
    values = [
        [
            [estimate(t.current, reference_of(t), variant.kl, arithmetic).value for t in response.tokens if t.active]
            for response in group.responses
        ]
        for group in batch.groups
    ]
    return with_gaps(values, batch)


def divergence_vector(case: DivergenceCase) -> Json:
    """Two policies on one support: log masses, exact divergence, its gradient by logits, entropy, estimates."""
    arithmetic = arithmetic_of_vectors()
    current, reference = (masses_of(entries, case, arithmetic) for entries in (case.current, case.reference))
    logs = [arithmetic.log(mass) for mass in current]
    differences = [arithmetic.log(mass / base) for mass, base in zip(current, reference, strict=True)]
    kl = sum(mass * difference for mass, difference in zip(current, differences, strict=True))
    rows = softmax_jacobian(current)
    pairs = list(zip(current, reference, strict=True))
    sampled = {
        name: [estimate(p, q, KLTerm(Divergence(name)), arithmetic).value for p, q in pairs]
        for name in ("k1", "k2", "k3")
    }
    return {
        "id": case.id,
        "kind": "divergence",
        "about": case.about,
        "floor": str(FLOOR),
        "floors": {} if case.least is None else {"kl": str(case.least)},
        "input": {
            "given_as": "logits" if case.by_logits else "masses",
            "current": [str(entry) for entry in case.current],
            "reference": [str(entry) for entry in case.reference],
        },
        "expected": {
            "log_masses": nested(logs),
            "kl": vector_number(kl),
            "kl_gradient_by_logits": [
                vector_number(sum(row[axis] * difference for row, difference in zip(rows, differences, strict=True)))
                for axis in range(len(current))
            ],
            "entropy": vector_number(-sum(mass * log for mass, log in zip(current, logs, strict=True))),
            **{name: nested(values) for name, values in sampled.items()},
        },
    }


def masses_of(entries: Sequence[Fraction], case: DivergenceCase, arithmetic: Arithmetic) -> tuple[Scalar, ...]:
    """The masses themselves, or the softmax of logits."""
    numbers = tuple(arithmetic.number(entry) for entry in entries)
    if not case.by_logits:
        return numbers
    return softmax([entry - numbers[0] for entry in numbers[1:]], arithmetic)
