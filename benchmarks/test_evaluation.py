"""F_t and its gradient: ours beside torch autograd, numpy, mpmath's intervals and a plain script on balls."""

from collections.abc import Callable
from typing import Any

import pytest
from grpocheck.verifier.fast import Evaluator

from benchmarks.measuring import Comparison, Growth, median_time, ratios
from benchmarks.work import Instance, instance, intervals, numpy_float64, plain_balls, torch_autograd

LIMIT = {
    12: "The filter is some forty numpy operations on arrays of M x n, a third of them for the bounds, and a fixed "
    "cost of a microsecond for each; torch's forward and backward pass are about as many of its own.",
    30: "Each response costs an exponential, a division and about ten products of balls, made one by one from Python; "
    "where the peer repeats draws, ours does not.",
}

SMALL, LARGE = (8, 16, 16), (64, 256, 64)
Keep = Callable[[Comparison | Growth], None]


def ours(of: Instance, digits: int) -> Callable[[], object]:
    evaluator = Evaluator(of.batch)
    return lambda: evaluator.at(of.theta, digits)


def compared(
    benchmark: Any, keep: Keep, size: tuple[int, int, int], digits: int, peer: Any, name: str, target: float,
    at_most: bool = True, rounds: int = 15,
) -> None:  # fmt: skip
    of = instance(*size)
    work, other = ours(of, digits), peer(of)
    benchmark.pedantic(work, rounds=5, iterations=3, warmup_rounds=1)
    found, seconds = ratios(work, other, rounds) if at_most else ratios(other, work, rounds)
    what = f"F and gradient, M={size[0]}, n={size[1]}, G={size[2]}, beta>0"
    goal = f"1e-{digits}" if digits < 20 else f"{digits} digits"
    mine, theirs = f"certified to {goal}", name
    pair = (mine, theirs) if at_most else (theirs, mine)
    keep(Comparison(what, *pair, found, target, at_most, seconds=seconds, limit=LIMIT[digits]))


def test_twelve_digits_beside_torch(benchmark: Any, keep: Keep) -> None:
    pytest.importorskip("torch")
    compared(benchmark, keep, SMALL, 12, torch_autograd, "torch float64 autograd", 1.5)


def test_twelve_digits_beside_torch_at_size(benchmark: Any, keep: Keep) -> None:
    pytest.importorskip("torch")
    compared(benchmark, keep, LARGE, 12, torch_autograd, "torch float64 autograd", 2.0)


def test_twelve_digits_beside_numpy(benchmark: Any, keep: Keep) -> None:
    compared(benchmark, keep, SMALL, 12, numpy_float64, "numpy float64 without bounds", 3.0)


def test_thirty_digits_beside_torch(benchmark: Any, keep: Keep) -> None:
    pytest.importorskip("torch")
    compared(benchmark, keep, SMALL, 30, torch_autograd, "torch float64 autograd", 8.0)


def test_thirty_digits_beside_intervals(benchmark: Any, keep: Keep) -> None:
    compared(benchmark, keep, SMALL, 30, intervals, "mpmath iv, 38 digits", 8.0, at_most=False, rounds=9)


def test_thirty_digits_beside_a_plain_script(benchmark: Any, keep: Keep) -> None:
    compared(benchmark, keep, SMALL, 30, plain_balls, "plain python-flint, 128 bits, draw by draw", 1.0)


GROWING = {
    "M": [(4 * k, 64, 32) for k in (1, 2, 4, 8, 16)],
    "n": [(16, 64 * k, 32) for k in (1, 2, 4, 8, 16)],
    "G": [(16, 32, 16 * k) for k in (1, 2, 4, 8, 16)],
}
PLACE = {"M": 0, "n": 1, "G": 2}


@pytest.mark.parametrize(("variable", "digits"), [("M", 12), ("M", 30), ("n", 12), ("n", 30), ("G", 12), ("G", 30)])
def test_growth(benchmark: Any, keep: Keep, variable: str, digits: int) -> None:
    points = []
    for size in GROWING[variable]:
        work = ours(instance(*size), digits)
        points.append((float(size[PLACE[variable]]), median_time(work)))
    benchmark.pedantic(work, rounds=3, warmup_rounds=1)
    goal = {"M": "at most linear", "n": "at most linear", "G": "none beyond the responses drawn"}[variable]
    keep(Growth(f"F and gradient, {digits} digits", variable, points, goal))


def test_growth_with_digits(benchmark: Any, keep: Keep) -> None:
    of = instance(*SMALL)
    points = [(float(digits), median_time(ours(of, digits))) for digits in (20, 40, 80, 160, 320, 640)]
    benchmark.pedantic(ours(of, 40), rounds=3, warmup_rounds=1)
    keep(Growth("F and gradient, M=8, n=16, G=16", "digits", points, ""))
