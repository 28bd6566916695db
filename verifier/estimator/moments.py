"""The law of a gradient estimate as far as two moments say it, exactly.

A group's part in the gradient is computed once for each count vector of its prompt. Where prompts are coupled by
weights alone (a division by all tokens, a mean over kept groups), the groups of a prompt fall into kinds of one token
count, and only kinds are combined; where the content of a group depends on the others (advantages of the batch, an
entropy quantile), every combination of groups is a case of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import TypeAlias

from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.gradient import Vector
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.oracles import Undefined
from grpocheck.core.variants.evaluation import value_of
from grpocheck.core.variants.frozen_batch import freeze_batch
from grpocheck.core.variants.masks import Selection, is_mixed
from grpocheck.core.variants.normalisation import Per
from grpocheck.core.variants.penalties import Divergence
from grpocheck.core.variants.policies import Positions, PromptPolicies, Update
from grpocheck.core.variants.variant import Variant
from grpocheck.verifier.counts import count_vectors, number_of_count_vectors, positions_of, probability

Advance = Callable[[int], None]
Matrix = list[list[Scalar]]
Kind: TypeAlias = "tuple[int, bool]"
"""What the weight of a group depends on: its number of tokens, and whether it is kept."""

MOST_CASES = 20_000
"""So many groups, or combinations of groups where their content is coupled, are run through at most."""


class TooManyCases(Exception):  # noqa: N818 - named for what it says
    """An enumeration that would be too large; the message says how large, and what makes it smaller."""

    def __init__(self, cases: int, limit: int, coupled: bool) -> None:
        """The number of cases, and the limit."""
        why = "every combination of the prompts' groups is one" if coupled else "the groups of each prompt"
        super().__init__(
            f"{cases} cases up to the order of the draws ({why}), more than {limit}: "
            "a smaller group size, support or number of prompts can be enumerated, or a larger --cases"
        )
        self.cases = cases
        self.limit = limit


@dataclass(frozen=True)
class Moments:
    """Expectation and covariance of a gradient estimate in d coordinates, and of its objective.

    ``undefined`` is the probability of draws on which there is no gradient; where it is not 0 the moments are those of
    nothing and are None. ``by_prompt`` are the parts of the expectation that each prompt's draws contribute. ``value``
    is the expected objective and ``value_variance`` its variance, None for a variant that has no objective. ``cases``
    were run through, for ``ordered`` draws.
    """

    undefined: Scalar
    expected: Vector | None
    covariance: tuple[Vector, ...] | None
    by_prompt: tuple[Vector, ...] | None
    value: Scalar | None
    value_variance: Scalar | None
    cases: int
    ordered: int

    @property
    def total_variance(self) -> Scalar | None:
        """The trace of the covariance: E|g - E g|^2."""
        return None if self.covariance is None else sum(row[axis] for axis, row in enumerate(self.covariance))

    @property
    def second_moment(self) -> Scalar | None:
        """E|g|^2."""
        if self.expected is None:
            return None
        return self.total_variance + sum(entry * entry for entry in self.expected)


class Sums:
    """Probability, first and second moments of vectors, added up case by case; the last entry is the objective."""

    def __init__(self, size: int, zero: Scalar) -> None:
        """Nothing added yet, for vectors of a size."""
        self.mass = zero
        self.mean: list[Scalar] = [zero] * size
        self.square: Matrix = [[zero] * size for _ in range(size)]

    def add(self, weight: Scalar, vector: Sequence[Scalar]) -> None:
        """Add a vector with a probability."""
        self.mass = self.mass + weight
        weighted = [weight * entry for entry in vector]
        for i, entry in enumerate(weighted):
            self.mean[i] = self.mean[i] + entry
            row = self.square[i]
            for j, other in enumerate(vector):
                row[j] = row[j] + entry * other


def couples_content(variant: Variant) -> bool:
    """Whether what a group contributes depends on other groups by more than a factor."""
    return (
        variant.advantage.couples_groups
        or variant.needs_entropies
        or (variant.couples_groups and variant.kl.divergence is Divergence.EXACT)
    )


def number_of_cases(variant: Variant, update: Update, group_size: int) -> int:
    """How many groups are run through, or combinations of groups where their content is coupled."""
    sizes = [number_of_count_vectors(len(prompt.rewards), group_size) for prompt in update.prompts]
    return prod(sizes) if couples_content(variant) else sum(sizes)


def moments_of(
    variant: Variant,
    update: Update,
    group_size: int,
    arithmetic: Arithmetic,
    most_cases: int = MOST_CASES,
    advance: Advance = lambda cases: None,
) -> Moments:
    """The moments over all draws; raises TooManyCases where they would be more than ``most_cases``."""
    sizes = [number_of_count_vectors(len(prompt.rewards), group_size) for prompt in update.prompts]
    ordered = prod(len(prompt.rewards) ** group_size for prompt in update.prompts)
    cases = number_of_cases(variant, update, group_size)
    if cases > most_cases:
        raise TooManyCases(cases, most_cases, couples_content(variant) and len(sizes) > 1)
    if not couples_content(variant):
        kinds = [kinds_of(variant, prompt, update, group_size, arithmetic, advance) for prompt in update.prompts]
        whole = [kind for kind in kinds if kind is not None]
        if len(whole) == len(kinds):
            return replace(combined(variant, whole, group_size, arithmetic), cases=cases, ordered=ordered)
        # a kink at one prompt may be made up for by one at another
        if prod(sizes) > most_cases:
            raise TooManyCases(prod(sizes), most_cases, coupled=True)
    return replace(enumerated(variant, update, group_size, arithmetic, advance), ordered=ordered)


def kinds_of(
    variant: Variant,
    prompt: PromptPolicies,
    update: Update,
    group_size: int,
    arithmetic: Arithmetic,
    advance: Advance,
) -> dict[Kind, Sums] | None:
    """The groups of one prompt by what their weight depends on, before that weight; None where one leaves a kink."""
    dropping = variant.selection is Selection.MEAN_OVER_KEPT
    per_token = variant.normalisation.per is Per.ALL_TOKENS
    normalisation = replace(variant.normalisation, per=Per.NONE) if per_token else variant.normalisation
    alone = replace(variant, normalisation=normalisation, selection=Selection.ALL)
    single = replace(update, prompts=(prompt,))
    found: dict[Kind, Sums] = {}
    for weight, positions in group_law(variant, prompt, group_size, arithmetic):
        advance(1)
        kept = not dropping or is_mixed([prompt.rewards[j] for j in positions], arithmetic)
        tokens = sum(len(prompt.support.tokens[j]) for j in positions) if per_token and kept else 0
        vector = gradient_and_value(alone, single, (positions,), arithmetic)
        if vector is None:
            return None
        sums = found.setdefault((tokens, kept), Sums(len(vector), arithmetic.number(Fraction(0))))
        sums.add(weight, vector)
    return found


def gradient_and_value(
    variant: Variant, update: Update, draws: Sequence[Positions], arithmetic: Arithmetic
) -> list[Scalar] | None:
    """The gradient on some draws, and the objective (0 where there is none) after it; None at a kink."""
    frozen = freeze_batch(variant, update.batch(draws, variant, arithmetic), arithmetic)
    coefficients = update.coefficients_of(frozen, draws, arithmetic)
    if isinstance(coefficients, Undefined):
        return None
    parts = [p.gradient_of(c) for p, c in zip(update.prompts, coefficients, strict=True)]
    value = value_of(frozen, arithmetic) if variant.has_objective else arithmetic.number(Fraction(0))
    return [*(sum(column) for column in zip(*parts, strict=True)), value]


def combined(
    variant: Variant, prompts: Sequence[dict[Kind, Sums]], group_size: int, arithmetic: Arithmetic
) -> Moments:
    """The moments of the sum over prompts, whose groups are independent but for the weights that their kinds give."""
    zero = arithmetic.number(Fraction(0))
    size = len(next(iter(prompts[0].values())).mean)
    means = [[zero] * size for _ in prompts]
    square: Matrix = [[zero] * size for _ in range(size)]
    for kinds in product(*(prompt.items() for prompt in prompts)):
        factors = factors_of(variant, [kind for kind, _ in kinds], group_size)
        masses = [sums.mass for _, sums in kinds]
        scaled = [
            [arithmetic.number(factor) * entry for entry in sums.mean]
            for factor, (_, sums) in zip(factors, kinds, strict=True)
        ]
        for place, (_, sums) in enumerate(kinds):
            others = prod((mass for other, mass in enumerate(masses) if other != place), start=Fraction(1))
            squared = arithmetic.number(factors[place] ** 2)
            for i in range(size):
                means[place][i] = means[place][i] + others * scaled[place][i]
                for j in range(size):
                    square[i][j] = square[i][j] + others * squared * sums.square[i][j]
            for further in range(len(kinds)):
                if further != place:
                    rest = prod((m for o, m in enumerate(masses) if o not in (place, further)), start=Fraction(1))
                    for i in range(size):
                        for j in range(size):
                            square[i][j] = square[i][j] + rest * scaled[place][i] * scaled[further][j]
    return moments_from(variant, means, square, zero)


def factors_of(variant: Variant, kinds: Sequence[Kind], group_size: int) -> list[Fraction]:
    """The factor of each prompt's group: by kept groups, or by their tokens in place of the group's own number."""
    kept = sum(keeps for _, keeps in kinds)
    if variant.normalisation.per is Per.ALL_TOKENS:
        tokens = sum(tokens for tokens, _ in kinds)
        return [Fraction(group_size, tokens) if keeps else Fraction(0) for _, keeps in kinds]
    return [Fraction(1, kept) if keeps else Fraction(0) for _, keeps in kinds]


def moments_from(variant: Variant, means: Sequence[Sequence[Scalar]], square: Matrix, zero: Scalar) -> Moments:
    """Moments from sums whose last entry is the objective."""
    whole = [sum(column) for column in zip(*means, strict=True)]
    axes = range(len(whole) - 1)
    covariance = tuple(tuple(square[i][j] - whole[i] * whole[j] for j in axes) for i in axes)
    value, value_variance = whole[-1], square[-1][-1] - whole[-1] * whole[-1]
    by_prompt = tuple(tuple(mean[:-1]) for mean in means)
    if not variant.has_objective:
        value = value_variance = None
    return Moments(zero, tuple(whole[:-1]), covariance, by_prompt, value, value_variance, 0, 0)


def enumerated(
    variant: Variant, update: Update, group_size: int, arithmetic: Arithmetic, advance: Advance
) -> Moments:
    """The moments over every combination of the prompts' groups."""
    zero = arithmetic.number(Fraction(0))
    size = len(update.prompts[0].rows[0]) + 1
    undefined, cases = zero, 0
    whole = Sums(size, zero)
    means = [[zero] * size for _ in update.prompts]
    for weight, draws in law(variant, update, group_size, arithmetic):
        cases += 1
        advance(1)
        frozen = freeze_batch(variant, update.batch(draws, variant, arithmetic), arithmetic)
        coefficients = update.coefficients_of(frozen, draws, arithmetic)
        if isinstance(coefficients, Undefined):
            undefined = undefined + weight
            continue
        parts = [p.gradient_of(c) for p, c in zip(update.prompts, coefficients, strict=True)]
        for mean, part in zip(means, parts, strict=True):
            for axis, entry in enumerate(part):
                mean[axis] = mean[axis] + weight * entry
        value = value_of(frozen, arithmetic) if variant.has_objective else zero
        means[0][-1] = means[0][-1] + weight * value
        whole.add(weight, [*(sum(column) for column in zip(*parts, strict=True)), value])
    if not arithmetic.equal(undefined, 0):
        return Moments(undefined, None, None, None, None, None, cases, 0)
    return replace(moments_from(variant, means, whole.square, zero), cases=cases)


