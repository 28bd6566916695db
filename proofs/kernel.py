"""Kernel evidence: the theorems of proofs/coq, checked by Coq, against what proofs/theorems.toml records of them.

A theorem counts for a claim when Coq's kernel accepts it and coqchk accepts it again, when it says what is recorded,
about definitions that are the recorded ones, and when it rests on no axiom beyond those of its class.

    python -m grpocheck.proofs.kernel                 check everything; exit status 0 if all of it holds
    python -m grpocheck.proofs.kernel --assumptions   print what every cited theorem says and rests on
    python -m grpocheck.proofs.kernel --record        after reading them, record statements and definitions as they are
"""

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from subprocess import TimeoutExpired

from grpocheck.contracts.claims import CLAIMS, Kind
from grpocheck.proofs.cited import (
    ALLOWED,
    LIBRARY,
    REGISTRY,
    Registry,
    Theorem,
    digest_of,
    digest_of_definition,
    normal,
    read_registry,
    statement_in,
    write_registry,
)
from grpocheck.proofs.coq_session import (
    BUILDS,
    ENABLE,
    SOURCES,
    CoqFailure,
    Development,
    axioms_in,
    defined_names,
    forbidden_words,
    missing_tools,
)
from grpocheck.proofs.evidence import Budget, Finding, OutOfBudget, Verdict, broken, evidence, held, not_run

SECONDS = 900.0
"""Seconds for a whole check from a clean tree, on a machine that does other things as well."""

STAGES = 3
"""The build, coqchk, and the questions."""


@dataclass(frozen=True)
class Record:
    """What was found of one theorem: held, refuted where it is not as recorded, or not-run.

    ``seconds`` are those of the whole check, which its records share.
    """

    theorem: str
    claims: tuple[str, ...]
    status: Verdict
    axioms: tuple[str, ...] = ()
    detail: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Answers:
    """What Coq says: statements and axioms of the cited theorems, digests of statements and definitions, and what
    concerns it all."""

    statements: Mapping[str, str | CoqFailure]
    digests: Mapping[str, str]
    axioms: Mapping[str, tuple[str, ...]]
    definitions: Mapping[str, str]
    problems: tuple[str, ...] = field(default=())


def ask_about(development: Development, theorems: Sequence[Theorem], budget: Budget) -> Answers:
    """The answers of a development that was built."""
    statements = {theorem.name: f"Check @Grpo.{theorem.name}." for theorem in theorems}
    terms = {f"term {name}": in_full(command) for name, command in statements.items()}
    names = [f"{module}.{name}" for module, name in defined_names(development.source)]
    prints = {f"definition {name}": in_full(f"Print Grpo.{name}.") for name in names}
    answers = development.ask({**statements, **terms, **prints}, budget.remaining())
    found: dict[str, str | CoqFailure] = {}
    digests: dict[str, str] = {}
    for name in statements:
        answer, term = answers[name], answers[f"term {name}"]
        found[name] = answer if isinstance(answer, CoqFailure) else statement_in(answer)
        if not isinstance(term, CoqFailure):
            digests[name] = digest_of(statement_in(term))
    definitions: dict[str, str] = {}
    for name in names:
        answer = answers[f"definition {name}"]
        if isinstance(answer, CoqFailure):
            raise answer
        definitions[name] = digest_of_definition(answer)
    known = [theorem for theorem in theorems if not isinstance(found[theorem.name], CoqFailure)]
    return Answers(found, digests, axioms_of(development, known, budget), definitions)


def in_full(command: str) -> str:
    """A question that is answered without notations and with every implicit argument."""
    return f"Set Printing All.\n{command}\nUnset Printing All."


def axioms_of(development: Development, theorems: Sequence[Theorem], budget: Budget) -> dict[str, tuple[str, ...]]:
    """The axioms on which theorems rest, asked once for those of one file and class, since one question takes a second.

    What a class does not allow is asked again theorem by theorem.
    """
    groups: dict[tuple[str, str], list[Theorem]] = defaultdict(list)
    for theorem in theorems:
        groups[theorem.module, theorem.rests_on].append(theorem)
    together = ask_for_axioms(development, list(groups.values()), budget)
    suspects = [
        theorem
        for group, axioms in zip(groups.values(), together, strict=True)
        for theorem in group
        if len(group) > 1 and not set(axioms) <= set(ALLOWED[theorem.rests_on])
    ]
    alone = ask_for_axioms(development, [[theorem] for theorem in suspects], budget)
    found = {theorem.name: axioms for group, axioms in zip(groups.values(), together, strict=True) for theorem in group}
    return {**found, **dict(zip((theorem.name for theorem in suspects), alone, strict=True))}


