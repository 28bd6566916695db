"""What pyproject.toml promises: bounds on both sides, the oldest and newest versions tested, and licences."""

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.packaging.licences import ALONE, EXTRAS, HOUSE, PROJECT, licence_of, listed
from tests.packaging.pinned import FILES, LOCKED, OLDEST

ALLOWED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
    "CNRI-Python", "ISC", "MIT", "MPL-2.0", "PSF-2.0", "Zlib",
}  # fmt: skip
"""Permissive ones, and MPL-2.0, which binds only who changes the files under it."""
NAMED_ABOVE_THE_LIST = re.compile(r"python-flint|yattag|nvidia-[a-z0-9-]+|cuda-toolkit|atheris")
"""The distributions whose other terms LICENSES/THIRD-PARTY.md tells of in words."""
LICENCES = listed((HOUSE / "LICENSES" / "THIRD-PARTY.md").read_text(encoding="utf-8"))


def pinned(name: str) -> dict[str, set[Version]]:
    """The versions that a file of requirements names: of some, another one for each Python."""
    lines = (HOUSE / "requirements" / name).read_text(encoding="utf-8").splitlines()
    found: dict[str, set[Version]] = {}
    for match in filter(None, (re.match(r"([A-Za-z0-9_.-]+)==([^ ;\\]+)", line) for line in lines)):
        found.setdefault(canonicalize_name(match[1]), set()).add(Version(match[2]))
    return found


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


@pytest.mark.parametrize("text", [*PROJECT["dependencies"], *(text for extra in OLDEST for text in EXTRAS[extra])])
def test_the_oldest_versions_are_the_lower_bounds(text: str) -> None:
    requirement, lower, _ = bounds(text)
    assert pinned("oldest.txt")[canonicalize_name(requirement.name)] == {lower}


@pytest.mark.parametrize("text", [*PROJECT["dependencies"], *(text for extra in LOCKED for text in EXTRAS[extra])])
def test_the_locked_versions_are_within_the_bounds(text: str) -> None:
    requirement = Requirement(text)
    locked = pinned("dev.lock")[canonicalize_name(requirement.name)]
    assert [version for version in locked if version not in requirement.specifier] == []


def test_every_locked_version_has_the_hashes_of_its_files() -> None:
    blocks = re.split(r"\n(?=[A-Za-z0-9])", (HOUSE / "requirements" / "dev.lock").read_text(encoding="utf-8"))
    entries = [block for block in blocks if "==" in block.splitlines()[0] and not block.startswith("#")]
    assert len(entries) > 40
    assert [block.splitlines()[0] for block in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}", block)] == []


@pytest.mark.parametrize("text", [text for extra in set(LOCKED) - set(OLDEST) for text in EXTRAS[extra]])
def test_what_is_tried_in_one_version_begins_there(text: str) -> None:
    requirement, lower, _ = bounds(text)
    assert lower is not None
    assert min(pinned("dev.lock")[canonicalize_name(requirement.name)]).release[:2] == lower.release[:2]


@pytest.mark.parametrize("name", FILES)
def test_no_file_of_requirements_says_where_packages_come_from(name: str) -> None:
    lines = (HOUSE / "requirements" / name).read_text(encoding="utf-8").splitlines()
    found = [line for line in lines if not line.startswith("#") and re.search(r"://|file:|^-|^/", line)]
    assert found == []


def named(texts: list[str]) -> Iterator[str]:
    """The distributions that requirements name, those of an extra of ours in place of the extra."""
    for requirement in map(Requirement, texts):
        if requirement.name != PROJECT["name"]:
            yield canonicalize_name(requirement.name)
        for extra in requirement.extras if requirement.name == PROJECT["name"] else ():
            yield from named(EXTRAS[extra])


def test_every_dependency_is_listed_with_its_licence() -> None:
    wanted = {(name, extra) for extra, texts in EXTRAS.items() for name in named(texts)}
    assert ("numpy", "ray") in wanted  # of the extra audit, which ray includes
    unlisted = {
        (name, brings) for name, brings in wanted if not {brings, ALONE} & LICENCES.get(name, ("", set[str]()))[1]
    }
    assert unlisted == set()
    alone = {name for name, (_, brings) in LICENCES.items() if ALONE in brings}
    assert set(named(PROJECT["dependencies"])) <= alone


def test_every_licence_is_permissive_or_spoken_of() -> None:
    assert len(LICENCES) > 100
    for name, (licence, brings) in LICENCES.items():
        if not set(re.split(" OR | AND ", licence)) <= ALLOWED:
            assert NAMED_ABOVE_THE_LIST.fullmatch(name), f"{name}: {licence}"
            assert ALONE not in brings, f"{name}: {licence}, and everyone gets it"


def installed(name: str) -> Distribution | None:
    """A distribution if it is here in the version that the list was made with."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return None
    return found if Version(found.version) in pinned("dev.lock").get(canonicalize_name(name), ()) else None


def test_what_is_installed_here_is_as_listed() -> None:
    """Of versions that are locked: what they state, and that what they require is listed as well."""
    here = {name: found for name in LICENCES if (found := installed(name)) is not None}
    wrong = {
        name: (licence_of(found.metadata.json), LICENCES[name][0])
        for name, found in here.items()
        if licence_of(found.metadata.json) != LICENCES[name][0]
    }
    assert wrong == {}
    required = [Requirement(text) for found in here.values() for text in found.requires or []]
    missing = {
        canonicalize_name(each.name)
        for each in required
        if each.marker is None or each.marker.evaluate({"extra": "", "python_version": "3.11"})
    } - set(LICENCES)
    assert missing == set()
