"""What a check of a property answers, and what it is asked in its turn while it works."""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from grpocheck.contracts.clauses import ENABLED


class Scope(StrEnum):
    """Over what a property is checked."""

    RUN = "run"
    """This run: every parameter or applied step of it, or its outcome."""
    DRAWS = "draws"
    """Every run that the draws of this problem can make."""
    SHAPE = "shape"
    """Every problem with as many prompts, responses, draws, steps and iterations as this one."""


class Verdict(StrEnum):
    """The three answers, never confused with one another."""

    HOLDS = "holds"
    """In every case of the scope, none left out."""
    REFUTED = "refuted"
    """In some case it is false, or has no value; the case was written to a problem file and run again from it."""
    UNDECIDED = "undecided"
    """Neither: the budget ended, a comparison was not decided, or there was nothing to look at."""


class Place(NamedTuple):
    """Where in a run: outer iteration, inner step, prompt and draw, each from 1; None for what does not apply."""

    t: int | None = None
    k: int | None = None
    prompt: int | None = None
    i: int | None = None

    def __str__(self) -> str:
        """Such as ``t = 1, k = 2, prompt 1, i = 3``."""
        parts = [("t = {}", self.t), ("k = {}", self.k), ("prompt {}", self.prompt), ("i = {}", self.i)]
        return ", ".join(pattern.format(part) for pattern, part in parts if part is not None) or "the outcome"


@dataclass(frozen=True)
class Result:
    """The answer of a check."""

    property: str
    """As it was read: a property without quantifiers for its responses has them here."""
    scope: Scope
    verdict: Verdict
    method: str
    """How it was found: evaluation, enumeration, search, symbolic or none."""
    scope_text: str
    """For what it is the answer."""
    cases: int
    """How many cases were looked at."""
    stands_for: int | None = None
    """For how many these stand, the order of the draws regarded."""
    counterexample: str | None = None
    """A problem file whose run refutes it."""
    at: Place | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    """The quantities at that place, exactly; an enclosed one as [lower, upper]."""
    reason: str = ""
    undefined: bool = False
    """Whether it is refuted for having no value there (a division by 0, say)."""
    seconds: float = 0.0
    contracts: bool = ENABLED
    """Whether the contracts of core were on."""

    def to_mapping(self) -> dict[str, Any]:
        """The result for programs."""
        return {**asdict(self), "at": None if self.at is None else self.at._asdict(), "values": dict(self.values)}


def result_from_mapping(mapping: Mapping[str, Any]) -> Result:
    """The result that a mapping states."""
    fields = dict(mapping)
    at = None if fields["at"] is None else Place(**fields["at"])
    return Result(**{**fields, "at": at, "scope": Scope(fields["scope"]), "verdict": Verdict(fields["verdict"])})


class Stopped(Exception):  # noqa: N818 - not an error: what was found so far counts
    """A check that ends before it is through; the message says why."""


Progress = Callable[[int, int], None]
"""Told how many cases are done, of how many; 0 where that is not known."""


@dataclass
class Watch:
    """The seconds that a check has, who is told how far it is, and who may stop it."""

    budget: float | None = None
    progress: Progress | None = None
    cancelled: Callable[[], bool] | None = None
    started: float = field(default_factory=time.monotonic)

    @property
    def elapsed(self) -> float:
        """Seconds so far."""
        return time.monotonic() - self.started

    @property
    def left(self) -> float | None:
        """Seconds that are left; None for no limit."""
        return None if self.budget is None else self.budget - self.elapsed

    def look(self) -> None:
        """Raise Stopped when the budget is spent or the check is cancelled."""
        if self.cancelled is not None and self.cancelled():
            raise Stopped("cancelled")
        if self.budget is not None and self.elapsed > self.budget:
            raise Stopped(f"the budget of {self.budget:g} s is spent")

    def tell(self, done: int, total: int) -> None:
        """Say how far the check is, and look."""
        if self.progress is not None:
            self.progress(done, total)
        self.look()
