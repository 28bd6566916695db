"""Groups up to the order of their draws: count vectors and their multinomial probabilities.

What a variant makes of a group does not depend on the order of its draws, so that the n^G ordered groups over a support
of n responses are only C(n + G - 1, G) cases.
"""

from collections.abc import Iterator, Sequence
from math import comb, factorial, prod
from typing import Any

Counts = tuple[int, ...]
"""How often each response of a support was drawn."""


def count_vectors(responses: int, draws: int) -> Iterator[Counts]:
    """All count vectors of a number of draws, from all draws on the first response to all on the last.

    >>> list(count_vectors(2, 2))
    [(2, 0), (1, 1), (0, 2)]
    """
    if responses == 1:
        yield (draws,)
        return
    for first in range(draws, -1, -1):
        for rest in count_vectors(responses - 1, draws - first):
            yield (first, *rest)


def number_of_count_vectors(responses: int, draws: int) -> int:
    """How many there are: C(responses + draws - 1, draws)."""
    return comb(responses + draws - 1, draws)


def positions_of(counts: Counts) -> tuple[int, ...]:
    """The draws of a group with these counts, in the order of the support."""
    return tuple(place for place, count in enumerate(counts) for _ in range(count))


def probability(counts: Counts, masses: Sequence[Any]) -> Any:
    """The multinomial probability of the counts under masses of the support."""
    orders = factorial(sum(counts)) // prod(map(factorial, counts))
    return prod((mass**count for mass, count in zip(masses, counts, strict=True) if count), start=orders)
