"""What came out of a piece of work as JSON can hold it, and back: the same values of the same types.

Nothing but the types named here is ever made of what a file says. One occurrence that a finding names twice (as its
first and as its worst) is one again.
"""

from collections import Counter
from dataclasses import fields
from typing import Any

from grpocheck.verifier.audit.calls import CallsResult, Use
from grpocheck.verifier.audit.findings import Finding, Observation, Severity, Where
from grpocheck.verifier.audit.model import Log, LogRow
from grpocheck.verifier.audit.rows import RowsResult
from grpocheck.verifier.audit.settings import Settings

RECORDS = {
    kind.__name__: kind
    for kind in (RowsResult, CallsResult, Finding, Observation, Where, Settings, Log, LogRow, Use)
}  # fmt: skip


def packed(value: Any, met: list[Any] | None = None) -> Any:
    """A value as JSON can hold it: what JSON has no form for is an object of one key, which names the type."""
    met = [] if met is None else met
    if isinstance(value, Severity):
        return {"Severity": value.value}
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value)
    if isinstance(value, list):
        return [packed(each, met) for each in value]
    if isinstance(value, tuple):
        return {"tuple": [packed(each, met) for each in value]}
    if isinstance(value, set):
        return {"set": sorted(value)}
    if isinstance(value, dict):
        kind = "Counter" if isinstance(value, Counter) else "dict"
        return {kind: [[packed(key, met), packed(each, met)] for key, each in value.items()]}
    for number, known in enumerate(met):
        if known is value:
            return {"again": number}
    if isinstance(value, Observation):
        met.append(value)
    name = type(value).__name__
    if RECORDS.get(name) is not type(value):
        raise TypeError(f"{name} is none of what a piece of work results in")
    return {name: [packed(getattr(value, each.name), met) for each in fields(value)]}


def unpacked(stated: Any, met: list[Any] | None = None) -> Any:
    """The value again. Raises LookupError, TypeError or ValueError for what packed() does not make."""
    met = [] if met is None else met
    if isinstance(stated, list):
        return [unpacked(each, met) for each in stated]
    if not isinstance(stated, dict):
        return stated
    ((name, content),) = stated.items()
    if name == "Severity":
        return Severity(content)
    if name == "again":
        return met[content]
    if name in ("dict", "Counter"):
        pairs = {unpacked(key, met): unpacked(each, met) for key, each in content}
        return Counter(pairs) if name == "Counter" else pairs
    place = len(met)
    if name == "Observation":
        met.append(None)
    parts = [unpacked(each, met) for each in content]
    if name in ("tuple", "set"):
        return tuple(parts) if name == "tuple" else set(parts)
    made = RECORDS[name](*parts)
    if name == "Observation":
        met[place] = made
    return made
