"""Judging the checker: traces of many kinds of run have to be right, and each corruption rejected or shown to be none.

A corrupted trace that is not rejected says the same when a JSON reader reads the same events from it, when only digits
of enclosures moved that still enclose, when only what the checker does not derive is another (the counts of work and
the limits of the arithmetic), or when replaying it gives it again bit for bit: it is the trace of another run.
"""

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from grpocheck.contracts.clauses import ContractViolation
from grpocheck.core import InvalidProblem, SupplyViolation, TraceWriter, run
from grpocheck.core.arithmetic.choice import arithmetic_named
from grpocheck.core.arithmetic.errors import DigitBudgetExceeded, NotExact, UndecidedComparison
from grpocheck.core.replaying import replay
from grpocheck.core.trace_errors import TraceError, TraceMismatch
from grpocheck.proofs.strategies import problems, supplies
from grpocheck.verifier.check import WORK, check
from grpocheck.verifier.commands.check import Found, header
from hypothesis import strategies as st

from tests.check.corruption import Event, change


@st.composite
def traces(draw: Any, path: Path) -> str:
    """The trace of a run: any family, arithmetic and source of draws; some oracles supplied, some domains stated."""
    problem = draw(problems())
    name = draw(st.sampled_from(("auto", "auto", "auto", "enclosure", "exact")))
    supply = draw(st.none() | st.none() | supplies(problem))
    seed = draw(st.none() | st.integers(0, 2**40))
    try:
        with TraceWriter(path) as writer:
            run(problem, supply, arithmetic=arithmetic_named(name), seed=seed, observer=writer)
    except (DigitBudgetExceeded, NotExact, SupplyViolation, UndecidedComparison):
        with TraceWriter(path) as writer:
            run(problem, observer=writer)
    return path.read_text(encoding="utf-8")


