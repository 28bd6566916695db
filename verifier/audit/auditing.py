"""The audit of runs: their work cut in pieces, done here or elsewhere, and joined into one report."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from grpocheck.verifier.audit.budget import check_draws, check_gradients
from grpocheck.verifier.audit.calls import ADAPTS, CallsResult, audit_call_files, audit_call_lines
from grpocheck.verifier.audit.declared import check_settings
from grpocheck.verifier.audit.findings import Finding, Findings
from grpocheck.verifier.audit.model import Lines, Part, Run
from grpocheck.verifier.audit.rows import RowsResult, audit_rows
from grpocheck.verifier.audit.settings import Settings

FILES_OF_A_PIECE = 32
BYTES_OF_A_PIECE = 64 << 20
PIECES_IDENTIFIED = 8
"""Pieces of a run after which the variant of a call is looked for only where it departs from the declared one."""
SEEN_BETTER = ("kl-not-kl", "first-pass-ratio", "sampler-differs")
"""Rules that say more from a call's tensors than from the log."""


Result = RowsResult | CallsResult


class Work(Protocol):
    """A piece of work on a run, which can be done anywhere."""

    @property
    def files(self) -> int:
        """How many files have been read when it is done."""
        ...

    def done(self) -> Result:
        """Do it."""
        ...


@dataclass(frozen=True)
class Piece:
    """A piece of work: all rows of a run, some of its recorded calls, or the calls in some lines of a part of it."""

    run: Run
    calls: tuple[Path, ...] | None = None
    identifies: bool = True
    lines: tuple[Part, Lines] | None = None

    def done(self) -> Result:
        """Do it."""
        if self.lines is not None:
            return audit_call_lines(self.run.name, *self.lines, self.identifies)
        if self.calls is None:
            return audit_rows(self.run)
        return audit_call_files(self.run.name, self.calls, self.run.generations, self.identifies, self.adapts)

    @property
    def adapts(self) -> bool:
        """Whether the run's settings say that its entropy bonus is adapted, which recorded calls need not say."""
        return bool(self.run.settings.values.get(ADAPTS))

    @property
    def files(self) -> int:
        """How many files have been read when it is done: those of lines are counted with the rows."""
        if self.lines is not None:
            return 0
        if self.calls is not None:
            return len(self.calls)
        return self.run.files - len(self.run.calls)


class Crew(Protocol):
    """Whoever does pieces of work and gives their results in the same order."""

    def __call__(self, pieces: Sequence[Work]) -> Iterator[Result]:
        """The results, as they become ready, in the order of the pieces."""
        ...


@dataclass
class Audit:
    """The report: findings, what was inferred of each run, and how much was read."""

    findings: list[Finding] = field(default_factory=list)
    inferred: dict[str, dict[str, Any]] = field(default_factory=dict)
    runs: int = 0
    files: int = 0
    calls: int = 0
    tokens: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing was found that matters: notes do not count."""
        return not any(finding.severity.counts for finding in self.findings)


def pieces_of(run: Run) -> Iterator[Piece]:
    """A run's work: its rows, then its calls, some at a time; of the first the variant is identified."""
    yield Piece(run)
    begun = 0
    for part in run.groups:
        for lines in part.stretches:
            yield Piece(run, identifies=begun < BYTES_OF_A_PIECE, lines=(part, lines))
            begun += (part.file.stat().st_size if lines.end is None else lines.end) - lines.begin
    chunk: list[Path] = []
    size = made = 0
    for path in run.calls:
        chunk.append(path)
        size += path.stat().st_size
        if len(chunk) >= FILES_OF_A_PIECE or size >= BYTES_OF_A_PIECE:
            yield Piece(run, tuple(chunk), made < PIECES_IDENTIFIED)
            chunk, size, made = [], 0, made + 1
    if chunk:
        yield Piece(run, tuple(chunk), made < PIECES_IDENTIFIED)


def here(pieces: Sequence[Work]) -> Iterator[Result]:
    """The crew of one: this process."""
    for piece in pieces:
        yield piece.done()


def audit(
    runs: Iterable[Run],
    crew: Crew = here,
    advance: Callable[[int], None] = lambda files: None,
    given: Callable[[Piece], Work] = lambda piece: piece,
) -> Audit:
    """The audit of runs. ``advance`` is told the number of files that were read; ``given`` is what a crew gets."""
    runs = list(runs)
    work = [piece for run in runs for piece in pieces_of(run)]
    parts: dict[str, tuple[RowsResult, CallsResult]] = {}
    for piece, result in zip(work, crew([given(piece) for piece in work]), strict=True):
        if isinstance(result, RowsResult):
            parts[piece.run.name] = (result, CallsResult())
        else:
            parts[piece.run.name][1].join(result)
        advance(piece.files)
    report = Audit(runs=len(runs), files=sum(run.files for run in runs))
    for run in runs:
        findings, inferred = joined(run, *parts[run.name])
        report.findings += findings
        report.inferred[run.name] = inferred
        report.calls += parts[run.name][1].calls
        report.tokens += parts[run.name][1].tokens
    return report


def joined(run: Run, rows: RowsResult, calls: CallsResult) -> tuple[list[Finding], dict[str, Any]]:
    """The parts of one run put together, and what only all of them show."""
    findings = Findings(run.name)
    settings = rows.settings.joined(Settings(calls.settings, run.name))
    told = {finding.rule for finding in calls.findings} & set(SEEN_BETTER)
    findings.extend(finding for finding in rows.findings if finding.rule not in told)
    findings.extend(calls.findings)
    longest = max(calls.longest, rows.longest or 0) or None
    check_settings(settings, longest, run.name, findings)
    if rows.batches:
        check_draws(run.name, rows.batches, settings, rows.log, findings)
    if calls.uses:
        check_gradients(run.name, calls.uses, settings, findings)
    return findings.all(), {**rows.inferred, **inferred_of(calls)}


def inferred_of(calls: CallsResult) -> dict[str, Any]:
    """What the tensors of calls say of the loss."""
    if not calls.calls:
        return {}
    found: dict[str, Any] = {"loss_calls": calls.calls, "tokens": calls.tokens}
    if calls.evaluations:
        found["evaluation_calls"] = calls.evaluations
    if calls.declared:
        found["loss_declared"] = sorted(calls.declared)
        found["calls_identified"] = calls.identified
        found["loss_fits_every_call"] = sorted(calls.consistent or ())
    return found
