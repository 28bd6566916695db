"""Which of several numbers, or vectors of numbers, are told apart: exactly, or by enclosures that do not meet.

Enclosures that do not meet belong to different numbers. Those that still meet at the last precision say nothing: the
numbers may be equal, or differ further on. Rows that another normal form finds equal, such as mirror images of one
another, become one row; the others are listed together, and how many different numbers there are is then said with a
lower and an upper bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.core.arithmetic import Real, Scalar, Surd
from grpocheck.core.arithmetic.enclosing import interval_of
from grpocheck.core.arithmetic.nodes import FIRST_BITS, exact_value
from grpocheck.core.gradient import Vector
from grpocheck.verifier.law.branches import key_of_vector
from grpocheck.verifier.law.same_number import Forms
from mpmath.libmp import finf, fninf, to_rational

MOST_BITS = 512
"""Enclosures are refined to so many bits, about 150 digits, to tell rows apart; to fewer where --max-bits is less."""

Ends = tuple[Fraction | None, Fraction | None]
"""The ends of an enclosure; None where it has none."""


@invariant(lambda self: len(self.rows) > 1 and list(self.rows) == sorted(set(self.rows)), "several rows, in order")
@dataclass(frozen=True)
class Untold:
    """Rows that were not told apart, and to how many decimals all of them certainly agree."""

    rows: tuple[int, ...]
    decimals: int


@require(lambda rows: len({len(row) for row in rows}) <= 1, "vectors of one length")
@require(lambda rows: len({key_of_vector(row) for row in rows}) == len(rows), "no two rows are written the same")
@ensure(
    lambda rows, result: sorted({row for group in result for row in group.rows})
    == sorted(row for group in result for row in group.rows),
    "a row is in one group at most",
)
@ensure(
    lambda rows, result: all(any(not is_exact(rows[row]) for row in group.rows) for group in result),
    "exact rows are told apart",
)
def not_told_apart(rows: Sequence[Vector]) -> list[Untold]:
    """The groups of rows that are not told apart; every row is told apart from all rows outside its group.

    The rows outside the groups, and one row of each group, are certainly different from one another.

    >>> not_told_apart([(Fraction(1),), (Fraction(2),)])
    []
    """
    groups = [list(range(len(rows)))] if rows else []
    bits = FIRST_BITS
    most = min([MOST_BITS, *(entry.table.max_bits for row in rows for entry in row if isinstance(entry, Real))])
    while True:
        bits = min(bits, most)
        groups = [part for group in groups for part in parted(rows, group, bits)]
        groups = [group for group in groups if len(group) > 1 and not all(is_exact(rows[row]) for row in group)]
        if not groups or bits >= most:
            break
        bits *= 2
    return [Untold(tuple(sorted(group)), agreeing_decimals(rows, group, bits)) for group in sorted(groups, key=min)]


@ensure(lambda rows, result: sorted(row for same in result for row in same) == list(range(len(rows))), "each row once")
@ensure(lambda result: all(same == sorted(same) for same in result), "the first of equal rows first")
def equal_rows(rows: Sequence[Vector]) -> list[list[int]]:
    """The rows, those together that are found equal, by a normal form in which mirror images are; in their order.

    Only rows whose enclosures still meet at the last precision are looked at.
    """
    forms = Forms()
    same: dict[object, list[int]] = {}
    key_of: dict[int, object] = {}
    for group in not_told_apart(rows):
        for row in group.rows:
            keys = tuple([forms.key(entry) for entry in rows[row]])
            if None not in keys:
                key_of[row] = keys
    for row in range(len(rows)):
        same.setdefault(key_of.get(row, row), []).append(row)
    return list(same.values())


def parted(rows: Sequence[Vector], group: Sequence[int], bits: int) -> list[list[int]]:
    """A group in parts that are apart in some coordinate, by enclosures of so many bits."""
    parts = [list(group)]
    for place in range(len(rows[group[0]])):
        parts = [smaller for part in parts for smaller in parted_by(rows, part, place, bits)]
    return parts


def parted_by(rows: Sequence[Vector], group: Sequence[int], place: int, bits: int) -> list[list[int]]:
    """A group in parts whose enclosures of one coordinate do not meet."""
    if len(group) == 1:
        return [list(group)]
    ends = {row: ends_of(rows[row][place], bits) for row in group}
    if any(None in pair for pair in ends.values()):
        return [list(group)]
    in_order = sorted(group, key=lambda row: ends[row])
    parts = [[in_order[0]]]
    highest = ends[in_order[0]][1]
    for row in in_order[1:]:
        lower, upper = ends[row]
        if lower > highest:  # type: ignore[operator]
            parts.append([])
            highest = upper
        parts[-1].append(row)
        highest = max(highest, upper)  # type: ignore[type-var]
    return parts


def ends_of(value: Scalar, bits: int) -> Ends:
    """The ends of an enclosure of a number; twice itself where it is rational."""
    exact = exact_value(value)
    number = value if exact is None else exact
    if not isinstance(number, Surd | Real):
        return Fraction(number), Fraction(number)
    lower, upper = (None if end in (finf, fninf) else Fraction(*to_rational(end)) for end in interval_of(number, bits))
    return lower, upper


def is_exact(vector: Vector) -> bool:
    """Whether every entry is an exact number: then different ones differ in their writing."""
    return not any(isinstance(entry, Real) for entry in vector)


@ensure(lambda result: result >= 0, "a number of decimals")
def agreeing_decimals(rows: Sequence[Vector], group: Sequence[int], bits: int) -> int:
    """The largest N such that, in each coordinate, all enclosures of a group lie in an interval no longer than 10^-N.

    A coordinate that is one exact number in all of them agrees in full, and does not count.
    """
    found: list[int] = []
    for place in range(len(rows[group[0]])):
        ends = [ends_of(rows[row][place], bits) for row in group]
        lowers, uppers = [lower for lower, _ in ends], [upper for _, upper in ends]
        if None in lowers or None in uppers:
            return 0
        width = max(uppers) - min(lowers)  # type: ignore[type-var, operator]
        if width:
            found.append(len(str(width.denominator // width.numerator)) - 1)
    return min(found, default=0)
