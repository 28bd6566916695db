"""Tables that a reader could choke on, each of a few kilobytes: python -m tests.fuzz.tables FOLDER

completions_00000 has two million rows, 00001 a text of a megabyte in each of 5,000 rows, 00002 a list of 30 million
numbers; 90001 to 90003 state more rows than they have, fewer, and less than none.
"""

import sys
from pathlib import Path
from typing import Any

import pyarrow as arrow
from pyarrow import parquet

ROWS, LONG = 5_000, 30_000_000
AS_WRITTEN = b"\x90\x4e"
"""5,000, as it stands in the description of a table (doubled, seven bits a byte)."""
LIES = (b"\xfe\x7f", b"\x80\x01", b"\xff\x7f")
"""8,191, 64 and -8,192."""


def repeated(value: Any, rows: int) -> Any:
    """A column of one value, which is kept once."""
    return arrow.DictionaryArray.from_arrays(arrow.repeat(arrow.scalar(0, arrow.int32()), rows), arrow.array([value]))


def write(path: Path, rows: int, completions: Any) -> None:
    """A table with the columns that TRL gives it."""
    columns = {
        "step": arrow.repeat(0, rows),
        "prompt": repeated("p", rows),
        "completion": completions,
        "reward": arrow.repeat(0.0, rows),
    }
    parquet.write_table(arrow.table(columns), path, compression="zstd", store_schema=False)


def main(folder: Path) -> None:
    """Write them all."""
    zeros = arrow.repeat(arrow.scalar(0, arrow.int8()), LONG)
    write(folder / "completions_00000.parquet", 2_000_000, repeated("c", 2_000_000))
    write(folder / "completions_00001.parquet", ROWS, repeated("x" * 1_000_000, ROWS))
    write(folder / "completions_00002.parquet", 1, arrow.ListArray.from_arrays([0, LONG], zeros))
    right = folder / "right"
    write(right, ROWS, repeated("c", ROWS))
    whole = right.read_bytes()
    right.unlink()
    described = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    assert AS_WRITTEN in whole[described:]
    for number, lie in enumerate(LIES, start=1):
        changed = whole[:described] + whole[described:].replace(AS_WRITTEN, lie)
        (folder / f"completions_9000{number}.parquet").write_bytes(changed)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
