"""Later passes over groups of our own format are no groups of their own, and are held against the first."""

from pathlib import Path
from typing import Any

import pytest

from tests.audit.lines import HEADER, written
from tests.audit.planting import audited, by_rule

HALF = {**HEADER, "dtype": "float64"}


def of_pass(number: int, old: float = -1.0, **more: object) -> dict[str, Any]:
    tokens = {"new_logps": [[-1.0 + number / 10], [-1.0]], "old_logps": [[old], [-1.0]]}
    line = {"batch": 1, "step": 1 + number, "prompt": "q", "rewards": [1, 0], "advantages": [1, -1]}
    return {**line, "pass": number, "tokens": tokens, **more}


def test_a_later_pass_is_no_group_of_its_own(tmp_path: Path) -> None:
    report = audited(written(tmp_path / "run.jsonl", HALF, of_pass(0), of_pass(1), of_pass(2)))
    assert not report.findings
    inferred = next(iter(report.inferred.values()))
    assert (inferred["groups"], inferred["responses"], inferred["generation_batches"]) == (1, 2, 1)


def test_what_was_frozen_is_held_against_the_first_pass(tmp_path: Path) -> None:
    report = audited(written(tmp_path / "run.jsonl", HALF, of_pass(0), of_pass(1), of_pass(2, old=-0.8)))
    (finding,) = report.findings
    assert (finding.rule, finding.count, finding.first.where.row) == ("frozen-data", 1, 3)
    assert (finding.first.where.response, finding.first.found) == (1, "-0.8; 1 token changed")


def test_an_advantage_that_changed_between_passes(tmp_path: Path) -> None:
    found = by_rule(audited(written(tmp_path / "run.jsonl", HALF, of_pass(0), of_pass(1, advantages=[1, 1]))))
    assert found["advantage-misplaced"].first.where.response == 2


@pytest.mark.parametrize(
    "other",
    [of_pass(0), of_pass(1, rewards=[0, 1], advantages=[-1, 1]), of_pass(1, prompt="r", responses=["a", "b"])],
    ids=["the same pass", "other rewards", "another prompt"],
)
def test_other_lines_are_groups(tmp_path: Path, other: object) -> None:
    report = audited(written(tmp_path / "run.jsonl", HALF, of_pass(0), other))
    assert next(iter(report.inferred.values()))["groups"] == 2


def test_two_groups_of_one_prompt_and_passes_over_both(tmp_path: Path) -> None:
    lines = [of_pass(0), of_pass(0), of_pass(1), of_pass(1)]
    report = audited(written(tmp_path / "run.jsonl", HALF, *lines))
    assert next(iter(report.inferred.values()))["groups"] == 2
    assert by_rule(report)["duplicate-prompts"].count == 1
