"""verl's rollout_data_dir: one JSON Lines file for each step, named by it; one line for each response.

Keys of a line: input, output, gts, score, step, and what the reward function added. Lines of a prompt need not be
consecutive (verl balances a batch over its processes), and the file names no group: groups are inferred from the text
of the prompt. Advantages are not in it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.model import Table
from grpocheck.verifier.audit.readers.lines import nans_of, read_lines, reward

NEEDED = ("input", "output", "score")


def is_rollout(line: Mapping[str, Any]) -> bool:
    """Whether a line looks like one of verl's."""
    return all(key in line for key in NEEDED)


def read_rollouts(path: Path) -> Table:
    """The rows of one file; raises Unreadable, naming the line, where one is no line of verl's."""
    scores, prompts, outputs, steps, groups = [], [], [], set(), []
    known: dict[str, int] = {}
    for place, line in read_lines(path):
        for key in NEEDED[:2]:
            if not isinstance(line.get(key), str):
                raise Unreadable(path, f"line {place + 1}, {key}", line.get(key), "a text")
        scores.append([reward(path, f"line {place + 1}, score", line.get("score"))])
        prompts.append(line["input"])
        outputs.append(line["output"])
        groups.append(known.setdefault(line["input"], len(known)))
        if isinstance(line.get("step"), int):
            steps.add(line["step"])
    if not scores:
        raise Unreadable(path, "content", "no lines", "a line for each response")
    return Table(
        str(path),
        min(steps) if steps else None,
        ("score",),
        np.array(scores, dtype=np.float64),
        None,
        prompts,
        outputs,
        groups,
        columns=NEEDED,
        steps=tuple(sorted(steps)),
        by_text=True,
        stated_nan=nans_of(scores),
    )
