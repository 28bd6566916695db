"""The report of a verification: what was established for each claim, at what size, by what, and what is missing.

It is generated from what ran; nothing in it is marked by hand. ``to_mapping`` gives the content of verify.json.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grpocheck.contracts.claims import CLAIMS, CORE, GROUNDWORK, NON_CLAIMS, STATED, Claim, Kind
from grpocheck.contracts.coverage import Coverage
from grpocheck.proofs.evidence import Finding, Verdict
from grpocheck.verifier.failures import REFUTED, UNDECIDED

HOLDS = 0
"""The exit status of a verification that lost nothing; the others are those of every command."""


@dataclass(frozen=True)
class Row:
    """One piece of evidence for one claim."""

    name: str
    kind: Kind
    scope: str
    finding: Finding
    seconds: float
    cached: bool = False

    def to_mapping(self, claim: str) -> dict[str, Any]:
        """The entry under ``evidence`` in verify.json."""
        mapping: dict[str, Any] = {
            "kind": self.kind.value,
            "status": self.finding.verdict.value,
            "scope": self.scope,
            "seconds": round(self.seconds, 3),
            "command": f"grpocheck verify {claim}",
            "name": self.name,
            "pieces": self.finding.pieces,
            "counts": dict(self.finding.counts),
            "cached": self.cached,
        }
        if self.finding.detail:
            mapping["detail"] = self.finding.detail
        if self.finding.broken:
            mapping["broken"] = True
        return mapping


@dataclass(frozen=True)
class Loss:
    """Evidence that the registry says a claim has, and that this verification did not find."""

    claim: str
    kind: Kind
    required: int
    found: int
    verdict: Verdict
    reason: str
    what: str = "pieces of {kind} evidence held"

    def __str__(self) -> str:
        """The loss in a sentence."""
        what = self.what.format(kind=self.kind)
        return f"{self.claim}: {self.found} of {self.required} {what}: {self.reason}"


@dataclass(frozen=True)
class ClaimReport:
    """A claim or non-claim with all its evidence of this verification."""

    claim: Claim
    rows: tuple[Row, ...]
    coverage: Coverage | None = None
    """The contracts of core, where they were counted."""

    @property
    def verdict(self) -> Verdict | None:
        """Refuted if anything refutes it, else held if anything holds it, else undecided, else not-run; None: nothing.

        A check that failed itself counts only where nothing else spoke. For a non-claim refuted is what is wanted.
        """
        verdicts = {row.finding.verdict for row in self.rows}
        for verdict in (Verdict.REFUTED, Verdict.HELD, Verdict.UNDECIDED, Verdict.NOT_RUN):
            if verdict in verdicts:
                return verdict
        return None

    @property
    def in_words(self) -> str:
        """The verdict, how much was lost, and how much of what is required is undecided."""
        words = ["not covered" if self.verdict is None else self.verdict.value]
        verdicts = [loss.verdict for loss in self.losses()]
        undecided, lost = verdicts.count(Verdict.UNDECIDED), verdicts.count(Verdict.REFUTED)
        words += [f"{lost} lost"] if lost else []
        words += [f"{undecided} undecided"] if undecided else []
        return ", ".join(words)

    @property
    def strongest(self) -> Row | None:
        """The strongest evidence that says what the verdict says; the one with the most cases among equals."""
        speaking = [row for row in self.rows if row.finding.verdict == self.verdict]
        return max(
            speaking, key=lambda row: (row.kind.strength, sum(row.finding.counts.values())), default=None
        )

    @property
    def succeeds(self) -> bool:
        """Whether a claim is held, or a non-claim refuted."""
        return self.verdict == (Verdict.HELD if self.claim.promised else Verdict.REFUTED)

    @property
    def fails(self) -> bool:
        """Whether a claim is refuted, or a witness against a non-claim no longer refutes it."""
        return self.verdict == (Verdict.REFUTED if self.claim.promised else Verdict.HELD)

    def found(self, kind: Kind) -> int:
        """How many pieces of a kind say what is wanted: held for a claim, refuted for a non-claim."""
        wanted = Verdict.HELD if self.claim.promised else Verdict.REFUTED
        return sum(row.finding.pieces for row in self.rows if (row.kind, row.finding.verdict) == (kind, wanted))

    def beyond_registry(self) -> list[str]:
        """The evidence that the registry does not require yet, kind by kind."""
        known = self.claim.requires
        return [
            f"{self.claim.id}: {self.found(kind)} pieces of {kind} evidence, {known.get(kind, 0)} required"
            for kind in Kind
            if self.found(kind) > known.get(kind, 0)
        ]

    def losses(self) -> list[Loss]:
        """The required evidence that is missing; what could not run on this machine is not counted as lost."""
        missing = unstated(self.claim.id, self.coverage)
        for kind, required in self.claim.requires.items():
            rows = [row for row in self.rows if row.kind == kind]
            found = self.found(kind)
            absent = sum(row.finding.pieces for row in rows if row.finding.verdict == Verdict.NOT_RUN)
            if found + absent >= required:
                continue
            open_rows = [row for row in rows if row.finding.verdict == Verdict.UNDECIDED]
            merely_open = found + absent + sum(row.finding.pieces for row in open_rows) >= required
            excused = merely_open and not any(row.finding.broken for row in open_rows)
            reason = "; ".join(f"{row.name}: {row.finding.detail}" for row in rows if row.finding.detail)
            missing.append(
                Loss(
                    self.claim.id,
                    kind,
                    required,
                    found,
                    Verdict.UNDECIDED if excused else Verdict.REFUTED,
                    reason or "the rest is gone from the code or was not evaluated",
                )
            )
        return missing


@dataclass(frozen=True)
class Report:
    """A whole verification: its claims in the order of the registry, and the seconds that it took.

    ``coverage`` are the contracts of core, None where they were not counted.
    """

    version: str
    claims: tuple[ClaimReport, ...]
    coverage: Coverage | None
    seconds: float

    @property
    def losses(self) -> list[Loss]:
        """The evidence that was lost, over all claims, and the contracts that are gone from core."""
        return [*(loss for entry in self.claims for loss in entry.losses()), *unstated(CORE, self.coverage)]

    def of(self, entries: Mapping[str, Claim]) -> list[ClaimReport]:
        """What was found on some of the entries: CLAIMS, NON_CLAIMS or GROUNDWORK."""
        return [entry for entry in self.claims if entry.claim.id in entries]

    @property
    def exit_status(self) -> int:
        """0 it holds; 1 refuted, lost or a contract is missing; 3 required evidence is undecided in the budget."""
        gaps = self.coverage is not None and not self.coverage.complete
        lost = [loss.verdict for loss in self.losses]
        if gaps or Verdict.REFUTED in lost or any(entry.fails for entry in self.claims):
            return REFUTED
        return UNDECIDED if lost else HOLDS

    @property
    def not_run(self) -> list[dict[str, str]]:
        """What could not run on this machine: what, why, and the command that enables it."""
        entries: dict[str, dict[str, str]] = {}
        for entry in self.claims:
            for row in entry.rows:
                if row.finding.verdict == Verdict.NOT_RUN:
                    entries[row.name] = {"what": row.name, "why": row.finding.detail, "enable": row.finding.enable}
        return list(entries.values())

    def to_mapping(self) -> dict[str, Any]:
        """The content of verify.json."""
        return {
            "grpocheck": self.version,
            "ok": self.exit_status == HOLDS,
            "seconds": round(self.seconds, 3),
            "coverage": _coverage_mapping(self.coverage),
            "claims": [_claim_mapping(entry) for entry in self.of(CLAIMS)],
            "non_claims": [_non_claim_mapping(entry) for entry in self.of(NON_CLAIMS)],
            "groundwork": [_claim_mapping(entry) for entry in self.of(GROUNDWORK)],
            "not_run": self.not_run,
            "lost": [str(loss) for loss in self.losses],
            "beyond_registry": [line for entry in self.claims for line in entry.beyond_registry()],
        }


def _coverage_mapping(coverage: Coverage | None) -> dict[str, Any] | None:
    """The contract coverage, or None where it was not asked for."""
    if coverage is None:
        return None
    return {
        "functions": coverage.functions,
        "covered": coverage.covered,
        "declared_total": len(coverage.declared_total),
        "gaps": [str(gap) for gap in coverage.gaps],
        "stated": dict(sorted((coverage.stated or {}).items())),
    }


def _claim_mapping(entry: ClaimReport) -> dict[str, Any]:
    """A claim in verify.json."""
    held = entry.verdict == Verdict.HELD
    return {
        "id": entry.claim.id,
        "statement": entry.claim.statement,
        "seed": entry.claim.seed,
        "status": entry.verdict.value if entry.verdict is not None else "not-covered",
        "strongest": entry.strongest.kind.value if held and entry.strongest is not None else None,
        "lost": [str(loss) for loss in entry.losses()],
        "evidence": [row.to_mapping(entry.claim.id) for row in entry.rows],
    }


def _non_claim_mapping(entry: ClaimReport) -> dict[str, Any]:
    """A non-claim in verify.json: its witness and how to replay it, null where there is none yet."""
    witness = entry.strongest if entry.verdict == Verdict.REFUTED else None
    return {
        "id": entry.claim.id,
        "statement": entry.claim.statement,
        "seed": entry.claim.seed,
        "status": entry.verdict.value if entry.verdict is not None else "not-covered",
        "witness": witness.finding.detail if witness is not None else None,
        "replay": f"grpocheck verify {entry.claim.id}" if witness is not None else None,
        "lost": [str(loss) for loss in entry.losses()],
        "evidence": [row.to_mapping(entry.claim.id) for row in entry.rows],
    }


def unstated(name: str, coverage: Coverage | None) -> list[Loss]:
    """The contracts of core that name a claim (or, under CORE, all of them) and are gone, as a loss."""
    counted = coverage.stated if coverage is not None else None
    required, found = STATED.get(name, 0), 0 if counted is None else counted.get(name, 0)
    if counted is None or found >= required:
        return []
    what = "contracts of core name it" if name != CORE else "contracts are there"
    return [Loss(name, Kind.CONTRACT, required, found, Verdict.REFUTED, "the rest is gone from the code", what)]


def assemble(
    claims: Sequence[Claim], rows: Sequence[Mapping[str, Row]], coverage: Coverage | None = None
) -> tuple[ClaimReport, ...]:
    """Each claim with the rows that speak of it, in the order in which the evidence is listed."""
    return tuple(
        ClaimReport(entry, tuple(found[entry.id] for found in rows if entry.id in found), coverage) for entry in claims
    )
