"""JSON Lines, read one line at a time."""

import os
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from grpocheck.core.json_text import MOST_VALUES, values_at_most
from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.model import Lines
from grpocheck.verifier.files import SaidTwice, json_of
from numpy.typing import NDArray

EVERY_LINE = Lines()
LONGEST = 1 << 26
"""Bytes of a line from which it is taken for something else."""


def read_lines(path: Path, lines: Lines = EVERY_LINE) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file, or of some lines of it, with the number of each line, from 0.

    Blank lines are passed over.

    A last line without an end that is no JSON is one that was being written: it is left out here, and torn_line names
    it. Raises Unreadable for any other line that is no object.
    """
    with path.open("rb") as file:
        file.seek(lines.begin)
        count = None if lines.last is None else lines.last - lines.first
        for place, raw in islice(enumerate(raw_lines(file), lines.first), count):
            if not raw.strip():
                continue
            try:
                line = json_of(raw)
            except SaidTwice as error:
                raise Unreadable(path, f"line {place + 1}", excerpt(raw), f"each key once ({error})") from error
            except ValueError as error:
                if not raw.endswith(b"\n") and place > 0 and len(raw) < LONGEST:
                    return
                few = values_at_most(raw) <= MOST_VALUES
                expected = "a JSON object in UTF-8" if few else f"a JSON object of at most {MOST_VALUES} values"
                what = "text in UTF-16" if place == 0 and is_utf16(raw) else excerpt(raw)
                raise Unreadable(path, f"line {place + 1}", what, expected) from error
            if not isinstance(line, dict):
                raise Unreadable(path, f"line {place + 1}", line, "a JSON object")
            yield place, line


def is_utf16(raw: bytes) -> bool:
    """Whether a first line looks like UTF-16 whose line ends are cut in two: low bytes first, every other one a 0."""
    return raw.startswith((b"\xff\xfe", b"{\0")) and 3 * raw.count(0) > len(raw)


def raw_lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of an open file as bytes."""
    return iter(lambda: file.readline(LONGEST), b"")


def torn_line(path: Path) -> tuple[int, int] | None:
    """The number, from 0, and the bytes of the last line that read_lines leaves out; None where it leaves none out."""
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) == 0:
            return None
        file.seek(-1, os.SEEK_END)
        if file.read(1) == b"\n":
            return None
        file.seek(0)
        ((place, raw),) = deque(enumerate(raw_lines(file)), maxlen=1)
    try:
        json_of(raw)
    except SaidTwice:
        return None
    except ValueError:
        return (place, len(raw)) if raw.strip() else None
    return None


def first_line(path: Path) -> dict[str, Any] | None:
    """The first object of a file; None where there is none."""
    return next((line for _, line in read_lines(path)), None)


def excerpt(raw: bytes) -> str:
    """The beginning of a line, as text."""
    return raw[:200].decode("utf-8", "backslashreplace")


def reward(path: Path, key: str, value: Any) -> float | None:
    """A reward, None where it is missing; raises Unreadable for anything else."""
    return None if value is None else number(path, key, value, "a number or null")


def nans_of(rewards: Sequence[Sequence[float | None]]) -> NDArray[np.bool_]:
    """Where rows of rewards say nan, which a reward function gave, and not null, which none did."""
    return np.array([[each is not None and each != each for each in row] for row in rewards], dtype=np.bool_)


def number(path: Path, key: str, value: Any, expected: str = "a number") -> float:
    """A number; raises Unreadable for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unreadable(path, key, value, expected)
    try:
        return float(value)
    except OverflowError as error:
        raise Unreadable(path, key, value, "a number that a float holds") from error


def tensor(values: Any) -> NDArray[np.float64]:
    """Nested lists of numbers as an array; raises TypeError for a text among them, ValueError for rows that differ."""
    made = np.array(values)
    if made.dtype.kind in "US":
        raise TypeError("a text in the place of a number")
    return np.asarray(made, dtype=np.float64)
