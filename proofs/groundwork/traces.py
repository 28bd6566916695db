"""W3: what a run tells, a trace holds and a replay compares; a change of any line is noticed."""

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from grpocheck.core import (
    Event,
    Outcome,
    Problem,
    Supply,
    TraceError,
    TraceMismatch,
    TraceWriter,
    problem_from_mapping,
    read_problem,
    read_trace,
    replay,
    run,
)
from grpocheck.core.arithmetic.choice import arithmetic_named
from grpocheck.core.procedure import draw_source
from grpocheck.core.trace import LONGEST_LINE, parsed_line
from grpocheck.core.trace_errors import difference
from grpocheck.proofs.groundwork.expectations import Expectations, groundwork
from grpocheck.proofs.groundwork.refusals import GOOD, changed
from grpocheck.proofs.shipped import examples

EXAMPLES = ("complete_three_iterations", "invalid_update", "undefined_gradient", "autoregressive", "zero_variance")


def traced(problem: Problem, path: Path, supply: Supply | None = None, **settings: Any) -> Outcome:
    """Run a problem with a trace at a path."""
    with TraceWriter(path) as writer:
        return run(problem, supply, observer=writer, **settings)


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a trace, read here."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_lines(path: Path, lines: Sequence[dict[str, Any]]) -> Path:
    """A trace of these lines."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@groundwork(
    "W3", scope="the example problems in every arithmetic: events, trace, outcome, replay", files=("examples/*.toml",)
)
def runs_replay_from_their_traces(expect: Expectations) -> None:
    """The lines of a trace are the events of the run; the replay gives the outcome that the trace ends in."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        for name in EXAMPLES:
            problem = read_problem(examples() / f"{name}.toml")
            for arithmetic in ("auto", "enclosure", "mp"):
                told: list[Event] = []
                given = (
                    None
                    if arithmetic == "auto"
                    else arithmetic_named(arithmetic, digits=25, max_digits=500, max_bits=900)
                )
                outcome = traced(problem, path, arithmetic=given, seed=3)
                run(problem, arithmetic=given, seed=3, observer=told.append)
                lines, what = lines_of(path), f"{name}, {arithmetic}"
                expect.same(
                    f"{what}: one line for each event", [line["event"] for line in lines], [str(e.kind) for e in told]
                )
                expect.same(f"{what}: the first line", (lines[0]["schema"], lines[0]["draws"]),
                            ("grpocheck-trace/1",
                                {"source": "seed", "seed": 3, "generator": "sha256-counter/1"}))  # fmt: skip
                expect.same(f"{what}: its problem", problem_from_mapping(lines[0]["problem"]), problem)
                expect.same(
                    f"{what}: the last line", {k: v for k, v in lines[-1].items() if k != "event"}, outcome.to_mapping()
                )
                expect.same(f"{what}: numbered", [(n, f) for n, f in read_trace(path)], list(enumerate(lines, start=1)))
                expect.same(f"{what}: replayed", replay(path).to_mapping(), outcome.to_mapping())
                check_events(expect, what, told, lines, outcome)
                left = [entry.name for entry in Path(folder).iterdir()]
                expect.same(f"{what}: nothing is left beside the trace", left, ["run.jsonl"])
        recorded = problem_from_mapping(GOOD)
        expect.same("a record", traced(recorded, path).to_mapping()["draws"], {"source": "recorded"})
        expect.same("a record replays", replay(path).draw_source, {"source": "recorded"})
        seeded = problem_from_mapping(changed(GOOD, "draws", {"seed": 9}))
        expect.same("the problem's seed", run(seeded).draw_source["seed"], 9)
        expect.same("the given seed goes first", run(seeded, seed=4).draw_source["seed"], 4)
        expect.same("also before a record", run(recorded, seed=4).draw_source["seed"], 4)
        fresh = problem_from_mapping({key: value for key, value in GOOD.items() if key != "draws"})
        seeds: list[Any] = [draw_source(fresh, Supply(), None)["seed"] for _ in range(64)]
        # seeds of 31 bits are below 2^31; so are all 64 of 32 bits with probability 2^-64
        expect.true("fresh seeds have 32 bits", 2**31 <= max(seeds) < 2**32 and min(seeds) >= 0)


