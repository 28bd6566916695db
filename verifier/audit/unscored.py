"""Responses without a reward beside scored ones: by which reading of them the advantages of their group follow."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from grpocheck.verifier.audit import bounds
from grpocheck.verifier.audit.bounds import DOUBLE, Groups
from grpocheck.verifier.audit.candidates import Candidate
from grpocheck.verifier.audit.findings import Findings, counted
from grpocheck.verifier.audit.grouping import Seats
from grpocheck.verifier.audit.model import Booleans, Floats, Table
from grpocheck.verifier.audit.rules import seen

MOST_BATCHES = 1000
"""Batches with such responses that are kept to be looked at; of the others only the place is said."""


@dataclass(frozen=True)
class Unscored:
    """A batch in which a response has no reward."""

    table: Table
    seats: Seats
    groups: Groups

    @property
    def logged(self) -> Floats | None:
        """The advantages of the groups, 0 where a group has fewer responses; None where they were not logged."""
        advantages = self.table.advantages
        return None if advantages is None else np.where(self.groups.there, advantages[self.seats.rows], 0.0)

    def follows(self, best: Candidate, groups: Groups) -> Booleans:
        """The groups whose logged advantages are those of a rule, up to float error."""
        logged = self.logged
        assert logged is not None
        weights = np.array(best.weights)
        there = bounds.advantages(groups, weights, best.rule, self.table.unit_roundoff)
        here = bounds.advantages(groups, weights, best.rule, DOUBLE)
        room = there.error + here.error + self.table.unit_roundoff * np.abs(here.value)
        with np.errstate(invalid="ignore"):
            return np.asarray((~groups.there | (np.abs(logged - here.value) <= room)).all(axis=1))

    def take(self, best: Candidate, looked: bool, findings: Findings) -> None:
        """Say of each response without a reward what its group's advantages follow from."""
        lost = self.groups.there & ~self.groups.scored
        outside: Any = None
        if self.table.advantages is not None and looked:
            as_zero = np.where(lost[:, :, None], 0.0, self.groups.rewards)
            outside = self.follows(best, self.groups)
            inside = self.follows(best, Groups(as_zero, self.groups.there))
        for group, place in zip(*np.nonzero(lost), strict=True):
            size, scored = int(self.groups.there[group].sum()), int(self.groups.scored[group].sum())
            said = (
                f"nan from every function, in the group of {size} at {self.table.group_at(self.row(group, 0)).within}"
            )
            if outside is not None and not np.isinf(self.groups.rewards[group]).any():
                others = counted(scored, "other response")
                said += f"; advantages were recomputed from the {others} by {best.name}: the logged ones follow "
                said += reading_of(bool(outside[group]), bool(inside[group]))
            findings.add(seen("response-unscored", self.table.where(self.row(group, place)), "a reward", said))

    def row(self, group: int, place: int) -> int:
        """The row of a response."""
        return int(self.seats.rows[group, place])


def reading_of(outside: bool, inside: bool) -> str:
    """What the logged advantages follow, in words."""
    if outside and inside:
        return "that, and also what a reward of 0 in its place would give"
    if outside:
        return "that, and not what a reward of 0 in its place would give"
    return "not that but a reward of 0 in its place" if inside else "neither that nor a reward of 0 in its place"
