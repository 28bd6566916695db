"""Input that cannot be read: exit status 2 and one line that names file, key, value and what was expected."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from grpocheck.verifier.cli import app
from typer.testing import CliRunner

from tests.audit.planting import copied, edit_arrays, edit_json, edit_log, tables_of


def refused(path: Path, *options: str) -> str:
    done = CliRunner().invoke(app, ["audit", str(path), *options])
    assert done.exit_code == 2, (done.exit_code, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert len(done.stderr) < 2000
    return done.stderr


@pytest.fixture
def run(recorded: Path, tmp_path: Path) -> Path:
    return copied(recorded / "a01_grpo_mu1", tmp_path)


def test_nothing_there(tmp_path: Path) -> None:
    assert "expected a file that can be read" in refused(tmp_path / "nothing")


def test_an_empty_folder(tmp_path: Path) -> None:
    assert "expected TRL's completions (*.parquet)" in refused(tmp_path)


def test_no_path_at_all() -> None:
    done = CliRunner().invoke(app, ["audit"])
    assert done.exit_code == 2
    assert "PATH: none is given" in done.stderr


@pytest.mark.parametrize("size", [0, 4, 100, -20])
def test_a_parquet_file_cut_short(run: Path, size: int) -> None:
    table = tables_of(run)[0]
    table.write_bytes(table.read_bytes()[:size])
    assert f"{table}: content" in refused(run)


@pytest.mark.parametrize(
    "name", ["x.parquet", "calls/call_000.npz", "gens/gen_000.npz", "trainer_state.json", "x.jsonl"]
)
def test_binary_junk(tmp_path: Path, name: str) -> None:
    path = tmp_path / "run" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(bytes(np.random.default_rng(7).integers(0, 256, 5000, dtype=np.uint8)))
    assert str(path) in refused(tmp_path / "run")


@pytest.mark.parametrize("columns", [{"step": [1]}, {"prompt": ["a"], "completion": ["b"]}, {"x": [1.0]}])
def test_a_table_of_other_columns(tmp_path: Path, columns: dict[str, list[object]]) -> None:
    path = tmp_path / "completions_00001.parquet"
    pq.write_table(pa.table(columns), path)
    assert "expected TRL's columns step, prompt and completion" in refused(path)


@pytest.mark.parametrize(
    ("column", "values"),
    [("advantage", ["high", "low"]), ("step", [1.5, 2.5]), ("step", [None, 1])]
    + [("step", ["1", text]) for text in ("", "-1", "1.0", " 1", "1_0", "\u0661", "1\n", "9" * 5000, None)],
)
def test_a_column_of_another_kind(tmp_path: Path, column: str, values: list[object]) -> None:
    path = tmp_path / "completions_00001.parquet"
    whole = {"step": [1, 1], "prompt": ["a", "a"], "completion": ["b", "c"], "r": [0.0, 1.0], "advantage": [1.0, -1.0]}
    pq.write_table(pa.table({**whole, column: values}), path)
    assert f"column {column}" in refused(path)


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ("{", "content"),
        ("[]", "log_history"),
        ('{"log_history": 3}', "log_history"),
        ('{"log_history": [3]}', "log_history[0]"),
        ('{"log_history": [{"step": -1}]}', "step"),
        ('{"log_history": [{"step": 1, "loss": 1' + "0" * 400 + "}]}", "loss"),
        ("[" * 100_000, "content"),
    ],
)
def test_a_state_that_is_none(tmp_path: Path, content: str, key: str) -> None:
    (tmp_path / "trainer_state.json").write_text(content)
    assert key in refused(tmp_path)


PLANTED_ARRAYS: dict[str, tuple[Callable[[dict[str, object]], object], str]] = {
    "no mask": (lambda arrays: arrays.pop("mask"), "mask"),
    "a mask of twos": (lambda arrays: arrays.update(mask=arrays["mask"] * 2), "zeros and ones"),
    "another shape": (lambda arrays: arrays.update(old_logps=arrays["old_logps"][:, :-1]), "old_logps"),
    "one dimension": (lambda arrays: arrays.update(new_logps=arrays["new_logps"][0]), "two dimensions"),
    "no rows": (lambda arrays: arrays.update(new_logps=arrays["new_logps"][:0]), "two dimensions"),
    "texts": (lambda arrays: arrays.update(advantages=np.array(["a"] * 8)), "an array of numbers"),
    "objects": (lambda arrays: arrays.update(advantages=np.array([{}] * 8, dtype=object)), "content"),
    "rows that are no numbers": (lambda arrays: arrays.update(row=arrays["row"] * np.nan), "whole numbers"),
    "rows between rows": (lambda arrays: arrays.update(row=arrays["row"] + 0.5), "whole numbers"),
    "rows beyond the batch": (lambda arrays: arrays.update(row=arrays["row"] + 100), "row"),
}


@pytest.mark.parametrize("name", PLANTED_ARRAYS)
def test_tensors_that_do_not_go_together(run: Path, name: str) -> None:
    edit, said = PLANTED_ARRAYS[name]
    edit_arrays(run / "calls" / "call_000.npz", edit)
    assert said in refused(run)


@pytest.mark.parametrize("name", ["old_per_token_logps", "completion_ids"])
@pytest.mark.parametrize("cut", [slice(0, 0), slice(0, 3)])
def test_a_generation_batch_that_lacks_rows(recorded: Path, tmp_path: Path, name: str, cut: slice) -> None:
    own = copied(recorded / "a02_grpo_mu3_kl", tmp_path)
    edit_arrays(own / "gens" / "gen_000.npz", lambda arrays: arrays.update({name: arrays[name][cut]}))
    assert f"gen_000.npz: {name}" in refused(own)


def test_responses_of_a_call_that_lack_rows(run: Path) -> None:
    edit_arrays(
        run / "calls" / "call_000.npz", lambda arrays: arrays.update(completion_ids=arrays["completion_ids"][:0])
    )
    assert "completion_ids" in refused(run)


def test_a_call_without_its_json(run: Path) -> None:
    (run / "calls" / "call_000.json").unlink()
    assert "call_000.json" in refused(run)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("sapo_temperature_pos", 10**400),
        ("epsilon_high", 10**400),
        ("vespo", [1, 2, 3, "4"]),
        ("loss_type", "grop"),
        ("epsilon", "wide"),
        ("scale_rewards", "sometimes"),
        ("reward_weights", [1, "b"]),
        ("beta", {}),
    ],
)
def test_a_setting_that_cannot_be(run: Path, key: str, value: object) -> None:
    edit_json(run / "calls" / "call_000.json", lambda meta: meta["config"].update({key: value}))
    assert key in refused(run)


@pytest.mark.parametrize("key", ["rank", "session", "slice_of_generation_batch", "reuse_of_slice"])
@pytest.mark.parametrize("value", ["first", -1, None, [0]])
def test_a_number_of_a_call_that_cannot_be(run: Path, key: str, value: object) -> None:
    edit_json(run / "calls" / "call_000.json", lambda meta: meta.update({key: value}))
    assert key in refused(run)


@pytest.mark.parametrize("key", ["world_size", "current_gradient_accumulation_steps", "steps_per_generation"])
@pytest.mark.parametrize("value", ["two", 0, None])
def test_a_count_around_a_call_that_cannot_be(run: Path, key: str, value: object) -> None:
    edit_json(run / "calls" / "call_000.json", lambda meta: meta.update({key: value}))
    assert key.removeprefix("current_") in refused(run)


def test_a_logged_metric_that_no_float_holds(run: Path) -> None:
    edit_json(run / "calls" / "call_000.json", lambda meta: meta["trl_metrics_of_this_call"].update(entropy=[10**400]))
    assert "entropy" in refused(run)


def test_infinite_settings_and_lengths_are_no_counts(run: Path) -> None:
    edit_json(run / "run.json", lambda found: found["args_effective"].update(max_completion_length=float("inf")))
    edit_log(run, lambda state: state["log_history"][0].update({"completions/max_length": float("inf")}))
    done = CliRunner().invoke(app, ["audit", str(run), "--json"])
    assert [one["rule"] for one in json.loads(done.stdout)["findings"] if one["severity"] == "error"] == [
        "log-not-finite"
    ]


def test_a_damaged_member_of_an_npz_file(run: Path) -> None:
    path = run / "calls" / "call_003.npz"
    data = bytearray(path.read_bytes())
    data[200:260] = b"\xff" * 60
    path.write_bytes(data)
    assert str(path) in refused(run)


def test_nan_tokens_are_read_and_found(run: Path) -> None:
    """Python writes NaN and Infinity into JSON: they are let in, and are findings."""
    edit_log(run, lambda state: state["log_history"][1].update(loss=float("nan")))
    done = CliRunner().invoke(app, ["audit", str(run), "--json"])
    assert done.exit_code == 1
    assert [one["rule"] for one in json.loads(done.stdout)["findings"] if one["severity"] == "error"] == [
        "log-not-finite"
    ]


LINES = {
    "no JSON": ("{", "line 1"),
    "a list": ("[1]", "line 1"),
    "another format": ('{"a": 1}', "grpocheck-groups"),
    "groups without a header": ('{"step": 1, "rewards": [1, 0]}', "docs/audit.md"),
    "a later version": ('{"format": "grpocheck-groups", "version": 2}', "version"),
    "a dtype that is a list": ('{"format": "grpocheck-groups", "version": 1, "dtype": []}', "dtype"),
    "an unknown dtype": ('{"format": "grpocheck-groups", "version": 1, "dtype": "float8"}', "dtype"),
}
HEADER = '{"format": "grpocheck-groups", "version": 1}\n'
GROUPS = {
    "no rewards": ("{}", "rewards"),
    "a reward that is a text": ('{"rewards": ["1"]}', "rewards"),
    "rewards of different lengths": ('{"rewards": {"a": [1], "b": [1, 2]}}', "rewards"),
    "an advantage too few": ('{"rewards": [1, 0], "advantages": [1]}', "advantages"),
    "a huge integer": ('{"rewards": [1' + "0" * 400 + "]}", "a number that a float holds"),
    "an unknown kind": ('{"kind": "groop"}', "kind"),
    "tokens of other lengths": (
        '{"rewards": [1, 0], "advantages": [1, -1], "tokens": {"new_logps": [[-1], [-2]], "old_logps": [[-1], []]}}',
        "tokens.old_logps",
    ),
    "a call of no tensors": ('{"kind": "call", "arrays": [], "meta": {}}', "arrays"),
    "a row that is none": (
        '{"kind": "call", "meta": {"config": {}}, "arrays": {"new_logps": [[-1]], "old_logps": [[-1]], "mask": [[1]], '
        '"advantages": [1], "row": [null]}}',
        "whole numbers",
    ),
    "a ragged tensor": ('{"kind": "call", "arrays": {"new_logps": [[1], [1, 2]]}, "meta": {}}', "arrays.new_logps"),
}


@pytest.mark.parametrize("name", LINES)
def test_lines_that_are_not_ours(tmp_path: Path, name: str) -> None:
    content, said = LINES[name]
    (tmp_path / "x.jsonl").write_text(content + "\n")
    assert said in refused(tmp_path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_lines_in_utf16(tmp_path: Path, encoding: str) -> None:
    """What a shell of Windows writes with >: said as what it is, without its bytes."""
    (tmp_path / "x.jsonl").write_bytes((HEADER + '{"rewards": [1, 0]}\n').encode(encoding))
    message = refused(tmp_path / "x.jsonl")
    assert "line 1: 'text in UTF-16': expected a JSON object in UTF-8" in message
    assert "x00" not in message


@pytest.mark.parametrize("name", GROUPS)
def test_groups_that_are_none(tmp_path: Path, name: str) -> None:
    content, said = GROUPS[name]
    (tmp_path / "x.jsonl").write_text(HEADER + content + "\n")
    message = refused(tmp_path)
    assert "line 2" in message
    assert said in message


def test_settings_that_are_none(run: Path, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text("[]")
    assert "s.json" in refused(run, "--settings", str(tmp_path / "s.json"))


def test_a_report_that_cannot_be_written(run: Path, tmp_path: Path) -> None:
    assert "--html" in refused(run, "--html", str(tmp_path / "no" / "page.html"))
