"""What is fuzzed: each target takes bytes and ends in nothing but an answer or one of the errors that are for people.

A target that raises anything else, or that runs for longer than SECONDS, has found a fault.
"""

import io
import json
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

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
from grpocheck.verifier.audit.page import page
from grpocheck.verifier.audit.report import to_lines, to_mapping, to_sarif
from grpocheck.verifier.audit.settings import read_settings
from grpocheck.verifier.check import check
from grpocheck.verifier.commands.dispute import mapping
from grpocheck.verifier.conform.wanted import numbers_of, variant_called
from grpocheck.verifier.disputes.public import read_cases, sections, settle
from grpocheck.verifier.failures import BadOption, exit_status_of
from grpocheck.verifier.properties import PropertyError, parse
from grpocheck.verifier.repl.session import Session
from grpocheck.verifier.studio.answers import QUESTIONS, answer
from grpocheck.verifier.studio.server import Handler

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
            assert json.dumps(to_sarif(report))
            assert page(report).encode()
            assert "\n".join(to_lines(report))
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


def cases(data: bytes) -> None:
    """A file of disputes is settled as far as it goes, or refused."""
    try:
        disputes = [settle(case) for case in read_cases(written(data, "cases.json"))]
    except Exception as error:
        if exit_status_of(error) is None:
            raise
        said(error)
        return
    for found in disputes:
        assert json.dumps(mapping(found, "."))
    assert "".join(sections(disputes, ".")).encode()


def options(data: bytes) -> None:
    """The numbers and the variant of ``conform``, a line each, are understood or refused."""
    epsilon, beta, name, *parts = [*data.decode("utf-8", "replace").split("\n"), "", "", ""]
    try:
        numbers_of(epsilon or None, beta or None)
        variant_called(name or "grpo", [part for part in parts if part])
    except (InvalidProblem, BadOption) as error:
        said(error)


SLOW = ("check", "evidence", "source", "lesson", "lessons", "exercise")
"""Questions that start a process, or tell a lesson."""


def question(data: bytes) -> None:
    """A question to the studio, its name in the first line and its request in JSON below, has an answer."""
    name, _, body = data.partition(b"\n")
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        return
    asked = name.decode("utf-8", "replace")
    if not isinstance(request, dict) or asked in SLOW:
        return
    found = answer(asked, request)
    assert json.dumps(found)
    assert asked in QUESTIONS or found["error"]["kind"] == "question"
    assert not ("error" in found and found["error"]["kind"] == "defect"), found


class Page:
    """The studio that a connection belongs to: it gives every question back."""

    port = 80

    def answer(self, question: str, body: dict[str, Any]) -> dict[str, Any]:
        """What was asked."""
        return {"question": question, **body}


def connection(data: bytes) -> None:
    """Bytes on a connection to the studio, then nothing more: it is answered or ended, in silence."""
    ours, its = socket.socketpair()
    with ours, its:
        ours.settimeout(SECONDS)
        ours.sendall(data[:60_000])
        ours.shutdown(socket.SHUT_WR)
        reader = threading.Thread(target=read_on, args=(ours,))
        reader.start()
        Handler(its, ("127.0.0.1", 1), Page())  # type: ignore[arg-type]
        its.close()
        reader.join()


def read_on(connection: socket.socket) -> None:
    """Take what comes until nothing does."""
    while connection.recv(1 << 16):
        pass


def conversation(data: bytes) -> None:
    """Lines to the repl: each ends in an answer or in one line that begins with error."""
    out = io.StringIO()
    session = Session(io.StringIO(), out)
    session.onecmd(f"load {Path(__file__).parents[2] / 'examples' / 'zero_variance.toml'}")
    for line in data.decode("utf-8", "surrogateescape").splitlines()[:20]:
        if line.split()[:1] and line.split()[0] not in ("save", "prove", "load"):
            before = len(out.getvalue())
            session.failed = False
            session.onecmd(line)
            assert session.failed == out.getvalue()[before:].startswith("error: ")


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
    "cases": cases,
    "options": options,
    "question": question,
    "connection": connection,
    "conversation": conversation,
}
