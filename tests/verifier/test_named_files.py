"""What is wrong in a file is told with the file's name, once; an example that is elsewhere, with where it is."""

from pathlib import Path

import pytest
from grpocheck.proofs.shipped import examples
from grpocheck.verifier.cli import app
from grpocheck.verifier.commands.new import STARTERS, TAIL
from grpocheck.verifier.repl.session import Session
from typer.testing import CliRunner

COMMAND = CliRunner()
UNKNOWN = "mine.toml: epsilonn: 0.2: expected a known key: epsilon (did you mean that?)"
REWARD = """'x': expected an exact finite number: 1, 0.25, 1e-3 or "1/3\""""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, text: str) -> None:
    Path(name).write_text(text, encoding="utf-8")


def said(*arguments: str, status: int = 2) -> str:
    done = COMMAND.invoke(app, list(arguments))
    assert done.exit_code == status, done.output
    return done.output.strip()


@pytest.mark.parametrize(
    "arguments", [("run",), ("run", "--json"), ("law",), ("prove", "B2"), ("estimator", "section-1"), ("repl",)]
)
def test_a_problem_that_is_none_is_told_with_its_file_by_every_command(arguments: tuple[str, ...]) -> None:
    write("mine.toml", STARTERS["bernoulli"].replace("epsilon = 0.2", "epsilonn = 0.2") + TAIL)
    begins = "error" if arguments == ("repl",) else "grpocheck"
    assert said(*arguments, "mine.toml") == f"{begins}: {UNKNOWN}"


def test_a_place_in_a_list_is_told_with_how_places_are_counted() -> None:
    write("mine.toml", STARTERS["bernoulli"].replace("rewards = [1, 0]", 'rewards = [1, "x"]') + TAIL)
    assert said("run", "mine.toml") == f"grpocheck: mine.toml: prompts[0].rewards[1]: {REWARD} ([0] is the first)"


def test_the_session_counts_from_1_in_what_it_refuses_too(capsys: pytest.CaptureFixture[str]) -> None:
    write("mine.toml", STARTERS["bernoulli"] + TAIL)
    session = Session()
    for line in ("load mine.toml", "set prompts[1].rewards[2] x", 'set draws.recorded [[["good", "ugly"]]]'):
        session.onecmd(line)
    refused = [line for line in capsys.readouterr().out.splitlines() if line.startswith("error")]
    assert refused[0] == f"error: prompts[1].rewards[2]: {REWARD}"
    assert refused[1].startswith("error: draws.recorded: ")
    assert len(refused) == 2


def test_other_files_that_are_read_are_named_too() -> None:
    write("groups.toml", "groups = [{ responses = [{ reward = 1, ratios = [-1] }] }]\n")
    assert said("estimator", "dr-grpo", "groups.toml").startswith("grpocheck: groups.toml: groups[0].responses[0].")
    write("case.json", "{}")
    assert said("dispute", "case.json").startswith("grpocheck: case.json: a case.id: expected a value: the key is miss")
    write("task.toml", "task = 1\n")
    assert said("training-free", "task.toml").startswith("grpocheck: task.toml: ")
    assert said("run", "none.toml").count("none.toml") == 1


def test_a_trace_that_is_not_produced_again_is_named() -> None:
    write("mine.toml", STARTERS["bernoulli"] + TAIL)
    said("run", "mine.toml", "--trace", "run.jsonl", status=0)
    trace = Path("run.jsonl").read_text(encoding="utf-8")
    write("bent.jsonl", trace.replace('"reward": "1"', '"reward": "2"', 1))
    for command in ("replay", "draws"):
        told = said(command, "bent.jsonl", status=1)
        assert told.startswith("grpocheck: bent.jsonl: line ")
        assert told.endswith(": reward: '2': expected '1' in a reward event")
        assert told.count("bent.jsonl") == 1


@pytest.mark.parametrize(
    ("arguments", "example"),
    [
        (("run",), "two_paths.toml"),
        (("estimator", "section-1"), "two_paths.toml"),
        (("training-free",), "training_free/fizzbuzz.toml"),
        (("dispute",), "disputes/own.json"),
        (("studio",), "two_paths.toml"),
        (("audit",), "audit"),
    ],
)
def test_an_example_that_is_not_here_is_told_with_where_it_is(arguments: tuple[str, ...], example: str) -> None:
    told = said(*arguments, f"examples/{example}")
    assert told.endswith(f"; that example was installed as {examples() / example}")
    assert (examples() / example).exists()
    assert "installed" not in said(*arguments, f"examples/{example}x")
