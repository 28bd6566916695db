"""The numbers of a loss, from what its gradient shows: clip bounds, caps, temperatures, powers, beta, masks.

A fit only proposes. Whether a loss with the proposed numbers is the call's is decided by the certified bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from grpocheck.verifier.recompute.bounded import Array
from grpocheck.verifier.recompute.call import LossCall
from grpocheck.verifier.recompute.comparing import compare
from grpocheck.verifier.recompute.formulas import recompute
from grpocheck.verifier.recompute.settings import CLAMPED, LossSettings
from numpy.typing import NDArray

CLOSE = 1e-4
"""Relative distance within which a fitted number stands for another."""
LONGEST = (64, 100, 128, 200, 256, 300, 400, 500, 512, 600, 768, 800, 1000, 1024, 1500, 2000, 2048, 3000, 4096, 8192)
"""Maximum lengths in use, beside those that are near the width of a batch."""
MOST_CHOICES = 8
STEP = 1e-6
SHARES = tuple(share / 100 for share in range(5, 100, 5))


@dataclass(frozen=True)
class Shown:
    """What a gradient shows of a loss type at a level: per token, the slope over that of the unclipped ratio.

    ``ratio`` and ``share`` are (B, T); ``counts`` marks the tokens that say something.
    """

    ratio: Array
    share: Array
    counts: NDArray[np.bool_]
    advantages: Array


def fitted(call: LossCall, base: LossSettings) -> Iterator[LossSettings]:
    """Settings of the loss type and level of ``base`` with numbers that the gradient of the call allows."""
    if call.grad_logps is None or not np.isfinite(call.grad_logps).all():
        return
    for settings in _masks(call, base):
        for scaled in _lengths(call, settings):
            for penalised in _penalties(call, scaled):
                yield from _terms(call, penalised)


def _gradient(call: LossCall, settings: LossSettings) -> Array:
    return recompute(replace(call, settings=settings)).gradient


def _plain(settings: LossSettings) -> LossSettings:
    """The same without a clip: of a detached weight, with a weight of 1."""
    if settings.term_in_use in CLAMPED or settings.term_in_use == "soft-gate":
        return replace(settings, term="unclipped")
    return replace(settings, term="score")


def _spread(call: LossCall, values: Array) -> Array:
    return np.array(np.broadcast_to(values, call.new_logps.shape))


def shown(call: LossCall, settings: LossSettings) -> Shown:
    """The shares of the slope, with the settings' KL term taken off."""
    plain = _plain(settings)
    policy = _gradient(call, replace(plain, beta=0.0))
    rest = np.asarray(call.grad_logps)
    if settings.beta:
        rest = rest - (_gradient(call, plain) - policy)
    advantages = _spread(call, call.advantages)
    size = float(np.max(np.abs(policy), initial=0.0))
    counts = (call.mask > 0) & (advantages != 0) & (np.abs(policy) > 1e-7 * size)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(counts, rest / policy, 1.0)
    ratio = _spread(call, recompute(replace(call, settings=replace(plain, beta=0.0))).ratios)
    return Shown(ratio, share, counts, advantages)


def _masks(call: LossCall, base: LossSettings) -> Iterator[LossSettings]:
    """The base, and with an entropy mask, a bonus or an off-policy mask where the gradient has holes like theirs."""
    bonus, marks, coefficient = base, call.grad_entropies, shown_bonus(call)
    if coefficient is not None:
        bonus = replace(base, entropy_coef=near(coefficient))
    yield bonus
    if coefficient is None and base.entropy_coef:  # whoever records no slopes of 0 leaves those of no bonus out
        yield replace(base, entropy_coef=0.0)
    gradient = np.asarray(call.grad_logps)
    still = (gradient == 0) & (call.mask > 0)
    if call.entropies is not None and still.any():
        moving = (gradient != 0) & (call.mask > 0)
        if marks is not None and np.any(marks != 0):
            moving = marks != 0
        least = float(np.min(call.entropies[moving], initial=np.inf))
        number = int(np.sum(call.entropies[call.mask > 0] >= least))
        active = int(np.sum(call.mask))
        for share in SHARES:
            if abs(share * active - number) <= 1.5 and number < active:
                yield replace(bonus, top_entropy_quantile=share)
    left_out = still.sum(axis=1) == call.lengths[:, 0]
    negative = call.advantages[:, 0] < 0
    if (left_out & negative).any() and not bonus.entropy_coef:
        sampler = call.old_logps if call.sampling_logps is None else call.sampling_logps
        drift = np.sum(np.nan_to_num(sampler - call.new_logps) * call.mask, axis=1) / np.maximum(call.lengths[:, 0], 1)
        kept = float(np.max(drift[negative & ~left_out], initial=0.0))
        dropped = float(np.min(drift[negative & left_out]))
        if kept < dropped:
            yield replace(bonus, off_policy_mask_threshold=between(kept, dropped))


