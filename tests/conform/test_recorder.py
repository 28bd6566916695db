"""The recorder's lines: flushed one by one, gone on with after a crash, read back bit for bit, valid by the schema."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from grpocheck.verifier.audit.model import Lines, Part
from grpocheck.verifier.audit.readers.groups import read_calls, read_groups
from grpocheck.verifier.recorder import CannotRecord, NotATrainer, Recorder, record

from tests.vectors.schemas import faults

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "recording.schema.json").read_text(encoding="utf-8"))


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def call_arrays():
    draw = np.random.default_rng(0)
    new = draw.normal(-1, 1, (2, 3)).astype(np.float32)
    return {
        "new_logps": new, "old_logps": new + np.float32(1e-3), "mask": np.ones((2, 3), dtype=np.int64),
        "advantages": np.array([0.1, -0.3], dtype=np.float32), "loss": np.float32(0.1),
    }  # fmt: skip


def written(path):
    recorder = Recorder(path, {"loss_type": "grpo", "num_generations": 2}, ["count"])
    recorder.group({"count": [1.0, None]}, [1.0, -1.0], batch=0, step=0, prompt="say a", responses=["a", "b"])
    recorder.call(call_arrays(), {"mode": "train", "config": {"loss_type": "grpo"}})
    recorder.log({"loss": float("nan")}, 1)
    return recorder


def test_every_line_is_there_before_the_file_is_closed(tmp_path):
    path = tmp_path / "run.jsonl"
    began = time.perf_counter()
    recorder = written(path)
    found = lines(path)
    assert [line.get("kind", "header") for line in found] == ["header", "group", "call", "log"]
    assert found[0]["format"] == "grpocheck-groups"
    assert found[0]["version"] == 1
    recorder.group({"count": [0.0, 0.0]})
    assert len(lines(path)) == 5
    assert recorder.lines == 5
    assert 0 < recorder.seconds < time.perf_counter() - began
    recorder.close()


def test_float32_is_read_back_bit_for_bit(tmp_path):
    path = tmp_path / "run.jsonl"
    written(path).close()
    (call,) = read_calls(Part(path), Lines())
    for name, array in call_arrays().items():
        assert np.array_equal(np.asarray(call.arrays[name], dtype=array.dtype), array)


def test_the_audit_reads_the_groups(tmp_path):
    path = tmp_path / "run.jsonl"
    written(path).close()
    table = next(each for each in read_groups(Part(path)) if hasattr(each, "rewards"))
    assert table.names == ("count",)
    assert table.rewards[0, 0] == 1
    assert np.isnan(table.rewards[1, 0])
    assert list(table.advantages) == [1, -1]
    assert list(table.responses) == ["a", "b"]


def test_a_killed_process_costs_the_last_line_at_most(tmp_path):
    path = tmp_path / "run.jsonl"
    script = (
        "import os, signal\n"
        "from grpocheck.verifier.recorder import Recorder\n"
        f"recorder = Recorder({str(path)!r})\n"
        "for step in range(3):\n"
        "    recorder.group([1.0, 0.0], [1.0, -1.0], step=step)\n"
        "os.write(recorder._file.descriptor, b'{\"kind\": \"group\", \"rewa')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, timeout=60)
    assert done.returncode == -9
    assert sum(hasattr(each, "rewards") for each in read_groups(Part(path))) == 3
    with pytest.warns(RuntimeWarning, match="cut off"):
        recorder = Recorder(path)
    recorder.group([0.0, 1.0], step=3)
    recorder.close()
    found = lines(path)  # every line is whole again
    assert [line.get("step") for line in found if line.get("kind") == "group"] == [0, 1, 2, 3]
    assert sum("format" in line for line in found) == 2


def test_a_file_that_is_no_recording_is_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("mine\n", encoding="utf-8")
    with pytest.raises(CannotRecord, match="no recording"):
        Recorder(path)
    assert path.read_text(encoding="utf-8") == "mine\n"
    path.write_text("[" * 200_000, encoding="utf-8")
    with pytest.raises(CannotRecord, match="no recording"):
        Recorder(path)
    with pytest.raises(CannotRecord, match="expected a file that can be written"):
        Recorder(tmp_path / "nowhere" / "run.jsonl")
    with pytest.raises(CannotRecord, match="float32"):
        Recorder(tmp_path / "run.jsonl", dtype="float8")


def test_a_full_disk_ends_the_recording_and_not_the_training(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full here")
    recorder = Recorder(tmp_path / "run.jsonl")
    os.close(recorder._file.descriptor)
    recorder._file.descriptor = os.open("/dev/full", os.O_RDWR)
    with pytest.warns(RuntimeWarning, match="the recording ends here"):
        recorder.group([1.0, 0.0])
    recorder.group([1.0, 0.0])  # no second warning, no error


def test_a_text_that_utf_8_cannot_hold_costs_neither_the_line_nor_the_training(tmp_path):
    """Half of a surrogate pair, as JSON files of prompts have it."""
    path, texts = tmp_path / "run.jsonl", ["\ud83d", "a \\ud83d \u00e9 \U0001f600"]
    recorder = Recorder(path)
    recorder.group([1.0, 0.0], responses=texts)
    recorder.close()
    assert lines(path)[1]["responses"] == texts
    assert "\u00e9 \U0001f600" in path.read_text(encoding="utf-8")


def test_what_is_no_trainer_is_named():
    with pytest.raises(NotATrainer, match="_calculate_rewards"):
        record(SimpleNamespace(), "run.jsonl")


def test_lines_are_as_the_schema_says(tmp_path):
    path = tmp_path / "run.jsonl"
    written(path).close()
    header, group, call, log = lines(path)
    for line in (header, group, call, log):
        assert faults(line, SCHEMA, SCHEMA) == []
    for wrong in (
        {"kind": "group", "advantages": [1.0]},
        {**group, "rewards": "1"},
        {**call, "arrays": {}},
        {**log, "kind": "note"},
        {**header, "version": 2},
    ):
        assert faults(wrong, SCHEMA, SCHEMA) != [], wrong
