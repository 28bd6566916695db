"""The true objective E[R] - beta KL(pi_theta || pi_ref), at a parameter and in expectation over parameters."""

from collections.abc import Sequence
from fractions import Fraction

from grpocheck.contracts.clauses import ensure
from grpocheck.contracts.comparisons import equal
from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.gradient import Vector
from grpocheck.core.problem import Problem
from grpocheck.core.prompt import Prompt
from grpocheck.verifier.law.branches import Key, balanced_sum, family_of, key_of_vector, own_parameters


def objective_at_prompt(problem: Problem, prompt: Prompt, theta: Vector, arithmetic: Arithmetic) -> Scalar:
    """E[R] - beta KL(pi_theta || pi_ref) at one prompt."""
    masses = family_of(problem).masses(theta, prompt, arithmetic)
    value: Scalar = sum(mass * reward for mass, reward in zip(masses, prompt.rewards, strict=True))
    if problem.beta:
        value = value - problem.beta * kl_divergence(masses, prompt.reference, arithmetic)
    return value


def true_objective(problem: Problem, theta: Vector, arithmetic: Arithmetic) -> Scalar:
    """E[R] - beta KL(pi_theta || pi_ref), averaged over the prompts: what the update is meant to raise."""
    total: Scalar = arithmetic.number(Fraction(0))
    for prompt in problem.prompts:
        total = total + objective_at_prompt(problem, prompt, theta, arithmetic)
    return total / len(problem.prompts)


@ensure(
    lambda problem, atoms, arithmetic, result: len(atoms) > 64
    or equal(result, sum(weight * true_objective(problem, theta, arithmetic) for theta, weight in atoms)),
    "the expectation of the true objective",
)
def expected_objective(problem: Problem, atoms: Sequence[tuple[Vector, Scalar]], arithmetic: Arithmetic) -> Scalar:
    """The expectation of the true objective over parameters with their probabilities.

    Prompt by prompt: parameters that agree in what a prompt's masses are made of are one there.
    """
    family = family_of(problem)
    weights: dict[Key, list[Scalar]] = {}
    thetas: dict[Key, tuple[Prompt, Vector]] = {}
    keys: dict[tuple[int, ...], Key] = {}
    """By the entries as objects: atoms have many in common."""
    for theta, probability in atoms:
        for place, prompt in enumerate(problem.prompts):
            own = own_parameters(family, place, theta)
            met = place, *map(id, own)
            key = keys.get(met)
            if key is None:
                key = keys[met] = place, key_of_vector(own)
            weights.setdefault(key, []).append(probability)
            thetas.setdefault(key, (prompt, theta))
    values = [
        balanced_sum(weights[key]) * objective_at_prompt(problem, prompt, theta, arithmetic)
        for key, (prompt, theta) in thetas.items()
    ]
    return balanced_sum(values) / len(problem.prompts)
