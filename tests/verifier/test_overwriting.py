"""What a command would lose by writing over it: its own input, and files that no such command has written."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.crashes.commands import COMMANDS, EXAMPLE, EXAMPLES, LOG

COMMAND = CliRunner()


def call(arguments):
    from grpocheck.verifier.cli import app

    return COMMAND.invoke(app, arguments)


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"prove"}))
def test_a_file_of_another_kind_is_kept(name, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("precious = true\n")
    done = call(COMMANDS[name].at(path))
    assert done.exit_code == 2
    assert repr(str(path)) in done.stderr
    assert path.read_text() == "precious = true\n"


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


def test_an_earlier_result_is_written_over(tmp_path):
    path = tmp_path / "trace.jsonl"
    for _ in range(2):
        assert call(["run", EXAMPLE, "--trace", str(path)]).exit_code == 0
