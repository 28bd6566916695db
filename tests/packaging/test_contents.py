"""What is in the sdist and in the wheel: all that belongs there, by name, and nothing else."""

import re
import tarfile
import tomllib
import zipfile

import pytest

from tests.packaging.environments import HOUSE, Built

pytestmark = pytest.mark.slow

PLACES: dict[str, str] = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"][
    "package-dir"
]
FOR_THE_CLONE = {".ci/run", ".gitignore", "proofs/coq/.gitignore"}
"""What is of use in a clone alone, and asked for by no test."""
MADE = re.compile(r"PKG-INFO|setup\.cfg|grpocheck\.egg-info/[^/]+|grpocheck-[0-9.]+\.dist-info/.+")


def test_the_sdist_holds_what_git_knows(built: Built) -> None:
    with tarfile.open(built.sdist) as packed:
        files = {member.name.partition("/")[2] for member in packed if member.isfile()}
    wanted = built.files - FOR_THE_CLONE
    assert wanted - files == set(), "MANIFEST.in leaves these out"
    assert {name for name in files - wanted if not MADE.fullmatch(name)} == set()


def test_the_wheel_holds_every_file_of_the_packages(built: Built) -> None:
    """Where a file belongs is computed here from package-dir alone, so that the list of packages can be wrong."""
    rooms = {folder: package.replace(".", "/") for package, folder in PLACES.items()}
    wanted = {
        f"{rooms[room]}/{rest}"
        for room, _, rest in (name.partition("/") for name in built.files - FOR_THE_CLONE)
        if room in rooms
    }
    with zipfile.ZipFile(built.wheel) as packed:
        files = set(packed.namelist())
        metadata = packed.read(next(name for name in files if name.endswith("/METADATA"))).decode()
    modules = sorted(name.removesuffix(".py").replace("/", ".") for name in wanted - files if name.endswith(".py"))
    assert modules == [], "modules that cannot be imported from the wheel"
    assert wanted - files == set()
    assert {name for name in files - wanted if not MADE.fullmatch(name)} == set()
    assert "\nLicense-Expression: Apache-2.0\n" in metadata
    assert "\nRequires-Python: >=3.11\n" in metadata


def test_nothing_is_deprecated_about_how_it_is_built(built: Built) -> None:
    assert len(built.printed) > 1000
    lines = [line for line in built.printed.splitlines() if re.search(r"deprecat|ambiguous|absent from", line, re.I)]
    assert lines == []
