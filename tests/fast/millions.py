"""The float64 filter beside exact values, on millions of inputs: python -m tests.fast.millions --millions 2

The trust in numpy's exp and log on random and adversarial arguments, then the bounds of the filter on batches, half of
them with a ratio at its bound: each is compared with balls of 200 bits. Exit status 1 where one does not hold.
"""

import argparse
import sys
import time
from random import Random

import numpy as np
from grpocheck.verifier.fast.filtered import TRUSTED

from tests.fast.test_fast import hold
from tests.fast.test_trusted import arguments, worst

CHUNK = 100_000


def trusted(wanted: int) -> bool:
    """Whether numpy keeps the trust on so many arguments, with seeds of their own."""
    done, most, begun = 0, {"exp": 0.0, "log": 0.0}, time.monotonic()
    seed = 1000
    while done < wanted:
        points = arguments(Random(seed), CHUNK)
        for name, own, exact in (("exp", np.exp, lambda x: x.exp()), ("log", np.log, lambda x: x.log())):
            kept = [point for point in points[name] if point != 1]
            most[name] = max(most[name], worst(kept, own, exact))
            done += len(kept)
        seed += 1
    units = " and ".join(f"{name} {value:.3f}" for name, value in most.items())
    print(f"{done} arguments, {time.monotonic() - begun:.0f} s: largest relative error, in 2^-53: {units};"
          f" trusted: {TRUSTED * 2**53:.0f}", flush=True)  # fmt: skip
    return max(most.values()) * 2.0**-53 <= TRUSTED


def bounded(wanted: int) -> bool:
    """Whether no bound of the filter is violated, of so many."""
    compared = answered = violated = 0
    begun, seed = time.monotonic(), 1000
    while compared < wanted:
        try:
            bounds, answers = hold(seed, 40, [256] * 4 + [3] * 3, 64)
        except AssertionError as error:
            violated += 1
            print(f"seed {seed}: a bound does not hold: {error}", flush=True)
        else:
            compared, answered = compared + bounds, answered + answers
        seed += 1
    took = time.monotonic() - begun
    print(f"{compared} bounds of {answered} batches, {took:.0f} s: {violated} violated", flush=True)
    return violated == 0


def main() -> int:
    """Compare both."""
    parser = argparse.ArgumentParser(description="Compare the filter with exact values.")
    parser.add_argument("--millions", type=float, default=2.0, help="arguments, and bounds, to compare")
    wanted = int(parser.parse_args().millions * 1e6)
    kept = [trusted(wanted), bounded(wanted)]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
