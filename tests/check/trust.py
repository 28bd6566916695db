"""Many traces and as many corruptions: python -m tests.check.trust --traces 10000

Prints the progress, and at the end how many traces were right and how each corruption was rejected or shown to say the
same. Exit status 1 where the checker is mistaken about one (those are written to build/trust/) or leaves a trace
undecided, or replay is broken.

What is done is kept in build/trust/ too, batch by batch, under the checksum of the code that judged it: a run that was
ended goes on where it was, and a long one can be done in parts (--first 0 --traces 5000, then --first 5000 --traces
5000; a run over both parts then adds them up). Nothing is kept of other code: after a change of the checker, of the
corruptions or of the judge all is done again.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from random import Random

from grpocheck.proofs import strategies
from grpocheck.verifier import check
from grpocheck.verifier.commands import check as commands_check
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.check import corruption, judging
from tests.check.judging import Tally, judge, traces

AT_ONCE = 50
FOUND = Path(__file__).resolve().parents[2] / "build" / "trust"
JUDGES = (check, commands_check, corruption, judging, strategies)
"""On which a verdict depends: the checker, what the command adds, the corruptions, the judge, the problems."""


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


def code() -> str:
    """The checksum of the code that a verdict depends on."""
    digest = hashlib.sha256()
    for module in JUDGES:
        digest.update(Path(module.__file__ or "").read_bytes())
    digest.update(Path(__file__).read_bytes())
    return digest.hexdigest()[:16]


def kept(folder: Path, start: int, count: int, changes: int) -> Path:
    """Where the tally of a batch is kept."""
    return folder / f"{start}-{count}-{changes}.json"


def finished(folder: Path, start: int, count: int, changes: int) -> Tally:
    """The tally of a batch, from its file or judged now and written to it."""
    path = kept(folder, start, count, changes)
    if path.exists():
        said = json.loads(path.read_text(encoding="utf-8"))
        return Tally(**{name: Counter(value) if isinstance(value, dict) else value for name, value in said.items()})
    tally = batch(start, count, changes)
    beside = path.with_suffix(f".{os.getpid()}")
    beside.write_text(json.dumps(vars(tally)), encoding="utf-8")
    beside.replace(path)
    return tally


def tallies(folder: Path, starts: Sequence[tuple[int, int]], changes: int, jobs: int) -> Iterator[Tally]:
    """The tallies of batches (start, count), as they are finished."""
    if jobs == 1:
        yield from (finished(folder, start, count, changes) for start, count in starts)
        return
    with ProcessPoolExecutor(jobs) as pool:
        waiting = [pool.submit(finished, folder, start, count, changes) for start, count in starts]
        yield from (future.result() for future in as_completed(waiting))


def lines_of(tally: Tally) -> list[str]:
    """The figures."""
    made = sum(tally.corruptions.values())
    lines = [f"{tally.traces} traces, {made} corruptions, {len(tally.faults)} mistakes of the checker"]
    right = tally.traces - tally.undecided
    lines.append(f"right: {right}; undecided: {tally.undecided}, and of their corruptions {tally.left}")
    told = {"corruptions": tally.corruptions, "rejected": tally.rejected, "the same": tally.same}
    for title, counted in (told | {"contracts that broke in replay": tally.broken}).items():
        lines.append(f"{title}: {sum(counted.values())}")
        lines += [f"  {count:6} {name}" for name, count in counted.most_common() if count]
    return lines


def main() -> int:
    """Run the batches and print what came out."""
    parser = argparse.ArgumentParser(description="Traces and corruptions, judged.")
    parser.add_argument("--traces", type=int, default=10_000, help="how many traces")
    parser.add_argument("--first", type=int, default=0, help=f"the number of the first one, a multiple of {AT_ONCE}")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other traces")
    parser.add_argument("--changes", type=int, default=1, help="corruptions of each trace")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, help="processes")
    chosen = parser.parse_args()
    if chosen.first % AT_ONCE or chosen.first < 0 or min(chosen.traces, chosen.jobs) < 1 or chosen.changes < 0:
        parser.error(f"--first is a multiple of {AT_ONCE}, --traces and --jobs are above 0")
    last = chosen.first + chosen.traces
    starts = [(chosen.seed * 1_000_000 + n, min(AT_ONCE, last - n)) for n in range(chosen.first, last, AT_ONCE)]
    folder = FOUND / code()
    folder.mkdir(parents=True, exist_ok=True)
    ready = sum(kept(folder, start, count, chosen.changes).exists() for start, count in starts)
    total, begun = Tally(), time.monotonic()
    print(f"code {folder.name}: {ready} of {len(starts)} batches are kept", file=sys.stderr, flush=True)
    for done, tally in enumerate(tallies(folder, starts, chosen.changes, chosen.jobs), start=1):
        total.add(tally)
        if done % 10 == 0 or done == len(starts):
            spent = f"{total.traces:6} traces, {time.monotonic() - begun:5.0f} s, {len(total.faults)} mistakes"
            print(spent, file=sys.stderr, flush=True)
    print("\n".join(lines_of(total)))
    for number, fault in enumerate(total.faults):
        (FOUND / f"mistake-{number}.txt").write_text(fault, encoding="utf-8")
        print(f"MISTAKE {fault.splitlines()[0]}")
    return 1 if total.faults or total.broken or total.undecided else 0


if __name__ == "__main__":
    sys.exit(main())
