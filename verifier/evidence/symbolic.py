"""The symbolic rung of the ladder: harnesses checked by CrossHair in processes of their own, taken up as rows.

This process never imports CrossHair. A confirmation counts as held, a replayed counterexample as refuted; a check that
could not be trusted is broken, and everything else is undecided.
"""

from collections.abc import Sequence

from grpocheck.contracts.claims import Kind, claims_named_in
from grpocheck.proofs.evidence import Finding, broken, held, refuted, undecided
from grpocheck.proofs.symbolic.harness import Harness
from grpocheck.proofs.symbolic.runner import DEFAULT_BUDGET, check
from grpocheck.proofs.symbolic.verdicts import Result, Verdict
from grpocheck.verifier.evidence.digest import digest
from grpocheck.verifier.evidence.gathering import Rows, Settings, Watcher
from grpocheck.verifier.evidence.report import Row
from grpocheck.verifier.workers import Outcome

WORKER = "grpocheck.proofs.symbolic.worker"
PLUGIN = "grpocheck.contracts.exact_reals"


def symbolic_rows(entries: Sequence[Harness], settings: Settings, watcher: Watcher) -> list[Rows]:
    """The rows of every postcondition of the harnesses.

    A harness that calls another one with contracts is checked together with it, and only then believed.
    """
    watcher.planned(sum(len(entry.postconditions) for entry in entries))
    named = {entry.name: entry for entry in entries}
    keys = {(entry.name, text): key_of(entry, text) for entry in entries for text in entry.postconditions}
    rows: dict[str, list[Rows]] = {}
    missing: list[Harness] = []
    for entry in entries:
        kept = [settings.cache.get(keys[entry.name, text]) for text in entry.postconditions]
        found = [
            rows_from(entry.name, text, entry.size, outcome, cached=True)
            for text, outcome in zip(entry.postconditions, kept, strict=True)
            if outcome is not None
        ]
        if len(found) < len(kept):
            missing.append(entry)
            continue
        rows[entry.name] = found
        for row in found:
            watcher.finished(row)

    def keep(result: Result) -> None:
        key = keys[result.harness, result.postcondition]
        if key_of(named[result.harness], result.postcondition) == key:  # else a source was changed meanwhile
            settings.cache.put(key, outcome_of(result))

    def told(result: Result, _done: int, _total: int) -> None:
        watcher.finished(fresh_rows(result))
        if not result.callees:  # with callees it counts only when they are confirmed too
            keep(result)

    budget = settings.seconds or DEFAULT_BUDGET
    for result in check(missing, settings.jobs, budget, told, settings.executor) if missing else []:
        keep(result)
        rows.setdefault(result.harness, []).append(fresh_rows(result))
    return [row for entry in entries for row in rows[entry.name]]


def claims_of(entry: Harness) -> Sequence[str]:
    """The claims that the postconditions of a harness state."""
    return [claim for text in entry.postconditions for claim in claims_named_in(text)]


def key_of(entry: Harness, postcondition: str) -> str:
    """The digest of a postcondition: the harness, CrossHair's model of the reals, and what checks it."""
    return digest(f"{entry.name} {postcondition}", [entry.module, WORKER, PLUGIN])


def outcome_of(result: Result) -> Outcome:
    """A result as findings for the claims that its postcondition names."""
    return Outcome(dict.fromkeys(result.claims, finding_of(result)), result.seconds)


def finding_of(result: Result) -> Finding:
    """A result as a finding; only a confirmation is held."""
    paths = max(result.paths, 1)
    if result.verdict is Verdict.CONFIRMED:
        return held(paths=paths)
    if result.verdict is Verdict.REFUTED and result.counterexample is not None:
        arguments = ", ".join(f"{name} = {value}" for name, value in result.counterexample.arguments.items())
        return refuted(f"{arguments}: {result.counterexample.found}", paths=paths)
    if result.verdict is Verdict.UNDECIDED:
        return undecided(result.detail, paths=paths)
    return broken(f"{result.verdict}: {result.detail}")


def fresh_rows(result: Result) -> Rows:
    """The rows of a result that was not taken from the cache."""
    return rows_from(result.harness, result.postcondition, result.size, outcome_of(result), cached=False)


def rows_from(harness: str, postcondition: str, size: str, outcome: Outcome, cached: bool) -> Rows:
    """The row of each claim of a postcondition."""
    name = f"{harness} [{postcondition}]"
    return {
        claim: Row(name, Kind.SYMBOLIC, size, finding, outcome.seconds, cached)
        for claim, finding in outcome.findings.items()
    }
