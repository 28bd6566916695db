"""The command ``dispute``: settle the disputes of a file, each number by a computation that is shown."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grpocheck.verifier.disputes.askable import KINDS
from grpocheck.verifier.disputes.kinds import Command
from grpocheck.verifier.disputes.lines import Verdict
from grpocheck.verifier.disputes.public import Dispute, file_name, in_words, read_cases, sections, settle, status_of
from grpocheck.verifier.failures import BadOption, emit
from grpocheck.verifier.files import check_folder, check_writable, in_file, write_text
from grpocheck.verifier.tables import drawn, table
from rich.console import RenderableType
from rich.text import Text


@dataclass(frozen=True)
class DisputeRequest:
    """What was asked of ``dispute``."""

    cases: Path | None
    files: Path | None = None
    page: Path | None = None
    kinds: bool = False
    json: bool = False


def dispute(request: DisputeRequest) -> int:
    """Settle the cases and print what came out; 0 settled, 1 a number differs, 3 one stays open."""
    if request.kinds:
        kinds = [{"kind": kind.name, "needs": kind.needed} for kind in KINDS]
        emit(json.dumps({"kinds": kinds}, indent=2) if request.json else drawn(kinds_parts()))
        return 0
    if request.cases is None:
        raise BadOption("CASES", None, "none are given", "a JSON file of cases (--kinds lists what they can be of)")
    if request.page is not None:
        check_writable("--page", request.page, "a page of disputes", request.cases)
    if request.files is not None:
        check_folder("--files", request.files)
    with in_file(request.cases):
        disputes = [settle(case) for case in read_cases(request.cases)]
    folder = "." if request.files is None else request.files.as_posix()
    if request.files is not None:
        for found in disputes:
            for name, text in found.files.items():
                write_text(request.files / file_name(found.case, name), text)
    if request.page is not None:
        settled = f"{sum(found.settled for found in disputes)} of {len(disputes)} settled."
        write_text(request.page, "\n".join(["# Disputes", "", settled, *sections(disputes, folder), ""]))
    if request.json:
        emit(json.dumps({"disputes": [mapping(d, folder) for d in disputes]}, indent=2, ensure_ascii=False))
    else:
        emit(drawn(part for found in disputes for part in parts(found, folder)))
    return status_of(disputes)


def kinds_parts() -> list[RenderableType]:
    """The kinds of input, and the names that each needs."""
    shown = table("kind of input", "what it needs")
    for kind in KINDS:
        shown.add_row(kind.name, kind.needed)
    return [shown]


def how(found: Dispute, place: str, folder: str) -> str:
    """The command or the formula of a line."""
    if not found.commands:
        return place or "-"
    command = found.commands[int(place) - 1]
    return Command(command.variant, file_name(found.case, command.file), command.parts, command.options).shown(folder)


def mapping(found: Dispute, folder: str) -> dict[str, Any]:
    """A dispute for programs."""
    return {
        "id": found.case["id"],
        "verdict": found.word,
        "numbers": [
            {
                "side": line.side,
                "name": line.name,
                "stated": line.stated,
                "found": line.found,
                "verdict": line.verdict.value,
                "by": how(found, line.how, folder),
                "note": line.note,
            }
            for line in found.lines
        ],
    }


def parts(found: Dispute, folder: str) -> Sequence[RenderableType]:
    """A dispute for people: its numbers, then the computation of each and what is to be said of it."""
    shown = table("", "number", "the case", "this run", "")
    below = []
    for place, line in enumerate(found.lines, start=1):
        value = "-" if line.found is None and line.verdict is Verdict.UNDECIDED else in_words(line.found)
        shown.add_row(f"{place} {line.side}", line.name, in_words(line.stated), value, line.verdict.value)
        below.append(f"{place} {how(found, line.how, folder)}" + (f"\n  {line.note}" if line.note else ""))
    title = f"{found.case['id']} {found.word}: {found.case.get('topic', '')}"
    return [Text(title), shown, Text("\n".join(below)), Text("")]
