"""A trace: the events of a run as JSON Lines, exact numbers as strings; what ``replay`` and ``check`` read.

The first line is the start event with the schema's name and the whole problem; the last is the outcome, or the error
that ended the run. While a run goes on its lines stand in a draft beside the final file (whole_files.py), which takes
its name only when the last line is on the disk: a trace that exists is whole.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.arithmetic.choice import settings_of
from grpocheck.core.arithmetic.supply import Arithmetic
from grpocheck.core.events import Event, Kind
from grpocheck.core.invalid import shown
from grpocheck.core.json_text import MOST_VALUES, values_at_most
from grpocheck.core.outcome import Outcome
from grpocheck.core.problem import Problem
from grpocheck.core.trace_errors import TraceError
from grpocheck.core.whole_files import CannotWrite, Draft
from grpocheck.core.writing import problem_to_mapping

SCHEMA = "grpocheck-trace/1"
OTHERS = {
    "grpocheck-training-free-trace/1": " (this one is read by grpocheck training-free TASK --trace FILE --resume)"
}
"""Schemas of traces that are read elsewhere, and where."""
TOML = re.compile(rb"\s*(?:#|\[\[?[A-Za-z_][\w.-]*\]|[A-Za-z_][\w.-]*[ \t]*=)")
"""How a line of a TOML file begins, and none of JSON."""
AS_TOML = "this begins as TOML does (a problem is for grpocheck run)"
LONGEST_LINE = 64 * 2**20
"""The most bytes a line of a trace may have."""


@total("every value of an event can be written")
@ensure(lambda result: not isinstance(result, float), "no float is written to a trace")
def written(value: Any, arithmetic: Arithmetic) -> Any:
    """A value of an event as JSON: numbers as exact strings or enclosures, tuples as lists."""
    if value is None or (isinstance(value, bool | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Problem):
        return problem_to_mapping(value)
    if isinstance(value, Outcome):
        return value.to_mapping()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | tuple):
        return [written(entry, arithmetic) for entry in value]
    if isinstance(value, int):
        return value
    return arithmetic.text(value)


LIVE = ("arithmetic", "ledger")
"""What the start event hands an observer to watch; the settings of the arithmetic are written, and nothing else."""


@require(lambda event: event.kind in Kind, "an event of a run")
@ensure(lambda result: not result.endswith("\n"), "one line, its end left to the writer")
def event_line(event: Event, arithmetic: Arithmetic) -> str:
    """An event as a line of a trace; the start event carries the schema, the outcome its own fields."""
    values: dict[str, Any] = {"event": event.kind.value}
    if event.kind is Kind.START:
        values["schema"] = SCHEMA
        kept = {name: value for name, value in event.values.items() if name not in LIVE}
        values |= {name: written(value, arithmetic) for name, value in kept.items()}
        values["arithmetic"] = settings_of(arithmetic)
    elif event.kind is Kind.OUTCOME:
        values |= written(event.values["outcome"], arithmetic)
    else:
        values |= {name: written(value, arithmetic) for name, value in event.values.items()}
    return json.dumps(values, ensure_ascii=False, separators=(", ", ": "))


class TraceWriter:
    """An observer that writes a trace; a context manager, so that the last line and the file's name are settled."""

    @require(lambda path: str(path) not in ("", "."), "a trace has a path")
    @ensure(lambda self, path: self.path == Path(path) and self.lines == 0, "nothing is written yet")
    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open the draft beside the trace; raises CannotWrite, an OSError, where that is not possible."""
        self.path = Path(path)
        self.lines = 0
        self.arithmetic: Arithmetic | None = None
        self.draft = Draft(path)

    @ensure(lambda self, result: result is self, "the writer itself is the observer")
    def __enter__(self) -> Self:
        """Begin."""
        return self

    @require(lambda self, event: (event.kind is Kind.START) == (self.lines == 0), "a trace begins with the start event")
    @ensure(lambda self: self.lines >= 1, "every event is written when it happens")
    def __call__(self, event: Event) -> None:
        """Write one event."""
        if event.kind is Kind.START:
            self.arithmetic = event.values["arithmetic"]  # type: ignore[assignment]
        assert self.arithmetic is not None
        self.write(event_line(event, self.arithmetic))

    @require(lambda line: "\n" not in line, "one line at a time")
    @ensure(lambda self: self.lines >= 1, "the line is counted")
    def write(self, line: str) -> None:
        """Write one line."""
        self.draft.write(line + "\n")
        self.lines += 1

    @total("a run ends well or in any exception")
    @ensure(lambda self: not self.draft.beside.exists(), "no draft is left")
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, place: TracebackType | None
    ) -> None:
        """Close: an error that ends a run is its last line, and the file takes the trace's name if the run began.

        A trace that cannot be written any further is given up: what was at its path stays.
        """
        try:
            if self.lines and not isinstance(error, CannotWrite):
                if error is not None:
                    self.write(json.dumps({"event": "error", "error": type(error).__name__, "message": str(error)}))
                self.draft.finish()
        finally:
            self.draft.abandon()


@require(lambda path: str(path) != "", "a trace has a path")
@ensure(lambda result: iter(result) is result, "lines come one by one: a trace need not fit in memory")
def read_trace(path: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines of a trace with their numbers (from 1). Raises TraceError for a file that is no whole trace."""
    number, last, place = 0, "", Path(path)
    try:
        if place.is_fifo() and place.parts[:2] != ("/", "dev"):
            raise TraceError(f"{path}: a pipe, which may wait for its writer forever: expected a regular file")
        with place.open("rb") as stream:
            while raw := stream.readline(LONGEST_LINE + 1):
                number += 1
                if number == 1 and TOML.match(raw):
                    begin = shown(raw.decode("utf-8", "replace").rstrip())
                    raise TraceError(f"{path}: line 1: {begin}: expected a trace; {AS_TOML}")
                fields = parsed_line(f"{path}: line {number}", raw)
                if number == 1 and fields.get("schema") != SCHEMA:
                    schema = fields.get("schema")
                    meant = OTHERS.get(schema, "") if isinstance(schema, str) else ""
                    raise TraceError(f"{path}: line 1: schema: {shown(schema)}: expected {SCHEMA!r}{meant}")
                last = fields["event"]
                yield number, fields
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror or error}: expected a readable trace file") from error
    if number == 0:
        raise TraceError(f"{path}: the file is empty: expected a trace")
    if last not in (Kind.OUTCOME.value, "error"):
        raise TraceError(f"{path}: line {number}: the trace is cut after {last}: expected an outcome")


