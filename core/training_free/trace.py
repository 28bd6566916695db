"""The trace of a training-free run: JSON Lines, exact, one line for each oracle call and decision, resumable.

Every line is in the file before the run goes on, so a run that is killed leaves all that it did, perhaps with a cut
last line. Resuming runs the task again from its start: recorded answers are taken from the trace and no oracle is asked
for them, every line that the run produces is compared with the recorded one, bit for bit, and from the first missing
line on the run goes on as if it had never stopped. So the resumed trace is the one that an uninterrupted run writes.
A file is not touched before the run has passed all its recorded lines: what is no trace of this run stays as it was.
"""

import errno
import json
import os
from collections.abc import Callable, Mapping
from enum import StrEnum
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Self

from grpocheck.contracts.clauses import ensure, invariant, require, snapshot, total
from grpocheck.core.invalid import shown
from grpocheck.core.trace import parsed_line
from grpocheck.core.trace_errors import TraceError, TraceMismatch
from grpocheck.core.whole_files import CannotWrite, Lines

SCHEMA = "grpocheck-training-free-trace/1"
MOST_BYTES = 2**27
"""Bytes of a trace that is gone on with: its lines are held until the run has passed them."""


class Kind(StrEnum):
    """The kinds of lines; those up to PATTERNS carry the answer of an oracle."""

    MODEL = "model"
    TESTS = "tests"
    QUALITY = "quality"
    PATTERNS = "patterns"
    START = "start"
    ITERATION = "iteration"
    RESPONSE = "response"
    GROUP = "group"
    STOP = "stop"
    OUTCOME = "outcome"


ANSWERS = (Kind.MODEL, Kind.TESTS, Kind.QUALITY, Kind.PATTERNS)

Watch = Callable[[Kind, Mapping[str, object]], None]


@total("nobody may be watching")
@ensure(lambda kind, result: result is None and kind in Kind, "watching changes nothing")
def unwatched(kind: Kind, values: Mapping[str, object]) -> None:
    """Nobody watches."""


@require(lambda kind: kind in Kind, "a line has one of the kinds of a trace")
@ensure(lambda result: "\n" not in result, "one line, its end left to the writer")
@ensure(lambda kind, values, result: json.loads(result) == {"event": kind.value, **values}, "what is written is read")
def line_of(kind: Kind, values: Mapping[str, object]) -> str:
    """A line of a trace: the kind, then the values, exact numbers as texts."""
    return json.dumps({"event": kind.value, **values}, ensure_ascii=False, separators=(", ", ": "))


HEAD = line_of(Kind.START, {"schema": SCHEMA})[:-1].encode("utf-8")
"""What every trace begins with, a cut one as far as it goes."""


