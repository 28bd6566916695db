"""The work of a law shared out to an executor of concurrent.futures, in stretches whose findings come back in order.

A stretch is told and answered as JSON holds it (grpocheck.verifier.law.sending), and does not depend on who goes
through it: so the law is the same for any number of workers, and a stretch that was kept is not gone through again.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, TypeVar

from grpocheck.core.arithmetic import Arithmetic
from grpocheck.core.problem import Problem
from grpocheck.verifier.law.passage import Advance, Making, Node, Passage

Told = TypeVar("Told")
PER_WORKER = 4
"""Stretches for each worker where their number costs nothing, so that nobody waits long for the last one."""
STRETCH = 1024
MOST_STRETCHES = 32
"""An outer iteration is cut into stretches of about STRETCH combinations, though into no more than MOST_STRETCHES,
since what several of them come to is told several times."""


@dataclass(frozen=True)
class Helpers:
    """An executor and how many work at a time."""

    executor: Executor
    workers: int


class Kept(Protocol):
    """Stretches that were gone through before, by outer iteration and combinations."""

    def get(self, t: int, part: range) -> Mapping[str, Any] | None:
        """What was found, or None."""

    def put(self, t: int, part: range, found: Mapping[str, Any]) -> None:
        """Keep what was found."""


def stretches(size: int, parts: int) -> list[range]:
    """0, ..., size - 1 in so many ranges of nearly one length; fewer where there are fewer numbers."""
    parts = max(1, min(parts, size))
    ends = [size * part // parts for part in range(parts + 1)]
    return [range(start, stop) for start, stop in pairwise(ends)]


def in_order(
    helpers: Helpers, function: Callable[..., Told], calls: Sequence[tuple[Any, ...]]
) -> Generator[Told, None, None]:
    """What the calls come to, in their order. Leaving the iterator takes back what nobody has begun."""
    waiting: list[Future[Told]] = [helpers.executor.submit(function, *call) for call in calls]
    try:
        for future in waiting:
            yield future.result()
    finally:
        for future in waiting:
            future.cancel()


def passages(
    making: Making, t: int, nodes: Sequence[Node], advance: Advance, helpers: Helpers | None, kept: Kept | None
) -> Iterator[Passage]:
    """Outer iteration t from every node, in the order of the nodes and of their combinations."""
    length = len(making.every)
    size, numbered = len(nodes) * length, dict(enumerate(nodes))
    if helpers is None and kept is None:
        yield making.passage(t, numbered, range(size), size, advance)
        return
    parts = stretches(size, min(MOST_STRETCHES, -(-size // STRETCH)))
    found = [None if kept is None else kept.get(t, part) for part in parts]
    missing = [part for part, known in zip(parts, found, strict=True) if known is None]

    def told(part: range) -> tuple[Any, ...]:
        own = {number: numbered[number] for number in range(part.start // length, -(-part.stop // length))}
        return making.token, making.problem, making.arithmetic, t, making.written_nodes(own), part, size

    def gone_through_here() -> Generator[Mapping[str, Any], None, None]:
        for part in missing:
            yield making.written(making.passage(t, numbered, part, size, lambda amount: None))

    answers: Generator[Mapping[str, Any], None, None] = (
        gone_through_here() if helpers is None else in_order(helpers, passage_elsewhere, [*map(told, missing)])
    )
    try:
        for part, known in zip(parts, found, strict=True):
            if known is None:
                known = next(answers)
                if kept is not None:
                    kept.put(t, part, known)
            yield making.read(known)
            advance(len(part))
    finally:
        answers.close()


def passage_elsewhere(
    token: str, problem: Problem, arithmetic: Arithmetic, t: int, nodes: Mapping[str, Any], part: range, size: int
) -> Mapping[str, Any]:
    """A stretch of an outer iteration."""
    making = making_known_as(token, problem, arithmetic)
    passage = making.passage(t, making.read_nodes(nodes), part, size, lambda amount: None)
    return making.written(passage)


def making_known_as(token: str, problem: Problem, arithmetic: Arithmetic) -> Making:
    """The law with this token as this process remembers it from its last stretch, or from the beginning."""
    making = in_the_making.get(token)
    if making is None:
        in_the_making.clear()
        making = in_the_making[token] = Making(problem, arithmetic)
    return making


in_the_making: dict[str, Making] = {}
"""The law that this process went through a stretch of last, by its token."""
