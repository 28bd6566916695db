"""Which reader a file is for, told by its name and by what is in it; files of other programs are passed over."""

import re
import zipfile
from pathlib import Path

from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.readers import groups, lines, parquet, recorded, rollouts

RECORDED = re.compile(r"(gen|call)_\d+(_rank\d+)?\.npz")
ROW_ARRAYS = ("rewards_per_func", "advantages")
EXPECTED_LINES = "JSON Lines of verl's rollout_data_dir or grpocheck-groups"
EXPECTED_HEADER = (
    '{"format": "grpocheck-groups", "version": 1}, or verl\'s keys input, output and score (docs/audit.md says more)'
)


def is_audited(path: Path) -> bool:
    """Whether the name of a file is one that is looked into."""
    return path.suffix in (".parquet", ".jsonl", ".npz") or path.name == "trainer_state.json"


def kind_of(file: Path) -> str | Unreadable:
    """Which reader a file is for, or what shows that it is another program's.

    A file with the name that a trainer or a recorder gives it is theirs, whatever is in it: where it is damaged, its
    reader says so.
    """
    if file.name == "trainer_state.json":
        return "state"
    if file.suffix == ".parquet":
        return kind_of_table(file)
    if file.suffix == ".npz":
        return kind_of_arrays(file)
    return kind_of_lines(file)


def kind_of_table(file: Path) -> str | Unreadable:
    """A table of TRL's, by its name or its columns."""
    if parquet.step_of_name(file) is not None:
        return "table"
    try:
        names = parquet.column_names(file)
    except Unreadable as error:
        return error
    missing = [name for name in parquet.OWN_COLUMNS[:3] if name not in names]
    return Unreadable(file, f"column {missing[0]}", names, parquet.EXPECTED_COLUMNS) if missing else "table"


def kind_of_arrays(file: Path) -> str | Unreadable:
    """A recorded generation batch or loss call, by its name or its arrays."""
    named = RECORDED.fullmatch(file.name)
    if named:
        return named[1]
    try:
        with zipfile.ZipFile(file) as archive:
            names = sorted(name.removesuffix(".npy") for name in archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        if isinstance(error, PermissionError):
            raise
        return Unreadable(file, "content", str(error), "a whole .npz file of arrays")
    for kind, wanted in (("call", recorded.CALL_TENSORS), ("gen", ROW_ARRAYS)):
        if set(wanted) <= set(names):
            return kind
    return Unreadable(file, "arrays", names, f"the tensors {', '.join(recorded.CALL_TENSORS)} of a loss call")


def kind_of_lines(file: Path) -> str | Unreadable:
    """JSON Lines, by the first of them."""
    try:
        first = lines.first_line(file)
    except Unreadable as error:
        return error
    if first is None:
        return Unreadable(file, "content", "no lines", EXPECTED_LINES)
    if groups.is_header(first):
        return "groups"
    if rollouts.is_rollout(first):
        return "rollouts"
    return Unreadable(file, "line 1", first, EXPECTED_HEADER)
