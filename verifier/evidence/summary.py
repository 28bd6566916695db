"""The report of a verification for people: one row for each claim and each non-claim, then what is missing."""

from collections.abc import Iterator
from pathlib import Path

from grpocheck.contracts.claims import CLAIMS, GROUNDWORK, NON_CLAIMS
from grpocheck.proofs.evidence import Verdict
from grpocheck.verifier.evidence.report import HOLDS, ClaimReport, Report, Row
from grpocheck.verifier.failures import UNDECIDED
from grpocheck.verifier.printing import printable
from grpocheck.verifier.tables import drawn, table
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

STYLE = {
    Verdict.HELD: "green",
    Verdict.REFUTED: "bold red",
    Verdict.UNDECIDED: "yellow",
    Verdict.NOT_RUN: "dim",
    None: "dim",
}


def summary(report: Report, written_to: Path) -> str:
    """The whole summary, as text."""
    return drawn(summary_parts(report, written_to))


def summary_parts(report: Report, written_to: Path) -> Iterator[RenderableType]:
    """Coverage, the claims, the non-claims, the groundwork, what did not run, what was lost, the verdict."""
    if report.coverage is not None:
        coverage = report.coverage
        yield Text(
            f"contracts: {coverage.covered} of {coverage.functions} functions of core carry precondition and "
            f"postcondition ({len(coverage.declared_total)} are total and say so)"
        )
        for gap in coverage.gaps:
            yield Text(f"  {gap}", style="bold red")
        yield Text("")
    claims, non_claims, groundwork = (report.of(entries) for entries in (CLAIMS, NON_CLAIMS, GROUNDWORK))
    if claims:
        yield evidence_table("claim", claims)
    if non_claims:
        yield Text("")
        rows = table("non-claim", "verdict", "witness", "time", right=("time",))
        for entry in non_claims:
            strongest = entry.strongest
            cells = (one_line(strongest.finding.detail), duration(strongest)) if strongest is not None else ("", "")
            rows.add_row(entry.claim.id, verdict(entry), *cells)
        yield rows
    if groundwork:
        yield Text("")
        yield evidence_table("groundwork", groundwork)
    yield from missing_parts(report)
    yield Text("")
    rows_once = unique_rows(report)
    cached = sum(row.cached for row in rows_once)
    yield Text(
        f"{len(rows_once)} pieces of evidence, {cached} of them from the cache (*), in {report.seconds:.0f} s; "
        f"report: {printable(written_to)}"
    )
    yield Text(*conclusion(report))


def evidence_table(title: str, entries: list[ClaimReport]) -> Table:
    """A row for each claim, or for each piece of what they rest on."""
    rows = table(title, "verdict", "strongest", "for which cases, how many", "also", "time", right=("time",))
    rows.columns[4].max_width = 22
    for entry in entries:
        rows.add_row(entry.claim.id, verdict(entry), *evidence_cells(entry))
    return rows


def missing_parts(report: Report) -> Iterator[RenderableType]:
    """Refuted claims with their counterexample, what could not run, and what was lost or is undecided."""
    for entry in report.claims:
        for row in entry.rows:
            if entry.fails and row.finding.verdict == (Verdict.REFUTED if entry.claim.promised else Verdict.HELD):
                yield Text(f"\n{entry.claim.id} {row.finding.verdict} by {row.name}: {row.finding.detail}", style="red")
    for missing in report.not_run:
        yield Text(f"\nnot run: {missing['what']}: {missing['why']}; to enable it: {missing['enable']}", style="yellow")
    beyond = sum(len(entry.beyond_registry()) for entry in report.claims)
    if beyond:
        yield Text(f"\n{beyond} kinds of evidence go beyond what the registry requires (beyond_registry in the report)")
    for loss in report.losses:
        yield Text(f"\n{'undecided' if loss.verdict == Verdict.UNDECIDED else 'lost'}: {loss}", style="bold red")


def conclusion(report: Report) -> tuple[str, str]:
    """The last line and its style."""
    open_claims = [entry.claim.id for entry in report.claims if not entry.succeeds]
    rest = f"; not established here: {', '.join(open_claims)}" if open_claims else ""
    if report.exit_status == HOLDS:
        return f"ok: nothing is refuted and no evidence is lost{rest}", "green"
    if report.exit_status == UNDECIDED:
        undecided = " ".join(dict.fromkeys(loss.claim for loss in report.losses))
        advice = f"run it again: grpocheck verify {undecided} (what is decided is in the cache and not done again)"
        return f"nothing is refuted or lost, but evidence is undecided in its budget{rest}; {advice}", "yellow"
    return f"NOT ok{rest}", "bold red"


def verdict(entry: ClaimReport) -> Text:
    """The verdict as a coloured word; what was lost shows in its place."""
    style = "bold red" if entry.fails or entry.losses() else "green" if entry.succeeds else STYLE[entry.verdict]
    return Text(entry.in_words, style=style)


def evidence_cells(entry: ClaimReport) -> tuple[str, str, str, str]:
    """Kind, scope with size, other kinds, and time of the strongest evidence."""
    strongest = entry.strongest
    if strongest is None:
        return "", "", "", ""
    others = sorted(
        {row.kind for row in entry.rows if row.finding.verdict == strongest.finding.verdict} - {strongest.kind},
        key=lambda kind: -kind.strength,
    )
    cases = f"{strongest.scope} ({size(strongest, 1)})" if strongest.finding.counts else strongest.scope
    if strongest.finding.verdict != Verdict.HELD:
        cases += f" - {one_line(strongest.finding.detail)}"
    return strongest.kind, cases, ", ".join(others), duration(strongest)


def size(row: Row, most: int | None = None) -> str:
    """The counts of a finding, the first ones if not all are wanted: ``16384 cases``."""
    counts = [(name.replace("_", " "), count) for name, count in row.finding.counts.items()]
    return ", ".join(f"{count} {name if count != 1 else name.removesuffix('s')}" for name, count in counts[:most])


def duration(row: Row) -> str:
    """Seconds that the finding took; with a star when it came from the cache this time."""
    return f"{row.seconds:.1f} s{'*' if row.cached else ''}"


def one_line(text: str, most: int = 160) -> str:
    """A text on one line, shortened."""
    joined = " ".join(text.split())
    return joined if len(joined) <= most else f"{joined[:most]}..."


def unique_rows(report: Report) -> list[Row]:
    """Each piece of evidence once."""
    return list({row.name: row for entry in report.claims for row in entry.rows}.values())
