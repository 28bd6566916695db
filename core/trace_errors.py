"""The errors of reading and replaying a trace."""

import json
from typing import Any

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.invalid import shown


class TraceError(ValueError):
    """A file that is no whole trace: names the file, the line and what was expected."""


class TraceMismatch(ValueError):  # noqa: N818 - what was found
    """A line that the replayed run does not produce: ``line``, ``expected`` (the run's) and ``found`` (the trace's)."""

    @require(lambda line: line >= 1, "lines are counted from 1")
    @ensure(lambda self, line: self.line == line, "the mismatch names its line")
    def __init__(self, line: int, expected: str, found: str) -> None:
        """Name the line, what the run gives there and what the trace says."""
        super().__init__(f"line {line}: {difference(expected, found)}")
        self.line = line
        self.expected = expected
        self.found = found


@total("any JSON value")
@ensure(lambda result: json.dumps(json.loads(result), sort_keys=True) == result, "the text says one value, NaN too")
def typed(value: Any) -> str:
    """A JSON value as a text to compare by: keys in order, and true is not 1, which Python takes for equal."""
    return json.dumps(value, sort_keys=True)


@require(lambda ours, theirs: typed(ours) != typed(theirs), "two values that differ")
@ensure(lambda result: typed(result[1]) != typed(result[2]), "what is named differs")
def parting(ours: Any, theirs: Any, place: str = "") -> tuple[str, Any, Any]:
    """The first place at which two JSON values differ, as deep as it can be named, and what each has there."""
    pairs: list[tuple[str, Any, Any]] = []
    if isinstance(ours, dict) and isinstance(theirs, dict):
        names = [*ours, *(name for name in theirs if name not in ours)]
        pairs = [(f"{place}.{name}".lstrip("."), ours.get(name), theirs.get(name)) for name in names]
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = [(f"{place}[{i}]", *pair) for i, pair in enumerate(zip(ours, theirs, strict=True))]
    for inner, one, other in pairs:
        if typed(one) != typed(other):
            return parting(one, other, inner)
    return place, ours, theirs


@require(lambda expected, found: expected != found, "there is a difference")
@ensure(lambda result: "expected" in result, "the message says what was expected")
def difference(expected: str, found: str) -> str:
    """Where two lines of a trace differ: the first field, as deep as it can be named, or the events themselves.

    Where the run ends in an error and the trace goes on, the error says why.
    """
    ours, theirs = json.loads(expected), json.loads(found)
    if typed(ours) == typed(theirs):
        if json.dumps(ours) == json.dumps(theirs):
            return "the event is the same and written otherwise: expected no other white space, line end or escape"
        return "the fields of the event stand in another order: expected the order of the schema"
    place, wanted, there = parting(ours, theirs)
    article = "an" if ours["event"].startswith(("a", "e", "i", "o", "u")) else "a"
    ended = f": the run ends here: {ours.get('message')}" if place == "event" and wanted == "error" else ""
    stated = f"expected {shown(wanted)} in {article} {ours['event']} event"
    return f"{place or 'the fields'}: {shown(there)}: {stated}{ended}"
