"""Our own format: JSON Lines, a line for each group; docs/audit.md describes it, and any recorder can write it.

The first line is a header, {"format": "grpocheck-groups", "version": 1} with optional "settings" (under TRL's names),
"functions" (names of the reward functions) and "dtype" (the float format of the trainer's advantages). Then lines of
kind "group" (the default), "log" and "call". A last line that was cut off in the middle is left out here. A recording
that was gone on with has a header again where it goes on, with settings of its own.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.model import Call, Lines, LogRow, Part, Table
from grpocheck.verifier.audit.readers.lines import nans_of, number, raw_lines, read_lines, reward, tensor
from grpocheck.verifier.audit.readers.recorded import checked_call
from grpocheck.verifier.audit.readers.state import log_row
from grpocheck.verifier.audit.settings import Settings, checked
from grpocheck.verifier.files import json_of

FORMAT, VERSION = "grpocheck-groups", 1
ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24, "bfloat16": 2.0**-8, "float16": 2.0**-11}
KINDS = ("group", "log", "call")
LONGEST_HEADER = 1 << 20
BYTES_OF_A_STRETCH = 64 << 20
MAY_BE_CALL = re.compile(rb'"call"|"tokens"|\\u')
"""A line in which no such bytes are is none of a call, however its texts are escaped."""
TOKEN_TENSORS = ("new_logps", "old_logps", "ref_logps", "sampling_logps", "entropies")


def is_header(line: Mapping[str, Any]) -> bool:
    """Whether a first line is one of this format's, of whatever version."""
    return line.get("format") == FORMAT


@dataclass(frozen=True)
class Header:
    """What the first line says."""

    stated: Mapping[str, Any]
    settings: Settings
    functions: tuple[str, ...] | None
    dtype: str


def parts_of(path: Path) -> list[Part]:
    """The parts of a file, a header each, and of each the stretches of lines in which there may be calls."""
    parts: list[Part] = []
    begun = [(0, 0)]  # where each stretch of the part begins: its line, and its first byte
    calls: set[int] = set()  # the stretches with lines that may be calls

    def part_before(last: int | None, end: int | None) -> Part:
        (first, begin), limits = begun[0], [*begun[1:], (last, end)]
        cut = [Lines(at[0], to[0], at[1], to[1]) for at, to in zip(begun, limits, strict=True)]
        return Part(path, Lines(first, last, begin, end), len(parts), tuple(cut[number] for number in sorted(calls)))

    offset = 0
    with path.open("rb") as file:
        for place, raw in enumerate(raw_lines(file)):
            if place and heads(raw):
                parts.append(part_before(place, offset))
                begun, calls = [(place, offset)], set()
            if offset - begun[-1][1] >= BYTES_OF_A_STRETCH:
                begun.append((place, offset))
            if MAY_BE_CALL.search(raw):
                calls.add(len(begun) - 1)
            offset += len(raw)
    return [*parts, part_before(None, None)]


def heads(raw: bytes) -> bool:
    """Whether a line is a header; a tensor's line, longer than any, is not parsed."""
    if len(raw) > LONGEST_HEADER or FORMAT.encode() not in raw:
        return False
    try:
        line = json_of(raw)
    except ValueError:
        return False  # read_lines says what is wrong with it, or leaves it out where it is the last
    return isinstance(line, dict) and is_header(line)


def read_header(part: Part) -> Header:
    """The first line of a part; raises Unreadable for another format or version."""
    path = part.file
    place, line = next(read_lines(path, part.lines), (part.lines.first, {}))
    where = f"line {place + 1}"
    if not is_header(line):
        raise Unreadable(path, f"{where}, format", line.get("format"), repr(FORMAT))
    if isinstance(line.get("version"), bool) or line.get("version") != VERSION:
        raise Unreadable(path, f"{where}, version", line.get("version"), f"{VERSION}, the version that is read here")
    settings, functions, dtype = line.get("settings", {}), line.get("functions"), line.get("dtype", "float32")
    if not isinstance(settings, dict):
        raise Unreadable(path, f"{where}, settings", settings, "an object of settings by name")
    if functions is not None and not (isinstance(functions, list) and all(isinstance(name, str) for name in functions)):
        raise Unreadable(path, f"{where}, functions", functions, "a list of names")
    if not isinstance(dtype, str) or dtype not in ROUNDOFF:
        raise Unreadable(path, f"{where}, dtype", dtype, "one of " + ", ".join(ROUNDOFF))
    return Header(line, checked(settings, path), None if functions is None else tuple(functions), dtype)


