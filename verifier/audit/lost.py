"""Generation batches of a log in our own format that lack groups, and those that are missing between others."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from grpocheck.verifier.audit.budget import rows_of_a_batch
from grpocheck.verifier.audit.findings import Findings, Where, counted
from grpocheck.verifier.audit.logs import steps_per_batch
from grpocheck.verifier.audit.model import Table
from grpocheck.verifier.audit.readers.lines import torn_line
from grpocheck.verifier.audit.rules import seen
from grpocheck.verifier.audit.settings import Settings

MOST_NAMED = 6


@dataclass
class Drawn:
    """One generation batch: where it stands, its step, and how many responses of it each file holds."""

    where: Where
    step: int | None
    rows: dict[str, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The responses of all processes."""
        return sum(self.rows.values())


class Batches:
    """The generation batches of training, by session and number (their step, where they have none), as they come.

    Numbers that batches of evaluation have, and none of training's, are of the same count: none of these is missing.
    """

    def __init__(self) -> None:
        """None yet."""
        self.sessions: dict[int, dict[tuple[bool, int], Drawn]] = {}
        self.evaluated: dict[int, set[int]] = {}

    def take(self, table: Table) -> None:
        """Count a batch; of one that comes again in its file, the first."""
        number = table.step if table.batch is None else table.batch
        if number is None or not table.trains:
            if table.batch is not None:
                self.evaluated.setdefault(table.session, set()).add(table.batch)
            return
        known = self.sessions.setdefault(table.session, {})
        batch = known.setdefault((table.batch is not None, number), Drawn(table.group_at(0), table.step))
        batch.rows.setdefault(table.file, len(table.rewards))

    def finish(self, settings: Settings, findings: Findings) -> None:
        """Say which batches have not as many responses as settings say, and which are missing."""
        for session, batches in self.sessions.items():
            self.take_sizes(list(batches.values()), settings, session == max(self.sessions), findings)
            for numbered in (True, False):
                own = {number: batch for (its, number), batch in batches.items() if its is numbered}
                others = self.evaluated.get(session, set()) if numbered else set()
                apart = 1 if numbered else steps_per_batch(settings)
                take_missing(own, apart, set() if others & own.keys() else others, numbered, findings)

    def take_sizes(self, batches: Sequence[Drawn], settings: Settings, last: bool, findings: Findings) -> None:
        """Batches of another size than M*G; the last of a session may have been left in its middle.

        Where no batch has that size and none is larger, the log may hold a part of each, and nothing is said. Files
        that each hold all of a batch are recordings of it one after another, or by processes that have every row.
        """
        rows, steps = rows_of_a_batch(settings), settings.count("max_steps")
        if rows is None or all(batch.size < rows for batch in batches):
            return
        for batch in batches:
            ended = last and steps is not None and batch.step is not None and batch.step >= steps
            left = batch is batches[-1] and (not ended or any(torn_line(Path(file)) for file in batch.rows))
            whole = set(batch.rows.values()) == {rows}
            if batch.size != rows and not whole and not (left and batch.size < rows):
                findings.add(
                    seen(
                        "draws-budget",
                        batch.where,
                        f"M*G = {rows} draws in an outer iteration",
                        f"{batch.size}",
                        distance=float(abs(batch.size - rows)),
                        far=f"{batch.size - rows:+d} draws",
                    )
                )


def unit_of(gaps: Sequence[int], period: float | None) -> int | None:
    """How far apart batches are whose numbers are these gaps apart; None where that cannot be told.

    >>> unit_of([1, 2, 1], None), unit_of([10, 10], 1), unit_of([2], 1), unit_of([2], None), unit_of([3, 1, 7], None)
    (1, None, 1, None, None)
    """
    least = min(gaps, default=0)
    if len(gaps) == 1 and period is not None and period >= 1 and period == int(period):
        least = int(period)
    elif 2 * gaps.count(least) < len(gaps) or len(set(gaps)) == 1:
        return None
    return least if least and all(gap % least == 0 for gap in gaps) else None


def take_missing(
    batches: Mapping[int, Drawn], period: float | None, others: Set[int], numbered: bool, findings: Findings
) -> None:
    """Batches missing between others that follow one another at one distance; ``others`` are numbers of other batches.

    Those before the first batch of training and after the last are not looked at.
    """
    if not batches:
        return
    first, final = min(batches), max(batches)
    numbers = sorted({*batches, *(number for number in others if first < number < final)})
    gaps = [after - before for before, after in pairwise(numbers)]
    unit = unit_of(gaps, period)
    if unit is None:
        return
    word = "batch" if numbered else "step"
    for before, after in pairwise(numbers):
        lost = list(range(before + unit, after, unit))
        if lost:
            where = batches[min(number for number in batches if number >= after)].where
            named = ", ".join(map(str, lost[:MOST_NAMED])) + ("" if len(lost) <= MOST_NAMED else ", ...")
            findings.add(
                seen(
                    "batches-lost",
                    where,
                    f"groups of {word} {named} between {before} and {after}",
                    "none",
                    distance=float(len(lost)),
                    far=counted(len(lost), "batch", "batches"),
                )
            )
