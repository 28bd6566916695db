"""Runs of TRL 1.16.0 with settings that no other recorded run has; two also as our own recorder wrote them.

What has to be found in each is written from its settings and its reward functions. That loss and gradients are right is
TRL's word: nothing was changed in any run.
"""

import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from grpocheck.verifier.audit.beside import weighs_two
from grpocheck.verifier.audit.model import LogRow
from grpocheck.verifier.audit.moments import Moments
from grpocheck.verifier.recorder.trainer import bonus_of

from tests.audit.lines import HEADER, group, written
from tests.audit.planting import audited, by_rule, edit_arrays, edit_json, edit_log
from tests.audit.test_recorded_runs import AGAIN, COMMON, KL, OBJECTIVE, STUCK

ARCHIVE = Path(__file__).resolve().parent.parent / "data" / "trl_settings.tar.xz"
OVER = {("rows-overwritten", "error")}
GROUP = "reward minus the group's mean over the group's sample deviation + 1e-04"

RUNS: dict[str, tuple[str, set[tuple[str, str]], set[tuple[str, str]], str]] = {
    "d01_adaptive_entropy": (
        "a bonus that grows from 0.02 with each step, at first switched off; cut responses are masked",
        AGAIN,
        {("rows-masked", "warning")},
        "bnpo token",
    ),
    "d02_same_names_weighted": (
        "two of three functions have one name, with weights 1 and -1/2",
        {("column-lost", "error")},
        set(),
        "dapo token",
    ),
    "d03_eval_smaller_groups": (
        "evaluation in groups of 2, whose rows stand in the table of the next step too; training has groups of 4",
        AGAIN | KL | OVER,
        {("batches-lost", "warning")},
        "dapo token",
    ),
    "d04_env_mask": (
        "every fourth token is the environment's; a step with every ratio clipped",
        AGAIN | STUCK,
        set(),
        "luspo sequence",
    ),
    "d05_top_token": ("of the tokens the one of the largest entropy alone", set(), set(), "cispo token"),
    "d06_vespo_sequence_kl": ("a KL estimate times the sequence's ratio", AGAIN | KL, set(), "vespo sequence"),
}  # fmt: skip
"""Of each run: what it is, what all its files show, what only the whole record shows, and its loss."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("settings")
    with tarfile.open(ARCHIVE, "r:xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def faults(path: Path) -> tuple[set[tuple[str, str]], dict[str, Any]]:
    """The findings, and what was inferred."""
    report = audited(path)
    (inferred,) = report.inferred.values()
    return {(finding.rule, finding.severity.value) for finding in report.findings} - COMMON, inferred


@pytest.mark.parametrize("run", sorted(RUNS))
def test_the_whole_record(runs: Path, run: str) -> None:
    _, files, record, loss = RUNS[run]
    found, inferred = faults(runs / run)
    assert found == files | record | OBJECTIVE
    assert inferred["advantage_rule"] == [GROUP]
    assert any(name.startswith(loss) for name in inferred["loss_fits_every_call"])


@pytest.mark.parametrize("run", sorted(RUNS))
def test_the_files_of_an_ordinary_user(runs: Path, tmp_path: Path, run: str) -> None:
    shutil.copytree(runs / run / "completions", tmp_path / "completions")
    shutil.copy(runs / run / "trainer_state.json", tmp_path)
    found, inferred = faults(tmp_path)
    assert found == RUNS[run][1]
    assert inferred["advantage_rule"] == ([] if run == "d02_same_names_weighted" else [GROUP])
    assert inferred["group_size"] == 4


@pytest.mark.parametrize(
    ("recording", "expected"),
    [("d03_eval_smaller_groups.jsonl", KL), ("d07_unscored_tokens.jsonl", {("sampler-differs", "warning")})],
)
def test_our_own_recordings(runs: Path, recording: str, expected: set[tuple[str, str]]) -> None:
    """Batches of evaluation are numbered with training's; of some tokens the sampler gave no log-probability."""
    found, inferred = faults(runs / recording)
    assert found == expected | OBJECTIVE
    assert inferred["loss_fits_every_call"]


