"""What is typed wrongly and can be told from what was typed: the message says what was meant."""

from io import StringIO
from pathlib import Path

import pytest
from grpocheck.verifier.cli import app
from grpocheck.verifier.commands.new import STARTERS, TAIL
from grpocheck.verifier.commands.prove import shelved_named
from grpocheck.verifier.files import meant_file
from grpocheck.verifier.properties import SHELF, PropertyError
from grpocheck.verifier.properties.parser import parse_syntax
from grpocheck.verifier.properties.syntax import Comparison
from grpocheck.verifier.repl.session import Session
from typer.testing import CliRunner

COMMAND = CliRunner()


@pytest.fixture(autouse=True)
def with_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.toml").write_text(STARTERS["bernoulli"] + TAIL, encoding="utf-8")


def said(*arguments: str) -> str:
    done = COMMAND.invoke(app, list(arguments), prog_name="grpocheck")
    assert (done.exit_code, done.stdout) == (2, "")
    return " ".join(done.stderr.removeprefix("grpocheck: ").split())


def typed(line: str) -> tuple[bool, str]:
    """A line of a session: whether the session ends, and what it said."""
    session = Session(StringIO(), StringIO())
    ended = session.onecmd(line)
    return ended, session.stdout.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("prove F_next >= F a.toml", "put the property in quotes: grpocheck prove 'F_next >= F' PROBLEM"),
        ("prove F_next F a.toml", "put the property in quotes: "),  # what a shell leaves of it
        ("prove G3 a.toml", "PROPERTY: 'G3': G3 is a claim and no property; expected a property; grpocheck verify G3 "
         "gives the claim's evidence"),
        ("prove g3", "PROPERTY: 'g3': G3 is a claim and no property; "),
        ("prove N5 a.toml", "N5 is a claim and no property; expected one of its properties on the shelf (N5a, N5b); "),
        ("prove e2 a.toml", "PROPERTY: 'e2': no property of the shelf has that name; expected E2 (did you mean"),
        ("prove n5A", "expected N5a (did you mean that?)"),
        ("new mine.toml", "expected one of bernoulli, simplex, softmax, log-linear, autoregressive; a file has --out "
         "before it: grpocheck new --out mine.toml"),
        ("a.toml run", "No such command 'a.toml'; expected the command before the file: grpocheck run a.toml"),
        ("a.toml", "expected the command before the file: grpocheck run a.toml"),
        ("run.jsonl check", "expected the command before the file: grpocheck check run.jsonl"),
        ("lesson clip", "lesson: 'clip': expected clip-by-sign (did you mean that?)"),
        ("lesson KL", "expected kl-directions or kl-chain-rule or return-with-kl (did you mean that?)"),
        ("run a.tml", "expected a file that can be read (No such file or directory); did you mean a.toml?"),
    ],
)  # fmt: skip
def test_what_was_meant_is_said(words: str, message: str) -> None:
    assert message in said(*words.split())


def test_no_other_word_is_taken_for_a_file_or_a_claim() -> None:
    assert "before the file" not in said("rum", "run")
    assert "--out" not in said("new", "gaussian")
    assert "did you mean" not in said("run", "quite-another.toml")
    assert "there is no 'H9'" in said("prove", "H9", "a.toml")


def test_a_name_of_the_shelf_as_it_is_and_a_property_go_on_as_before() -> None:
    assert shelved_named("C1") is SHELF["C1"]
    assert shelved_named("every gradient exists") is SHELF["every gradient exists"]
    assert shelved_named("epsilon < 1") is shelved_named("G > 2") is shelved_named("G") is None


def test_a_file_is_meant_that_is_there_and_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    assert meant_file(Path("folde.toml")) == ""
    assert meant_file(tmp_path / "a.tml") == f"; did you mean {tmp_path / 'a.toml'}?"
    assert meant_file(Path("a.toml")) == meant_file(Path("nowhere/a.tml")) == meant_file(Path("\0a.tml")) == ""
    assert meant_file(Path("a" * 5000)) == ""


def test_a_session_knows_what_other_programs_call_a_step_and_an_end() -> None:
    for word in ("next", "n"):
        ended, printed = typed(word)
        assert not ended
        assert printed == f"error: command: '{word}': there is no such command; expected step (did you mean that?)\n"
    assert typed("exit()") == typed("quit()") == (True, "")
    assert "G3 is a claim and no property" in typed("prove G3")[1]


def test_a_sum_is_told_how_it_is_written() -> None:
    with pytest.raises(PropertyError) as refused:
        parse_syntax("sum(advantage) == 0")
    written = "as in sum(responses: advantage) or sum(i: advantage[i])"
    assert refused.value.message == f"advantage is taken; sum ranges over something, {written}"
    for text in ("sum(responses: advantage) = 0", "sum(i: advantage[i]) = 0"):
        assert isinstance(parse_syntax(text), Comparison)
