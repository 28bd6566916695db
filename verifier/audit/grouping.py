"""Which rows of a log are a group: what it says, or what the prompts and the number of rows allow.

TRL logs a batch group after group and names none of them. A reading is a group size G: every stretch of rows with one
prompt is cut into groups of G. Two groups of one prompt may be neighbours, so that several sizes can be read; the
advantages decide between them, and where they do not, both are named.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from grpocheck.verifier.audit.bounds import Groups
from grpocheck.verifier.audit.model import Integers, Table
from numpy.typing import NDArray


@dataclass(frozen=True)
class Seats:
    """The rows of each group, (N, G), -1 where a group has fewer; and stretches that are no whole group."""

    rows: NDArray[np.int64]
    ragged: tuple[tuple[int, int], ...] = ()
    """(first row, number of rows) of each."""

    def groups(self, table: Table) -> Groups:
        """The rewards of the groups."""
        there = self.rows >= 0
        return Groups(np.where(there[:, :, None], table.rewards[self.rows], np.nan), there)


def stretches(prompts: Sequence[str]) -> list[tuple[int, int]]:
    """(first row, number of rows) of each stretch of rows with one prompt."""
    found: list[tuple[int, int]] = []
    for row, prompt in enumerate(prompts):
        if row and prompt == prompts[row - 1]:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((row, 1))
    return found


def sizes(lengths: Counter[int], rows: Counter[int]) -> list[int]:
    """The group sizes that stretches of these lengths allow, larger ones first; those that divide tables if none does.

    A length that is rare (a stretch cut by a lost row) is not held against the others, and one that half of the
    stretches have is looked at whatever the others are (rows of a table in another order).

    >>> sizes(Counter({4: 8}), Counter()), sizes(Counter({4: 14, 2: 4}), Counter()), sizes(Counter(), Counter({6: 2}))
    ([4, 2], [4, 2], [6, 3, 2])
    """
    total = sum(lengths.values())
    common = [length for length, count in lengths.items() if count * 10 >= total]
    shared = int(np.gcd.reduce(common)) if common else 1
    most = max(lengths, key=lambda length: (lengths[length], length), default=1)
    if shared < 2 and lengths:
        shared = most
    if shared < 2:
        shared = int(np.gcd.reduce(list(rows))) if rows else 1
    most = most if 2 * lengths[most] >= total else 1
    return [size for size in range(max(shared, most), 1, -1) if shared % size == 0 or most % size == 0]


def seats_of_size(table: Table, size: int) -> Seats:
    """A table cut into groups of one size, stretch by stretch."""
    alone = table.prompts is None or len(stretches(table.prompts)) == len(table.rewards)
    found = [(0, len(table.rewards))] if alone else stretches(table.prompts or ())
    rows: list[Integers] = []
    ragged = []
    for begin, length in found:
        left = length % size
        # What is left over at the head of a table was cut off before it; elsewhere it is at the stretch's own end.
        start = begin + (left if begin == 0 else 0)
        if left:
            ragged.append((begin if begin == 0 else begin + length - left, left))
        rows += [np.arange(place, place + size) for place in range(start, start + length - left, size)]
    whole = np.stack(rows) if rows else np.zeros((0, size), dtype=np.int64)
    return Seats(whole.astype(np.int64), tuple(ragged))


def seats_as_named(table: Table) -> Seats:
    """A table cut into the groups that its log names."""
    assert table.groups is not None
    members: dict[int, list[int]] = {}
    for row, group in enumerate(table.groups):
        members.setdefault(group, []).append(row)
    largest = max(map(len, members.values()), default=0)
    rows = np.full((len(members), largest), -1, dtype=np.int64)
    for place, seats in enumerate(members.values()):
        rows[place, : len(seats)] = seats
    return Seats(rows)