def close(left: Any, right: Any) -> bool:
    """Whether two values are the same but for the last digits, past the 27th, of the ends of enclosures."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(close(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(close, left, right))
    if isinstance(left, str) and isinstance(right, str) and "." in left and "." in right:
        try:
            a, b = Decimal(left), Decimal(right)
        except ArithmeticError:
            return left == right
        return abs(a - b) <= abs(a).scaleb(-27)
    return typed(left) == typed(right)


def form(entry: Any) -> str:
    """The form of what is not derived: a count is no number below 0."""
    return "below 0" if isinstance(entry, int) and entry < 0 else type(entry).__name__


def derived_only(events: list[Event]) -> list[Event]:
    """The events without what the checker does not derive: counts of work and limits of the arithmetic."""
    first, last = dict(events[0]), dict(events[-1])
    if isinstance(first.get("arithmetic"), dict):
        first["arithmetic"] = {k: entry if k == "name" else form(entry) for k, entry in first["arithmetic"].items()}
    if isinstance(last.get("ledger"), dict):
        last["ledger"] = {key: form(entry) if key in WORK else entry for key, entry in last["ledger"].items()}
    return [first, *events[1:-1], last] if len(events) > 1 else [first]


def strictly(data: bytes) -> list[Event] | None:
    """The events of a trace as JSON says them; None where a key is said twice or a line is no JSON."""

    def once(pairs: list[tuple[str, Any]]) -> Any:
        if len(dict(pairs)) < len(pairs):
            raise ValueError
        return dict(pairs)

    try:
        return [json.loads(line, object_pairs_hook=once, parse_float=float) for line in data.decode().splitlines()]
    except ValueError:
        return None


def typed(value: Any) -> str:
    """A JSON value as a text in which true is not 1."""
    return json.dumps(value, sort_keys=True)


def replayed(path: Path) -> bool:
    """Whether replaying a trace gives it again, bit for bit."""
    try:
        replay(path)
    except TraceMismatch as mismatch:
        ends = [json.loads(line) for line in (mismatch.expected, mismatch.found)]
        derived = {typed(str(derived_only([end, end])[1])) for end in ends if end["event"] == "outcome"}
        return len(derived) == 1 and all(end["event"] == "outcome" for end in ends)
    except (TraceError, InvalidProblem, SupplyViolation, UndecidedComparison, ArithmeticError):
        return False
    return True


def says_the_same(path: Path, before: list[Event], data: bytes, tally: "Tally") -> str:
    """How a corrupted trace (in the file) says what the right one says; the empty text where it does not."""
    after = strictly(data)
    if after is None:
        return ""
    if typed(after) == typed(before):
        return "the same events"
    if close(before, after):
        return "an enclosure that still encloses"
    if typed(list(map(str, derived_only(after)))) == typed(list(map(str, derived_only(before)))):
        return "a count of work or a limit, which is not derived"
    return "the trace of another run, replayed bit for bit" if tally.replays(path) else ""


NUMBERS = re.compile(r"'[^']*'|\"[^\"]*\"|\[.*?\]|\{.*?\}|[0-9][^ ,:]*")


def kind_of(why: str) -> str:
    """The kind of a reason: its words, with names and numbers left out."""
    reason = re.sub(r"^line \d+: ", "", why)
    field_, _, rest = reason.partition(": ")
    if rest and " " not in field_ and not field_.startswith(("'", '"', "[")):
        return f"{'field ' if 'expected' in rest else ''}{field_}"
    return " ".join(NUMBERS.sub("…", reason).split()[:7])


@dataclass
class Tally:
    """What was found, counted; ``faults`` are the mistakes of the checker, ``undecided`` the right traces of which it
    says so, ``left`` the corruptions of those of which it says so too; ``broken`` are contracts that broke in replay,
    which is no mistake of the checker but one of replay."""

    traces: int = 0
    undecided: int = 0
    left: int = 0
    corruptions: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    same: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def replays(self, path: Path) -> bool:
        """Whether replaying a trace gives it again; not where a contract breaks meanwhile, which is counted."""
        try:
            return replayed(path)
        except ContractViolation as violation:
            self.broken[" ".join(str(violation).split("\n")[1:2])] += 1
            return False

    def add(self, other: "Tally") -> None:
        """Count another tally in."""
        self.traces += other.traces
        self.undecided += other.undecided
        self.left += other.left
        self.corruptions += other.corruptions
        self.rejected += other.rejected
        self.same += other.same
        self.broken += other.broken
        self.faults += other.faults


def verdict(path: Path) -> tuple[int, str]:
    """What the command says: the checker's verdict, or that the header states no problem."""
    status, why = check(str(path))
    found = header(path, Found(status, None, why))
    return (status, why) if found.status == status else (found.status, f"line {found.line}: {found.reason}")


def judge(path: Path, text: str, random: Random, changes: int) -> Tally:
    """Check a right trace and some corruptions of it."""
    tally = Tally(traces=1)
    path.write_text(text, encoding="utf-8")
    status, why = check(str(path))
    tally.undecided = undecided = int(status == 3)
    if status not in (0, 3):
        tally.faults.append(f"a right trace: {status}: {why}\n{text}")
    events = list(map(json.loads, text.splitlines()))
    for _ in range(changes):
        done, data = change(events, random)
        tally.corruptions[done.partition(":")[0]] += 1
        path.write_bytes(data)
        status, why = verdict(path)
        if status in (1, 2) and re.match(r"line \d+: .", why):
            tally.rejected[kind_of(why)] += 1
            if tally.replays(path):
                tally.faults.append(f"{done}: rejected ({why}), but it replays\n{data.decode(errors='replace')}")
            continue
        if undecided and status == 3:
            tally.left += 1
            continue
        same = says_the_same(path, events, data, tally)
        tally.same[same] += bool(same)
        if not same:
            tally.faults.append(f"{done}: {status}: {why}\n{data.decode(errors='replace')}")
    return tally
