"""Groups and generation batches that are missing from a log of our own format are found."""

from pathlib import Path
from typing import Any

import pytest
from grpocheck.verifier.audit.lost import unit_of

from tests.audit.lines import HEADER, group, written
from tests.audit.planting import audited, by_rule

HALF = {**HEADER, "dtype": "float64"}
SIZES = {"num_generations": 2, "generation_batch_size": 4}
PERIOD = {"steps_per_generation": 1, "gradient_accumulation_steps": 1, "num_iterations": 1}


def batches(*sizes: int, first: int = 1) -> list[dict[str, Any]]:
    """Batches of so many groups of two responses each, one a step."""
    return [group(first + i, f"p{i}.{j}", [1, 0]) for i, size in enumerate(sizes) for j in range(size)]


@pytest.mark.parametrize(
    ("sizes", "settings", "lines"),
    [
        ((2, 1, 2), SIZES, {3}),
        ((2, 3, 2), SIZES, {3}),
        ((2, 2, 2), SIZES, set()),
        ((2, 1, 2), {"num_generations": 2}, set()),
        ((1, 1, 1), SIZES, set()),
        ((2, 2, 1), SIZES, set()),
        ((2, 2, 1), {**SIZES, "max_steps": 3}, {5}),
        ((2, 2, 1), {**SIZES, "max_steps": 9}, set()),
        ((2, 1, 2), {"per_device_train_batch_size": 4, "steps_per_generation": 1, "world_size": 1}, {3}),
    ],
    ids=["lost", "more", "whole", "undeclared", "a-part-of-each", "unfinished", "finished", "stopped", "by-parts"],
)
def test_a_batch_of_another_size_than_declared(
    tmp_path: Path, sizes: tuple[int, ...], settings: object, lines: set[int]
) -> None:
    found = by_rule(audited(written(tmp_path / "run.jsonl", {**HALF, "settings": settings}, *batches(*sizes))))
    assert {where.row for where in found["draws-budget"].places} == lines if lines else "draws-budget" not in found


def test_a_last_batch_that_was_cut_off_is_not_short(tmp_path: Path) -> None:
    run = written(tmp_path / "run.jsonl", {**HALF, "settings": {**SIZES, "max_steps": 2}}, *batches(2, 2))
    run.write_text(run.read_text()[:-20])
    assert "draws-budget" not in by_rule(audited(run))


def test_the_rows_of_several_processes_are_one_batch(tmp_path: Path) -> None:
    for rank in range(2):
        written(tmp_path / f"rank{rank}.jsonl", {**HALF, "settings": SIZES}, *batches(1, 1 + rank, 1))
    assert by_rule(audited(tmp_path))["draws-budget"].first.found == "6"


def test_files_that_hold_all_of_a_batch_are_one_after_another(tmp_path: Path) -> None:
    """A run that was gone on with from step 2 in a file of its own: that step was drawn twice, and whole each time."""
    written(tmp_path / "begun.jsonl", {**HALF, "settings": SIZES}, *batches(2, 2))
    written(tmp_path / "gone_on.jsonl", {**HALF, "settings": SIZES}, *batches(2, 2, first=2))
    assert "draws-budget" not in by_rule(audited(tmp_path))


def steps(*numbers: int, **more: object) -> list[dict[str, Any]]:
    return [group(number, f"p{number}", [1, 0], **more) for number in numbers]


@pytest.mark.parametrize(
    ("numbers", "settings", "lost"),
    [
        ((1, 2, 4, 5), {}, "step 3 between 2 and 4"),
        ((4, 8, 20, 24), {}, "step 12, 16 between 8 and 20"),
        ((1, 3), PERIOD, "step 2 between 1 and 3"),
        ((1, 3), {}, None),
        ((1, 2, 3, 4), {}, None),
        ((10, 20, 30), PERIOD, None),
        ((1, 4, 5, 12, 14), {}, None),
    ],
)
def test_steps_between_others(tmp_path: Path, numbers: tuple[int, ...], settings: object, lost: str | None) -> None:
    found = by_rule(audited(written(tmp_path / "run.jsonl", {**HALF, "settings": settings}, *steps(*numbers))))
    assert ("batches-lost" in found) is (lost is not None)
    if lost:
        assert found["batches-lost"].first.expected == f"groups of {lost}"


def test_batches_are_counted_by_their_numbers(tmp_path: Path) -> None:
    """Batch 2 is missing, whatever their steps are."""
    lines = [group(7 * number, f"p{number}", [1, 0], batch=number) for number in (1, 3, 4)]
    found = by_rule(audited(written(tmp_path / "run.jsonl", HALF, *lines)))
    assert found["batches-lost"].first.expected == "groups of batch 2 between 1 and 3"


def test_no_batch_of_evaluation_is_missing(tmp_path: Path) -> None:
    lines = [*steps(1, 2), *steps(4, 5, mode="eval"), *steps(3)]
    assert "batches-lost" not in by_rule(audited(written(tmp_path / "run.jsonl", HALF, *lines)))


def test_the_unit_is_the_least_gap_where_most_have_it() -> None:
    assert [unit_of(gaps, None) for gaps in ([1, 2], [2, 3, 2], [5, 1, 7])] == [1, None, None]
    assert unit_of([], 1) is None