def shown_bonus(call: LossCall) -> float | None:
    """The coefficient of the entropy bonus by the slopes of the entropies; None where these were not recorded."""
    marks = call.grad_entropies
    if marks is None:
        return None
    kept = marks[marks != 0]
    accumulation = call.gradient_accumulation_steps if call.training else 1
    return -float(kept[0]) * kept.size * accumulation if kept.size else 0.0


def adapted(call: LossCall) -> LossCall:
    """The call with the coefficient of its entropy bonus as it was, where a trainer adapts it from call to call.

    The recorded one may be that of another call: where loss and gradients are not its, those of the coefficient that
    the slopes of the entropies show are looked at, and those of no bonus.
    """
    recorded, coefficient = call.settings.entropy_coef, shown_bonus(call)
    others = (0.0,) if coefficient is None else (near(coefficient), coefficient)
    for tried in dict.fromkeys((recorded, *others)):
        other = replace(call, settings=replace(call.settings, entropy_coef=tried))
        if not compare(other, recompute(other)):
            return other
    return call if coefficient is None else replace(call, settings=replace(call.settings, entropy_coef=coefficient))


def _lengths(call: LossCall, settings: LossSettings) -> Iterator[LossSettings]:
    """A maximum length, for a loss that divides by it: as declared, as the gradient shows, or one in use."""
    if settings.normalisation_in_use != "maximum-length":
        yield settings
        return
    width = call.new_logps.shape[1]
    lengths = [] if settings.maximum_length is None else [settings.maximum_length]
    unit = replace(settings, maximum_length=1)
    if call.ref_logps is None:
        found = shown(call, unit)
        scales = found.share[found.counts & (np.abs(found.share) > 0)]
        if scales.size:
            middle = float(np.median(scales))  # of unclipped ratios; a clip has no share at all
            lengths += [length for length in (round(1 / middle),) if middle > 0 and length >= width]
    elif call.settings.maximum_length is None:
        lengths += [*range(width, width + 4), *(length for length in LONGEST if length >= width)]
    for length in dict.fromkeys(lengths):
        yield replace(settings, maximum_length=length)


def _penalties(call: LossCall, settings: LossSettings) -> Iterator[LossSettings]:
    """No KL term, or one of each kind with the beta that most tokens agree on, clipped or not."""
    yield replace(settings, beta=0.0)
    if call.ref_logps is None:
        return
    if settings.beta:
        yield settings
    plain = replace(_plain(settings), beta=0.0)
    policy = _gradient(call, plain)
    for kind, weight in (("k3", "none"), ("k3", "ratio"), ("k1", "none"), ("k2", "none")):
        own = _gradient(call, replace(plain, beta=1.0, penalty=kind, kl_weight=weight)) - policy
        counts = (call.mask > 0) & (np.abs(own) > 1e-6 * np.max(np.abs(own), initial=0.0))
        if not counts.any():
            continue
        gradient = np.asarray(call.grad_logps)
        proposals = np.concatenate([gradient[counts] / own[counts], (gradient - policy)[counts] / own[counts]])
        beta = _most_agreed(proposals[np.isfinite(proposals) & (proposals > 0)])
        if beta is not None:
            yield replace(settings, beta=near(beta), penalty=kind, kl_weight=weight)


def _most_agreed(values: Array) -> float | None:
    """The number that most of the values are close to."""
    if not values.size:
        return None
    ordered = np.sort(values)
    last = np.searchsorted(ordered, ordered * (1 + CLOSE), side="right")
    place = int(np.argmax(last - np.arange(ordered.size)))
    return float(np.median(ordered[place : last[place]]))