def check_events(
    expect: Expectations, what: str, told: list[Event], lines: list[dict[str, Any]], outcome: Outcome
) -> None:
    """The numbers of each event are written as texts of the arithmetic; counts and places are those of the run."""
    text = outcome.arithmetic.text
    kinds = Counter(str(event.kind) for event in told)
    ledger = outcome.ledger
    expect.same(f"{what}: counts",
        (kinds["draw"], kinds["reward"], kinds["gradient"], kinds["membership"], kinds["apply"]),
                (ledger.draws, ledger.reward_evaluations, ledger.gradient_attempts, ledger.membership_calls,
                    ledger.steps_applied))  # fmt: skip
    place = [0, 0]
    for event, line in zip(told, lines, strict=True):
        values = event.values
        if event.kind == "outer-iteration":
            place = [place[0] + 1, 0]
        if event.kind == "gradient":
            place[1] += 1
        for name in ("t", "k", "prompt", "i", "response", "status", "answer", "reason"):
            if name in values and not isinstance(values[name], tuple):
                expect.same(f"{what}: {event.kind} {name}", line[name], getattr(values[name], "value", values[name]))
        if "t" in values:
            expect.same(f"{what}: t", values["t"], place[0])
        if "k" in values:
            expect.same(f"{what}: k", values["k"], place[1])
        for name in ("theta", "theta_old", "proposal", "advantages", "old_masses", "answer"):
            if isinstance(values.get(name), tuple) and event.kind != "start":
                expect.same(f"{what}: {event.kind} {name}", line[name],
                    [text(entry) for entry in values[name]])  # type: ignore[attr-defined]
        for name in ("reward", "mean", "deviation", "objective"):
            if name in values and outcome.arithmetic.name != "auto":
                expect.same(f"{what}: {event.kind} {name}", line[name], text(values[name]))