def law(
    variant: Variant, update: Update, group_size: int, arithmetic: Arithmetic
) -> Iterator[tuple[Scalar, tuple[Positions, ...]]]:
    """The draws of an update up to their order, with their probabilities, which sum to 1."""
    groups = [group_law(variant, prompt, group_size, arithmetic) for prompt in update.prompts]
    for choice in product(*groups):
        yield prod(weight for weight, _ in choice), tuple(positions for _, positions in choice)


def group_law(
    variant: Variant, prompt: PromptPolicies, group_size: int, arithmetic: Arithmetic
) -> list[tuple[Scalar, Positions]]:
    """The groups of one prompt with their probabilities; among mixed groups where the variant draws until one is."""
    groups = [
        (probability(counts, prompt.old), positions_of(counts))
        for counts in count_vectors(len(prompt.rewards), group_size)
    ]
    if variant.selection is not Selection.UNTIL_MIXED:
        return groups
    mixed = [
        (weight, positions)
        for weight, positions in groups
        if is_mixed([prompt.rewards[j] for j in positions], arithmetic)
    ]
    if not mixed:
        expected = "rewards that differ: dynamic sampling never finds a mixed group"
        raise InvalidProblem("rewards", prompt.rewards, expected)
    whole = sum(weight for weight, _ in mixed)
    return [(weight / whole, positions) for weight, positions in mixed]
