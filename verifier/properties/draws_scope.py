"""A property over every run that the draws of a problem can make: exact enumeration, nothing sampled.

What an outer iteration makes of its groups does not depend on the order of their draws, so groups are gone through up
to that order, unless the property names a draw by its number. An outer iteration begins from every parameter that the
one before it can return; equal ones are one, unless the property joins a step with the end of its run.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

from grpocheck.core.arithmetic import Arithmetic, UndecidedComparison
from grpocheck.core.gradient import Vector
from grpocheck.core.guard import Kept
from grpocheck.core.oracles import Supply
from grpocheck.core.outcome import OuterIteration, Status
from grpocheck.core.problem import Problem
from grpocheck.core.procedure import guarded
from grpocheck.core.update import outer_iteration
from grpocheck.verifier.counts import count_vectors, positions_of
from grpocheck.verifier.law.branches import ScriptedDraws, Size, count_text, key_of_vector, size_of
from grpocheck.verifier.properties.answers import NOTHING, UNMET, Answer, kind_of, refuted
from grpocheck.verifier.properties.checking import Property, counted
from grpocheck.verifier.properties.evaluation import Truth
from grpocheck.verifier.properties.explaining import Explanation
from grpocheck.verifier.properties.moments import Ending, Moment, Setting, ending
from grpocheck.verifier.properties.quantities import Level
from grpocheck.verifier.properties.runs import Case, certified, judged, moments_of_iteration, setting_of
from grpocheck.verifier.properties.verdicts import Stopped, Verdict, Watch

MOST_CASES = 1_000_000
"""No enumeration of more cases is begun."""

Script: TypeAlias = tuple[tuple[int, ...], ...]
"""The positions drawn for each prompt."""


@dataclass(frozen=True)
class Node:
    """Where an outer iteration begins: a parameter, what is known there, and the outer iterations on the way to it."""

    theta: Vector
    kept: Kept | None
    path: tuple[OuterIteration, ...]
    calls: Counter[str]


@dataclass
class Tally:
    """What the cases so far say."""

    cases: int = 0
    moments: int = 0
    undecided: Explanation | None = None
    met: bool = False
    """Whether the condition of the property, where it has one, was not false everywhere."""
    open: str | None = None
    """Why a case could not be run to its end."""


@dataclass(frozen=True)
class Refuting:
    """A case that refutes, and the outer iterations that lead to it."""

    case: Case
    path: tuple[OuterIteration, ...]


@dataclass
class Enumeration:
    """One enumeration: what is asked, of what, and how far it is."""

    stated: Property
    problem: Problem
    watch: Watch
    arithmetic: Arithmetic
    setting: Setting
    tally: Tally

    def __post_init__(self) -> None:
        """Find out what has to be told apart."""
        self.joins = self.stated.has(Level.OUTCOME) and not self.stated.is_of_outcome
        self.scripts = scripts(self.problem, ordered=self.stated.minds_order)
        self.total = 0

    def refuting(self) -> Refuting | None:
        """The first case that refutes, those of earlier outer iterations first; None where there is none."""
        start = tuple(self.arithmetic.number(entry) for entry in self.problem.theta)
        nodes = [Node(start, None, (), Counter())]
        for t in range(1, self.problem.outer_iterations + 1):
            self.total += len(nodes) * len(self.scripts)
            following: dict[object, Node] = {}
            for node, script in product(nodes, self.scripts):
                found = self.followed(t, node, script, following)
                if found is not None:
                    return found
            nodes = list(following.values())
        return None

    def followed(self, t: int, node: Node, script: Script, following: dict[object, Node]) -> Refuting | None:
        """One outer iteration: judged if the property speaks of it, and gone on from if it completes."""
        self.watch.tell(self.tally.cases, self.total)
        self.tally.cases += 1
        draws = Supply(draws=ScriptedDraws(dict(enumerate(script))))
        guard = guarded(
            self.problem, draws, self.arithmetic, {"source": "supplied"}, lambda event: self.watch.look()
        )
        guard.kept = None if node.kept is None else Kept(node.kept.theta, node.kept.masses)
        try:
            iteration = outer_iteration(self.problem, guard, t, node.theta)
        except UndecidedComparison as undecided:
            self.tally.open = self.tally.open or f"a run is not decided: {undecided}"
            return None
        path = (*node.path, iteration)
        calls = node.calls + Counter(guard.ledger.to_mapping())
        goes_on = iteration.status is Status.COMPLETE and t < self.problem.outer_iterations
        end = None if goes_on else ending(iteration.status, calls)
        case = judged(self.stated, self.moments(path, end), self.watch)
        self.tally.moments += case.moments
        self.tally.met = self.tally.met or case.met
        if case.truth in (Truth.FALSE, Truth.UNDEFINED):
            return Refuting(case, path)
        if case.truth is Truth.UNDECIDED:
            self.tally.undecided = self.tally.undecided or case.explanation
        if goes_on:
            key = len(following) if self.joins else key_of_vector(iteration.theta)
            following.setdefault(key, Node(iteration.theta, guard.kept, path, calls))
        return None

    def moments(self, path: Sequence[OuterIteration], end: Ending | None) -> Iterator[Moment]:
        """What the property speaks of: the last outer iteration; at its end the outcome, or the run with it."""
        if self.stated.is_of_outcome:
            if end is not None:
                yield Moment(self.setting, end)
        elif not self.joins or end is not None:
            for iteration in path if self.joins else path[-1:]:
                yield from moments_of_iteration(self.stated, self.problem, self.setting, iteration, end)


def scripts(problem: Problem, ordered: bool) -> list[Script]:
    """Every group that can be drawn for the prompts, in all combinations; up to the order of the draws, or with it."""
    choices: list[list[tuple[int, ...]]] = []
    for prompt in problem.prompts:
        n, group_size = len(prompt.responses), problem.group_size
        counts = [positions_of(counts) for counts in count_vectors(n, group_size)]
        choices.append(list(product(range(n), repeat=group_size)) if ordered else counts)
    return list(product(*choices))


def cases_of(size: Size, ordered: bool) -> int:
    """How many groups can be drawn in one outer iteration."""
    if not ordered:
        return size.cases
    once = replace(size, outer_iterations=1)
    return MOST_CASES + 1 if once.ordered is None else once.ordered


def check_draws(stated: Property, problem: Problem, watch: Watch) -> Answer:
    """Every run that the draws of the problem can make, whatever it records."""
    size = size_of(problem)
    cases = cases_of(size, stated.minds_order)
    order = "in order" if stated.minds_order else "up to the order of the draws"
    if cases > MOST_CASES:
        reason = (
            f"too large: {count_text(cases)} cases {order} in one outer iteration, standing for {size.ordered_text} "
            f"ordered draws; at most {MOST_CASES} are gone through"
        )
        return Answer(Verdict.UNDECIDED, "none", "every draw of this problem", 0, reason)
    arithmetic = certified()
    tally = Tally()
    enumeration = Enumeration(stated, problem, watch, arithmetic, setting_of(problem, arithmetic), tally)
    stopped: str | None = None
    found: Refuting | None = None
    try:
        found = enumeration.refuting()
    except Stopped as reason:
        stopped = f"{reason} after {tally.cases} of {enumeration.total} cases; --budget gives it more"
    scope_text = (
        f"every draw of this problem: {counted(tally.cases, 'case')} {order}"
        f" ({kind_of(stated, tally.moments)}), standing for {size.ordered_text} ordered draws"
    )
    answer = Answer(
        Verdict.HOLDS, "enumeration", scope_text, tally.cases, stands_for=size.ordered, explanation=tally.undecided
    )
    if found is not None:
        first = replace(answer, stands_for=None, scope_text=f"case {tally.cases} of the draws of this problem")
        return refuted(first, stated, problem, found.case, found.path)
    if stopped is not None:
        return replace(
            answer, verdict=Verdict.UNDECIDED, scope_text="every draw of this problem", reason=stopped, stands_for=None
        )
    if tally.moments == 0:
        return replace(answer, verdict=Verdict.UNDECIDED, reason=tally.open or NOTHING)
    if tally.open is not None or tally.undecided is not None:
        return replace(answer, verdict=Verdict.UNDECIDED, reason=tally.open or "")
    watch.tell(tally.cases, enumeration.total)
    return answer if tally.met else replace(answer, reason=UNMET)
