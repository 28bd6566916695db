"""The command ``vectors``: test vectors, written to a file."""

import json
from pathlib import Path
from typing import Any

from grpocheck.verifier.failures import emit
from grpocheck.verifier.files import check_writable, write_text
from grpocheck.verifier.printing import printable
from grpocheck.verifier.progress import progress_bar
from grpocheck.verifier.vectors.making import number_of_steps, vectors


def write_vectors(out: Path, as_json: bool = False) -> int:
    """Write the test vectors and say how many there are; 0."""
    check_writable("OUT", out, "test vectors")
    with progress_bar("vectors", number_of_steps()) as advance:
        document = vectors(advance)
    write_text(out, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    summary = summary_of(document, out)
    if as_json:
        emit(json.dumps(summary, indent=2))
    else:
        emit(
            f"{printable(out)}: {summary['cases']} cases, {summary['variants']} variants, {summary['outputs']} outputs "
            f"({summary['schema']})"
        )
    return 0


def summary_of(document: dict[str, Any], out: Path) -> dict[str, Any]:
    """What was written."""
    batches = [case for case in document["cases"] if case["kind"] == "objective"]
    return {
        "file": str(out),
        "schema": document["schema"],
        "cases": len(document["cases"]),
        "variants": len(document["variants"]),
        "outputs": sum(len(case["expected"]) for case in batches) + len(document["cases"]) - len(batches),
    }