@dataclass
class _Batch:
    """Groups of one generation batch, as their lines come in."""

    key: object = None
    step: int | None = None
    names: tuple[str, ...] = ()
    rewards: list[list[float | None]] = field(default_factory=list)
    advantages: list[float] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    responses: list[str] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    seats: list[int] = field(default_factory=list)
    trains: bool = True
    number: int | None = None

    def table(self, part: Part, roundoff: float) -> Table:
        """The batch as a table; the row of each response is that of its line."""
        rows, complete = len(self.rewards), len(self.responses) == len(self.rewards)
        return Table(
            str(part.file),
            self.step,
            self.names,
            np.array(self.rewards, dtype=np.float64).reshape(rows, len(self.names)),
            np.array(self.advantages, dtype=np.float64) if len(self.advantages) == rows else None,
            self.prompts if len(self.prompts) == rows else None,
            self.responses if complete else None,
            self.groups,
            unit_roundoff=roundoff,
            trains=self.trains,
            batch=self.number,
            session=part.session,
            rows=self.rows,
            seats=self.seats,
            stated_nan=nans_of(self.rewards).reshape(rows, len(self.names)),
        )


@dataclass
class FirstPass:
    """The line of a group that later passes over the same responses repeat, and the passes that came so far."""

    line: Mapping[str, Any]
    place: int
    row: int
    """The number of its first response in the batch."""
    passes: set[int]
    told: bool = False

    @property
    def batch(self) -> int:
        """The number of its batch."""
        return int(self.line["batch"])

    def calls(self, line: Mapping[str, Any], place: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """The lines with tokens to hold against each other: the first before the second one."""
        if "tokens" in self.line and not self.told:
            self.told = True
            yield self.place, self.line
        if "tokens" in line:
            yield place, line


class LaterPasses:
    """The groups of a batch whose lines say of which pass they are: a line of another pass is no group of its own."""

    def __init__(self) -> None:
        """None yet."""
        self.known: dict[str, list[FirstPass]] = {}

    def first_of(self, line: Mapping[str, Any], place: int, row: int) -> FirstPass | None:
        """The first line of the group that this is another pass over; None where it is a group, which is kept."""
        passed = line.get("pass")
        if type(passed) is not int or type(line.get("batch")) is not int:
            return None
        what = [line.get(key) for key in ("prompt", "responses", "rewards", "mode")]
        if "tokens" not in line:
            what.append(line.get("advantages"))  # which nothing else would hold against those of the first pass
        for first in self.known.setdefault(repr(what), []):
            if passed not in first.passes and ("tokens" in first.line) is ("tokens" in line):
                first.passes.add(passed)
                return first
        self.known[repr(what)].append(FirstPass(line, place, row, {passed}))
        return None


def read_calls(part: Part, lines: Lines) -> Iterator[Call]:
    """The calls in some lines of a part: those of the loss, and those that the tokens of a group make."""
    header, path = read_header(part), part.file
    for place, kind, line in lines_of(part, lines):
        where = f"line {place + 1}"
        if kind == "call":
            yield call_of(path, where, place, line, part.session)
        elif kind == "group" and "tokens" in line:
            yield tokens_of(path, where, place, line, header)


def lines_of(part: Part, lines: Lines) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Lines of a part but for its header, each with its number and its kind."""
    for place, line in read_lines(part.file, lines):
        if is_header(line):
            continue
        kind = line.get("kind", "group")
        if kind not in KINDS:
            raise Unreadable(part.file, f"line {place + 1}, kind", kind, "one of " + ", ".join(KINDS))
        yield place, kind, line


def read_groups(
    part: Part, told: Callable[[str, Mapping[str, Any], int], None] = lambda kind, line, place: None
) -> Iterator[Table | LogRow | Call]:
    """The batches of groups, rows of a log and calls of a part, in their order, a batch at a time.

    Of the calls only those that name rows of a batch, which are held against the others that do. ``told`` is given
    every line but the header, with its kind and its number.
    """
    header, path = read_header(part), part.file
    roundoff, batch, counted, passes = ROUNDOFF[header.dtype], _Batch(), 0, LaterPasses()
    for place, kind, line in lines_of(part, part.lines):
        where = f"line {place + 1}"
        told(kind, line, place)
        if kind == "log":
            numbers = line.get("numbers")
            if not isinstance(numbers, dict):
                raise Unreadable(path, f"{where}, numbers", numbers, "an object of numbers by name")
            yield log_row(path, place, f"{where}, numbers", {**numbers, "step": line.get("step")})
        elif kind == "call":
            if names_rows(line):
                yield call_of(path, where, place, line, part.session)
        else:
            key = line.get("batch", line.get("step"))
            if batch.rewards and key != batch.key:
                yield batch.table(part, roundoff)
                batch, passes = _Batch(), LaterPasses()
            batch.key = key
            first = passes.first_of(line, place, len(batch.rewards))
            if first is not None:
                take_group(path, where, place, line, header, _Batch(), counted)  # is it a group at all
                for again, of_pass in first.calls(line, place):
                    call = tokens_of(path, f"line {again + 1}", again, of_pass, header)
                    rows = first.row + np.arange(len(call.arrays["mask"]))
                    said = {"gen": first.batch, "session": part.session}
                    yield Call(call.file, {**call.arrays, "row": rows}, {**call.meta, **said})
                continue
            batch.number = line["batch"] if type(line.get("batch")) is int else None
            take_group(path, where, place, line, header, batch, counted)
            counted += 1
    if batch.rewards:
        yield batch.table(part, roundoff)


def names_rows(line: Mapping[str, Any]) -> bool:
    """Whether a call says of which rows of which batch it is."""
    arrays, meta = line.get("arrays"), line.get("meta")
    return isinstance(arrays, dict) and isinstance(meta, dict) and "row" in arrays and "gen" in meta


def take_group(
    path: Path, where: str, place: int, line: dict[str, Any], header: Header, batch: _Batch, group: int
) -> None:
    """Add the responses of a line to a batch."""
    columns = reward_columns(path, where, line, header)
    size = len(next(iter(columns.values())))
    if size == 0 or any(len(column) != size for column in columns.values()):
        raise Unreadable(path, f"{where}, rewards", line.get("rewards"), "as many rewards as responses, at least one")
    if batch.names and set(columns) != set(batch.names):
        raise Unreadable(path, f"{where}, rewards", sorted(columns), f"the functions {list(batch.names)} of the batch")
    columns = {name: columns[name] for name in batch.names or columns}
    batch.names = tuple(columns)
    step = line.get("step")
    if step is not None and (isinstance(step, bool) or not isinstance(step, int)):
        raise Unreadable(path, f"{where}, step", step, "a whole number")
    batch.step = step
    batch.rewards += [list(row) for row in zip(*columns.values(), strict=True)]
    for key, kept in (("advantages", batch.advantages), ("responses", batch.responses)):
        found = line.get(key)
        if found is None:
            continue
        if not isinstance(found, list) or len(found) != size:
            raise Unreadable(path, f"{where}, {key}", found, f"a list of {size}, one for each response")
        if key == "responses":
            batch.responses += [str(value) for value in found]
        else:
            batch.advantages += [number(path, f"{where}, advantages", value) for value in found]
        assert len(kept) >= size
    if line.get("prompt") is not None:
        batch.prompts += [str(line["prompt"])] * size
    batch.trains = line.get("mode", "train") == "train"
    batch.groups += [group] * size
    batch.rows += [place] * size
    batch.seats += range(1, size + 1)


def reward_columns(path: Path, where: str, line: Mapping[str, Any], header: Header) -> dict[str, list[float | None]]:
    """The rewards of a line, a list for each function; in the header's order of them where it names just these."""
    found = line.get("rewards")
    if isinstance(found, list):
        found = {(header.functions or ("reward",))[0]: found}
    if not isinstance(found, dict) or not found or not all(isinstance(column, list) for column in found.values()):
        raise Unreadable(path, f"{where}, rewards", found, "a list of numbers, or one for each function by its name")
    columns = {
        str(name): [reward(path, f"{where}, rewards", value) for value in column] for name, column in found.items()
    }
    known = header.functions or ()
    return {name: columns[name] for name in known} if set(known) == set(columns) else columns


def tokens_of(path: Path, where: str, place: int, line: Mapping[str, Any], header: Header) -> Call:
    """The log-probabilities of a group as a call without a loss: rows of lengths of their own, padded with 0."""
    tokens, advantages = line["tokens"], line.get("advantages")
    if not isinstance(tokens, dict):
        raise Unreadable(path, f"{where}, tokens", tokens, "an object of lists, beside the group's advantages")
    if not isinstance(advantages, list):
        expected = "a list of numbers, one for each response: a group with tokens needs its advantages"
        raise Unreadable(path, f"{where}, advantages", advantages, expected)
    first = tokens.get("new_logps")
    if not isinstance(first, list) or len(first) != len(advantages) or not all(isinstance(row, list) for row in first):
        raise Unreadable(path, f"{where}, tokens.new_logps", first, "a list of numbers for each response")
    lengths = [len(row) for row in first]
    shape = (len(lengths), max(1, *lengths))
    arrays: dict[str, Any] = {"advantages": np.array(advantages, dtype=np.float64), "mask": np.zeros(shape)}
    for row, length in enumerate(lengths):
        arrays["mask"][row, :length] = 1
    for name in (*TOKEN_TENSORS, "mask"):
        rows = tokens.get(name)
        if rows is None:
            continue
        if not isinstance(rows, list) or [len(row) if isinstance(row, list) else -1 for row in rows] != lengths:
            raise Unreadable(path, f"{where}, tokens.{name}", rows, "lists as long as those of new_logps")
        arrays[name] = np.zeros(shape)
        for row, values in enumerate(rows):
            try:
                arrays[name][row, : len(values)] = tensor(values)
            except (ValueError, TypeError, OverflowError) as error:
                raise Unreadable(path, f"{where}, tokens.{name}", values, "numbers") from error
    arrays.setdefault("old_logps", arrays["new_logps"])
    clip, logged, passed = line.get("clip", {}), line.get("logged", {}), line.get("pass")
    if isinstance(passed, bool | str):
        raise Unreadable(path, f"{where}, pass", passed, "the number of the pass, 0 for the first")
    if not isinstance(clip, dict) or not isinstance(logged, dict):
        raise Unreadable(path, f"{where}, clip", clip, "an object with epsilon and epsilon_high")
    clip = dict(checked(clip, path).values)
    # There is no loss to hold these against: what a loss is divided by does not matter to ratios and clip fractions.
    arrays["num_items_in_batch"] = arrays["mask"].sum()
    divided = {"loss_type": "grpo", "max_completion_length": shape[1]}
    meta = {
        "config": {**divided, **header.settings.values, **clip},
        "stated": {**header.settings.values, **clip},
        "row": place,
        "first_pass": passed == 0,
        "old_logps_came_from_trainer": "old_logps" in tokens,
        "logps_dtype": header.dtype,
        "trl_metrics_of_this_call": {
            str(key): [number(path, f"{where}, logged.{key}", value)] for key, value in logged.items()
        },
    }
    return checked_line(path, where, arrays, meta)


def call_of(path: Path, where: str, place: int, line: Mapping[str, Any], session: int) -> Call:
    """A call of the loss with its tensors as nested lists under "arrays" and the rest under "meta"."""
    arrays, meta = line.get("arrays"), line.get("meta")
    if not isinstance(arrays, dict) or not isinstance(meta, dict):
        raise Unreadable(path, f"{where}, arrays", arrays, "an object of tensors by name, beside an object meta")
    tensors = {}
    for name, value in arrays.items():
        try:
            tensors[name] = tensor(value)
        except (ValueError, TypeError, OverflowError) as error:
            raise Unreadable(path, f"{where}, arrays.{name}", value, "numbers, nested in rows of one length") from error
    return checked_line(path, where, tensors, {**meta, "row": place, "session": session})


def checked_line(path: Path, where: str, arrays: dict[str, Any], meta: dict[str, Any]) -> Call:
    """A call whose tensors go together; what is wrong with them is said with the number of the line."""
    try:
        return checked_call(path, arrays, meta)
    except Unreadable as error:
        raise error.at(where) from error
