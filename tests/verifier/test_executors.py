"""Evidence run by an executor: the same findings as without, one that is slow no burden on those that are done."""

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from grpocheck.contracts.claims import Claim, select
from grpocheck.contracts.coverage import Coverage
from grpocheck.proofs.evidence import find
from grpocheck.proofs.symbolic.harness import all_harnesses
from grpocheck.proofs.symbolic.runner import check
from grpocheck.verifier.cache import Cache
from grpocheck.verifier.evidence import ladder
from grpocheck.verifier.evidence.gathering import Rows, Settings
from grpocheck.verifier.evidence.ladder import verify
from grpocheck.verifier.evidence.report import Report
from grpocheck.verifier.executors import RayExecutor
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.workers import run_elsewhere

from tests.crashes.test_kills import running_with

try:
    import ray
except ImportError:
    ray = None

needs_ray = pytest.mark.skipif(ray is None, reason="Ray is not installed: pip install '.[ray]'")
CLAIMS = ("B1", "B3", "E1", "E2", "F1")


class Silent:
    """Nobody watches."""

    def planned(self, pieces: int) -> None: ...

    def progressed(self, name: str, done: int, total: int) -> None: ...

    def finished(self, rows: Rows) -> None: ...


@pytest.fixture
def two_processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


def verified(executor: Executor | None, folder: Path | None = None) -> Report:
    settings = Settings(2, 60, Cache(folder), ("planted",), executor)
    return verify([Claim(c.id, c.statement, c.seed, {}) for c in select(CLAIMS)], settings, Silent())


def said(report: Report) -> list[Any]:
    return [
        (entry.claim.id, entry.verdict, [(row.name, row.finding) for row in entry.rows]) for entry in report.claims
    ]


def test_the_findings_and_their_order_are_the_same(
    two_processes: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ladder, "core_coverage", lambda: Coverage(1, 1, (), ()))
    alone, together = verified(None), verified(two_processes)
    assert said(together) == said(alone)
    rows = {row.name: row.finding for entry in together.claims for row in entry.rows}
    assert "exit status 9" in rows["planted:exits"].detail  # a piece that dies takes no one along
    assert len(rows) >= 6


class Never(Executor):
    """An executor that does the first piece at once and the others never."""

    def __init__(self) -> None:
        self.given: list[Future[Any]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if not self.given:
            future.set_result(fn(*args, **kwargs))
        self.given.append(future)
        return future


def test_closing_takes_back_what_is_not_done() -> None:
    executor = Never()
    outcomes = run_elsewhere([(find("planted:holds"), 60), (find("planted:raises"), 60)], executor)
    assert next(outcomes)[0].name == "planted:holds"
    outcomes.close()  # type: ignore[attr-defined]
    assert [future.cancelled() for future in executor.given] == [False, True]


def test_harnesses_are_checked_by_an_executor_too(two_processes: Executor) -> None:
    entry = next(entry for entry in all_harnesses() if "term" in entry.module and len(entry.postconditions) == 1)
    (alone,), (elsewhere,) = check([entry], 1, 30), check([entry], 1, 30, executor=two_processes)
    assert (alone.harness, alone.postcondition, alone.verdict) == (
        elsewhere.harness, elsewhere.postcondition, elsewhere.verdict,
    )  # fmt: skip
    assert elsewhere.paths == alone.paths > 0


@pytest.mark.skipif(ray is not None, reason="Ray is installed")
def test_without_ray_it_is_said_how_to_get_it() -> None:
    with pytest.raises(BadOption, match=r"--ray: 'local'.*\.\[ray\]"):
        RayExecutor("local")


@needs_ray
@pytest.mark.slow
def test_tasks_of_a_cluster() -> None:
    with RayExecutor("local") as executor:
        assert list(executor.map(pow, [2, 3, 4], [5, 2, 1])) == [32, 9, 4]
        with pytest.raises(ZeroDivisionError):
            executor.submit(divmod, 1, 0).result()
        slow = executor.submit(time.sleep, 600)
        started = time.monotonic()
        assert slow.cancel()
    assert time.monotonic() - started < 60
    assert not ray.is_initialized()


@needs_ray
@pytest.mark.slow
def test_the_command_finds_the_same_on_a_cluster(tmp_path: Path) -> None:
    found = []
    for extra in ([], ["--ray", "local"]):
        path = tmp_path / f"{len(extra)}.json"
        command = [sys.executable, "-m", "grpocheck", "verify", "G5", "N4", "--fresh", "--json", str(path), *extra]
        assert subprocess.run(command, capture_output=True, text=True).returncode == 0
        report = json.loads(path.read_text(encoding="utf-8"))
        for entry in (row for name in ("claims", "non_claims") for c in report[name] for row in c.get("evidence", [])):
            entry.pop("seconds")
        found.append([report["claims"], report["ok"]])
    assert found[0] == found[1]


@needs_ray
@pytest.mark.slow
def test_an_interrupt_ends_the_cluster_and_its_processes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "grpocheck", "verify", "A1", "--fresh", "--json", "-", "--ray", "local"]
    mark = uuid.uuid4().hex
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        env={**os.environ, "CRASH_MARK": mark},
    ) as running:  # fmt: skip
        time.sleep(25)
        assert len(running_with(mark)) > 3, "the cluster has not begun"
        os.kill(running.pid, signal.SIGINT)
        _, told = running.communicate(timeout=300)
    assert running.returncode == 130
    assert b"interrupted" in told
    end = time.monotonic() + 120
    while running_with(mark):
        assert time.monotonic() < end, "a process of the cluster runs on"
        time.sleep(0.5)


ENDED_AT_ONCE = """
import multiprocessing, os, sys, time
from concurrent.futures import ProcessPoolExecutor
from grpocheck.verifier.executors import left_to_the_parent
if __name__ == "__main__":
    pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"), initializer=left_to_the_parent)
    pool.submit(time.sleep, 0)
    os._exit(7)
"""


def test_a_worker_that_begins_after_its_parent_ended_ends_too(tmp_path):
    """One that went on would hold the pipes, and whoever reads them would wait."""
    script = tmp_path / "script.py"
    script.write_text(ENDED_AT_ONCE)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, timeout=120)
    assert done.returncode == 7
