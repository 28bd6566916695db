"""Whose answers an outcome rests on is said wherever it is shown: by run, by replay and by the checker."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from grpocheck.verifier import check
from grpocheck.verifier.cli import app
from typer.testing import CliRunner

HOUSE = Path(__file__).resolve().parents[2]
PROBLEM = HOUSE / "examples" / "undefined_gradient.toml"
ORACLE = """\
from fractions import Fraction
from grpocheck.core import Supply
def always_two():
    return Supply(gradient=lambda frozen, theta: (Fraction(2),))
"""
LINE = "supplied    gradient: taken as answered, not computed from the problem\n"


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The trace of a run whose gradient a user's oracle gave."""
    (tmp_path / "oracle_of_two.py").write_text(ORACLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    done = CliRunner().invoke(app, ["run", str(PROBLEM), "--supply", "oracle_of_two:always_two", "--trace", "t.jsonl"])
    assert done.exit_code == 0
    assert LINE in done.stdout
    return tmp_path / "t.jsonl"


def checker(trace: Path) -> str:
    """What the checker that stands alone prints."""
    command = [sys.executable, "-I", "-S", check.__file__, str(trace)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_replay_says_what_was_supplied(trace: Path) -> None:
    assert LINE in CliRunner().invoke(app, ["replay", str(trace)]).stdout
    assert json.loads(CliRunner().invoke(app, ["replay", str(trace), "--json"]).stdout)["supplied"] == ["gradient"]


def test_the_checker_does_not_say_that_it_derived_what_was_supplied(trace: Path) -> None:
    said = checker(trace)
    assert "2 draws, gradient taken as supplied, all else derived again" in said
    assert "every one" not in said


def test_of_a_run_of_its_own_nothing_is_said_to_be_supplied(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    done = CliRunner().invoke(app, ["run", str(PROBLEM), "--trace", str(path)])
    assert "supplied" not in done.stdout
    assert "every one derived again" in checker(path)
    assert json.loads(CliRunner().invoke(app, ["run", str(PROBLEM), "--json"]).stdout)["supplied"] == []
