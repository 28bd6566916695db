"""The formulas over arrays are those of core, whose numbers are exact: in float64, to the last digits."""

from fractions import Fraction as F

import numpy as np
import pytest
from grpocheck.core.variants.registry import NAMED
from grpocheck.core.variants.variant import Variant
from grpocheck.core.variants.words import with_parts
from grpocheck.verifier.recompute import BadSetting, LossCall, recompute
from grpocheck.verifier.recompute.variants import settings_of

from tests.recompute.calls import core_loss_and_gradient, small_call

EPSILON, BETA, LONGEST = F(1, 4), F(1, 32), 8

COMPOSED = [
    ["kl=k1"],
    ["kl=k2"],
    ["kl=k3"],
    ["kl=k3-reversed"],
    ["kl=k3,clamp-log-ratio=3/7"],
    ["kl=k3,clamp-log-ratio=6/7,clamp-value=1/7"],
    ["kl=k1,clamp-value=2/7"],
    ["kl=k3,weight=ratio"],
    ["kl=k3,weight=ratio-detached"],
    ["ratio=geometric-mean", "kl=k3,weight=ratio"],
    ["ratio=sequence", "kl=k2,weight=ratio"],
    ["term=two-sided,low=1/8,high=1/2", "normalisation=all-tokens"],
    ["normalisation=constant,constant=16"],
    ["term=delta,delta=5/4"],
    ["term=clipped-weight,cap=5/4,floor=3/4"],
    ["term=gamma-weight,positive-power=1,positive-rate=2", "ratio=sequence"],
    ["term=soft-gate,positive=2,negative=1/2", "ratio=geometric-mean"],
    ["off-policy-mask=1/32"],
    ["entropy-mask=1/4"],
    ["entropy-mask=1/4", "entropy-bonus=1/16"],
    ["entropy-bonus=1/16", "normalisation=maximum-length"],
]
VARIANTS = [
    *(variant for variant in NAMED.values() if variant.name != "section-1"),
    *(with_parts(Variant("grpo"), parts) for parts in COMPOSED),
]


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("variant", VARIANTS, ids=[variant.name for variant in VARIANTS])
def test_loss_and_gradient_are_those_of_core(variant, seed):
    settings = settings_of(variant, float(EPSILON), float(BETA), LONGEST)
    call = small_call(seed, settings=settings, precision="float64")
    loss, gradient, found = core_loss_and_gradient(variant, call, EPSILON, BETA, LONGEST)
    assert not found.kinks  # no ratio of these is on a bound
    result = recompute(call)
    assert result.loss_bound < 1e-13
    assert abs(result.loss - float(loss)) <= result.loss_bound + 1e-16
    assert result.gradient_bound.max() < 1e-13
    distance = np.abs(result.gradient - np.array(gradient, dtype=float))
    assert (distance <= result.gradient_bound + 1e-16).all()
    if settings.entropy_coef:
        marks = np.array(found.marked[0], dtype=float)
        assert result.entropy_gradient == pytest.approx(-float(found.entropy) * marks, abs=1e-15)
    else:
        assert result.entropy_gradient is None


@pytest.mark.parametrize("shape", [(3, 7), (4,), (2,), ()])
def test_ratios_of_the_sampler_are_of_tokens_or_a_column(shape: tuple[int, ...]) -> None:
    logs = -np.ones((2, 4))
    given = {"new_logps": logs, "old_logps": logs, "mask": np.ones((2, 4)), "advantages": [1.0, -1.0]}
    for fits in ((2, 4), (2, 1)):
        # of 3 with a ratio to the sampler of 3: -(3 - 3) / 2, and the slopes -+ 3 / (4 * 2)
        found = recompute(LossCall(**given, importance_ratio=np.full(fits, 3.0)))
        assert (found.loss, found.gradient.tolist()) == (0, [[-3 / 8] * 4, [3 / 8] * 4])
    with pytest.raises(BadSetting, match=r"importance_ratio: \[.*\]: expected one for each token"):
        LossCall(**given, importance_ratio=np.ones(shape))
    with pytest.raises(BadSetting, match="advantage_errors"):
        LossCall(**given, advantage_errors=np.zeros(3))
