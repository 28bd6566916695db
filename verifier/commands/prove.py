"""The command ``prove``: the verdict on a property, or the shelf of ready ones."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path
from typing import Any

from grpocheck.contracts.claims import GROUNDWORK, REGISTRY
from grpocheck.contracts.clauses import ENABLED
from grpocheck.core.problem import Problem
from grpocheck.verifier.failures import BAD_INPUT, REFUTED, UNDECIDED, BadOption, emit, say
from grpocheck.verifier.files import check_writable, problem_at, write_text
from grpocheck.verifier.printing import printable
from grpocheck.verifier.progress import progress_bar
from grpocheck.verifier.properties import SHELF, PropertyError, Result, Scope, Shelved, Verdict, check_in_process
from grpocheck.verifier.tables import abbreviated, drawn, table
from rich.text import Text

EXIT = {Verdict.HOLDS: 0, Verdict.REFUTED: REFUTED, Verdict.UNDECIDED: UNDECIDED}


@dataclass(frozen=True)
class ProveRequest:
    """What was asked of ``prove``."""

    stated: str
    problem: Path | None
    scope: str | None = None
    budget: float = 60.0
    out: Path | None = None
    json: bool = False


def prove(request: ProveRequest) -> int:
    """Print the verdict on a property; 0 holds, 1 refuted, 3 undecided."""
    shelved = shelved_named(request.stated)
    if request.scope is not None and request.scope not in list(Scope):
        raise BadOption("--scope", request.scope, "there is no such scope", f"one of {', '.join(Scope)}")
    if shelved is None and isfile(request.stated):
        meant = f"'{request.problem or 'F_next >= F'}' {request.stated}"
        raise BadOption("PROPERTY", request.stated, "it is a file", f"the property before it: grpocheck prove {meant}")
    if not request.stated:
        expected = "'F_next >= F' mine.toml, or a name on the shelf (--shelf lists it)"
        raise BadOption("PROPERTY", None, "none is given", f"one and a problem file, such as {expected}")
    if request.problem is None and shelved is None:
        raise BadOption(
            "PROBLEM", None, "none is given, and no property of the shelf is named",
            f"a problem file, or one of the shelf: {', '.join(SHELF)}",
        )  # fmt: skip
    if request.out is not None:
        check_writable("--out", request.out, "a counterexample", request.problem)
    path = str(request.problem)
    problem = shelved.problem if request.problem is None and shelved is not None else problem_at(Path(path))
    text = request.stated if shelved is None else shelved.property
    own = shelved.scope if shelved is not None and request.problem is None else Scope.RUN
    try:
        result = watched(text, problem, request.scope or own, request.budget)
    except PropertyError as error:
        say(f"grpocheck: {error}")
        return BAD_INPUT
    if request.out is not None and result.counterexample is not None:
        write_text(request.out, result.counterexample)
    if request.json:
        emit(json.dumps(result.to_mapping(), indent=2, ensure_ascii=False))
    else:
        emit("\n".join([*verdict_lines(result), *counterexample_lines(result, request.out)]))
    return EXIT[result.verdict]


def shelved_named(stated: str) -> Shelved | None:
    """The entry of the shelf of that name, or None for a property; BadOption for another claim or a name's capitals."""
    name, claim = stated.strip().upper(), {**REGISTRY, **GROUNDWORK}.get(stated.strip().upper())
    near = [entry for entry in SHELF if stated not in SHELF and entry.upper() == name]
    if near:
        raise BadOption("PROPERTY", stated, "no property of the shelf has that name", f"{near[0]} (did you mean that?)")
    if stated in SHELF or claim is None:
        return SHELF.get(stated)
    parts = [entry.name for entry in SHELF.values() if entry.claim == claim.id]
    expected = f"one of its properties on the shelf ({', '.join(parts)})" if parts else "a property"
    evidence = f"{expected}; grpocheck verify {claim.id} gives the claim's evidence"
    raise BadOption("PROPERTY", stated, f"{claim.id} is a claim and no property", evidence)


def watched(text: str, problem: Problem, scope: str, budget: float) -> Result:
    """The check in a process of its own, with a bar where a person looks at it."""
    with progress_bar("cases", 0) as advance:
        done = [0]

        def told(now: int, total: int) -> None:
            advance(now - done[0])
            done[0] = now

        return check_in_process(text, problem, scope, budget, told)


def verdict_lines(result: Result) -> Iterator[str]:
    """The verdict for people."""
    how = "" if result.method == "none" else f" (by {result.method})"
    yield f"{result.verdict}{' for having no value there' if result.undefined else ''}{how}: {result.property}"
    yield f"  for       {result.scope_text or result.scope}"
    yield f"  cases     {result.cases}" + ("" if result.stands_for is None else f", standing for {result.stands_for}")
    if result.at is not None:
        yield f"  at        {result.at}"
    for name, value in result.values.items():
        yield f"  value     {name} = {abbreviated(value)}"
    if result.verdict is Verdict.UNDECIDED or result.undefined:
        yield f"  because   {result.reason}"
    elif result.verdict is Verdict.HOLDS and result.reason:
        yield f"  but       {result.reason}"
    contracts = "on" if result.contracts else "off" if not ENABLED else "off, as in every search of a shape"
    yield f"  took      {result.seconds:.1f} s, contracts {contracts}"


def counterexample_lines(result: Result, out: Path | None) -> list[str]:
    """The counterexample, or where it was written."""
    if result.counterexample is None:
        return []
    if out is None:
        return ["", result.counterexample.rstrip("\n")]
    return [f"  written   {printable(out)} (grpocheck run {printable(out)})"]


def show_shelf(as_json: bool) -> int:
    """Print the shelf; 0."""
    if as_json:
        emit(json.dumps([shelf_mapping(entry) for entry in SHELF.values()], indent=2, ensure_ascii=False))
        return 0
    emit(drawn([shelf_table(), Text(""), Text("grpocheck prove NAME checks one on its own problem.")]))
    return 0


def shelf_table() -> Any:
    """The shelf as a table."""
    rows = table("name", "property", "scope", "verdict", "reference")
    for entry in SHELF.values():
        rows.add_row(entry.name, f"{entry.title}: {entry.property}", entry.scope, entry.verdict, entry.reference)
    return rows


def shelf_mapping(entry: Shelved) -> dict[str, Any]:
    """An entry of the shelf for programs."""
    return {
        "name": entry.name,
        "claim": entry.claim,
        "title": entry.title,
        "property": entry.property,
        "problem": entry.problem_text,
        "scope": entry.scope.value,
        "verdict": entry.verdict.value,
        "reference": entry.reference,
    }
