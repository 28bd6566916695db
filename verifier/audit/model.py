"""What the readers make of files: batches of groups, rows of a log, recorded loss calls, and the run they are of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.findings import Where
from grpocheck.verifier.audit.settings import Settings
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Lines:
    """Lines of a file that stand together: from line ``first``, at byte ``begin``, to before line ``last``, at ``end``.

    The last two are None where they go on to the end of the file, wherever that is when it is read.
    """

    first: int = 0
    last: int | None = None
    begin: int = 0
    end: int | None = None


@dataclass(frozen=True)
class Part:
    """The lines of a grpocheck-groups file under one header, the header's included.

    ``session`` counts the headers of the file: a recording that was gone on with has several. ``stretches`` are its
    lines cut in pieces of work: those of them in which there may be calls.
    """

    file: Path
    lines: Lines = Lines()
    session: int = 0
    stretches: tuple[Lines, ...] = ()


@dataclass(frozen=True)
class Run:
    """The files of one run, as they were found."""

    name: str
    tables: tuple[Path, ...] = ()
    state: Path | None = None
    settings: Settings = field(default_factory=Settings)
    generations: tuple[Path, ...] = ()
    calls: tuple[Path, ...] = ()
    groups: tuple[Part, ...] = ()
    rollouts: tuple[Path, ...] = ()
    passed_over: tuple[Unreadable, ...] = ()
    """What shows of each file of another program that it is one."""

    @property
    def files(self) -> int:
        """How many files there are to read."""
        own = (self.tables, self.generations, self.calls, self.rollouts)
        return sum(map(len, own)) + sum(part.lines.first == 0 for part in self.groups) + (self.state is not None)


@dataclass(frozen=True)
class Table:
    """Rows of one generation batch, as logged: R rows, K reward functions.

    ``rewards`` is (R, K), nan where a reward is missing; ``advantages`` is (R,) or None where they were not logged;
    ``prompts`` and ``responses`` are texts; ``groups`` names the group of each row where the log says it, and is None
    where it has to be inferred. ``extra`` holds other columns, as texts.
    """

    file: str
    step: int | None
    names: tuple[str, ...]
    rewards: Floats
    advantages: Floats | None
    prompts: Sequence[str] | None = None
    responses: Sequence[str] | None = None
    groups: Sequence[int] | None = None
    extra: Mapping[str, Sequence[str]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    steps: tuple[int, ...] = ()
    unit_roundoff: float = 2.0**-24
    by_text: bool = False
    """Whether the groups were told by the texts of their prompts, so that two groups of one text are one here."""
    trains: bool = True
    batch: int | None = None
    session: int = 0
    """The number of the generation batch, where the log gives it one, in which session of a recording."""
    rows: Sequence[int] | None = None
    """The place of each row in its file, where that is not its number here."""
    seats: Sequence[int] | None = None
    """The number of each row among the responses of its line, from 1, where a line holds several."""
    stated_nan: Booleans | None = None
    """(R, K), where nan was logged and not a missing reward; None where the log cannot tell one from the other."""

    def with_names(self, names: tuple[str, ...]) -> "Table":
        """The same rows with their reward functions in another order."""
        order = [self.names.index(name) for name in names]
        nans = None if self.stated_nan is None else self.stated_nan[:, order]
        return replace(self, names=names, rewards=self.rewards[:, order], stated_nan=nans)

    def place(self, row: int) -> int:
        """Where a row stands in its file."""
        return row if self.rows is None else self.rows[row]

    def where(self, row: int) -> Where:
        """The place of a response."""
        return Where(self.file, self.place(row), None if self.seats is None else self.seats[row])

    def group_at(self, row: int) -> Where:
        """The place of the group of which this row is the first: its line, where a line is a group."""
        return Where(self.file, self.place(row))


@dataclass(frozen=True)
class LogRow:
    """One row of a trainer's log: numbers by name; ``place`` is its number in the file."""

    place: int
    step: int | None
    numbers: Mapping[str, float]

    @property
    def evaluates(self) -> bool:
        """Whether it is of an evaluation."""
        return any(name.startswith("eval_") for name in self.numbers)


@dataclass(frozen=True)
class Log:
    """A trainer's log."""

    file: str
    rows: tuple[LogRow, ...]
    logging_steps: float | None = None
    max_steps: int | None = None
    global_step: int | None = None


@dataclass(frozen=True)
class Generation:
    """A recorded generation batch: what was drawn, rewarded and frozen."""

    file: str
    number: int
    mode: str
    step: int
    rank: int
    table: Table
    arrays: Mapping[str, Any]
    group_size: int | None
    settings: Settings


@dataclass(frozen=True)
class Call:
    """A recorded call of a trainer's loss: its tensors by name, and what is said of it."""

    file: str
    arrays: Mapping[str, Any]
    meta: Mapping[str, Any]

    @property
    def trains(self) -> bool:
        """Whether it is of training, not of evaluation."""
        return bool(self.meta.get("mode", "train") == "train")
