"""The wheel and the sdist in empty environments, with the oldest and the newest versions, away from the sources.

GRPOCHECK_PYTHONS names the interpreters to try besides this one, separated by colons.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parents[2]
OTHERS = [name for name in os.environ.get("GRPOCHECK_PYTHONS", "python3.12:python3.13").split(":") if name]
SMOKE = """\
import importlib, pkgutil, grpocheck.contracts, grpocheck.core, grpocheck.verifier
EXTRAS = ("numpy", "pyarrow", "flint", "ray", "torch", "trl", "transformers", "pytest", "atheris", "verl", "openrlhf")
for package in (grpocheck.contracts, grpocheck.core, grpocheck.verifier):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if module.name.startswith(("grpocheck.contracts.exact_reals", "grpocheck.verifier.properties.symbolic")):
            continue  # they switch contracts off, and are run as processes of their own
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as missing:
            if missing.name.partition(".")[0] not in EXTRAS:
                raise
print("imported")
"""


def called(*command: object, folder: Path, status: int = 0) -> str:
    """What a command prints that has to end with a status."""
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, capture_output=True, text=True, check=False,
        env={name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")},
    )  # fmt: skip
    assert done.returncode == status, f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sdist, made from a copy of what git knows, and the wheel, made from the sdist alone."""
    folder = tmp_path_factory.mktemp("built")
    listed = called("git", "ls-files", "-z", folder=HOUSE).split("\0")
    for name in filter(None, listed):
        if (HOUSE / name).is_file():
            (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(HOUSE / name, folder / "source" / name)
    maker = environment(folder / "maker", sys.executable)
    called(maker, "-m", "pip", "install", "-q", "setuptools>=77", folder=folder)
    made = f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    called(maker, "-c", made, folder=folder / "source")
    (sdist,) = folder.glob("*.tar.gz")
    called(maker, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, sdist, folder=folder)
    (wheel,) = folder.glob("*.whl")
    return {"sdist": sdist, "wheel": wheel}


def environment(folder: Path, python: str) -> Path:
    """The interpreter of a new, empty environment."""
    called(python, "-m", "venv", folder, folder=folder.parent)
    return folder / "bin" / "python"


def works(python: Path, folder: Path) -> None:
    """Everything can be imported, and the commands work in a folder with nothing in it."""
    assert called(python, "-c", SMOKE, folder=folder) == "imported\n"
    command = python.parent / "grpocheck"
    called(command, "new", "bernoulli", "--out", "mine.toml", folder=folder)
    assert json.loads(called(command, "run", "mine.toml", "--trace", "t.jsonl", "--json", folder=folder))["theta"]
    assert ": right" in called(command, "check", "t.jsonl", folder=folder)
    called(command, "replay", "t.jsonl", folder=folder)
    called(command, "lesson", "budget", folder=folder)
    called(command, "studio", "--help", folder=folder)
    report = called(command, "verify", "N4", "--jobs", "1", "--json", "-", folder=folder)
    assert '"refuted"' in report


def extra(name: str) -> str:
    """An interpreter by name, or a skip that says that it is missing."""
    found = shutil.which(name)
    if found is None or subprocess.run([found, "--version"], capture_output=True, check=False).returncode != 0:
        pytest.skip(f"{name} is not here: set GRPOCHECK_PYTHONS to the paths of the interpreters to try")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("versions", ["oldest", "newest"])
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_installed_in_an_empty_environment(kind: str, versions: str, built: dict[str, Path], tmp_path: Path) -> None:
    python = environment(tmp_path / "venv", sys.executable)
    bounded = ["-c", HOUSE / "requirements" / "oldest.txt"] if versions == "oldest" else []
    called(python, "-m", "pip", "install", "-q", *bounded, built[kind], folder=tmp_path)
    (tmp_path / "empty").mkdir()
    works(python, tmp_path / "empty")


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_installed_for_another_python(name: str, built: dict[str, Path], tmp_path: Path) -> None:
    python = environment(tmp_path / "venv", extra(name))
    called(python, "-m", "pip", "install", "-q", built["wheel"], folder=tmp_path)
    (tmp_path / "empty").mkdir()
    works(python, tmp_path / "empty")
