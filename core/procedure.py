"""The procedure: T outer iterations of K guarded steps, with every supplied operation counted.

Seed [000], the whole of it; claims A1 to D2 are its contracts.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from grpocheck.contracts.clauses import ensure, require, snapshot, total
from grpocheck.core.arithmetic.automatic import AutomaticArithmetic
from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.counting import CountedArithmetic
from grpocheck.core.domains import Domain
from grpocheck.core.draws import GENERATOR, RecordedDraws, SeededDraws
from grpocheck.core.events import Kind, Observer
from grpocheck.core.families.family import Family
from grpocheck.core.gradient import Vector
from grpocheck.core.guard import Guard
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.ledger import Bounds, Ledger
from grpocheck.core.oracles import Policy, Supply
from grpocheck.core.outcome import Outcome, OuterIteration, Status
from grpocheck.core.problem import Problem
from grpocheck.core.prompt import Prompt
from grpocheck.core.update import outer_iteration
from grpocheck.core.watched_arithmetic import watched

FRESH_SEED_BITS = 32


@dataclass(frozen=True)
class BuiltInDomain:
    """M_U of a problem's own domain: the stated one intersected with the family's."""

    domain: Domain
    arithmetic: Arithmetic

    @require(lambda theta: len(theta) >= 1, "a parameter has d >= 1 entries")
    @ensure(lambda result: result is True or result is False, "M_U answers 0 or 1")
    def __call__(self, theta: Sequence[Scalar]) -> bool:
        """Whether theta is in U."""
        return self.domain.contains(theta, self.arithmetic)


@require(lambda prompt, response: response in prompt.responses, "a reward is that of a supported response")
@ensure(lambda prompt, result: result in prompt.rewards, "the reward is one of the prompt's")
def tabled_reward(prompt: Prompt, response: str) -> Scalar:
    """r_q(y), as the problem lists it."""
    return prompt.rewards[prompt.responses.index(response)]


@require(lambda seed: seed is None or seed >= 0, "a seed is a nonnegative integer")
@ensure(lambda result: result["source"] in ("supplied", "recorded", "seed"), "draws have one of three sources")
def draw_source(problem: Problem, supply: Supply, seed: int | None) -> Mapping[str, object]:
    """Where the draws come from: a supplied oracle, the given seed, the problem's record or seed, or a fresh seed."""
    if supply.draws is not None:
        return {"source": "supplied"}
    if seed is None and problem.recorded is not None:
        return {"source": "recorded"}
    chosen = seed if seed is not None else problem.seed
    if chosen is None:
        chosen = secrets.randbits(FRESH_SEED_BITS)
    return {"source": "seed", "seed": chosen, "generator": GENERATOR}


@require(lambda source: source["source"] in ("supplied", "recorded", "seed"), "draws have one of three sources")
@ensure(lambda result: result.ledger.draws == 0, "a run begins with an empty ledger")
@ensure(
    lambda problem, result: result.ledger.bounds.draws
    == problem.outer_iterations * len(problem.prompts) * problem.group_size,
    "C1: the budget of draws is T*M*G",
)
@ensure(
    lambda problem, result: result.ledger.bounds.gradient_attempts == problem.outer_iterations * problem.inner_steps,
    "C2: the budget of gradient attempts is T*K",
)
def guarded(
    problem: Problem, supply: Supply, supplied: Arithmetic, source: Mapping[str, object], observer: Observer
) -> Guard:
    """The run's oracles behind their guard: the user's where supplied, the problem's own elsewhere.

    Raises InvalidProblem where the masses of the family are the user's and no policy is supplied.
    """
    per_iteration = len(problem.prompts) * problem.group_size
    bounds = Bounds(problem.outer_iterations * per_iteration, problem.outer_iterations * problem.inner_steps)
    arithmetic = CountedArithmetic(supplied, Ledger(bounds, per_iteration))
    policy: Policy
    positive_on: Domain | None = None
    if supply.policy is not None:
        policy = supply.policy
    elif isinstance(problem.family, Family):
        policy, positive_on = problem.family, problem.family.natural_domain()
    else:
        raise InvalidProblem("family", problem.family.name, "a supply with a policy, since the masses are the user's")
    draws = supply.draws
    if draws is None:
        seed = source.get("seed")
        if isinstance(seed, int):
            draws = SeededDraws(seed, supplied)
        else:
            assert problem.recorded is not None
            draws = RecordedDraws(problem.recorded)
    return Guard(
        prompts=problem.prompts,
        arithmetic=arithmetic,
        policy=policy,
        draws=draws,
        reward=supply.reward or tabled_reward,
        domain=supply.domain or BuiltInDomain(problem.admissible_domain, arithmetic),
        gradient=supply.gradient,
        positive_on=positive_on,
        observer=observer,
        supplied=frozenset(supplied_names(supply)),
    )


