"""Harnesses made of a property: one parameter, or one step, of any problem of a shape, with exact real unknowns.

Only a process that has loaded CrossHair's model of exact reals is to explore them. Unknown are the parameters, rewards,
reference masses, epsilon, beta and the step size; the draws are gone through one by one. theta_old and theta are any
two parameters in U, whether or not a run leads from one to the other: what is confirmed holds for every number of inner
steps. Masses, gradient, objective and ratios are core's own; the property is evaluated from its checked tree.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from types import GenericAlias
from typing import Any

from grpocheck.core.advantage import mean, population_standard_deviation, standardised
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.families.family import Family
from grpocheck.core.families.simplex import Simplex
from grpocheck.core.frozen import FrozenIteration, Group
from grpocheck.core.gradient import objective_gradient
from grpocheck.core.oracles import Undefined
from grpocheck.core.problem import Problem
from grpocheck.core.prompt import Prompt
from grpocheck.proofs.symbolic.arithmetic import SymbolicArithmetic
from grpocheck.verifier.properties.checking import Property
from grpocheck.verifier.properties.draws_scope import Script, scripts
from grpocheck.verifier.properties.evaluation import Evaluator, Truth
from grpocheck.verifier.properties.moments import At, Masses, Moment, Setting
from grpocheck.verifier.properties.quantities import Level
from icontract import ensure, require

EXACT = SymbolicArithmetic()

MOST_HARNESSES = 60
"""So many harnesses are explored for one property at most."""

THETAS = {"theta", "theta_next", "theta_old", "theta_0", "d"}


@dataclass(frozen=True)
class Part:
    """One harness: the outer iteration and step that it is, whether theta is theta_old there, and the draws."""

    t: int
    k: int
    starts: bool
    script: Script

    def __str__(self) -> str:
        """Where in a run."""
        return f"t = {self.t}, k = {self.k}, draws {self.script}"


def obstacle(stated: Property, problem: Problem) -> str | None:
    """Why a property has no harness over this shape, or None."""
    if stated.has(Level.OUTCOME):
        return "it speaks of the outcome of a run and of its numbers, and not of one parameter or step"
    if not isinstance(problem.family, Bernoulli | Simplex):
        if stated.is_of_step:
            return f"a step of the {problem.family.name} family is made with exponentials"
        if stated.names & THETAS:
            return f"theta of the {problem.family.name} family enters through exponentials"
    count = len(parts(stated, problem))
    return None if count <= MOST_HARNESSES else f"{count} draws and steps to be told apart, more than {MOST_HARNESSES}"


def parts(stated: Property, problem: Problem) -> list[Part]:
    """The harnesses of a property: what has to be told apart, and no more."""
    K, T = problem.inner_steps, problem.outer_iterations  # noqa: N806 - the field's letters
    if stated.is_of_step:
        steps = [(1, True), *((k, False) for k in range(2, K + 1))]
        kept = steps if "k" in stated.names else steps[:2]
    else:
        steps = [(0, True), *((k, False) for k in range(1, K + 1))]
        kept = steps if "k" in stated.names else steps[1:2]
    told_apart = bool({"t", "theta_0"} & stated.names)
    iterations = range(1, T + 1) if told_apart else range(1, 2)
    every = scripts(problem, ordered=stated.minds_order)
    return [Part(t, k, starts, script) for t, (k, starts), script in product(iterations, kept, every)]


def family_of(problem: Problem) -> Family:
    """The family in which the masses of any family are written: of any but bernoulli the simplex."""
    if isinstance(problem.family, Bernoulli):
        return problem.family
    return Simplex(tuple(len(prompt.responses) for prompt in problem.prompts))


def blocks(values: Sequence[Any], problem: Problem) -> Iterator[tuple[Any, ...]]:
    """The rows, one for each prompt and as long as its support, that values are made of."""
    start = 0
    for prompt in problem.prompts:
        yield tuple(values[start : start + len(prompt.responses)])
        start += len(prompt.responses)


def inside(theta: Sequence[Any], family: Family) -> bool:
    """Whether theta is in the family's natural domain."""
    return all(left < right for left, right in family.natural_domain().inequalities(theta))


