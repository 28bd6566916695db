"""The audit of recorded loss calls: finite, frozen, first-pass ratios, and the loss recomputed for its variant."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.findings import Finding, Findings, counted
from grpocheck.verifier.audit.fits import fit_of
from grpocheck.verifier.audit.frozen import Frozen, check_frozen
from grpocheck.verifier.audit.metrics import check_metrics, logged_of, padded, take_open, unchecked, where_of
from grpocheck.verifier.audit.mistakes import explained
from grpocheck.verifier.audit.model import Call, Generation, Lines, Part
from grpocheck.verifier.audit.passes import Passes
from grpocheck.verifier.audit.precision import FIRST_PASS_ROOM, check_above_zero, room_of
from grpocheck.verifier.audit.readers.groups import read_calls
from grpocheck.verifier.audit.readers.recorded import call_settings, read_call, whole
from grpocheck.verifier.audit.rules import seen
from grpocheck.verifier.recompute import BadSetting, LossCall, compare, recompute
from grpocheck.verifier.recompute.fitting import adapted
from grpocheck.verifier.recompute.identifying import consistent

TOKENS_IDENTIFIED = 1 << 17
"""Tokens of a piece of work whose variant is looked for among all, which takes as long as twenty recomputations."""
ADAPTS = "use_adaptive_entropy"
CLIPS = ("epsilon", "epsilon_high", "delta", "importance_sampling_level")
"""Settings that what is clipped depends on."""


@dataclass(frozen=True)
class Use:
    """Which slice of which generation batch a call used, for the budget."""

    generation: int
    rank: int
    slice: int
    reuse: int
    place: str
    session: int = 0
    """Generation batches are counted anew in each session of a recording."""


@dataclass
class CallsResult:
    """What came out of some calls; results of parts are joined."""

    findings: list[Finding] = field(default_factory=list)
    calls: int = 0
    tokens: int = 0
    longest: int = 0
    declared: Counter[str] = field(default_factory=Counter)
    identified: int = 0
    tokens_identified: int = 0
    identifies: bool = True
    """Whether the variant is looked for among all where nothing departs from the declared one."""
    consistent: set[str] | None = None
    fits: Counter[str] = field(default_factory=Counter)
    uses: list[Use] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    evaluations: int = 0

    def join(self, other: "CallsResult") -> None:
        """Add the result of another part."""
        self.findings += other.findings
        self.calls += other.calls
        self.tokens += other.tokens
        self.longest = max(self.longest, other.longest)
        self.declared += other.declared
        self.identified += other.identified
        self.tokens_identified += other.tokens_identified
        self.fits += other.fits
        if other.consistent is not None:
            self.consistent = other.consistent if self.consistent is None else self.consistent & other.consistent
        self.uses += other.uses
        self.settings = self.settings or other.settings
        self.evaluations += other.evaluations


def audit_call_files(
    run: str, calls: Sequence[Path], generations: Sequence[Path], identifies: bool = True, adapts: bool = False
) -> CallsResult:
    """The audit of recorded calls, one file after another.

    ``adapts``: the run's settings say that the coefficient of the entropy bonus is adapted from call to call.
    """
    frozen, passes = Frozen(generations), Passes()
    findings, result = Findings(run), CallsResult(identifies=identifies)
    for path in calls:
        call = read_call(path)
        if adapts:
            call.meta["config"].setdefault(ADAPTS, True)
        generation = frozen.of(call)
        check_call(call, generation, findings, result)
        if generation is None:
            passes.take(call, findings)
    result.findings = findings.all()
    return result


def audit_call_lines(run: str, part: Part, lines: Lines, identifies: bool = True) -> CallsResult:
    """The audit of the calls in some lines of a file; whoever reads its groups holds them against each other."""
    findings, result = Findings(run), CallsResult(identifies=identifies)
    for call in read_calls(part, lines):
        try:
            check_call(call, None, findings, result)
        except Unreadable as error:
            raise error.at(where_of(call).within) from error
    result.findings = findings.all()
    return result


def check_call(call: Call, generation: Generation | None, findings: Findings, result: CallsResult) -> None:
    """Everything that can be said of one call without the others, beside its generation batch where that is known."""
    mask = call.arrays["mask"].astype(bool)
    result.calls += 1
    result.tokens += int(mask.sum())
    result.longest = max(result.longest, int(mask.sum(axis=1).max()))
    if call.trains:
        result.settings = result.settings or dict(call_settings(call).values)
        take_use(call, result)
    else:
        result.evaluations += 1
    whole = check_finite(call, mask, findings)
    check_mask(call, mask, findings)
    check_above_zero(call, mask, findings)
    check_first_pass(call, mask, generation, findings)
    check_sampler(call, mask, findings)
    if generation is not None:
        check_frozen(call, mask, generation, findings)
    check_loss(call, whole, findings, result)


def take_use(call: Call, result: CallsResult) -> None:
    """Remember which slice of which batch was used, where the call says it."""
    meta = call.meta
    if "slice_of_generation_batch" in meta and "reuse_of_slice" in meta and meta.get("gen") is not None:
        result.uses.append(
            Use(
                whole(call.file, meta, "gen"),
                whole(call.file, meta, "rank", 0),
                whole(call.file, meta, "slice_of_generation_batch"),
                whole(call.file, meta, "reuse_of_slice"),
                call.file,
                whole(call.file, meta, "session", 0),
            )
        )


def check_finite(call: Call, mask: Any, findings: Findings) -> bool:
    """Whether the loss and every number that counts is finite."""
    whole = True
    loss = call.arrays.get("loss")
    if loss is not None and not np.isfinite(loss).all():
        whole = False
        largest = float(np.abs(call.arrays["advantages"].astype(np.float64)).max())
        findings.add(
            seen(
                "loss-not-finite",
                where_of(call),
                "a finite loss",
                f"{float(loss)}, from advantages of up to {largest:.4g}",
                distance=float("inf"),
                far="infinitely far",
            )
        )
    for name in ("new_logps", "old_logps", "ref_logps", "sampling_logps", "entropies", "grad_logps", "advantages"):
        array = call.arrays.get(name)
        if array is None:
            continue
        # A sampler has nan where it gives a token no number: check_sampler says so, and the loss leaves them out.
        bad = np.isinf(array) if name == "sampling_logps" else ~np.isfinite(array)
        bad = bad & mask if array.shape == mask.shape else bad
        if bad.any():
            whole = False
            row = int(np.argwhere(bad)[0][0])
            findings.add(
                seen(
                    "tensor-not-finite",
                    where_of(call, row),
                    f"finite {name}",
                    f"{int(bad.sum())} of {name} are nan or infinite",
                    distance=float(bad.sum()),
                    apart=name,
                )
            )
    return whole


def check_mask(call: Call, mask: Any, findings: Findings) -> None:
    """Responses that are masked whole."""
    empty = np.nonzero(~mask.any(axis=1))[0]
    if len(empty):
        level = call.meta["config"].get("mask_truncated_completions")
        findings.add(
            seen(
                "rows-masked",
                where_of(call, int(empty[0])),
                "a token that counts in every response",
                f"{len(empty)} of {counted(len(mask), 'response')} {'has' if len(empty) == 1 else 'have'} none"
                + (" (mask_truncated_completions is on)" if level else ""),
                distance=float(len(empty)),
            ),
            count=len(empty),
        )


def check_first_pass(call: Call, mask: Any, generation: Generation | None, findings: Findings) -> None:
    """Ratios of a call before which nothing moved the policy since the batch was drawn."""
    meta = call.meta
    first = bool(meta.get("first_pass"))
    if generation is not None and call.trains and meta.get("reuse_of_slice") == 0:
        first = first or meta.get("global_step") == generation.step
    if not first or not meta.get("old_logps_came_from_trainer", True):
        return
    difference = np.where(mask, call.arrays["new_logps"].astype(np.float64) - call.arrays["old_logps"], 0.0)
    difference = np.where(np.isfinite(difference), difference, 0.0)
    room = room_of(call)
    worst = np.unravel_index(int(np.argmax(np.abs(difference))), difference.shape)
    away = float(difference[worst])
    if abs(away) > room:
        share = float((np.abs(difference) > room).sum() / max(1, mask.sum()))
        findings.add(
            seen(
                "first-pass-ratio",
                where_of(call, int(worst[0])),
                "a ratio of 1 for every token: the policy has not moved since it drew them",
                f"{np.exp(away):.6g} for token {int(worst[1])}; {share:.0%} of the tokens are over {room:g} nats off",
                distance=abs(away),
                far=f"{abs(away):.3g} nats",
            )
        )


def check_sampler(call: Call, mask: Any, findings: Findings) -> None:
    """The sampler's log-probabilities against the old policy's."""
    sampler = call.arrays.get("sampling_logps")
    if sampler is None or not mask.any():
        return
    there = mask & ~np.isnan(sampler)
    lost = int(mask.sum() - there.sum())
    difference = np.where(there, call.arrays["old_logps"].astype(np.float64) - sampler, 0.0)
    size = np.abs(np.where(np.isfinite(difference), difference, np.inf))
    without = f"nan for {counted(lost, 'token')} of {int(mask.sum())}, which no ratio corrects"
    if size.max() > FIRST_PASS_ROOM["float32"]:
        row, token = np.unravel_index(int(np.argmax(size)), size.shape)
        mean = float(np.where(np.isfinite(size), size, 0.0).sum() / there.sum())
        findings.add(
            seen(
                "sampler-differs",
                where_of(call, int(row)),
                "log-probabilities of the old policy",
                f"a mean difference of {mean:.3g} nats a token; {size.max():.3g} at token {int(token)}"
                + (f"; {without}" if lost else ""),
                distance=float(size.max()),
                far=f"up to {size.max():.3g} nats",
            )
        )
    elif lost:
        place = where_of(call, int(np.argwhere(mask & ~there)[0][0]))
        findings.add(seen("sampler-differs", place, "a log-probability of every token", without))


def without_loss(call: Call, whole: bool, error: BadSetting, findings: Findings) -> None:
    """What was logged of a call whose loss cannot be computed: what is clipped needs neither a penalty nor a bonus."""
    config = call.meta["config"]
    own = {"loss_type": "grpo", **{name: config[name] for name in CLIPS if name in config}}
    why = f"{error.key} is {error.value!r}: expected {error.expected}"
    try:
        loss_call = LossCall.from_trl({**call.meta, "config": own}, call.arrays)
        found = recompute(loss_call) if whole else None
    except BadSetting:
        found = None
    if found is None:
        unchecked(call, logged_of(call), why, findings)
    else:
        check_metrics(call, loss_call, found, findings, why)


def check_loss(call: Call, whole: bool, findings: Findings, result: CallsResult) -> None:
    """The loss, its gradient and the logged metrics against what follows from the tensors."""
    if not (call.arrays.keys() & {"loss", "grad_logps"} or call.meta.get("trl_metrics_of_this_call")):
        return  # nothing to hold it against
    alone = not call.arrays.keys() & {"loss", "grad_logps"}
    try:
        loss_call = LossCall.from_trl(call.meta, padded(call.arrays))
        if whole and not alone and call.meta["config"].get(ADAPTS):
            loss_call = adapted(loss_call)
        found = recompute(loss_call)
    except BadSetting as error:
        if not alone:
            raise Unreadable(call.file, error.key, error.value, error.expected) from error
        without_loss(call, whole, error, findings)
        return
    if not whole:
        if alone:
            unchecked(call, logged_of(call), "its log-probabilities or advantages are not finite", findings)
        return
    settings = loss_call.settings
    declared = f"{settings.loss_type} {settings.importance_sampling_level}"
    names = (declared, "vespo token") if settings.loss_type == "vespo" and not settings.beta else (declared,)
    if loss_call.loss is not None or loss_call.grad_logps is not None:
        result.declared[declared] += 1
        departures = compare(loss_call, found)
        looked_for = result.tokens_identified < TOKENS_IDENTIFIED and (result.identifies or bool(departures))
        fitting = [fit_of(one, settings) for one in consistent(loss_call)] if looked_for else None
        if fitting is not None:
            result.identified += 1
            result.tokens_identified += loss_call.mask.size
            result.fits.update(fitting)
            result.consistent = set(fitting) if result.consistent is None else result.consistent & set(fitting)
        other = ""
        if departures and fitting is not None:
            why = "" if fitting else explained(loss_call, found)
            other = f"; the tensors fit {', '.join(fitting)}" if fitting else f"; {why or 'no known variant fits'}"
        for departure in departures:
            rule = "loss-differs" if departure.quantity == "loss" else "gradient-differs"
            if fitting and not any(name.startswith(names) for name in fitting):
                rule = "variant-differs"
            findings.add(
                seen(
                    rule,
                    where_of(call, departure.where[0] if departure.where else None),
                    f"{departure.quantity} {departure.expected:.9g} of {declared}, within {departure.bound:.2g}",
                    f"{departure.found:.9g}{other}",
                    distance=abs(departure.found - departure.expected),
                    far=f"{abs(departure.found - departure.expected):.3g}, {counted(departure.count, 'number')}",
                    apart=departure.quantity,
                )
            )
        take_open(call, loss_call, found, findings)
    check_metrics(call, loss_call, found, findings)
