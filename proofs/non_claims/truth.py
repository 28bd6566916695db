"""The true objective E[R] - beta KL and its gradient, and the exact law of one outer iteration over all its draws.

Beside F_t, which a group estimates from its draws, these are what the procedure is about; it promises nothing of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import prod

from grpocheck.core import Arithmetic, Outcome, Problem, Status, run
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.arithmetic.supply import Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.families.family import Family
from grpocheck.core.gradient import Vector, divergence_gradient, weighted_sum
from grpocheck.proofs.non_claims.grid import orders


class Stopped(Exception):  # noqa: N818 - not an error: the run says nothing about a non-claim
    """A run that did not complete."""


def completed(problem: Problem) -> Outcome:
    """The outcome of a run that completes; raises Stopped for another status, so that nothing rests on a stop."""
    outcome = run(problem)
    if outcome.status is not Status.COMPLETE:
        raise Stopped(f"the run stops with status {outcome.status}")
    return outcome


def family_of(problem: Problem) -> Family:
    """The built-in family of a problem; TypeError for a supplied one, whose masses are not in the file."""
    if not isinstance(problem.family, Family):
        raise TypeError(f"family: {problem.family.name!r}: expected a built-in family")
    return problem.family


def masses_at(problem: Problem, theta: Vector, arithmetic: Arithmetic) -> list[Sequence[Scalar]]:
    """pi_theta(b_j | q) of every prompt."""
    family = family_of(problem)
    return [family.masses(theta, prompt, arithmetic) for prompt in problem.prompts]


def true_objective(problem: Problem, theta: Vector, arithmetic: Arithmetic) -> Scalar:
    """1/M sum_l [ sum_j pi_theta(b_j) r(b_j) - beta KL_l ], in reward units."""
    total: Scalar = 0
    for prompt, masses in zip(problem.prompts, masses_at(problem, theta, arithmetic), strict=True):
        total = total + sum(mass * reward for mass, reward in zip(masses, prompt.rewards, strict=True))
        if problem.beta > 0:
            total = total - problem.beta * kl_divergence(masses, prompt.reference, arithmetic)
    return total / len(problem.prompts)


def true_gradient(problem: Problem, theta: Vector, arithmetic: Arithmetic) -> Vector:
    """The gradient of the true objective in theta, d entries."""
    family = family_of(problem)
    share = Fraction(1, len(problem.prompts))
    parts: list[tuple[Scalar, Sequence[Scalar]]] = []
    for prompt, masses in zip(problem.prompts, masses_at(problem, theta, arithmetic), strict=True):
        rows = family.mass_gradients(theta, prompt, arithmetic)
        parts += [(share * reward, row) for reward, row in zip(prompt.rewards, rows, strict=True)]
        if problem.beta > 0:
            parts.append((-problem.beta * share, divergence_gradient(masses, prompt.reference, rows, arithmetic)))
    return weighted_sum(parts)


def law(problem: Problem) -> Iterator[tuple[Fraction, Outcome]]:
    """Every outcome of one outer iteration with its probability; draws that differ in order alone are one outcome.

    Each is a run of the procedure on that record; raises Stopped where one does not complete. For a family whose masses
    at theta_0 are rational.
    """
    if problem.outer_iterations != 1:
        raise ValueError(f"outer_iterations: {problem.outer_iterations}: expected 1")
    family = family_of(problem)
    groups = []
    for prompt in problem.prompts:
        masses = family.masses(problem.theta, prompt, ExactArithmetic())
        positions = combinations_with_replacement(range(len(masses)), problem.group_size)
        groups.append([(orders(group) * prod(masses[j] for j in group), group, prompt) for group in positions])
    for drawn in product(*groups):
        record = tuple(tuple(prompt.responses[position] for position in group) for _, group, prompt in drawn)
        yield prod(weight for weight, _, _ in drawn), completed(replace(problem, recorded=(record,), seed=None))
