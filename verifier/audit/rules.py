"""The registry of rules: each fault that the audit looks for, once, by a stable name.

The table in docs/audit.md and ``grpocheck audit --rules`` are this registry, printed.
"""

from collections.abc import Mapping
from typing import Any

from grpocheck.verifier.audit.findings import Observation, Severity, Where
from grpocheck.verifier.audit.rule import Rule
from grpocheck.verifier.audit.rules_losses import LOSSES
from grpocheck.verifier.audit.rules_rows import ROWS

RULES: Mapping[str, Rule] = {rule.name: rule for rule in (*ROWS, *LOSSES)}


def seen(
    rule: str,
    where: Where,
    expected: str,
    found: str,
    *,
    distance: float = 0.0,
    far: str = "",
    what: str = "",
    advice: str = "",
    detail: Mapping[str, Any] | None = None,
    apart: str = "",
    severity: Severity | None = None,
) -> Observation:
    """An occurrence of a fault, with the severity and the words of its rule, unless others are given."""
    entry = RULES[rule]
    return Observation(
        rule,
        severity or entry.severity,
        where,
        what or entry.says,
        expected,
        found,
        distance,
        far,
        detail or {},
        advice or entry.advice,
        apart,
    )


def mappings() -> list[dict[str, Any]]:
    """The registry, for ``--rules --json``."""
    return [
        {
            "rule": rule.name,
            "severity": rule.severity.value,
            "claim": rule.claim,
            "says": rule.says,
            "advice": rule.advice,
            "reads": rule.reads,
        }
        for rule in RULES.values()
    ]
