"""The seconds that a run spends in each file, as JSON, by cProfile; built-in functions count for who calls them."""

import cProfile
import json
import pstats
from collections import Counter
from typing import Any

from grpocheck.core import problem_from_mapping, run
from grpocheck.core.reading import parsed

from benchmarks.problems import SOFTMAX


def main() -> None:
    """Profile the second of two runs, and print."""
    problem = parsed(SOFTMAX)
    run(problem_from_mapping(problem))
    profile = cProfile.Profile()
    profile.runcall(run, problem_from_mapping(problem))
    found: Any = pstats.Stats(profile)
    seconds: Counter[str] = Counter()
    for (name, _, _), (_, _, own, _, callers) in found.stats.items():
        if name != "~":
            seconds[name] += own
        for (caller, _, _), (_, _, theirs, _) in callers.items() if name == "~" else ():
            seconds[caller] += theirs
    print(json.dumps(dict(seconds)))


if __name__ == "__main__":
    main()
