"""The work of a law shared out to an executor of concurrent.futures, in stretches whose findings come back in order.

What comes back are exact numbers. Equal enclosed numbers are known to be equal by their atoms, which are those of one
process: a stretch that comes to such a number is gone through here again, with the same result.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from grpocheck.core.arithmetic import Real

Found = TypeVar("Found")
PER_WORKER = 4
"""Stretches for each worker where their number costs nothing, so that nobody waits long for the last one."""


@dataclass(frozen=True)
class Helpers:
    """An executor and how many work at a time."""

    executor: Executor
    workers: int


def is_exact(values: Iterable[Any]) -> bool:
    """Whether none of the numbers, or vectors of them, is an enclosed one; None counts as a number."""
    return not any(
        isinstance(entry, Real) for value in values for entry in (value if isinstance(value, tuple) else (value,))
    )


def stretches(size: int, parts: int) -> list[range]:
    """0, ..., size - 1 in so many ranges of nearly one length; fewer where there are fewer numbers."""
    parts = max(1, min(parts, size))
    ends = [size * part // parts for part in range(parts + 1)]
    return [range(start, stop) for start, stop in pairwise(ends)]


def in_order(
    helpers: Helpers, function: Callable[..., Found | None], calls: Sequence[tuple[Any, ...]],
    here: Callable[[int], Found],
) -> Iterator[Found]:  # fmt: skip
    """What the calls come to, in their order; a call that comes to None is made here, by its number.

    Leaving the iterator takes back what nobody has begun.
    """
    waiting: list[Future[Found | None]] = [helpers.executor.submit(function, *call) for call in calls]
    try:
        for number, future in enumerate(waiting):
            found = future.result()
            yield here(number) if found is None else found
    finally:
        for future in waiting:
            future.cancel()
