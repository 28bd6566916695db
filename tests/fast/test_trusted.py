from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from grpocheck.verifier.fast.filtered import TRUSTED


def worst(points: list[float], approximate: Callable[[Any], Any], exact: Callable[[Any], Any]) -> float:
    """The largest relative error of a function of numpy on some points, in units of 2^-53."""
    ctx.prec = 200
    values, most = approximate(np.array(points)), 0.0
    for point, value in zip(points, values.tolist(), strict=True):
        true = exact(arb(point))
        if true != 0:
            most = max(most, float(abs(arb(value) / true - 1).abs_upper()))
    return most * 2.0**53


def arguments(random: Random, count: int) -> dict[str, list[float]]:
    near_one = [1.0 + random.gauss(0, 1) * 10.0 ** -random.randrange(1, 16) for _ in range(count)]
    return {
        "exp": [-700 * random.random() for _ in range(count)] + [-(10.0**-place) for place in range(1, 17)],
        "log": [2.0 ** random.uniform(-900, 900) for _ in range(count)] + near_one + [1.0 + k for k in range(count)],
    }


@pytest.mark.parametrize("count", [3000, pytest.param(200_000, marks=pytest.mark.slow)])
def test_numpy_keeps_the_trust_that_is_put_in_it(count: int) -> None:
    points = arguments(Random(count), count)
    assert worst(points["exp"], np.exp, lambda x: x.exp()) * 2.0**-53 <= TRUSTED
    assert worst([p for p in points["log"] if p != 1], np.log, lambda x: x.log()) * 2.0**-53 <= TRUSTED
