"""The commands: contracts, start-up, laws, checks of a trace, two workers."""

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from grpocheck.proofs.evidence import Evidence, Kind, Verdict, discover
from grpocheck.verifier.workers import run_evidence

from benchmarks.measuring import Comparison, Growth, Spending, ratios
from benchmarks.problems import LAW, SOFTMAX, STILL

HOUSE = Path(__file__).resolve().parents[1]
Keep = Callable[[Comparison | Growth | Spending], None]
COMMAND = [sys.executable, "-m", "grpocheck"]

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
    limit = (
        "Of the run itself (the profile below has both) the dearest contracts enclose what nothing else in the run "
        "asks for; starting the command, which costs the same with both, is counted on either side."
    )
    keep(Comparison(work, "contracts on", "contracts off", found, 3.0, seconds=times, limit=limit))


STARTS = [(["--help"], 0.4), (["run", "examples/undefined_gradient.toml"], 1.0)]


@pytest.mark.parametrize(("arguments", "target"), STARTS)
def test_start_up(benchmark: Any, keep: Keep, arguments: list[str], target: float) -> None:
    times = [seconds(arguments) for _ in range(7)]
    benchmark.pedantic(lambda: seconds(arguments), rounds=1)
    limit = "Python starts, and imports typer and rich to print its help; a loaded machine shows here."
    work = f"grpocheck {' '.join(arguments)}"
    keep(Comparison(work, "seconds, start included", "1 second", times, target, limit=limit))


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
    limit = (
        "What is asked for each of the 27,225 combinations is its proposal, whether that is in U, and the sum of the "
        "parts; all else is asked once for each group."
    )
    keep(Comparison("law, n=4, G=8, M=2, T=1, K=1: 27,225 pairs", "separate runs", "grpocheck law", found, 20.0, False,
                    remark=remark, seconds=measured[1], limit=limit))  # fmt: skip


def test_the_law_with_two_workers(benchmark: Any, keep: Keep, tmp_path: Path) -> None:
    path = tmp_path / "law.toml"
    path.write_text(LAW, encoding="utf-8")

    def law(jobs: int) -> float:
        return seconds(["law", str(path), "--json", "--jobs", str(jobs)], GRPOCHECK_CONTRACTS="off")

    found, times = alternating(lambda: law(1), lambda: law(2), 3)
    benchmark.pedantic(lambda: None, rounds=1)
    limit = (
        "The start of the command, adding up what the workers find and writing a line for each of its numbers are the "
        "first process's, half of the CPU time of one worker; the groups of the second prompt are made in both. Going "
        "through the combinations, which is shared, has become the smaller part."
    )
    work = "law, n=4, G=8, M=2, T=1, K=1, the whole command"
    keep(Comparison(work, "one worker", "two workers", found, 1.7, False, seconds=times, limit=limit))


def test_the_law_beside_ordered_enumeration(benchmark: Any, keep: Keep) -> None:
    from itertools import product
    from math import prod

    from grpocheck.core import problem_from_mapping, run
    from grpocheck.core.arithmetic import EnclosureArithmetic
    from grpocheck.core.reading import parsed
    from grpocheck.verifier.law.exact import exact_law

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


PEAK = """
import sys, tracemalloc
from pathlib import Path
from grpocheck.verifier.cli import main
kept = sys.argv.pop()
tracemalloc.start()
try:
    main()
finally:
    Path(kept).write_text(str(tracemalloc.get_traced_memory()[1]))
"""


def peak(folder: Path, *arguments: str) -> float:
    """The most bytes that a command held at a time, its own modules included."""
    kept = folder / "peak"
    environment = {**os.environ, "GRPOCHECK_CONTRACTS": "off"}
    command = [sys.executable, "-c", PEAK, *arguments, str(kept)]
    subprocess.run(command, cwd=HOUSE, env=environment, capture_output=True, check=True)
    return float(kept.read_text())


