"""Messages read one by one: each names the key, shows the value, and says what was expected or what to do."""

from pathlib import Path

import pytest
from grpocheck.core.trace_errors import difference
from grpocheck.proofs.coq_session import CoqFailure, Development
from grpocheck.verifier.cli import app
from grpocheck.verifier.commands import check
from grpocheck.verifier.commands.new import STARTERS, TAIL
from typer.testing import CliRunner

HOUSE = Path(__file__).resolve().parents[2]
COMMAND = CliRunner()
GROUPS = str(HOUSE / "examples" / "disputes" / "C01-group.toml")
TASK = str(HOUSE / "examples" / "training_free" / "fizzbuzz.toml")


@pytest.fixture(autouse=True)
def with_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(STARTERS["bernoulli"] + TAIL)
    (tmp_path / "log.toml").write_text("x = 1")
    (tmp_path / "no_epsilon.toml").write_text(STARTERS["bernoulli"].replace("epsilon = 0.2", "") + TAIL)


def said(*arguments: str) -> str:
    done = COMMAND.invoke(app, list(arguments))
    assert done.exit_code == 2, done.output
    return " ".join(done.output.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lesson", "NOPE"], "lesson: 'NOPE': expected one of supplied-oracles, budget, zero-variance,"),
        (["lesson", "4"], "lesson: '4': expected a name: clip-by-sign is the lesson of that number"),
        (["run", "no_epsilon.toml"], "epsilon: expected a value: the key is missing"),
        (["run", "mine.toml", "--seed", "abc"], "--seed: 'abc'"),
        (["run", "mine.toml", "--seed", "-1"], "--seed: '-1': expected greater than or equal to 0"),
        (["run", "mine.toml", "mine:supply"], "expected --supply before it: "),
        (["run", "--problem", "mine.toml"], "No such option: --problem; expected "),
        (["run"], "run --help says what there is"),
        (["new", "--family"], "expected FAMILY without a name before it: "),
        (["conform", "my/losses.py:right"], "a module is named without .py; expected my.losses:right"),
        (["run", "mine.toml", "--isolate", "--call-limit", "5"], "--isolate: no supply is named; expected a --supply"),
        (["conform", "trl", "--call-limit", "5"], "--call-limit: 'trl': the target is a trainer's losses; expected "),
        (["lesson", "clip_by_sign"], "expected clip-by-sign (did you mean that?)"),
        (["lesson", "clip-by-sign", "--answer", "x"], "--answer: 'x': expected an exact finite number"),
        (["lesson", "--answer", "1"], "--answer: '1': no lesson is named; expected a NAME"),
        (["law", GROUPS], "groups: [a table with 'responses']: expected a problem: this is a file of groups, which "
         "grpocheck estimator takes"),
        (["run", TASK], "iterations: 40: expected a problem: this is a task, which grpocheck training-free takes"),
        (["training-free", "mine.toml"], "family: 'bernoulli': expected a task: this is a problem, which grpocheck "
         "run takes"),
        (["estimator", "dapo", "mine.toml", "--with", "advantage=mean", "--with", "advantage=leave-one-out"],
         "advantage: 'leave-one-out': expected each part once: it is exchanged already"),
        (["estimator", "dapo", "mine.toml", "--with", "mean"], "part: 'mean': expected part=word, such as"),
        (["estimator", "dapo", "mine.toml", "--at", "0.5,0.5"], "at: [1/2, 1/2]: expected as many numbers"),
        (["estimator", "dapo"], "PROBLEM: none is given; expected a problem file"),
        (["prove", "F >", "mine.toml"], "property, column 4: expected a number, a name, ( or -, found the end"),
        (["prove", "F > 1", "mine.toml", "--scope", "all"], "--scope: 'all': there is no such scope; expected"),
        (["new", "nope"], "FAMILY: 'nope': no such family; expected one of bernoulli"),
        (["new", "--out", "mine.toml"], "--out: 'mine.toml': it is there already; expected a file"),
        (["audit"], "PATH: none is given; expected at least one file or folder (or --rules)"),
        (["audit", "log.toml"], "log.toml: format: '.toml': expected TRL's completions"),
        (["conform", "nope"], "TARGET: 'nope': it names no attribute of a module; expected module:function"),
        (["explain", "nothing-like-it"], "WORD: 'nothing-like-it': it is not in the glossary; expected one of A1"),
        (["studio", "nope.toml"], "'nope.toml': No such file or directory; expected a file that can be read"),
    ],
)  # fmt: skip
def test_a_message_says_what_where_and_what_to_do(arguments: list[str], message: str) -> None:
    shown = said(*arguments)
    assert message in shown
    assert shown.startswith("grpocheck: ")
    assert "None" not in shown


def test_asking_the_model_is_said_where_it_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def built(development: Development, seconds: float) -> None:
        raise CoqFailure("not here")

    monkeypatch.setattr(Development, "build", built)
    assert COMMAND.invoke(app, ["run", "mine.toml", "--trace", "run.jsonl"]).exit_code == 0
    for missing, told in (((), True), (("coqc",), False)):
        monkeypatch.setattr(check, "missing_tools", lambda missing=missing: missing)
        done = COMMAND.invoke(app, ["check", "run.jsonl", "--model"])
        assert done.exit_code == 3
        assert ("asking the model" in done.stderr) is told
    assert "asking the model" not in said("check", "log.toml", "--model")  # it is no trace


def test_nothing_at_all_is_answered_by_the_help() -> None:
    shown = said()
    assert "Three to try first" in shown
    assert "grpocheck:" not in shown


def test_a_difference_inside_a_table_is_named_as_deep_as_it_lies() -> None:
    mine = '{"event": "start", "problem": {"prompts": [{"rewards": ["1", "0"]}]}}'
    theirs = mine.replace('["1", "0"]', '["1", "2"]')
    assert difference(mine, theirs) == "problem.prompts[0].rewards[1]: '2': expected '0' in a start event"
    assert difference(mine, mine.replace('"0"', "0")).startswith("problem.prompts[0].rewards[1]: 0: expected '0'")
    longer = mine.replace('["1", "0"]', '["1"]')
    assert difference(mine, longer).startswith("problem.prompts[0].rewards: ['1']: expected ['1', '0']")
