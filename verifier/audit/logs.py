"""The audit of a trainer's log by itself; beside.py holds it against the tables of the same steps."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from grpocheck.verifier.audit.findings import Findings, Where
from grpocheck.verifier.audit.model import Log, LogRow
from grpocheck.verifier.audit.rules import seen
from grpocheck.verifier.audit.settings import Settings

CLIPPED = ("clip_ratio/region_mean", "clip_ratio/low_mean", "clip_ratio/high_mean", "clip_ratio/high_max")
CUT_SHARE = 0.1
TIMES_RATIO_SINCE = " (times the importance ratio where use_bias_correction_kl is on)"
SAMPLER_DIFFERENCE = "sampling/sampling_logp_difference/mean"


@dataclass
class LogAudit:
    """The audit of one log by itself."""

    log: Log
    settings: Settings
    findings: Findings

    def alone(self) -> None:
        """What the log shows by itself."""
        rows = training_rows(self.log)
        self.take_infinities()
        self.take_order()
        self.take_kl(rows)
        self.take_gradients(rows)
        self.take_first_pass(rows)
        self.take_cut_responses(rows)
        self.take_sampler(rows)

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
        rows = [row for row in training_rows(self.log) if row.step is not None and "loss" in row.numbers]
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
                self.where(worst),
                "KL(policy, reference), a sum over responses",
                f"as TRL logs it, a mean over drawn tokens of exp(d) - d - 1{times}, d = log(reference / policy): the "
                f"k3 estimator; up to {worst.numbers['kl']:.4g}" + (f", with beta = {beta:g}" if beta else ""),
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
                self.findings.add(
                    seen(
                        "gradient-zero",
                        self.where(row),
                        "a gradient",
                        f"grad_norm = 0 at step {row.step}{self.why_zero(row, rows)}",
                    )
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

    def why_zero(self, row: LogRow, rows: Sequence[LogRow]) -> str:
        """What the log says of a gradient of 0: equal rewards in the batch in use, or clipped ratios."""
        drawn = [one for one in rows if "frac_reward_zero_std" in one.numbers and (one.step or 0) <= (row.step or 0)]
        share = row.numbers.get("clip_ratio/region_mean")
        if drawn and drawn[-1].numbers["frac_reward_zero_std"] == 1:
            return "; every group of the batch has equal rewards (frac_reward_zero_std = 1)"
        return "" if not share else f"; {share:.0%} of the ratios are clipped on the side that counts"

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


def steps_per_batch(settings: Settings) -> float | None:
    """Optimiser steps from one generation batch to the next: mu times its slices over accumulated micro-batches."""
    slices = settings.count("steps_per_generation")
    accumulated = settings.count("gradient_accumulation_steps")
    passes = settings.count("num_iterations")
    if slices is None or accumulated is None or passes is None:
        return None
    return slices * passes / accumulated


def training_rows(log: Log) -> list[LogRow]:
    """The rows that training logged: neither evaluation's nor the summary at the end."""
    return [row for row in log.rows if not row.evaluates and "train_runtime" not in row.numbers]
