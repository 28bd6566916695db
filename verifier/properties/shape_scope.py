"""A property over every problem of a shape: as many prompts, responses, draws, steps and iterations, of one family.

A counterexample is looked for first, among the smallest rational problems. Where none is found, a property of the
outcome is judged over every way a run can go, and one of a parameter or a step is explored with exact real unknowns.
Only these two can say that it holds; only a problem file whose run refutes it can say that it does not, and it is
looked for further while there is time.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from grpocheck.core.problem import Problem
from grpocheck.verifier.properties.answers import Answer, refuted
from grpocheck.verifier.properties.checking import Property, counted
from grpocheck.verifier.properties.runs import case_of_run
from grpocheck.verifier.properties.shape_search import GRIDS, Grid, found_in, refutes, simplified, widely
from grpocheck.verifier.properties.shape_stops import applies, failing, stops
from grpocheck.verifier.properties.symbolic_check import explored, problems_of
from grpocheck.verifier.properties.symbolic_model import obstacle
from grpocheck.verifier.properties.verdicts import Stopped, Verdict, Watch

SHARE_OF_EXPLORATION = 0.6
"""The part of the budget that an exploration may take: a longer search for a counterexample comes after it."""
SECONDS = 60.0
"""Of a search, which has no end, where there is no budget."""
SECONDS_TO_SIMPLIFY = 5.0


def shape_text(problem: Problem) -> str:
    """The shape in the field's letters."""
    n = sorted({len(prompt.responses) for prompt in problem.prompts})
    return (
        f"M={len(problem.prompts)}, n={'..'.join(map(str, n[:: len(n) - 1 or 1]))}, G={problem.group_size}, "
        f"K={problem.inner_steps}, T={problem.outer_iterations}, {problem.family.name}"
    )


def check_shape(stated: Property, problem: Problem, watch: Watch) -> Answer:
    """Every problem of this one's shape, whatever its numbers, draws and domain."""
    timed = watch if watch.budget is not None else replace(watch, budget=SECONDS)
    tally = [0]
    answer = Answer(Verdict.UNDECIDED, "none", f"every problem of the shape {shape_text(problem)}", 0)
    try:
        quick = applies(stated)  # every way a run can go takes less than the smallest grid
        found = None if quick else first_of(stated, problem, GRIDS[:1], timed, tally)
        if found is None:
            answer = judged_whole(answer, stated, problem, timed)
            if answer.verdict is not Verdict.UNDECIDED:
                return answer
            found = first_of(stated, problem, (*GRIDS[not quick :], widely(problem)), timed, tally)
        assert found is not None  # the widest grid has no end
        return refutation(replace(answer, cases=tally[0], method="search"), stated, found, timed)
    except Stopped as stopped:
        reason = f"{stopped}; {counted(tally[0], 'problem')} of the shape looked at, and none refutes it"
        return replace(answer, cases=tally[0], reason=f"{reason}; {answer.reason}" if answer.reason else reason)


def first_of(
    stated: Property, problem: Problem, grids: Sequence[Grid], watch: Watch, tally: list[int]
) -> Problem | None:
    """The first problem of some grids that refutes. Raises Stopped."""
    found = (found_in(stated, problem, grid, watch, tally) for grid in grids)
    return next((candidate for candidate in found if candidate is not None), None)


def refutation(answer: Answer, stated: Property, found: Problem, watch: Watch) -> Answer:
    """The refutation by a problem, made as simple as the time allows."""
    smaller = simplified(stated, found, replace(watch, budget=watch.elapsed + SECONDS_TO_SIMPLIFY))
    case, outcome = case_of_run(stated, smaller, Watch())
    return refuted(replace(answer, reason=""), stated, smaller, case, outcome.iterations)


def judged_whole(answer: Answer, stated: Property, problem: Problem, watch: Watch) -> Answer:
    """The property over the whole shape at once, by what is left open of it: its stops, or its numbers."""
    if applies(stated):
        return by_stops(answer, stated, problem, watch)
    hindrance = obstacle(stated, problem)
    if hindrance is not None:
        return replace(answer, reason=f"it has no symbolic form here: {hindrance}")
    return by_exploration(answer, stated, problem, watch)


def by_stops(answer: Answer, stated: Property, problem: Problem, watch: Watch) -> Answer:
    """The property of an outcome over every way that a run can go."""
    ways = len(stops(problem))
    found = failing(stated, problem, watch)
    if found is None:
        text = f"{answer.scope_text}: each of the {ways} ways a run can go, whatever the numbers, draws and oracles"
        return replace(answer, verdict=Verdict.HOLDS, method="enumeration", scope_text=text, cases=ways)
    stop, explanation = found
    return replace(answer, reason=f"it fails where a run is {stop}: {'; '.join(explanation.facts)}")


def by_exploration(answer: Answer, stated: Property, problem: Problem, watch: Watch) -> Answer:
    """The property of a parameter or a step, with exact real unknowns."""
    left = SECONDS if watch.left is None else watch.left
    found = explored(stated, problem, watch, left * SHARE_OF_EXPLORATION)
    if found.holds:
        what = "any step from any parameter of U" if stated.is_of_step else "any two parameters of U"
        text = f"{answer.scope_text}: {what}, any numbers, any draws ({found.size})"
        return replace(answer, verdict=Verdict.HOLDS, method="symbolic", scope_text=text, cases=found.harnesses)
    for candidate in problems_of(problem, found):
        if refutes(stated, candidate, watch):
            return refutation(replace(answer, method="symbolic", cases=1), stated, candidate, watch)
    if found.counterexample is None:
        return replace(answer, reason=f"explored symbolically: {found.reason}")
    values = ", ".join(f"{name} = {shown(value)}" for name, value in found.counterexample.items())
    return replace(answer, reason=f"it fails for {values}, and no run is known that comes by these numbers")


def shown(value: Any) -> str:
    """A number, or several in parentheses."""
    return f"({', '.join(value)})" if isinstance(value, list) else str(value)