@pytest.mark.parametrize("command", ["run --trace", "replay", "diff", "check"])
def test_memory_beside_the_length_of_a_trace(benchmark: Any, keep: Keep, tmp_path: Path, command: str) -> None:
    """Rewards that are all equal leave the parameter where it is, so that only the trace grows."""
    points = []
    for size in (50, 200, 400):
        problem, trace = tmp_path / f"{size}.toml", str(tmp_path / f"{size}.jsonl")
        problem.write_text(STILL.replace("outer_iterations = 25", f"outer_iterations = {size}"), encoding="utf-8")
        writing = ["run", str(problem), "--trace", trace]
        if command != "run --trace":
            seconds(writing, GRPOCHECK_CONTRACTS="off")
        words = {"run --trace": writing, "diff": ["diff", trace, trace]}
        points.append((float(size), peak(tmp_path, *words.get(command, [command, trace]))))
    benchmark.pedantic(lambda: None, rounds=1)
    keep(Growth(f"{command}, most bytes held", "T (trace lines)", points, "none", "bytes", most=0.1))


def test_verify_cold_and_warm(benchmark: Any, keep: Keep, tmp_path: Path) -> None:
    """Claims whose evidence is witnesses alone: the proofs of the others take as long as Coq takes."""
    claims = ["N1", "N4", "N5"]

    def verify(*more: str) -> float:
        kept = ["--cache", str(tmp_path / "cache"), "--json", str(tmp_path / "verify.json")]
        return seconds(["verify", *claims, "--jobs", "2", *kept, *more])

    found, times = alternating(lambda: verify("--fresh"), verify, 3)
    benchmark.pedantic(verify, rounds=1)
    keep(Comparison(f"verify {' '.join(claims)}", "cold", "warm", found, None, seconds=times))


def in_turn(entries: list[Evidence], jobs: int) -> float:
    """The seconds that pieces of evidence take, so many at a time; all of them have to hold."""
    start = time.perf_counter()
    outcomes = list(run_evidence([(entry, 300.0) for entry in entries], jobs, lambda name, done, whole: None))
    took = time.perf_counter() - start
    held = {finding.verdict for _, outcome in outcomes for finding in outcome.findings.values()}
    assert held == {Verdict.HELD}
    return took


COUNTING = "s = 0\nfor i in range(8_000_000):\n    s += i * i % 7"


def test_two_plain_processes_beside_one(benchmark: Any, keep: Keep) -> None:
    """What two cores give here to processes that share nothing: no two workers can gain more."""

    def counted(together: int) -> float:
        start = time.perf_counter()
        running = [subprocess.Popen([sys.executable, "-c", COUNTING]) for _ in range(together)]
        assert [process.wait() for process in running] == [0] * together
        return time.perf_counter() - start

    found, times = alternating(lambda: counted(1) + counted(1), lambda: counted(2), 3)
    benchmark.pedantic(lambda: None, rounds=1)
    work = "counting in a plain Python process, twice: the machine's limit"
    keep(Comparison(work, "one at a time", "two at a time", found, None, False, seconds=times))


@pytest.mark.parametrize("what", ["enumeration", "verification"])
def test_two_workers_beside_one(benchmark: Any, keep: Keep, what: str) -> None:
    """A piece of some seconds twice; the evidence of E2 but its proof, the longest first."""
    if what == "enumeration":
        whole = [entry for entry in discover() if entry.kind is Kind.ENUMERATION and "F2" in entry.claims]
        entries = [next(entry for entry in whole if "penalty" in entry.scope)] * 2
        work = f"a piece of enumeration ({entries[0].scope[:40]}...), twice"
    else:
        whole = [entry for entry in discover() if entry.kind is not Kind.PROOF and "E2" in entry.claims]
        entries = sorted(whole, key=lambda entry: -entry.seconds)
        work = f"verification of E2 but for its proof, {len(entries)} pieces"
    found, times = alternating(lambda: in_turn(entries, 1), lambda: in_turn(entries, 2), 3)
    benchmark.pedantic(lambda: None, rounds=1)
    limit = (
        "Each piece is a process of its own that imports what it checks with; two at a time cannot gain more than two "
        "plain processes do (a line of its own in the table), which is less where the machine has other work."
    )
    keep(Comparison(work, "one worker", "two workers", found, 1.7, False, seconds=times, limit=limit))
