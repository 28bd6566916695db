"""Small loss calls for the tests, and the same batches as grpocheck.core has them."""

from dataclasses import replace
from fractions import Fraction as F

import numpy as np
from grpocheck.core.variants.advantages import AdvantageRule, Baseline, Divisor
from grpocheck.core.variants.batch import Batch, SampledGroup, SampledResponse, SampledToken
from grpocheck.core.variants.evaluation import slopes, value
from grpocheck.verifier.recompute import LossCall

from tests.variants.by_hand import ARITHMETIC, MP

AS_GIVEN = AdvantageRule(Baseline.NONE, Divisor.NONE)


def small_call(seed=0, rows=4, tokens=5, spread=0.5, **changes):
    """Random multiples of 1/64, a mask with gaps, a first row that is whole and a last one that has no token."""
    draw = np.random.default_rng(seed)

    def dyadic(scale, shape):
        return np.round(draw.normal(0.0, scale, shape) * 64) / 64

    old = dyadic(1.0, (rows, tokens)) - 2.0
    mask = (draw.random((rows, tokens)) < 0.7).astype(float)
    mask[0] = 1.0
    mask[-1] = 0.0
    return LossCall(
        new_logps=old + dyadic(spread, (rows, tokens)),
        old_logps=old,
        ref_logps=old + dyadic(spread, (rows, tokens)),
        mask=mask,
        advantages=dyadic(1.0, rows),
        entropies=np.abs(dyadic(1.0, (rows, tokens))),
        **changes,
    )


def batch_of_call(call, epsilon, beta, maximum_length):
    """The call's tensors as a Batch of one group whose rewards are the advantages."""

    def mass(array, b, h):
        return MP.exp(MP.mpf(float(array[b, h])))

    responses = tuple(
        SampledResponse(
            tuple(
                SampledToken(
                    mass(call.new_logps, b, h),
                    mass(call.old_logps, b, h),
                    mass(call.ref_logps, b, h),
                    None,
                    F(float(call.entropies[b, h])),
                    bool(call.mask[b, h]),
                )
                for h in range(call.mask.shape[1])
            ),
            (MP.mpf(float(call.advantages[b, 0])),),
        )
        for b in range(call.mask.shape[0])
    )
    return Batch((SampledGroup(responses),), F(epsilon), F(beta), maximum_length)


def core_loss_and_gradient(variant, call, epsilon, beta, maximum_length):
    """-F and its slopes by core, in 50 digits; the places of kinks are None."""
    batch = batch_of_call(call, epsilon, beta, maximum_length)
    variant = replace(variant, advantage=AS_GIVEN)
    found = slopes(variant, batch, ARITHMETIC)
    gradient = [[-slope for slope in row] for row in found.log_masses[0]]
    return -value(variant, batch, ARITHMETIC), gradient, found
