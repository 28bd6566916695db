"""``python -m tests.packaging.licences LICENSES/THIRD-PARTY.md``: what is installed with grpocheck, and its licences.

The list is made from the metadata of the distributions that are installed, without versions: it changes when a
dependency comes, goes, or changes its licence.
"""

import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageMetadata, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HEAD = """\
# What is installed with grpocheck

Every distribution that `pip install grpocheck` brings, without extras, and the licence that its metadata states.
Made by `python -m tests.packaging.licences LICENSES/THIRD-PARTY.md`.

| distribution | licence |
|---|---|
"""
SAME = {
    "Apache": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: MIT License": "MIT",
    "License File": "MIT",
    "MIT License": "MIT",
    "MIT license": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSF": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""How older metadata words a licence, and its SPDX name."""


def needed(requirements: list[str], known: dict[str, str]) -> Iterator[str]:
    """The names that requirements lead to on this Python, each once, and their licences in ``known``."""
    for text in requirements:
        requirement = Requirement(text)
        name = canonicalize_name(requirement.name)
        if name in known or (requirement.marker is not None and not requirement.marker.evaluate({"extra": ""})):
            continue
        try:
            found = distribution(name)
        except PackageNotFoundError as error:
            raise LookupError(f"{name} is required and not installed") from error
        known[name] = licence_of(found.metadata)
        yield name
        yield from needed(found.requires or [], known)


def licence_of(metadata: PackageMetadata) -> str:
    """The licence that a distribution states: as an expression, in a word, or by its classifier."""
    classified = [
        line.rpartition(" :: ")[2] for line in metadata.get_all("Classifier") or [] if line.startswith("License ::")
    ]
    for stated in (metadata.get("License-Expression"), metadata.get("License"), *classified):
        if stated and "\n" not in stated and stated != "OSI Approved":
            return SAME.get(stated, stated)
    return "not stated"


def licences(requirements: list[str]) -> dict[str, str]:
    """Every distribution that requirements lead to, and its licence."""
    known: dict[str, str] = {}
    list(needed(requirements, known))
    return dict(sorted(known.items()))


def page(found: dict[str, str]) -> str:
    """The list."""
    return HEAD + "".join(f"| {name} | {licence} |\n" for name, licence in found.items())


def declared() -> list[str]:
    """What pyproject.toml requires at run time."""
    text = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    return list(tomllib.loads(text)["project"]["dependencies"])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(licences(declared())), encoding="utf-8")
