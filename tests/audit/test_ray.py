"""The audit as tasks of a local Ray cluster of two workers, one of which is killed in the middle of a piece."""

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from grpocheck.verifier.audit.auditing import Piece, audit, here, pieces_of
from grpocheck.verifier.audit.crews import cluster
from grpocheck.verifier.audit.discovery import runs_of
from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.report import to_mapping
from grpocheck.verifier.cli import app
from grpocheck.verifier.failures import BadOption
from typer.testing import CliRunner

try:
    import ray
except ImportError:
    ray = None

needs_ray = pytest.mark.skipif(ray is None, reason="Ray is not installed: pip install '.[ray]'")


@pytest.fixture(scope="module")
def two_workers() -> Iterator[None]:
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


@dataclass(frozen=True)
class Killed(Piece):
    """A piece whose worker is killed the first time that it is worked on."""

    mark: Path = Path()

    def done(self) -> Any:
        if not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().done()


@pytest.mark.slow
@needs_ray
def test_a_worker_that_is_killed_changes_nothing(two_workers: None, recorded: Path, tmp_path: Path) -> None:
    run = runs_of([recorded / "a13_gpt2_dropout_mu2"])[0]
    pieces = list(pieces_of(run))
    mark = tmp_path / "killed"
    dying = [*pieces[:1], Killed(run, run.calls, mark=mark), *pieces[1:]]
    results = list(cluster("local")(dying))
    assert mark.exists()
    assert results == list(here(dying))


@pytest.mark.slow
@needs_ray
def test_the_report_is_the_same(two_workers: None, recorded: Path) -> None:
    paths = [str(recorded / name) for name in ("a13_gpt2_dropout_mu2", "a26_inf_reward_nostd")]
    done = CliRunner().invoke(app, ["audit", *paths, "--json", "--ray", "local"])
    assert done.exit_code == 1
    assert json.loads(done.stdout) == json.loads(json.dumps(to_mapping(audit(runs_of([Path(path) for path in paths])))))


@pytest.mark.slow
@needs_ray
def test_what_cannot_be_read_is_said_as_without_a_cluster(two_workers: None, recorded: Path, tmp_path: Path) -> None:
    path = tmp_path / "completions_00001.parquet"
    path.write_bytes(b"junk")
    with pytest.raises(Unreadable, match=r"completions_00001\.parquet: content"):
        audit(runs_of([path]), cluster("local"))


@pytest.mark.skipif(ray is not None, reason="Ray is installed")
def test_without_ray_it_is_said_how_to_get_it() -> None:
    with pytest.raises(BadOption, match=r"\.\[ray\]"):
        cluster("local")
