"""A property over this run: what its recorded draws, or its seed, make of the problem."""

from dataclasses import replace

from grpocheck.core.problem import Problem
from grpocheck.verifier.properties.answers import NOTHING, UNMET, Answer, kind_of, refuted
from grpocheck.verifier.properties.checking import Property
from grpocheck.verifier.properties.evaluation import Truth
from grpocheck.verifier.properties.runs import case_of_run
from grpocheck.verifier.properties.verdicts import Stopped, Verdict, Watch


def check_run(stated: Property, problem: Problem, watch: Watch) -> Answer:
    """Every parameter or applied step of this run, or its outcome."""
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
        return answer if case.met else replace(answer, reason=UNMET)
    if case.truth is Truth.UNDECIDED:
        return replace(answer, verdict=Verdict.UNDECIDED)
    return refuted(answer, stated, problem, case, outcome.iterations)
