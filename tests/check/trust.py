"""Many traces and as many corruptions: python -m tests.check.trust --traces 10000

Prints the progress, and at the end how many traces were right and how each corruption was rejected or shown to say the
same. Exit status 1 where the checker is mistaken about one; those are written to build/trust/.
"""

import argparse
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.check.judging import Tally, judge, traces

AT_ONCE = 50
FOUND = Path(__file__).resolve().parents[2] / "build" / "trust"


def batch(start: int, count: int, changes: int) -> Tally:
    """A batch of traces, the same for the same start."""
    tally, random = Tally(), Random(start)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.jsonl"

        @seed(start)
        @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck),
                  phases=[Phase.generate])  # fmt: skip
        @given(traces(path))
        def each(text: str) -> None:
            tally.add(judge(path, text, random, changes))

        each()
    return tally


def lines_of(tally: Tally) -> list[str]:
    """The figures."""
    made = sum(tally.corruptions.values())
    lines = [f"{tally.traces} traces, {made} corruptions, {len(tally.faults)} mistakes of the checker"]
    right = tally.traces - tally.undecided
    lines.append(f"right: {right}; undecided: {tally.undecided}, and of their corruptions {tally.left}")
    for title, counted in (("corruptions", tally.corruptions), ("rejected", tally.rejected), ("the same", tally.same)):
        lines.append(f"{title}: {sum(counted.values())}")
        lines += [f"  {count:6} {name}" for name, count in counted.most_common() if count]
    return lines


def main() -> int:
    """Run the batches and print what came out."""
    parser = argparse.ArgumentParser(description="Traces and corruptions, judged.")
    parser.add_argument("--traces", type=int, default=10_000)
    parser.add_argument("--changes", type=int, default=1, help="corruptions of each trace")
    parser.add_argument("--start", type=int, default=1, help="the first seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    chosen = parser.parse_args()
    total, begun = Tally(), time.monotonic()
    with ProcessPoolExecutor(chosen.jobs) as pool:
        starts = range(chosen.start * 1_000_000, chosen.start * 1_000_000 + chosen.traces, AT_ONCE)
        waiting = [pool.submit(batch, start, AT_ONCE, chosen.changes) for start in starts]
        for done, future in enumerate(as_completed(waiting), start=1):
            total.add(future.result())
            if done % 10 == 0 or done == len(waiting):
                print(f"{total.traces:6} traces, {time.monotonic() - begun:5.0f} s", file=sys.stderr, flush=True)
    print("\n".join(lines_of(total)))
    FOUND.mkdir(parents=True, exist_ok=True)
    for number, fault in enumerate(total.faults):
        (FOUND / f"mistake-{number}.txt").write_text(fault, encoding="utf-8")
        print(f"MISTAKE {fault.splitlines()[0]}")
    return 1 if total.faults else 0


if __name__ == "__main__":
    sys.exit(main())
