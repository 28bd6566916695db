"""What a log may hold beside what the audit reads: it is said, or it cannot be read, and nothing of it is a yes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from grpocheck.verifier.audit.auditing import Audit, audit
from grpocheck.verifier.audit.discovery import runs_of
from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.findings import Finding

from tests.audit.lines import HEADER, written
from tests.audit.planting import audited, by_rule

# Rewards 1 and 0: mean 1/2, advantages 1/2 and -1/2 without a deviation.
GROUP: dict[str, Any] = {"step": 1, "rewards": [1, 0], "advantages": [0.5, -0.5]}
CONFIG = {"loss_type": "grpo", "beta": 0}


def call(reuse: int, mask: list[list[int]], **more: object) -> dict[str, Any]:
    arrays = {"new_logps": [[-1, -1], [-1, -2]], "old_logps": [[-1, -1], [-1, -2]], "mask": mask, "row": [0, 1]}
    meta = {"gen": 0, "slice_of_generation_batch": 0, "reuse_of_slice": reuse, "config": CONFIG}
    return {"kind": "call", "arrays": {**arrays, "advantages": [1, -1], **more}, "meta": meta}


def found(report: Audit, rule: str) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule == rule]


def test_settings_that_no_rule_is_about_are_one_note(tmp_path: Path) -> None:
    settings = {"clip_range": 0.3, "seed": 1, "loss_type": "grpo", **{f"x{number:02}": 1 for number in range(14)}}
    report = audited(written(tmp_path / "run.jsonl", {**HEADER, "settings": settings}, GROUP))
    (finding,) = found(report, "key-unknown")
    assert (finding.severity, finding.count, report.ok) == ("note", 1, True)
    assert finding.first.found.startswith("15 settings that nothing was held against: 'clip_range', 'x00', ")
    assert finding.first.found.endswith("'x10' and 3 more")  # twelve are named


def test_a_loss_that_is_not_known_is_said(tmp_path: Path) -> None:
    report = audited(written(tmp_path / "run.jsonl", {**HEADER, "settings": {"loss_type": "gripo"}}, GROUP))
    assert (
        "loss_type = gripo (which loss that is, is not known here)" in by_rule(report)["objective-departs"].first.found
    )


@pytest.mark.parametrize(("text", "rule"), [("NaN", "reward-not-finite"), ("null", "response-unscored")])
@pytest.mark.parametrize("advantages", ["[0.5, -0.5, 0]", None])
def test_a_reward_that_is_no_number_is_no_yes(tmp_path: Path, text: str, rule: str, advantages: str | None) -> None:
    path = written(tmp_path / "run.jsonl", HEADER)
    given = "" if advantages is None else f', "advantages": {advantages}'
    path.write_text(path.read_text() + f'{{"step": 1, "rewards": [1, 0, {text}]{given}}}\n')
    report = audited(path)
    assert not report.ok
    assert str(by_rule(report)[rule].first.where).endswith("line 2, response 3")
    assert ("reward-not-finite" in by_rule(report)) is (text == "NaN")


INF = float("inf")


def test_numbers_for_a_group_with_an_infinite_reward_are_by_no_rule(tmp_path: Path) -> None:
    """inf - inf has no value, nor has the deviation: only nan comes of it, or the 0 or 3.4e38 put in its place."""
    lines = [
        {"step": 1, "rewards": [1, INF, 0.5, 0], "advantages": [-0.4999, 0.833, 0.0, 3.4e38]},
        {"step": 2, "rewards": [1, INF, 0.5, 0], "advantages": [1, 3.4e38, 0.5, 0]},  # without a baseline
        {"step": 3, "rewards": [1, INF, 0.5, 0], "advantages": [0.3, 3.4e38, 0.15, 0]},  # and weighed by 3/10
    ]
    report = audited(written(tmp_path / "run.jsonl", HEADER, GROUP, *lines))
    (finding,) = found(report, "advantage-rule")
    assert (finding.severity, finding.count) == ("error", 2)
    assert {one.expected for one in finding.examples} == {"no number: the mean of the group is infinite"}
    assert sorted(one.found for one in finding.examples) == ["-0.4999", "0.833"]
    inferred = report.inferred[str(tmp_path / "run.jsonl")]  # the first group follows rules, the second none
    assert inferred["advantage_rule"] == []
    assert inferred["advantage_rule_from"] == "nothing: no known rule gives numbers beside an infinite reward"


@pytest.mark.parametrize(
    ("settings", "count"),
    [
        ({"scale_rewards": "none"}, 2),  # 1 + inf is in the mean of both
        ({"scale_rewards": "none", "reward_weights": [1, 0]}, 0),  # a trainer that leaves nan out has 1 and 0 alone
        ({"multi_objective_aggregation": "normalize_then_sum"}, 0),  # the nan of b may have been left out
        ({}, 0),
    ],
)
def test_numbers_beside_an_infinite_reward_of_one_of_two_functions(
    tmp_path: Path, settings: dict[str, Any], count: int
) -> None:
    line = {"step": 1, "rewards": {"a": [1, 0], "b": [INF, 0]}, "advantages": [0.5, -0.5]}
    report = audited(written(tmp_path / "run.jsonl", {**HEADER, "settings": settings}, line))
    assert sum(finding.count for finding in found(report, "advantage-rule")) == count
    assert not report.ok


def test_of_a_group_with_an_infinite_reward_no_reading_of_a_missing_one_is_told(tmp_path: Path) -> None:
    line = {"step": 1, "rewards": [1, INF, None, 0.5], "advantages": [-0.4999, 0.833, 0.0, 0.1]}
    report = audited(written(tmp_path / "run.jsonl", HEADER, GROUP, line))
    (finding,) = found(report, "response-unscored")
    assert finding.first.found.endswith(" from every function, in the group of 4 at line 3")


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.int64()])
def test_a_step_that_is_text_is_the_number_that_it_spells(tmp_path: Path, kind: Any) -> None:
    """Step 10 in the name and in the rows of one table; of the other, 7 in the name and "10" in the rows."""
    rows = {"prompt": ["a"] * 2, "completion": ["b", "c"], "right": [1.0, 0.0], "advantage": [0.5, -0.5]}
    for number, own in ((10, rows), (7, {**rows, "right": [0.0, 1.0], "advantage": [-0.5, 0.5]})):
        step = pa.array(["10", "010"]).cast(kind)
        pq.write_table(pa.table({"step": step, **own}), tmp_path / f"completions_{number:05}.parquet")
    (finding,) = found(audited(tmp_path), "table-step")
    assert finding.first.where.file.endswith("completions_00007.parquet")
    assert (finding.first.expected, finding.first.found) == ("step 7 in every row", "steps [10]")


@pytest.mark.parametrize("settings", ["run.json", "grpo_config.json", "training_args.json", "args.json"])
def test_a_table_of_groups_of_one_response(tmp_path: Path, settings: str) -> None:
    """Four prompts with one response each are four groups, not one of four, as settings beside it say."""
    columns = {"prompt": list("abcd"), "completion": list("efgh"), "right": [0.0, 1.0, 2.0, 3.0]}
    table = pa.table({"step": [1] * 4, **columns, "advantage": [0.0] * 4})
    pq.write_table(table, tmp_path / "completions_00001.parquet")
    (tmp_path / settings).write_text(json.dumps({"num_generations": 1}))
    report = audited(tmp_path)
    assert by_rule(report)["advantages-all-zero"].first.found == "0 everywhere; 4 groups of one response"
    assert report.inferred[str(tmp_path)]["group_size"] == 1


def test_a_score_of_verl_that_is_no_number(tmp_path: Path) -> None:
    lines = [{"input": "p", "output": "a", "score": 1.0}, {"input": "p", "output": "b", "score": float("nan")}]
    report = audited(written(tmp_path / "1.jsonl", *lines))
    assert (by_rule(report)["reward-not-finite"].first.found, report.ok) == ("nan from score", False)


def test_a_batch_of_other_reward_functions(tmp_path: Path) -> None:
    """Two functions, then three, then one: what is not checked is named, and what can be is."""
    lines = [
        {"step": 1, "rewards": {"a": [1, 0], "b": [1, 0]}, "advantages": [1, -1]},
        {"step": 2, "rewards": {"a": [1, 0], "b": [1, 0], "c": [1, 0]}, "advantages": [7, -7]},
        {"step": 3, "rewards": [1, 0], "advantages": [7, -7]},
    ]
    (finding,) = found(audited(written(tmp_path / "run.jsonl", HEADER, *lines)), "column-lost")
    assert (finding.count, finding.first.where.within) == (2, "line 3")
    assert finding.first.found.startswith("a, b, c; not checked: advantage-rule, ")


def test_a_table_without_a_column_of_the_others(tmp_path: Path) -> None:
    for step, names in ((1, ("a", "b")), (2, ("a",))):
        columns: dict[str, object] = {"step": [step] * 2, "prompt": ["p"] * 2, "completion": ["x", "y"]}
        columns |= {name: np.array([1.0, 0.0]) for name in names}
        columns["advantage"] = np.array([0.5, -0.5]) * len(names)
        pq.write_table(pa.table(columns), tmp_path / f"completions_{step:05}.parquet")
    (finding,) = found(audited(tmp_path), "column-lost")
    assert (finding.severity, finding.first.where.file[-9:]) == ("error", "2.parquet")


@pytest.mark.parametrize(
    ("column", "rule"),
    [("advantage", "column-lost"), ("a", "advantages-not-logged")],
    ids=["no rewards", "no advantages"],
)
def test_a_table_with_half_of_what_can_be_compared(tmp_path: Path, column: str, rule: str) -> None:
    columns: dict[str, object] = {"step": [1] * 2, "prompt": ["p"] * 2, "completion": ["x", "y"]}
    pq.write_table(pa.table({**columns, column: np.array([1.0, 0.0])}), tmp_path / "completions_00001.parquet")
    finding = by_rule(audited(tmp_path))[rule]
    assert "not checked: advantage-rule, " in finding.first.found


@pytest.mark.parametrize("functions", [None, ["a", "b"], ["b", "a"]])
def test_the_order_of_reward_functions_is_no_matter(tmp_path: Path, functions: list[str] | None) -> None:
    """Weights 1 of a and 1/2 of b: totals 1 and 1/2, around 3/4; with functions the weights are in their order."""
    weights = [0.5, 1] if functions == ["b", "a"] else [1, 0.5]
    header = {**HEADER, "settings": {"reward_weights": weights, "scale_rewards": "none"}, "functions": functions}
    rewards = {"a": [1, 0], "b": [0, 1]}
    swapped = {"b": [0, 1], "a": [1, 0]}
    lines = [
        {"step": step, "rewards": each, "advantages": [0.25, -0.25]}
        for step, each in ((1, rewards), (2, swapped), (3, rewards), (3, swapped))
    ]
    header = {key: value for key, value in header.items() if value is not None}
    report = audited(written(tmp_path / "run.jsonl", header, *lines))
    assert report.ok
    assert next(iter(report.inferred.values()))["advantage_rule"][0] == "reward minus the group's mean"


def test_declared_weights_of_other_functions(tmp_path: Path) -> None:
    header = {**HEADER, "settings": {"reward_weights": [1, 2, 3]}}
    report = audited(written(tmp_path / "run.jsonl", header, GROUP))
    finding = by_rule(report)["column-lost"]
    assert (finding.first.found[:33], report.ok) == ("reward_weights = [1.0, 2.0, 3.0];", False)


def test_prompts_that_are_not_said_are_not_one_prompt(tmp_path: Path) -> None:
    report = audited(written(tmp_path / "run.jsonl", HEADER, *({**GROUP, "prompt": None} for _ in range(2))))
    assert "duplicate-prompts" not in by_rule(report)


def test_logs_of_several_processes_and_of_the_trainer_are_looked_at_each(tmp_path: Path) -> None:
    def log(loss: float) -> list[object]:
        return [HEADER, *({"kind": "log", "step": step, "numbers": {"loss": loss}} for step in (1, 2))]

    written(tmp_path / "a.jsonl", *log(0.1))
    written(tmp_path / "b.jsonl", *log(float("inf")))
    history = [{"step": 1, "loss": 0.5}, {"step": 2, "loss": float("nan")}]
    (tmp_path / "trainer_state.json").write_text(json.dumps({"log_history": history}))
    report = audited(tmp_path)
    finding = by_rule(report)["log-not-finite"]
    assert {Path(where.file).name for where in finding.places} == {"b.jsonl", "trainer_state.json"}
    assert finding.count == 3
    assert "log-gap" not in by_rule(report)  # the steps of one file do not follow those of another


def test_a_mask_that_changes_between_passes(tmp_path: Path) -> None:
    lines = [call(0, [[1, 1], [1, 1]]), call(1, [[1, 1], [1, 0]])]
    finding = by_rule(audited(written(tmp_path / "run.jsonl", HEADER, *lines)))["frozen-data"]
    assert (finding.count, finding.first.where.within) == (1, "line 3, response 2")
    assert finding.first.expected.endswith("under which 2 tokens count")
    assert "frozen-data" not in by_rule(audited(written(tmp_path / "run.jsonl", HEADER, lines[0], lines[0])))


def test_advantages_in_a_column_are_held_against_the_first_pass(tmp_path: Path) -> None:
    whole = [[1, 1], [1, 1]]
    lines = [call(0, whole), call(1, whole, advantages=[[1], [-2]])]
    finding = by_rule(audited(written(tmp_path / "run.jsonl", HEADER, *lines)))["advantage-misplaced"]
    assert (finding.count, finding.first.found) == (1, "-2")


def test_a_loss_that_is_no_single_number_cannot_be_read(tmp_path: Path) -> None:
    path = written(tmp_path / "run.jsonl", HEADER, call(0, [[1, 1], [1, 1]], loss=[float("nan"), 1]))
    with pytest.raises(Unreadable, match=r"line 2, loss: \[2\]: expected one number"):
        audit(runs_of([path]))


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (
            {"loss_type": "dr_grpo", "max_completion_length": float("inf")},
            "max_completion_length: inf: expected a whole",
        ),
        (
            {"loss_type": "dr_grpo", "max_completion_length": 12.5},
            "max_completion_length: 12.5: expected a whole number",
        ),
        ({"loss_type": "grpo", "epsilon": float("nan")}, "epsilon: nan: expected a number"),
    ],
)
@pytest.mark.parametrize("mode", ["train", "eval"])
def test_settings_of_a_call_that_are_no_numbers_for_it(tmp_path: Path, config: object, said: str, mode: str) -> None:
    line = call(0, [[1, 1], [1, 1]], loss=-1.0)
    line["meta"] |= {"config": config, "mode": mode}
    with pytest.raises(Unreadable, match=f"line 2, {said}"):
        audit(runs_of([written(tmp_path / "run.jsonl", HEADER, line)]))


@pytest.mark.parametrize(("ratio", "said"), [(11.09, True), (10.0, False)])
def test_a_loss_that_may_overflow_is_not_called_checked(tmp_path: Path, ratio: float, said: bool) -> None:
    """exp(11.09) is 65513, which float16 may still hold or not: 65504 is its largest, and 65520 rounds to infinity."""
    arrays = {"new_logps": [[-1.0]], "old_logps": [[-1.0 - ratio]], "mask": [[1]], "advantages": [1], "loss": -1.2}
    meta = {"config": CONFIG, "logps_dtype": "torch.float16"}
    report = audited(written(tmp_path / "run.jsonl", HEADER, {"kind": "call", "arrays": arrays, "meta": meta}))
    assert any(finding.first.found.startswith("loss = -1.2") for finding in found(report, "metric-unchecked")) is said


def test_slices_of_batches_that_have_no_number_are_not_counted_as_one(tmp_path: Path) -> None:
    """Two calls on slice 0 in pass 0: of one batch that is once too often, of two batches it is not."""
    numbered = [call(0, [[1, 1], [1, 1]]) for _ in range(2)]
    header = {**HEADER, "settings": {"num_iterations": 1, "steps_per_generation": 1}}
    assert "gradient-budget" in by_rule(audited(written(tmp_path / "run.jsonl", header, *numbered)))
    for line in numbered:
        del line["meta"]["gen"]
    assert "gradient-budget" not in by_rule(audited(written(tmp_path / "run.jsonl", header, *numbered)))


@pytest.mark.parametrize("end", ["\n", ""])
def test_a_key_that_is_said_twice_is_not_half_read(tmp_path: Path, end: str) -> None:
    """Whichever of the two is taken, the other advantages would not be audited; nor is such a last line one cut off."""
    path = written(tmp_path / "run.jsonl", HEADER, GROUP)
    twice = '{"step": 2, "advantages": [9, 9], "rewards": [1, 0], "advantages": [0.5, -0.5]}'
    path.write_text(path.read_text() + twice + end)
    with pytest.raises(Unreadable, match=r"line 3.*each key once \('advantages': a key that is said twice"):
        audited(path)


def test_a_version_that_is_a_truth_is_none(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="version: True: expected 1"):
        audited(written(tmp_path / "run.jsonl", {**HEADER, "version": True}, GROUP))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"tokens": {"new_logps": [["-1"], [-1]]}}, r"tokens\.new_logps: \['-1'\]: expected numbers"),
        ({"tokens": {"new_logps": [[-1], [-1]]}, "pass": False}, "pass: False: expected the number of the pass"),
        ({"kind": "call", **call(0, [[1, 1]] * 2, loss="0.5")}, r"arrays\.loss: '0.5': expected numbers"),
        ({"kind": "call", **call(0, [["1", "1"]] * 2)}, r"arrays\.mask: \[.*: expected numbers"),
    ],
    ids=["a log-probability", "no pass", "a loss", "a mask"],
)
def test_texts_and_truths_in_the_place_of_numbers_cannot_be_read(tmp_path: Path, more: Any, said: str) -> None:
    """A pass that is false was taken for pass 0, whose ratios have to be 1; a text for the number that it spells."""
    with pytest.raises(Unreadable, match=said):
        audited(written(tmp_path / "run.jsonl", HEADER, {**GROUP, **more}))
