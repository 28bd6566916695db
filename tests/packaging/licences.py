"""``python -m tests.packaging.licences LICENSES/THIRD-PARTY.md``: what is installed with grpocheck, and its licences.

pip says what it would install, for grpocheck alone and with each extra, and what the metadata of each distribution
states; nothing is installed, and of most only the metadata is fetched. The page has no versions: it changes when a
dependency comes, goes, or changes its licence. Made on Linux for x86-64 with Python 3.11.
"""

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name

HOUSE = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
ALONE = "grpocheck"
"""What stands in the page for an installation without extras."""

HEAD = """\
# What is installed with grpocheck

grpocheck contains nobody else's work. `pip install` brings these distributions beside it, alone or with an extra; the
licence is the one that the metadata of each states. As pip finds them on Linux for x86-64 with Python 3.11; elsewhere
the dependencies of dependencies may differ. Made by `python -m tests.packaging.licences LICENSES/THIRD-PARTY.md`.

What comes with grpocheck alone is permissive, or under MPL-2.0, which binds only who changes the files under it. Some
extras bring other terms: python-flint (extras fast and bench) contains FLINT, GMP and MPFR, and yattag (mutants) is a
library, under the LGPL; torch (trl and bench) brings NVIDIA's libraries, which are proprietary. "not stated" is what
metadata says nothing about: atheris brings the text of the Apache License 2.0, cuda-toolkit is a name for NVIDIA's.

| distribution | licence | comes with |
|---|---|---|
"""
ROW = re.compile(r"^\| ([a-z0-9-]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
SAME = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "GNU Library or Lesser General Public License (LGPL)": "LGPL",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "License :: OSI Approved :: MIT License": "MIT",
    "License File": "MIT",
    "MIT License": "MIT",
    "MIT license": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "NVIDIA Proprietary Software": "LicenseRef-NVIDIA-Proprietary",
    "PSF": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""How older metadata words a licence, and its SPDX name."""


def licence_of(metadata: Mapping[str, Any]) -> str:
    """The licence that a distribution states: as an expression, in a word, or by its classifier.

    Metadata as JSON, as pip reports it and as importlib.metadata gives it.
    """
    classified = [line.rpartition(" :: ")[2] for line in metadata.get("classifier", []) if line.startswith("License")]
    for stated in (metadata.get("license_expression"), metadata.get("license"), *classified):
        if stated and "\n" not in stated and stated != "OSI Approved":
            return SAME.get(stated, stated)
    return "not stated"


def resolved(python: Path, extra: str) -> dict[str, str]:
    """Every distribution that pip would install for grpocheck with an extra ("" for none), and its licence."""
    wanted = f"{HOUSE}[{extra}]" if extra else str(HOUSE)
    quiet = ["--quiet", "--disable-pip-version-check", "--dry-run", "--ignore-installed"]
    done = subprocess.run(
        [python, "-m", "pip", "install", *quiet, "--report", "-", wanted], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    stated = (item["metadata"] for item in json.loads(done.stdout)["install"])
    return {canonicalize_name(metadata["name"]): licence_of(metadata) for metadata in stated}


def page(found: dict[str, dict[str, str]]) -> str:
    """The list: of each distribution its licence, and which installations bring it. ``found`` has ALONE and extras."""
    licences = {name: licence for brought in found.values() for name, licence in brought.items()}
    del licences[canonicalize_name(PROJECT["name"])]
    lines = []
    for name, licence in sorted(licences.items()):
        extras = ", ".join(f"[{extra}]" for extra, brought in found.items() if name in brought)
        lines.append(f"| {name} | {licence} | {ALONE if name in found[ALONE] else extras} |\n")
    return HEAD + "".join(lines)


def listed(text: str) -> dict[str, tuple[str, set[str]]]:
    """The rows of the page: a distribution, its licence, and what it comes with (ALONE, or extras)."""
    rows = ROW.findall(text)[1:]  # without the heading
    return {name: (licence, set(re.findall(r"[a-z]+", brought))) for name, licence, brought in rows}


def made() -> str:
    """The page as pip of a new environment sees the world; needs the network."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        python = Path(folder) / "bin" / "python"
        # older ones leave the expression of a licence out of what they report
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1"], check=True)
        return page({ALONE: resolved(python, ""), **{extra: resolved(python, extra) for extra in EXTRAS}})


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(made(), encoding="utf-8")
