"""What disappears from the code is missed: a contract, a piece of evidence, a harness, a theorem."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parent.parent.parent
ROOMS = ("contracts", "core", "proofs", "verifier")

# The losses of one claim, with only some modules of evidence run: those of the other kinds are of no interest here.
SCRIPT = """
import json, sys
from grpocheck.contracts.claims import select
from grpocheck.verifier.cache import Cache
from grpocheck.verifier.gathering import Settings
from grpocheck.verifier.ladder import verify
from grpocheck.verifier.verification import Quiet

def main():
    claim, kind, module = sys.argv[1:]
    report = verify(select([claim]), Settings(1, None, Cache(None), (module,)), Quiet())
    losses = [str(loss) for loss in report.losses if loss.kind == kind]
    print(json.dumps({"losses": losses, "status": report.exit_status}))

if __name__ == "__main__":
    main()
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The house, copied, importable under its installed name."""
    ignore = shutil.ignore_patterns("__pycache__", "extracted", "*.vo*", "*.glob", ".*")
    for room in (*ROOMS, "examples"):
        shutil.copytree(HOUSE / room, tmp_path / room, ignore=ignore)
    package = tmp_path / "site" / "grpocheck"
    shutil.copytree(HOUSE / "package", package, ignore=ignore)
    for room in ROOMS:
        (package / room).symlink_to(tmp_path / room)
    (tmp_path / "losses.py").write_text(SCRIPT)
    return tmp_path


def losses(copy: Path, claim: str, kind: str, module: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "losses.py", claim, kind, module],
        cwd=copy,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(copy / "site")},
    )
    found = json.loads(done.stdout)
    assert found["status"] == 1 or not found["losses"]
    return list(found["losses"])


def without(path: Path, text: str) -> None:
    source = path.read_text(encoding="utf-8")
    assert source.count(text) == 1, f"{path}: {source.count(text)} times {text!r}"
    path.write_text(source.replace(text, ""), encoding="utf-8")


@pytest.mark.slow
def test_a_deleted_contract_is_missed(copy: Path) -> None:
    evidence = ("B2", "contract", "grpocheck.proofs.examples")
    assert losses(copy, *evidence) == []
    contract = """\
@invariant(lambda self: are_standardised(self.advantages, self.deviation), "B2: the advantages are standardised")
"""
    without(copy / "core" / "frozen.py", contract)
    (loss,) = losses(copy, *evidence)
    assert "gone from the code" in loss


@pytest.mark.slow
def test_a_deleted_piece_of_evidence_is_missed(copy: Path) -> None:
    evidence = ("F1", "enumeration", "grpocheck.proofs.enumerated_definitions")
    assert losses(copy, *evidence) == []
    path = copy / "proofs" / "enumerated_definitions.py"
    source = path.read_text(encoding="utf-8")
    start = source.index('@evidence(\n    "F1"')
    path.write_text(source[:start] + source[source.index("def minima_never_cancel") :], encoding="utf-8")
    (loss,) = losses(copy, *evidence)
    assert loss.startswith("F1: 0 of 1 pieces of enumeration evidence held")
