"""The audit of a trainer's log, alone and beside the tables of the same steps."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from grpocheck.verifier.audit.findings import Findings, Where
from grpocheck.verifier.audit.model import Log, LogRow
from grpocheck.verifier.audit.moments import Moments
from grpocheck.verifier.audit.readers.parquet import OWN_COLUMNS
from grpocheck.verifier.audit.readings import Reading
from grpocheck.verifier.audit.rules import seen
from grpocheck.verifier.audit.settings import Settings

CLIPPED = ("clip_ratio/region_mean", "clip_ratio/low_mean", "clip_ratio/high_mean", "clip_ratio/high_max")
CUT_SHARE = 0.1
TIMES_RATIO_SINCE = " (times the importance ratio where use_bias_correction_kl is on)"
SAMPLER_DIFFERENCE = "sampling/sampling_logp_difference/mean"
ROOM = 16.0
"""A logged mean is rounded a few times more than its rows: gathered over processes, averaged, printed."""


@dataclass
class LogAudit:
    """The audit of one log."""

    log: Log
    settings: Settings
    findings: Findings

    def alone(self) -> None:
        """What the log shows by itself."""
        rows = self.training_rows()
        self.take_infinities()
        self.take_order()
        self.take_kl(rows)
        self.take_gradients(rows)
        self.take_first_pass(rows)
        self.take_cut_responses(rows)
        self.take_sampler(rows)

    def training_rows(self) -> list[LogRow]:
        """The rows that training logged: neither evaluation's nor the summary at the end."""
        return [row for row in self.log.rows if not row.evaluates and "train_runtime" not in row.numbers]

    def where(self, row: LogRow) -> Where:
        """The place of a row."""
        return Where(self.log.file, row.place)

    def take_infinities(self) -> None:
        """Numbers that are nan or infinite; a loss beside them that is 0 was swallowed."""
        for row in self.log.rows:
            for name, value in row.numbers.items():
                if math.isfinite(value):
                    continue
                swallowed = name == "grad_norm" and row.numbers.get("loss") == 0
                self.findings.add(
                    seen(
                        "log-not-finite",
                        self.where(row),
                        "finite numbers",
                        f"{name} = {value} at step {row.step}"
                        + (" beside a loss of 0: the loss itself was not finite and was left out" if swallowed else ""),
                        distance=1.0 + (name == "grad_norm"),
                        detail={"name": name},
                    )
                )

    def take_order(self) -> None:
        """Steps that go back, come twice or are left out between others."""
        rows = [row for row in self.training_rows() if row.step is not None and "loss" in row.numbers]
        every = self.log.logging_steps
        for before, after in pairwise(rows):
            apart = (after.step or 0) - (before.step or 0)
            if apart <= 0 or (every is not None and every >= 1 and every == int(every) and apart > every):
                self.findings.add(
                    seen(
                        "log-gap",
                        self.where(after),
                        f"a step after {before.step}" + (f", {every:g} on" if every is not None else ""),
                        f"step {after.step}",
                        distance=float(abs(apart)),
                    )
                )

    def take_kl(self, rows: Sequence[LogRow]) -> None:
        """A logged kl."""
        logged = [row for row in rows if "kl" in row.numbers]
        if not logged:
            return
        beta = self.settings.number("beta")
        worst = max(logged, key=lambda row: row.numbers["kl"])
        weighted = self.settings.values.get("use_bias_correction_kl")
        times = ", times the importance ratio" if weighted else "" if weighted is False else TIMES_RATIO_SINCE
        self.findings.add(
            seen(
                "kl-not-kl",
                self.where(logged[0]),
                "KL(policy, reference), a sum over responses",
                f"a mean over drawn tokens of exp(d) - d - 1{times}, d = log(reference / policy): the k3 estimator; "
                f"up to {worst.numbers['kl']:.4g}" + (f", with beta = {beta:g}" if beta else ""),
                distance=worst.numbers["kl"],
                detail={"estimator": "k3", "times_ratio": weighted},
            ),
            count=len(logged),
        )

    def take_gradients(self, rows: Sequence[LogRow]) -> None:
        """Gradients of length 0, and those longer than allowed."""
        most = self.settings.number("max_grad_norm")
        for row in rows:
            norm = row.numbers.get("grad_norm")
            if norm == 0:
                share = row.numbers.get("clip_ratio/region_mean")
                clipped = "" if not share else f"; {share:.0%} of the ratios are clipped on the side that counts"
                self.findings.add(
                    seen("gradient-zero", self.where(row), "a gradient", f"grad_norm = 0 at step {row.step}{clipped}")
                )
            elif norm is not None and most and math.isfinite(norm) and norm > most:
                self.findings.add(
                    seen(
                        "gradient-clipped",
                        self.where(row),
                        f"a norm of at most {most:g}",
                        f"{norm:.4g} at step {row.step}: the step was made {norm / most:.2f} times shorter",
                        distance=norm,
                    )
                )

    def take_first_pass(self, rows: Sequence[LogRow]) -> None:
        """Clipped ratios at steps that only used batches drawn since the last update."""
        for row in self.first_passes(rows):
            share = max(row.numbers.get(name, 0.0) for name in CLIPPED)
            if share > 0:
                self.findings.add(
                    seen(
                        "first-pass-ratio",
                        self.where(row),
                        "ratios of 1, and a clip fraction of 0, at a step on a batch that the same policy drew",
                        f"a clip fraction of {share:.3g} at step {row.step}",
                        distance=share,
                        far=f"{share:.1%}",
                    )
                )

    def first_passes(self, rows: Sequence[LogRow]) -> list[LogRow]:
        """Rows of single steps before which nothing moved the policy since its batch was drawn.

        Step 1 always is one. Others are where batches are drawn at every p-th step, p > 1, or where settings say so.
        """
        single = [
            row
            for place, row in enumerate(rows)
            if row.step is not None and (row.step == 1 if place == 0 else row.step == (rows[place - 1].step or 0) + 1)
        ]
        drawn = [row for row in single if "reward" in row.numbers and row.step is not None]
        period = steps_per_batch(self.settings)
        steps = [row.step or 0 for row in drawn]
        apart = {after - before for before, after in pairwise(steps)}
        if period is None and len(steps) > 2 and len(apart) == 1:
            period = float(apart.pop())
            period = None if period == 1 else period
        if period is not None and period == int(period):
            return [row for row in drawn if ((row.step or 0) - 1) % int(period) == 0]
        return [row for row in drawn if row.step == 1]

    def take_cut_responses(self, rows: Sequence[LogRow]) -> None:
        """Responses cut at the maximum length."""
        for row in rows:
            share = row.numbers.get("completions/clipped_ratio", 0.0)
            if share >= CUT_SHARE:
                self.findings.add(
                    seen(
                        "responses-cut",
                        self.where(row),
                        f"less than {CUT_SHARE:.0%} of the responses cut",
                        f"{share:.0%} at step {row.step}",
                        distance=share,
                    )
                )

    def take_sampler(self, rows: Sequence[LogRow]) -> None:
        """A logged difference between the sampler's log-probabilities and the trainer's."""
        for row in rows:
            difference = row.numbers.get(SAMPLER_DIFFERENCE, 0.0)
            if difference > 0:
                self.findings.add(
                    seen(
                        "sampler-differs",
                        self.where(row),
                        "the same log-probabilities in the sampler and the trainer",
                        f"a mean difference of {difference:.3g} nats a token at step {row.step}",
                        distance=difference,
                    )
                )

    def beside(
        self, tables: Sequence[Moments], reading: Reading | None, overwritten: set[str], counted: bool
    ) -> tuple[bool, bool]:
        """Hold the log against tables of the same steps; whether a column and whether batches are lost.

        ``counted``: lost batches are counted elsewhere, from recorded ones.
        """
        rows = self.training_rows()
        logged = {row.step: row for row in rows if "reward" in row.numbers}
        lost = self.take_missing_columns(tables, rows)
        batches = False
        agreed: list[tuple[Moments, LogRow]] = []
        unexplained: list[tuple[Moments, LogRow, list[int]]] = []
        for table in tables:
            row = logged.get(table.step)
            if row is None or table.file in overwritten:
                continue
            wrong = [place for place in range(len(table.names)) if self.disagrees(table, row, place)]
            if not wrong:
                agreed.append((table, row))
                continue
            doubled = [place for place in wrong if self.is_doubled(table, row, place)]
            if doubled and len(doubled) == len(wrong):
                lost = True
                for place in doubled:
                    self.take_doubled(table, row, place)
            elif self.interval(row, rows) > 1:
                batches = True
                if counted:
                    continue
                self.take_lost(table, row, self.interval(row, rows), wrong[0])
            else:
                unexplained.append((table, row, wrong))
        several = self.drawn_several_times(unexplained, len(agreed))
        for table, row, wrong in unexplained:
            if not several:
                self.take_means(table, row, wrong)
            elif not counted:
                self.take_lost(table, row, 1, wrong[0])
        batches = batches or several
        if not lost:
            for table, row in agreed:
                self.take_share(table, row, reading)
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

    def is_doubled(self, table: Moments, row: LogRow, place: int) -> bool:
        """Whether the logged total takes the mean of a function c = 2, 3, ... times: c functions have its name."""
        return self.times(table, row, place) is not None

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
        value = row.numbers[f"rewards/{name}/mean"]
        self.findings.add(
            seen(
                "column-lost",
                Where(table.file),
                f"a mean of {value:.9g} in column {name!r}, as the log has it",
                f"{mean:.9g}; the log's reward {row.numbers['reward']:.9g} is {self.times(table, row, place)} "
                "times the logged mean: that many functions have this name, and the table keeps the last of them",
                distance=abs(value - mean),
                far=f"{abs(value - mean):.3g}",
                apart=name,
            )
        )

    def drawn_several_times(self, wrong: Sequence[tuple[Moments, LogRow, list[int]]], agreed: int) -> bool:
        """Whether steps draw several batches, of which a table keeps the last: most means of all columns disagree."""
        period = steps_per_batch(self.settings)
        if period is not None:
            return period < 1
        return len(wrong) > agreed and all(len(columns) == len(table.names) for table, _, columns in wrong)

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
                f"{table.rows} rows with a mean of {mean:.6g}: the last batch only",
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

    def take_share(self, table: Moments, row: LogRow, reading: Reading | None) -> None:
        """The logged share of groups without variance."""
        value = row.numbers.get("frac_reward_zero_std")
        if value is None or reading is None or table.file not in reading.shares:
            return
        rule = reading.best.rule
        equal, groups = reading.shares[table.file]
        if rule.couples_groups or not groups or self.interval(row, self.training_rows()) > 1:
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
        rows = [row for row in self.training_rows() if row.step is not None and "loss" in row.numbers]
        if not tables or not steps:
            return
        for row in rows:
            assert row.step is not None
            if row.step not in steps:
                self.findings.add(
                    seen("table-missing", self.where(row), f"a table for step {row.step}", "none", distance=1.0)
                )


def steps_per_batch(settings: Settings) -> float | None:
    """Optimiser steps from one generation batch to the next: mu times its slices over accumulated micro-batches."""
    slices = settings.count("steps_per_generation")
    accumulated = settings.count("gradient_accumulation_steps")
    passes = settings.count("num_iterations")
    if slices is None or accumulated is None or passes is None:
        return None
    return slices * passes / accumulated
