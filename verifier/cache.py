"""Findings kept from one verification to the next, each under the digest of what it depends on.

Only decided findings are kept: what was undecided or could not run is tried again.
"""

from dataclasses import asdict
from pathlib import Path

from grpocheck.proofs.evidence import Finding, Verdict
from grpocheck.verifier.keeping import Keep
from grpocheck.verifier.workers import Outcome

OPTION = "--cache"


class Cache:
    """A folder of findings, one file for each digest; without a folder it keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        """The findings in a folder, which is made; raises BadOption where nothing can be written there."""
        self.keep = Keep(folder, OPTION)

    def get(self, key: str) -> Outcome | None:
        """What was kept under a digest; None where there is nothing, or a file that this version did not write."""
        kept = self.keep.get(key)
        try:
            findings = {
                claim: Finding(**{**fields, "verdict": Verdict(fields["verdict"])})
                for claim, fields in kept["findings"].items()
            }
            return Outcome(findings, float(kept["seconds"]))
        except (ValueError, TypeError, KeyError, AttributeError):
            return None

    def put(self, key: str, outcome: Outcome) -> None:
        """Keep an outcome under a digest, if every finding of it is decided."""
        if all(decided(finding) for finding in outcome.findings.values()):
            findings = {claim: asdict(finding) for claim, finding in outcome.findings.items()}
            self.keep.put(key, {"findings": findings, "seconds": outcome.seconds})


def decided(finding: Finding) -> bool:
    """Whether a finding holds or refutes."""
    return finding.verdict in (Verdict.HELD, Verdict.REFUTED)
