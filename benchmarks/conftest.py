"""Benchmarks keep what they compare in the JSON of pytest-benchmark, for benchmarks.report."""

from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.measuring import Comparison, Growth


@pytest.fixture
def keep(benchmark: Any) -> Callable[[Comparison | Growth], None]:
    """Record a comparison or a growth; a comparison that misses its target is said, not hidden."""

    def kept(found: Comparison | Growth) -> None:
        if isinstance(found, Comparison):
            low, high = found.spread
            benchmark.extra_info.update(
                kind="comparison", name=found.name, ours=found.ours, peer=found.peer, median=found.median, low=low,
                high=high, target=found.target, at_most=found.at_most, met=found.met, remark=found.remark,
                seconds=list(found.seconds), rounds=len(found.ratios),
            )  # fmt: skip
        else:
            benchmark.extra_info.update(
                kind="growth", name=found.name, variable=found.variable, points=found.points, exponent=found.exponent,
                target=found.target, unit=found.unit,
            )  # fmt: skip

    return kept
