"""A finding: what is wrong, where, what was expected and found, how far apart they are, and what to do about it.

Many rows of one run that have the same fault are one finding: it counts them, and names the first and the worst of
them; the next few stand in its detail.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

MOST_EXAMPLES = 5


class Severity(StrEnum):
    """How much a finding matters: an error and a warning make the audit fail, a note does not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def counts(self) -> bool:
        """Whether a finding of this severity makes the audit fail."""
        return self is not Severity.NOTE


@dataclass(frozen=True)
class Where:
    """A place in the input: a file and, where there is one, its row (or line, or position), counted from 0."""

    file: str
    row: int | None = None

    def to_mapping(self) -> dict[str, Any]:
        """The place as JSON has it."""
        return {"file": self.file, "row": self.row}

    def __str__(self) -> str:
        """The place for people."""
        return self.file if self.row is None else f"{self.file}, row {self.row}"


@dataclass(frozen=True)
class Observation:
    """One occurrence of a fault. ``distance`` orders occurrences: the largest is the worst (nan counts as largest)."""

    rule: str
    severity: Severity
    where: Where
    what: str
    expected: str
    found: str
    distance: float = 0.0
    far: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    apart: str = ""
    """Occurrences with the same rule and severity of a run are one finding, unless this tells them apart."""


@dataclass
class Finding:
    """Occurrences of one fault in one run, read as one."""

    first: Observation
    run: str
    count: int = 1
    worst: Observation = None  # type: ignore[assignment]
    examples: list[Observation] = field(default_factory=list)

    def __post_init__(self) -> None:
        """The only occurrence is the worst, until another comes."""
        if self.worst is None:
            self.worst = self.first
        if not self.examples:
            self.examples = [self.first]

    @property
    def rule(self) -> str:
        """The name of the rule that is broken."""
        return self.first.rule

    @property
    def severity(self) -> Severity:
        """How much it matters."""
        return self.first.severity

    def absorb(self, other: "Finding") -> None:
        """Count the occurrences of another finding as occurrences of this one."""
        self.count += other.count
        if order(other.worst) > order(self.worst):
            self.worst = other.worst
        self.examples = (self.examples + other.examples)[:MOST_EXAMPLES]


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number of things."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def order(observation: Observation) -> float:
    """The place of an occurrence among the others: a distance that is no number comes last."""
    return observation.distance if observation.distance == observation.distance else float("inf")


class Findings:
    """Findings as they come in, occurrences of one kind put together."""

    def __init__(self, run: str) -> None:
        """None yet; ``run`` names the run that they are of."""
        self.run = run
        self._found: dict[tuple[str, str, str, str], Finding] = {}

    def add(self, observation: Observation, count: int = 1) -> None:
        """Take an occurrence (or ``count`` of them of which this one stands for all) in."""
        self.take(Finding(observation, self.run, count))

    def take(self, finding: Finding) -> None:
        """Take a finding in."""
        key = (finding.run, finding.rule, finding.severity.value, finding.first.apart)
        if key in self._found:
            self._found[key].absorb(finding)
        else:
            self._found[key] = finding

    def extend(self, findings: Iterable[Finding]) -> None:
        """Take findings in."""
        for finding in findings:
            self.take(finding)

    def has(self, *rules: str) -> bool:
        """Whether any of the rules is broken so far."""
        return any(finding.rule in rules for finding in self._found.values())

    def all(self) -> list[Finding]:
        """The findings, errors first, then in the order in which they came."""
        severities = list(Severity)
        return sorted(self._found.values(), key=lambda finding: severities.index(finding.severity))
