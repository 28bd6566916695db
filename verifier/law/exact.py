"""The exact law of a run: its statuses, parameters, objectives and calls, with their probabilities.

All draws are gone through, up to their order, and each is an outer iteration of core, put together from parts that
combinations share (grpocheck.verifier.law.shared). Where T > 1 an outer iteration begins from every
parameter that the one before it can return; parameters that are written the same are one. At the end those that are
found equal (grpocheck.verifier.law.telling) become one; none is taken for equal that is not certain to be.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.contracts.comparisons import equal
from grpocheck.core.arithmetic import Arithmetic, Real, Scalar
from grpocheck.core.gradient import Vector, weighted_sum
from grpocheck.core.outcome import Status
from grpocheck.core.problem import Problem
from grpocheck.verifier.counts import count_vectors
from grpocheck.verifier.law.branches import Size, balanced_sum, count_text, size_of
from grpocheck.verifier.law.elsewhere import Helpers, Kept, making_known_as, passages
from grpocheck.verifier.law.objective import expected_objective, true_objective
from grpocheck.verifier.law.passage import ZERO, Advance, Making, Node, Passage
from grpocheck.verifier.law.register import Value
from grpocheck.verifier.law.sending import Writer, read_numbers
from grpocheck.verifier.law.telling import equal_rows

MOST_CASES = 30_000
"""So many outer iterations are gone through at most, unless another limit is given."""

ONE = Fraction(1)

Bars = Callable[[str, int], AbstractContextManager[Advance]]


def no_bars(label: str, total: int) -> AbstractContextManager[Advance]:
    """Nobody watches."""
    return nullcontext(lambda amount: None)


class TooLarge(Exception):  # noqa: N818 - named for what it says
    """An enumeration beyond its limit; says how large it would be, up to the order of the draws and with it."""

    def __init__(self, size: Size, t: int, parameters: int, before: int, limit: int) -> None:
        """The size, the outer iteration that goes beyond, the parameters it begins from, and the cases before it."""
        self.cases = before + parameters * size.cases
        self.size = size
        self.limit = limit
        where = "" if size.outer_iterations == 1 else f"outer iteration {t} begins from {counted(parameters)}: "
        least = "at least " if t < size.outer_iterations else ""
        super().__init__(
            f"{where}{least}{count_text(self.cases)} cases up to the order of the draws, standing for "
            f"{size.ordered_text} ordered draws, more than --max-cases {limit}; --samples N draws N runs instead, "
            "with confidence intervals"
        )


def counted(parameters: int) -> str:
    """How many parameters."""
    return "1 parameter" if parameters == 1 else f"{parameters} parameters"


@dataclass(frozen=True)
class ParameterAtom:
    """A parameter that a run can return, with the probability of returning it, and of each status with it."""

    theta: Vector
    by_status: Mapping[Status, Scalar]

    @property
    def probability(self) -> Scalar:
        """The probability that a run returns this parameter."""
        return balanced_sum(list(self.by_status.values()))


@dataclass(frozen=True)
class ObjectiveAtom:
    """A value that F can have after the last applied step, with its probability; None where no step is applied.

    Values that are found equal are one. Two enclosed ones that are left may still be equal: ``not_told_apart`` of
    grpocheck.verifier.law.telling says which are not certain to differ.
    """

    value: Scalar | None
    probability: Scalar


@dataclass(frozen=True)
class ExpectedGradient:
    """The expectation of the first attempt's gradient, from each prompt's groups alone."""

    gradient: Vector
    cases: int


@dataclass(frozen=True)
class TrueObjective:
    """E[R] - beta KL, averaged over prompts: at theta_0, and in expectation over the parameters returned."""

    at_start: Scalar
    expected: Scalar


@invariant(
    lambda self: equal(balanced_sum(list(self.statuses.values())), 1),
    "C4: the probabilities of the three statuses sum to exactly 1",
)
@invariant(
    lambda self: equal(balanced_sum([atom.probability for atom in self.parameters]), 1),
    "the probabilities of the returned parameters sum to exactly 1",
)
@invariant(
    lambda self: equal(balanced_sum([atom.probability for atom in self.objectives]), 1),
    "the probabilities of F after the last applied step sum to exactly 1",
)
@invariant(
    lambda self: equal(
        self.calls["gradient_attempts"], self.calls["steps_applied"] + 1 - self.statuses[Status.COMPLETE]
    ),
    "C2: the expected attempts are the expected applied steps plus the probability of a stop",
)
@invariant(
    lambda self: equal(
        self.calls["membership_calls"],
        self.calls["gradient_attempts"] - self.statuses[Status.UNDEFINED_GRADIENT],
    ),
    "C3: the expected membership calls are the expected attempts that returned a gradient",
)
@dataclass(frozen=True)
class Law:
    """The law of a run of a problem. ``calls`` are expected lines of the ledger; ``cases`` were gone through."""

    statuses: Mapping[Status, Scalar]
    parameters: tuple[ParameterAtom, ...]
    objectives: tuple[ObjectiveAtom, ...]
    gradient: ExpectedGradient
    true_objective: TrueObjective
    calls: Mapping[str, Scalar]
    cases: int
    size: Size


Kind = TypeVar("Kind", bound=Hashable)


@require(lambda weights: any(weights.values()), "something is possible")
@ensure(lambda whole, result: equal(balanced_sum(list(result.values())), whole), "the probabilities sum to the whole")
@ensure(
    lambda weights, result: all(equal(result[key], balanced_sum([ZERO, *parts])) for key, parts in weights.items()),
    "each is the sum of its parts",
)
def shares(weights: Mapping[Kind, Sequence[Scalar]], whole: Scalar) -> dict[Kind, Scalar]:
    """The sum of the parts of each of several things that exclude one another, all together ``whole``.

    Where the parts are exact numbers that is so by adding them up. Enclosed parts add up to an expression that is the
    whole without being written so (a power of a sum, multiplied out); there the one with the most parts is taken as
    what the others leave.
    """
    sums = {key: balanced_sum([ZERO, *parts]) for key, parts in weights.items()}
    if any(isinstance(value, Real) for value in sums.values()):
        most = max(weights, key=lambda key: len(weights[key]))
        sums[most] = whole - balanced_sum([ZERO, *(value for key, value in sums.items() if key != most)])
    return sums


@require(lambda most_cases: most_cases >= 1, "a limit that leaves something to go through")
@ensure(
    lambda problem, result: equal(
        result.calls["draws"],
        len(problem.prompts) * problem.group_size * result.calls["outer_iterations_started"],
    ),
    "C1: the expected draws are M*G for each expected outer iteration",
)
@ensure(
    lambda problem, result: result.cases >= result.size.cases and result.size == size_of(problem),
    "G3: every combination of groups is gone through",
)
def exact_law(
    problem: Problem, arithmetic: Arithmetic, most_cases: int = MOST_CASES, bars: Bars = no_bars,
    helpers: Helpers | None = None, kept: Kept | None = None,
) -> Law:  # fmt: skip
    """The law of a run of the problem, whatever draws it records; with ``helpers`` the same law, shared out.

    Stretches of it that are ``kept`` are not gone through again; the others are added to them.

    Raises TooLarge before the first outer iteration that would go beyond ``most_cases``.

    >>> from grpocheck.core import arithmetic_named, read_problem
    >>> law = exact_law(read_problem("examples/undefined_gradient.toml"), arithmetic_named("exact"))
    >>> {str(status): str(probability) for status, probability in law.statuses.items()}
    {'complete': '1/2', 'undefined-gradient': '1/2', 'invalid-update': '0'}
    """
    size, making, ended = size_of(problem), Making(problem, arithmetic), Passage()
    nodes, calls, cases = [making.start()], dict[str, list[Scalar]](), 0
    for t in range(1, problem.outer_iterations + 1):
        if cases + len(nodes) * size.cases > most_cases:
            raise TooLarge(size, t, len(nodes), cases, most_cases)
        cases += len(nodes) * size.cases
        with bars(f"outer iteration {t}, groups", len(nodes) * size.cases) as advance:
            passed = through(making, t, nodes, advance, helpers, kept)
        started = balanced_sum([node.weight for node in nodes])
        for line, by_count in passed.counts(making.lines).items():
            calls.setdefault(line, []).append(expected_count(by_count, started))
        nodes = followed(passed, ended)
        if not nodes:
            break
    gradient = first_gradient(making, helpers)
    parameters = parameter_atoms(making, ended)
    values = shares(ended.objectives, ONE)
    start = tuple(arithmetic.number(entry) for entry in problem.theta)
    return Law(
        statuses=shares(ended.statuses, ONE),
        parameters=parameters,
        objectives=objective_atoms(values),
        gradient=gradient,
        true_objective=TrueObjective(
            true_objective(problem, start, arithmetic),
            expected_objective(problem, [(atom.theta, atom.probability) for atom in parameters], arithmetic),
        ),
        calls={line: balanced_sum(parts) for line, parts in calls.items()},
        cases=cases,
        size=size,
    )


def parameter_atoms(making: Making, ended: Passage) -> tuple[ParameterAtom, ...]:
    """The parameters that runs returned, each with the probability of every status that it was returned with."""
    ways = {
        (owns, status): weights for owns, by_status in ended.parameters.items() for status, weights in by_status.items()
    }
    found = shares(ways, ONE)
    atoms = [
        ParameterAtom(making.theta(owns), {status: found[owns, status] for status in by_status})
        for owns, by_status in ended.parameters.items()
    ]
    return tuple(together([atoms[row] for row in rows]) for rows in equal_rows([atom.theta for atom in atoms]))


def together(atoms: Sequence[ParameterAtom]) -> ParameterAtom:
    """One parameter, of which several are found to be equal."""
    first, *others = atoms
    if not others:
        return first
    by_status: dict[Status, list[Scalar]] = {}
    for atom in atoms:
        for status, share in atom.by_status.items():
            by_status.setdefault(status, []).append(share)
    return ParameterAtom(first.theta, {status: balanced_sum(parts) for status, parts in by_status.items()})


def objective_atoms(values: Mapping[Value | None, Scalar]) -> tuple[ObjectiveAtom, ...]:
    """The values of F with their probabilities, those that are found equal as one; last that no step is applied."""
    stepped = [(value.number, share) for value, share in values.items() if value is not None]
    atoms = [
        ObjectiveAtom(stepped[rows[0]][0], balanced_sum([stepped[row][1] for row in rows]))
        for rows in equal_rows([(number,) for number, _ in stepped])
    ]
    return (*atoms, *(ObjectiveAtom(None, share) for value, share in values.items() if value is None))


def through(
    making: Making, t: int, nodes: Sequence[Node], advance: Advance, helpers: Helpers | None, kept: Kept | None
) -> Passage:
    """Outer iteration t from every node."""
    whole = Passage()
    for passage in passages(making, t, nodes, advance, helpers, kept):
        whole.add(passage)
    return whole


@ensure(
    lambda ended, result: equal(
        balanced_sum([ZERO, *(node.weight for node in result)]),
        1 - balanced_sum([ZERO, *(weight for weights in ended.statuses.values() for weight in weights)]),
    ),
    "C4: what has not ended goes on",
)
def followed(passed: Passage, ended: Passage) -> list[Node]:
    """What has ended is added to what had ended before; what goes on are the nodes of the next outer iteration."""
    ended.add(Passage(passed.statuses, passed.parameters, passed.objectives))
    if not passed.following:
        return []
    over = balanced_sum([ZERO, *(weight for weights in ended.statuses.values() for weight in weights)])
    found = shares(passed.weights, 1 - over)
    return [Node(owns, found[owns], objectives) for owns, objectives in passed.following.items()]


@require(lambda by_count: len(by_count) >= 1, "some count is possible")
@ensure(
    lambda by_count, result: equal(
        result, balanced_sum([count * weight for count, weights in by_count.items() for weight in weights])
    ),
    "the sum of count times probability",
)
def expected_count(by_count: Mapping[int, Sequence[Scalar]], started: Scalar) -> Scalar:
    """The expectation of a count whose probabilities sum to ``started``, from how it differs from its usual value.

    A count that is always the same is so exactly, in every arithmetic.
    """
    usual = max(by_count, key=lambda count: len(by_count[count]))
    others = [
        (count - usual) * weight for count, weights in by_count.items() if count != usual for weight in weights
    ]
    return usual * started + balanced_sum([ZERO, *others])


@ensure(lambda making, result: len(result.gradient) == making.problem.dimension, "a gradient has d entries")
@ensure(
    lambda making, result: result.cases == size_of(making.problem).single_prompt_cases, "G3: every group of each prompt"
)
def first_gradient(making: Making, helpers: Helpers | None = None) -> ExpectedGradient:
    """E[grad F_1(theta_0)]: a mean over prompts of expectations over the groups of one prompt each.

    At theta_old every ratio is 1, inside the clip, so the gradient exists for all draws (B3, F2).
    """
    if helpers is not None and (1, 0) not in making.shared:
        asked = making.token, making.problem, making.arithmetic
        found = helpers.executor.submit(first_gradient_elsewhere, *asked).result()
        numbers = read_numbers(found["numbers"], making.arithmetic)
        return ExpectedGradient(tuple(numbers[place] for place in found["gradient"]), found["cases"])
    problem, start = making.problem, making.start()
    iterations = making.iterations(1, 0, start)
    parts: list[tuple[Scalar, Vector]] = []
    cases = 0
    for own, prompt in zip(start.owns, problem.prompts, strict=True):
        iterations.rows(own)
        for counts in count_vectors(len(prompt.responses), problem.group_size):
            drawn = iterations.group(prompt.position, counts)
            parts.append((drawn.probability, iterations.slope(drawn.place(own))))
            cases += 1
        if problem.beta:
            parts.append((ONE, iterations.pull(own)))
    return ExpectedGradient(weighted_sum(parts), cases)


def first_gradient_elsewhere(token: str, problem: Problem, arithmetic: Arithmetic) -> Mapping[str, Any]:
    """The same by a process that may have drawn the groups in stretches of the law; as JSON can hold it."""
    numbers = Writer()
    found = first_gradient(making_known_as(token, problem, arithmetic))
    return {"gradient": numbers.put_all(found.gradient), "cases": found.cases, "numbers": numbers.lines}


def expected_first_gradient(problem: Problem, arithmetic: Arithmetic) -> ExpectedGradient:
    """E[grad F_1(theta_0)] of a problem."""
    return first_gradient(Making(problem, arithmetic))
