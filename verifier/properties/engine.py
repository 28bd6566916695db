"""Check a property of a problem over a scope; ``check_in_process`` of process.py does it where it can be ended."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from grpocheck.core.arithmetic import UndecidedComparison
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.problem import Problem
from grpocheck.verifier.properties.answers import Answer, Checker
from grpocheck.verifier.properties.checking import Property, check_sizes, parse
from grpocheck.verifier.properties.draws_scope import check_draws
from grpocheck.verifier.properties.evaluation import Truth
from grpocheck.verifier.properties.run_scope import check_run
from grpocheck.verifier.properties.runs import family_of
from grpocheck.verifier.properties.shape_scope import check_shape
from grpocheck.verifier.properties.verdicts import Progress, Result, Scope, Verdict, Watch
from grpocheck.verifier.properties.writing import written

BUDGET = 60.0
"""Seconds of a check unless others are given."""


def prepared(stated: str | Property, problem: Problem, scope: str) -> tuple[Property, Scope]:
    """The property and the scope, refused where they do not fit the problem: PropertyError, InvalidProblem."""
    if scope not in list(Scope):
        raise InvalidProblem("scope", scope, f"one of {', '.join(Scope)}")
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
    family and for a scope that there is none of.

    >>> from grpocheck.core import read_problem
    >>> problem = read_problem("examples/undefined_gradient.toml")
    >>> str(check("F_next >= F", problem).verdict), str(check("K = 1", problem).verdict)
    ('holds', 'refuted')
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


CHECKERS: Mapping[Scope, Checker] = MappingProxyType(
    {Scope.RUN: check_run, Scope.DRAWS: check_draws, Scope.SHAPE: check_shape}
)
