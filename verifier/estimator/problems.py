"""From a problem, or from a few numbers, to the update whose estimator is asked about."""

from collections.abc import Sequence
from fractions import Fraction

from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.families.autoregressive import Autoregressive
from grpocheck.core.families.family import Family
from grpocheck.core.families.softmax import softmax_jacobian
from grpocheck.core.gradient import Vector
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.problem import Problem, in_domain
from grpocheck.core.variants.policies import PromptPolicies, Update
from grpocheck.core.variants.support import TokenSupport

COORDINATES = ("theta", "logits")


def update_of(
    problem: Problem, arithmetic: Arithmetic, at: Sequence[Fraction] | None = None, coordinates: str = "theta"
) -> Update:
    """The update of a problem's first outer iteration: draws from theta, the gradient taken at ``at`` (theta if None).

    ``at`` has d entries, as theta has. ``coordinates`` are those of the gradient: ``theta``, the problem's own
    parameters, or ``logits``, one for each response of each prompt, which is exact wherever the masses are. Raises
    InvalidProblem for a supplied family, for other coordinates, and for a point that is none of U.
    """
    family = problem.family
    if not isinstance(family, Family):
        raise InvalidProblem("family", family.name, "a built-in family: masses at every draw are needed")
    if coordinates not in COORDINATES:
        raise InvalidProblem("coordinates", coordinates, " or ".join(COORDINATES))
    theta = [arithmetic.number(entry) for entry in problem.theta]
    current = theta
    if at is not None:
        if len(at) != len(theta):
            raise InvalidProblem("at", list(at), f"as many numbers as theta has: {len(theta)}")
        if not in_domain(at, problem.admissible_domain):
            raise InvalidProblem("at", list(at), "a point of the open domain U")
        current = [arithmetic.number(entry) for entry in at]
    sizes = [len(prompt.responses) for prompt in problem.prompts]
    prompts = []
    for prompt in problem.prompts:
        old = family.masses(theta, prompt, arithmetic)
        masses = old if at is None else family.masses(current, prompt, arithmetic)
        if coordinates == "logits":
            rows = logit_rows(masses, sizes, prompt.position, arithmetic)
        else:
            rows = tuple(tuple(row) for row in family.mass_gradients(current, prompt, arithmetic))
        rewards, reference = (
            tuple(arithmetic.number(entry) for entry in entries) for entries in (prompt.rewards, prompt.reference)
        )
        prompts.append(PromptPolicies(TokenSupport(prompt.responses), rewards, masses, old, reference, rows))
    longest = max(prompt.support.longest for prompt in prompts)
    if isinstance(family, Autoregressive):
        longest = family.generation.horizon
    beta, epsilon = arithmetic.number(problem.beta), arithmetic.number(problem.epsilon)
    return Update(tuple(prompts), epsilon, beta, longest)


def logit_rows(
    masses: Sequence[Scalar], sizes: Sequence[int], position: int, arithmetic: Arithmetic
) -> tuple[Vector, ...]:
    """The gradients of a prompt's masses by one logit for each response of each prompt: p_j ([j = k] - p_k)."""
    zero = arithmetic.number(Fraction(0))
    before, after = (zero,) * sum(sizes[:position]), (zero,) * sum(sizes[position + 1 :])
    return tuple((*before, *row, *after) for row in softmax_jacobian(masses))
