"""A run that is killed and gone on with leaves the trace of one that was never interrupted."""

import json
import os
from collections.abc import Mapping
from fractions import Fraction as F
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from grpocheck.core import InvalidProblem, TraceError, TraceMismatch
from grpocheck.core.training_free.oracles import Group, Supply
from grpocheck.core.training_free.patterns import Pattern
from grpocheck.core.training_free.procedure import run
from grpocheck.core.training_free.task import Task
from grpocheck.core.training_free.trace import Kind, Record, resumed

from tests.training_free.tasks import three_responses, two_tokens


class Counting:
    """An introspection that never answers the same twice, and counts."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, group: Group) -> list[Pattern]:
        self.calls += 1
        return [Pattern(f"call {self.calls}", F(3, 4), (group.members[0].response.tokens[0],))]


def task() -> Task:
    return three_responses(iterations=4, draws={"seed": 5})


def whole(path: Path) -> str:
    with Record(path) as record:
        run(task(), Supply(introspection=Counting()), record=record)
    return path.read_text(encoding="utf-8")


def test_every_kind_of_event_is_there_and_no_float(tmp_path: Path) -> None:
    lines = [json.loads(line, parse_float=pytest.fail) for line in whole(tmp_path / "t").splitlines()]
    assert {line["event"] for line in lines} == {kind.value for kind in Kind}
    assert lines[0]["schema"] == "grpocheck-training-free-trace/1"
    assert lines[0]["task"]["responses"][1] == {
        "text": "y", "mass": "5/12", "tokens": ["y"], "passes": [], "quality": "1/2",
    }  # fmt: skip
    assert lines[-1]["event"] == "outcome"
    assert lines[-1]["ledger"]["generations"] == 8


def test_killed_in_every_line_and_resumed_the_trace_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "t"
    text = whole(path)
    content = text.encode("utf-8")
    starts = [place + 1 for place, byte in enumerate(content) if byte == ord("\n")]
    cuts = [0, *(start + shift for start, shift in zip(starts, cycle((0, -1, 7)), strict=False) if start != starts[-1])]
    assert len(cuts) > 25
    for cut in cuts:
        path.write_bytes(content[:cut])
        introspection = Counting()
        introspection.calls = text[: content.rfind(b"\n", 0, cut) + 1].count('"event": "patterns"')
        with resumed(path) as record:
            run(task(), Supply(introspection=introspection), seed=5, record=record)
        assert path.read_bytes() == content, cut


def test_a_recorded_answer_is_not_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "t"
    text = whole(path)
    introspection = Counting()
    with resumed(path) as record:
        run(task(), Supply(introspection=introspection), record=record)
    assert introspection.calls == 0
    assert path.read_text(encoding="utf-8") == text


def test_a_run_that_ended_in_an_error_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "t"
    text = whole(path)
    path.unlink()

    class Failing(Counting):
        def __call__(self, group: Group) -> list[Pattern]:
            if self.calls == 1:
                raise ConnectionError("away")
            return super().__call__(group)

    with pytest.raises(Exception, match="away"), Record(path) as record:
        run(task(), Supply(introspection=Failing()), record=record)
    assert '"event": "error"' in path.read_text(encoding="utf-8").splitlines()[-1]
    again = Counting()
    again.calls = 1
    with resumed(path) as record:
        run(task(), Supply(introspection=again), record=record)
    assert path.read_text(encoding="utf-8") == text


def test_what_is_left_out_on_resuming_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "t"
    text = whole(path)
    kept = text.splitlines(keepends=True)[:-1]
    error = json.dumps({"event": "error", "message": "long " * 10_000})
    path.write_text("".join(kept) + error + "\n", encoding="utf-8")
    with resumed(path) as record:
        run(task(), Supply(introspection=Counting()), record=record)
    assert path.read_text(encoding="utf-8") == text


def test_an_interruption_writes_no_error(tmp_path: Path) -> None:
    path = tmp_path / "t"

    def interrupted(group: Group) -> list[Pattern]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Record(path) as record:
        run(task(), Supply(introspection=interrupted), record=record)
    assert json.loads(path.read_text(encoding="utf-8").splitlines()[-1])["event"] == "group"


def test_a_run_that_does_not_start_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "t"
    with pytest.raises(InvalidProblem, match="introspection"), Record(path) as record:
        run(three_responses(introspection=None), record=record)
    assert not path.exists()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"group_size": 3}, "task"),
        ({"kappa": 2}, "task"),
        ({"prompt": "another"}, "task"),
        ({"draws": {"seed": 6}}, "task"),
    ],
)
def test_another_task_does_not_go_on_with_a_trace(change: Mapping[str, Any], field: str, tmp_path: Path) -> None:
    path = tmp_path / "t"
    text = whole(path)
    other = three_responses(**{"iterations": 4, "draws": {"seed": 5}, **change})
    with pytest.raises(TraceMismatch, match=f"line 1: {field}"), resumed(path) as record:
        run(other, Supply(introspection=Counting()), record=record)
    assert path.read_text(encoding="utf-8") == text  # nothing is written to a trace that is not this run's


def test_a_tampered_line_is_found(tmp_path: Path) -> None:
    path = tmp_path / "t"
    text = whole(path)
    path.write_text(text.replace('"novel": true', '"novel": false', 1), encoding="utf-8")
    with pytest.raises(TraceMismatch, match="novel: False: expected True"), resumed(path) as record:
        run(task(), Supply(introspection=Counting()), record=record)


def test_other_settings_are_another_run(tmp_path: Path) -> None:
    path = tmp_path / "t"
    with Record(path) as record:
        run(three_responses(), Supply(settings={"model": "a"}), record=record)
    with pytest.raises(TraceMismatch, match="supplied"), resumed(path) as record:
        run(three_responses(), Supply(settings={"model": "b"}), record=record)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"event": "start"}\n', "schema"),
        (b'{"event": "start", "schema": "grpocheck-trace/1"}\n', "schema"),
        (b"nothing\n", "JSON object"),
        (b"\xff\xfe\n", "UTF-8"),
        (b"[]\n", "an event"),
        (b"one line of notes, without a line break", "line 1: .*expected a trace"),
        (b'{"event": "start", "schema": "grpocheck-trace/1"', "line 1: .*expected a trace"),
        (b'{"event": "start",\r"schema": 1}\r', "line 1: .*expected a trace"),
    ],
)
def test_what_is_no_trace_is_refused_and_left_alone(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(content)
    with pytest.raises(TraceError, match=message):
        resumed(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("further", "message"),
    [
        (b'{"event": "model", "answer": []}\n', "'model': expected nothing after the outcome"),
        (b'{"event": "error"}\n{"event": "model", "answer": []}\n', "nothing after the error"),
        (b'{"event": "error"}\n{"eve', "nothing after the error"),
    ],
)
def test_lines_after_the_end_are_refused_and_left_alone(further: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t"
    content = whole(path).encode("utf-8") + further
    path.write_bytes(content)
    with pytest.raises(TraceError, match=message), resumed(path) as record:
        run(task(), Supply(introspection=Counting()), record=record)
    assert path.read_bytes() == content


@pytest.mark.parametrize("tail", [b'{"event": "mod', b'{"event": "error", "message": "away"}\n'])
def test_a_trace_of_another_run_keeps_its_tail(tail: bytes, tmp_path: Path) -> None:
    path = tmp_path / "t"
    begun = whole(path).encode("utf-8").splitlines(keepends=True)[:5]
    content = b"".join(begun) + tail
    path.write_bytes(content)
    other = three_responses(iterations=4, draws={"seed": 5}, kappa=2)
    with pytest.raises(TraceMismatch, match="line 1: task"), resumed(path) as record:
        run(other, Supply(introspection=Counting()), record=record)
    assert path.read_bytes() == content


def test_a_tail_behind_the_outcome_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "t"
    text = whole(path)
    path.write_text(text + '{"event": "er', encoding="utf-8")
    with resumed(path) as record:
        run(task(), Supply(introspection=Counting()), record=record)
    assert path.read_text(encoding="utf-8") == text


def test_a_carriage_return_inside_a_line_does_not_end_the_trace(tmp_path: Path) -> None:
    path = tmp_path / "t"
    lines = whole(path).encode("utf-8").splitlines(keepends=True)
    content = b"".join([*lines[:3], lines[3].replace(b", ", b",\r", 1), *lines[4:]])
    path.write_bytes(content)
    with pytest.raises(TraceMismatch, match="line 4"), resumed(path) as record:
        run(task(), Supply(introspection=Counting()), record=record)
    assert path.read_bytes() == content


def test_what_is_no_file_is_no_trace(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TraceError, match="no regular file"):
        resumed(tmp_path / "pipe")


def test_a_trace_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="No such file"):
        resumed(tmp_path / "t")


def test_a_token_model_is_recalled_too(tmp_path: Path) -> None:
    path = tmp_path / "t"
    supply = Supply(tests=lambda *arguments: [False], quality=lambda *arguments: F(1, 3))
    with Record(path) as record:
        run(two_tokens(), supply, record=record)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with resumed(path) as record:
        run(two_tokens(), supply, record=record)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("was", "made", "said"),
    [
        ("\n", "\r\n", "the event is the same and written otherwise"),
        ('", "', '",  "', "the event is the same and written otherwise"),
        ('"event": "stop", "t": 1', '"t": 1, "event": "stop"', "the fields of the event stand in another order"),
    ],
)
def test_what_is_written_otherwise_is_refused_for_what_it_is(tmp_path: Path, was: str, made: str, said: str) -> None:
    path = tmp_path / "trace.jsonl"
    text = whole(path)
    assert was in text
    path.write_bytes(text.replace(was, made).encode())
    with pytest.raises(TraceMismatch, match=f"line [0-9]+: {said}"), resumed(path) as record:
        run(task(), Supply(introspection=Counting()), record=record)
    assert path.read_bytes() == text.replace(was, made).encode()