def _terms(call: LossCall, settings: LossSettings) -> Iterator[LossSettings]:
    """The numbers of the term."""
    found = shown(call, settings)
    if settings.term_in_use in CLAMPED:
        yield from _clips(call, settings, found)
    elif settings.term_in_use == "clipped-weight":
        below = found.counts & (found.share < found.ratio * (1 - CLOSE))
        largest = float(np.max(found.ratio[found.counts], initial=1.0))
        caps = found.share[below]
        yield replace(settings, cap=near(float(np.median(caps))) if caps.size else max(largest * 2, 5.0))
    elif settings.term_in_use == "soft-gate":
        yield replace(settings, temperatures=_temperatures(settings, found))
    elif settings.term_in_use == "gamma-weight":
        yield from _gammas(call, settings, found)
    else:
        yield settings


def _clips(call: LossCall, settings: LossSettings, found: Shown) -> Iterator[LossSettings]:
    """Clip bounds between the ratios that are held and those that are not; the loss decides where in between."""
    held = found.counts & (np.abs(found.share) < CLOSE)
    free = found.counts & ~held
    if np.any(np.abs(found.share[free] - 1) > 100 * CLOSE):
        return
    gain, loss = found.advantages > 0, found.advantages < 0
    high = _bracket(found.ratio, free & gain, held & gain & (found.ratio > 1))
    low = _bracket(-found.ratio, free & loss, held & loss & (found.ratio < 1))
    above = held & loss & (found.ratio > 1)
    top = max(high[0], 1.0)
    widths_low = _choices(1 + finite_or(low[0], -1.0), 1 + low[1], settings.epsilon)
    widths_high = _choices(top - 1, high[1] - 1, settings.epsilon_high)
    deltas: list[float | None] = [None]
    if above.any():
        reach = _bracket(found.ratio, free & loss, above)
        deltas = [*(delta for delta in _choices(reach[0], reach[1], settings.delta or math.nan))]
    for delta in deltas:
        first = replace(settings, epsilon=min(widths_low[0], 0.999), epsilon_high=widths_high[0], delta=delta)
        yield first
        if not _gradient_fits(call, first):  # it is the same wherever between the ratios the bounds are
            return
        reaches = (max(1 + finite_or(low[0], -1.0), 0.0), 1 + low[1]), (top - 1, high[1] - 1)
        yield from _solved(call, first, widths_low, reaches)


def _gradient_fits(call: LossCall, settings: LossSettings) -> bool:
    """Whether the gradient is that of the settings, within the bound."""
    tried = replace(call, settings=settings, loss=None)
    return not compare(tried, recompute(tried))


def finite_or(value: float, otherwise: float) -> float:
    """A finite number, or another."""
    return value if math.isfinite(value) else otherwise


def _bracket(ratio: Array, free: NDArray[np.bool_], held: NDArray[np.bool_]) -> tuple[float, float]:
    """The largest free ratio and the smallest held one."""
    return float(np.max(ratio[free], initial=-np.inf)), float(np.min(ratio[held], initial=np.inf))


def _choices(low: float, high: float, declared: float) -> list[float]:
    """Numbers in an interval: the declared one where it is inside, and the simplest."""
    low = max(low, 1e-6) if math.isfinite(low) else 1e-6
    inside = [declared] if low <= declared <= high else []
    if not inside and not math.isfinite(high):
        return [max(0.2, float(simplest_above(low)))]
    return inside or (list(few_decimals(low, high)) if low < high else [low])


def _solved(
    call: LossCall, settings: LossSettings, widths_low: list[float], reaches: tuple[tuple[float, float], ...]
) -> Iterator[LossSettings]:
    """The widths moved so that the loss is the recorded one, in which it is linear while no ratio crosses a bound.

    ``reaches`` are the intervals of the lower and the upper width in which none does.
    """
    if call.loss is None:
        return

    def loss(**changes: float) -> float:
        return recompute(replace(call, settings=replace(settings, **changes))).loss  # type: ignore[arg-type]

    base, low, high = loss(), settings.epsilon, settings.epsilon_high
    by_low = (loss(epsilon=low * (1 + STEP)) - base) / (low * STEP)
    by_high = (loss(epsilon_high=high * (1 + STEP)) - base) / (high * STEP)
    if by_low and by_high:
        ends = [low + (call.loss - base - by_high * (end - high)) / by_low for end in reaches[1]]
        least, most = max(min(ends), reaches[0][0]), min(max(ends), reaches[0][1], 0.999)
        if least < most:
            widths_low = [*widths_low, *few_decimals(least, most), (least + most) / 2]
    for chosen in widths_low if by_low else [low]:
        rest = call.loss - base - by_low * (chosen - low)
        solved = high + rest / by_high if by_high else high
        for value in (near(solved, 1e-3), solved) if by_high else (high,):
            if 0 < chosen < 1 and value > 0:
                yield replace(settings, epsilon=chosen, epsilon_high=value)
    if by_low and not by_high:
        solved = low + (call.loss - base) / by_low
        for value in (near(solved, 1e-3), solved):
            if 0 < value < 1:
                yield replace(settings, epsilon=value)


