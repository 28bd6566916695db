"""docs/properties.md lists every name there is, its examples print what they show, and the example files do as said."""

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from grpocheck.core.reading import read_problem
from grpocheck.verifier.properties import Verdict, check, checking, parser, tokens
from grpocheck.verifier.properties.quantities import QUANTITIES

HOUSE = Path(__file__).resolve().parents[2]
TEXT = (HOUSE / "docs" / "properties.md").read_text(encoding="utf-8")
REPL = [sys.executable, "-c", "from grpocheck.verifier.cli import main; main()", "repl"]


def test_the_names_are_those_of_the_language() -> None:
    rows = [
        f"| {entry.name} | {'; '.join(filter(None, [entry.level, ', '.join(entry.sorts)]))} | "
        f"{entry.meaning.replace('|', chr(92) + '|')} |"
        for entry in QUANTITIES.values()
    ]
    shown = TEXT.partition("see tests/properties/test_documentation.py -->\n")[2].partition("<!-- end of names")[0]
    assert shown.splitlines()[2:] == rows


def test_the_limits_are_those_of_the_language() -> None:
    (limits,) = re.findall(r"Limits: (.*?)\.\n", TEXT, re.DOTALL)
    assert [int(number) for number in re.findall(r"\d+", limits)] == [
        tokens.MOST_CHARACTERS, parser.MOST_DEPTH, parser.MOST_EXPONENT, tokens.MOST_DIGITS, checking.MOST_NUMBERS,
    ]  # fmt: skip


def test_the_python_prints_what_its_comment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"^    from grpocheck.core.*?(?=^\S)", TEXT, re.MULTILINE | re.DOTALL)
    lines = [line.removeprefix("    ") for line in code.splitlines()]
    monkeypatch.chdir(HOUSE)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n".join(lines), "properties.md", "exec"), {})
    assert printed.getvalue().splitlines() == [line[2:] for line in lines if line.startswith("# ")]


def test_the_session_prints_what_is_shown() -> None:
    (shown,) = re.findall(r"^    \$ printf '(.*?)' \| grpocheck repl (\S+)\n((?:    .*\n)+)", TEXT, re.MULTILINE)
    typed, problem, output = shown
    done = subprocess.run(
        [*REPL, problem], input=typed.replace("\\n", "\n"), cwd=HOUSE, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [line.removeprefix("    ") for line in output.splitlines()]


def test_the_example_of_no_value_does_as_its_header_says() -> None:
    problem = read_problem(HOUSE / "examples" / "properties" / "divides_by_zero.toml")
    result = check("1 / deviation > 0", problem)
    assert (result.verdict, result.undefined) == (Verdict.REFUTED, True)
    assert check("deviation > 0 implies 1 / deviation > 0", problem).verdict is Verdict.HOLDS


def test_the_example_session_runs_without_a_refused_line() -> None:
    typed = (HOUSE / "examples" / "properties" / "session.txt").read_text()
    done = subprocess.run(REPL, input=typed, cwd=HOUSE, capture_output=True, text=True, check=True)
    assert "refuted (by evaluation): status = complete" in done.stdout
    assert done.stdout.index("holds (by evaluation): status = complete") > done.stdout.index("epsilon = 0.3")
