"""A trace is streamed: neither writing nor reading it takes memory that grows with its length.

The last line is left out: it is the outcome, with F of every applied step, and so as long as the run made it.
"""

import gc
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from grpocheck.core import Event, Problem, TraceWriter, problem_from_mapping, read_trace, run
from grpocheck.core import Kind as EventKind

SHORT, LONG = 4, 48
SPARE = 16_384
"""Bytes that a longer run may take beyond a shorter one: caches that fill up, a longer number of an iteration."""


def problem(outer_iterations: int) -> Problem:
    """Equal rewards: theta stays where it is, so that every line is as long as the one before it."""
    return problem_from_mapping(
        {
            "group_size": 2,
            "outer_iterations": outer_iterations,
            "inner_steps": 2,
            "epsilon": "1/5",
            "beta": 0,
            "step_size": "1/20",
            "theta": ["1/2"],
            "family": "bernoulli",
            "prompts": [{"name": "q", "responses": ["a", "b"], "rewards": [1, 1], "reference": ["1/2", "1/2"]}],
            "draws": {"seed": 1},
        }
    )


class Weighed:
    """An observer that passes events on, and notes what the other one takes at most for one of them."""

    def __init__(self, observer: Callable[[Event], None]) -> None:
        self.observer, self.most, self.held = observer, 0, 0

    def __call__(self, event: Event) -> None:
        if event.kind is EventKind.OUTCOME:
            return self.observer(event)
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        self.observer(event)
        self.most = max(self.most, tracemalloc.get_traced_memory()[1] - before)


def written(path: Path, outer_iterations: int) -> Weighed:
    """A trace, and what its writer still holds when the outcome of the run is gone."""
    stated = problem(outer_iterations)
    gc.collect()
    tracemalloc.start()
    try:
        with TraceWriter(path) as writer:
            weighed = Weighed(writer)
            run(stated, observer=weighed)
            gc.collect()
            weighed.held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    return weighed


def read(path: Path) -> int:
    """The most memory taken before the last line."""
    peak = 0
    tracemalloc.start()
    try:
        for _, fields in read_trace(path):
            if fields["event"] != "outcome":
                peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return peak


@pytest.fixture(scope="module")
def lengths(tmp_path_factory: pytest.TempPathFactory) -> dict[int, tuple[Path, Weighed]]:
    folder = tmp_path_factory.mktemp("traces")
    written(folder / "first.jsonl", 2)  # what is made once and kept
    paths = {size: folder / f"{size}.jsonl" for size in (SHORT, LONG)}
    return {size: (path, written(path, size)) for size, path in paths.items()}


def test_the_traces_differ_as_much_as_they_should(lengths: dict[int, tuple[Path, Weighed]]) -> None:
    short, long = (lengths[size][0].stat().st_size for size in (SHORT, LONG))
    assert long > 4 * short
    assert long - short > 2 * SPARE


def test_writing_holds_nothing_of_what_is_written(lengths: dict[int, tuple[Path, Weighed]]) -> None:
    short, long = lengths[SHORT][1], lengths[LONG][1]
    assert long.held <= short.held + SPARE
    assert long.most <= short.most + SPARE


def test_reading_takes_a_line_at_a_time(lengths: dict[int, tuple[Path, Weighed]]) -> None:
    short, long = read(lengths[SHORT][0]), read(lengths[LONG][0])
    assert 0 < long <= short + SPARE
