"""A target against a variant on a case: the same number up to a scale and an offset, or a departure.

What lies within the certified bound of the straight evaluation is float error. What lies beyond it by less than
``OTHER_ORDERS`` times may be another order of evaluation and is undecided; what lies farther is another formula.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from grpocheck.verifier.conform.advantages import advantages_of
from grpocheck.verifier.conform.inputs import Case, in_format
from grpocheck.verifier.conform.measuring import near, probe_case
from grpocheck.verifier.conform.targets import Answer, Target
from grpocheck.verifier.conform.wanted import Wanted
from grpocheck.verifier.recompute import LossCall, Recomputed, recompute
from grpocheck.verifier.recompute.bounded import PRECISIONS
from grpocheck.verifier.recompute.comparing import Departure, departure

OTHER_ORDERS = 8.0
"""How many times the bound of the straight evaluation another order of evaluation may take."""

LEAST_OFFSET = 2.0**-20
"""An offset below this is none: a residue is judged against the bounds, and not taken for a constant."""

MOVED = 1 / 8
"""By how much a log-probability is moved where only values are to be had."""


@dataclass(frozen=True)
class Constants:
    """The target is scale times the variant's loss plus an offset."""

    scale: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)


@dataclass(frozen=True)
class Found:
    """What a target departs by on a case: nothing, something undecided, or something that is decided."""

    departures: tuple[Departure, ...]
    undecided: bool
    raised: str | None = None

    @property
    def departs(self) -> bool:
        """Whether the target certainly computes something else there."""
        return bool(self.departures) or self.raised is not None


def expected(target: Target, wanted: Wanted, case: Case) -> Recomputed:
    """The variant's value and gradient on a case, with the bounds of the target's format; padding counts nowhere."""
    precision = PRECISIONS[target.precision]
    case = in_format(case, target.precision)
    if target.wants_rewards:
        advantages = advantages_of(wanted.variant.advantage, case.rewards, case.group_size, precision)
        given, errors = advantages.value, advantages.error
    else:
        given, errors = case.advantages, None
    return recompute(
        LossCall(
            new_logps=np.where(case.mask > 0, case.new, 0.0),
            old_logps=np.where(case.mask > 0, case.old, 0.0),
            ref_logps=np.where(case.mask > 0, case.ref, 0.0),
            mask=case.mask,
            advantages=given,
            advantage_errors=errors,
            settings=wanted.settings(case.shape[1]),
            precision=target.precision,
        )
    )


def constants_of(target: Target, wanted: Wanted) -> Constants | None:
    """Scale and offset from one token on policy with A > 0; None where the target has no slope there."""
    case = probe_case(0.0, 1, target.group_size, target.wants_rewards)
    found, formula = target.answer(case), expected(target, wanted, case)
    if found.raised is not None:
        return None
    if found.gradient is not None:
        nothing = probe_case(0.0, 0, target.group_size, target.wants_rewards)
        still = target.answer(nothing).gradient
        if still is None:
            return None
        slope = float(found.gradient[0, 0] - still[0, 0])
        base = float(formula.gradient[0, 0] - expected(target, wanted, nothing).gradient[0, 0])
    else:
        moved = probe_case(MOVED, 1, target.group_size, target.wants_rewards)
        nothing = replace(moved, advantages=np.zeros_like(moved.advantages), rewards=np.zeros_like(moved.rewards))
        slope = target.answer(moved).loss - target.answer(nothing).loss - found.loss
        base = expected(target, wanted, moved).loss - expected(target, wanted, nothing).loss - formula.loss
    if not math.isfinite(slope) or slope == 0 or base == 0:
        return None
    scale = near(slope / base)
    rest = found.loss - float(scale) * formula.loss
    within = max(OTHER_ORDERS * formula.loss_bound, LEAST_OFFSET) * abs(float(scale))
    if not math.isfinite(rest):
        return None
    return Constants(scale, Fraction(0) if abs(rest) <= within else near(rest))


def found_on(target: Target, wanted: Wanted, constants: Constants, case: Case) -> Found:
    """What a target departs by on a case."""
    return against(target.answer(case), expected(target, wanted, case), constants)


def against(answer: Answer, formula: Recomputed, constants: Constants) -> Found:
    """An answer against the formula's numbers."""
    if answer.raised is not None:
        return Found((), False, answer.raised)
    scale, offset = float(constants.scale), float(constants.offset)
    pairs = [
        (
            "loss",
            np.asarray(answer.loss),
            np.asarray(scale * formula.loss + offset),
            np.asarray(abs(scale) * formula.loss_bound + abs(offset) * 2.0**-22),
        )
    ]
    if answer.gradient is not None:
        pairs.append(("gradient", answer.gradient, scale * formula.gradient, abs(scale) * formula.gradient_bound))
    certain, near_by = [], False
    for quantity, found, wanted, bound in pairs:
        beyond = departure(quantity, found, wanted, OTHER_ORDERS * bound)
        if beyond is not None:
            certain.append(beyond)
        near_by = near_by or departure(quantity, found, wanted, bound) is not None
    return Found(tuple(certain), near_by and not certain)


def is_deterministic(target: Target, case: Case) -> bool:
    """Whether two calls on one input give one answer."""
    first, second = target.answer(case), target.answer(case)
    if first.raised is not None or second.raised is not None:
        return first.raised == second.raised
    same = first.loss == second.loss or (math.isnan(first.loss) and math.isnan(second.loss))
    if first.gradient is None or second.gradient is None:
        return same
    return same and np.array_equal(first.gradient, second.gradient, equal_nan=True)
