"""``law --ray local``: the law of one process, also where a worker of the cluster is killed in the middle."""

import os
import signal
import subprocess
import time
import uuid
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from grpocheck.core.reading import problem_from_mapping
from grpocheck.core.writing import problem_to_toml

from benchmarks.problems import LAW
from tests.crashes.test_kill_of_a_law import ENVIRONMENT, STRETCHES, law
from tests.law.test_shared import MAPPINGS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install '.[ray]'"),
]


def alone(folder: Path) -> str:
    """What one process says."""
    done = subprocess.run(law(), cwd=folder, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    return done.stdout


@pytest.mark.parametrize("name", ["exact", "enclosed"])
def test_a_cluster_says_what_one_process_says(tmp_path: Path, name: str) -> None:
    enclosed = problem_to_toml(problem_from_mapping(MAPPINGS["softmax with a penalty"]))
    (tmp_path / "law.toml").write_text(LAW if name == "exact" else enclosed, encoding="utf-8")
    command = law("--ray", "local", "--keep", "kept")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    assert done.stdout == alone(tmp_path)
    kept = len(list((tmp_path / "kept").iterdir()))
    assert kept == (STRETCHES if name == "exact" else 2)


def at_work(mark: str) -> list[int]:
    """The workers of a cluster that do a task of ours just now, told by a mark in their environment."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with suppress(OSError):  # it has ended
                ours = mark.encode() in (folder / "environ").read_bytes()
                if ours and (folder / "cmdline").read_bytes().startswith(b"ray::called"):
                    found.append(int(folder.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc to find processes in")
def test_a_worker_killed_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    """Its stretch is given to another one."""
    (tmp_path / "law.toml").write_text(LAW, encoding="utf-8")
    mark = uuid.uuid4().hex
    running = subprocess.Popen(
        law("--ray", "local"), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**ENVIRONMENT, "LAW_MARK": mark},
    )  # fmt: skip
    end = time.monotonic() + 300
    while not (workers := at_work(mark)):
        assert running.poll() is None, "it was done before a worker was killed"
        assert time.monotonic() < end
        time.sleep(0.02)
    os.kill(workers[0], signal.SIGKILL)
    told, errors = running.communicate(timeout=300)
    assert running.returncode == 0, errors
    assert told == alone(tmp_path)  # what Ray says of the worker that died is not among it
