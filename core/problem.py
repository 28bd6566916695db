"""The problem: all the data of a run, fixed and checked before it starts.

Seed [000], section 1 of the specification: prompts, policy family, open domain U, theta_0 in U, group size G >= 2,
T >= 1 outer iterations, K >= 1 inner steps, 0 < epsilon < 1, beta >= 0, step sizes eta[t][k] > 0. A problem that is
constructed is one that can run; everything else raises InvalidProblem, which names the key of the problem file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from grpocheck.contracts.clauses import ensure, invariant, require, total
from grpocheck.core.domains import Domain, Intersection
from grpocheck.core.families.family import Family
from grpocheck.core.families.supplied import Supplied
from grpocheck.core.invalid import InvalidProblem, shortened, shown
from grpocheck.core.prompt import Prompt
from grpocheck.core.values import count, entries, rational, rationals, text

__all__ = ["InvalidProblem", "Problem", "Prompt", "Record", "schedule"]

Record: TypeAlias = tuple[tuple[tuple[str, ...], ...], ...]
"""Recorded draws: [outer iteration][prompt][i]."""

MOST_DRAWS = 10_000_000
"""The most draws T*M*G of a run, all of which its outcome holds."""
MOST_INNER_STEPS = 1_000_000
"""The most inner steps T*K of a run."""
MOST_GRADIENT_ENTRIES = 10_000_000
"""The most entries of the mass gradients at one parameter: d for each response of each support."""
LARGEST_SEED = 2**256 - 1
"""The largest seed that a file may state."""


@require(lambda theta, domain: len(theta) == domain.dimension, "a point of R^d has d coordinates")
@ensure(lambda theta, domain, result: result == all(a < b for a, b in domain.inequalities(theta)), "A1: exactly on U")
def in_domain(theta: Sequence[Fraction], domain: Domain) -> bool:
    """Whether a rational point is in the domain; rationals compare exactly without a supply."""
    return all(left < right for left, right in domain.inequalities(theta))


@invariant(lambda self: len(self.theta) == self.dimension, "theta is a point of R^d")
@invariant(lambda self: 0 < self.epsilon < 1 and self.beta >= 0, "0 < epsilon < 1 and beta >= 0")
@invariant(
    lambda self: self.group_size >= 2 and self.outer_iterations >= 1 and self.inner_steps >= 1,
    "G >= 2, T >= 1 and K >= 1",
)
@dataclass(frozen=True)
class Problem:
    """A finite-budget group-relative update, ready to run.

    ``theta`` is theta_0; ``domain`` is the stated one (None: the family's natural domain alone); ``beta`` is in reward
    units per nat; ``step_sizes`` has T rows of K. Draws come from ``recorded`` or from ``seed``; with neither, from a
    fresh seed. Numbers may be given as int, Fraction or text ("1/3"). What is no problem raises InvalidProblem, which
    names the key.
    """

    prompts: tuple[Prompt, ...]
    family: Family | Supplied
    theta: tuple[Fraction, ...]
    group_size: int
    outer_iterations: int
    inner_steps: int
    epsilon: Fraction
    beta: Fraction
    step_sizes: tuple[tuple[Fraction, ...], ...]
    domain: Domain | None = None
    recorded: Record | None = None
    seed: int | None = None

    @ensure(lambda self: in_domain(self.theta, self.admissible_domain), "A1: theta_0 is in U")
    @ensure(lambda self: all(step > 0 for row in self.step_sizes for step in row), "every step size is positive")
    @ensure(lambda self: [prompt.position for prompt in self.prompts] == list(range(len(self.prompts))), "q_1..q_M")
    def __post_init__(self) -> None:
        """Read the numbers exactly and refuse what is no problem."""
        object.__setattr__(self, "prompts", ordered_prompts(self.prompts))
        check_family(self.family, self.prompts, entries("theta", self.theta, "a list of numbers"))
        object.__setattr__(self, "theta", rationals("theta", self.theta))
        count("group_size", self.group_size, 2)
        count("outer_iterations", self.outer_iterations, 1)
        count("inner_steps", self.inner_steps, 1)
        check_budget(self.outer_iterations, len(self.prompts), self.group_size, self.inner_steps)
        object.__setattr__(self, "epsilon", rational("epsilon", self.epsilon))
        if not 0 < self.epsilon < 1:
            raise InvalidProblem("epsilon", self.epsilon, "a number strictly between 0 and 1")
        object.__setattr__(self, "beta", rational("beta", self.beta))
        if self.beta < 0:
            raise InvalidProblem("beta", self.beta, "a number of at least 0")
        object.__setattr__(self, "step_sizes", schedule(self.step_sizes, self.outer_iterations, self.inner_steps))
        check_domain(self.domain, self.family)
        if not in_domain(self.theta, self.admissible_domain):
            raise InvalidProblem("theta", self.theta, f"a point of the open domain U, {violated(self)}")
        if self.recorded is not None:
            if self.seed is not None:
                raise InvalidProblem("draws", {"recorded": None, "seed": None}, "recorded or seed, not both")
            recorded = record(self.recorded, self.prompts, self.outer_iterations, self.group_size)
            object.__setattr__(self, "recorded", recorded)
        if self.seed is not None:
            count("draws.seed", self.seed, 0, LARGEST_SEED)

    @property
    @ensure(lambda self, result: result == len(self.theta), "d counts the coordinates of theta")
    def dimension(self) -> int:
        """The number d of parameters."""
        return self.family.dimension

    @cached_property
    @ensure(lambda self, result: result.dimension == self.dimension, "U lies in R^d")
    def admissible_domain(self) -> Domain:
        """U: the stated domain intersected with the family's natural domain."""
        natural = self.family.natural_domain()
        return natural if self.domain is None else Intersection((natural, self.domain))


@require(lambda problem: not in_domain(problem.theta, problem.admissible_domain), "theta is outside U")
@ensure(lambda result: " < " in result, "the inequality that fails is named")
def violated(problem: Problem) -> str:
    """The first inequality of U that theta_0 breaks, in words."""
    pairs = problem.admissible_domain.inequalities(problem.theta)
    left, right = next((left, right) for left, right in pairs if not left < right)
    broken = f"where {shown(left)} < {shown(right)} has to hold"
    if in_domain(problem.theta, problem.family.natural_domain()):
        return broken
    return f"{broken}: every mass is above 0 there{' (0 < theta < 1)' if problem.family.name == 'bernoulli' else ''}"


@total("bad input raises InvalidProblem")
@ensure(lambda result: len({prompt.name for prompt in result}) == len(result) >= 1, "prompts do not repeat")
def ordered_prompts(values: object) -> tuple[Prompt, ...]:
    """The prompts in order: at least one, at the positions 0, 1, ..., without a repeated name."""
    prompts: list[Prompt] = []
    names: set[str] = set()
    for i, prompt in enumerate(entries("prompts", values, "a list of prompts")):
        if not isinstance(prompt, Prompt):
            raise InvalidProblem(f"prompts[{i}]", prompt, "a prompt")
        if prompt.position != i:
            raise InvalidProblem(f"prompts[{i}].position", prompt.position, f"{i}, its place in the list")
        if prompt.name in names:
            raise InvalidProblem(f"prompts[{i}].name", prompt.name, "each prompt once")
        names.add(prompt.name)
        prompts.append(prompt)
    if not prompts:
        raise InvalidProblem("prompts", values, "at least one prompt")
    return tuple(prompts)


@total("bad input raises InvalidProblem")
@ensure(lambda family, theta: family.dimension == len(theta) >= 1, "theta has the family's dimension")
def check_family(family: object, prompts: Sequence[Prompt], theta: Sequence[object]) -> None:
    """Refuse a family that does not serve the prompts or has not as many parameters as theta has coordinates."""
    if not isinstance(family, Family | Supplied):
        raise InvalidProblem("family", family, "a policy family")
    if isinstance(family, Family):
        family.fit(prompts)
    if family.dimension < 1:
        raise InvalidProblem("family", family.name, "a family with at least one parameter on these prompts")
    size = len(theta)
    if size != family.dimension:
        parameters = f"{family.dimension} number" + ("s" if family.dimension > 1 else "")
        raise InvalidProblem("theta", theta, f"{parameters}, the parameters of the {family.name} family, not {size}")
    if size * sum(len(prompt.responses) for prompt in prompts) > MOST_GRADIENT_ENTRIES:
        raise InvalidProblem(
            "theta", theta, f"parameters x responses of at most {MOST_GRADIENT_ENTRIES}, not {size} numbers"
        )


@total("bad input raises InvalidProblem")
@ensure(lambda domain, family: domain is None or domain.dimension == family.dimension, "the stated domain is in R^d")
def check_domain(domain: object, family: Family | Supplied) -> None:
    """Refuse a stated domain of another dimension, and a supplied family without one."""
    if domain is None:
        if isinstance(family, Supplied):
            raise InvalidProblem("domain", None, "a stated domain: the family is supplied")
    elif not isinstance(domain, Domain):
        raise InvalidProblem("domain", domain, "an open domain")
    elif domain.dimension != family.dimension:
        raise InvalidProblem("domain", f"dimension {domain.dimension}", f"dimension {family.dimension}, as theta has")


@require(
    lambda outer_iterations, prompts, group_size, inner_steps: (
        min(outer_iterations, prompts, inner_steps, group_size) >= 1
    ),
    "counts",
)
@ensure(
    lambda outer_iterations, prompts, group_size: outer_iterations * prompts * group_size <= MOST_DRAWS,
    "C1: T*M*G draws can be held",
)
def check_budget(outer_iterations: int, prompts: int, group_size: int, inner_steps: int) -> None:
    """Raise InvalidProblem for budgets T*M*G and T*K that no machine would hold."""
    if outer_iterations * inner_steps > MOST_INNER_STEPS:
        raise InvalidProblem("outer_iterations", outer_iterations, f"at most {MOST_INNER_STEPS} inner steps in all")
    if outer_iterations * prompts * group_size > MOST_DRAWS:
        raise InvalidProblem("group_size", group_size, f"at most {MOST_DRAWS} draws in all")


@total("bad input raises InvalidProblem")
@ensure(
    lambda result, outer_iterations, inner_steps: [len(row) for row in result] == [inner_steps] * outer_iterations,
    "C2: a step size for each of the T*K inner steps",
)
def schedule(step_sizes: object, outer_iterations: int, inner_steps: int) -> tuple[tuple[Fraction, ...], ...]:
    """The step sizes eta[t][k] > 0: T rows of K."""
    rows = entries("step_sizes", step_sizes, f"{outer_iterations} rows of {inner_steps} numbers")
    if len(rows) != outer_iterations:
        raise InvalidProblem("step_sizes", step_sizes, f"{outer_iterations} rows, one for each outer iteration")
    read = []
    for t, row in enumerate(rows):
        if len(entries(f"step_sizes[{t}]", row, f"{inner_steps} numbers")) != inner_steps:
            raise InvalidProblem(f"step_sizes[{t}]", row, f"{inner_steps} numbers, one for each inner step")
        steps = rationals(f"step_sizes[{t}]", row)
        for k, step in enumerate(steps):
            if step <= 0:
                raise InvalidProblem(f"step_sizes[{t}][{k}]", step, "a step size above 0")
        read.append(steps)
    return tuple(read)


@total("bad input raises InvalidProblem")
@ensure(
    lambda result, prompts, outer_iterations, group_size: (
        sum(len(group) for groups in result for group in groups) == outer_iterations * len(prompts) * group_size
    ),
    "C1: T*M*G recorded draws",
)
def record(recorded: object, prompts: Sequence[Prompt], outer_iterations: int, group_size: int) -> Record:
    """Recorded draws [outer iteration][prompt][i], each a response of its prompt's support."""
    key = "draws.recorded"
    listed = entries(key, recorded, "a list [outer iteration][prompt][i] of responses")
    if len(listed) != outer_iterations:
        raise InvalidProblem(key, recorded, f"{outer_iterations} lists, one for each outer iteration")
    return tuple(iteration_record(f"{key}[{t}]", iteration, prompts, group_size) for t, iteration in enumerate(listed))


@total("bad input raises InvalidProblem")
@ensure(
    lambda result, prompts: all(
        set(group) <= set(prompt.responses) for group, prompt in zip(result, prompts, strict=True)
    ),
    "G3: every recorded draw is a response of the support",
)
def iteration_record(
    key: str, values: object, prompts: Sequence[Prompt], group_size: int
) -> tuple[tuple[str, ...], ...]:
    """The recorded draws of one outer iteration, a group of G for each prompt."""
    groups = entries(key, values, f"{len(prompts)} lists, one for each prompt")
    if len(groups) != len(prompts):
        raise InvalidProblem(key, values, f"{len(prompts)} lists, one for each prompt")
    read = []
    for place, (prompt, group) in enumerate(zip(prompts, groups, strict=True)):
        drawn = entries(f"{key}[{place}]", group, f"{group_size} responses")
        if len(drawn) != group_size:
            raise InvalidProblem(f"{key}[{place}]", group, f"{group_size} responses, the group size")
        support = frozenset(prompt.responses)
        for i, response in enumerate(drawn):
            if text(f"{key}[{place}][{i}]", response) not in support:
                raise InvalidProblem(
                    f"{key}[{place}][{i}]", response, f"a response in the support of {shortened(prompt.name)}"
                )
        read.append(tuple(str(response) for response in drawn))
    return tuple(read)
