"""The commands ``claims`` and ``explain``."""

import json
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from grpocheck.contracts.claims import GROUNDWORK, REGISTRY, Claim
from grpocheck.core.variants.formulas import formula
from grpocheck.core.variants.registry import ALIASES, NAMED, folded
from grpocheck.proofs.non_claims.stored import stored_against
from grpocheck.proofs.shipped import examples
from grpocheck.verifier.audit.rules import RULES
from grpocheck.verifier.failures import BadOption, emit
from grpocheck.verifier.glossary import BY_WORD, ENTRIES
from grpocheck.verifier.tables import drawn, table, width
from rich.text import Text

MIN_STATEMENT = 24
"""Columns that a statement keeps beside file names that are not broken; where there are fewer, the names are."""


def list_claims(as_json: bool) -> int:
    """Print every claim and non-claim with the evidence that the registry says it has."""
    if as_json:
        emit(json.dumps([claim_mapping(entry) for entry in REGISTRY.values()], indent=2, ensure_ascii=False))
        return 0
    promised = table("claim", "what must hold", "evidence it is known to have")
    refuted = table("non-claim", "what is not promised", "refuted by")
    for entry in REGISTRY.values():
        if entry.promised:
            promised.add_row(entry.id, entry.statement, requirements(entry))
        else:
            refuted.add_row(entry.id, entry.statement, "\n".join(shown_files(entry.id)) or requirements(entry))
    groundwork = table("groundwork", "what the claims rest on", "evidence")
    for entry in GROUNDWORK.values():
        groundwork.add_row(entry.id, entry.statement, requirements(entry))
    for each in (promised, refuted, groundwork):
        each.columns[0].no_wrap = True
    longest = max(len(line) for cell in refuted.columns[2].cells for line in str(cell).split("\n"))
    refuted.columns[2].no_wrap = width() >= len("non-claim") + MIN_STATEMENT + longest + 2 * len("   ")
    where = [] if not examples().is_absolute() else [Text(""), Text(f"examples/ is {examples()}")]
    emit(drawn([promised, Text(""), refuted, *where, Text(""), groundwork]))
    return 0


def shown_files(claim: str) -> list[str]:
    """The files with the witnesses against a non-claim, from examples/ on wherever that folder is."""
    folder = examples()
    return [
        str(Path("examples", Path(file).relative_to(folder))) if Path(file).is_relative_to(folder) else file
        for file in stored_against(claim)
    ]


def claim_mapping(entry: Claim) -> dict[str, Any]:
    """A registry entry for programs."""
    return {
        "id": entry.id,
        "statement": entry.statement,
        "seed": entry.seed,
        "promised": entry.promised,
        "requires": {kind.value: count for kind, count in entry.requires.items()},
        **({} if entry.promised else {"witnesses": list(stored_against(entry.id))}),
    }


def requirements(entry: Claim) -> str:
    """The required evidence in words: ``enumeration 2, contract 5``."""
    strongest_first = sorted(entry.requires.items(), key=lambda item: -item[0].strength)
    return ", ".join(f"{kind} {count}" for kind, count in strongest_first) or "none yet"


def explain(word: str, as_json: bool) -> int:
    """Print what a word means: a claim's, the glossary's, a variant's, a rule's of the audit; BadOption for no word."""
    claim = {**REGISTRY, **GROUNDWORK}.get(word.upper())
    mapping = explained_claim(claim) if claim is not None else explained_word(word)
    if as_json:
        emit(json.dumps(mapping, indent=2, ensure_ascii=False))
        return 0
    parts = [Text(f"{mapping['word']} ({mapping['sort']})", style="bold"), Text(mapping["meaning"]), Text("")]
    parts.append(Text(f"stated in   {mapping['stated']}"))
    for line in mapping.get("contracts", []):
        parts.append(Text(f"contract    {line}"))
    for line in mapping.get("evidence", []):
        parts.append(Text(f"evidence    {line}"))
    emit(drawn(parts))
    return 0


def explained_word(word: str) -> dict[str, Any]:
    """A word of the glossary, a rule of the audit, or a named variant."""
    entry = BY_WORD.get(word.lower())
    if entry is not None:
        return {"word": entry.word, "sort": entry.sort, "meaning": entry.meaning, "stated": entry.stated}
    rule = RULES.get(word.lower())
    if rule is not None:
        offended = f", claim {rule.claim}" if rule.claim else ""
        meaning = f"{rule.says[0].upper()}{rule.says[1:]}. What to do: {rule.advice}."
        sort, stated = f"rule of the audit, {rule.severity}", f"docs/audit.md{offended}"
        return {"word": rule.name, "sort": sort, "meaning": meaning, "stated": stated}
    variant = NAMED.get(folded(word))
    if variant is not None:
        stated = f"{variant.source}; docs/methods.md"
        return {"word": variant.name, "sort": "variant", "meaning": formula(variant), "stated": stated}
    known = [*REGISTRY, *GROUNDWORK, *(entry.word for entry in ENTRIES)]
    near = get_close_matches(word.lower(), [name.lower() for name in (*known, *RULES, *NAMED, *ALIASES)], n=1)
    if near:
        raise BadOption("WORD", word, "it is not in the glossary", f"{near[0]} (did you mean that?)")
    others = "a variant (grpocheck estimator --methods) or a rule (grpocheck audit --rules)"
    raise BadOption("WORD", word, "it is not in the glossary", f"one of {', '.join(known)}, {others}")


def sort_of(claim: Claim) -> str:
    """Claim, non-claim or groundwork, in words."""
    if claim.id in GROUNDWORK:
        return "groundwork: what the claims rest on"
    return "claim" if claim.promised else "non-claim: not promised, to be refuted"


def explained_claim(claim: Claim) -> dict[str, Any]:
    """A claim with the contracts of core that state it and the evidence declared for it."""
    from grpocheck.contracts.observation import clauses_of
    from grpocheck.proofs.evidence import discover

    clauses = {clause for clause, _ in clauses_of("grpocheck.core") if claim.id in clause.claims}
    return {
        "word": claim.id,
        "sort": sort_of(claim),
        "meaning": claim.statement,
        "stated": f"grpocheck.contracts.claims, from {claim.seed} (a text that docs/specification.md restates); "
        f"known evidence: {requirements(claim)}",
        "contracts": sorted(f"{clause.subject}: {clause.description}" for clause in clauses),
        "evidence": [
            f"{entry.kind}: {entry.scope} ({entry.name})" for entry in discover() if claim.id in entry.claims
        ],
    }
