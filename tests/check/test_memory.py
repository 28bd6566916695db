"""The checker's memory, beside the length of the trace that it reads."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from grpocheck.verifier.check import WORK

from tests.check.corruption import text_of
from tests.check.test_check import CHECKER


def long_trace(path: Path, outer: int) -> Path:
    """A trace of any length, by hand: two equal rewards, so that every advantage is 0 and theta stays."""
    size, half = 16, "1/2"
    prompt = {"name": "q", "responses": ["a", "b"], "rewards": ["1", "1"], "reference": [half, half]}
    problem = {"group_size": size, "outer_iterations": outer, "inner_steps": 1, "epsilon": "1/5", "beta": "0"}
    problem |= {"step_size": "1/20", "theta": [half], "family": "bernoulli", "prompts": [prompt]}
    made = {"event": "start", "schema": "grpocheck-trace/1", "problem": problem, "draws": {"source": "supplied"}}
    made |= {"supplied": ["draws"], "theta": [half], "arithmetic": {"name": "exact", "max_digits": 9}}
    events: list[Any] = [made]
    applied: list[Any] = []
    for t in range(1, outer + 1):
        events.append({"event": "outer-iteration", "t": t, "theta_old": [half]})
        each = [{"t": t, "prompt": "q", "i": i} for i in range(1, size + 1)]
        events += [{"event": "draw", **call, "response": "ab"[call["i"] % 2]} for call in each]
        events += [{"event": "reward", **call, "reward": "1"} for call in each]
        group = {"event": "group", "t": t, "prompt": "q", "mean": "1", "deviation": "0", "advantages": ["0"] * size}
        events.append(group | {"old_masses": [half] * size})
        events.append({"event": "gradient", "t": t, "k": 1, "theta": [half], "answer": ["0"]})
        events.append({"event": "membership", "t": t, "k": 1, "proposal": [half], "answer": True})
        applied.append({"t": t, "k": 1, "theta": [half], "objective": "0"})
        events.append({"event": "apply", **applied[-1]})
    counts = {"draws": size * outer, "gradient_attempts": outer, "membership_calls": outer, "steps_applied": outer}
    counts |= {"outer_iterations_started": outer, "reward_evaluations": size * outer, "square_roots": outer}
    counts |= {"mass_evaluations": 2 * (1 + outer), **dict.fromkeys(WORK, 0)}
    outcome = {"event": "outcome", "status": "complete", "theta": [half], "arithmetic": "exact"}
    outcome |= {"arithmetic_reason": None, "draws": {"source": "supplied"}, "ledger": counts}
    events.append(outcome | {"bounds": {"draws": size * outer, "gradient_attempts": outer}, "steps": applied})
    path.write_text(text_of(events), encoding="utf-8")
    return path


PEAK = """
import runpy, sys
sys.argv = sys.argv[1:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    print(*(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the most memory is read off /proc")


def peak(path: Path) -> int:
    """The most memory that the checker takes for a trace, in KiB."""
    command = [sys.executable, "-I", "-S", "-c", PEAK, str(CHECKER), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ": right: " in done.stdout, done
    return int(done.stdout.split()[-1])


@needs_proc
def test_memory_does_not_grow_with_the_length_of_a_trace(tmp_path: Path) -> None:
    short, long = peak(long_trace(tmp_path / "short.jsonl", 2)), peak(long_trace(tmp_path / "long.jsonl", 50))
    assert long < short + 1_500  # 1,850 events; what grows is what the outcome repeats of every step


@needs_proc
@pytest.mark.slow
def test_a_hundred_thousand_events_take_some_tens_of_megabytes(tmp_path: Path) -> None:
    assert peak(long_trace(tmp_path / "long.jsonl", 2_800)) < 60_000  # 103,600 events
