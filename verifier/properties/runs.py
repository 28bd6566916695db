"""A property on one run of a problem: every moment of it, and a refutation run again from its own problem file."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from textwrap import wrap

from grpocheck.core.arithmetic import Arithmetic
from grpocheck.core.arithmetic.choice import arithmetic_named
from grpocheck.core.families.family import Family
from grpocheck.core.gradient import Vector
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.outcome import Outcome, OuterIteration
from grpocheck.core.problem import Problem, Record
from grpocheck.core.procedure import run
from grpocheck.core.reading import parsed, problem_from_mapping
from grpocheck.core.writing import problem_to_toml
from grpocheck.verifier.prime_logs import PrimeLogs
from grpocheck.verifier.properties.checking import Property
from grpocheck.verifier.properties.evaluation import Evaluator, Truth
from grpocheck.verifier.properties.explaining import Explanation, explained
from grpocheck.verifier.properties.moments import At, Ending, Masses, Moment, Setting, ending
from grpocheck.verifier.properties.syntax import Implies, Node, Not, Quantified
from grpocheck.verifier.properties.verdicts import Watch
from grpocheck.verifier.properties.writing import written

WIDTH = 116


@dataclass(frozen=True)
class Case:
    """What a property is on a run: its value, where it was looked at, and why where it is not true."""

    truth: Truth
    moments: int
    explanation: Explanation | None = None
    met: bool = True
    """Whether the condition of a property that has one, A implies B, was not false everywhere."""


def certified() -> Arithmetic:
    """The arithmetic of a check: exact where that is possible, else certified enclosures."""
    return PrimeLogs(arithmetic_named("enclosure"))


def setting_of(problem: Problem, arithmetic: Arithmetic) -> Setting:
    """The constants of a problem, as scalars."""
    return Setting(
        problem.outer_iterations,
        problem.inner_steps,
        problem.group_size,
        tuple(len(prompt.responses) for prompt in problem.prompts),
        arithmetic.number(problem.epsilon),
        arithmetic.number(problem.beta),
        tuple(arithmetic.number(entry) for entry in problem.theta),
        arithmetic,
    )


def family_of(problem: Problem) -> Family:
    """The problem's family; raises InvalidProblem for a supplied one, whose masses are not in the file."""
    if not isinstance(problem.family, Family):
        raise InvalidProblem("family", problem.family.name, "a built-in family: a property needs its masses")
    return problem.family


def moments_of_iteration(
    stated: Property, problem: Problem, setting: Setting, iteration: OuterIteration, end: Ending | None
) -> Iterator[Moment]:
    """The applied steps of an outer iteration, or the parameters it stood at, as the property speaks of them."""
    family, arithmetic = family_of(problem), setting.arithmetic

    def masses(theta: Vector) -> Masses:
        return [family.masses(theta, prompt, arithmetic) for prompt in problem.prompts]

    frozen = iteration.frozen
    here = old = At(frozen.theta_old, masses)
    if not stated.is_of_step:
        yield Moment(setting, end, frozen, 0, old, here)
    for step in iteration.steps:
        if not step.is_member:
            continue
        after = At(step.theta, masses)
        if stated.is_of_step:
            size = arithmetic.number(problem.step_sizes[frozen.outer_iteration - 1][step.number - 1])
            yield Moment(setting, end, frozen, step.number, old, here, after, size)
        else:
            yield Moment(setting, end, frozen, step.number, old, after)
        here = after


def moments_of(stated: Property, problem: Problem, outcome: Outcome, setting: Setting) -> Iterator[Moment]:
    """Every moment of a run that the property speaks of."""
    end = ending(outcome.status, outcome.ledger.to_mapping())
    if stated.is_of_outcome:
        yield Moment(setting, end)
        return
    for iteration in outcome.iterations:
        yield from moments_of_iteration(stated, problem, setting, iteration, end)


def judged(stated: Property, moments: Iterable[Moment], watch: Watch) -> Case:
    """The property over moments: the first at which it is false or undefined, else the first that is undecided."""
    undecided: Explanation | None = None
    seen, unmet = 0, never_met(stated.tree)
    for moment in moments:
        watch.look()
        seen += 1
        if unmet is not None and Evaluator(moment).truth(unmet, {}) is not Truth.TRUE:
            unmet = None
        truth = Evaluator(moment).truth(stated.tree, {})
        if truth in (Truth.FALSE, Truth.UNDEFINED):
            return Case(truth, seen, explained(stated.tree, moment))
        if truth is Truth.UNDECIDED and undecided is None:
            undecided = explained(stated.tree, moment)
    return Case(Truth.TRUE if undecided is None else Truth.UNDECIDED, seen, undecided, met=unmet is None)


def never_met(tree: Node) -> Node | None:
    """That the condition of a property is false, for all that it ranges over; None where it has none, A implies B."""
    if isinstance(tree, Implies):
        return Not(tree.left, tree.column)
    if isinstance(tree, Quantified) and tree.quantifier == "all":
        body = never_met(tree.body)
        return None if body is None else replace(tree, body=body)
    return None


def watched_run(problem: Problem, arithmetic: Arithmetic, watch: Watch) -> Outcome:
    """A run that the watch may stop at any event of it."""
    return run(problem, arithmetic=arithmetic, observer=lambda event: watch.look())


def case_of_run(stated: Property, problem: Problem, watch: Watch) -> tuple[Case, Outcome]:
    """The property on the run of a problem."""
    family_of(problem)
    arithmetic = certified()
    outcome = watched_run(problem, arithmetic, watch)
    return judged(stated, moments_of(stated, problem, outcome, setting_of(problem, arithmetic)), watch), outcome


def drawn(problem: Problem, iterations: Iterable[OuterIteration]) -> Record:
    """The draws of outer iterations as a record; what was never drawn is filled with each prompt's first response."""
    made = [
        tuple(tuple(group.prompt.responses[position] for position in group.positions) for group in entry.frozen.groups)
        for entry in iterations
    ]
    filler = tuple((prompt.responses[0],) * problem.group_size for prompt in problem.prompts)
    return (*made, *(filler,) * (problem.outer_iterations - len(made)))


@dataclass(frozen=True)
class Counterexample:
    """A problem file whose run refutes a property, and where and how it does."""

    text: str
    case: Case


def replayed(stated: Property, problem: Problem, record: Record | None, watch: Watch) -> Counterexample | None:
    """The problem with recorded draws as a file, run again from its text; None unless that run refutes, too."""
    recorded = problem if record is None else replace(problem, recorded=record, seed=None)
    document = problem_to_toml(recorded)
    case, _ = case_of_run(stated, read_text(document), watch)
    if case.truth not in (Truth.FALSE, Truth.UNDEFINED):
        return None
    return Counterexample(f"{header(stated, case)}\n{document}", case)


def header(stated: Property, case: Case) -> str:
    """What a counterexample shows, as comment lines."""
    assert case.explanation is not None
    how = "is false" if case.truth is Truth.FALSE else "has no value"
    lines = [f"Against the property: {written(stated.tree)}", f"It {how} at {case.explanation.place}:"]
    lines += [f"    {fact}" for fact in case.explanation.facts]
    wrapped = [part for line in lines for part in wrap(line, WIDTH, subsequent_indent="    ", break_on_hyphens=False)]
    return "".join(f"# {line}\n" for line in wrapped)


def read_text(document: str) -> Problem:
    """The problem of a problem file's text."""
    return problem_from_mapping(parsed(document))
