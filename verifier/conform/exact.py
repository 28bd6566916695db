"""The value that core gives for the smallest input, in certified enclosures: the definition has the last word."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from grpocheck.core.arithmetic import EnclosureArithmetic, Scalar, UndecidedComparison
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.batch import Batch, SampledGroup, SampledResponse, SampledToken
from grpocheck.core.variants.evaluation import slopes, value
from grpocheck.core.variants.registry import AS_GIVEN
from grpocheck.verifier.conform.checking import Constants
from grpocheck.verifier.conform.inputs import Case
from grpocheck.verifier.conform.wanted import Wanted
from grpocheck.verifier.prime_logs import PrimeLogs
from grpocheck.verifier.vectors.numbers import nearest

MAX_BITS = 512


def by_core(wanted: Wanted, constants: Constants, case: Case, rewards: bool) -> tuple[float, list[list[float]]] | None:
    """scale * -F + offset and its slopes by core, to the nearest float; None where core has none for the input.

    F is a function of the current masses; where it has a kink the slope is the mean of both sides.
    """
    if not all(np.isfinite(array).all() for array in (case.new, case.old, case.ref, case.advantages)):
        return None
    arithmetic = PrimeLogs(EnclosureArithmetic(max_bits=MAX_BITS))

    def mass(logarithm: float) -> Scalar:
        return arithmetic.exp(arithmetic.number(Fraction(float(logarithm))))

    responses = [
        SampledResponse(
            tuple(
                SampledToken(
                    mass(case.new[row, place]),
                    mass(case.old[row, place]),
                    mass(case.ref[row, place]),
                    active=bool(case.mask[row, place]),
                )
                for place in range(case.shape[1])
            ),
            (arithmetic.number(Fraction(float((case.rewards if rewards else case.advantages)[row]))),),
        )
        for row in range(case.shape[0])
    ]
    size = case.group_size if rewards else len(responses)
    groups = tuple(SampledGroup(tuple(responses[start : start + size])) for start in range(0, len(responses), size))
    longest = wanted.numbers.maximum_length or case.shape[1]
    batch = Batch(
        groups, arithmetic.number(wanted.numbers.epsilon), arithmetic.number(wanted.numbers.beta), longest
    )
    variant = wanted.variant if rewards else replace(wanted.variant, advantage=AS_GIVEN)
    try:
        loss, found = value(variant, batch, arithmetic), slopes(variant, batch, arithmetic)
    except (InvalidProblem, UndecidedComparison):
        return None
    scale, offset = float(constants.scale), float(constants.offset)
    gradient = [[-scale * nearest(slope) for slope in row] for rows in found.log_masses for row in rows]
    return offset - scale * nearest(loss), gradient