def ask_for_axioms(
    development: Development, groups: Sequence[Sequence[Theorem]], budget: Budget
) -> list[tuple[str, ...]]:
    """The axioms on which each group of theorems rests."""
    questions = {}
    for number, group in enumerate(groups):
        terms = ", ".join(f"@Grpo.{theorem.name}" for theorem in group)
        questions[str(number)] = f"Definition cited_{number} := ({terms}).\nPrint Assumptions cited_{number}."
    answers = development.ask(questions, budget.remaining()) if questions else {}
    found = []
    for number in range(len(groups)):
        answer = answers[str(number)]
        if isinstance(answer, CoqFailure):
            raise answer
        found.append(axioms_in(answer))
    return found


def problems_of(registry: Registry, answers: Answers) -> Iterator[str]:
    """What is wrong with the development as a whole: definitions that are not those recorded."""
    yield from answers.problems
    for name in sorted(set(registry.definitions) | set(answers.definitions)):
        if name not in answers.definitions:
            yield f"{name}: the recorded definition is gone"
        elif registry.definitions.get(name) != answers.definitions[name]:
            yield f"{name}: not the definition that is recorded"


def of_the_library(axiom: str) -> bool:
    """Whether an axiom, by its whole name, is one of Coq's own on which a theorem may rest."""
    root, _, place = axiom.partition(".")
    return place in LIBRARY and root != "Grpo"


def fault(theorem: Theorem, answers: Answers) -> str:
    """What is wrong with one theorem, the empty text where nothing is."""
    statement = answers.statements[theorem.name]
    if isinstance(statement, CoqFailure):
        return f"no such theorem: {statement}"
    if normal(statement) != normal(theorem.statement):
        return f"says {normal(statement)}, where {normal(theorem.statement)} is recorded"
    if answers.digests[theorem.name] != theorem.digest:
        return f"says in the same words something else than is recorded: {normal(statement)}"
    unexpected = sorted(set(answers.axioms[theorem.name]) - set(ALLOWED[theorem.rests_on]))
    return f"rests on {', '.join(unexpected)}, beyond {theorem.rests_on}" if unexpected else ""


def kernel_evidence(
    source: Path = SOURCES, registry_file: Path = REGISTRY, builds: Path = BUILDS, budget: Budget | None = None
) -> list[Record]:
    """Build and check the development and compare every cited theorem with its record.

    Without Coq the records say not-run, and how to enable it. Raises OutOfBudget when the time is over.
    """
    budget = budget or Budget(SECONDS)
    started = time.monotonic()
    registry = read_registry(registry_file)

    def records(status: Verdict, detail: str) -> list[Record]:
        seconds = time.monotonic() - started
        return [Record(t.name, t.claims, status, (), detail, seconds) for t in registry.theorems]

    missing = missing_tools()
    if missing:
        return records(Verdict.NOT_RUN, f"not installed: {', '.join(missing)}")
    words = forbidden_words(source)
    if words:
        return records(Verdict.REFUTED, f"left unproved or unchecked: {'; '.join(words)}")
    development = Development(source, builds)
    try:
        budget.step(0, STAGES)
        development.build(budget.remaining())
        budget.step(1, STAGES)
        summary = development.check(budget.remaining())
        budget.step(2, STAGES)
        answers = ask_about(development, registry.theorems, budget)
        budget.step(STAGES, STAGES)
    except CoqFailure as failure:
        return records(Verdict.REFUTED, f"Coq refuses the development: {failure}")
    except TimeoutExpired as over:
        raise OutOfBudget(f"Coq did not finish: {over}") from over
    beyond = [f"coqchk: axiom {name}" for name in summary.axioms if not of_the_library(name)]
    answers = replace(answers, problems=(*beyond, *(f"coqchk: {entry}" for entry in summary.unchecked)))
    problems = list(problems_of(registry, answers))
    if problems:
        return records(Verdict.REFUTED, "; ".join(problems[:5]))
    seconds = time.monotonic() - started
    return [
        Record(
            theorem.name,
            theorem.claims,
            Verdict.REFUTED if (wrong := fault(theorem, answers)) else Verdict.HELD,
            answers.axioms.get(theorem.name, ()),
            wrong,
            seconds,
        )
        for theorem in registry.theorems
    ]


