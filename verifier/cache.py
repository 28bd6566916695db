"""Findings kept from one verification to the next, each under the digest of what it depends on.

Only decided findings are kept: what was undecided or could not run is tried again.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from grpocheck.proofs.evidence import Finding, Verdict
from grpocheck.verifier.files import write_text
from grpocheck.verifier.workers import Outcome


class Cache:
    """A folder of findings, one JSON file for each digest; without a folder it keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        """The cache in a folder, which is made when the first finding is kept."""
        self.folder = folder

    def get(self, key: str) -> Outcome | None:
        """What was kept under a digest; None where there is nothing, or a file that this version did not write."""
        if self.folder is None or not (self.folder / f"{key}.json").is_file():
            return None
        try:
            kept = json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
            findings = {
                claim: Finding(**{**fields, "verdict": Verdict(fields["verdict"])})
                for claim, fields in kept["findings"].items()
            }
            return Outcome(findings, float(kept["seconds"]))
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None

    def put(self, key: str, outcome: Outcome) -> None:
        """Keep an outcome under a digest, if every finding of it is decided."""
        if self.folder is None or not all(decided(finding) for finding in outcome.findings.values()):
            return
        findings: Mapping[str, object] = {claim: asdict(finding) for claim, finding in outcome.findings.items()}
        self.folder.mkdir(parents=True, exist_ok=True)
        content = {"findings": findings, "seconds": outcome.seconds}
        write_text(self.folder / f"{key}.json", json.dumps(content, indent=1))


def decided(finding: Finding) -> bool:
    """Whether a finding holds or refutes."""
    return finding.verdict in (Verdict.HELD, Verdict.REFUTED)
