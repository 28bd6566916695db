"""Every command that reads a file, on files that it could choke on: status 2, one message, soon, in little memory."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from grpocheck.verifier.cli import app
from typer.testing import CliRunner

from tests.fuzz.hostile import COMMANDS, GOOD, bomb

HOUSE = Path(__file__).resolve().parents[2]
GIGABYTE = 1 << 20
"""In KiB."""

READ: dict[str, tuple[int, ...]] = {"check": (1, 2), "repl": (2,)}
"""Commands that say it on standard output, with their statuses: a check finds what can be read as an event wrong."""
STATUSES = {"training-free --resume": {"empty (jsonl)": 0}, "audit": {"table completions_90002 (parquet)": 1}}
"""Files that are none to choke on: a trace that was killed before its first line, a table that has the rows it says."""
SETTINGS = ("mark (", "named ", "text of digits (", "exponent (", "nan (", "surrogate (")
"""Files that hold {} after a byte order mark or under an odd name, or one key that no trainer has: settings that say
nothing of the log beside them."""


def given(command: str, folder: Path) -> tuple[list[dict[str, Any]], int]:
    """What a command says to every hostile file, and the most memory that it took, in KiB."""
    worker = [sys.executable, "-m", "tests.fuzz.hostile", command, str(folder)]
    done = subprocess.run(worker, capture_output=True, text=True, cwd=HOUSE, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    *answers, last = map(json.loads, done.stdout.splitlines())
    return answers, last["most"]


SLOW = [pytest.param(command, marks=pytest.mark.slow) for command in COMMANDS if command != "run"]


@pytest.mark.parametrize("command", ["run", *SLOW])
def test_a_hostile_file_ends_in_one_message(tmp_path: Path, command: str) -> None:
    answers, peak = given(command, tmp_path)
    assert len(answers) >= 30
    assert peak < GIGABYTE
    for said in answers:
        told = said["out"] if command in READ else said["err"]
        usual = READ.get(command, (2,))
        if command == "audit --settings" and said["file"].startswith(SETTINGS):
            usual = (0,)
        assert said["status"] in (STATUSES.get(command, {}).get(said["file"], usual[-1]), *usual[:-1]), said
        assert told.strip() or said["status"] < 2, said
        assert "Traceback" not in said["err"], said
        assert "defect of grpocheck" not in said["err"], said
        assert not any(mark in said["out"] + said["err"] for mark in "\x1b\x9b\u202e"), said
        assert len(told) < 2_000, said
        assert said["seconds"] < 60 or said["status"] == 0, said  # under 2 s on an idle machine


def test_what_is_given_with_hostile_settings_is_right_in_itself(tmp_path: Path) -> None:
    """So that a refusal is of the settings: the same log with settings that say nothing is audited, and is right."""
    log, nothing = tmp_path / "good.jsonl", tmp_path / "settings.json"
    log.write_text(GOOD, encoding="utf-8")
    nothing.write_text("{}", encoding="utf-8")
    arguments = [{"FILE": str(nothing), "GOOD": str(log)}.get(word, word) for word in COMMANDS["audit --settings"][0]]
    assert CliRunner().invoke(app, arguments).exit_code == 0


def test_a_bomb_is_given_to_the_command_that_unpacks(tmp_path: Path) -> None:
    assert {"npz", "parquet"} <= set(COMMANDS["audit"][1])
    bomb(tmp_path / "bomb.npz")
    assert (tmp_path / "bomb.npz").stat().st_size < 2 << 20
    with zipfile.ZipFile(tmp_path / "bomb.npz") as packed:
        assert packed.getinfo("a.npy").file_size > 1 << 30
