"""The evidence ladder: run every piece of evidence for the chosen claims, or take it from the cache, and report.

Contract coverage comes first; then the pieces of evidence, each in a process of its own. Every finding is kept in the
cache as soon as it is there, so an interrupted verification goes on where it stopped.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import grpocheck
from grpocheck import core
from grpocheck.contracts.claims import Claim
from grpocheck.contracts.coverage import Coverage, contract_coverage
from grpocheck.proofs.evidence import Evidence, Finding, discover
from grpocheck.verifier.cache import Cache
from grpocheck.verifier.digest import digest
from grpocheck.verifier.report import Report, Row, assemble
from grpocheck.verifier.workers import Outcome, run_evidence


class Watcher(Protocol):
    """Someone who watches a verification: a progress bar, or a test."""

    def planned(self, entries: Sequence[Evidence]) -> None:
        """These pieces of evidence are going to be looked at."""
        ...

    def progressed(self, entry: Evidence, done: int, total: int) -> None:
        """A piece of evidence is this far."""
        ...

    def finished(self, entry: Evidence, findings: Mapping[str, Finding], cached: bool) -> None:
        """A piece of evidence has its findings."""
        ...


@dataclass(frozen=True)
class Settings:
    """How to verify: at most ``jobs`` processes; seconds for each piece (its own if None); where findings are kept."""

    jobs: int
    seconds: float | None
    cache: Cache
    modules: tuple[str, ...] | None = None


def verify(claims: Sequence[Claim], settings: Settings, watcher: Watcher) -> Report:
    """Gather all evidence for the claims and report on it."""
    started = time.monotonic()
    wanted = {claim.id for claim in claims}
    entries = [entry for entry in discover(settings.modules) if wanted & set(entry.claims)]
    watcher.planned(entries)
    keys = {entry.name: digest(entry.name, [entry.module], entry.files) for entry in entries}
    found: dict[str, Mapping[str, Row]] = {}
    missing: list[tuple[Evidence, float]] = []
    for entry in entries:
        kept = settings.cache.get(keys[entry.name])
        if kept is None:
            missing.append((entry, entry.seconds if settings.seconds is None else settings.seconds))
        else:
            watcher.finished(entry, kept.findings, cached=True)
            found[entry.name] = rows_of(entry, kept, cached=True)
    for entry, outcome in run_evidence(missing, settings.jobs, watcher.progressed):
        settings.cache.put(keys[entry.name], outcome)
        watcher.finished(entry, outcome.findings, cached=False)
        found[entry.name] = rows_of(entry, outcome, cached=False)
    reports = assemble(claims, [found[entry.name] for entry in entries])
    return Report(grpocheck.__version__, reports, core_coverage(), time.monotonic() - started)


def rows_of(entry: Evidence, outcome: Outcome, cached: bool) -> Mapping[str, Row]:
    """The row of each claim that a piece of evidence speaks of."""
    return {
        claim: Row(entry.name, entry.kind, entry.scope, finding, outcome.seconds, cached)
        for claim, finding in outcome.findings.items()
    }


def core_coverage() -> Coverage:
    """The contract coverage of core as it is installed."""
    return contract_coverage(Path(core.__path__[0]))