def test_tokens_that_a_sampler_gave_no_number_are_counted(runs: Path) -> None:
    """Its third token, of each response of more than three."""
    recording = runs / "d07_unscored_tokens.jsonl"
    calls = [line for line in map(json.loads, recording.read_text().splitlines()) if line.get("kind") == "call"]
    long = sum(sum(row) > 3 for row in calls[0]["arrays"]["mask"])
    finding = by_rule(audited(recording))["sampler-differs"]
    assert finding.count == len(calls)
    assert f"nan for {long} tokens of" in finding.first.found


def test_an_adapted_bonus_is_none_that_a_trainer_may_choose(runs: Path, tmp_path: Path) -> None:
    """The largest slope by an entropy a tenth too large: no coefficient gives it beside the others."""
    shutil.copytree(runs / "d01_adaptive_entropy", tmp_path / "run")

    def edit(arrays: dict[str, np.ndarray]) -> None:
        slopes = arrays["grad_entropies"].copy()
        slopes[np.unravel_index(np.argmin(slopes), slopes.shape)] *= np.float32(1.1)
        arrays["grad_entropies"] = slopes

    edit_arrays(tmp_path / "run" / "calls" / "call_006.npz", edit)
    found = by_rule(audited(tmp_path / "run"))
    assert found["gradient-differs"].first.where.file.endswith("call_006.npz")


def test_a_bonus_of_a_stated_coefficient_is_held_to_it(runs: Path, tmp_path: Path) -> None:
    """The same run, saying nothing of an adapted coefficient: those recorded are of the call after."""
    shutil.copytree(runs / "d01_adaptive_entropy", tmp_path / "run")
    for path in sorted((tmp_path / "run" / "calls").iterdir())[8:]:
        path.unlink()
    edit_json(tmp_path / "run" / "run.json", lambda found: found["args_given"].pop("use_adaptive_entropy"))
    found = by_rule(audited(tmp_path / "run"))
    assert found["loss-differs"].count == 3  # it was not in use in the first two calls, and grew in the fourth
    assert "entropy_coef=0.03" in found["gradient-differs"].first.found


def test_a_bonus_that_was_left_out_is_named(runs: Path, tmp_path: Path) -> None:
    """In the first call of the run the bonus was switched off, although 0.02 is recorded."""
    shutil.copytree(runs / "d01_adaptive_entropy", tmp_path / "run")
    for path in sorted((tmp_path / "run" / "calls").iterdir())[2:]:
        path.unlink()
    edit_json(tmp_path / "run" / "run.json", lambda found: found["args_given"].pop("use_adaptive_entropy"))
    assert (
        "bnpo token epsilon=0.2 epsilon_high=0.2 entropy_coef=0"
        in by_rule(audited(tmp_path / "run"))["loss-differs"].first.found
    )


def test_a_token_of_the_environment_that_counts_is_found(runs: Path, tmp_path: Path) -> None:
    shutil.copytree(runs / "d04_env_mask", tmp_path / "run")

    def edit(arrays: dict[str, np.ndarray]) -> None:
        arrays["mask"] = arrays["mask"].copy()
        arrays["mask"][0, 3] = 1

    edit_arrays(tmp_path / "run" / "calls" / "call_001.npz", edit)
    found = by_rule(audited(tmp_path / "run"))
    assert found["frozen-data"].first.found.startswith("1; 1 token changed")


MEANS = [(0.25, 0.5, 1.0), (0.75, 0.0, 0.5), (0.5, 1.0, 0.25), (0.125, 0.25, 0.75), (1.0, 0.375, 0.0)]
"""Of five steps: the means of two functions of one name, and of a third."""


