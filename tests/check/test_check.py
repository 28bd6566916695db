import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from grpocheck.core import TraceWriter, read_problem, run
from grpocheck.verifier import check
from grpocheck.verifier.check import Number, number

from tests.check import judging
from tests.check.corruption import put, text_of
from tests.check.trust import batch

HOUSE = Path(__file__).resolve().parents[2]
CHECKER = HOUSE / "verifier" / "check.py"
EXAMPLES = sorted(path for path in (HOUSE / "examples").glob("*.toml") if path.stem != "supplied_family")


def traced(tmp_path: Path, example: Path) -> Path:
    path = tmp_path / f"{example.stem}.jsonl"
    with TraceWriter(path) as writer:
        run(read_problem(example), seed=None if read_problem(example).recorded else 7, observer=writer)
    return path


def checked(path: Path, text: str | None = None) -> tuple[int, str]:
    if text is not None:
        path.write_text(text, encoding="utf-8")
    return check.check(str(path))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_checker_alone_finds_the_traces_of_the_examples_right(tmp_path: Path, example: Path) -> None:
    path = traced(tmp_path, example)
    command = [sys.executable, "-I", "-S", str(CHECKER), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{path}: right: ")


def test_the_checker_is_one_short_file_on_the_standard_library() -> None:
    source = CHECKER.read_text(encoding="utf-8")
    assert len(source.splitlines()) < 400
    imported = {
        name.partition(".")[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [entry.name for entry in node.names])
    }
    assert imported <= sys.stdlib_module_names


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("1/2 + 3/10*sqrt(2)", "1/2 + 1/10*sqrt(18)"),  # sqrt 18 = 3 sqrt 2
        ("sqrt(12)", "2*sqrt(3)"),
        ("-sqrt(50) + 3", "3 - 5*sqrt(2)"),
        ("sqrt(9)", "3"),
    ],
)
def test_one_number_has_many_texts(left: str, right: str) -> None:
    assert (number(left) - number(right)).sign() == 0


def test_quotients_of_roots_are_exact() -> None:
    # 1 / (1 + sqrt 2) = sqrt 2 - 1, and (sqrt 2 + sqrt 3)^2 = 5 + 2 sqrt 6
    assert (number("1") / number("1 + sqrt(2)") - number("sqrt(2) - 1")).sign() == 0
    both = number("sqrt(2) + sqrt(3)")
    assert (both * both - number("5 + 2*sqrt(6)")).sign() == 0
    assert (number("sqrt(2) + sqrt(3)") - number("sqrt(10)")).sign() == -1  # 3.1463 and 3.1623
    assert (number("3363/2378") - number("sqrt(2)")).sign() == 1  # a convergent: 3363^2 = 2 * 2378^2 + 1


def test_an_exponential_divided_by_itself_is_1_and_not_about_1() -> None:
    power = number("1/3").of("exp")
    assert (power / power - number("1")).top == {}
    with pytest.raises(check.Verdict, match="whether a number within"):
        (power * power - number("2/3").of("exp")).sign()  # equal, but not seen to be


def test_a_derivative_is_that_of_the_function() -> None:
    # f = x^2 exp(x) / (1 + x) at x = 1/2: f' / f = 2/x + 1 - 1/(1 + x) = 4 + 1 - 2/3
    x = number("1/2") * number("1")
    x.slope = {0: number("1")}
    f: Number = x * x * x.of("exp") / (number("1") + x)
    gap = f.slope[0] / f.flat() - number("13/3")
    assert max(map(abs, gap.bounds)) < 1e-70


def corrupted(path: Path, line: int, **fields: Any) -> str:
    events = list(map(json.loads, path.read_text(encoding="utf-8").splitlines()))
    events[line - 1] |= fields
    return text_of(events)


