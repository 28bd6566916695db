"""Check a property of a problem over a scope; ``check_in_process`` of process.py does it where it can be ended."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from grpocheck.core.arithmetic import UndecidedComparison
from grpocheck.core.problem import Problem
from grpocheck.verifier.properties.checking import Property, check_sizes, counted, parse
from grpocheck.verifier.properties.evaluation import Truth
from grpocheck.verifier.properties.explaining import Explanation
from grpocheck.verifier.properties.runs import Counterexample, case_of_run, drawn, family_of, replayed
from grpocheck.verifier.properties.verdicts import Place, Progress, Result, Scope, Stopped, Verdict, Watch
from grpocheck.verifier.properties.writing import written

BUDGET = 60.0
"""Seconds of a check unless others are given."""


@dataclass(frozen=True)
class Answer:
    """What a scope finds, before it is put together with what was asked."""

    verdict: Verdict
    method: str
    scope_text: str
    cases: int
    reason: str = ""
    stands_for: int | None = None
    refutation: Counterexample | None = None
    explanation: Explanation | None = None


Checker = Callable[[Property, Problem, Watch], Answer]


def prepared(stated: str | Property, problem: Problem, scope: str) -> tuple[Property, Scope]:
    """The property and the scope, refused where they do not fit the problem: PropertyError, InvalidProblem."""
    if scope not in list(Scope):
        raise ValueError(f"scope: {scope!r}: expected one of {', '.join(Scope)}")
    found = parse(stated) if isinstance(stated, str) else stated
    check_sizes(found, problem)
    family_of(problem)
    return found, Scope(scope)


def check(
    stated: str | Property,
    problem: Problem,
    scope: str = Scope.RUN,
    budget: float | None = BUDGET,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Result:
    """Whether a property holds over a scope of a problem.

    ``budget`` is in seconds, None for no limit; ``progress`` is told how many cases are done of how many; ``cancelled``
    is asked whether to stop. A single step of arithmetic is not interrupted: where that matters, check_in_process.
    Raises PropertyError for a text that is no property or does not fit the problem, InvalidProblem for a supplied
    family.
    """
    found, within = prepared(stated, problem, scope)
    watch = Watch(budget, progress, cancelled)
    try:
        answer = CHECKERS[within](found, problem, watch)
    except UndecidedComparison as undecided:
        answer = Answer(Verdict.UNDECIDED, "none", "", 0, f"the run itself is not decided: {undecided}")
    return result_of(found, within, answer, watch.elapsed)


def result_of(stated: Property, scope: Scope, answer: Answer, seconds: float) -> Result:
    """The answer of a scope, with what was asked."""
    refutation = answer.refutation
    explanation = refutation.case.explanation if refutation is not None else answer.explanation
    return Result(
        property=written(stated.tree),
        scope=scope,
        verdict=answer.verdict,
        method=answer.method,
        scope_text=answer.scope_text,
        cases=answer.cases,
        stands_for=answer.stands_for,
        counterexample=None if refutation is None else refutation.text,
        at=None if explanation is None else explanation.place,
        values={} if explanation is None else dict(explanation.values),
        reason=answer.reason or ("" if explanation is None else "; ".join(explanation.facts)),
        undefined=refutation is not None and refutation.case.truth is Truth.UNDEFINED,
        seconds=seconds,
    )


def unbelieved(answer: Answer, explanation: Explanation | None) -> Answer:
    """A refutation whose problem file does not refute when it is run again: no refutation."""
    where = Place() if explanation is None else explanation.place
    reason = f"a counterexample ({where}) did not refute the property when its problem file was run again"
    return replace(answer, verdict=Verdict.UNDECIDED, reason=reason)


def kind_of(stated: Property, number: int) -> str:
    """How many moments of a run were looked at."""
    if stated.is_of_outcome:
        return "the outcome"
    return counted(number, "applied step" if stated.is_of_step else "parameter")


NOTHING = "no step is applied, so there is nothing that the property speaks of"


def check_run(stated: Property, problem: Problem, watch: Watch) -> Answer:
    """The property over this run."""
    try:
        case, outcome = case_of_run(stated, problem, watch)
    except Stopped as stopped:
        return Answer(Verdict.UNDECIDED, "none", "this run", 0, str(stopped))
    source = outcome.draw_source
    draws = f"seed {source['seed']}" if source["source"] == "seed" else f"{source['source']} draws"
    scope_text = f"{kind_of(stated, case.moments)} of this run ({draws})"
    answer = Answer(Verdict.HOLDS, "evaluation", scope_text, case.moments, explanation=case.explanation)
    if case.moments == 0:
        return replace(answer, verdict=Verdict.UNDECIDED, reason=NOTHING)
    if case.truth is Truth.TRUE:
        return answer
    if case.truth is Truth.UNDECIDED:
        return replace(answer, verdict=Verdict.UNDECIDED)
    refutation = replayed(stated, problem, drawn(problem, outcome.iterations), Watch())
    if refutation is None:
        return unbelieved(answer, case.explanation)
    return replace(answer, verdict=Verdict.REFUTED, refutation=refutation)


CHECKERS: Mapping[Scope, Checker] = MappingProxyType({Scope.RUN: check_run})
