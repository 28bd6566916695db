"""A report as one self-contained page."""

from collections.abc import Mapping
from html import escape
from typing import Any

from grpocheck import __version__
from grpocheck.verifier.audit.auditing import Audit
from grpocheck.verifier.audit.findings import Finding, Severity
from grpocheck.verifier.audit.report import conclusion, shortened, text_of
from grpocheck.verifier.audit.rules import RULES
from grpocheck.verifier.evidence.page import STYLE

COLOURS = {Severity.ERROR: "bad", Severity.WARNING: "open", Severity.NOTE: "none"}


def page(audit: Audit) -> str:
    """The whole page."""
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>grpocheck audit</title><style>{STYLE}</style></head><body>",
        "<h1>What the audit found</h1>",
        f"<p>grpocheck {escape(__version__)}: {escape(conclusion(audit))}.</p>",
    ]
    for run, inferred in audit.inferred.items():
        own = [finding for finding in audit.findings if finding.run == run]
        parts += [f"<h2>{escape(run)}</h2>", table(own, run), reading(inferred)]
    return "\n".join((*parts, "</body></html>")) + "\n"


def table(findings: list[Finding], run: str) -> str:
    """The findings of a run."""
    if not findings:
        return '<p class="good">Nothing found.</p>'
    rows = "\n".join(row(finding, run) for finding in findings)
    return f"<table><tr><th></th><th>what</th><th>expected</th><th>found</th><th>where</th></tr>{rows}</table>"


def row(finding: Finding, run: str) -> str:
    """A finding, with its further occurrences folded away."""
    rule, first = RULES[finding.rule], finding.first
    times = f"<br>{finding.count} times" if finding.count > 1 else ""
    claim = f"<br>claim {escape(rule.claim)}" if rule.claim else ""
    more = "".join(
        f"<li>{escape(shortened(str(one.where), run))}: expected {escape(one.expected)}; found {escape(one.found)}</li>"
        for one in [finding.worst, *finding.examples[1:]]
        if one is not first
    )
    folded = f"<details><summary>the worst, and more</summary><ul>{more}</ul></details>" if more else ""
    also = (
        f"<br>also at {escape(finding.elsewhere().replace(run.rstrip('/') + '/', ''))}" if finding.elsewhere() else ""
    )
    return (
        f'<tr><td class="id"><span class="{COLOURS[finding.severity]}">{finding.severity.value}</span><br>'
        f"{escape(finding.rule)}{claim}</td>"
        f"<td>{escape(first.what)}{times}<br><em>{escape(finding.advice)}</em>{folded}</td>"
        f"<td>{escape(first.expected)}</td><td>{escape(first.found)}</td>"
        f"<td>{escape(shortened(str(first.where), run))}{also}</td></tr>"
    )


def reading(inferred: Mapping[str, Any]) -> str:
    """What was read and inferred of a run."""
    rows = "".join(
        f"<tr><td>{escape(key.replace('_', ' '))}</td><td>{escape(text_of(value))}</td></tr>"
        for key, value in inferred.items()
        if value not in (None, [])
    )
    return f"<details><summary>read and inferred</summary><table>{rows}</table></details>" if rows else ""