@pytest.mark.parametrize(
    ("line", "fields", "reason"),
    [
        (3, {"response": "ugly"}, "line 3: response: ugly: expected 'good'"),
        (5, {"reward": "2"}, "line 5: reward: 2: expected 1"),
        (7, {"advantages": ["1", "1"]}, "line 7: advantages: 1: expected -1"),
        (8, {"answer": ["2.0"]}, "line 8: answer: 2.0: expected an exact number"),
        (8, {"answer": ["3"]}, "line 8: answer: 3: expected 2"),
        (9, {"answer": False}, "line 9: answer: False: expected True"),
        (10, {"objective": "1/6"}, "line 10: objective: 1/6: expected 0.2"),
        (11, {"answer": ["0"]}, "line 11: answer: ['0']: expected 'undefined-gradient'"),
        (12, {"status": "invalid-update"}, "line 12: status: invalid-update: expected 'undefined-gradient'"),
        (13, {"theta": ["1/2"]}, "line 13: theta: 1/2: expected 0.6"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, line: int, fields: Any, reason: str) -> None:
    path = traced(tmp_path, HOUSE / "examples" / "undefined_gradient.toml")
    status, why = checked(path, corrupted(path, line, **fields))
    assert status == 1
    assert why.startswith(reason)


def test_a_cut_trace_is_no_whole_trace(tmp_path: Path) -> None:
    path = traced(tmp_path, HOUSE / "examples" / "two_paths.toml")
    text = path.read_text(encoding="utf-8")
    assert checked(path, text[: len(text) // 2])[0] == 2
    assert checked(path, "")[0] == 2
    assert checked(path, "[" * 100_000 + "\n")[0] == 2
    assert checked(tmp_path / "nothing.jsonl")[0] == 2


START = b'{"event": "start", "schema": "grpocheck-trace/1"'
NO_TRACES: dict[str, bytes] = {
    "a problem": (HOUSE / "examples" / "two_paths.toml").read_bytes(),
    "JSON of another kind": b'{"claims": [1, 2.5], "ok": true}\n',
    "JSON over several lines": b'{\n "event": "start"\n}\n',
    "a training log": b'{"loss": 0.5, "step": 1}\n{"loss": NaN, "step": 2}\n',
    "nothing": b"",
    "blank lines": b"\n\n",
    "bytes": bytes(range(256)) * 4,
    "UTF-16": (START.decode() + "}\n").encode("utf-16"),
    "one array": b"[" + START + b"}]\n",
    "another version": START.replace(b"/1", b"/2") + b', "problem": {}}\n',
    "no version": b'{"event": "start", "problem": {}}\n',
    "a trace without its first line": b'{"event": "outer-iteration", "t": 1, "theta_old": ["1/2"]}\n',
    "a start that is cut": START + b', "problem": {"group_si',
    "a number": b"1\n",
    "a text": b'"start"\n',
    "an exponent out of reach": START[:-1] + b'", "t": 1e99999999999999999999}\n',
    "an integer of many digits": START + b', "t": ' + b"7" * 10_000 + b"}\n",
    "lists in lists": b"[" * 100_000 + b"]" * 100_000 + b"\n",
    "more values than an event has": b"[" + b"[]," * 3_000_000 + b"[]]\n",
}
PYTHON = re.compile(r"Error|Exception|Traceback|NoneType|object has no|unhashable|codec|byte 0x|Decimal\(|<class")


@pytest.mark.parametrize("name", NO_TRACES)
def test_what_is_no_trace_is_bad_input(tmp_path: Path, name: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(NO_TRACES[name])
    status, why = check.check(str(path))
    shown = str(NO_TRACES[name][:20].splitlines()[:1] or [b""])[3:-2].rstrip("'\"")
    assert status == 2
    assert why.startswith("line 1: ")
    assert shown[:8] in why
    assert why.endswith("expected a whole line of JSON, the event start of a grpocheck-trace/1")
    assert not PYTHON.search(why)


def test_the_checker_alone_names_the_file_that_is_no_trace(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none", HOUSE / "examples" / "two_paths.toml"):
        command = [sys.executable, "-I", "-S", str(CHECKER), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (2, "")
        assert done.stdout.startswith(f"{path}: no whole trace: ")
        assert "expected" in done.stdout
        assert not PYTHON.search(done.stdout)


def test_a_line_that_is_no_event_ends_a_trace(tmp_path: Path) -> None:
    path = traced(tmp_path, HOUSE / "examples" / "undefined_gradient.toml")
    lines = path.read_bytes().splitlines(keepends=True)
    for other in (b"{}\n", b"[]\n", b'{"event": 1}\n', b"# draw\n", b'{"event": "draw"\n'):
        path.write_bytes(b"".join([*lines[:2], other, *lines[3:]]))
        status, why = check.check(str(path))
        shown = other.decode().rstrip()
        assert (status, why) == (2, f"line 3: '{shown}': expected a whole line of JSON, the event draw")


ODD = (None, True, 1, -1, "", "x", "1/2", [], [[]], ["1/2"], {}, {"kind": []}, [{}], {"": None})
"""Values of every kind of JSON, to stand where another one belongs."""


@pytest.mark.slow
def test_a_field_of_another_kind_has_a_reason_in_the_words_of_a_trace(tmp_path: Path) -> None:
    """Every value of every kind in every place of the traces of two problems: status 0 to 2 is decided, in words."""
    said: set[str] = set()
    for example in ("undefined_gradient", "autoregressive"):
        path = traced(tmp_path, HOUSE / "examples" / f"{example}.toml")
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        for n, line in enumerate(lines):
            if example == "autoregressive" and n > 1:
                break  # the header is what the two have not in common
            for place in places(json.loads(line)):
                for odd in ODD if n == 0 else ODD[::3]:
                    event = json.loads(line)
                    put(event, place, odd)
                    path.write_text("".join([*lines[:n], json.dumps(event) + "\n", *lines[n + 1 :]]))
                    status, why = check.check(str(path))
                    assert status in (0, 1, 2), (place, odd, why)
                    assert status == 0 or why.startswith(f"line {n + 1}: ") or n == 0, (place, odd, why)
                    assert not PYTHON.search(why), (place, odd, why)
                    said.add(why)
    assert len(said) > 100


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of everything in a JSON value, lists and tables too, of a list the first two entries."""
    if path:
        yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from places(entry, (*path, key))


def replaced(path: Path, line: int, old: str, new: str) -> bytes:
    """The bytes of a trace with a piece of one line replaced."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    assert old in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(old, new, 1)
    return "".join(lines).encode()


TWISTS = [
    (3, '"i": 1', '"i": 2, "i": 1', "line 3: ['event', 't', 'prompt', 'i', 'i', 'response']: expected each key once"),
    (1, '"epsilon": "1/5"', '"epsilon": "1/2", "epsilon": "1/5"', "line 1: ['group_size'"),
    (7, '"mean": "1/2"', '"mean": NaN', "line 7: mean: NaN: expected an exact number"),
    (7, '"mean": "1/2"', '"mean": 0.5', "line 7: mean: 0.5: expected an exact number"),
    (7, '"mean": "1/2"', '"mean": "+1/2"', "line 7: mean: +1/2: expected"),
    (7, '"mean": "1/2"', '"mean": " 1/2"', "line 7: mean:  1/2: expected"),
    (7, '"mean": "1/2"', '"mean": "01/2"', "line 7: mean: 01/2: expected"),
    (7, '"mean": "1/2"', '"mean": "2/4"', "line 7: mean: 2/4: expected an exact number in lowest terms"),
    (7, '"mean": "1/2"', '"mean": "\u0661/\u0662"', "line 7: mean: \u0661/\u0662: expected"),
    (7, '["1", "-1"]', '["1/1", "-1"]', "line 7: advantages: 1/1: expected"),
    (5, '"reward": "1"', '"reward": 1', "line 5: reward: 1: expected an exact number in lowest terms, as a text"),
    (6, '"reward": "0"', '"reward": "-0"', "line 6: reward: -0: expected"),
    (3, '"i": 1', '"i": true', "line 3: i: True: expected 1"),
    (3, '"i": 1', '"i": 1.0', "line 3: i: 1.0: expected"),
    (3, '"i": 1', '"i": 1e0', "line 3: i: 1: expected"),
    (9, '"answer": true', '"answer": 1', "line 9: answer: 1: expected True"),
    (13, '"steps_applied": 1', '"steps_applied": true', "line 13: steps_applied: True: expected 1"),
    (13, '"comparisons": 40', '"comparisons": true', "line 13: comparisons: True: expected a count"),
    (13, '"exponentials": 0', '"exponentials": -1', "line 13: exponentials: -1: expected a count"),
    (1, '"group_size": 2', '"group_size": 2, "remark": 1', "line 1: problem: "),
    (1, '"name": "q"', '"name": "q", "remark": 1', "line 1: prompts: "),
    (1, '"kind": "open-box"', '"kind": "open-box", "remark": 1', "line 1: domain: "),
    (1, '"name": "auto"', '"name": "auto", "x": 1', "line 1: arithmetic: "),
    (1, '"max_digits": 10000', '"max_digits": "q"', "line 1: max_digits: q: expected a count"),
    (1, '"supplied": []', '"supplied": ["foo"]', "line 1: supplied: ['foo']"),
    (1, '"supplied": []', '"supplied": ["domain", "domain"]', "line 1: supplied: "),
    (1, '"outer_iterations": 1', '"outer_iterations": true', "line 1: outer_iterations: True: expected a count"),
    (1, '"group_size": 2', '"group_size": 1', "line 1: "),
    (1, '"name": "q"', '"name": "\\ud800"', "line 1: "),
    (1, '"reference": ["1/2", "1/2"]', '"reference": ["1/2", "1/3"]', "line 1: reference: "),
    (1, '"reference": ["1/2", "1/2"]', '"reference": ["-1/2", "3/2"]', "line 1: reference: "),
    (1, '"reference": ["1/2", "1/2"]', '"reference": ["1/2", "1/2", "1"]', "line 1: prompts: "),
    (1, '"rewards": ["1", "0"]', '"rewards": ["1", "0", "0"]', "line 1: prompts: "),
    (1, '"responses": ["good", "bad"]', '"responses": ["good", "good"]', "line 1: prompts: "),
    (1, '"beta": "0"', '"beta": "-1"', "line 1: "),
    (1, '"epsilon": "1/5"', '"epsilon": "2/10"', "line 1: epsilon: 2/10: expected"),
    (1, '"epsilon": "1/5"', '"epsilon": "1"', "line 1: "),
    (1, '"step_size": "1/20"', '"step_sizes": [["1/20", "1/20"], ["1", "1"]]', "line 1: step_sizes"),
    (1, '"family": "bernoulli"', '"family": "junk"', "line 1: "),
]
"""What JSON and Python would let pass, each at a line of the trace of undefined_gradient.toml."""


@pytest.mark.parametrize(("line", "old", "new", "reason"), TWISTS)
def test_what_a_reader_would_let_pass_is_refused_at_its_line(
    tmp_path: Path, line: int, old: str, new: str, reason: str
) -> None:
    path = traced(tmp_path, HOUSE / "examples" / "undefined_gradient.toml")
    path.write_bytes(replaced(path, line, old, new))
    status, why = check.check(str(path))
    assert status == 1
    assert why.startswith(reason)


def test_bytes_around_a_trace(tmp_path: Path) -> None:
    path = traced(tmp_path, HOUSE / "examples" / "undefined_gradient.toml")
    whole = path.read_bytes()
    for changed, status in [
        (b"\xef\xbb\xbf" + whole, 2),
        (whole[:-1], 2),
        (whole + whole, 1),
        (whole + b"\n", 1),
        (whole.replace(b"\n", b"\n\n", 1), 2),
        (whole.replace(b'"q"', b'"\xff"'), 2),
        (whole.replace(b"\n", b"\r\n"), 0),  # white space between values means nothing in JSON
    ]:
        path.write_bytes(changed)
        found, why = check.check(str(path))
        assert (found, bool(why)) == (status, True)


def test_the_arithmetic_changes_where_a_number_asks_for_it(tmp_path: Path) -> None:
    path = traced(tmp_path, HOUSE / "examples" / "two_paths.toml")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    (place,) = (n for n, line in enumerate(lines) if '"event": "arithmetic"' in line)
    for other in (1, 3, place - 1, place + 1):
        moved = [*lines[:place], *lines[place + 1 :]]
        moved.insert(other, lines[place])
        assert checked(path, "".join(moved))[0] == 1


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/zero"), tmp_path / "none"):
        assert checked(path)[0] == 2


def test_random_traces_are_right_and_their_corruptions_are_not() -> None:
    tally = batch(start=1, count=10, changes=4)
    assert tally.faults == []
    assert (tally.traces, sum(tally.corruptions.values())) == (10, 40)
    assert sum(tally.rejected.values()) + sum(tally.same.values()) == 40


TRACES = int(os.environ.get("GRPOCHECK_TRACES", "50"))
"""For each of four seeds; tests.check.trust asks for ten thousand traces and as many corruptions."""


@pytest.mark.slow
@pytest.mark.parametrize("start", range(2, 6))
def test_many_traces_are_right_and_their_corruptions_are_not(start: int) -> None:
    tally = batch(start, TRACES, 1)
    assert tally.faults == []
    assert tally.undecided == 0
    assert sum(tally.rejected.values()) + sum(tally.same.values()) == TRACES


def test_judging_sees_a_checker_that_lets_everything_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "check", lambda path: (0, "all is well"))
    assert len(batch(start=1, count=5, changes=4).faults) > 10


def test_judging_sees_a_checker_that_rejects_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "check", lambda path: (1, "line 1: no"))
    assert len(batch(start=1, count=5, changes=0).faults) == 5


def test_what_no_precision_decides_is_read_once(tmp_path: Path) -> None:
    # a run that ended in an error: at 1280 digits each logarithm before the end would take a quarter of a second
    path = traced(tmp_path, HOUSE / "examples" / "two_paths.toml")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    status, why = checked(path, "".join(lines[:-1]) + '{"event": "error", "message": "no answer"}\n')
    assert (status, "ended in an error" in why) == (3, True)
    assert check.DOWN.prec == check.PRECISIONS[0]