@pytest.mark.parametrize(
    ("steps", "weights", "logged", "several"),
    [
        (5, (1.0, -0.5, 2.0), lambda first, second: (first + second) / 2, True),
        (4, (1.0, -0.5, 2.0), lambda first, second: (first + second) / 2, True),
        (3, (1.0, -0.5, 2.0), lambda first, second: (first + second) / 2, False),  # three weights fit any three steps
        (5, (0.0, 1.0, 2.0), lambda first, second: (first + second) / 2, False),  # what the log says is in no reward
        (5, (0.5, 0.5, 2.0), lambda first, second: (first + second) / 2, False),  # as of one function, and other rows
        (5, (1.0, -0.5, 2.0), lambda first, second: first * second, False),
    ],
)
def test_two_functions_of_one_name_are_told_by_the_reward(
    steps: int, weights: tuple[float, ...], logged: Callable[[float, float], float], several: bool
) -> None:
    held = []
    for step, (first, second, third) in enumerate(MEANS[:steps]):
        columns = np.array([second, third])
        reward = weights[0] * first + weights[1] * second + weights[2] * third
        table = Moments(f"{step}", step, 8, ("twice", "once"), columns, 2.0**-23 * columns, b"", b"")
        held.append((table, LogRow(step, step, {"reward": reward, "rewards/twice/mean": logged(first, second)})))
    assert weighs_two(held, 0) is several


@pytest.mark.parametrize("name", ["count_letters", "verifier"])
def test_a_mean_that_was_changed_is_no_lost_column(runs: Path, tmp_path: Path, name: str) -> None:
    """Names of their own, and a logged mean that is wrong at every step by a number of its own."""
    shutil.copytree(runs / "d06_vespo_sequence_kl" / "completions", tmp_path / "completions")
    shutil.copy(runs / "d06_vespo_sequence_kl" / "trainer_state.json", tmp_path)

    def edit(state: dict[str, list[dict[str, float]]]) -> None:
        for place, row in enumerate(row for row in state["log_history"] if "reward" in row):
            row[f"rewards/{name}/mean"] += 0.01 * (3 + place * place)

    edit_log(tmp_path, edit)
    found = by_rule(audited(tmp_path))
    assert "log-mean" in found
    assert "column-lost" not in found


@pytest.mark.parametrize(
    ("evaluated", "missing"),
    [((2, 3), None), ((2,), "groups of batch 3 between 2 and 4"), ((7,), "groups of batch 2, 3 between 1 and 4")],
)
def test_numbers_of_batches_of_evaluation_are_not_missing(
    tmp_path: Path, evaluated: tuple[int, ...], missing: str | None
) -> None:
    """Training has the batches 0, 1, 4, 5."""
    lines = [{**group(number, f"p{number}", [1, 0]), "batch": number} for number in (0, 1, 4, 5)]
    lines += [{**group(9, f"e{number}", [1, 0]), "batch": number, "mode": "eval"} for number in evaluated]
    found = by_rule(audited(written(tmp_path / "run.jsonl", {**HEADER, "dtype": "float64"}, *lines)))
    assert (found["batches-lost"].first.expected if "batches-lost" in found else None) == missing


@pytest.mark.parametrize(
    ("adapts", "last", "expected"),
    [(False, 9.0, 0.02), (True, float("inf"), 0.0), (True, 5.5, 0.0), (True, 5.0, 0.02), (True, 4.5, 0.02)],
)
def test_the_recorder_writes_the_bonus_that_is_in_use(adapts: bool, last: float, expected: float) -> None:
    """TRL: entropy_coef where the entropy of the last step, at first infinite, is at most entropy_target, here 5."""
    trainer = SimpleNamespace(
        entropy_coef=0.02,
        use_adaptive_entropy=adapts,
        _last_world_entropy=last,
        args=SimpleNamespace(entropy_target=5.0),
    )
    assert bonus_of(trainer) == expected
    assert bonus_of(SimpleNamespace()) is None
