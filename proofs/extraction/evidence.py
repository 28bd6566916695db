"""The comparison declared as evidence, and as a command of its own.

    GRPOCHECK_CONTRACTS=off python -m grpocheck.proofs.extraction.evidence
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any, TypeVar

from grpocheck.contracts.claims import Kind
from grpocheck.contracts.clauses import ENABLED
from grpocheck.proofs.coq_session import BUILDS, ENABLE, SOURCES, CoqFailure, Development, missing_tools
from grpocheck.proofs.evidence import Budget, Finding, OutOfBudget, Verdict, broken, evidence, held, not_run, refuted
from grpocheck.proofs.extraction import definitions, draws, runs
from grpocheck.proofs.extraction.model import ModelFailure, ask_model

SEED = 20_240
RUNS = 20_000
DATA = 10_000
STRINGS = 20_000
AT_ONCE = 500
"""Cases for which the model is asked at once."""

SECONDS = 600.0
FILES = ("proofs/coq/*.v", "proofs/coq/driver.ml", "proofs/coq/_CoqProject", "proofs/coq/Makefile")

Case = TypeVar("Case", runs.Script, definitions.Data, draws.Bits)


@evidence(
    "A1",
    "A2",
    "C1",
    "C2",
    "C3",
    "C4",
    "D1",
    "D2",
    kind=Kind.PROPERTY,
    scope=f"{RUNS} random scripts of oracle answers: core's run leaves the trace of the model that is proved about",
    seconds=SECONDS,
    files=FILES,
    contracts=False,
)
def runs_follow_the_model(budget: Budget) -> Finding:
    """Core's own run and the extracted procedure, whole traces and ledger."""
    return compare(runs.random_scripts(SEED, RUNS), RUNS, runs.difference, budget)


@evidence(
    "B2",
    "B4",
    "E1",
    "F2",
    kind=Kind.PROPERTY,
    scope=f"{DATA} random rational data: core's definitions give the values of those that the theorems are about",
    seconds=SECONDS,
    files=FILES,
    contracts=False,
)
def definitions_follow_the_model(budget: Budget) -> Finding:
    """Core's advantages, ratios, terms, divergence, objective and gradient, and the extracted ones."""
    return compare(definitions.random_data(SEED, DATA), DATA, definitions.difference, budget)


@evidence(
    "G3",
    kind=Kind.PROPERTY,
    scope=f"{STRINGS} random strings of bits: core's sampler draws what the sampler that is proved about draws",
    seconds=SECONDS,
    files=FILES,
    contracts=False,
)
def draws_follow_the_model(budget: Budget) -> Finding:
    """Core's sampler and the extracted one, on strings of bits that decide a draw and on some that do not."""
    return compare(draws.random_bits(SEED, STRINGS), STRINGS, draws.difference, budget)


def compare(
    cases: Iterator[Case],
    total: int,
    difference: Callable[[Case, Any], str],
    budget: Budget,
    source: Path = SOURCES,
    builds: Path = BUILDS,
) -> Finding:
    """Ask the model about the cases and compare core with its answers, up to the first difference."""
    missing = missing_tools()
    if missing:
        return not_run(f"not installed: {', '.join(missing)}", ENABLE)
    development = Development(source, builds)
    done = 0
    try:
        development.build(budget.remaining())
        while chunk := list(islice(cases, AT_ONCE)):
            answers = ask_model(development.folder, [case.line() for case in chunk], budget.remaining())
            for case, answer in zip(chunk, answers, strict=True):
                found = difference(case, answer)
                if found:
                    return refuted(f"case {done + 1}: {found}; the case: {case.line()}", cases=done + 1)
                done += 1
                budget.step(done, total)
    except (CoqFailure, ModelFailure) as failure:
        return broken(f"the model cannot be run: {failure}")
    except TimeoutExpired as over:
        raise OutOfBudget(f"the model did not finish: {over}") from over
    return held(cases=done)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every comparison and print a line for each; 0 all hold, 1 a difference, 3 one could not run or finish."""
    if ENABLED:
        print("the comparison needs core without its contracts: set GRPOCHECK_CONTRACTS=off", file=sys.stderr)
        return 2
    verdicts = []
    for check in (runs_follow_the_model, definitions_follow_the_model, draws_follow_the_model):
        try:
            finding = check(Budget(SECONDS))
        except OutOfBudget as over:
            print(f"undecided {check.__name__}: {over}")
            verdicts.append(Verdict.UNDECIDED)
            continue
        assert isinstance(finding, Finding)
        counts = ", ".join(f"{count} {name}" for name, count in finding.counts.items())
        print(f"{finding.verdict:8} {check.__name__}: {finding.detail or counts} {finding.enable}".rstrip())
        verdicts.append(finding.verdict)
    return 1 if Verdict.REFUTED in verdicts else 0 if set(verdicts) == {Verdict.HELD} else 3


if __name__ == "__main__":
    sys.exit(main())
