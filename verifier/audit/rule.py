"""What a rule is."""

from dataclasses import dataclass

from grpocheck.verifier.audit.findings import Severity


@dataclass(frozen=True)
class Rule:
    """A fault: its name, how much it matters, what is wrong where it is found, the claim it offends, what to do."""

    name: str
    severity: Severity
    claim: str | None
    says: str
    advice: str
    reads: str
    """What has to be there for it to be looked for."""
