"""A trainer's log held against the tables of the same steps."""

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
from grpocheck.verifier.audit.findings import Findings, Where, counted
from grpocheck.verifier.audit.logs import steps_per_batch, training_rows
from grpocheck.verifier.audit.model import Log, LogRow
from grpocheck.verifier.audit.moments import Moments
from grpocheck.verifier.audit.readers.parquet import OWN_COLUMNS
from grpocheck.verifier.audit.readings import Reading
from grpocheck.verifier.audit.rules import seen
from grpocheck.verifier.audit.settings import Settings

ROUGH = 0.01
"""Relative size of a weight from which on it is one, and no residue of those that were solved for."""
ROOM = 16.0
"""A logged mean is rounded a few times more than its rows: gathered over processes, averaged, printed."""


@dataclass
class LogBesideTables:
    """A log, and what it says of tables."""

    log: Log
    settings: Settings
    findings: Findings

    def where(self, row: LogRow) -> Where:
        """The place of a row."""
        return Where(self.log.file, row.place)

    def held(
        self,
        tables: Sequence[Moments],
        reading: Reading | None,
        overwritten: set[str],
        recorded: bool,
        twice: Set[str] = frozenset(),
    ) -> tuple[bool, bool]:
        """Hold the log against tables of the same steps; whether a column and whether batches are lost.

        ``recorded``: lost batches are counted elsewhere, from recorded ones. ``twice`` are names that several reward
        functions are known to have: the log has the mean of them all, and a table the last one's numbers.
        """
        rows = training_rows(self.log)
        logged = {row.step: row for row in rows if "reward" in row.numbers}
        lost = self.take_missing_columns(tables, rows) or bool(twice)
        batches = False
        agreed: list[tuple[Moments, LogRow]] = []
        unexplained: list[tuple[Moments, LogRow, list[int]]] = []
        held = [
            (table, logged[table.step]) for table in tables if table.step in logged and table.file not in overwritten
        ]
        all_wrong = [
            [place for place, name in enumerate(table.names) if name not in twice and self.disagrees(table, row, place)]
            for table, row in held
        ]
        doubled = self.doubled(held, all_wrong)
        for (table, row), wrong in zip(held, all_wrong, strict=True):
            if not wrong:
                agreed.append((table, row))
                continue
            if doubled.issuperset(wrong):
                lost = True
                for place in wrong:
                    self.take_doubled(table, row, place)
            elif self.interval(row, rows) > 1:
                batches = True
                if recorded:
                    continue
                self.take_lost(table, row, self.interval(row, rows), wrong[0])
            else:
                unexplained.append((table, row, wrong))
        several = self.drawn_several_times(unexplained, len(agreed))
        for table, row, wrong in unexplained:
            if not several:
                self.take_means(table, row, wrong)
            elif not recorded:
                self.take_lost(table, row, 1, wrong[0])
        batches = batches or several
        if not lost:
            for table, row in agreed:
                self.take_share(table, row, reading)
                self.take_total(table, row)
        return lost, batches

    def take_missing_columns(self, tables: Sequence[Moments], rows: Sequence[LogRow]) -> bool:
        """Reward functions that the log names and the tables have no column for."""
        if not tables:
            return False
        names: dict[str, LogRow] = {}
        for row in rows:
            for key in row.numbers:
                if key.startswith("rewards/") and key.endswith("/mean"):
                    names.setdefault(key.removeprefix("rewards/").removesuffix("/mean"), row)
        missing = [name for name in names if name not in tables[0].names]
        for name in missing:
            taken = f"the trainer's own column {name!r} took its place" if name in OWN_COLUMNS else "there is none"
            self.findings.add(
                seen(
                    "column-lost",
                    Where(tables[0].file),
                    f"a column of rewards for {name!r}, which the log has the mean of",
                    taken,
                    apart=name,
                )
            )
        return bool(missing)

    def disagrees(self, table: Moments, row: LogRow, place: int) -> bool:
        """Whether the log's mean of a function is not that of the table's rows."""
        value = row.numbers.get(f"rewards/{table.names[place]}/mean")
        mean = float(table.means[place])
        if value is None or not math.isfinite(mean) or not math.isfinite(value):
            return value is not None and not (value == mean or (value != value and mean != mean))
        return abs(value - mean) > ROOM * float(table.errors[place]) + 1e-12 * abs(mean)

    def doubled(self, held: Sequence[tuple[Moments, LogRow]], wrong: Sequence[Sequence[int]]) -> set[int]:
        """The functions whose mean in the log is of several functions of one name: by one table, by all of them
        together, or since settings have more weights than there are columns and no other mean is another."""
        found = {
            place
            for (table, row), places in zip(held, wrong, strict=True)
            for place in places
            if all(self.times(table, row, one) is not None for one in places)
        }
        suspects = {place for places in wrong for place in places}
        if len(suspects) != 1:
            return found
        weights, times = self.settings.weights, sum(map(bool, wrong))
        more = weights is not None and len(weights) > len(held[0][0].names)
        told = more or (2 * times > len(held) and times > 1 and weighs_two(held, next(iter(suspects))))
        return found | suspects if told else found

    def times(self, table: Moments, row: LogRow, place: int) -> int | None:
        """How many functions have the name of this one, by the log alone; None where it does not look so."""
        values = [row.numbers.get(f"rewards/{name}/mean") for name in table.names]
        total, own = row.numbers["reward"], values[place]
        if own is None or own == 0 or any(value is None or not math.isfinite(value) for value in values):
            return None
        others = sum(value for at, value in enumerate(values) if at != place and value is not None)
        share = (total - others) / own
        near = round(share)
        room = ROOM * (float(table.errors.sum()) + 2.0**-24 * abs(total)) / abs(own)
        return near if near >= 2 and abs(share - near) <= room else None

    def take_doubled(self, table: Moments, row: LogRow, place: int) -> None:
        """A column that functions of one name wrote over each other in."""
        name, mean = table.names[place], float(table.means[place])
        value, times = row.numbers[f"rewards/{name}/mean"], self.times(table, row, place)
        self.findings.add(
            seen(
                "column-lost",
                Where(table.file),
                f"a mean of {value:.9g} in column {name!r}, as the log has it",
                f"{mean:.9g}; "
                + (
                    "several functions have this name, with weights of their own, and the table keeps the last of them"
                    if times is None
                    else f"the log's reward {row.numbers['reward']:.9g} is {times} times the logged mean: that many "
                    "functions have this name, and the table keeps the last of them"
                ),
                distance=abs(value - mean),
                far=f"{abs(value - mean):.3g}",
                apart=name,
            )
        )

    def drawn_several_times(self, wrong: Sequence[tuple[Moments, LogRow, list[int]]], agreed: int) -> bool:
        """Whether steps draw several batches, of which a table keeps the last.

        Settings say it; without them it is taken for so where most tables disagree, in most of their columns: of a
        column that was tampered with only its own mean would.
        """
        period = steps_per_batch(self.settings)
        if period is not None:
            return period < 1
        columns = sum(len(table.names) for table, *_ in wrong)
        return len(wrong) > agreed and 2 * sum(len(places) for *_, places in wrong) > columns

    def interval(self, row: LogRow, rows: Sequence[LogRow]) -> int:
        """Steps that a row of the log averages over."""
        before = [one.step for one in rows if one.step is not None and row.step is not None and one.step < row.step]
        return (row.step or 0) - max(before, default=0)

    def take_lost(self, table: Moments, row: LogRow, interval: int, place: int) -> None:
        """A table that holds fewer rows than the log averages over."""
        name = table.names[place]
        value, mean = row.numbers[f"rewards/{name}/mean"], float(table.means[place])
        self.findings.add(
            seen(
                "batches-lost",
                Where(table.file),
                f"the rows of {f'all {interval} steps' if interval > 1 else 'every batch'} that the log's row of step "
                f"{row.step} averages over (mean of {name}: {value:.6g})",
                f"{counted(table.rows, 'row')} with a mean of {mean:.6g}: the last batch only",
                distance=float(interval),
                far=f"{abs(value - mean):.3g}",
            )
        )

    def take_means(self, table: Moments, row: LogRow, wrong: Sequence[int]) -> None:
        """A logged mean that nothing explains."""
        for place in wrong:
            value, mean = row.numbers[f"rewards/{table.names[place]}/mean"], float(table.means[place])
            self.findings.add(
                seen(
                    "log-mean",
                    self.where(row),
                    f"{mean:.9g}, the mean of {table.names[place]} in {table.file}",
                    f"{value:.9g}",
                    distance=abs(value - mean),
                    far=f"{abs(value - mean):.3g}",
                )
            )

    def take_total(self, table: Moments, row: LogRow) -> None:
        """A logged mean reward against the weighted sum of the functions' means, where those are right."""
        weights, logged = self.settings.weights, row.numbers["reward"]
        if weights is None or len(weights) != len(table.names) or not table.whole:
            return
        total = float(table.means @ np.array(weights))
        room = ROOM * float(table.errors @ np.abs(weights)) + 2.0**-20 * float(np.abs(table.means) @ np.abs(weights))
        if math.isfinite(total) and math.isfinite(logged) and not abs(logged - total) <= room:
            self.findings.add(
                seen(
                    "log-mean",
                    self.where(row),
                    f"{total:.9g}, the means in {table.file} with weights {', '.join(f'{one:g}' for one in weights)}",
                    f"reward = {logged:.9g}",
                    distance=abs(logged - total),
                    far=f"{abs(logged - total):.3g}",
                    apart="reward",
                )
            )

    def take_share(self, table: Moments, row: LogRow, reading: Reading | None) -> None:
        """The logged share of groups without variance."""
        value = row.numbers.get("frac_reward_zero_std")
        if value is None or reading is None or table.file not in reading.shares:
            return
        rule = reading.best.rule
        equal, groups = reading.shares[table.file]
        if rule.couples_groups or not groups or self.interval(row, training_rows(self.log)) > 1:
            return
        if not np.isclose(value, equal / groups, rtol=0, atol=2.0**-20):
            self.findings.add(
                seen(
                    "zero-std-share",
                    self.where(row),
                    f"{equal}/{groups}: groups whose rewards are equal",
                    f"frac_reward_zero_std = {value:.6g} at step {row.step}",
                    distance=abs(value - equal / groups),
                    far=f"{abs(value - equal / groups):.3g}",
                )
            )

    def take_absent(self, steps: set[int], tables: int) -> None:
        """Logged steps without a table, where other steps have one."""
        rows = [row for row in training_rows(self.log) if row.step is not None and "loss" in row.numbers]
        if not tables or not steps:
            return
        for row in rows:
            assert row.step is not None
            if row.step not in steps:
                self.findings.add(
                    seen("table-missing", self.where(row), f"a table for step {row.step}", "none", distance=1.0)
                )


