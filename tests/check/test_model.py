"""The checker and the model extracted from the Coq development, on the same traces: they have to agree."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from grpocheck.core import TraceWriter, read_problem, run
from grpocheck.core.arithmetic.choice import arithmetic_named
from grpocheck.core.trace_errors import TraceError
from grpocheck.proofs.coq_session import BUILDS, SOURCES, Development, missing_tools
from grpocheck.proofs.extraction.model import ask_model
from grpocheck.proofs.extraction.traces import NotComparable, Opinion, Recorded, compared
from grpocheck.verifier.check import check
from grpocheck.verifier.commands import check as commands_check
from grpocheck.verifier.commands.check import PLACE, Found, check_trace, disagreement
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.check.corruption import change
from tests.check.judging import traces

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
needs_coq = pytest.mark.skipif(bool(missing_tools()), reason=f"not installed: {missing_tools()}; make proofs-setup")

# What the model prints of undefined_gradient.toml: theta = 1/2, one applied step of 1/20 * 2 to 3/5, then no gradient.
# Numbers are binary: 1/10 is 1/2, 11/101 is 3/5.
HALF, NEXT = ["1/10"], ["11/101"]
MODEL: dict[str, Any] = {
    "status": "undefined-gradient",
    "theta": NEXT,
    "trace": [
        ["started", 1, HALF],
        ["drew", 1, 0, 1, 0],
        ["drew", 1, 0, 2, 1],
        ["rewarded", 1, 0, 1, "1/1"],
        ["rewarded", 1, 0, 2, "0/1"],
        ["asked_gradient", 1, 1, {}, HALF, ["10/1"]],
        ["asked_membership", 1, 1, NEXT, True],
        ["applied", 1, 1, NEXT],
        ["asked_gradient", 1, 2, {}, NEXT, None],
    ],
}


def traced(tmp_path: Path, name: str, arithmetic: str = "auto") -> Path:
    path = tmp_path / f"{name}.jsonl"
    with TraceWriter(path) as writer:
        run(read_problem(EXAMPLES / f"{name}.toml"), arithmetic=arithmetic_named(arithmetic), observer=writer)
    return path


def found(path: Path) -> Found:
    status, why = check(str(path))
    place = PLACE.match(why)
    return Found(status, int(place[1]) if place else None, why[place.end() :] if place else why)


def test_a_trace_is_the_events_of_the_model_in_its_order(tmp_path: Path) -> None:
    recorded = Recorded(traced(tmp_path, "undefined_gradient"))
    assert compared(recorded, recorded.expected(MODEL)) == Opinion(13)


def test_the_model_is_given_the_recorded_answers(tmp_path: Path) -> None:
    script = Recorded(traced(tmp_path, "undefined_gradient")).script()
    # T M G K d, the support's size, theta; rewards, reference; two draws; eta 1/20, gradient 2, member; eta, undefined.
    assert script.line() == "run 1 1 2 2 1 2 1/10 1/1 0/1 1/10 1/10 0 1 1/10100 g 10/1 1 1/10100 u 0"


@pytest.mark.parametrize(
    ("line", "old", "new"),
    [
        (2, '"t": 1', '"t": 2'),
        (2, '"t": 1', '"t": true'),
        (3, '"i": 1', '"i": 2'),
        (3, '"response": "good"', '"response": "bad"'),
        (5, '"reward": "1"', '"reward": "2"'),
        (7, '"event": "group"', '"event": "stop"'),
        (8, '"k": 1', '"k": 2'),
        (8, '["1/2"]', '["1/3"]'),
        (9, '["3/5"]', '["4/5"]'),
        (9, "true", "false"),
        (10, '["3/5"]', '["4/5"]'),
        (12, '"k": 2', '"k": 1'),
        (13, '"gradient_attempts": 2', '"gradient_attempts": 3'),
        (13, '"bounds": {"draws": 2', '"bounds": {"draws": 3'),
        (13, '"theta": ["3/5"], "arithmetic"', '"theta": ["1/2"], "arithmetic"'),
    ],
)
def test_an_event_that_is_not_the_models_is_found_on_its_line(tmp_path: Path, line: int, old: str, new: str) -> None:
    path = traced(tmp_path, "undefined_gradient")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    path.write_text("".join(lines), encoding="utf-8")
    recorded = Recorded(path)
    assert compared(recorded, recorded.expected(MODEL)).line == line


def test_numbers_that_are_not_rational_are_numbered(tmp_path: Path) -> None:
    recorded = Recorded(traced(tmp_path, "two_paths"))
    assert not recorded.rational
    # theta_0 is the parameter 0, the two proposals are 1 and 2, and each step goes on by one.
    assert [entry for _, entry in recorded.events if entry and entry[0] == "applied"] == [
        ["applied", 1, 1, ["1/1"]],
        ["applied", 1, 2, ["10/1"]],
    ]
    assert [step.gradient for step in recorded.script().steps[0]] == [(1,), (1,)]


def test_rounded_numbers_are_numbered_too(tmp_path: Path) -> None:
    recorded = Recorded(traced(tmp_path, "undefined_gradient", "mp"))
    assert not recorded.rational
    assert [event[0] for _, event in recorded.events] == [entry[0] for entry in recorded.expected(MODEL)]
    # The parameters 0.5 and 0.6 are the numbers 0 and 1.
    answer = json.loads(json.dumps(MODEL).replace(json.dumps(HALF), '["0/1"]').replace(json.dumps(NEXT), '["1/1"]'))
    reworded = [["rewarded", 1, 0, 1, "0/1"], ["rewarded", 1, 0, 2, "1/1"]]
    answer["trace"] = [*answer["trace"][:3], *reworded, *answer["trace"][5:]]
    assert compared(recorded, recorded.expected(answer)) == Opinion(13, numbers=False)


def test_a_run_that_ended_in_an_error_is_not_asked_about(tmp_path: Path) -> None:
    path = traced(tmp_path, "undefined_gradient")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:5]) + '{"event": "error", "error": "X", "message": ""}\n', encoding="utf-8")
    with pytest.raises(NotComparable, match="ended in an error"):
        Recorded(path)


def test_a_disagreement_is_an_error_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = traced(tmp_path, "undefined_gradient")
    monkeypatch.setattr(commands_check, "asked_model", lambda trace: Opinion(3, 4, "another draw"))
    assert check_trace(path, json_wanted=True, with_model=True) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], answer["line"], answer["model"]["line"]) == ("disagreement", None, 4)
    monkeypatch.setattr(commands_check, "asked_model", lambda trace: Opinion(13))
    assert check_trace(path, json_wanted=False, with_model=True) == 0
    assert capsys.readouterr().out.endswith("model: right: it has the same 13 events\n")
    monkeypatch.setattr(commands_check, "asked_model", lambda trace: "not installed: coqc")
    assert check_trace(path, json_wanted=False, with_model=True) == 3
    assert "model: not asked: not installed: coqc" in capsys.readouterr().out


def test_the_problem_of_a_right_trace_is_read_once_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = traced(tmp_path, "undefined_gradient")
    text = path.read_text(encoding="utf-8").replace('[[["good", "bad"]]]', '[[["good", "bad", "bad"]]]')
    path.write_text(text, encoding="utf-8")
    assert check_trace(path, json_wanted=True, with_model=False) == 1
    answer = json.loads(capsys.readouterr().out)
    assert (answer["verdict"], answer["line"]) == ("wrong", 1)
    assert answer["reason"].startswith("problem: draws.recorded[0][0]: ")


def test_the_steps_that_an_outcome_repeats_are_not_the_models(tmp_path: Path) -> None:
    path = traced(tmp_path, "undefined_gradient")
    path.write_text(path.read_text(encoding="utf-8").replace('"steps": [{"t": 1, "k": 1', '"steps": [{"t": 1, "k": 2'))
    recorded = Recorded(path)
    opinion = compared(recorded, recorded.expected(MODEL))
    assert (found(path).line, found(path).reason) == (13, "k: 2: expected 1")
    assert opinion.line is None
    assert disagreement(found(path), opinion, lines=13) == ""
    assert disagreement(Found(1, 8, "k: 2: expected 1"), opinion, lines=13) != ""


def judged(tmp_path: Path, start: int, count: int) -> tuple[Counter[str], list[str]]:
    """The verdicts of both on traces and on a corruption of each, and where they disagree."""
    development = Development(SOURCES, BUILDS)
    development.build(900.0)
    path, random, kept = tmp_path / "trace.jsonl", Random(start), list[tuple[Found, Recorded, str]]()
    counts = Counter[str]()

    @seed(start)
    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck),
              phases=[Phase.generate])  # fmt: skip
    @given(traces(path))
    def each(text: str) -> None:
        done, data = change(list(map(json.loads, text.splitlines())), random)
        for name, content in (("right", text.encode()), (done, data)):
            path.write_bytes(content)
            try:
                kept.append((found(path), Recorded(path), f"{name}\n{content.decode(errors='replace')}"))
            except (NotComparable, TraceError):
                counts["not asked"] += 1

    each()
    wrong = []
    answers = ask_model(development.folder, [recorded.script().line() for _, recorded, _ in kept], 600.0)
    for (verdict, recorded, text), answer in zip(kept, answers, strict=True):
        opinion = compared(recorded, recorded.expected(answer))
        counts[f"checker {verdict.status}, model {int(opinion.line is not None)}"] += 1
        if split := disagreement(verdict, opinion, len(recorded.lines)):
            wrong.append(f"{split}: {verdict}: {opinion}\n{text}")
    return counts, wrong


@needs_coq
@pytest.mark.slow
def test_the_checker_and_the_model_agree_on_many_traces(tmp_path: Path) -> None:
    counts, wrong = judged(tmp_path, start=1, count=400)
    assert wrong == []
    assert counts["checker 0, model 0"] > 400  # the right ones, and the corruptions that say the same
    assert counts["checker 1, model 1"] > 100
    print(counts)
