"""Where results go: checked before the work begins, and written whole or not at all (grpocheck.core.whole_files).

And what is read whole: files that end, of a size and with as many values as fit into memory.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any

from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.json_text import MOST_VALUES, values_at_most
from grpocheck.core.problem import Problem
from grpocheck.core.reading import read_problem
from grpocheck.core.trace import said_once
from grpocheck.core.trace_errors import TraceMismatch
from grpocheck.core.whole_files import CannotWrite, Draft
from grpocheck.proofs.shipped import examples
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.printing import printable

MOST_BESIDE = 1000
"""Files of a folder among which one that was meant is looked for."""
NEARLY = 0.85
"""The ratio of difflib from which on a file's name is taken for a misspelt one."""
MOST_BYTES = 1 << 26
"""Bytes of a file that is read whole, and of a line."""


RESULTS = {
    "a trace": ('{"event": "start"', '"grpocheck-trace/'),
    "a report of the evidence": ("{", '"grpocheck":'),
    "a report in SARIF": ("{", '"name": "grpocheck"'),
    "test vectors": ("{", '"schema": "grpocheck-vectors/'),
    "a page": ("<!doctype html>", "<title>grpocheck"),
    "a picture": ("<svg", 'font-size="12" role="img"'),
    "a page of disputes": ("# disputes\n",),
    "a counterexample": ("# against the property: ",),
}
"""What is at the beginning of each kind of file that a command writes, in small letters; the first mark begins it."""
MOST_BEFORE_A_MARK = 1024


def check_writable(option: str, path: Path, kind: str, *read: Path | None) -> None:
    """Raise BadOption unless a file of a kind (of RESULTS) can be written at a path; leaves nothing behind.

    What is there may be an earlier result of that kind, but no other file, and none of those that are ``read``.
    """
    if path.is_file():
        if any(other is not None and other.exists() and path.samefile(other) for other in read):
            raise BadOption(option, path, "it is read by this command, and would be lost", "another file")
        with path.open("rb") as file:
            begin = file.read(MOST_BEFORE_A_MARK).decode("utf-8", "replace").lower()
        marks = RESULTS[kind]
        if begin and not (begin.startswith(marks[0]) and all(mark in begin for mark in marks)):
            raise BadOption(option, path, f"it is there, is not {kind} from before, and would be lost", "another file")
    check_place(option, path)


def check_place(option: str, path: Path) -> None:
    """Raise BadOption unless a file can be written at a path, whatever is there; leaves nothing behind."""
    try:
        Draft(path).abandon()
    except CannotWrite as error:
        raise BadOption(option, path, str(error.strerror), "a file that can be written") from error


def check_folder(option: str, folder: Path) -> None:
    """Make a folder unless it is there; raise BadOption where that is not possible or nothing can be written in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadOption(option, folder, error.strerror or str(error), "a folder") from error
    check_place(option, folder / "trial")


def write_text(path: Path, text: str, new: bool = False) -> None:
    """Write a file as a whole: readers see the old content or the new. CannotWrite also where ``new`` is not so.

    What UTF-8 has no character for, such as a byte of a file's name that is no text, is written as an escape.
    """
    draft = Draft(path)
    try:
        draft.write(text.encode("utf-8", "backslashreplace").decode())
        draft.finish(new)
    finally:
        draft.abandon()


def read_whole(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a file; raises ValueError for what may never end, or more bytes than it may have.

    A pipe that the caller holds, such as /dev/stdin, is read to its end; one with a name of its own is not waited for.
    """
    held = path.is_fifo() and path.parts[:2] == ("/", "dev")
    if path.exists() and not (path.is_file() or path.is_dir() or held):
        raise ValueError("it is no regular file, but a pipe or a device: write its content to a file first")
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"it has more than {most} bytes")
    return content


class SaidTwice(ValueError):  # noqa: N818 - named for what it says
    """A JSON text in which a key of a table comes twice: whichever of its values is read, the other is not."""


def json_of(content: bytes) -> Any:
    """The value of a JSON text; raises ValueError for what is none, is nested too deep, or holds too many values.

    Raises SaidTwice for a table with one key twice.
    """
    if values_at_most(content) > MOST_VALUES:
        raise ValueError(f"more than {MOST_VALUES} values")
    try:
        return json.loads(content, object_pairs_hook=once)
    except RecursionError as error:
        raise ValueError("lists and tables nested too deep") from error


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A table of a JSON text; raises SaidTwice."""
    try:
        return said_once(pairs)
    except ValueError as error:
        raise SaidTwice(*error.args) from None


PLACE = re.compile(r"(?<=[\w\"\]])\[([0-9]+)\]")
"""A place in a list, within the name of a key: the [1] of theta[1]."""


@contextmanager
def in_file(path: Path) -> Iterator[None]:
    """Within the block, what is wrong with an input is told with the file that it stands in, once.

    A key with a place in a list is told with how places are counted in files, where the first one is [0].
    """
    try:
        yield
    except InvalidProblem as error:
        if error.value == str(path):  # the file itself cannot be read
            raise InvalidProblem(error.key, error.value, error.expected + meant_file(path)) from error
        counted = " ([0] is the first)" if PLACE.search(error.key) else ""
        raise InvalidProblem(f"{printable(path)}: {error.key}", error.value, error.expected + counted) from error


@contextmanager
def in_trace(path: Path) -> Iterator[None]:
    """Within the block, a line that a run does not produce again is told with the trace that it stands in."""
    try:
        yield
    except TraceMismatch as error:
        error.args = (f"{printable(path)}: {error}",)
        raise


def problem_at(path: Path) -> Problem:
    """The problem in a file; raises InvalidProblem, which names the file, for what is none."""
    with in_file(path):
        return read_problem(path)


def meant_file(path: Path) -> str:
    """What was probably meant by the path of a file that is not there, to end a message; the empty text if unknown."""
    installed, near = installed_example(path), list[str]()
    with suppress(OSError, ValueError):  # a folder or a name in which nothing can be looked for
        if not installed and not path.exists():
            with os.scandir(path.parent) as entries:
                names = [entry.name for entry in islice(entries, MOST_BESIDE) if entry.is_file()]
            near = get_close_matches(path.name, names, n=1, cutoff=NEARLY)
    return f"; did you mean {printable(path.parent / near[0])}?" if near else installed


def installed_example(path: Path) -> str:
    """Where an example is that is not in the working folder, to end a message; the empty text for any other path."""
    first, *rest = path.parts or ("",)
    if first != "examples" or path.exists() or not examples().joinpath(*rest).exists():
        return ""
    return f"; that example was installed as {examples().joinpath(*rest)}"
