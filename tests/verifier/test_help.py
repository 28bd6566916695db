"""The help teaches: panels in a newcomer's order, an example that is a command, and what each exit status means."""

import re
import shlex
from pathlib import Path

import pytest
from grpocheck.verifier.cli import FIRST, VERBS, app
from typer.testing import CliRunner

HOUSE = Path(__file__).resolve().parents[2]
COMMAND = CliRunner()
WIDE = {"COLUMNS": "300", "TERM": "dumb"}


def helped(*arguments: str) -> str:
    done = COMMAND.invoke(app, [*arguments, "--help"], env=WIDE)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_panels_come_in_the_order_in_which_a_newcomer_meets_them() -> None:
    shown = helped()
    panels = list(dict.fromkeys(verb.panel for verb in VERBS))
    places = [shown.index(f" {panel} ") for panel in panels]
    assert len(panels) == 6
    assert places == sorted(places)
    names = [entry.name for entry in app.registered_commands]
    assert names == [verb.name for verb in VERBS]
    assert [names.index(name) for name in ("run", "check", "verify", "law", "audit", "lesson")] == sorted(
        names.index(name) for name in ("run", "check", "verify", "law", "audit", "lesson")
    )


def test_the_three_to_try_first_run_in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tried = [re.split(r"\s{2,}", line.strip())[0] for line in FIRST if line.startswith("  ")]
    assert len(tried) == 3
    for line in tried:
        done = COMMAND.invoke(app, shlex.split(line)[1:])
        assert done.exit_code == 0, f"{line}: {done.output}"
        assert line in helped()


@pytest.mark.parametrize("verb", VERBS, ids=[verb.name for verb in VERBS])
def test_a_command_ends_its_help_with_examples_of_itself_and_its_statuses(verb) -> None:
    shown = helped(verb.name)
    lines = [line.strip() for line in shown.splitlines() if line.strip()]
    examples = [f"Example: {example}" for example in verb.examples]
    assert len(examples) >= 1
    assert lines[-1 - len(examples) :] == [*examples, f"Exit status: {verb.statuses}"]
    assert verb.statuses.startswith("0 ")
    for paragraph in verb.help.split("\n\n"):
        assert any(line.startswith(paragraph[:200]) for line in lines), f"broken: {paragraph}"
    for program, name, *arguments in map(shlex.split, verb.examples):
        assert (program, name) == ("grpocheck", verb.name)
        for named in (argument for argument in arguments if argument.startswith("examples/")):
            assert (HOUSE / named).exists()
        for option in (argument for argument in arguments if argument.startswith("--")):
            assert f" {option} " in shown, option


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("run", ("--cross-examine", "--draw-law", "--isolate", "--call-limit")),
        ("law", ("--samples", "--confidence", "--jobs")),
        ("audit", ("--keep", "--jobs")),
    ],
)
def test_options_that_need_others_stand_in_an_example(command: str, options: tuple[str, ...]) -> None:
    (verb,) = (verb for verb in VERBS if verb.name == command)
    assert set(options) <= {word for example in verb.examples for word in shlex.split(example)}


def test_what_is_explained_goes_beyond_claims() -> None:
    rule = COMMAND.invoke(app, ["explain", "float-mean-residue"], env=WIDE).output
    assert "rule of the audit, warning" in rule
    assert "What to do:" in rule
    assert "1/H sum_h" in COMMAND.invoke(app, ["explain", "dr_grpo"], env=WIDE).output
    near = COMMAND.invoke(app, ["explain", "undefined_gradient"], env=WIDE)
    assert near.exit_code == 2
    assert "undefined-gradient (did you mean that?)" in near.output


@pytest.mark.parametrize(
    ("typed", "meant"), [(["help"], ["--help"]), (["help", "run"], ["run", "--help"]), (["-V"], ["--version"])]
)
def test_help_and_version_are_given_to_those_who_ask_as_elsewhere(typed: list[str], meant: list[str]) -> None:
    asked, expected = (COMMAND.invoke(app, words, env=WIDE) for words in (typed, meant))
    assert (asked.exit_code, asked.output) == (0, expected.output)
    assert expected.output.strip()


@pytest.mark.parametrize("words", [["E2"], ["E2", "A1"]])
def test_a_claim_after_claims_is_sent_to_explain(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        app(["claims", *words], prog_name="grpocheck")
    assert end.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("; it lists all of them, and one is explained by grpocheck explain E2")
