"""What the evidence says of wrong cores, asked once, in a process with contracts off."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def answers() -> dict[str, Any]:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "tests.smt.wrong_cores"],
        cwd=root,
        env={**os.environ, "GRPOCHECK_CONTRACTS": "off"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result
