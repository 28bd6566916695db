"""The work of a law shared out to an executor of concurrent.futures, in stretches whose findings come back in order.

A stretch is told and answered as JSON holds it (grpocheck.verifier.law.sending), and does not depend on who goes
through it: so the law is the same for any number of workers, and a stretch that was kept is not gone through again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, TypeVar

from grpocheck.core.arithmetic import Arithmetic
from grpocheck.core.problem import Problem
from grpocheck.verifier.law.passage import Advance, Making, Node, Passage, uncollected

Told = TypeVar("Told")
STRETCH = 2048
"""About how many combinations are a stretch."""
RUNS = 16
"""How many runs of a sampled law are a stretch."""
MOST_STRETCHES = 32
"""Into so many an outer iteration is cut at most, since what several stretches come to is told several times."""


@dataclass(frozen=True)
class Helpers:
    """Those who work elsewhere."""

    executor: Executor


class Kept(Protocol):
    """Stretches of a law that were gone through before."""

    def found(self, what: str, parts: Sequence[range]) -> list[Mapping[str, Any] | None]:
        """What is kept of each part, None where nothing is."""

    def put(self, what: str, part: range, found: Mapping[str, Any]) -> None:
        """Keep what was found."""


def stretches(size: int, parts: int) -> list[range]:
    """0, ..., size - 1 in so many ranges of nearly one length; fewer where there are fewer numbers."""
    parts = max(1, min(parts, size))
    ends = [size * part // parts for part in range(parts + 1)]
    return [range(start, stop) for start, stop in pairwise(ends)]


def in_order(
    helpers: Helpers, function: Callable[..., Told], calls: Sequence[tuple[Any, ...]]) -> Iterator[Told]:
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
    if kept is None and (helpers is None or size <= STRETCH):
        yield making.passage(t, numbered, range(size), size, advance)
        return
    parts = stretches(size, min(MOST_STRETCHES, -(-size // STRETCH)))

    def task(part: range) -> tuple[Any, ...]:
        own = {number: numbered[number] for number in range(part.start // length, -(-part.stop // length))}
        return making.token, making.problem, making.arithmetic, t, making.written_nodes(own), part, size

    def here(part: range) -> Mapping[str, Any]:
        return making.written(making.passage(t, numbered, part, size, lambda amount: None))

    what = f"outer iteration {t}"
    for part, told in zip(parts, all_told(what, parts, here, passage_elsewhere, task, helpers, kept), strict=True):
        yield making.read(told)
        advance(len(part))


def all_told(
    what: str,
    parts: Sequence[range],
    here: Callable[[range], Mapping[str, Any]],
    elsewhere: Callable[..., Mapping[str, Any]],
    task: Callable[[range], tuple[Any, ...]],
    helpers: Helpers | None,
    kept: Kept | None,
) -> Iterator[Mapping[str, Any]]:
    """What is found in each part, in order: as it was kept, or done here or by the helpers, and kept."""
    known = [None] * len(parts) if kept is None else kept.found(what, parts)
    missing = [part for part, found in zip(parts, known, strict=True) if found is None]
    answers: Iterator[Mapping[str, Any]] = map(here, missing)
    if helpers is not None:
        answers = in_order(helpers, elsewhere, [*map(task, missing)])
    for part, found in zip(parts, known, strict=True):
        if found is not None:
            yield found
            continue
        answer = next(answers)
        if kept is not None:
            kept.put(what, part, answer)
        yield answer


def passage_elsewhere(
    token: str, problem: Problem, arithmetic: Arithmetic, t: int, nodes: Mapping[str, Any], part: range, size: int
) -> Mapping[str, Any]:
    """A stretch of an outer iteration."""
    with uncollected():
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
