"""TRL's completions tables: one parquet file for each logging step.

Columns: step, prompt, completion, one for each reward function under its name, what log_extra added, advantage. There
is no group id and no reward total; rows of a group are consecutive.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from grpocheck.verifier.audit.errors import Unreadable, needed
from grpocheck.verifier.audit.memory import memory_within
from grpocheck.verifier.audit.model import Floats, Table

OWN_COLUMNS = ("step", "prompt", "completion", "advantage")
EXPECTED_COLUMNS = "TRL's columns step, prompt and completion"
MOST_BYTES = 1 << 29
"""Bytes that the content of a file may take in memory: a kilobyte of parquet can say that it is gigabytes."""
MOST_ROWS = 1_000_000
DIGITS = re.compile(r"[0-9]{1,18}")
"""A whole number that 64 bits hold."""
FILE_NAME = re.compile(r"completions_(\d+)\.parquet$")


def read_table(path: Path, reward_names: Sequence[str] | None = None) -> Table:
    """The rows of a table; raises Unreadable for what is no table of TRL's.

    ``reward_names`` are the reward functions that the log names, whose columns may hold integers, too; without them
    every column of floats is one.
    """
    try:
        with memory_within(MOST_BYTES):
            return table_of(path, arrow_table(path), reward_names)
    except MemoryError as error:
        raise Unreadable(path, "content", "more when unpacked", f"at most {MOST_BYTES} bytes") from error


def table_of(path: Path, found: Any, reward_names: Sequence[str] | None) -> Table:
    """An Arrow table as the rows of a table of TRL's."""
    missing = [name for name in OWN_COLUMNS[:3] if name not in found.column_names]
    if missing:
        raise Unreadable(path, f"column {missing[0]}", found.column_names, EXPECTED_COLUMNS)
    names = tuple(name for name in found.column_names if is_reward(found, name, reward_names))
    if not names and "advantage" not in found.column_names:
        raise Unreadable(path, "columns", found.column_names, "a column of floats for each reward function")
    if len(set(found.column_names)) < len(found.column_names):
        raise Unreadable(path, "columns", found.column_names, "columns of different names")
    columns = [numbers(path, found, name) for name in names]
    steps = [int(step) for step in whole_numbers(path, found, "step")]
    others = [name for name in found.column_names if name not in OWN_COLUMNS and name not in names]
    return Table(
        str(path),
        steps[0] if steps else None,
        names,
        np.stack(columns, axis=1) if columns else np.zeros((found.num_rows, 0)),
        numbers(path, found, "advantage") if "advantage" in found.column_names else None,
        texts(path, found, "prompt"),
        texts(path, found, "completion"),
        extra={name: texts(path, found, name) for name in others},
        columns=tuple(found.column_names),
        steps=tuple(sorted(set(steps))),
    )


def column_names(path: Path) -> list[str]:
    """The names of a file's columns; raises Unreadable where it is damaged or no parquet file."""
    with opened(path) as reader:
        return [str(name) for name in reader.schema_arrow.names]


def arrow_table(path: Path) -> Any:
    """The file as an Arrow table; raises Unreadable where it is damaged or no parquet file."""
    with opened(path) as reader:
        rows = reader.metadata.num_rows  # nothing further: of a damaged column's description Arrow ends the process
        if rows > MOST_ROWS:
            raise Unreadable(path, "content", f"{rows} rows", f"at most {MOST_ROWS} in one file")
        table = reader.read()
        if table.num_rows != rows:
            raise Unreadable(path, "content", f"{table.num_rows} rows", f"the {rows} that it states")
        return table


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """A parquet file, open; what Arrow raises of its content becomes Unreadable."""
    parquet, arrow = needed("pyarrow.parquet"), needed("pyarrow")
    try:
        with path.open("rb") as file:
            yield parquet.ParquetFile(file)
    except (arrow.ArrowException, OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError | PermissionError | MemoryError | Unreadable):
            raise
        raise Unreadable(path, "content", str(error), "a whole parquet file") from error


def is_reward(found: Any, name: str, reward_names: Sequence[str] | None) -> bool:
    """Whether a column holds the rewards of a function."""
    arrow = needed("pyarrow")
    kind = found.schema.field(name).type
    if name in OWN_COLUMNS:
        return False
    if reward_names is None:
        return bool(arrow.types.is_floating(kind))
    numeric = arrow.types.is_floating(kind) or arrow.types.is_integer(kind) or arrow.types.is_null(kind)
    return bool(numeric) and name in reward_names


def numbers(path: Path, found: Any, name: str) -> Floats:
    """A column of numbers in float64, nan where it is null."""
    arrow = needed("pyarrow")
    kind = found.schema.field(name).type
    if not (arrow.types.is_floating(kind) or arrow.types.is_integer(kind) or arrow.types.is_null(kind)):
        raise Unreadable(path, f"column {name}", str(kind), "numbers")
    try:
        column: Floats = np.asarray(found.column(name).cast(arrow.float64()).to_numpy(), dtype=np.float64)
    except MemoryError:
        raise
    except (arrow.ArrowException, ValueError) as error:
        raise Unreadable(path, f"column {name}", str(error), "numbers") from error
    return column


def whole_numbers(path: Path, found: Any, name: str) -> list[int]:
    """A column of integers, or of texts that each spell one: a trainer that writes for a web page logs its step so."""
    arrow = needed("pyarrow")
    column = found.column(name)
    if (arrow.types.is_string(column.type) or arrow.types.is_large_string(column.type)) and not column.null_count:
        return [spelt(path, name, text) for text in listed(path, found, name)]
    if not arrow.types.is_integer(column.type) or column.null_count:
        raise Unreadable(path, f"column {name}", str(column.type), "whole numbers, none missing")
    return [int(value) for value in listed(path, found, name)]


def spelt(path: Path, name: str, text: str) -> int:
    """The whole number that a text spells in digits alone; raises Unreadable for any other text."""
    if not DIGITS.fullmatch(text):
        raise Unreadable(path, f"column {name}", text, "whole numbers, or texts of the digits 0 to 9 that spell them")
    return int(text)


def listed(path: Path, found: Any, name: str) -> list[Any]:
    """A column as Python values; raises Unreadable for bytes that are not what the column says."""
    arrow = needed("pyarrow")
    try:
        values: list[Any] = found.column(name).to_pylist()
    except MemoryError:
        raise
    except (arrow.ArrowException, ValueError, OverflowError) as error:
        kind = str(found.schema.field(name).type)
        raise Unreadable(path, f"column {name}", str(error), f"values of type {kind}") from error
    return values


def texts(path: Path, found: Any, name: str) -> list[str]:
    """A column as texts: strings as they are, messages and other values as JSON."""
    values = listed(path, found, name)
    return [value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str) for value in values]


def step_of_name(path: Path | str) -> int | None:
    """The step in the name that TRL gives a table."""
    match = FILE_NAME.search(str(path))
    return int(match.group(1)) if match else None