def altered(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + "1"
    if isinstance(value, list):
        return [*value[:-1], altered(value[-1])] if value else ["x"]
    if isinstance(value, dict):
        key = next(iter(value))
        return {**value, key: altered(value[key])}
    return "x"


@groundwork(
    "W3",
    scope="one trace: every field of every line altered, every line left out, doubled and cut",
    files=("examples/*.toml",),
)
def changed_traces_are_noticed(expect: Expectations) -> None:
    """The line that was changed is named; a file that is no whole trace is refused."""
    problem = read_problem(examples() / "undefined_gradient.toml")
    noticed = (TraceMismatch, TraceError)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        traced(problem, path, seed=1)
        lines, raw = lines_of(path), path.read_bytes().splitlines(keepends=True)
        for number, line in enumerate(lines, start=1):
            for name, value in line.items():
                if number == 1 and name in ("event", "problem", "draws", "arithmetic"):
                    continue
                write_lines(path, [*lines[: number - 1], {**line, name: altered(value)}, *lines[number:]])
                error = expect.refused(f"line {number}, {name}", noticed, lambda: replay(path))
                if isinstance(error, TraceMismatch):
                    expect.same(f"line {number}, {name}: the line", error.line, number)
            write_lines(path, [*lines[: number - 1], {**line, "more": 1}, *lines[number:]])
            expect.refused(f"line {number}, a field more", noticed, lambda: replay(path))
            write_lines(path, [*lines[: number - 1], *lines[number:]])
            expect.refused(f"without line {number}", noticed, lambda: replay(path))
            write_lines(path, [*lines[:number], line, *lines[number:]])
            expect.refused(f"line {number} twice", noticed, lambda: replay(path))
            path.write_bytes(b"".join(raw[:number])[:-1])
            expect.refused(
                f"line {number} cut", TraceError, lambda: list(read_trace(path)), f"line {number}: the line is cut"
            )
            if number < len(lines):
                path.write_bytes(b"".join(raw[:number]))
                expect.refused(f"after line {number}", TraceError, lambda: list(read_trace(path)),
                               f"line {number}: the trace is cut after {line['event']}: expected")  # fmt: skip
        check_refused_lines(expect, path, lines)
        written = next(n for n, line in enumerate(lines) if "prompt" in line)
        write_lines(path, [*lines[:written], {**lines[written], "prompt": "é"}, *lines[written + 1 :]])
        error = expect.refused("another prompt", TraceMismatch, lambda: replay(path), "prompt: 'é': expected ")
        expect.true("what was found is kept as it is", '"é"' in getattr(error, "found", ""))
        first = lines[0]
        for name, value in (("problem", {}), ("problem", None), ("draws", {}), ("draws", None), ("supplied", None),
            ("supplied", ["policy"]),
                            ("arithmetic", {"name": "x"}), ("draws", {"source": "seed", "seed": "1"})):  # fmt: skip
            write_lines(path, [{**first, name: value}, *lines[1:]])
            words = "the supply again" if value == ["policy"] else "expected"
            expect.refused(f"{name} = {value}", TraceError, lambda: replay(path), "line 1: ", words)
        write_lines(path, [{**first, "draws": {"source": "seed", "seed": 2}}, *lines[1:]])
        expect.refused("another seed", noticed, lambda: replay(path))
    check_difference(expect)


def check_refused_lines(expect: Expectations, path: Path, lines: list[dict[str, Any]]) -> None:
    """Lines that are no events, and files that are no traces."""
    for raw, words in (
        (b"[]\n", "[]: expected a JSON object with an event"),
        (b"{}\n", "a table with no keys: expected a JSON object with an event"),
        (b'{"event": 3}\n', "expected a JSON object with an event"),
        (b'{"event": ""}\n', "expected a JSON object with an event"),
        (b"\xff\n", "expected one JSON object in UTF-8"), (b'{"event"\n', "expected one JSON object in UTF-8"),
        (b"[" * 100_000 + b"\n", "JSON nested too deep"), (b'{"event": "x"}', "the line is cut"),
        (b" " * (LONGEST_LINE + 1), f"a line of more than {LONGEST_LINE} bytes"),
    ):  # fmt: skip
        expect.refused(
            f"{raw[:20]!r}",
            TraceError,
            lambda: parsed_line("place", raw),
            f"place: {words}" if words[0] != "e" else words,
        )
    expect.same(
        "a float is no text, and so no number of a trace",
        parsed_line("p", b'{"event": "x", "a": 0.5, "b": "1/2", "c": 2}\n'),
        {"event": "x", "a": 0.5, "b": "1/2", "c": 2},
    )
    longest = b'{"event": "' + b"x" * (LONGEST_LINE - 14) + b'"}\n'
    expect.same(
        "the longest line", (len(longest), len(parsed_line("p", longest)["event"])), (LONGEST_LINE, LONGEST_LINE - 14)
    )
    expect.refused(
        "no file", TraceError, lambda: list(read_trace(path.parent / "none")), "No such file", "a readable trace file"
    )
    path.write_bytes(b"")
    expect.refused(
        "an empty file", TraceError, lambda: list(read_trace(path)), "the file is empty: expected a trace"
    )
    path.write_bytes(b"# a problem\ngroup_size = 2\n")
    expect.refused(
        "a problem", TraceError, lambda: list(read_trace(path)), "line 1: '# a problem': expected a trace; this"
    )
    write_lines(path, [{**lines[0], "schema": "grpocheck-trace/2"}, *lines[1:]])
    expect.refused(
        "another schema",
        TraceError,
        lambda: list(read_trace(path)),
        "line 1: schema: 'grpocheck-trace/2': expected 'grpocheck-trace/1'",
    )
    write_lines(path, [{**lines[0], "schema": "grpocheck-trace/1"}, {"event": "x", "schema": "y"}, lines[-1]])
    expect.same("a schema further down", len(list(read_trace(path))), 3)


def check_difference(expect: Expectations) -> None:
    """Where two lines differ."""
    for ours, theirs, words in (
        ({"event": "draw", "i": 1}, {"event": "draw", "i": 2}, "i: 2: expected 1 in a draw event"),
        ({"event": "a", "b": {"c": [1, 2]}}, {"event": "a", "b": {"c": [1, 3]}}, "b.c[1]: 3: expected 2 in an a event"),
        ({"event": "draw", "i": 1}, {"event": "draw"}, "i: None: expected 1 in a draw event"),
        ({"event": "draw"}, {"event": "draw", "x": 1}, "x: 1: expected None in a draw event"),
        ({"event": "draw", "i": 1}, {"event": "apply", "i": 2}, "event: 'apply': expected 'draw' in a draw event"),
    ):
        expect.same(words, difference(json.dumps(ours), json.dumps(theirs)), words)
    text = difference('{"event": "a", "b": 1}', '{"b": 1, "event": "a"}')
    expect.true("another order", text.startswith("the fields of the event stand in another order: expected the order"))
    expect.same("a mismatch names its line", str(TraceMismatch(7, '{"event": "a"}', '{"event": "b"}'))[:8], "line 7: ")
