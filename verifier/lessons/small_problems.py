"""The small problems of the lessons: two responses, rewards 1 and 0, a fair reference, and the policy of seed [002]."""

from collections.abc import Sequence
from fractions import Fraction

from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.problem import Problem, Record
from grpocheck.core.prompt import Prompt

CURRENT = (Fraction(4, 5), Fraction(1, 5))
REFERENCE = (Fraction(1, 2), Fraction(1, 2))
REWARDS = (Fraction(1), Fraction(0))
BETA = Fraction(1, 10)
EPSILON = Fraction(1, 5)
RESPONSES = ("good", "bad")


def two_responses(
    theta: Fraction,
    *,
    rewards: Sequence[Fraction] = REWARDS,
    beta: Fraction = Fraction(0),
    group_size: int = 2,
    steps: Sequence[Sequence[Fraction]] = ((Fraction(1, 20),),),
    recorded: Record | None = None,
) -> Problem:
    """A problem of one prompt: theta is the mass of "good"; ``steps`` are the step sizes, T rows of K."""
    return Problem(
        prompts=(Prompt(0, "q", RESPONSES, tuple(rewards), REFERENCE),),
        family=Bernoulli(),
        theta=(theta,),
        group_size=group_size,
        outer_iterations=len(steps),
        inner_steps=len(steps[0]),
        epsilon=EPSILON,
        beta=beta,
        step_sizes=tuple(tuple(row) for row in steps),
        recorded=recorded,
        seed=None if recorded else 0,
    )
