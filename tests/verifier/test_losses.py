"""What disappears from the code is missed: a contract, whether it is evaluated or not, and a piece of evidence."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from grpocheck.contracts.claims import CORE, STATED, select
from grpocheck.contracts.coverage import Coverage, contract_coverage
from grpocheck.verifier.evidence.report import Report, assemble
from grpocheck.verifier.evidence.summary import verdict

HOUSE = Path(__file__).resolve().parent.parent.parent
ROOMS = ("contracts", "core", "proofs", "verifier")

# The losses of one claim, with only some modules of evidence run: those of the other kinds are of no interest here.
SCRIPT = """
import json, sys
from grpocheck.contracts.claims import select
from grpocheck.verifier.cache import Cache
from grpocheck.verifier.evidence.gathering import Settings
from grpocheck.verifier.evidence.ladder import verify
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
    counted, evaluated, whole = losses(copy, *evidence)
    assert counted.startswith(f"B2: {STATED['B2'] - 1} of {STATED['B2']} contracts of core name it: the rest is gone")
    assert "gone from the code" in evaluated
    assert whole.startswith(f"core: {STATED[CORE] - 1} of {STATED[CORE]} contracts are there")


@pytest.mark.slow
def test_a_deleted_contract_that_no_example_evaluates_is_missed(copy: Path) -> None:
    contract = """\
@require(lambda value: below(0, value), "B3: a ratio is positive")
"""
    without(copy / "core" / "variants" / "ratios.py", contract)
    loss, whole = losses(copy, "B3", "contract", "grpocheck.proofs.examples")
    assert whole.startswith("core: ")
    assert loss.startswith(f"B3: {STATED['B3'] - 1} of {STATED['B3']} contracts of core name it")


def test_each_contract_that_names_a_claim_is_counted(tmp_path: Path) -> None:
    """Whichever of them is deleted, the count of its claims falls, and the loss is reported on their rows."""
    alone = tmp_path / "core" / "alone.py"  # one file at a time: what the others state does not change
    alone.parent.mkdir()
    tried = 0
    for path in sorted((HOUSE / "core").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        alone.write_text(source, encoding="utf-8")
        whole = Counter(contract_coverage(alone.parent).stated)
        lines = source.splitlines(keepends=True)
        for node in ast.walk(ast.parse(source)):
            for decorator in getattr(node, "decorator_list", []):
                text = ast.get_source_segment(source, decorator) or ""
                named = re.search(r'"((?:[A-GN]\d)(?:, [A-GN]\d)*): ', text)
                if named is None:
                    continue
                rest = [*lines[: decorator.lineno - 1], *lines[decorator.end_lineno :]]
                alone.write_text("".join(rest), encoding="utf-8")
                counted = Counter(contract_coverage(alone.parent).stated)
                for claim in named[1].split(", "):
                    assert counted[claim] == whole[claim] - 1, f"{path}: {text}"
                tried += 1
    assert tried > 100
    fewer = {**STATED, "B2": STATED["B2"] - 1}
    (entry,) = assemble(select(["B2"]), [], Coverage(1, 1, (), (), fewer))
    assert f"B2: {fewer['B2']} of {STATED['B2']} contracts of core name it" in str(entry.losses()[0])
    assert str(verdict(entry)).endswith("lost")
    report = Report("0", (entry,), Coverage(1, 1, (), (), {**STATED, CORE: STATED[CORE] - 1}), 1.0)
    assert report.exit_status == 1
    assert any(str(loss).startswith("core: ") for loss in report.losses)


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
