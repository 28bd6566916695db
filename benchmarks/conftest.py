"""Benchmarks keep what they compare in the JSON of pytest-benchmark, for benchmarks.report."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from benchmarks.measuring import Comparison, Growth, Spending


@pytest.fixture
def keep(benchmark: Any) -> Callable[[Comparison | Growth | Spending], None]:
    """Record what was found; a target that is missed is said, not hidden."""

    def kept(found: Comparison | Growth | Spending) -> None:
        benchmark.extra_info.update(asdict(found), kind=type(found).__name__.lower())
        if isinstance(found, Comparison):
            low, high = found.spread
            benchmark.extra_info.update(median=found.median, low=low, high=high, met=found.met)
        elif isinstance(found, Growth):
            benchmark.extra_info.update(met=found.met)

    return kept
