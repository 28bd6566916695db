"""What pyproject.toml promises: bounds on both sides, the oldest versions that are tested, licences that are known."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.packaging.licences import declared, licences, page

HOUSE = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
ALLOWED = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC License", "MIT", "MPL-2.0", "PSF-2.0"}
"""Permissive ones, and MPL-2.0, which binds only who changes the files under it."""


def pinned(name: str) -> dict[str, Version]:
    """The versions that a file of requirements names."""
    lines = (HOUSE / "requirements" / name).read_text(encoding="utf-8").splitlines()
    found = [re.match(r"([A-Za-z0-9_.-]+)==([^ ;\\]+)", line) for line in lines]
    return {canonicalize_name(match[1]): Version(match[2]) for match in found if match is not None}


def bounds(text: str) -> tuple[Requirement, Version | None, bool]:
    """A requirement, its lower bound, and whether it has an upper one."""
    requirement = Requirement(text)
    lower = [Version(part.version) for part in requirement.specifier if part.operator in (">=", "==")]
    upper = any(part.operator in ("<", "==") for part in requirement.specifier)
    return requirement, max(lower, default=None), upper


OTHERS = [text for texts in EXTRAS.values() for text in texts if not text.startswith("grpocheck")]


@pytest.mark.parametrize("text", [*PROJECT["dependencies"], *OTHERS])
def test_every_dependency_ends_somewhere(text: str) -> None:
    requirement, lower, upper = bounds(text)
    assert upper, f"{text}: no upper bound"
    assert lower is not None or requirement.name in ("transformers", "datasets", "accelerate")  # trl's


@pytest.mark.parametrize("text", [*PROJECT["dependencies"], *EXTRAS["fast"], *EXTRAS["dev"]])
def test_the_oldest_versions_are_the_lower_bounds(text: str) -> None:
    requirement, lower, _ = bounds(text)
    assert pinned("oldest.txt")[canonicalize_name(requirement.name)] == lower


@pytest.mark.parametrize("text", [*PROJECT["dependencies"], *EXTRAS["fast"], *EXTRAS["dev"], *EXTRAS["mutants"]])
def test_the_locked_versions_are_within_the_bounds(text: str) -> None:
    requirement = Requirement(text)
    assert pinned("dev.lock")[canonicalize_name(requirement.name)] in requirement.specifier


def test_every_locked_version_has_the_hashes_of_its_files() -> None:
    blocks = re.split(r"\n(?=[A-Za-z0-9])", (HOUSE / "requirements" / "dev.lock").read_text(encoding="utf-8"))
    entries = [block for block in blocks if "==" in block.splitlines()[0] and not block.startswith("#")]
    assert len(entries) > 40
    assert [block.splitlines()[0] for block in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}", block)] == []


@pytest.mark.parametrize("name", ["dev.lock", "oldest.txt"])
def test_no_file_of_requirements_says_where_packages_come_from(name: str) -> None:
    lines = (HOUSE / "requirements" / name).read_text(encoding="utf-8").splitlines()
    found = [line for line in lines if not line.startswith("#") and re.search(r"://|file:|^-|^/", line)]
    assert found == []


def test_the_licences_of_what_is_installed_with_it_are_known() -> None:
    """The list was made where the newest versions are; here each licence has to be one that is allowed."""
    found = licences(declared())
    words = {name: licence.replace(" OR ", " AND ").split(" AND ") for name, licence in found.items()}
    assert {name: licence for name, licence in words.items() if not set(licence) <= ALLOWED} == {}
    listed = (HOUSE / "LICENSES" / "THIRD-PARTY.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([a-z0-9-]+) \| ([^|]+) \|$", listed, re.MULTILINE))
    assert set(map(canonicalize_name, (Requirement(text).name for text in declared()))) <= set(rows)
    assert set(rows.values()) - {"licence", "---"} <= ALLOWED | {"Apache-2.0 OR BSD-2-Clause"}
    newest = {name: pin for name, pin in pinned("dev.lock").items() if name in found}
    if all(Version(version(name)) == pin for name, pin in newest.items()):
        assert listed == page(found)