def _temperatures(settings: LossSettings, found: Shown) -> tuple[float, float]:
    """tau for each sign, from the token whose ratio is farthest from 1: share = 4 s (1 - s), s = sigmoid(tau (r-1))."""
    made = []
    for sign, declared in ((1, settings.temperatures[0]), (-1, settings.temperatures[1])):
        here = found.counts & (np.sign(found.advantages) == sign) & (found.share > 1e-3) & (found.share < 1 - 1e-3)
        distance = np.where(here, np.abs(found.ratio - 1), 0.0)
        if not here.any():
            made.append(declared)
            continue
        place = np.unravel_index(int(np.argmax(np.where(found.share > 0.05, distance, 0.0))), distance.shape)
        gate = (1 + math.sqrt(max(0.0, 1 - float(found.share[place])))) / 2
        made.append(near(math.log(gate / (1 - gate)) / max(float(distance[place]), 1e-12)) if gate < 1 else declared)
    return made[0], made[1]


def _gammas(call: LossCall, settings: LossSettings, found: Shown) -> Iterator[LossSettings]:
    """k and lambda for each sign, by least squares from log phi = k log w + lambda (1 - w); TRL's own beside."""
    yield replace(settings, gamma_powers=(2.0, 3.0), gamma_rates=(3.0, 2.0))
    logs = np.clip(np.sum((call.new_logps - call.old_logps) * call.mask, axis=1), math.log(1e-8), 20.0)
    powers, rates = list(settings.gamma_powers), list(settings.gamma_rates)
    for index, sign in enumerate((1, -1)):
        rows = [
            row
            for row in range(len(logs))
            if found.counts[row].any() and np.sign(found.advantages[row, 0]) == sign and abs(logs[row]) > 1e-3
        ]
        weights = [float(np.median(found.share[row][found.counts[row]])) for row in rows]
        if len(rows) < 2 or min(weights) <= 0:
            continue
        matrix = np.array([[logs[row], 1 - math.exp(logs[row])] for row in rows])
        solution = np.linalg.lstsq(matrix, np.log(weights), rcond=None)[0]
        powers[index], rates[index] = near(float(solution[0]), 1e-2), near(float(solution[1]), 1e-2)
    if min(rates) > 0:
        yield replace(settings, gamma_powers=(powers[0], powers[1]), gamma_rates=(rates[0], rates[1]))


def near(value: float, close: float = CLOSE) -> float:
    """The number of fewest decimals near a number."""
    if value == 0 or not math.isfinite(value):
        return value
    size = abs(value)
    return math.copysign(between(size * (1 - close), size * (1 + close)), value)


def between(low: float, high: float) -> float:
    """The number of fewest decimals in an interval of numbers from 0; its middle where none is short."""
    for digits in range(12):
        candidate = math.ceil(low * 10.0**digits) / 10.0**digits
        if low <= candidate <= high and candidate > 0:
            return candidate
    return (low + high) / 2


def few_decimals(low: float, high: float) -> Iterator[float]:
    """Numbers in an interval, those of fewest decimals first; at most ``MOST_CHOICES`` of them."""
    seen: dict[float, None] = {}
    for digits in range(8):
        first = math.ceil(low * 10**digits)
        for numerator in range(first, min(math.floor(high * 10**digits), first + MOST_CHOICES) + 1):
            seen[numerator / 10**digits] = None
        if len(seen) >= MOST_CHOICES:
            break
    yield from list(seen)[:MOST_CHOICES] or [(low + high) / 2]


def simplest_above(low: float) -> Fraction:
    """A number of one digit above another."""
    digits = 10 ** max(0, -math.floor(math.log10(low)))
    return Fraction(math.floor(low * digits) + 1, digits)

