"""What ``check`` runs: the checker that stands alone, and where asked, the model that is extracted from the proofs."""

import json
import re
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grpocheck.core import InvalidProblem
from grpocheck.core.reading import problem_from_mapping
from grpocheck.core.trace import read_trace
from grpocheck.core.trace_errors import TraceError
from grpocheck.proofs.coq_session import BUILDS, ENABLE, SOURCES, CoqFailure, Development, missing_tools
from grpocheck.proofs.extraction.model import ModelFailure
from grpocheck.proofs.extraction.runs import LEDGER
from grpocheck.proofs.extraction.traces import NotComparable, Opinion, opinion
from grpocheck.verifier import check
from grpocheck.verifier.failures import REFUTED, UNDECIDED, emit, say
from grpocheck.verifier.printing import printable

WORDS = ("right", "WRONG", "no whole trace", "undecided")
"""How the checker calls its exit statuses."""

SECONDS = 900.0
PLACE = re.compile(r"line (\d+): ")

PROTOCOL = {"t", "k", "i", "prompt", "status", *LEDGER} - {"draws"}
"""Fields that the checker and the model both derive, whatever the numbers are."""

UPDATED = {"theta_old", "proposal"}
"""And those that they both derive where the numbers are rational."""


@dataclass(frozen=True)
class Found:
    """A verdict on a trace: its exit status, the line where it stopped, and the words."""

    status: int
    line: int | None
    reason: str

    def text(self) -> str:
        """The verdict in one line."""
        return f"{WORDS[self.status]}: {'' if self.line is None else f'line {self.line}: '}{self.reason}"


def checked(trace: Path) -> Found:
    """What the checker that stands alone finds, run as a program of its own."""
    command = [sys.executable, "-I", "-S", check.__file__, str(trace)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if not done.stdout:
        raise RuntimeError(f"the checker ended with {done.returncode}: {done.stderr.strip()[-300:]}")
    verdict = f": {WORDS[done.returncode]}: "
    said = done.stdout.rstrip("\n").split(verdict, printable(trace).count(verdict) + 1)[-1]
    place = PLACE.match(said)
    return Found(done.returncode, int(place[1]), said[place.end() :]) if place else Found(done.returncode, None, said)


def header(trace: Path, found: Found) -> Found:
    """The verdict, unless the problem in the trace's header is none.

    The reader of problem files knows more of what a problem may not say, with or without effect on the run.
    """
    if found.status in (0, 3):
        try:
            problem_from_mapping(next(read_trace(trace))[1]["problem"])
        except (InvalidProblem, TraceError) as error:
            return Found(REFUTED, 1, f"problem: {error}")
    return found


def asked_model(trace: Path) -> Opinion | str:
    """What the extracted model finds, or why it was not asked."""
    missing = missing_tools()
    if missing:
        return f"not installed: {', '.join(missing)} ({ENABLE})"
    say("grpocheck: asking the model; the first time it is compiled from the proofs, which takes a minute or so")
    development = Development(SOURCES, BUILDS)
    try:
        development.build(SECONDS)
        return opinion(trace, development.folder, SECONDS)
    except (CoqFailure, ModelFailure, NotComparable, TraceError, subprocess.TimeoutExpired) as failure:
        return str(failure)


def disagreement(found: Found, model: Opinion, lines: int) -> str:
    """Why the checker and the model cannot both be right of a trace of so many lines; the empty text where they can.

    The positions t and k in the last line are those of the steps that the outcome repeats, which the model has not.
    """
    if found.status == 0 and model.line is not None:
        return f"the checker finds the trace right, the model finds line {model.line} wrong"
    field = found.reason.partition(":")[0]
    if found.line == lines and field in ("t", "k"):
        return ""
    if found.status == REFUTED and model.line is None and field in PROTOCOL | (UPDATED if model.numbers else set()):
        return f"the checker finds {field} on line {found.line} wrong, the model finds the trace right"
    return ""


def check_trace(trace: Path, json_wanted: bool, with_model: bool) -> int:
    """Print the verdict on a trace; returns the exit status.

    Where the model was asked, it has to agree (a disagreement is a defect of one of the two, status 1); it refutes a
    trace that the checker leaves undecided; and a trace that it was to see and could not is undecided.
    """
    found = header(trace, checked(trace))
    answer: dict[str, Any] = {"trace": str(trace), "verdict": WORDS[found.status].lower(), **asdict(found)}
    status, lines = found.status, [f"{printable(trace)}: {found.text()}"]
    if with_model and status != 2:
        model = asked_model(trace)
        if isinstance(model, str):
            status = status or UNDECIDED
            lines.append(f"model: not asked: {model}")
            answer["model"] = {"verdict": "not asked", "reason": model}
        else:
            wrong = model.line is not None
            with trace.open("rb") as stream:
                split = disagreement(found, model, sum(1 for _ in stream))
            status = REFUTED if wrong or split else status
            same = f"right: it has the same {model.events} events"
            lines.append(f"model: WRONG: line {model.line}: {model.reason}" if wrong else f"model: {same}")
            answer["model"] = {"verdict": "wrong" if wrong else "right", **asdict(model)}
            if split:
                lines.append(f"DISAGREEMENT: {split}: one of the two has a defect, please report it")
                answer["disagreement"] = split
        answer["verdict"] = "disagreement" if "disagreement" in answer else WORDS[status].lower()
        answer["status"] = status
    emit(json.dumps(answer, indent=1) if json_wanted else "\n".join(lines))
    return status
