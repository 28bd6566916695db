"""A law that is killed in the middle goes on from what it kept, and says what it would have said."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.problems import LAW

STRETCHES = 14
"""165 * 165 combinations in stretches of at most 2048."""
ENVIRONMENT = {**os.environ, "GRPOCHECK_CONTRACTS": "off"}


def law(*arguments: str) -> list[str]:
    """The command."""
    return [sys.executable, "-m", "grpocheck", "law", "law.toml", "--json", *arguments]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_law_goes_on_with_what_it_found(tmp_path: Path, jobs: str) -> None:
    (tmp_path / "law.toml").write_text(LAW, encoding="utf-8")
    alone = subprocess.run(law(), cwd=tmp_path, capture_output=True, check=True, env=ENVIRONMENT)
    kept = tmp_path / "kept"
    process = subprocess.Popen(
        law("--keep", "kept", "--jobs", jobs), cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
    )  # fmt: skip
    end = time.monotonic() + 300
    while len(list(kept.glob("*.json"))) < 2:
        assert process.poll() is None, "it was done before it could be killed"
        assert time.monotonic() < end
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = {path.name: path.read_bytes() for path in kept.glob("*.json")}
    assert 2 <= len(before) < STRETCHES
    assert all(json.loads(content)["content"] for content in before.values())
    again = subprocess.run(
        law("--keep", "kept"), cwd=tmp_path, capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    assert again.stdout == alone.stdout.decode()
    assert f"{len(before)} of {STRETCHES} stretches are taken from 'kept'" in again.stderr
    after = {path.name: path.read_bytes() for path in kept.glob("*.json")}
    assert before.items() < after.items()
    assert len(after) == STRETCHES
