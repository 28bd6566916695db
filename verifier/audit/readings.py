"""One reading of a run's batches: a grouping, the advantage rules tried under it, and what is wrong under it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from grpocheck.core.variants.advantages import Baseline, Divisor
from grpocheck.verifier.audit import bounds
from grpocheck.verifier.audit.bounds import DOUBLE, Groups
from grpocheck.verifier.audit.candidates import Candidate, Contest, Departure, pattern_of
from grpocheck.verifier.audit.exact import exact_total
from grpocheck.verifier.audit.findings import Findings, Severity, Where, counted
from grpocheck.verifier.audit.grouping import Seats
from grpocheck.verifier.audit.infinite import HUGE, numbers_beside_infinity, out_of_range, swallowed
from grpocheck.verifier.audit.model import Booleans, Floats, Integers, Table
from grpocheck.verifier.audit.residues import no_residue
from grpocheck.verifier.audit.rules import seen
from grpocheck.verifier.audit.unscored import MOST_BATCHES, Unscored

SHRUNK = 0.9
ROUNDINGS = 3
LOST = 1e-3
SHORT = 64.0
SUSPECT_SHARE, SUSPECT_COUNT = 0.25, 3


@dataclass
class Reading:
    """A group size (None: as the log names them), the candidates under it, and what was seen so far."""

    size: int | None
    contest: Contest
    findings: Findings
    groups: int = 0
    equal: int = 0
    moved: int = 0
    lone: int = 0
    """Groups of one response."""
    lawless: int = 0
    """Advantages that are numbers in groups with an infinite reward, where no rule has any."""
    largest_residue: float = 0.0
    largest_signal: float = 0.0
    whole: int = 0
    ragged: int = 0
    repeated: int = 0
    first_repeated: Where | None = None
    unscored: list[Unscored] = field(default_factory=list)
    by_rule: list[tuple[Where, float]] = field(default_factory=list)
    """Groups of equal rewards whose advantages a rule explains under which they are not 0, and the largest of each."""
    shares: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Groups with equal rewards, two of them at least, and all groups, by table."""

    def take(self, table: Table, seats: Seats) -> None:
        """Check the groups of one batch."""
        groups = seats.groups(table)
        usable: Booleans = np.asarray(~(np.isinf(groups.rewards) & groups.there[:, :, None]).any(axis=(1, 2)))
        self.take_ragged(table, seats)
        if table.names and (groups.there & ~groups.scored).any():
            self.unscored.append(Unscored(table, seats, groups))
        self.take_prompts(table, seats)
        self.take_responses(table, seats)
        equal = self.equal_groups(groups, usable)
        self.groups += len(usable)
        self.lone += int((groups.there.sum(axis=1) == 1).sum())
        self.equal += int(equal.sum())
        self.shares[table.file] = (int((equal & (groups.scored.sum(axis=1) > 1)).sum()), len(usable))
        self.take_precision(table, seats, groups, usable & ~equal)
        if table.advantages is None or not len(usable) or not table.names:
            return
        logged = np.where(groups.there, table.advantages[seats.rows], 0.0)
        self.lawless += numbers_beside_infinity(self.findings, table, seats, groups, logged, usable, self.best)
        usable &= ~swallowed(self.findings, table, seats, groups, logged, usable, equal)
        usable &= ~out_of_range(self.findings, table, seats, groups, usable & ~equal, self.best)
        usable &= (np.abs(np.where(np.isnan(logged), 0.0, logged)) < HUGE).all(axis=1)
        departures = self.contest.tried(groups, logged, usable, table.unit_roundoff, equal, (table, seats))
        self.take_departures(table, seats, departures, equal)
        astray = {departure.group for departure in departures}
        self.take_residues(table, seats, groups, logged, equal & usable, astray)
        signal = np.abs(logged[usable & ~equal])
        self.largest_signal = max(self.largest_signal, float(np.nanmax(signal, initial=0.0)))
        self.take_shrunk(table, seats, groups, usable & ~equal)
        self.take_sums(table, seats, groups, logged, usable & ~equal, astray)

    @property
    def best(self) -> Candidate:
        """The candidate that fares best, of those that could be checked; where none could, the declared one."""
        return min(
            self.contest.survivors, key=lambda one: (one.checked == 0, one.departures, not one.declared, -one.level)
        )

    @property
    def alone(self) -> bool:
        """Whether every group has one response."""
        return 0 < self.groups == self.lone

    def equal_groups(self, groups: Groups, usable: Booleans) -> Booleans:
        """Groups whose rewards are equal, exactly: of those that float64 cannot tell apart, by Fractions."""
        weights = np.array(self.best.weights)
        total = bounds.totals(groups, weights, DOUBLE)
        scored = groups.scored & np.isfinite(total.value)
        top = np.where(scored, total.value, -np.inf).max(axis=1)
        bottom = np.where(scored, total.value, np.inf).min(axis=1)
        count = scored.sum(axis=1)
        with np.errstate(invalid="ignore"):
            open_ = usable & (count > 0) & (top - bottom <= 2 * np.where(scored, total.error, 0.0).max(axis=1))
        for group in np.nonzero(open_ & (count > 1))[0]:
            rows = groups.rewards[group][scored[group]]
            if (rows == rows[0])[~np.isnan(rows)].all() and (np.isnan(rows) == np.isnan(rows[0])).all():
                continue
            exact = {exact_total([float(value) for value in row], self.best.weights) for row in rows}
            open_[group] = len(exact) == 1
        return np.asarray(open_)

    def take_ragged(self, table: Table, seats: Seats) -> None:
        """Stretches of rows that are no whole group."""
        self.whole += len(seats.rows)
        size, of_prompt = self.size or 0, Counter(table.prompts or ())
        apart = bool(size and seats.ragged and of_prompt) and all(count % size == 0 for count in of_prompt.values())
        for row, length in seats.ragged:
            self.ragged += 1
            self.findings.add(
                seen(
                    "rows-missing",
                    table.group_at(row),
                    f"{counted(size, 'row')} of a group",
                    f"{length}" + (" in a row: all are there, in another order" if apart else ""),
                    what="a table whose rows do not stand group by group" if apart else "",
                    advice="find out what reordered the rows: groups are told by rows that follow one another"
                    if apart
                    else "",
                    distance=float(size - length),
                )
            )

    def take_prompts(self, table: Table, seats: Seats) -> None:
        """Prompts that several groups of the batch have."""
        if table.prompts is None or (table.groups is not None and self.size is None and len(set(table.groups)) < 2):
            return
        heads = seats.rows[:, 0]
        known: dict[str, int] = {}
        for row in map(int, heads):
            first = known.setdefault(table.prompts[row], row)
            if first == row:
                continue
            differ = [name for name, column in table.extra.items() if column[first] != column[row]]
            apart = f"; they differ in {', '.join(differ)}" if differ else ""
            prompt = table.prompts[row]
            self.findings.add(
                seen(
                    "duplicate-prompts",
                    table.group_at(row),
                    "one group of the batch for each prompt text",
                    f"the text of {table.group_at(first).within} again: {prompt[:60]!r}{apart}",
                    distance=1.0,
                )
            )

    def take_responses(self, table: Table, seats: Seats) -> None:
        """Groups whose responses repeat: all the same, or its second half the first over again."""
        if table.responses is None or seats.rows.shape[1] < 2:
            return
        for rows in seats.rows:
            texts = [table.responses[row] for row in rows if row >= 0]
            half = len(texts) // 2
            long = min(map(len, texts)) >= 4
            again = half >= 2 and len(texts) == 2 * half and texts[:half] == texts[half:]
            if long and (len(set(texts)) == 1 or again):
                self.repeated += 1
                self.first_repeated = self.first_repeated or table.group_at(int(rows[0]))

    def take_precision(self, table: Table, seats: Seats, groups: Groups, varied: Booleans) -> None:
        """Groups whose differences are close to what their float format resolves."""
        if table.rewards.shape[1] == 0 or not varied.any():
            return
        finite = np.where(np.isfinite(groups.rewards) & groups.there[:, :, None], groups.rewards, 0.0)
        largest = np.abs(finite).max(axis=(1, 2))
        unit = 2 * table.unit_roundoff * 2.0 ** np.floor(np.log2(np.maximum(largest, 1e-300)))
        total = bounds.totals(groups, np.array(self.best.weights), DOUBLE).value
        scored = groups.scored
        with np.errstate(invalid="ignore"):
            spread = np.where(scored, total, -np.inf).max(axis=1) - np.where(scored, total, np.inf).min(axis=1)
        short = (np.abs(np.remainder(finite / unit[:, None, None], SHORT)) == 0).all(axis=(1, 2))
        with np.errstate(divide="ignore", invalid="ignore"):
            lost = unit / 2 / spread
        for group in np.nonzero(varied & ~short & (spread > 0) & (lost > LOST))[0]:
            size = float(largest[group])
            self.findings.add(
                seen(
                    "reward-float-loss",
                    table.group_at(int(seats.rows[group, 0])),
                    f"differences kept to better than 1 part in {round(1 / LOST)}",
                    f"rewards near {size:.6g} that differ by {float(spread[group]):.3g}: rounding to the nearest "
                    f"{float(unit[group]):.2g} loses up to {float(lost[group]):.1%} of it",
                    distance=float(lost[group]),
                    far=f"{float(lost[group]):.1%} of the differences",
                )
            )

    def take_departures(self, table: Table, seats: Seats, departures: Sequence[Departure], equal: Booleans) -> None:
        """Advantages that are not those of the rule that fares best; a group of equal rewards has to have 0 by any.

        A declared rule under which such a group has others is held to what it says.
        """
        by_rule = self.best.declared and self.best.rule.baseline in (Baseline.BATCH_MEAN, Baseline.NONE)
        level = {one.group for one in departures if equal[one.group] and not by_rule}
        for group in sorted(level):
            self.take_level(table, seats.rows[group], [one.bound for one in departures if one.group == group])
        others = [departure for departure in departures if departure.group not in level]
        pattern = pattern_of(others)
        for departure in others:
            self.findings.add(
                seen(
                    "advantage-rule",
                    table.where(int(seats.rows[departure.group, departure.place])),
                    f"{departure.expected:.9g} ({self.best.name}), up to {departure.bound:.1e} of float error",
                    f"{departure.logged:.9g}" + (f"; in this batch {pattern}" if pattern else ""),
                    distance=abs(departure.logged - departure.expected),
                    far=f"{abs(departure.logged - departure.expected):.3g}",
                )
            )

    def take_level(self, table: Table, rows: Integers, bounds_: Sequence[float]) -> None:
        """The advantages that are not 0 of a group of equal rewards, by its rows."""
        logged = table.advantages
        assert logged is not None
        for row in rows[rows >= 0]:
            value = float(logged[row])
            if value == 0:
                continue
            self.findings.add(
                seen(
                    "zero-variance-advantage",
                    table.where(int(row)),
                    f"0 (all rewards of the group are equal), up to {max(bounds_):.1e} of float error",
                    f"{value:.9g}",
                    distance=abs(value),
                    far=f"{abs(value):.3g}",
                )
            )

    def take_residues(
        self, table: Table, seats: Seats, groups: Groups, logged: Floats, equal: Booleans, astray: set[int]
    ) -> None:
        """Groups of equal rewards whose advantages are not 0, by no more than float error."""
        moved = equal & (groups.there & (logged != 0) & ~np.isnan(logged)).any(axis=1)
        moved[list(astray)] = False
        if not moved.any():
            return
        best = self.best
        here = bounds.advantages(groups, np.array(best.weights), best.rule, DOUBLE)
        for group in np.nonzero(moved)[0]:
            if (np.abs(here.value[group]) > here.error[group]).any():
                most = float(np.nanmax(np.abs(logged[group])))
                self.by_rule.append((table.group_at(int(seats.rows[group, 0])), most))
                continue  # under this rule a group of equal rewards may have advantages
            place = int(np.nanargmax(np.abs(logged[group])))
            value = float(logged[group, place])
            scored = groups.scored[group]
            rewards = groups.rewards[group][scored]
            reason = no_residue(rewards, logged[group][scored], best, table.unit_roundoff)
            if reason:
                self.findings.add(
                    seen(
                        "zero-variance-advantage",
                        table.where(int(seats.rows[group, place])),
                        f"0 ({best.name}): {reason}",
                        f"{value:.9g}",
                        distance=abs(value),
                        far=f"{abs(value):.3g}",
                    )
                )
                continue
            self.moved += 1
            self.largest_residue = max(self.largest_residue, abs(value))
            first = [float(reward) for reward in groups.rewards[group, place]]
            self.findings.add(
                seen(
                    "float-mean-residue",
                    table.where(int(seats.rows[group, place])),
                    "0: all rewards of the group are equal",
                    f"{value:.9g} for rewards of {' + '.join(f'{reward:.9g}' for reward in first if reward == reward)}",
                    distance=abs(value),
                    far=f"{abs(value):.3g}",
                )
            )

    def take_sums(
        self, table: Table, seats: Seats, groups: Groups, logged: Floats, varied: Booleans, astray: set[int]
    ) -> None:
        """Groups whose advantages do not sum to 0, by more than the rounding of each of them explains.

        With the exact mean, each advantage is a difference and a quotient (or two products) of the trainer's format:
        at most ROUNDINGS of them, relative to itself. What is more was left by the sums of rewards.
        """
        rule = self.best.rule
        if rule.baseline is not Baseline.MEAN or rule.first is not None:
            return
        there = groups.scored & np.isfinite(logged)
        total = np.where(there, logged, 0.0).sum(axis=1)
        explained = ROUNDINGS * table.unit_roundoff * np.where(there, np.abs(logged), 0.0).sum(axis=1)
        for group in np.nonzero(varied & (np.abs(total) > explained))[0]:
            if int(group) in astray:
                continue
            rewards = groups.rewards[group][groups.scored[group]]
            same = [
                f"{name} ({float(column[0]):.9g}) tells no response from another here"
                for name, column in zip(table.names, rewards.T, strict=True)
                if len(table.names) > 1 and (column == column[0]).all() and column[0]
            ]
            self.findings.add(
                seen(
                    "float-sum-residue",
                    table.group_at(int(seats.rows[group, 0])),
                    f"a sum of 0, up to {float(explained[group]):.2g} for the rounding of each advantage",
                    "; ".join([f"{float(total[group]):.3g}", *same]),
                    distance=abs(float(total[group])),
                    far=f"{abs(float(total[group])):.3g}",
                )
            )

    def take_shrunk(self, table: Table, seats: Seats, groups: Groups, varied: Booleans) -> None:
        """Groups whose deviation the epsilon beside it is not small against."""
        best = self.best
        if best.rule.divisor is Divisor.NONE or best.rule.first is not None or best.rule.epsilon == 0:
            return
        epsilon = float(best.rule.epsilon)
        total = bounds.totals(groups, np.array(best.weights), DOUBLE)
        value = np.where(groups.scored, total.value, 0.0)
        safe = bounds.Bounded(np.where(np.isfinite(value), value, 0.0), np.zeros(value.shape))
        spread = bounds.deviation(safe, groups.scored, best.rule.divisor, DOUBLE).value[:, 0]
        for group in np.nonzero(varied & (spread > 0) & (spread / (spread + epsilon) < SHRUNK))[0]:
            kept = float(spread[group] / (spread[group] + epsilon))
            self.findings.add(
                seen(
                    "epsilon-dominates",
                    table.group_at(int(seats.rows[group, 0])),
                    f"a deviation far above the epsilon of {epsilon:.0e}",
                    f"{float(spread[group]):.3g}: advantages are {kept:.1%} of what they would be",
                    distance=1 - kept,
                    far=f"{1 - kept:.1%} smaller",
                )
            )

    def take_by_rule(self) -> None:
        """Groups of equal rewards that a rule without a mean of the group's moves.

        A rule that no group of unequal rewards speaks for, and no setting declares, explains nothing.
        """
        rule, alone = self.best, self.groups == self.equal and not self.best.declared
        for where, value in self.by_rule:
            self.findings.add(
                seen(
                    "zero-variance-advantage",
                    where,
                    "0: all rewards of the group are equal",
                    f"advantages of up to {value:.9g}"
                    + ("" if alone else f", as by {rule.name}, under which such a group moves the policy"),
                    distance=value,
                    far=f"{value:.3g}",
                    severity=None if alone else Severity.NOTE,
                )
            )

    def finish(self, run: str) -> None:
        """What can only be said of all batches together."""
        where = Where(run)
        self.take_by_rule()
        for place, batch in enumerate(self.unscored):
            batch.take(self.best, place < MOST_BATCHES, self.findings)
        if self.moved and self.largest_signal == 0:
            self.findings.add(
                seen(
                    "residue-is-the-signal",
                    where,
                    f"advantages of 0 in {'the only group' if self.groups == 1 else f'all {self.groups} groups'}",
                    f"{counted(self.moved, 'group')} with residues of up to {self.largest_residue:.3g}, and no other "
                    "advantage",
                    distance=self.largest_residue,
                    far=f"{self.largest_residue:.3g}",
                )
            )
        if self.repeated >= SUSPECT_COUNT and self.repeated > SUSPECT_SHARE * self.groups and self.first_repeated:
            self.findings.add(
                seen(
                    "identical-draws",
                    self.first_repeated,
                    "independent draws",
                    f"in {self.repeated} of {counted(self.groups, 'group')} one response again and again, or the first "
                    "half once more as the second",
                    distance=float(self.repeated),
                )
            )
