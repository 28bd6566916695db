"""The SMT evidence, declared: which claims hold at every size, and what the verifier has to run for it."""

from collections.abc import Iterator, Sequence

from grpocheck.contracts.claims import Kind
from grpocheck.proofs.evidence import Budget, Finding, broken, evidence, held, refuted, undecided
from grpocheck.proofs.smt.folds import LARGEST_GROUP, NotTheFold, check_core_is_the_fold, fold_obligations
from grpocheck.proofs.smt.induction import Induction, System
from grpocheck.proofs.smt.obligations import SECONDS, Decision, Obligation, Result, discharge
from grpocheck.proofs.smt.scripts import LARGEST, Script, all_scripts
from grpocheck.proofs.smt.terms import GROUP_SIZES, group_obligations, term_obligations
from grpocheck.proofs.smt.tie import Tie, Untied, tie

PROTOCOL = ("A1", "A2", "C1", "C2", "C3", "C4", "D1", "D2")


@evidence(
    *PROTOCOL,
    kind=Kind.SMT,
    scope=(
        "every T, M, G, K and any answers of the oracles, by induction over the protocol; core's run follows the "
        f"protocol on every course of answers for T, M, G, K <= {LARGEST}"
    ),
    contracts=False,
)
def protocol_at_every_size(budget: Budget) -> dict[str, Finding]:
    """The protocol's invariants are inductive and imply the claims, and core's run is a run of the protocol."""
    return protocol_findings(System(), list(all_scripts()), budget)


@evidence(
    "E1", "E2", kind=Kind.SMT, scope="every real rho > 0, A and 0 < epsilon < 1, on core's own terms", contracts=False
)
def clipped_terms(budget: Budget) -> dict[str, Finding]:
    """What core's clip and clipped term make of real numbers is what the claims say."""
    results = discharged(list(term_obligations()), budget)
    return {claim: finding_on_terms(results, claim) for claim in ("E1", "E2")}


@evidence(
    "B1",
    "B2",
    kind=Kind.SMT,
    scope=f"all real rewards at G = {', '.join(str(size) for size in GROUP_SIZES)}, on core's own terms",
    contracts=False,
)
def small_groups(budget: Budget) -> dict[str, Finding]:
    """What core's deviation and advantages make of real rewards is what the claims say."""
    results = discharged(list(group_obligations()), budget)
    return {claim: finding_on_terms(results, claim) for claim in ("B1", "B2")}


@evidence(
    "B1",
    "B2",
    kind=Kind.SMT,
    scope=(
        "every G and all real rewards, by induction over the group; core's terms are those of the fold for "
        f"G <= {LARGEST_GROUP}"
    ),
    contracts=False,
)
def groups_of_every_size(budget: Budget) -> dict[str, Finding]:
    """Deviation and advantages, accumulated over a group of any size, are what the claims say."""
    try:
        terms = check_core_is_the_fold()
    except NotTheFold as difference:
        return dict.fromkeys(("B1", "B2"), broken(f"core leaves the fold: {difference}"))
    results = discharged(list(fold_obligations()), budget)
    return {
        claim: inductive_finding([result for result in results if claim in result.about], terms=terms)
        for claim in ("B1", "B2")
    }


def discharged(obligations: Sequence[Obligation], budget: Budget) -> list[Result]:
    """The results of obligations, each within the time limit of a query and what is left of the budget."""
    results = []
    for done, obligation in enumerate(obligations, start=1):
        results.append(discharge(obligation, min(SECONDS, budget.remaining())))
        budget.step(done, len(obligations))
    return results


def finding_on_terms(results: Sequence[Result], claim: str) -> Finding:
    """A claim about core's own terms: values that break it refute it."""
    mine = [result for result in results if result.about == claim]
    for result in mine:
        if result.decision is Decision.REFUTED:
            return refuted(f"{result.name}: {result.detail}", obligations=len(mine))
    return inductive_finding(mine)


def inductive_finding(results: Sequence[Result], **counts: int) -> Finding:
    """Held when every obligation is proved. A step that is not inductive breaks the proof and refutes no claim."""
    for result in results:
        if result.decision is Decision.REFUTED:
            return broken(f"not inductive: {result.name}\n  {result.detail}")
    unknown = [f"{result.name}: {result.detail}" for result in results if result.decision is Decision.UNKNOWN]
    if unknown:
        return undecided("; ".join(unknown), obligations=len(results))
    return held(pieces=len(results), obligations=len(results), **counts)


def protocol_findings(system: System, scripts: Sequence[Script], budget: Budget) -> dict[str, Finding]:
    """The findings of a transition system, claim by claim: none is held unless core's run follows the system."""
    results = discharged(list(Induction(system).obligations()), budget)
    tied: Tie | None = None
    difference = ""
    try:
        tied = tie(system, reported(scripts, budget))
    except Untied as untied:
        difference = str(untied)
    findings: dict[str, Finding] = {}
    for claim in dict.fromkeys(entry.claim for entry in system.properties):
        about = system.foundation(claim)
        counts = {} if tied is None else {"runs": tied.runs, "transitions": tied.transitions}
        finding = inductive_finding([result for result in results if result.about in about], **counts)
        if tied is None:
            reason = f"core's run leaves the transition system: {difference}"
            finding = broken(f"{finding.detail}\n{reason}" if finding.detail else reason)
        findings[claim] = finding
    return findings


def reported(scripts: Sequence[Script], budget: Budget) -> Iterator[Script]:
    """The scripts, one after the other, with progress."""
    for done, script in enumerate(scripts):
        budget.step(done, len(scripts))
        yield script
