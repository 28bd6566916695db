"""What a variant estimates: expectation, bias, covariance and second moment of its gradient, exactly.

All groups that can be drawn are run through, up to the order of their draws; the prompts one by one where no part of
the variant couples them. The draws come from the old policy, the gradient is taken at the current one, and it is
compared with the gradient of E[R] - beta KL(pi_theta || pi_ref) there.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from itertools import product
from math import prod

from grpocheck.core.arithmetic import Arithmetic, Scalar, UndecidedComparison
from grpocheck.core.gradient import Vector
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.oracles import Undefined
from grpocheck.core.variants.evaluation import value_of
from grpocheck.core.variants.frozen_batch import freeze_batch
from grpocheck.core.variants.masks import Selection, is_mixed
from grpocheck.core.variants.policies import Positions, PromptPolicies, Update
from grpocheck.core.variants.variant import Variant
from grpocheck.verifier.counts import count_vectors, number_of_count_vectors, positions_of, probability

Advance = Callable[[int], None]

MOST_CASES = 20_000
"""So many groups, or batches of groups where prompts are coupled, are run through at most."""


class TooManyCases(Exception):  # noqa: N818 - named for what it says
    """An enumeration that would be too large; the message says how large, and what makes it smaller."""

    def __init__(self, cases: int, limit: int, coupled: bool) -> None:
        """The number of cases, and the limit."""
        why = "the variant couples its prompts, so that every pair of groups is a case" if coupled else "of one prompt"
        super().__init__(
            f"{cases} cases up to the order of the draws ({why}), more than {limit}: "
            "a smaller group size, support or number of prompts can be enumerated, or a larger --cases"
        )
        self.cases = cases


class Verdict(Enum):
    """What a comparison of the expected gradient with the true one came to."""

    UNBIASED = "unbiased"
    BIASED = "biased"
    UNDEFINED = "undefined"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Moments:
    """The law of a gradient estimate, in d coordinates, as far as two moments say it.

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


@dataclass(frozen=True)
class Estimation:
    """A variant on a problem: its moments beside the true gradient and objective."""

    variant: Variant
    group_size: int
    moments: Moments
    true_gradient: Vector
    true_by_prompt: tuple[Vector, ...]
    true_objective: Scalar
    bias: Vector | None
    verdict: Verdict
    undecided: str = ""


def estimate(
    variant: Variant,
    update: Update,
    group_size: int,
    arithmetic: Arithmetic,
    most_cases: int = MOST_CASES,
    advance: Advance = lambda cases: None,
) -> Estimation:
    """The moments of a variant's gradient with groups of a size, and whether it is unbiased on this problem.

    Raises TooManyCases before it begins where there are more than ``most_cases``; ``advance`` is told of every case.
    """
    moments = moments_of(variant, update, group_size, arithmetic, most_cases, advance)
    share = arithmetic.number(Fraction(1, len(update.prompts)))
    parts = [p.gradient_of(p.true_coefficients(update.beta, arithmetic)) for p in update.prompts]
    truth = tuple(share * sum(column) for column in zip(*parts, strict=True))
    objective = share * sum(p.true_objective(update.beta, arithmetic) for p in update.prompts)
    bias, verdict, undecided = None, Verdict.UNDEFINED, ""
    if moments.expected is not None:
        bias = tuple(a - b for a, b in zip(moments.expected, truth, strict=True))
        try:
            same = all(arithmetic.equal(entry, 0) for entry in bias)
            verdict = Verdict.UNBIASED if same else Verdict.BIASED
        except UndecidedComparison as error:
            verdict, undecided = Verdict.UNDECIDED, str(error)
    return Estimation(
        variant, group_size, moments, truth, tuple(parts), objective, bias, verdict, undecided
    )


def number_of_cases(variant: Variant, update: Update, group_size: int) -> int:
    """How many groups, or batches of groups where the variant couples prompts, are run through."""
    sizes = [number_of_count_vectors(len(p.rewards), group_size) for p in update.prompts]
    return prod(sizes) if variant.couples_groups else sum(sizes)


