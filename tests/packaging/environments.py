"""Environments of their own to install in, and what is built to be installed.

GRPOCHECK_PYTHONS names the interpreters to try besides this one, separated by colons.
"""

import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parents[2]
OTHERS = [name for name in os.environ.get("GRPOCHECK_PYTHONS", "python3.12:python3.13").split(":") if name]
Said = subprocess.CompletedProcess[str]
OURS = ("PYTHONPATH", "VIRTUAL_ENV", "GRPOCHECK_CACHE")


@dataclass(frozen=True)
class Built:
    """What is published, what git knew when it was made, and what was printed then."""

    files: frozenset[str]
    sdist: Path
    wheel: Path
    printed: str

    def unpacked(self, folder: Path) -> Path:
        """The sources that are in the sdist."""
        with tarfile.open(self.sdist) as packed:
            packed.extractall(folder, filter="data")
        (sources,) = folder.iterdir()
        return sources


def called(*command: object, folder: Path, status: int = 0, **environment: object) -> Said:
    """What a command says that has to end with a status."""
    kept = {name: value for name, value in os.environ.items() if name not in OURS}
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, capture_output=True, text=True, check=False,
        env={**kept, **{name: str(value) for name, value in environment.items()}},
    )  # fmt: skip
    said = f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
    assert done.returncode == status, f"{[*map(str, command)]}: {done.returncode}\n{said}"
    return done


def environment(folder: Path, python: str = sys.executable) -> Path:
    """The interpreter of a new, empty environment."""
    called(python, "-m", "venv", folder, folder=folder.parent)
    return folder / "bin" / "python"


def install(python: Path, *what: object, folder: Path) -> None:
    """Install with pip, which must not find that what it installed does not go together."""
    quiet = ["--quiet", "--disable-pip-version-check"]
    called(python, "-m", "pip", "install", *quiet, *what, folder=folder)
    called(python, "-m", "pip", "check", "--disable-pip-version-check", folder=folder)


def known_to_git() -> frozenset[str]:
    """The files of the clone, or a skip where there is none: in what was unpacked from an sdist."""
    if not (HOUSE / ".git").exists():
        pytest.skip("what belongs in an sdist is what git knows, and this is no clone")
    listed = called("git", "ls-files", "-z", folder=HOUSE).stdout.split("\0")
    return frozenset(name for name in listed if name and (HOUSE / name).is_file())


def build(folder: Path) -> Built:
    """The sdist, made from a copy of what git knows, and the wheel, made from the sdist alone."""
    files = known_to_git()
    for name in files:
        (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(HOUSE / name, folder / "source" / name)
    maker = environment(folder / "maker")
    install(maker, "setuptools>=77", folder=folder)
    made = f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    first = called(maker, "-W", "default", "-c", made, folder=folder / "source")
    (sdist,) = folder.glob("*.tar.gz")
    then = called(maker, "-m", "pip", "wheel", "-v", "--no-deps", "-w", folder, sdist, folder=folder)
    (wheel,) = folder.glob("*.whl")
    return Built(files, sdist, wheel, "\n".join((first.stdout, first.stderr, then.stdout, then.stderr)))


def another(name: str) -> str:
    """An interpreter by name or path, or a skip that says that it is missing."""
    found = shutil.which(name)
    if found is None or subprocess.run([found, "--version"], capture_output=True, check=False).returncode != 0:
        pytest.skip(f"{name} is not here: set GRPOCHECK_PYTHONS to the paths of the interpreters to try")
    return found
