"""What is fuzzed: each target takes bytes and ends in nothing but an answer or one of the errors that are for people.

A target that raises anything else, or that runs for longer than SECONDS, has found a fault.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from grpocheck.core import InvalidProblem, read_problem
from grpocheck.core.arithmetic.decimals import LONGEST
from grpocheck.core.arithmetic.notation import exact_text, parse_exact
from grpocheck.core.replaying import replay
from grpocheck.core.trace_errors import TraceError, TraceMismatch
from grpocheck.core.training_free.reading import read_task
from grpocheck.core.violations import SupplyViolation
from grpocheck.core.writing import problem_to_toml
from grpocheck.verifier.audit.auditing import audit
from grpocheck.verifier.audit.discovery import runs_of
from grpocheck.verifier.audit.report import to_lines, to_mapping
from grpocheck.verifier.audit.settings import read_settings
from grpocheck.verifier.check import check
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.properties import PropertyError, parse

from tests.check.corruption import change

SECONDS = 20.0
SMALL = 4096  # a trace of a problem larger than this is not run again


def said(error: Exception) -> None:
    """An error for people has words."""
    if not str(error).strip():
        raise AssertionError(f"{type(error).__name__} without words")


def written(data: bytes, name: str) -> Path:
    """The bytes as a file."""
    path = Path(tempfile.gettempdir()) / f"grpocheck-fuzz-{os.getpid()}" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path


def problem(data: bytes) -> None:
    """A problem file is read, and written again as the same problem; or it is refused."""
    path = written(data, "problem.toml")
    try:
        read = read_problem(path)
    except InvalidProblem as error:
        said(error)
        return
    path.write_text(problem_to_toml(read), encoding="utf-8")
    assert read_problem(path) == read


def number(data: bytes) -> None:
    """A text is an exact number, whose own text is the same number; or it is refused."""
    try:
        value = parse_exact(data.decode("utf-8", "surrogateescape"))
    except ValueError:
        return
    text = exact_text(value)
    assert len(text) > LONGEST or parse_exact(text) == value


def trace(data: bytes) -> None:
    """A trace is replayed and checked, and the two agree where both decide; or it is refused."""
    path = written(data, "trace.jsonl")
    status, why = check(str(path))
    assert status in (0, 1, 2, 3)
    assert why
    if len(data) > SMALL:
        return
    try:
        replay(path)
        replayed = True
    except (TraceError, TraceMismatch, SupplyViolation, ArithmeticError, InvalidProblem) as error:
        said(error)
        replayed = False
    assert not (replayed and status == 1)


def property_text(data: bytes) -> None:
    """A text is a property, or an error that points at a column."""
    text = data.decode("utf-8", "replace")
    try:
        parse(text)
    except PropertyError as error:
        said(error)
        if not 1 <= error.column <= len(text) + 1:
            raise AssertionError(f"column {error.column} of {len(text)}") from None


def task(data: bytes) -> None:
    """A training-free task is read, or refused."""
    try:
        read_task(written(data, "task.toml"))
    except InvalidProblem as error:
        said(error)


def log(name: str, beside: str = "") -> Callable[[bytes], None]:
    """The target of one log format: this file (and a right one beside it) is read to its end, or refused."""

    def target(data: bytes) -> None:
        path = written(data, name)
        if beside:
            shutil.copy(Path(__file__).with_name(beside), path.with_name(beside))
        try:
            report = audit(runs_of([path], None))
            assert json.dumps(to_mapping(report))
            assert to_lines(report)
        except (InvalidProblem, BadOption) as error:
            said(error)

    return target


def settings(data: bytes) -> None:
    """A trainer's settings are read, or refused."""
    try:
        read_settings(written(data, "settings.json"))
    except (InvalidProblem, BadOption) as error:
        said(error)


def twist(data: bytes) -> None:
    """A kept trace, corrupted a few times as the bytes say: replay and the checker end in a verdict, and not in two."""
    random = Random(data)
    kept = sorted(Path(__file__).with_name("corpus").joinpath("trace").iterdir())
    changed = random.choice(kept).read_bytes()
    for _ in range(random.randint(1, 4)):
        try:
            events = [json.loads(line) for line in changed.decode().splitlines()]
            changed = change(events, random)[1]
        except (IndexError, TypeError, ValueError, KeyError, AttributeError):
            break  # nothing is left that could be changed
    trace(changed)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "problem": problem,
    "number": number,
    "trace": trace,
    "property": property_text,
    "task": task,
    "groups": log("run.jsonl"),
    "parquet": log("completions_00001.parquet"),
    "arrays": log("call_000.npz", "call_000.json"),
    "state": log("trainer_state.json"),
    "rollouts": log("1.jsonl"),
    "settings": settings,
    "twist": twist,
}
