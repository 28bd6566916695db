"""What a symbolic check says of one postcondition of one harness."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from grpocheck.contracts.claims import claims_named_in
from grpocheck.proofs.symbolic.values import Json


class Verdict(StrEnum):
    """The answers, never confused with one another: only the first is evidence for a claim."""

    CONFIRMED = "confirmed"
    """It holds on every path, at least one path was gone, and none was left open."""

    REFUTED = "refuted"
    """A counterexample, replayed on concrete numbers, breaks it."""

    UNDECIDED = "undecided"
    """Something was left open: the budget, the solver, a callee, or a counterexample that does not replay."""

    NEVER_HELD = "unsatisfiable-precondition"
    """No argument satisfies the precondition, so that nothing was checked."""

    ERROR = "error"
    """The check could not be made, or could not be trusted."""


@dataclass(frozen=True)
class Counterexample:
    """Arguments that break a postcondition: exact numbers as text, tuples as lists; and what they give."""

    arguments: Mapping[str, Json]
    found: str


@dataclass(frozen=True)
class Finding:
    """What a worker found, before any replay and before the verdicts on callees are known."""

    verdict: Verdict
    detail: str = ""
    """Why it is not confirmed."""
    paths: int = 0
    seconds: float = 0.0
    arguments: Mapping[str, Json] | None = None
    """Of a refutation: the arguments, still to be replayed."""
    callees: tuple[str, ...] = ()
    """Functions with contracts of their own that were called on the way: module and name."""


@dataclass(frozen=True)
class Result:
    """The verdict on one postcondition of one harness."""

    harness: str
    """Module and function."""
    postcondition: str
    size: str
    verdict: Verdict
    detail: str
    seconds: float
    paths: int
    counterexample: Counterexample | None = None
    callees: tuple[str, ...] = ()

    @property
    def claims(self) -> tuple[str, ...]:
        """The identifiers that the postcondition starts with."""
        return claims_named_in(self.postcondition)
