"""The command as people start it, and how it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from grpocheck.core import problem_to_toml
from grpocheck.verifier.studio.security import MOST_SECONDS

from tests.studio.problems import bernoulli
from tests.studio.processes import LISTED, started_by

COMMAND = [sys.executable, "-m", "grpocheck", "studio", "--no-browser"]


def asked(address: str, question: str) -> dict[str, object]:
    """The answer to a question without fields."""
    headers = {"Origin": address.rstrip("/"), "Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}ask/{question}", b"{}", headers)
    with urllib.request.urlopen(request, timeout=60) as reply:
        found: dict[str, object] = json.loads(reply.read())
    return found


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_a_problem_until_it_is_ended_and_leaves_no_process(tmp_path: Path, ending: signal.Signals) -> None:
    problem = tmp_path / "mine.toml"
    problem.write_text(problem_to_toml(bernoulli()))
    process = subprocess.Popen(
        [*COMMAND, "--port", "0", str(problem)], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    address = process.stdout.readline().split()[-1]
    assert address.startswith("http://127.0.0.1:")
    opening = {"name": "mine", "text": problem_to_toml(bernoulli()), "seconds": MOST_SECONDS}
    assert asked(address, "opening") == opening
    listed = {entry["name"] for entry in asked(address, "examples")["examples"]}  # type: ignore[attr-defined]
    assert listed >= {"undefined_gradient", "two_paths", "zero_variance"}
    lanes = started_by(process.pid) if LISTED else []
    assert lanes or not LISTED
    process.send_signal(ending)
    assert process.wait(20) == 0
    for lane in lanes:
        with pytest.raises(ProcessLookupError):
            os.kill(lane, 0)


def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = subprocess.run([*COMMAND, "--port", str(port)], capture_output=True, text=True, timeout=60)
    assert found.returncode == 2
    assert f"--port: '{port}'" in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize(
    ("content", "said"), [(None, "No such file"), (b"\xff\xfe", "UTF-8"), (b"#" * 300_000, "at most 200000")]
)
def test_a_problem_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None, said: str) -> None:
    problem = tmp_path / "mine.toml"
    if content is not None:
        problem.write_bytes(content)
    found = subprocess.run([*COMMAND, "--port", "0", str(problem)], capture_output=True, text=True, timeout=60)
    assert found.returncode == 2
    assert "mine.toml" in found.stderr
    assert said in found.stderr
    assert "Traceback" not in found.stderr