@total("a supply may supply nothing")
@ensure(lambda supply, result: all(getattr(supply, name) is not None for name in result), "what is None is built in")
def supplied_names(supply: Supply) -> list[str]:
    """The names of the oracles that are the user's own."""
    return [oracle.name for oracle in fields(supply) if getattr(supply, oracle.name) is not None]


@require(lambda problem: len(problem.theta) >= 1, "a parameter has d >= 1 entries")
@ensure(lambda problem, result: len(result) == len(problem.theta), "theta_0 has d entries")
def starting_parameter(problem: Problem, supply: Supply, guard: Guard) -> Vector:
    """theta_0 as scalars of the run. A supplied M_U is asked about it here, before the run and outside the ledger.

    Raises InvalidProblem where it does not admit it.
    """
    theta = tuple(guard.arithmetic.number(entry) for entry in problem.theta)
    if supply.domain is not None and not guard.membership("theta_0 in U", theta):
        raise InvalidProblem("theta", problem.theta, "a parameter for which the supplied domain oracle answers True")
    return theta


@require(lambda seed: seed is None or seed >= 0, "a seed is a nonnegative integer")
@snapshot(lambda problem: tuple(prompt.reference for prompt in problem.prompts), name="references")
@ensure(lambda result: result.status in Status, "C4: a run ends in one of exactly three statuses")
@ensure(
    lambda problem, supply, result: (supply is not None and supply.domain is not None)
    or all(
        problem.admissible_domain.contains(step.theta, result.arithmetic)
        for iteration in result.iterations
        for step in iteration.steps
    ),
    "A1: theta is in U at the start and after every applied step",
)
@ensure(
    lambda result: all(
        before.theta is after.frozen.theta_old
        for before, after in zip(result.iterations, result.iterations[1:], strict=False)
    ),
    "D1: theta_old of an outer iteration is the parameter that the one before it returned",
)
@ensure(
    lambda problem, OLD: all(
        prompt.reference is before for prompt, before in zip(problem.prompts, OLD.references, strict=True)
    ),
    "D2: the reference never changes during a run",
)
def run(
    problem: Problem,
    supply: Supply | None = None,
    *,
    arithmetic: Arithmetic | None = None,
    seed: int | None = None,
    observer: Observer | None = None,
    one_answer: bool = True,
) -> Outcome:
    """Run the update of a problem to its status.

    ``supply`` replaces built-in oracles; ``arithmetic`` is exact where the problem allows it and certified enclosures
    elsewhere unless one is given; ``seed`` goes before the problem's own draws; ``observer`` is told every event.
    ``one_answer`` holds supplied rewards, masses, memberships and gradients to being functions; claims A1 to D2 need
    it no more than the theorems do, whose oracles answer anyhow.
    Raises SupplyViolation when an oracle breaks its clause, UndecidedComparison when a comparison is not decided at
    the arithmetic's highest precision, NotExact or DigitBudgetExceeded where a number outgrows exact arithmetic that is
    given, and InvalidProblem when theta_0 is outside a supplied U or a policy is missing. None of them is a status.

    >>> from grpocheck.core import read_problem
    >>> outcome = run(read_problem("examples/undefined_gradient.toml"))
    >>> str(outcome.status), outcome.theta, outcome.ledger.gradient_attempts
    ('undefined-gradient', (Fraction(3, 5),), 2)
    """
    supply = supply or Supply()
    source = draw_source(problem, supply, seed)
    supplied = watched(arithmetic or supply.arithmetic or AutomaticArithmetic(ExactArithmetic(), EnclosureArithmetic()))
    guard = guarded(problem, supply, supplied, source, observer or (lambda event: None))
    guard.one_answer = one_answer
    if isinstance(supplied, AutomaticArithmetic):
        supplied.notice = lambda reason: guard.tell(Kind.ARITHMETIC, name="enclosure", reason=reason)
    theta = starting_parameter(problem, supply, guard)
    names = supplied_names(supply)
    guard.tell(
        Kind.START,
        problem=problem, arithmetic=supplied, ledger=guard.ledger, draws=source, supplied=names, theta=theta,
    )  # fmt: skip
    iterations: list[OuterIteration] = []
    for t in range(1, problem.outer_iterations + 1):
        iterations.append(outer_iteration(problem, guard, t, theta))
        theta = iterations[-1].theta
        if iterations[-1].status is not Status.COMPLETE:
            break
    outcome = Outcome(iterations[-1].status, theta, guard.ledger, tuple(iterations), supplied, source)
    guard.tell(Kind.OUTCOME, outcome=outcome)
    return outcome
