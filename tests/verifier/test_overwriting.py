"""What a command would lose by writing over it: its own input, and files that no such command has written."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.crashes.commands import COMMANDS, EXAMPLE, EXAMPLES, LOG

COMMAND = CliRunner()


def call(arguments):
    from grpocheck.verifier.cli import app

    return COMMAND.invoke(app, arguments)


PRECIOUS = {
    "TOML": "precious = true\n",
    "a problem with a comment": "# my problem\nepsilon = 0.2\n",
    "a trainer's state": json.dumps({"log_history": [{"loss": 0.5}], "global_step": 1}),
    "a page of somebody's": "<!doctype html>\n<html><head><title>Mine</title></head></html>\n",
    "a picture of somebody's": '<svg xmlns="http://www.w3.org/2000/svg"><title>Mine</title></svg>\n',
    "events of somebody's": '{"event": "start", "of": "a job of mine"}\n',
    "a text": "# Notes\n\nOf my own.\n",
}


@pytest.mark.parametrize("text", PRECIOUS.values(), ids=PRECIOUS)
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_file_that_no_such_command_wrote_is_kept(name, text, tmp_path):
    path = tmp_path / "mine"
    path.write_text(text)
    done = call(COMMANDS[name].at(path))
    assert done.exit_code == 2
    assert repr(str(path)) in done.stderr
    assert path.read_text() == text


def test_the_session_saves_over_nothing_but_a_saved_problem(tmp_path):
    mine = tmp_path / "mine.toml"
    shutil.copyfile(EXAMPLE, mine)
    before = mine.read_bytes()
    assert b"#" in before
    orders = [f"load {mine}", f"save {mine}", "save saved.toml", "set beta 1/25", "save saved.toml", "load saved.toml"]
    told = session(tmp_path, *orders, "save saved.toml", "save")
    assert "save: no file is named; expected save FILE" in told
    assert "it is there, has more in it than a saved problem, and would be lost" in told
    assert told.count("saved saved.toml") == 3
    assert mine.read_bytes() == before
    assert 'beta = "1/25"' in (tmp_path / "saved.toml").read_text()


def session(folder, *orders):
    """What the repl says to some lines."""
    done = subprocess.run(
        [sys.executable, "-m", "grpocheck", "repl"], cwd=folder, input="\n".join(orders), text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2  # one order was refused
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        (["run", "IN", "--trace", "IN"], EXAMPLE),
        (["prove", "F_next < F", "IN", "--out", "IN"], EXAMPLE),
        (["audit", "IN", "--sarif", "IN"], LOG),
        (["dispute", "IN", "--page", "IN"], str(EXAMPLES / "disputes" / "own.json")),
    ],
)
def test_what_is_read_is_not_written(arguments, read, tmp_path):
    path = tmp_path / Path(read).name
    shutil.copyfile(read, path)
    before = path.read_bytes()
    done = call([str(path) if word == "IN" else word for word in arguments])
    assert done.exit_code == 2
    assert "it is read by this command, and would be lost; expected another file" in done.stderr
    assert path.read_bytes() == before


QUICK = sorted(name for name, command in COMMANDS.items() if command.replaces and command.seconds < 4)


@pytest.mark.parametrize("name", QUICK)
def test_an_earlier_result_is_written_over(name, tmp_path):
    path = tmp_path / "result"
    for _ in range(2):
        assert call(COMMANDS[name].at(path)).exit_code == COMMANDS[name].exits
        COMMANDS[name].whole(path)
