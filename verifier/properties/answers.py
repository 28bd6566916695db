"""What a scope finds, and how a refutation comes to be believed: by a run of its own problem file."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from grpocheck.core.outcome import OuterIteration
from grpocheck.core.problem import Problem
from grpocheck.verifier.properties.checking import Property, counted
from grpocheck.verifier.properties.explaining import Explanation
from grpocheck.verifier.properties.runs import Case, Counterexample, drawn, replayed
from grpocheck.verifier.properties.verdicts import Verdict, Watch

NOTHING = "no step is applied, so there is nothing that the property speaks of"
UNMET = "its condition is met nowhere there, so that it says nothing of what follows from it"


@dataclass(frozen=True)
class Answer:
    """The answer over a scope, before it is put together with what was asked."""

    verdict: Verdict
    method: str
    scope_text: str
    cases: int
    reason: str = ""
    stands_for: int | None = None
    refutation: Counterexample | None = None
    explanation: Explanation | None = None


Checker = Callable[[Property, Problem, Watch], Answer]
"""The check of one scope."""


def kind_of(stated: Property, number: int) -> str:
    """How many moments of a run were looked at."""
    if stated.is_of_outcome:
        return "the outcome"
    return counted(number, "applied step" if stated.is_of_step else "parameter")


def refuted(
    answer: Answer, stated: Property, problem: Problem, case: Case, iterations: Iterable[OuterIteration]
) -> Answer:
    """The answer as a refutation by these outer iterations, if a run of the problem with their draws refutes, too.

    The run begins from the text of the problem file, with no budget: what is believed has been seen twice.
    """
    refutation = replayed(stated, problem, drawn(problem, iterations), Watch())
    if refutation is None:
        where = "" if case.explanation is None else f" ({case.explanation.place})"
        reason = f"a counterexample{where} did not refute the property when its problem file was run again"
        return replace(answer, verdict=Verdict.UNDECIDED, reason=reason, explanation=case.explanation)
    return replace(answer, verdict=Verdict.REFUTED, refutation=refutation)
