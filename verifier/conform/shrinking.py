"""From an input on which a loss departs to the smallest and simplest one near it on which it still does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from grpocheck.verifier.conform.inputs import Case, with_array
from grpocheck.verifier.recompute.bounded import Array

MOST_TRIALS = 3000
SIMPLE_LOGS = (-1.0, -4.0, -16.0)
"""The log-probabilities that tokens are given under the old policy where it does not matter."""


def smallest(case: Case, departs: Callable[[Case], bool], whole_groups: bool) -> Case:
    """Fewer responses, then fewer tokens, then simpler numbers, as long as the predicate holds; and again.

    ``whole_groups`` says that responses are left out by groups only. The predicate holds of the case itself.
    """
    trials = 0
    changed = True
    while changed and trials < MOST_TRIALS:
        changed = False
        for smaller in _smaller(case, whole_groups):
            if not _is_possible(smaller):
                continue
            trials += 1
            if departs(smaller):
                case, changed = replace(smaller, name=case.name, about=case.about), True
                break
            if trials >= MOST_TRIALS:
                break
    return case


def _is_possible(case: Case) -> bool:
    """Whether no probability is above 1."""
    return all(not np.any(logs > 0) for logs in (case.new, case.old, case.ref))


def _smaller(case: Case, whole_groups: bool) -> Iterator[Case]:
    """Every way to make a case smaller or simpler by one step, the largest steps first."""
    rows, width = case.shape
    step = case.group_size if whole_groups else 1
    for size in {rows // 2 // step * step, step}:
        for first in range(0, rows, size or step):
            kept = [row for row in range(rows) if not first <= row < first + (size or step)]
            if kept:
                yield _rows(case, kept, step)
    if not whole_groups and case.group_size != 1 and case.group_size > rows:
        yield replace(case, group_size=rows)
    for column in range(width):
        if width > 1:
            yield _columns(case, [place for place in range(width) if place != column])
    yield from _simpler(case)


def _rows(case: Case, kept: list[int], step: int) -> Case:
    """Some of the responses."""
    return replace(
        case,
        new=case.new[kept],
        old=case.old[kept],
        ref=case.ref[kept],
        mask=case.mask[kept],
        advantages=case.advantages[kept],
        rewards=case.rewards[kept],
        group_size=case.group_size if step > 1 else 1,
    )


def _columns(case: Case, kept: list[int]) -> Case:
    """Some of the positions."""
    return replace(
        case, new=case.new[:, kept], old=case.old[:, kept], ref=case.ref[:, kept], mask=case.mask[:, kept]
    )


def _simpler(case: Case) -> Iterator[Case]:
    """Simpler numbers: all at once first, then one after the other."""
    if not np.array_equal(case.ref, case.old):
        yield replace(case, ref=case.old.copy())
    if case.mask.min(initial=1.0) == 0:
        yield replace(case, mask=np.ones(case.shape))
    ordinary = np.isfinite(case.new) & np.isfinite(case.old)
    for simple in SIMPLE_LOGS if ordinary.all() else ():
        if np.all(case.old == simple):
            break
        ratios, references = case.new - case.old, case.ref - case.old
        yield replace(case, old=np.full(case.shape, simple), new=simple + ratios, ref=simple + references)
    yield from _one_simpler(case)


def _one_simpler(case: Case) -> Iterator[Case]:
    """One number made simpler: an advantage or reward, a mask entry, a log ratio, a reference."""
    for name in ("advantages", "rewards"):
        values: Array = getattr(case, name)
        for row, value in enumerate(values):
            for simple in (0.0, 1.0, -1.0) if name == "advantages" else (0.0, 1.0):
                if np.isfinite(value) and _simplicity(simple) < _simplicity(float(value)):
                    changed = values.copy()
                    changed[row] = simple
                    yield with_array(case, name, changed)
    for row, column in np.ndindex(*case.shape):
        if case.mask[row, column] == 0:
            changed = case.mask.copy()
            changed[row, column] = 1.0
            yield replace(case, mask=changed)
        yield from _simpler_pair(case, row, column, "new")
        yield from _simpler_pair(case, row, column, "ref")


def _simpler_pair(case: Case, row: int, column: int, name: str) -> Iterator[Case]:
    """A difference to the old policy of fewer binary digits."""
    values: Array = getattr(case, name)
    difference = values[row, column] - case.old[row, column]
    if not np.isfinite(difference) or difference == 0:
        return
    for digits in range(-1, 12):
        rounded = 0.0 if digits < 0 else float(np.round(difference * 2**digits) / 2**digits)
        if rounded == difference:
            return
        changed = values.copy()
        changed[row, column] = case.old[row, column] + rounded
        if changed[row, column] != values[row, column]:
            yield with_array(case, name, changed)


def _simplicity(value: float) -> int:
    """0 for 0, 1 for 1, 2 for -1, 3 for everything else."""
    return {0.0: 0, 1.0: 1, -1.0: 2}.get(value, 3)
