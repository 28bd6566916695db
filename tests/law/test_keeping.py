"""A law that was stopped goes on from the stretches that are kept, and from no others."""

import json
from pathlib import Path
from typing import Any

import pytest
from grpocheck.core.reading import problem_from_mapping
from grpocheck.core.writing import problem_to_toml
from grpocheck.verifier.law import elsewhere, samples
from grpocheck.verifier.law.passage import Making

from tests.law.test_law import CASES
from tests.law.test_law_command import called, written
from tests.law.test_shared import MAPPINGS

NAME = "two prompts, two iterations"


@pytest.fixture
def gone_through(monkeypatch: pytest.MonkeyPatch) -> list[range]:
    """The stretches that this process goes through, of four combinations each."""
    monkeypatch.setattr(elsewhere, "STRETCH", 4)
    parts: list[range] = []
    original = Making.passage

    def watched(self: Making, t: int, nodes: Any, part: range, size: int, advance: Any) -> Any:
        if len(parts) == watched.until:
            raise KeyboardInterrupt
        parts.append(part)
        return original(self, t, nodes, part, size, advance)

    watched.until = -1
    monkeypatch.setattr(Making, "passage", watched)
    return parts


def stop_after(number: int) -> None:
    """Have the next law stopped, as by a person, before it goes through one stretch more."""
    Making.passage.until = number


def test_a_law_that_was_interrupted_goes_on(tmp_path: Path, gone_through: list[range]) -> None:
    """9 + 27 combinations are 3 + 7 stretches; five of them are done before it is stopped."""
    path, folder = written(tmp_path, CASES[NAME]), tmp_path / "kept"
    alone = called(path, "--json")
    gone_through.clear()
    stop_after(5)
    stopped = called(path, "--json", "--keep", folder)
    assert (stopped.exit_code, stopped.stdout) == (130, "")
    assert f"kept in {str(folder)!r}: the same command goes on from there" in stopped.stderr
    assert len(gone_through) == len(list(folder.iterdir())) == 5
    stop_after(-1)
    done = called(path, "--json", "--keep", folder)
    assert done.stdout == alone.stdout
    assert "outer iteration 1: 3 of 3 stretches are taken" in done.stderr
    assert "outer iteration 2: 2 of 7 stretches are taken" in done.stderr
    assert len(gone_through) == 10
    assert called(path, "--json", "--keep", folder).stdout == alone.stdout
    assert len(gone_through) == 10


def test_what_an_interrupted_law_without_a_folder_says(tmp_path: Path, gone_through: list[range]) -> None:
    stop_after(0)
    stopped = called(written(tmp_path, CASES[NAME]))
    assert stopped.exit_code == 130
    assert "nothing of this law was kept; with --keep FOLDER" in stopped.stderr


@pytest.mark.parametrize("changed", ["problem", "option", "version"])
def test_stretches_of_another_law_are_not_taken(
    tmp_path: Path, gone_through: list[range], monkeypatch: pytest.MonkeyPatch, changed: str
) -> None:
    path, folder = written(tmp_path, CASES[NAME]), tmp_path / "kept"
    before = called(path, "--json", "--keep", folder)
    first, further = len(gone_through), []
    if changed == "problem":
        path.write_text(path.read_text(encoding="utf-8").replace("1/20", "1/25"), encoding="utf-8")
    elif changed == "option":
        further = ["--max-bits", "4096"]
    else:
        monkeypatch.setattr("grpocheck.verifier.law.keeping.digest", lambda label, modules: "another version")
    after = called(path, "--json", "--keep", folder, *further)
    assert "taken from" not in after.stderr
    assert len(gone_through) == 2 * first
    assert (after.stdout == before.stdout) is (changed != "problem")


def test_a_stretch_that_was_cut_is_gone_through_again(tmp_path: Path, gone_through: list[range]) -> None:
    path, folder = written(tmp_path, CASES[NAME]), tmp_path / "kept"
    before = called(path, "--json", "--keep", folder).stdout
    gone_through.clear()
    cut = min(folder.iterdir())
    cut.write_bytes(cut.read_bytes()[:-40])
    assert called(path, "--json", "--keep", folder).stdout == before
    assert len(gone_through) == 1


def test_enclosed_numbers_are_kept_too(tmp_path: Path, gone_through: list[range]) -> None:
    path, folder = tmp_path / "problem.toml", tmp_path / "kept"
    path.write_text(problem_to_toml(problem_from_mapping(MAPPINGS["softmax with a penalty"])), encoding="utf-8")
    alone = called(path, "--json").stdout
    assert isinstance(json.loads(alone)["parameters"][-1]["theta"][0], list)
    called(path, "--json", "--keep", folder)
    gone_through.clear()
    assert called(path, "--json", "--keep", folder).stdout == alone
    assert gone_through == []


def test_runs_of_a_sampled_law_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, folder, made = written(tmp_path, CASES["bernoulli"]), tmp_path / "kept", list[int]()
    original = samples.run
    monkeypatch.setattr(samples, "run", lambda problem, arithmetic, seed: made.append(seed) or original(
        problem, arithmetic=arithmetic, seed=seed))  # fmt: skip
    asked = ["--samples", 20, "--seed", 3, "--json"]
    alone = called(path, *asked).stdout
    assert called(path, *asked, "--keep", folder).stdout == alone
    made.clear()
    assert called(path, *asked, "--keep", folder).stdout == alone
    assert made == []
    refused = called(path, "--samples", 20, "--keep", folder)
    assert refused.exit_code == 2
    assert "expected --seed N with it" in refused.stderr
