"""No command opens a socket, nor does any process that it starts; and all work where there is no network."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crashes.commands import EXAMPLE, LOG

HOOK = """\
import os, sys

def refuse(event, arguments):
    if event.startswith("socket.") and event != "socket.gethostname":
        with open(os.environ["SOCKETS"], "a") as file:
            file.write(event + "\\n")
        raise PermissionError(f"{event}: no network")

sys.addaudithook(refuse)
"""
COMMANDS = {
    "run": (["run", EXAMPLE, "--json"], 0),
    "law": (["law", EXAMPLE, "--json"], 0),
    "audit": (["audit", LOG, "--json"], 1),
    "lesson": (["lesson", "budget", "--json"], 0),
}


def without_sockets(folder: Path, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """A command each of whose processes refuses and notes every use of sockets."""
    (folder / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
    environment = {
        **os.environ, "PYTHONPATH": str(folder), "SOCKETS": str(folder / "sockets"),
        "PATH": os.path.dirname(sys.executable) + ":/usr/bin:/bin",
    }  # fmt: skip
    return subprocess.run(
        [sys.executable, "-m", "grpocheck", *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_hook_refuses(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "SOCKETS": str(tmp_path / "sockets")}
    done = subprocess.run(
        [sys.executable, "-c", "import socket; socket.create_connection(('127.0.0.1', 9))"],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "no network" in done.stderr
    assert (tmp_path / "sockets").read_text().startswith("socket.")


@pytest.mark.parametrize("name", COMMANDS)
def test_no_socket_is_opened(name: str, tmp_path: Path) -> None:
    arguments, status = COMMANDS[name]
    done = without_sockets(tmp_path, arguments)
    assert done.returncode == status, done.stderr
    assert json.loads(done.stdout)
    assert not (tmp_path / "sockets").exists()


@pytest.mark.slow
def test_no_socket_is_opened_by_verify(tmp_path: Path) -> None:
    done = without_sockets(tmp_path, ["verify", "N4", "--jobs", "1"])
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "verify.json").read_text())
    assert not (tmp_path / "sockets").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_all_work_without_a_network(name: str, tmp_path: Path) -> None:
    alone = ["unshare", "--net"]
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no network can be taken away here: unshare --net needs root")
    arguments, status = COMMANDS[name]
    done = subprocess.run(
        [*alone, sys.executable, "-m", "grpocheck", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stderr
