"""No command opens a socket, nor does any process that it starts; and all work where there is no network.

Two do open one, because they are asked to: ``studio`` listens to its own machine, ``training-free --introspect http``
asks the address that a task names.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crashes.commands import EXAMPLE, LOG, TASK

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
    "prove": (["prove", "F_next < F", EXAMPLE, "--json"], 1),
    "lesson": (["lesson", "budget", "--json"], 0),
}
SLOW = {
    "verify": (["verify", "N4", "--jobs", "1", "--json", "-"], 0),
    "training-free": (["training-free", TASK, "--seed", "1", "--json"], 0),
    "check": (["check", "t.jsonl", "--json"], 0),
}
"""Those whose own processes do not read PYTHONPATH, so that the hook does not see them, and one that is slow."""


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


@pytest.fixture(scope="module")
def alone() -> list[str]:
    """What a command is begun with that is to have no network, not even its own machine's."""
    for begun in (["unshare", "--net"], ["unshare", "--map-root-user", "--net"]):
        if (
            shutil.which("unshare")
            and subprocess.run([*begun, "true"], capture_output=True, check=False).returncode == 0
        ):
            return begun
    pytest.skip("no network can be taken away here: unshare --net works for nobody but root")


def test_there_is_no_network_in_there(alone: list[str]) -> None:
    """Here a socket that listens can be reached, in there it cannot."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        call = f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), 5)"
        here, there = (
            subprocess.run([*begun, sys.executable, "-c", call], capture_output=True, text=True, check=False)
            for begun in ([], alone)
        )
    assert here.returncode == 0, here.stderr
    assert "Network is unreachable" in there.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", [*COMMANDS, *SLOW])
def test_all_work_without_a_network(name: str, alone: list[str], tmp_path: Path) -> None:
    grpocheck = [sys.executable, "-m", "grpocheck"]
    subprocess.run([*grpocheck, "run", EXAMPLE, "--trace", "t.jsonl"], cwd=tmp_path, capture_output=True, check=True)
    arguments, status = {**COMMANDS, **SLOW}[name]
    done = subprocess.run([*alone, *grpocheck, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert json.loads(done.stdout)
