"""W6: traces of training-free runs, cut and changed anywhere; oracles that break their clauses."""

import json
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

from grpocheck.core import TraceError, TraceMismatch
from grpocheck.core.training_free.oracles import Supply
from grpocheck.core.training_free.patterns import Pattern
from grpocheck.core.training_free.procedure import guarded, run
from grpocheck.core.training_free.reading import task_from_mapping
from grpocheck.core.training_free.responses import Response
from grpocheck.core.training_free.stopping import Stop
from grpocheck.core.training_free.trace import Record, resumed
from grpocheck.core.violations import SupplyViolation
from grpocheck.proofs.groundwork.expectations import Expectations, groundwork
from grpocheck.proofs.groundwork.training_free import ANSWERS, LISTED, SPOKEN

F = Fraction


@groundwork(
    "W6", scope="one trace cut after every line and resumed; every line changed; each clause of the oracles broken"
)
def training_free_traces_resume(expect: Expectations) -> None:
    """A resumed trace is the one that an uninterrupted run writes, and no oracle is asked again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        task = task_from_mapping(SPOKEN)
        with Record(path) as record:
            outcome = run(task, ANSWERS, record=record)
        raw = path.read_bytes().splitlines(keepends=True)
        lines = [json.loads(line) for line in raw]
        expect.same("it begins", (lines[0]["event"], lines[0]["schema"], lines[0]["supplied"]),
                    ("start", "grpocheck-training-free-trace/1", {"which": "by hand"}))  # fmt: skip
        expect.same(
            "it ends",
            {k: v for k, v in lines[-1].items() if k != "event"},
            json.loads(json.dumps(outcome.to_mapping())),
        )
        for number_ in range(1, len(raw) + 1):
            path.write_bytes(b"".join(raw[:number_]) + b'{"event": "cut')
            asked: list[str] = []
            supply = noting(asked)
            with resumed(path) as record:
                again = run(task, supply, record=record)
            expect.same(f"resumed after {number_}", path.read_bytes(), b"".join(raw))
            expect.same(f"its outcome after {number_}", again.to_mapping(), outcome.to_mapping())
            left = [line["event"] for line in lines[number_:] if line["event"] in ("tests", "quality")]
            expect.same(f"asked after {number_}", asked, left)
            line = lines[number_ - 1]
            key = [name for name in line if name not in ("event", "schema")][-1]
            other = json.dumps({**line, key: "another"}, ensure_ascii=False).encode() + b"\n"
            if number_ > 1:
                path.write_bytes(b"".join([*raw[: number_ - 1], other]))
                expect.refused(
                    f"line {number_} changed", (TraceMismatch, TraceError, SupplyViolation), lambda: resume(task, path)
                )
                path.write_bytes(b"".join([*raw[: number_ - 1], *raw[number_:]]))
                if number_ < len(raw):
                    expect.refused(
                        f"without line {number_}", TraceMismatch, lambda: resume(task, path), f"line {number_}: "
                    )
        path.write_bytes(raw[0].replace(b"trace/1", b"trace/2"))
        expect.refused("another schema", TraceError, lambda: resumed(path), "line 1: schema: ")
        expect.refused("no file", TraceError, lambda: resumed(path.with_name("none")), "expected a trace to resume")
        path.write_bytes(b"[]\n")
        expect.refused("no event", TraceError, lambda: resumed(path), "line 1: ")
        check_clauses(expect, path)


def noting(asked: list[str]) -> Supply:
    """The answers by hand, each call noted."""

    def run_tests(prompt: str, response: Response, tests: tuple[str, ...]) -> list[bool]:
        asked.append("tests")
        return [response.text == "a-d"]

    def quality(prompt: str, response: Response) -> Fraction:
        asked.append("quality")
        return F(len(response.tokens), 4)

    return Supply(tests=run_tests, quality=quality, settings=ANSWERS.settings)


def resume(task: Any, path: Path) -> None:
    """Go on with a trace."""
    with resumed(path) as record:
        run(task, ANSWERS, record=record)


def check_clauses(expect: Expectations, path: Path) -> None:
    """One supply for each clause that can be broken; the error is the last line of the trace."""
    listed = {key: value for key, value in LISTED.items() if key not in ("responses", "draws")}
    half, a, b = F(1, 2), Response(("a",), "a"), Response(("b",), "b")

    def pattern(confidence: Any = 1, tokens: Any = ("a",), description: Any = "d") -> Any:
        return lambda group: [Pattern(description, confidence, tokens)]

    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"distribution": lambda p: 3}, "answered 3 of type int, not a list",
            "base model: answers a list of distinct responses"),
        ({"distribution": lambda p: [a]}, "in place of a pair with its mass", "distinct responses"),
        ({"distribution": lambda p: [(a, half), (b, F(1, 3))]}, "with sum 5/6", "distinct responses"),
        ({"distribution": lambda p: [(a, 1), (b, 0)]}, "answered masses [1, 0] with sum 1", "distinct responses"),
        ({"distribution": lambda p: [(a, half), (a, half)]}, "answered a response twice", "distinct responses"),
        ({"distribution": lambda p: [("a", 1)]}, "answered 'a' in place of a response", "distinct responses"),
        ({"distribution": lambda p: [(a, 0.5), (b, 0.5)]}, "0.5", "distinct responses"),
        ({"distribution": lambda p: [(Response(("\ud800",), "x"), 1)]}, "a response with tokens", "distinct responses"),
        ({"distribution": lambda p: [(Response(("x",), "\ud800"), 1)]}, "a response with the text",
            "distinct responses"),
        ({"tests": lambda p, r, t: [True]}, "answered [True] for 2 tests", "test runner: answers True or False"),
        ({"tests": lambda p, r, t: [True, 1]}, "answered [True, 1] for 2 tests", "test runner"),
        ({"tests": lambda p, r, t: None}, "answered None of type NoneType, not a list", "test runner"),
        ({"tests": lambda p, r, t: 1 / 0}, "raised ZeroDivisionError", "terminates with an answer"),
        ({"quality": lambda p, r: 2}, "answered 2", "quality: answers an exact number between 0 and 1"),
        ({"quality": lambda p, r: F(-1, 2)}, "answered -1/2", "quality"),
        ({"quality": lambda p, r: 0.5}, "answered the float 0.5", "quality"),
        ({"quality": lambda p, r: "x"}, "'x'", "quality"),
        ({"introspection": lambda group: 3}, "answered 3 of type int, not a list",
            "introspection: answers a list of patterns"),
        ({"introspection": lambda group: ["a"]}, "pattern 1 of the introspection of iteration 1: answered 'a'",
            "answers a list of patterns"),
        ({"introspection": pattern(2)}, "answered 2", "a confidence is an exact number between 0 and 1"),
        ({"introspection": pattern(F(-1))}, "answered -1", "a confidence is an exact number"),
        ({"introspection": pattern(1, ("c",))}, "affects ['c']", "distinct tokens of the vocabulary"),
        ({"introspection": pattern(1, ("a", "a"))}, "affects ['a', 'a']", "distinct tokens of the vocabulary"),
        ({"introspection": pattern(1, ("a",), 3)}, "in place of a pattern", "answers a list of patterns"),
    ]  # fmt: skip
    many = [(Response((str(n),), str(n)), F(1, 20_001)) for n in range(20_001)]
    cases.append(({"distribution": lambda p: many}, "answered more than 20000 responses", "no more responses"))
    fewer = Supply(**{**vars(ANSWERS), "distribution": lambda p: [(r, F(1, 20_000)) for r, _ in many[1:]]})
    bare = task_from_mapping(listed)
    expect.same("20000 responses", len(guarded(bare, fewer, Record()).base_model().law()), 20_000)
    good: dict[str, Any] = {
        "distribution": lambda p: [(a, half), (b, half)], "tests": lambda p, r, t: [r.text == "a", False],
        "quality": lambda p, r: 0, "introspection": lambda group: [],
    }  # fmt: skip
    task = task_from_mapping({**listed, "iterations": 2, "bank": [], "group_size": 8, "draws": {"seed": 3}})
    expect.same("a good supply", run(task, Supply(**good)).stop, Stop.BUDGET)
    for changes, found, clause in cases:
        with_changes = Supply(**{**good, **changes})
        error = expect.refused(found, SupplyViolation, lambda: traced(task, path, with_changes), found, clause)
        last = json.loads(path.read_bytes().splitlines()[-1])
        expect.same(f"{found}: the last line", (last["event"], last["message"]), ("error", str(error)))
    rows = task_from_mapping({**SPOKEN, "tokens": {"horizon": 2}})
    for answer, found in (
        ([("a", 1), ("a", 0)], "masses"), ([("", 1)], "in place of a further token"),
        ([("a", half), ("a", half)], "in place of a further token"),
        ([(3, 1)], "3 in place of a further token"), ([("a", half)], "with sum 1/2"),
    ):  # fmt: skip
        wrong: Any = answer
        supply = Supply(next_tokens=lambda p, prefix: wrong, tests=ANSWERS.tests,
            quality=ANSWERS.quality)
        expect.refused(
            f"{answer}", SupplyViolation, lambda: run(rows, supply), "next tokens of the base model after []", found
        )
    fine = Supply(
        next_tokens=lambda p, prefix: [("a", half), ("b", half)], tests=ANSWERS.tests, quality=ANSWERS.quality
    )
    expect.same("a supplied row", run(rows, fine, seed=5).ledger.model_calls, 3)


def traced(task: Any, path: Path, supply: Supply) -> None:
    """Run with a trace, in place of one that was there."""
    path.unlink(missing_ok=True)
    with Record(path) as record:
        run(task, supply, record=record)
