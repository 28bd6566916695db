"""The evidence ladder: run every piece of evidence for the chosen claims, or take it from the cache, and report.

Contract coverage is counted, every declared piece of evidence runs in a process of its own, the symbolic harnesses in
processes of theirs. Each finding is kept in the cache as soon as it is there, so an interrupted verification goes on
where it stopped.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import grpocheck
from grpocheck import core
from grpocheck.contracts.claims import Claim
from grpocheck.contracts.coverage import Coverage, contract_coverage
from grpocheck.proofs.evidence import MODULES, NEEDS, Evidence, absent_findings, discover, is_available
from grpocheck.proofs.symbolic.harness import all_harnesses
from grpocheck.verifier.evidence.digest import digest
from grpocheck.verifier.evidence.gathering import Rows, Settings, Watcher
from grpocheck.verifier.evidence.report import Report, Row, assemble
from grpocheck.verifier.evidence.symbolic import claims_of, symbolic_rows
from grpocheck.verifier.workers import Outcome, run_elsewhere, run_evidence


def verify(claims: Sequence[Claim], settings: Settings, watcher: Watcher) -> Report:
    """Gather all evidence for the claims and report on it, whatever it finds; ``watcher`` hears of every piece.

    What is decided is kept in the settings' cache as it is found, so that what is interrupted goes on.
    """
    started = time.monotonic()
    wanted = {claim.id for claim in claims}
    harnesses = all_harnesses() if settings.modules is None else []
    found = list(declared_rows(wanted, settings, watcher))
    found += symbolic_rows([entry for entry in harnesses if wanted & set(claims_of(entry))], settings, watcher)
    coverage = core_coverage()
    return Report(grpocheck.__version__, assemble(claims, found, coverage), coverage, time.monotonic() - started)


def declared_rows(wanted: set[str], settings: Settings, watcher: Watcher) -> Iterator[Rows]:
    """The rows of every piece of declared evidence that speaks of a wanted claim, in the order of declaration."""
    entries = [entry for entry in discover(settings.modules) if wanted & set(entry.claims)]
    watcher.planned(len(entries))
    keys = {entry.name: key_of(entry) for entry in entries}
    found: dict[str, Rows] = {}
    missing: list[tuple[Evidence, float]] = []
    for entry in entries:
        kept = settings.cache.get(keys[entry.name])
        if kept is None:
            missing.append((entry, entry.seconds if settings.seconds is None else settings.seconds))
        else:
            found[entry.name] = rows_of(entry, kept, cached=True)
            watcher.finished(found[entry.name])
    longest_first = sorted(missing, key=lambda task: -task[0].seconds)
    outcomes = (
        run_evidence(longest_first, settings.jobs, watcher.progressed)
        if settings.executor is None
        else run_elsewhere(longest_first, settings.executor)
    )
    for entry, outcome in outcomes:
        if key_of(entry) == keys[entry.name]:  # else a source was changed meanwhile, and which one ran is not known
            settings.cache.put(keys[entry.name], outcome)
        found[entry.name] = rows_of(entry, outcome, cached=False)
        watcher.finished(found[entry.name])
    yield from (found[entry.name] for entry in entries)
    for module in MODULES if settings.modules is None else settings.modules:
        if not is_available(module):
            kind = NEEDS[module].kind
            yield {claim: Row(module, kind, "", finding, 0.0) for claim, finding in absent_findings(module).items()}


def key_of(entry: Evidence) -> str:
    """The digest of a piece of declared evidence, of its sources as they are now."""
    return digest(entry.name, [entry.module], entry.files)


def rows_of(entry: Evidence, outcome: Outcome, cached: bool) -> Rows:
    """The row of each claim that a piece of evidence speaks of."""
    return {
        claim: Row(entry.name, entry.kind, entry.scope, finding, outcome.seconds, cached)
        for claim, finding in outcome.findings.items()
    }


def core_coverage() -> Coverage:
    """The contract coverage of core as it is installed."""
    return contract_coverage(Path(core.__path__[0]))