def finding_for(claim: str, records: Sequence[Record]) -> Finding:
    """The finding of one claim: held when every theorem that is cited for it is as recorded."""
    cited = [record for record in records if claim in record.claims]
    names = ", ".join(record.theorem for record in cited)
    wrong = [record for record in cited if record.status is Verdict.REFUTED]
    if wrong:
        return broken("; ".join(f"{record.theorem}: {record.detail}" for record in wrong))
    waiting = [record for record in cited if record.status is Verdict.NOT_RUN]
    if waiting:
        return not_run(waiting[0].detail, ENABLE, pieces=len(cited))
    return replace(held(pieces=len(cited), theorems=len(cited)), detail=names)


@evidence(
    *CLAIMS,
    kind=Kind.PROOF,
    scope="every d, M, G, T, K and every supply, by Coq's kernel and again by coqchk",
    seconds=SECONDS,
    files=("proofs/coq/*", "proofs/theorems.toml"),
    contracts=False,
)
def kernel_checked_theorems(budget: Budget) -> dict[str, Finding]:
    """The theorems that are cited for each claim."""
    records = kernel_evidence(budget=budget)
    return {claim: finding_for(claim, records) for claim in CLAIMS}


def record_answers(source: Path = SOURCES, registry_file: Path = REGISTRY, builds: Path = BUILDS) -> None:
    """Write statements and definitions into the registry as they are."""
    registry = read_registry(registry_file)
    development = Development(source, builds)
    budget = Budget(SECONDS)
    development.build(budget.remaining())
    answers = ask_about(development, registry.theorems, budget)
    theorems = []
    for theorem in registry.theorems:
        statement = answers.statements[theorem.name]
        if isinstance(statement, CoqFailure):
            raise statement
        theorems.append(replace(theorem, statement=statement, digest=answers.digests[theorem.name]))
    write_registry(Registry(tuple(theorems), answers.definitions), registry_file)


def print_assumptions(source: Path = SOURCES, registry_file: Path = REGISTRY, builds: Path = BUILDS) -> None:
    """Print what every cited theorem says and rests on, without coqchk."""
    registry = read_registry(registry_file)
    development = Development(source, builds)
    budget = Budget(SECONDS)
    development.build(budget.remaining())
    answers = ask_about(development, registry.theorems, budget)
    for theorem in registry.theorems:
        print(f"{theorem.name}  [{', '.join(theorem.claims) or 'beside the claims'}]")
        print(f"  {answers.statements[theorem.name]}".replace("\n", "\n  "))
        print(f"  rests on: {', '.join(answers.axioms.get(theorem.name, ())) or 'nothing'}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Check everything and print a line for each theorem; 0 all held, 1 not, 3 could not run or did not finish."""
    parser = argparse.ArgumentParser(prog="python -m grpocheck.proofs.kernel", description=__doc__.split("\n")[0])
    parser.add_argument("--assumptions", action="store_true", help="print statements and assumptions, and no more")
    parser.add_argument("--record", action="store_true", help="record statements and definitions as they are")
    options = parser.parse_args(arguments)
    missing = missing_tools()
    if missing:
        print(f"kernel evidence did not run: not installed: {', '.join(missing)}; to enable it: {ENABLE}")
        return 3
    try:
        if options.record or options.assumptions:
            (record_answers if options.record else print_assumptions)()
            return 0
        records = kernel_evidence()
    except (CoqFailure, OutOfBudget) as stopped:
        print(f"kernel evidence: {stopped}", file=sys.stderr)
        return 1 if isinstance(stopped, CoqFailure) else 3
    told = ""
    for record in records:
        axioms = f"  (rests on {', '.join(record.axioms) or 'nothing'})" if record.status is Verdict.HELD else ""
        print(f"{record.status:8} {', '.join(record.claims) or 'beside':8} {record.theorem}{axioms}")
        if record.detail not in ("", told):
            print(f"         {record.detail}")
        told = record.detail
    seconds = max(record.seconds for record in records)
    good = sum(record.status is Verdict.HELD for record in records)
    print(f"{good} of {len(records)} theorems are as recorded, by Coq's kernel and by coqchk ({seconds:.0f} s)")
    return 0 if good == len(records) else 1


if __name__ == "__main__":
    sys.exit(main())
