"""A report as JSON, as SARIF 2.1.0 and as text for people."""

from collections.abc import Iterable, Mapping
from typing import Any

from grpocheck import __version__
from grpocheck.verifier.audit.auditing import Audit
from grpocheck.verifier.audit.findings import Finding, Observation, Severity, counted
from grpocheck.verifier.audit.rule import Rule
from grpocheck.verifier.audit.rules import RULES
from grpocheck.verifier.printing import printable

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def to_mapping(audit: Audit) -> dict[str, Any]:
    """The report as ``--json`` prints it."""
    return {
        "findings": [finding_mapping(finding) for finding in audit.findings],
        "inferred": audit.inferred,
        "read": {"runs": audit.runs, "files": audit.files, "loss_calls": audit.calls, "tokens": audit.tokens},
        "ok": audit.ok,
    }


def finding_mapping(finding: Finding) -> dict[str, Any]:
    """A finding: its first occurrence, how many there are, the worst of them, and a few more."""
    rule, first = RULES[finding.rule], finding.first
    return {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "run": finding.run,
        "where": first.where.to_mapping(),
        "what": first.what,
        "expected": first.expected,
        "found": first.found,
        "distance": first.far or None,
        "count": finding.count,
        "worst": observation_mapping(finding.worst),
        "examples": [observation_mapping(example) for example in finding.examples],
        "places": [{**where.to_mapping(), "count": count} for where, count in finding.places.items()],
        "unplaced": finding.unplaced,
        "claim": rule.claim,
        "advice": finding.advice,
    }


def observation_mapping(observation: Observation) -> dict[str, Any]:
    """One occurrence."""
    return {
        "where": observation.where.to_mapping(),
        "expected": observation.expected,
        "found": observation.found,
        "distance": observation.far or None,
        **({"detail": dict(observation.detail)} if observation.detail else {}),
    }


def to_sarif(audit: Audit) -> dict[str, Any]:
    """The report as SARIF 2.1.0; its lines are those of JSON Lines, and of a table its rows counted from 1."""
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "grpocheck",
                        "version": __version__,
                        "rules": [sarif_rule(rule) for rule in RULES.values()],
                    }
                },
                "results": [sarif_result(finding) for finding in audit.findings],
                "properties": {"inferred": audit.inferred},
            }
        ],
    }


def sarif_rule(rule: Rule) -> dict[str, Any]:
    """A rule of the registry."""
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.says},
        "help": {"text": rule.advice},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        **({"properties": {"claim": rule.claim}} if rule.claim else {}),
    }


def sarif_result(finding: Finding) -> dict[str, Any]:
    """A finding, at its first place."""
    where = finding.first.where
    place: dict[str, Any] = {"artifactLocation": {"uri": where.file.replace("\\", "/")}}
    if where.row is not None:
        place["region"] = {"startLine": where.row + 1}
    return {
        "ruleId": finding.rule,
        "ruleIndex": list(RULES).index(finding.rule),
        "level": LEVELS[finding.severity],
        "message": {"text": sentence(finding)},
        "locations": [{"physicalLocation": place}],
        "occurrenceCount": finding.count,
    }


def sentence(finding: Finding) -> str:
    """A finding in a sentence: what, what was expected, what was found, and what to do."""
    first = finding.first
    return f"{first.what}. Expected {first.expected}; found {first.found}. {finding.advice.capitalize()}."


def conclusion(audit: Audit) -> str:
    """What came out, in one line."""
    counts = {severity: sum(finding.severity is severity for finding in audit.findings) for severity in Severity}
    said = [counted(count, severity.value) for severity, count in counts.items() if count]
    read = [counted(audit.files, "file")]
    if audit.calls:
        read += [counted(audit.calls, "loss call"), counted(audit.tokens, "token")]
    return f"{', '.join(said) if said else 'nothing found'} in {', '.join(read)}"


def to_lines(audit: Audit) -> Iterable[str]:
    """The report for people: a run after the other, findings with the errors first, then what was inferred."""
    for run, inferred in audit.inferred.items():
        yield printable(run)
        own = [finding for finding in audit.findings if finding.run == run]
        for finding in own:
            yield ""
            yield from map(printable, finding_lines(finding, run))
        if inferred:
            yield ""
            yield from map(printable, inferred_lines(inferred))
        yield ""
    yield conclusion(audit) + (": ok" if audit.ok else "")


def finding_lines(finding: Finding, run: str) -> Iterable[str]:
    """A finding on a few lines."""
    first, rule = finding.first, RULES[finding.rule]
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    claim = f" [{rule.claim}]" if rule.claim else ""
    yield f"  {finding.severity.value} {finding.rule}{claim}: {first.what}{times}"
    yield f"    at        {shortened(str(first.where), run)}"
    if finding.elsewhere():
        yield f"    also at   {finding.elsewhere().replace(run.rstrip('/') + '/', '')}"
    yield f"    expected  {first.expected}"
    yield f"    found     {first.found}"
    if finding.worst is not first:
        beside = f"; expected {finding.worst.expected}" if finding.worst.expected != first.expected else ""
        yield f"    worst     {finding.worst.found}{beside}"
        yield f"              at {shortened(str(finding.worst.where), run)}"
    yield f"    do        {finding.advice}"


def shortened(place: str, run: str) -> str:
    """A place inside a run, without the run's own path."""
    if place == run:
        return "the whole run"
    return place.removeprefix(run.rstrip("/") + "/").removeprefix(f"{run}, ")


def inferred_lines(inferred: Mapping[str, Any]) -> Iterable[str]:
    """What was inferred, a line each."""
    yield "  read and inferred"
    for key, value in inferred.items():
        if value not in (None, []):
            yield f"    {key.replace('_', ' ')}: {text_of(value)}"


def text_of(value: Any) -> str:
    """A value, numbers that stand together, or readings that fit equally."""
    if not isinstance(value, list):
        return str(value)
    return (", " if all(isinstance(one, float) for one in value) else "; or ").join(map(str, value))
