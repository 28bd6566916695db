"""The recorded runs, unpacked once a session from the committed archive, and what an ordinary user has of them."""

import shutil
import tarfile
from pathlib import Path

import pytest

ARCHIVE = Path(__file__).resolve().parent.parent / "data" / "trl.tar.xz"


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a folder for each of the 29 runs."""
    folder = tmp_path_factory.mktemp("trl")
    with tarfile.open(ARCHIVE, "r:xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="session")
def ordinary(recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same runs with nothing but TRL's own files: completions and trainer_state.json."""
    folder = tmp_path_factory.mktemp("ordinary")
    for run in recorded.iterdir():
        shutil.copytree(run / "completions", folder / run.name / "completions")
        shutil.copy(run / "trainer_state.json", folder / run.name)
    return folder
