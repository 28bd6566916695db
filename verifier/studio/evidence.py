"""The evidence page: every claim with what is known of it, from verify.json, and the text of each proof and check."""

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module, resources
from pathlib import Path
from typing import Any

from grpocheck.contracts.claims import REGISTRY, Claim, Kind
from grpocheck.core.invalid import InvalidProblem, shown
from grpocheck.core.values import known_keys
from grpocheck.proofs.cited import Theorem, read_registry
from grpocheck.proofs.evidence import discover
from grpocheck.proofs.symbolic.harness import Harness, all_harnesses
from grpocheck.verifier.commands.claims import requirements
from grpocheck.verifier.studio import examples

MOST_REPORT = 30_000_000
"""Bytes of a report that is read."""


def page(report: str) -> dict[str, Any]:
    """Every claim and non-claim; ``report`` is the path of verify.json, which may not be there."""
    found, trouble = read_report(Path(report))
    rows = {entry["id"]: entry for entry in [*found.get("claims", []), *found.get("non_claims", [])]}
    names = list(examples.texts())
    return {
        "report": report if found else None,
        "trouble": trouble,
        "version": found.get("grpocheck"),
        "ok": found.get("ok"),
        "not_run": found.get("not_run", []),
        "claims": [claim_entry(entry, rows.get(entry.id, {}), names) for entry in REGISTRY.values()],
    }


def read_report(path: Path) -> tuple[dict[str, Any], str | None]:
    """A report, or an empty one and why there is none."""
    if not path.is_file():
        return {}, f"There is no {path.name} here: grpocheck verify gathers the evidence and writes it."
    if path.stat().st_size > MOST_REPORT:
        return {}, f"{path.name}: larger than a report can be."
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        return {}, f"{path.name}: {error}: expected the report of grpocheck verify."
    if not isinstance(found, dict) or not all(
        are_rows(found.get(key))
        and all(isinstance(row.get("id"), str) and are_rows(row.get("evidence", [])) for row in found[key])
        for key in ("claims", "non_claims")
    ) or not are_rows(found.get("not_run", [])):
        return {}, f"{path.name}: {shown(found)}: expected the report of grpocheck verify."
    return found, None


def are_rows(found: object) -> bool:
    """Whether this is a list of mappings."""
    return isinstance(found, list) and all(isinstance(row, dict) for row in found)


def claim_entry(claim: Claim, row: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    """A claim: its statement, what the registry requires, what the report found, and the texts behind it."""
    witness = re.compile(rf"{claim.id.lower()}[a-z]?_")
    return {
        "id": claim.id,
        "statement": claim.statement,
        "seed": claim.seed,
        "promised": claim.promised,
        "requires": requirements(claim),
        "status": row.get("status"),
        "strongest": row.get("strongest"),
        "found": [
            {key: entry.get(key) for key in ("kind", "status", "scope", "name", "seconds", "command", "detail")}
            for entry in row.get("evidence", [])
        ],
        "texts": [{"kind": kind, "name": name, "says": says} for kind, name, says in strongest_first(claim.id)],
        "witnesses": [name for name in names if witness.match(name)] if not claim.promised else [],
    }


@cache
def harnesses() -> dict[str, Harness]:
    """The symbolic harnesses by name."""
    return {entry.name: entry for entry in all_harnesses()}


@cache
def theorems() -> dict[str, Theorem]:
    """The theorems that Coq's kernel checks, by name."""
    return {entry.name: entry for entry in read_registry().theorems}


def texts_of(claim: str) -> Iterator[tuple[str, str, str]]:
    """The proofs and checks that speak for a claim: kind, name, and what each is about."""
    for theorem in theorems().values():
        if claim in theorem.claims:
            yield "proof", theorem.name, f"rests on {theorem.rests_on}"
    for harness in harnesses().values():
        said = [text for text in harness.postconditions if re.match(rf"(\w+, )*{claim}\b[^:]*:", text)]
        if said:
            yield "symbolic", harness.name, harness.size
    for entry in discover():
        if claim in entry.claims and entry.kind.value != "proof":
            yield entry.kind.value, entry.name, entry.scope


def strongest_first(claim: str) -> list[tuple[str, str, str]]:
    """The proofs and checks of a claim, by the ladder of evidence."""
    return sorted(texts_of(claim), key=lambda text: -Kind(text[0]).strength)


def source(name: object) -> dict[str, str]:
    """The text of a theorem with its proof, of a harness or of a check, by a name that the page lists."""
    if not isinstance(name, str) or len(name) > 200:
        raise InvalidProblem("name", name, "the name of a proof or a check")
    if name in theorems():
        return {"name": name, "text": theorem_text(theorems()[name])}
    checks = {entry.name for entry in discover()} | set(harnesses())
    if name not in checks:
        raise InvalidProblem("name", name, known_keys(name, [*theorems(), *sorted(checks)]))
    module, _, function = name.partition(":")
    member: Any = inspect.unwrap(getattr(import_module(module), function))
    return {"name": name, "text": inspect.getsource(member)}


def theorem_text(theorem: Theorem) -> str:
    """What Coq says the theorem states, and its proof from the development."""
    file, name = f"{theorem.module}.v", theorem.name.partition(".")[2]
    development = resources.files("grpocheck.proofs").joinpath("coq", file).read_text(encoding="utf-8")
    words = "Theorem|Lemma|Corollary|Proposition"
    found = re.search(rf"^({words}) {re.escape(name)}\b.*?^(Qed|Defined)\.", development, re.MULTILINE | re.DOTALL)
    proof = found[0] if found is not None else f"(its proof is in {file})"
    return f"(* What it states, as Coq prints it: *)\n\n{theorem.statement}\n\n(* In {file}: *)\n\n{proof}\n"
