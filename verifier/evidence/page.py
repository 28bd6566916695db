"""The report of a verification as one self-contained page."""

from html import escape

from grpocheck.contracts.claims import CLAIMS, GROUNDWORK, NON_CLAIMS
from grpocheck.proofs.evidence import Verdict
from grpocheck.verifier.evidence.report import ClaimReport, Report, Row
from grpocheck.verifier.evidence.summary import conclusion, duration, size

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid #d8dee4; }
th { font-weight: 600; } td.id { font-weight: 600; white-space: nowrap; }
.good { color: #1a7f37; } .bad { color: #b42318; font-weight: 600; } .open { color: #9a6700; } .none { color: #59636e; }
summary { cursor: pointer; } pre { white-space: pre-wrap; background: #f6f8fa; padding: .6rem; }
"""


def page(report: Report) -> str:
    """The whole page."""
    claims, non_claims, groundwork = (report.of(entries) for entries in (CLAIMS, NON_CLAIMS, GROUNDWORK))
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>grpocheck: what holds</title><style>{STYLE}</style></head><body>",
        "<h1>What holds of the finite-budget group-relative update</h1>",
        f"<p>grpocheck {escape(report.version)}: {escape(conclusion(report)[0])}.</p>",
        coverage_paragraph(report),
        section("Claims", claims) if claims else "",
        section("Not promised, and refuted by a witness", non_claims) if non_claims else "",
        section("What the claims rest on", groundwork) if groundwork else "",
        missing(report),
        "</body></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def coverage_paragraph(report: Report) -> str:
    """The contract coverage of core."""
    if report.coverage is None:
        return ""
    coverage = report.coverage
    gaps = "".join(f"<li>{escape(str(gap))}</li>" for gap in coverage.gaps)
    return (
        f"<p>{coverage.covered} of {coverage.functions} functions of core carry a precondition and a postcondition; "
        f"{len(coverage.declared_total)} accept every argument and say why.</p>" + (f"<ul>{gaps}</ul>" if gaps else "")
    )


def section(title: str, entries: list[ClaimReport]) -> str:
    """A table of claims, each with its evidence folded away."""
    rows = "\n".join(claim_row(entry) for entry in entries)
    return (
        f"<h2>{escape(title)}</h2><table><tr><th></th><th>statement</th><th>verdict</th><th>evidence</th></tr>"
        f"{rows}</table>"
    )


def claim_row(entry: ClaimReport) -> str:
    """A claim: identifier, statement, verdict, and its evidence from the strongest to the weakest."""
    colour = "good" if entry.succeeds else "bad" if entry.fails else "none" if entry.verdict is None else "open"
    colour = "bad" if entry.losses() else colour
    strongest = entry.strongest
    rows = sorted(entry.rows, key=lambda row: -row.kind.strength)
    listed = "".join(f"<li>{evidence_line(row)}</li>" for row in rows)
    head = f"{strongest.kind}: {escape(strongest.scope)}" if strongest is not None else "none"
    details = f"<details><summary>{head}</summary><ul>{listed}</ul></details>" if rows else head
    return (
        f'<tr id="{entry.claim.id}"><td class="id">{entry.claim.id}</td><td>{escape(entry.claim.statement)}</td>'
        f'<td class="{colour}">{entry.in_words}</td><td>{details}</td></tr>'
    )


def evidence_line(row: Row) -> str:
    """One piece of evidence: kind, verdict, scope, size, time, and its detail where it has one."""
    text = f"{row.kind}, {row.finding.verdict}: {row.scope}; {size(row)}; {duration(row)}; {row.name}"
    detail = f"<pre>{escape(row.finding.detail)}</pre>" if row.finding.detail else ""
    return escape(text) + detail


def missing(report: Report) -> str:
    """What could not run, and what was lost."""
    items = [
        f"<li>not run: {escape(entry['what'])}: {escape(entry['why'])}; to enable it: "
        f"<code>{escape(entry['enable'])}</code></li>"
        for entry in report.not_run
    ]
    items += [
        f'<li class="bad">{"undecided" if loss.verdict == Verdict.UNDECIDED else "lost"}: {escape(str(loss))}</li>'
        for loss in report.losses
    ]
    return f"<h2>Missing</h2><ul>{''.join(items)}</ul>" if items else ""
