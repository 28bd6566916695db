"""No command prints commands to a terminal that stand in the name of a file, in a key of a log or in a response."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from grpocheck.verifier import check
from grpocheck.verifier.cli import app
from grpocheck.verifier.commands.new import STARTERS, TAIL
from grpocheck.verifier.printing import without_commands
from grpocheck.verifier.tables import drawn, table
from rich.text import Text
from typer.testing import CliRunner

COMMAND = CliRunner()
NAME = "a\x1b[31m\x9b1m\n\u202eb"
SHOWN = r"a\x1b[31m\x9b1m\n\u202eb"
PROBLEM, TRACE = f"{NAME}.toml", f"{NAME}.jsonl"


@pytest.fixture(autouse=True)
def with_a_problem_and_its_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(PROBLEM).write_text(STARTERS["bernoulli"] + TAIL, encoding="utf-8")
    assert COMMAND.invoke(app, ["run", PROBLEM, "--trace", TRACE]).exit_code == 0


def wrong_groups(path: str) -> None:
    group = {"prompt": "q\x1b", "responses": ["\x9b", "s"], "rewards": [1, 0], "advantages": [1, 1]}
    lines = ({"format": "grpocheck-groups", "version": 1}, *({**group, "step": step} for step in range(3)))
    Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["run", PROBLEM, "--trace", TRACE], 0),
        (["replay", TRACE], 0),
        (["check", TRACE], 0),
        (["law", PROBLEM], 0),
        (["estimator", "section-1", PROBLEM, "--group-size", "2"], 0),
        (["new", "softmax", "--out", f"{NAME}.new"], 0),
        (["prove", "N1", "--out", f"{NAME}.found"], 1),
        (["audit", TRACE], 2),
        (["audit", f"{NAME}.groups.jsonl"], 1),
        (["run", f"{NAME}.wrong"], 2),
        (["replay", f"{NAME}.changed"], 1),
        (["diff", TRACE, f"{NAME}.changed"], 1),
    ],
)
def test_a_path_is_printed_on_one_line_and_without_commands(arguments: list[str], status: int) -> None:
    wrong_groups(f"{NAME}.groups.jsonl")
    Path(f"{NAME}.wrong").write_text("epsilon = 1", encoding="utf-8")
    trace = Path(TRACE).read_text(encoding="utf-8")
    Path(f"{NAME}.changed").write_text(trace.replace('"draw"', '"dr\\u001baw"', 1), encoding="utf-8")
    done = COMMAND.invoke(app, arguments)
    said = done.stdout + done.stderr
    assert done.exit_code == status, said
    assert SHOWN in said
    assert not any(one in said for one in "\x1b\x9b\u202e")


def test_what_a_log_holds_is_printed_without_commands() -> None:
    rewards = {"\x9b1m\x1b\n": [1, 1], "other": [1, 0]}
    group = {"responses": ["r", "s"], "rewards": rewards, "advantages": [1, -1]}
    every = ({**group, "step": step, "prompt": f"q{step}"} for step in range(9))
    lines = ({"format": "grpocheck-groups", "version": 1}, *every)
    Path("log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    said = COMMAND.invoke(app, ["audit", "log.jsonl"])
    assert r"\x9b1m\x1b\n" in said.stdout
    assert "\x9b" not in said.stdout


def test_json_says_the_same_when_its_control_characters_are_escaped() -> None:
    value = {"a\x7f": "\x9b1m\u202e\n\x1bé"}
    told = without_commands(json.dumps(value, ensure_ascii=False, indent=1))
    assert (json.loads(told), "é" in told) == (value, True)
    assert not any(one in told for one in "\x7f\x9b\u202e\x1b")


def test_the_checker_that_stands_alone_prints_its_file_without_commands() -> None:
    done = subprocess.run([sys.executable, "-I", "-S", check.__file__, TRACE], capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stdout.startswith(f"{SHOWN}.jsonl: right: ")) == (0, True)


def test_colours_are_kept_where_what_they_colour_has_no_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = drawn([Text("a\x1b[2Jb", style="bold"), Text("c")])
    assert text == "\x1b[1ma\\u001b[2Jb\x1b[0m\nc"


def test_brackets_and_colons_in_a_table_are_text() -> None:
    """And no colours or pictures: reward[i] would lose its index, :fire: be drawn."""
    rows = table("property")
    rows.add_row("reward[i] = reward[j] [/x] :fire:")
    assert "reward[i] = reward[j] [/x] :fire:" in drawn([rows, "a[b] :fire:"])
    assert "a[b] :fire:" in drawn(["a[b] :fire:"])
