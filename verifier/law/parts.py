"""What is kept of groups and of outer iterations while they are put together from parts that several share."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from grpocheck.core.arithmetic import Scalar
from grpocheck.core.frozen import Group
from grpocheck.core.outcome import Status
from grpocheck.verifier.law.register import Known, Own, Owns, Value


class Place:
    """One prompt's group at a parameter, and what core answered of it there."""

    __slots__ = ("group", "known", "own")

    def __init__(self, own: Own, group: Group) -> None:
        """A group where the prompt's own parameters are these."""
        self.own, self.group = own, group
        self.known: Known = {}


class Drawn:
    """A group with given counts, the calls that it took, its probability, and the places that it is looked at from."""

    __slots__ = ("at", "calls", "group", "probability")

    def __init__(self, group: Group, calls: int, chance: Scalar) -> None:
        """As it was drawn."""
        self.group, self.calls, self.probability = group, calls, chance
        self.at: dict[Own, Place] = {}

    def place(self, own: Own) -> Place:
        """The group at a parameter."""
        found = self.at.get(own)
        if found is None:
            found = self.at[own] = Place(own, self.group)
        return found


@dataclass(frozen=True, slots=True)
class Step:
    """What the law asks of an inner step: its status, the parameter after it, F there if it was applied."""

    status: Status
    owns: Owns
    value: Value | None


@dataclass(frozen=True, slots=True)
class Found:
    """One outer iteration for groups with given counts; ``calls`` is its ledger, packed."""

    drawn: Sequence[Drawn]
    at_start: Value
    steps: Sequence[Step]
    calls: int

    @property
    def probability(self) -> Scalar:
        """The probability of the counts."""
        return prod((each.probability for each in self.drawn), start=Fraction(1))

    @property
    def status(self) -> Status:
        """How the outer iteration ended."""
        return self.steps[-1].status

    @property
    def owns(self) -> Owns:
        """The parameter that it ended with, prompt by prompt."""
        return self.steps[-1].owns

    @property
    def last(self) -> Value | None:
        """F after the last applied step; None where none was applied."""
        return next((step.value for step in reversed(self.steps) if step.value is not None), None)