def weighs_two(held: Sequence[tuple[Moments, LogRow]], place: int) -> bool:
    """Whether the logged rewards follow from the means of the columns and a second function of this one's name.

    Of two functions of one name the log has the mean m of both, and a table that of the second, b: the first has
    2m - b, so that the reward is a weighted sum of m and of all columns, in which b has the difference of two weights.
    A log or a table that was tampered with needs but one of m and b.
    One more table than there are weights to find has to agree.
    """
    names = held[0][0].names
    if any(table.names != names for table, _ in held) or len(held) < len(names) + 2:
        return False
    logged = np.array([row.numbers.get(f"rewards/{names[place]}/mean", np.nan) for _, row in held])
    columns, total = np.stack([table.means for table, _ in held]), np.array([row.numbers["reward"] for _, row in held])
    if not (np.isfinite(logged).all() and np.isfinite(columns).all() and np.isfinite(total).all()):
        return False
    system = np.column_stack([logged, columns])
    weights, _, rank, _ = np.linalg.lstsq(system, total, rcond=1e-6)
    room = ROOM * (np.stack([table.errors for table, _ in held]).sum(axis=1) + 2.0**-24 * np.abs(total))
    room = room * max(1.0, float(np.abs(weights).max()))
    follows = bool((np.abs(system @ weights - total) <= room).all())
    both = np.abs(weights[[0, 1 + place]]).min() > ROUGH * np.abs(weights).max()
    return bool(rank == system.shape[1] and follows and both)