@total("a JSON object has any pairs; a key that comes twice raises ValueError")
@ensure(lambda pairs, result: len(result) == len(pairs), "each key is said once")
def said_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object of which no reader can take the one value of a key and another reader the other."""
    table = dict(pairs)
    if len(table) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"{shown(next(key for key in keys if keys.count(key) > 1))}: a key that is said twice")
    return table


@require(lambda place: bool(place), "an error names the file and the line")
@ensure(lambda result: result["event"] != "", "every line is an event")
def parsed_line(place: str, raw: bytes) -> dict[str, Any]:
    """A line as an event's fields. Raises TraceError for a cut, overlong or malformed line."""
    if len(raw) > LONGEST_LINE:
        raise TraceError(f"{place}: a line of more than {LONGEST_LINE} bytes: expected an event")
    if not raw.endswith(b"\n"):
        raise TraceError(f"{place}: the line is cut: expected one JSON object ended by a line break")
    if values_at_most(raw) > MOST_VALUES:
        raise TraceError(f"{place}: more than {MOST_VALUES} values: expected an event")
    try:
        fields = json.loads(raw.decode("utf-8"), object_pairs_hook=said_once)
    except RecursionError:
        raise TraceError(f"{place}: JSON nested too deep: expected one flat event") from None
    except ValueError as error:
        raise TraceError(f"{place}: {error}: expected one JSON object in UTF-8") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("event"), str) or not fields["event"]:
        raise TraceError(f"{place}: {shown(fields)}: expected a JSON object with an event")
    return fields
