"""A finding: what is wrong, where, what was expected and found, how far apart they are, and what to do about it.

Many rows of one run that have the same fault are one finding: it counts them, and names the first and the worst of
them; the next few stand in its detail.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

MOST_EXAMPLES = 5
MOST_PLACES = 24
"""Places of a finding that are kept; of the others it is said how many occurrences there are."""


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
    """A place in the input: a file and, where there is one, its row, counted from 0; in JSON Lines that is a line.

    ``response`` counts the responses of a line from 1, where a line holds several. People are shown lines counted from
    1, as their editors count them, and rows of tables and of arrays from 0, as what reads those counts them.
    """

    file: str
    row: int | None = None
    response: int | None = None

    @property
    def of_lines(self) -> bool:
        """Whether the file is one of JSON Lines."""
        return self.file.endswith(".jsonl")

    @property
    def within(self) -> str:
        """The place within its file; empty where it is the whole file."""
        if self.row is None:
            return ""
        if self.of_lines:
            return f"line {self.row + 1}" + ("" if self.response is None else f", response {self.response}")
        return f"row {self.row} (from 0)"

    def to_mapping(self) -> dict[str, Any]:
        """The place as JSON has it: line and response count from 1, a row from 0."""
        if self.of_lines and self.row is not None:
            response = {} if self.response is None else {"response": self.response}
            return {"file": self.file, "line": self.row + 1, **response}
        return {"file": self.file, "row": self.row}

    def __str__(self) -> str:
        """The place for people."""
        return f"{self.file}, {self.within}" if self.within else self.file


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
    advice: str = ""
    """What to do about it."""
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
    places: dict[Where, int] = field(default_factory=dict)
    """How many occurrences there are at each place, of the first MOST_PLACES places."""

    def __post_init__(self) -> None:
        """The only occurrence is the worst, until another comes."""
        if self.worst is None:
            self.worst = self.first
        if not self.examples:
            self.examples = [self.first]
        if not self.places:
            self.places = {self.first.where: self.count}

    @property
    def rule(self) -> str:
        """The name of the rule that is broken."""
        return self.first.rule

    @property
    def severity(self) -> Severity:
        """How much it matters."""
        return self.first.severity

    @property
    def advice(self) -> str:
        """What to do about it: that of the first occurrence."""
        return self.first.advice

    def absorb(self, other: "Finding") -> None:
        """Count the occurrences of another finding as occurrences of this one."""
        self.count += other.count
        if order(other.worst) > order(self.worst):
            self.worst = other.worst
        self.examples = (self.examples + other.examples)[:MOST_EXAMPLES]
        for where, count in other.places.items():
            if where in self.places or len(self.places) < MOST_PLACES:
                self.places[where] = self.places.get(where, 0) + count

    @property
    def unplaced(self) -> int:
        """How many occurrences are at none of the places."""
        return self.count - sum(self.places.values())

    def elsewhere(self) -> str:
        """Where the occurrences after the first are; empty where it is the only one, or all are at its place."""
        first, *others = self.places
        lines: dict[tuple[str, int | None], list[Where]] = {}
        for where in others:
            lines.setdefault((where.file, where.row), []).append(where)
        said, file = [], first.file
        for (_, row), of_line in lines.items():
            responses = [str(where.response) for where in of_line if where.response is not None]
            words = str(Where(of_line[0].file, row)) if of_line[0].file != file else Where(file, row).within
            several = "response" if len(responses) == 1 else "responses"
            said.append(words + (f", {several} {', '.join(responses)}" if responses else ""))
            file = of_line[0].file
        if self.unplaced:
            said.append(f"and {self.unplaced} more")
        return "; ".join(said)


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