@invariant(
    lambda self: self.kept is not None or self.position >= len(self.lines),
    "the file is cut only once every recorded line is passed",
)
class Record:
    """The lines of a trace that is resumed, and where further ones are written; a context manager.

    Without a path nothing is written; without recorded lines every oracle is asked.
    """

    @total("a run may have no trace")
    @ensure(lambda self, lines: self.lines == list(lines) and self.position == 0, "no line is passed yet")
    def __init__(
        self,
        path: Path | None = None,
        lines: tuple[str, ...] = (),
        watch: Watch = unwatched,
        kept: int = 0,
        file: Lines | None = None,
    ) -> None:
        """Begin; once all recorded lines are passed, the file keeps only its first ``kept`` bytes, which hold them.

        Raises CannotWrite for a path where a trace cannot begin: something is in the file, or another run writes it.
        """
        self.path = path
        self.kept: int | None = kept
        self.lines = list(lines)
        self.watch = watch
        self.position = 0
        self.file = file
        if path is not None and file is None:
            self.file = Lines(path)
            if self.file.size:
                self.file.close()
                raise CannotWrite(errno.EEXIST, "there is something in it", str(path))

    @ensure(lambda self, result: result is self, "the record itself")
    def __enter__(self) -> Self:
        """Begin."""
        return self

    @property
    @ensure(lambda self, result: result == (self.position < len(self.lines)), "a line that is not passed yet")
    def recalls(self) -> bool:
        """Whether the next line is a recorded one."""
        return self.position < len(self.lines)

    @require(lambda kind: kind in ANSWERS, "an oracle answers this kind")
    @ensure(lambda self, result: self.recalls or result is None, "nothing is recalled past the last recorded line")
    def recalled(self, kind: Kind) -> object | None:
        """The recorded answer of the next oracle call, None where the oracle has to be asked.

        Raises TraceMismatch where the trace records something else there, TraceError where there is no answer in it.
        """
        if not self.recalls:
            return None
        found = self.lines[self.position]
        fields = json.loads(found)
        if fields["event"] != kind.value:
            raise TraceMismatch(self.position + 1, line_of(kind, {}), found)
        if fields.get("answer") is None:
            raise TraceError(f"{self.path}: line {self.position + 1}: answer: missing: expected that of the oracle")
        return fields["answer"]  # type: ignore[no-any-return]

    @require(lambda kind: kind in Kind, "a line has one of the kinds of a trace")
    @snapshot(lambda self: self.position, name="position")
    @ensure(lambda self, OLD: self.position == OLD.position + 1, "every line is passed once")
    def tell(self, kind: Kind, **values: object) -> None:
        """Pass a line: compare it with the recorded one, or write it. Raises TraceMismatch where they differ."""
        line = line_of(kind, values)
        if self.recalls:
            if self.lines[self.position] != line:
                raise TraceMismatch(self.position + 1, line, self.lines[self.position])
        else:
            self.write(line)
        self.position += 1
        self.watch(kind, values)

    @require(lambda self: self.position >= 1, "a run has told how it ended")
    @ensure(lambda self: not self.recalls, "no recorded line is left over")
    def end(self) -> None:
        """The run is over. Raises TraceError where the trace goes on after its outcome."""
        if self.recalls:
            further = shown(json.loads(self.lines[self.position])["event"])
            raise TraceError(f"{self.path}: line {self.position + 1}: {further}: expected nothing after the outcome")
        self.cut()

    @require(lambda self: not self.recalls, "every recorded line is this run's")
    @ensure(lambda self: self.file is None or self.kept is None, "cut once, before anything is written")
    def cut(self) -> None:
        """Cut what follows the recorded lines: a line that was not whole, or a closing error."""
        if self.file is not None and self.kept is not None:
            self.file.cut(self.kept)
            self.kept = None

    @require(lambda line: "\n" not in line, "one line at a time")
    @ensure(lambda self: self.file is None or self.kept is None, "the line follows the recorded ones")
    def write(self, line: str) -> None:
        """Write a line and let it reach the file. Raises CannotWrite; the lines before it stay, to be gone on with."""
        self.cut()
        if self.file is not None:
            self.file.write(line)

    @total("a run ends well or in any exception")
    @ensure(lambda self: self.file is None or self.file.descriptor == -1, "the file is closed")
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        """Close; an error that ends a run is its last line, but for a trace that does not fit the run.

        A run that ends before it starts leaves no file.
        """
        own = isinstance(error, Exception) and not isinstance(error, TraceError | TraceMismatch | CannotWrite)
        try:
            if own and self.position > 0 and not self.recalls:
                self.write(json.dumps({"event": "error", "error": type(error).__name__, "message": str(error)}))
            if self.file is not None and self.position == 0 and not self.lines:
                self.file.path.unlink()
        finally:
            if self.file is not None:
                self.file.close()


@require(lambda path: str(path) != "", "a trace has a path")
@ensure(lambda result: result.position == 0, "the run begins at its start")
def resumed(path: Path, watch: Watch = unwatched) -> Record:
    """The record of a trace to go on with; a cut last line and a closing error are left out.

    Raises TraceError for a file that is no trace of this schema.
    """
    if path.exists() and not path.is_file():
        raise TraceError(f"{path}: no regular file: expected a trace to resume")
    if not path.exists():
        raise TraceError(f"{path}: {os.strerror(errno.ENOENT)}: expected a trace to resume")
    try:
        file = Lines(path)
    except CannotWrite as error:
        raise TraceError(f"{path}: {error.strerror}: expected a trace to resume") from error
    try:
        if file.size > MOST_BYTES:
            raise TraceError(f"{path}: {file.size} bytes: expected a trace to resume, of at most {MOST_BYTES}")
        lines, kept = recorded(path, file.content())
        return Record(path, lines, watch, kept, file)
    except BaseException:
        file.close()
        raise


@require(lambda path: str(path) != "", "an error names the file")
@ensure(lambda content, result: content[: result[1]].decode() == "".join(f"{line}\n" for line in result[0]), "as it is")
def recorded(path: Path, content: bytes) -> tuple[tuple[str, ...], int]:
    """The whole lines of a trace but for a closing error, and the bytes that they take. Raises TraceError."""
    lines: list[str] = []
    kept = 0
    for number, raw in enumerate(BytesIO(content), start=1):
        if number == 1 and not raw.endswith(b"\n") and not HEAD.startswith(raw[: len(HEAD)]):
            begins = shown(raw[:100].decode("utf-8", "backslashreplace"))
            raise TraceError(f"{path}: line 1: {begins}: expected a trace of schema {SCHEMA!r}")
        if not raw.endswith(b"\n"):
            break
        fields = parsed_line(f"{path}: line {number}", raw)
        if number == 1 and fields.get("schema") != SCHEMA:
            raise TraceError(f"{path}: line 1: schema: {shown(fields.get('schema'))}: expected {SCHEMA!r}")
        if fields["event"] == "error":
            if kept + len(raw) != len(content):
                raise TraceError(f"{path}: line {number + 1}: expected nothing after the error that ended the run")
            break
        lines.append(raw[:-1].decode("utf-8"))
        kept += len(raw)
    return tuple(lines), kept
