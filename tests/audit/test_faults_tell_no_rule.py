"""Groups of equal rewards whose advantages are not 0 are faults, and choose no rule for the groups beside them."""

from pathlib import Path

import pytest

from tests.audit.lines import HEADER, group, written
from tests.audit.planting import audited, by_rule

BAD = {"step": 1, "prompt": "b", "rewards": [1, 1], "advantages": [1, -1]}


@pytest.mark.parametrize("declared", [{"scale_rewards": "none"}, {}], ids=["declared", "inferred"])
def test_groups_beside_it_follow_their_rule(tmp_path: Path, declared: object) -> None:
    """Differences from the mean of the group, by hand: 1/2 and -1/2, 1/4 and -1/4; a batch-wide rule fits none."""
    rest = [group(1, "a", [1, 0], "none"), BAD, group(2, "c", [1, 0], "none"), group(2, "d", [1, 0.5], "none")]
    header = {**HEADER, "dtype": "float64", "settings": declared}
    report = audited(written(tmp_path / "run.jsonl", header, *rest))
    errors = {name: finding for name, finding in by_rule(report).items() if finding.severity.value == "error"}
    assert set(errors) == {"zero-variance-advantage"}
    assert {where.row for where in errors["zero-variance-advantage"].places} == {2}
    inferred = next(iter(report.inferred.values()))
    assert "reward minus the group's mean" in inferred["advantage_rule"]
    assert inferred["advantage_rule_from"].endswith("but for 2 responses of equal rewards")


def test_a_later_batch_still_tells_between_rules_that_stood(tmp_path: Path) -> None:
    """Of the population and the sample deviation the second batch fits the latter alone: advantages -1/sqrt(2), ..."""
    half = 0.5**0.5
    first = {"step": 1, "prompt": "a", "rewards": [1, 0], "advantages": [half, -half]}
    later = {"step": 2, "prompt": "c", "rewards": [1, 0, 0], "advantages": [2 / 3**0.5, -1 / 3**0.5, -1 / 3**0.5]}
    report = audited(written(tmp_path / "run.jsonl", {**HEADER, "dtype": "float64"}, first, BAD, later))
    assert {finding.rule for finding in report.findings if finding.severity.value == "error"} == {
        "zero-variance-advantage"
    }
    assert next(iter(report.inferred.values()))["advantage_rule"][0].endswith("the group's sample deviation")


def test_a_fault_among_unequal_rewards_is_none_of_the_others(tmp_path: Path) -> None:
    """The second group of the second batch is wrong too: it is reported against what settings declare, and alone."""
    wrong = {"step": 2, "prompt": "d", "rewards": [1, 0.5], "advantages": [0.5, -0.5]}
    rest = [group(1, "a", [1, 0], "none"), BAD, group(2, "c", [1, 0], "none"), wrong, group(3, "e", [2, 0], "none")]
    header = {**HEADER, "dtype": "float64", "settings": {"scale_rewards": "none"}}
    found = by_rule(audited(written(tmp_path / "run.jsonl", header, *rest)))
    assert {where.row for where in found["advantage-rule"].places} == {4}
    assert found["advantage-rule"].first.expected.startswith("0.25 (reward minus the group's mean)")


def test_a_nan_that_was_swallowed(tmp_path: Path) -> None:
    """The mean of 1, 0 and nan is nan, that of 1 and 0 alone is 1/2: an advantage of 0 is neither's."""
    swallowed = {"step": 1, "prompt": "b", "rewards": [1, 0, float("nan")], "advantages": [0, 0, 0]}
    header = {**HEADER, "dtype": "float64", "settings": {"scale_rewards": "none"}}
    found = by_rule(audited(written(tmp_path / "run.jsonl", header, group(1, "a", [1, 0, 2], "none"), swallowed)))
    assert "advantage-rule" not in found
    assert {where.response for where in found["advantage-swallowed"].places} == {1, 2}


@pytest.mark.parametrize(
    ("rewards", "advantages"),
    [
        ([1, 1, float("nan")], [0, 0, 0]),
        ([1, 0, float("nan")], [0.5, -0.5, 0]),
        ([1, float("nan"), float("nan")], [0, 0, 0]),
    ],
    ids=["equal without it", "left out of the mean", "nothing beside it"],
)
def test_a_nan_that_was_left_out_was_not_swallowed(
    tmp_path: Path, rewards: list[float], advantages: list[float]
) -> None:
    line = {"step": 1, "prompt": "b", "rewards": rewards, "advantages": advantages}
    header = {**HEADER, "dtype": "float64", "settings": {"scale_rewards": "none"}}
    found = by_rule(audited(written(tmp_path / "run.jsonl", header, group(1, "a", [1, 0, 2], "none"), line)))
    assert not found.keys() & {"advantage-swallowed", "advantage-rule"}
