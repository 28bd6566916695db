"""Rewards so small or so large that the squares of their differences leave a float format."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from grpocheck.core.variants.advantages import Divisor
from grpocheck.verifier.audit.auditing import Audit
from grpocheck.verifier.audit.bounds import Bounded, deviation

from tests.audit.lines import HEADER, written
from tests.audit.planting import audited, by_rule

FAR = [(1e-300, "float64"), (1e-160, "float64"), (1e160, "float64"), (1e300, "float64"), (1e-44, "float32"),
       (1e-21, "float32"), (1e20, "float32"), (1e37, "float32")]  # fmt: skip
"""Sizes whose squares the format does not hold."""


def log_of(tmp_path: Path, size: float, dtype: str, first: list[float]) -> Audit:
    """Rewards 0 and a size, with these advantages, and a group of 1 and 0 by the population deviation: 1 and -1."""
    lines: list[dict[str, Any]] = [
        {"step": 1, "rewards": [size, 0.0], "advantages": first},
        {"step": 2, "rewards": [1, 0], "advantages": [1, -1]},
    ]
    return audited(written(tmp_path / "run.jsonl", {**HEADER, "dtype": dtype}, *lines))


@pytest.mark.parametrize(("size", "dtype"), FAR)
@pytest.mark.parametrize("first", [[1.0, -1.0], [0.0, 0.0]], ids=["exactly", "as the squares are lost"])
def test_out_of_range_no_rule_is_refuted(tmp_path: Path, size: float, dtype: str, first: list[float]) -> None:
    """A deviation by squares is 0 or infinite there, and one that scales them first is half the size."""
    report = log_of(tmp_path, size, dtype, first)
    assert not [finding.rule for finding in report.findings if finding.severity == "error"]
    finding = by_rule(report)["reward-float-loss"]
    assert (finding.count, finding.severity, finding.first.where.row) == (1, "warning", 1)
    assert "held against no rule" in finding.first.found
    (inferred,) = report.inferred.values()  # by the other group
    assert "reward minus the group's mean over the group's population deviation" in inferred["advantage_rule"]


@pytest.mark.parametrize(
    ("size", "dtype"), [(1e-120, "float64"), (1e120, "float64"), (1e-15, "float32"), (1e15, "float32")]
)
def test_of_one_within_the_range_it_is(tmp_path: Path, size: float, dtype: str) -> None:
    held = {"dtype": dtype, "size": float(np.dtype(dtype).type(size))}
    assert "reward-float-loss" not in by_rule(log_of(tmp_path, first=[1.0, -1.0], **held))
    assert log_of(tmp_path, first=[1.0, -1.0], **held).ok
    assert by_rule(log_of(tmp_path, first=[0.9, -0.9], **held))["advantage-rule"].first.where.row == 1


def test_squares_that_are_flushed_to_zero_lie_within_the_bound() -> None:
    """Of differences from a mean of 0 the squares of the smaller two are below 2^-126, which some machines make 0."""
    rewards = np.array([[3e-18, -3e-18, 1e-19, -1e-19]])
    there = np.ones(rewards.shape, dtype=bool)
    found = deviation(Bounded(rewards, np.zeros(rewards.shape)), there, Divisor.POPULATION, 2.0**-24)
    flushed = (2 * 3e-18**2 / 4) ** 0.5
    assert found.value[0, 0] - flushed > 1e-3 * flushed / 2
    assert found.value[0, 0] - flushed < found.error[0, 0] < 0.1 * flushed


def test_advantages_as_large_as_their_rewards_stand_for_no_infinity(tmp_path: Path) -> None:
    """Without a deviation 4e35 and 0 have 2e35 and -2e35."""
    lines: list[dict[str, Any]] = [
        {"step": 1, "rewards": [4e35, 0], "advantages": [2e35, -2e35]},
        {"step": 2, "rewards": [1, 0], "advantages": [0.5, -0.5]},
    ]
    assert "advantage-not-finite" not in by_rule(audited(written(tmp_path / "run.jsonl", HEADER, *lines)))
    lines[0]["rewards"] = [4, 0]
    assert "advantage-not-finite" in by_rule(audited(written(tmp_path / "run.jsonl", HEADER, *lines)))
