"""What a call is made of is named where it cannot be used, and nothing is computed of a part of it."""

import math
from dataclasses import fields

import numpy as np
import pytest
from grpocheck.verifier.recompute import LossCall, LossSettings, compare, recompute
from grpocheck.verifier.recompute.settings import BadSetting

ONE = {"new_logps": [[-1.0, -2.0]], "old_logps": [[-1.0, -2.0]], "mask": [[1, 1]], "advantages": [0.5]}

REFUSED = {
    "masked log-probabilities": ("new_logps", np.ma.array([[-1.0, -2.0]], mask=[[0, 1]]), "an array without a mask"),
    "a masked gradient": ("grad_logps", np.ma.array([[-0.25, -0.25]], mask=[[0, 1]]), "an array without a mask"),
    "complex numbers": ("new_logps", np.array([[-1.0 + 1.0j, -2.0]]), "an array of real numbers"),
    "texts": ("old_logps", [["a", "b"]], "an array of real numbers"),
    "rows of two lengths": ("new_logps", [[-1.0, -2.0], [-1.0]], "an array of real numbers"),
    "a text for a loss": ("loss", "much", "an array of real numbers"),
    "two losses": ("loss", [0.5, 0.5], "one number"),
    "a bound that is none": ("advantage_errors", [math.nan], "bounds, none of them below 0"),
    "a bound below 0": ("advantage_errors", [-1.0], "bounds, none of them below 0"),
    "no count": ("world_size", math.nan, "a count of at least 1"),
}


@pytest.mark.parametrize(("key", "value", "expected"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_used_is_named(key, value, expected):
    with pytest.raises(BadSetting, match=f"^{key}: .*: expected {expected}"):
        LossCall(**{**ONE, key: value})


def test_a_loss_of_one_entry_is_that_entry():
    call = LossCall(**ONE, loss=np.array([7.0]))
    assert call.loss == 7.0
    (found,) = compare(call, recompute(call))
    assert (found.quantity, found.found, found.expected) == ("loss", 7.0, -0.5)


NUMBERS = [entry.name for entry in fields(LossSettings) if str(entry.type).startswith("float")]


@pytest.mark.parametrize("key", NUMBERS)
def test_a_setting_that_is_no_number_makes_no_loss(key):
    with pytest.raises(BadSetting, match=f"^{key}: nan: expected a"):
        LossSettings(**{key: math.nan})


@pytest.mark.parametrize("key", ["temperatures", "gamma_powers", "gamma_rates"])
def test_nor_does_one_of_a_pair(key):
    with pytest.raises(BadSetting, match=f"^{key}: .*nan"):
        LossSettings(**{key: (1.0, math.nan)})


def test_there_are_numbers_to_try():
    assert {"epsilon", "epsilon_high", "beta", "delta", "cap", "kl_clamp_value", "entropy_coef"} <= set(NUMBERS)
