"""The commands: contracts, start-up, laws, checks of a trace, two workers."""

import os
import subprocess
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from benchmarks.measuring import Comparison, Growth, ratios

HOUSE = Path(__file__).resolve().parents[1]
Keep = Callable[[Comparison | Growth], None]
COMMAND = [sys.executable, "-m", "grpocheck"]

SOFTMAX = """
group_size = 8
outer_iterations = 2
inner_steps = 3
epsilon = 0.2
beta = 0.04
step_size = 0.1
theta = [0, 0.5, -0.25, 0.125, 0.2, -0.1, 0.3, 0]
family = "softmax"
[[prompts]]
name = "q1"
responses = ["a", "b", "c", "d"]
rewards = [1, 0.5, 0, 0.25]
reference = [0.25, 0.25, 0.25, 0.25]
[[prompts]]
name = "q2"
responses = ["a", "b", "c", "d"]
rewards = [0, 1, 0, 0.5]
reference = [0.5, 0.25, 0.125, 0.125]
[draws]
seed = 7
"""

LAW = """
group_size = 8
outer_iterations = 1
inner_steps = 1
epsilon = 0.2
beta = 0
step_size = 0.05
theta = ["1/4", "1/4", "1/4", "1/4", "1/4", "1/4"]
family = "simplex"
[[prompts]]
name = "q1"
responses = ["a", "b", "c", "d"]
rewards = [1, 0.5, 0, 0.25]
reference = [0.25, 0.25, 0.25, 0.25]
[[prompts]]
name = "q2"
responses = ["a", "b", "c", "d"]
rewards = [0, 1, 0, 0.5]
reference = [0.25, 0.25, 0.25, 0.25]
"""


def seconds(arguments: list[str], **environment: str) -> float:
    """The wall time of a command, which has to succeed."""
    start = time.perf_counter()
    switched = {**os.environ, **environment}
    subprocess.run([*COMMAND, *arguments], cwd=HOUSE, env=switched, capture_output=True, check=True)
    return time.perf_counter() - start


def alternating(first: Callable[[], float], second: Callable[[], float], rounds: int) -> tuple[list[float], Any]:
    pairs = [(first(), second()) for _ in range(rounds)]
    middle = len(pairs) // 2
    return [a / b for a, b in pairs], tuple(sorted(column)[middle] for column in zip(*pairs, strict=True))


def test_contracts_on_beside_off(benchmark: Any, keep: Keep, tmp_path: Path) -> None:
    path = tmp_path / "softmax.toml"
    path.write_text(SOFTMAX, encoding="utf-8")

    def timed(switch: str) -> float:
        return seconds(["run", str(path)], GRPOCHECK_CONTRACTS=switch)

    found, times = alternating(lambda: timed("on"), lambda: timed("off"), 5)
    benchmark.pedantic(lambda: timed("on"), rounds=1)
    work = "run, softmax, M=2, n=4, G=8, T=2, K=3"
    keep(Comparison(work, "contracts on", "contracts off", found, 3.0, seconds=times))


STARTS = [(["--help"], 0.4), (["run", "examples/undefined_gradient.toml"], 1.0)]


@pytest.mark.parametrize(("arguments", "target"), STARTS)
def test_start_up(benchmark: Any, keep: Keep, arguments: list[str], target: float) -> None:
    times = [seconds(arguments) for _ in range(7)]
    benchmark.pedantic(lambda: seconds(arguments), rounds=1)
    keep(Comparison(f"grpocheck {' '.join(arguments)}", "seconds, start included", "1 second", times, target))


def test_the_law_beside_separate_runs(benchmark: Any, keep: Keep, tmp_path: Path) -> None:
    from grpocheck.core import problem_from_mapping, run
    from grpocheck.core.reading import parsed

    path = tmp_path / "law.toml"
    path.write_text(LAW, encoding="utf-8")
    stated = parsed(LAW)
    pairs, sample = 27_225, 40

    def law() -> float:
        return seconds(["law", str(path), "--json"], GRPOCHECK_CONTRACTS="off")

    def runs() -> float:
        start = time.perf_counter()
        for number in range(sample):
            run(problem_from_mapping({**stated, "draws": {"seed": number}}))
        return (time.perf_counter() - start) / sample * pairs

    assert Fraction(pairs) == Fraction(165) ** 2
    measured = [(runs(), law()) for _ in range(3)]
    benchmark.pedantic(law, rounds=1)
    found = [a / b for a, b in measured]
    remark = f"separate runs: {sample} timed, scaled to {pairs}; contracts as this process has them"
    keep(Comparison("law, n=4, G=8, M=2, T=1, K=1: 27,225 pairs", "separate runs", "grpocheck law", found, 20.0, False,
                    remark=remark, seconds=measured[1]))  # fmt: skip


