"""Contract evidence: every example problem, run with contracts on.

Which claims this speaks for is found out by counting the contracts that were evaluated and decided in these runs, by
the claim identifiers in their descriptions.
"""

import importlib.util
from collections import Counter
from pathlib import Path

from grpocheck.contracts.claims import CLAIMS, Kind
from grpocheck.contracts.clauses import ContractViolation
from grpocheck.contracts.observation import Clause, Observation, observed_clauses
from grpocheck.core import Supply, read_problem, run
from grpocheck.proofs.evidence import Budget, Finding, evidence, held, not_run, undecided
from grpocheck.proofs.shipped import examples

FOLDER = examples()
SEED = 1
"""The seed of the draws where an example does not fix them."""


@evidence(
    *CLAIMS,
    kind=Kind.CONTRACT,
    scope="every run of the example problems, with the contracts of core on",
    files=("examples/*.toml", "examples/*.py"),
)
def contracts_on_the_examples(budget: Budget) -> Finding | dict[str, Finding]:
    """Run every example and report, claim by claim, which clauses were decided how often."""
    paths = sorted(FOLDER.glob("*.toml"))
    if not paths:
        return not_run(f"there is no folder {FOLDER} with problem files", "run it in a clone of the project")
    with observed_clauses("grpocheck.core") as seen:
        for done, path in enumerate(paths, start=1):
            problem = read_problem(path)
            fixed = problem.recorded is not None or problem.seed is not None
            try:
                run(problem, supply_beside(path), seed=None if fixed else SEED)
            except ContractViolation as violation:
                raise ContractViolation(f"{path}:\n{violation}") from violation
            budget.step(done, len(paths))
    return findings_by_claim(seen, len(paths))


def supply_beside(path: Path) -> Supply | None:
    """The ``supply`` of the Python file beside a problem file, which has its name; None where there is none."""
    source = path.with_suffix(".py")
    if not source.exists():
        return None
    spec = importlib.util.spec_from_file_location(f"examples_{path.stem}", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    supply = module.supply
    if not isinstance(supply, Supply):
        raise TypeError(f"{source}: supply: {supply!r}: expected a grpocheck.core.Supply")
    return supply


def findings_by_claim(seen: Observation, runs: int) -> dict[str, Finding]:
    """Held where at least one clause of a claim was decided, undecided where clauses were only left open."""
    findings: dict[str, Finding] = {}
    for identifier in CLAIMS:
        decided = _of_claim(seen.decided, identifier)
        left_open = _of_claim(seen.open, identifier)
        if decided:
            findings[identifier] = held(
                pieces=len(decided), clauses=len(decided), evaluations=decided.total(), runs=runs
            )
        elif left_open:
            findings[identifier] = undecided(
                "its contracts were consistent with the enclosures, and none was decided", clauses=len(left_open)
            )
    return findings


def _of_claim(counts: Counter[Clause], identifier: str) -> Counter[Clause]:
    """The clauses whose description starts with a claim's identifier."""
    return Counter({clause: count for clause, count in counts.items() if identifier in clause.claims})
