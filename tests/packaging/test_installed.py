"""The wheel and the sdist in empty environments, with the newest and the oldest versions, away from the sources."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.packaging.environments import HOUSE, OTHERS, Built, another, called, environment, install

pytestmark = pytest.mark.slow

SMOKE = """\
import importlib, importlib.util, pkgutil, grpocheck.contracts, grpocheck.core, grpocheck.verifier
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
rooms = ("contracts", "core", "examples", "package", "proofs", "tests", "verifier")
print("imported; at top level:", [room for room in rooms if importlib.util.find_spec(room)])
"""
PLACE = "import grpocheck.examples; print(*grpocheck.examples.__path__)"
TOUCHED = ["arithmetic", "problem", "fast", "symbolic/test_parts.py", "audit/test_formats.py"]
"""The tests that lean on what may be old: mpmath, flint, hypothesis, crosshair, numpy, pyarrow."""


def works(python: Path, folder: Path, audits: bool, claims: Sequence[str] = ("N4",)) -> None:
    """Everything can be imported, and the commands work in a folder with nothing in it, on the examples installed."""
    folder.mkdir()
    assert called(python, "-c", SMOKE, folder=folder).stdout == "imported; at top level: []\n"
    command = python.parent / "grpocheck"
    examples = Path(called(python, "-c", PLACE, folder=folder).stdout.strip())
    assert "verify" in called(command, "--help", folder=folder).stdout
    assert "'PROBLEM'" in called(command, "run", folder=folder, status=2).stderr  # old ones of typer called it None
    trace = ["--trace", "t.jsonl", "--json"]
    outcome = json.loads(called(command, "run", examples / "undefined_gradient.toml", *trace, folder=folder).stdout)
    assert outcome["status"] == "undefined-gradient"
    assert outcome["theta"] == ["3/5"]
    assert ": right" in called(command, "check", "t.jsonl", folder=folder).stdout
    called(command, "replay", "t.jsonl", folder=folder)
    called(command, "new", "bernoulli", "--out", "mine.toml", folder=folder)
    called(command, "run", "mine.toml", folder=folder)
    called(command, "lesson", "budget", folder=folder)
    called(command, "studio", "--help", folder=folder)
    log = ["audit", examples / "audit" / "run.jsonl", "--json"]
    if audits:
        assert json.loads(called(command, *log, folder=folder, status=1).stdout)["findings"]
    else:
        assert "pip install '.[audit]' in a clone" in called(command, *log, folder=folder, status=2).stderr
    verify = ["verify", *claims, "--jobs", "1", "--cache", "cache", "--json", "-"]
    # no proof checker is found here: making the proofs is minutes of another program, and done elsewhere
    report = json.loads(called(command, *verify, folder=folder, PATH=python.parent).stdout)
    statuses = {entry["id"]: entry["status"] for entry in (*report["claims"], *report["non_claims"])}
    assert statuses == {claim: "refuted" if claim.startswith("N") else "held" for claim in claims}


def test_the_newest_versions(built: Built, tmp_path: Path) -> None:
    """The wheel, as ``pip install grpocheck`` takes it."""
    python = environment(tmp_path / "venv")
    install(python, built.wheel, folder=tmp_path)
    works(python, tmp_path / "empty", audits=False)


def test_the_oldest_versions(built: Built, tmp_path: Path) -> None:
    """The sdist with what it needs to be tested, its commands, and its tests that lean on what may be old."""
    python, oldest = environment(tmp_path / "venv"), HOUSE / "requirements" / "oldest.txt"
    sources = built.unpacked(tmp_path / "unpacked")
    install(python, "-c", oldest, f"{sources}[dev,fast]", folder=tmp_path)
    works(python, tmp_path / "empty", audits=True)
    tests = [f"tests/{name}" for name in (*TOUCHED, "packaging")]
    called(python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests, folder=sources)


@pytest.mark.parametrize("name", OTHERS)
def test_another_python(name: str, built: Built, tmp_path: Path) -> None:
    python = environment(tmp_path / "venv", another(name))
    install(python, built.wheel, folder=tmp_path)
    works(python, tmp_path / "empty", audits=False, claims=["B1", "N4"])  # two minutes
