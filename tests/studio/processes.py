"""Processes as this system lists them: what one has started, how long it has computed, whether it runs."""

import os
from pathlib import Path

import pytest

LISTED = Path(f"/proc/self/task/{os.getpid()}/children").exists()


def started_by(parent: int) -> list[int]:
    """The processes that a process has started."""
    if not LISTED:
        pytest.skip("this system does not list the children of a process")
    tasks = Path(f"/proc/{parent}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def busy_for(process: int) -> float:
    """The seconds that a process has computed."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def runs(process: int) -> bool:
    """Whether a process still runs: one that has ended may wait to be collected."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
