"""Bounds at the edge of what is known: there a number is unknown, and neither infinite nor 0."""

import math

import numpy as np
import pytest
from grpocheck.verifier.recompute.bounded import PRECISIONS, Bounded

FLOAT64, FLOAT32 = PRECISIONS["float64"], PRECISIONS["float32"]


def about(value, error, precision=FLOAT64):
    return Bounded(np.asarray(float(value)), np.asarray(float(error)), precision)


def covers(found, number):
    """Whether a trainer may have the number; only the same number where it is not finite."""
    if not np.isfinite(found.value):
        return bool(found.value == number)
    return bool(abs(found.value - number) <= found.error)


@pytest.mark.parametrize("precision", [FLOAT64, FLOAT32], ids=lambda each: each.name)
def test_a_quotient_is_unknown_where_the_divisor_may_be_0(precision):
    for value, error in ((0, 1e-8), (1e-9, 1e-8), (-1e-8, 1e-8)):
        divisor = about(value, error, precision)
        for number in (0.0, 1.0, -3.0):  # 0 over a divisor that is 0 is NaN to the trainer
            found = about(number, 0, precision) / divisor
            assert np.isfinite(found.value)
            assert np.isinf(found.error)
    # where it certainly is 0 the quotient is what the trainer has, and 0 over another number is 0
    assert (about(1, 0) / about(0, 0)).value == math.inf
    assert math.isnan((about(0, 0) / about(0, 0)).value)
    zero = about(0, 0) / about(1, 1e-8)
    assert (zero.value, zero.error) == (0, 0)


def test_a_logarithm_is_unknown_where_its_argument_may_be_0():
    for value, error, possible in ((0, 1e-8, 1e-9), (-1e-9, 1e-8, 5e-9), (1e-9, 1e-8, 1e-8), (1e-8, 1e-8, 2e-8)):
        found = about(value, error).log()
        assert covers(found, math.log(possible)), (value, error)
    assert about(0, 0).log().value == -math.inf
    assert math.isnan(about(-1, 1e-8).log().value)
    near = about(2, 1e-8).log()
    assert covers(near, math.log(2 + 1e-8))
    assert near.error < 1e-8


def test_an_exponential_that_need_not_overflow_is_not_infinite():
    # e^709.78 is the last that float64 holds
    assert covers(about(710, 1).exp(), math.exp(709.5))
    assert covers(about(800, math.inf, FLOAT32).exp(), 1.0)
    assert covers(about(-750, 700).exp(), math.exp(-50))
    assert about(711, 1).exp().value == math.inf
    assert about(math.inf, 0).exp().value == math.inf


def test_a_sigmoid_that_underflows_need_not_be_0():
    assert covers(about(-800, math.inf).sigmoid(), 0.5)
    assert covers(about(-750, 700).sigmoid(), 1 / (1 + math.exp(50)))
    assert about(-800, 1).sigmoid().error < 1e-300


@pytest.mark.parametrize("setting", [1e-5, 3 * 2.0**-26, 2.0**-30, 2.0**-20, 0.2, 0.0, 0.5])
def test_a_setting_lies_within_its_bound_after_rounding(setting):
    """numpy's float16, whose numbers below 2^-14 are multiples of 2^-24."""
    assert covers(Bounded.constant(setting, PRECISIONS["float16"]), float(np.float16(setting)))
    assert covers(Bounded.constant(setting, FLOAT32), float(np.float32(setting)))
    assert Bounded.constant(0.5, PRECISIONS["float16"]).error == 0
