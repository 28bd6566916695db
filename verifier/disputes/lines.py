"""What became of a number of a case."""

from dataclasses import dataclass
from enum import Enum
from typing import Any


class Verdict(Enum):
    """What became of a number: it agrees, it differs, or it is open what it should be."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Line:
    """One number of a case: what the case states, what was found, whether they agree, and how it was found."""

    side: str
    name: str
    stated: Any
    found: Any
    verdict: Verdict
    how: str
    note: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the number is the case's."""
        return self.verdict is Verdict.AGREES
