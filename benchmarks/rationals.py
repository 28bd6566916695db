"""What python-flint's fmpq would gain as the rationals of core: ``python -m benchmarks.rationals PROBLEM``.

Prints which share of runs, and of the law, of a problem is spent in fractions.Fraction (by cProfile, which counts small
calls dear, so that the true share is rather less), and how much faster fmpq multiplies, adds, compares and hashes.
"""

import cProfile
import fractions
import pstats
import random
import sys
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from grpocheck.core import read_problem, run
from grpocheck.core.arithmetic import EnclosureArithmetic
from grpocheck.verifier.law.exact import exact_law

RUNS = 40
NUMBERS = 4000
OPERATIONS: dict[str, Callable[[Sequence[Any]], object]] = {
    "times": lambda numbers: [a * b for a, b in pairwise(numbers)],
    "plus": lambda numbers: [a + b for a, b in pairwise(numbers)],
    "less": lambda numbers: [a < b for a, b in pairwise(numbers)],
    "hash": lambda numbers: [hash(a) for a in numbers],
}


def share(work: Callable[[], object]) -> float:
    """The share of the time of some work that is spent in fractions, greatest common divisors included."""
    profile = cProfile.Profile()
    profile.runcall(work)
    stats: Any = pstats.Stats(profile)
    own = {place: times[2] for place, times in stats.stats.items()}
    inside = sum(took for (path, _, name), took in own.items() if path == fractions.__file__ or "gcd" in name)
    return float(inside / stats.total_tt)


def seconds(work: Callable[[Sequence[Any]], object], numbers: Sequence[Any]) -> float:
    """The least CPU time of some tries."""
    times = []
    for _ in range(5):
        begun = time.process_time()
        work(numbers)
        times.append(time.process_time() - begun)
    return min(times)


def main(path: Path) -> None:
    """Print the shares and the ratios."""
    import flint

    problem = read_problem(path)
    runs = share(lambda: [run(problem, seed=seed) for seed in range(RUNS)])
    law = share(lambda: exact_law(problem, EnclosureArithmetic()))
    print(f"of {RUNS} runs {runs:.2f} is spent in fractions, of the law {law:.2f}")
    drawn = random.Random(1)
    for bits in (8, 32, 64, 200):
        pairs = [(drawn.getrandbits(bits) + 1, drawn.getrandbits(bits) + 1) for _ in range(NUMBERS)]
        ours, theirs = [Fraction(*pair) for pair in pairs], [flint.fmpq(*pair) for pair in pairs]
        ratios = {name: seconds(work, ours) / seconds(work, theirs) for name, work in OPERATIONS.items()}
        print(f"{bits} bits, Fraction / fmpq: " + ", ".join(f"{name} {ratio:.1f}" for name, ratio in ratios.items()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