def moments_of(
    variant: Variant,
    update: Update,
    group_size: int,
    arithmetic: Arithmetic,
    most_cases: int = MOST_CASES,
    advance: Advance = lambda cases: None,
) -> Moments:
    """The moments over all draws; raises TooManyCases where they would be more than ``most_cases``."""
    cases = number_of_cases(variant, update, group_size)
    if cases > most_cases:
        raise TooManyCases(cases, most_cases, variant.couples_groups and len(update.prompts) > 1)
    ordered = prod(len(p.rewards) ** group_size for p in update.prompts)
    if variant.couples_groups:
        found = enumerated(variant, update, group_size, arithmetic, advance)
        return replace(found, ordered=ordered)
    single = [
        enumerated(variant, replace(update, prompts=(prompt,)), group_size, arithmetic, advance)
        for prompt in update.prompts
    ]
    return replace(averaged(single, arithmetic), ordered=ordered)


def enumerated(
    variant: Variant, update: Update, group_size: int, arithmetic: Arithmetic, advance: Advance
) -> Moments:
    """The moments of one update, over the law of all its draws together."""
    zero = arithmetic.number(Fraction(0))
    axes = range(len(update.prompts[0].rows[0]))
    undefined = zero
    cases = 0
    objective = objective_square = zero
    means = [[zero for _ in axes] for _ in update.prompts]
    squares = [[zero for _ in axes] for _ in axes]
    for weight, draws in law(variant, update, group_size, arithmetic):
        cases += 1
        advance(1)
        frozen = freeze_batch(variant, update.batch(draws, variant, arithmetic), arithmetic)
        if variant.has_objective:
            value = value_of(frozen, arithmetic)
            objective = objective + weight * value
            objective_square = objective_square + weight * value * value
        coefficients = update.coefficients_of(frozen, draws, arithmetic)
        if isinstance(coefficients, Undefined):
            undefined = undefined + weight
            continue
        parts = [p.gradient_of(c) for p, c in zip(update.prompts, coefficients, strict=True)]
        whole = [sum(column) for column in zip(*parts, strict=True)]
        for mean, part in zip(means, parts, strict=True):
            for axis in axes:
                mean[axis] = mean[axis] + weight * part[axis]
        for i in axes:
            for j in axes:
                squares[i][j] = squares[i][j] + weight * whole[i] * whole[j]
    values: tuple[Scalar | None, Scalar | None] = (None, None)
    if variant.has_objective:
        values = objective, objective_square - objective * objective
    if not arithmetic.equal(undefined, 0):
        return Moments(undefined, None, None, None, *values, cases, 0)
    expected = [sum(column) for column in zip(*means, strict=True)]
    covariance = tuple(tuple(squares[i][j] - expected[i] * expected[j] for j in axes) for i in axes)
    return Moments(undefined, tuple(expected), covariance, tuple(map(tuple, means)), *values, cases, 0)


def averaged(single: Sequence[Moments], arithmetic: Arithmetic) -> Moments:
    """The moments of the mean over prompts whose draws are independent."""
    share = arithmetic.number(Fraction(1, len(single)))
    cases = sum(moments.cases for moments in single)
    values: tuple[Scalar | None, Scalar | None] = (None, None)
    known: list[tuple[Scalar, Scalar]] = [(moments.value, moments.value_variance) for moments in single]
    if (None, None) not in known:
        values = share * sum(value for value, _ in known), share * share * sum(variance for _, variance in known)
    defined = arithmetic.number(Fraction(1))
    for moments in single:
        defined = defined * (1 - moments.undefined)
    by_prompt: list[Vector] = []
    covariances: list[tuple[Vector, ...]] = []
    for moments in single:
        if moments.expected is None or moments.covariance is None:
            return Moments(1 - defined, None, None, None, *values, cases, 0)
        by_prompt.append(tuple(share * entry for entry in moments.expected))
        covariances.append(moments.covariance)
    expected = tuple(sum(column) for column in zip(*by_prompt, strict=True))
    covariance = tuple(
        tuple(share * share * sum(entries) for entries in zip(*rows, strict=True))
        for rows in zip(*covariances, strict=True)
    )
    return Moments(1 - defined, expected, covariance, tuple(by_prompt), *values, cases, 0)


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


def multiple_of_truth(expected: Vector, truth: Vector, arithmetic: Arithmetic) -> Scalar | None:
    """c with expected = c * truth, where the two are on one line and the truth is not 0; else None."""
    pivot = next((axis for axis, entry in enumerate(truth) if not arithmetic.equal(entry, 0)), None)
    if pivot is None:
        return None
    factor = expected[pivot] / truth[pivot]
    on_line = all(arithmetic.equal(a, factor * b) for a, b in zip(expected, truth, strict=True))
    return factor if on_line else None