def test_the_law_beside_ordered_enumeration(benchmark: Any, keep: Keep) -> None:
    from itertools import product
    from math import prod

    from grpocheck.core import problem_from_mapping, run
    from grpocheck.core.arithmetic import EnclosureArithmetic
    from grpocheck.core.reading import parsed
    from grpocheck.verifier.law import exact_law

    stated = {**parsed(LAW), "group_size": 4, "theta": ["1/4"] * 3}
    stated["prompts"] = stated["prompts"][:1]
    problem, names = problem_from_mapping(stated), stated["prompts"][0]["responses"]

    def law() -> object:
        return exact_law(problem, EnclosureArithmetic())

    def ordered() -> Counter[object]:
        found: Counter[object] = Counter()
        for draws in product(names, repeat=4):
            outcome = run(problem_from_mapping({**stated, "draws": {"recorded": [[list(draws)]]}}))
            found[outcome.theta] += prod([Fraction(1, 4)] * 4)
        return found

    mine = {atom.theta: atom.probability for atom in exact_law(problem, EnclosureArithmetic()).parameters}
    assert dict(ordered()) == mine
    measured, times = ratios(ordered, law, 3)
    benchmark.pedantic(law, rounds=1)
    work = "law, n=4, G=4, M=1, T=1, K=1: 256 ordered draws"
    keep(Comparison(work, "a run for every ordered draw", "the law", measured, 4.0, False, seconds=times))


def traced(folder: Path, outer_iterations: int) -> Path:
    """The trace of the softmax problem at so many outer iterations."""
    problem, trace = folder / "softmax.toml", folder / f"{outer_iterations}.jsonl"
    stated = SOFTMAX.replace("outer_iterations = 2", f"outer_iterations = {outer_iterations}")
    problem.write_text(stated, encoding="utf-8")
    seconds(["run", str(problem), "--trace", str(trace)], GRPOCHECK_CONTRACTS="off")
    return trace


def test_checking_a_trace_beside_the_run(benchmark: Any, keep: Keep, tmp_path: Path) -> None:
    trace = traced(tmp_path, 2)

    def checked() -> float:
        return seconds(["check", str(trace)])

    def ran() -> float:
        return seconds(["run", str(tmp_path / "softmax.toml")], GRPOCHECK_CONTRACTS="off")

    found, times = alternating(checked, ran, 5)
    benchmark.pedantic(checked, rounds=1)
    work = "check of the trace, softmax, M=2, n=4, G=8, T=2, K=3"
    keep(Comparison(work, "grpocheck check", "grpocheck run, contracts off", found, 3.0, seconds=times))


def test_memory_of_reading_a_trace(benchmark: Any, keep: Keep, tmp_path: Path) -> None:
    """Up to the last line, which holds F of every applied step."""
    from grpocheck.core import read_trace

    def most(trace: Path) -> int:
        peak = 0
        tracemalloc.start()
        try:
            for _, fields in read_trace(trace):
                if fields["event"] != "outcome":
                    peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        return peak

    traces = [(float(size), traced(tmp_path, size)) for size in (1, 2, 4)]
    points = [(size, float(most(trace))) for size, trace in traces]
    benchmark.pedantic(lambda: most(traces[0][1]), rounds=1)
    keep(Growth("reading a streamed trace, most bytes held", "T", points, "none", "bytes"))


def test_two_workers_beside_one(benchmark: Any, keep: Keep) -> None:
    claims = ["A1", "B2", "C2"]

    def verify(jobs: int) -> float:
        return seconds(["verify", *claims, "--fresh", "--jobs", str(jobs), "--json", os.devnull])

    found, times = alternating(lambda: verify(1), lambda: verify(2), 3)
    benchmark.pedantic(lambda: verify(2), rounds=1)
    work = f"verify {' '.join(claims)} --fresh"
    keep(Comparison(work, "one worker", "two workers", found, 1.7, False, seconds=times))
