"""What the contracts of core.training_free say, named once (seed [003], section 5 of the specification)."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from grpocheck.contracts.comparisons import at_most, decided_sign, equal

Scalar = Any


def continues(after: Sequence[Any], before: Sequence[Any]) -> bool:
    """Append-only: ``after`` begins with all of ``before``, in its order."""
    return len(after) >= len(before) and all(new is old for new, old in zip(after, before, strict=False))


def is_reweighted(after: Sequence[Fraction], before: Sequence[Fraction], factors: Sequence[Fraction]) -> bool:
    """Masses with sum 1, proportional to the base masses times their factors: a product of experts."""
    weights = [mass * factor for mass, factor in zip(before, factors, strict=True)]
    return sum(after) == 1 and all(
        mass * weights[0] == after[0] * weight for mass, weight in zip(after, weights, strict=True)
    )


def rises_only_where_factors_are_large(
    after: Sequence[Fraction], before: Sequence[Fraction], factors: Sequence[Fraction]
) -> bool:
    """A response of the largest factor never loses mass, and one of the least never gains any."""
    largest, least = max(factors), min(factors)
    return all(
        (factor != largest or new >= old) and (factor != least or new <= old)
        for new, old, factor in zip(after, before, factors, strict=True)
    )


def are_whitened(advantages: Sequence[Scalar], deviation: Scalar, stabiliser: Fraction) -> bool:
    """Sum 0, and sample variance (s / (s + epsilon))^2: below 1 at every scale, and 0 for equal rewards."""
    if not equal(sum(advantages), 0):
        return False
    if decided_sign(deviation) == 0:
        return all(equal(advantage, 0) for advantage in advantages)
    squares = sum(advantage * advantage for advantage in advantages)
    raised = deviation + stabiliser
    return equal(squares * raised * raised, (len(advantages) - 1) * deviation * deviation)


def keeps_the_order(values: Sequence[Scalar], images: Sequence[Scalar]) -> bool:
    """Of two neighbours the larger value has the larger image."""
    pairs = list(zip(values, images, strict=True))
    return all(
        signs_agree(decided_sign(right - left), decided_sign(image_right - image_left))
        for (left, image_left), (right, image_right) in pairwise(pairs)
    )


def signs_agree(first: int | None, second: int | None) -> bool:
    """Two signs are equal, as far as both are known."""
    return first is None or second is None or first == second


def is_entropy(entropy: Scalar, outcomes: int) -> bool:
    """0 <= H <= n - 1 nats for n outcomes (log n <= n - 1), and H = 0 for a single one."""
    return at_most(0, entropy) and at_most(entropy, outcomes - 1)


def at_most_one_each(calls: int, times: int) -> bool:
    """A recorded answer is never asked again: no more calls than things to ask about."""
    return 0 <= calls <= times


def is_largest(value: Scalar, values: Iterable[Scalar]) -> bool:
    """No value is above it."""
    return all(at_most(other, value) for other in values)