def groups_of(problem: Problem, rewards: Sequence[Any], reference: Sequence[Any], old: Masses, script: Script) -> Any:
    """The frozen groups of these draws, advantages by core."""
    rows = zip(problem.prompts, blocks(rewards, problem), blocks(reference, problem), old, script, strict=True)
    for prompt, row, base, masses, positions in rows:
        unknown = Prompt(prompt.position, prompt.name, prompt.responses, row, base)
        drawn = tuple(row[position] for position in positions)
        average = mean(drawn)
        deviation = population_standard_deviation(drawn, EXACT)
        advantages = standardised(drawn, average, deviation, EXACT)
        yield Group(unknown, positions, drawn, average, deviation, advantages, tuple(masses[j] for j in positions))


@dataclass(frozen=True)
class Unknowns:
    """The arguments of a harness."""

    old: tuple[Fraction, ...]
    here: tuple[Fraction, ...]
    start: tuple[Fraction, ...]
    rewards: tuple[Fraction, ...]
    reference: tuple[Fraction, ...]
    epsilon: Fraction
    beta: Fraction
    eta: Fraction


def moment(stated: Property, problem: Problem, part: Part, unknown: Unknowns) -> Moment | None:
    """The moment of these numbers; None where no step is applied there."""
    family = family_of(problem)

    def masses(theta: Any) -> Masses:
        return [family.masses(theta, prompt, EXACT) for prompt in problem.prompts]

    old = At(unknown.old, masses)
    here = old if part.starts else At(unknown.here, masses)
    start = unknown.old if part.t == 1 else unknown.start
    supports = tuple(len(prompt.responses) for prompt in problem.prompts)
    setting = Setting(
        problem.outer_iterations, problem.inner_steps, problem.group_size, supports, unknown.epsilon, unknown.beta,
        start, EXACT,
    )  # fmt: skip
    groups = tuple(groups_of(problem, unknown.rewards, unknown.reference, old.masses, part.script))
    frozen = FrozenIteration(part.t, unknown.old, groups, unknown.epsilon, unknown.beta)
    if not stated.is_of_step:
        return Moment(setting, None, frozen, part.k, old, here)
    rows = [family.mass_gradients(here.theta, prompt, EXACT) for prompt in problem.prompts]
    gradient = objective_gradient(frozen, here.masses, rows, EXACT)
    if isinstance(gradient, Undefined):
        return None
    proposal = tuple(entry + unknown.eta * slope for entry, slope in zip(here.theta, gradient, strict=True))
    if not inside(proposal, family):
        return None
    return Moment(setting, None, frozen, part.k, old, here, At(proposal, masses), unknown.eta)


def is_true(stated: Property, found: Moment | None) -> bool:
    """Whether the property is true of a moment; where there is none, there is nothing to be false of."""
    return found is None or Evaluator(found).truth(stated.tree, {}) is Truth.TRUE


def harness_of(stated: Property, problem: Problem, part: Part) -> Callable[..., Any]:
    """The function with icontract's own contracts that is explored for a part."""
    family = family_of(problem)
    supports = [len(prompt.responses) for prompt in problem.prompts]
    first_only = part.starts

    @require(lambda old: inside(old, family))
    @require(lambda here: first_only or inside(here, family))
    @require(lambda start: part.t == 1 or inside(start, family))
    @require(lambda reference: all(mass > 0 for mass in reference))
    @require(lambda reference: all(sum(row) == 1 for row in blocks(reference, problem)))
    @require(lambda epsilon: 0 < epsilon < 1)
    @require(lambda beta, eta: beta >= 0 and eta > 0)
    @ensure(lambda result: is_true(stated, result), "the property")
    def harness(
        old: Any, here: Any, start: Any, rewards: Any, reference: Any, epsilon: Fraction, beta: Fraction, eta: Fraction
    ) -> Any:
        return moment(stated, problem, part, Unknowns(old, here, start, rewards, reference, epsilon, beta, eta))

    point = GenericAlias(tuple, (Fraction,) * family.dimension)
    row = GenericAlias(tuple, (Fraction,) * sum(supports))
    annotations = {"old": point, "here": point, "start": point, "rewards": row, "reference": row}
    harness.__annotations__.update(annotations)
    inspected: Any = harness
    inspected.__wrapped__.__annotations__.update(annotations)
    return harness
