"""What the rungs of the ladder share: how to verify, who watches, and the rows that each piece of evidence becomes."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Protocol

from grpocheck.verifier.cache import Cache
from grpocheck.verifier.evidence.report import Row

Rows = Mapping[str, Row]
"""What one piece of evidence says, claim by claim."""


class Watcher(Protocol):
    """Someone who watches a verification: a progress bar, or a test."""

    def planned(self, pieces: int) -> None:
        """So many more pieces of evidence are going to be looked at."""
        ...

    def progressed(self, name: str, done: int, total: int) -> None:
        """A piece of evidence is this far."""
        ...

    def finished(self, rows: Rows) -> None:
        """A piece of evidence has its findings."""
        ...


@dataclass(frozen=True)
class Settings:
    """How to verify: at most ``jobs`` processes; seconds for each piece (its own if None); where findings are kept."""

    jobs: int
    seconds: float | None
    cache: Cache
    modules: tuple[str, ...] | None = None
    """The modules of evidence; None: all of them, and the symbolic harnesses."""
    executor: Executor | None = None
    """Who runs the pieces; None: processes of this machine."""


def verdicts_of(rows: Rows) -> str:
    """The verdicts that a piece of evidence has on its claims, in a few words."""
    return ", ".join(sorted({row.finding.verdict.value for row in rows.values()})) or "nothing"
