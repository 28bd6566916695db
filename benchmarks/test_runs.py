"""How the time of a run grows with what it is given, and what it is spent on. Contracts as this process has them."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from grpocheck.core import problem_from_mapping, run
from grpocheck.core.arithmetic import EnclosureArithmetic

from benchmarks.measuring import Comparison, Growth, Spending, median_time

HOUSE = Path(__file__).resolve().parents[1]
Keep = Callable[[Comparison | Growth | Spending], None]


def softmax(M: int = 1, n: int = 4, G: int = 4, T: int = 1, K: int = 1) -> dict[str, Any]:  # noqa: N803
    """M prompts of n responses, each drawn as often as the others: G // n times, or once each of the first G."""
    names = [f"r{j}" for j in range(n)]
    drawn = [names[i % n] for i in range(G)]
    return {
        "group_size": G, "outer_iterations": T, "inner_steps": K, "epsilon": "1/5", "beta": "1/25",
        "step_size": "1/10", "theta": [f"{(7 * i) % 11}/16" for i in range(M * n)], "family": "softmax",
        "prompts": [
            {"name": f"q{place}", "responses": names, "rewards": [f"{(3 * j) % 5}/4" for j in range(n)],
             "reference": [f"1/{n}"] * n}
            for place in range(M)
        ],
        "draws": {"recorded": [[drawn] * M] * T},
    }  # fmt: skip


def log_linear(d: int) -> dict[str, Any]:
    """One prompt of four responses with d features each."""
    stated = softmax()
    features = [[f"{(2 * i + 3 * j) % 7}/8" for i in range(d)] for j in range(4)]
    stated["prompts"][0]["features"] = features
    return {**stated, "family": "log-linear", "theta": ["1/4"] * d}


def autoregressive(H: int) -> dict[str, Any]:  # noqa: N803
    """Two tokens and an end token up to a horizon; every response that the support has is drawn once."""
    stated = softmax()
    tokens = ["a", "b", "."]
    prefixes, responses = [""], []
    for length in range(H):
        longest = [prefix for prefix in prefixes if len(prefix) == length]
        responses += [prefix + "." for prefix in longest]
        prefixes += [prefix + token for prefix in longest for token in "ab"]
    responses += [prefix for prefix in prefixes if len(prefix) == H]
    parameters = len([prefix for prefix in prefixes if len(prefix) < H])
    responses.sort(key=lambda response: (len(response), [tokens.index(token) for token in response]))
    spaced = [" ".join(response) for response in responses]
    prompt = {
        "name": "q", "rewards": {response: f"{i % 4}/4" for i, response in enumerate(spaced)},
        "reference": {response: f"1/{len(spaced)}" for response in spaced},
    }  # fmt: skip
    return {
        **stated, "group_size": len(spaced), "family": "autoregressive", "theta": ["1/8"] * (3 * parameters),
        "generation": {"vocabulary": tokens, "end": ".", "horizon": H, "parameterisation": "logits"},
        "prompts": [prompt], "draws": {"recorded": [[spaced]]},
    }  # fmt: skip


NESTED = (
    "the parameter after a step is an expression that holds the one before it; where an enclosure has to be refined it "
    "is refined down to the first step, and the expressions get longer"
)
GROWING: dict[str, tuple[list[int], Callable[[int], dict[str, Any]], str, float | None, str]] = {
    "M": ([1, 2, 4, 8], lambda x: softmax(M=x), "at most linear", 1.2,
          "nothing but the sum is shared between prompts"),
    "distinct responses drawn, of n = 16": (
        [2, 4, 8, 16], lambda x: softmax(n=16, G=x), "at most linear", 1.2,
        "the rest of the work is on all 16 responses, drawn or not"),
    "n (all drawn)": ([2, 4, 8, 16], lambda x: softmax(n=x, G=x), "", None, "the masses have n x n derivatives"),
    "G, 4 distinct responses": (
        [4, 16, 64, 256], lambda x: softmax(G=x), "none beyond making the draws", 0.5,
        "each draw is made, rewarded, standardised and checked by contracts; the terms are evaluated 4 times at any G"),
    "d": ([1, 2, 4, 8], log_linear, "", None, "each coordinate of the gradient is a sum over the responses"),
    "T": ([1, 2, 3, 4], lambda x: softmax(T=x), "", None, NESTED),
    "K": ([1, 2, 4, 6], lambda x: softmax(K=x), "", None, NESTED),
    "H, 2^(H + 1) - 1 responses drawn": (
        [1, 2, 3, 4], autoregressive, "", None, "the support doubles with each token, and so do the parameters"),
}  # fmt: skip


@pytest.mark.parametrize("variable", GROWING)
def test_growth_of_a_run(benchmark: Any, keep: Keep, variable: str) -> None:
    sizes, stated, target, most, limit = GROWING[variable]
    points = []
    for size in sizes:
        problem = problem_from_mapping(stated(size))
        points.append((float(size), median_time(lambda problem=problem: run(problem), rounds=3, least=0.0)))
    benchmark.pedantic(lambda: run(problem), rounds=1)
    work = "a run, softmax unless the variable says another family"
    keep(Growth(work, variable, points, target, most=most, limit=limit))


def test_growth_of_a_run_with_digits(benchmark: Any, keep: Keep) -> None:
    problem = problem_from_mapping(softmax())

    def written(digits: int) -> object:
        arithmetic = EnclosureArithmetic(digits=digits)
        return [arithmetic.text(entry) for entry in run(problem, arithmetic=arithmetic).theta]

    points = [(float(size), median_time(lambda size=size: written(size), 3, 0.0)) for size in (30, 100, 300, 1000)]
    benchmark.pedantic(lambda: written(30), rounds=1)
    keep(Growth("a run, and its parameter in digits", "digits", points))


KINDS = {
    "exact numbers: Fraction and sums of square roots": ("fractions.py", "surd.py", "radicals.py", "numbers.py", "abc"),
    "the normal form of expressions": ("reals.py", "operators.py", "elementary.py"),
    "enclosing expressions": ("nodes.py", "balls.py", "intervals.py", "engine.py", "libmp"),
    "contracts": ("contracts/",),
}


@pytest.mark.parametrize("contracts", ["off", "on"])
def test_what_a_run_is_spent_on(benchmark: Any, keep: Keep, contracts: str) -> None:
    environment = {**os.environ, "GRPOCHECK_CONTRACTS": contracts}
    command = [sys.executable, "-m", "benchmarks.spent"]

    def spent() -> str:
        return subprocess.run(command, cwd=HOUSE, env=environment, capture_output=True, text=True, check=True).stdout

    by_file = json.loads(benchmark.pedantic(spent, rounds=1))
    whole, shares = sum(by_file.values()), dict.fromkeys([*KINDS, "the rest"], 0.0)
    for name, seconds in by_file.items():
        kind = next((kind for kind, marks in KINDS.items() if any(mark in name for mark in marks)), "the rest")
        shares[kind] += seconds / whole
    ordered = sorted(shares.items(), key=lambda pair: -pair[1])
    keep(Spending(f"a run, softmax, M=2, n=4, G=8, T=2, K=3, contracts {contracts}", ordered))
