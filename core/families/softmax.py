"""The softmax family: one logit for each response, prompt after prompt."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.contracts.predicates import is_mass_function, sums_to_zero_vector
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.domains import Domain, WholeSpace
from grpocheck.core.families.sized import SizedFamily
from grpocheck.core.prompt import Prompt


@total("every difference of scores has an exponential")
@ensure(lambda differences, result: len(result) == len(differences) + 1, "one mass for each score")
def softmax(differences: Sequence[Scalar], arithmetic: Arithmetic) -> tuple[Scalar, ...]:
    """The masses proportional to exp(score), given the differences of the later scores to the first one.

    Only differences enter, so a common shift of the scores changes nothing; and since exp(0) is 1 in every arithmetic,
    n equal scores give the mass 1/n exactly.
    """
    one = arithmetic.number(Fraction(1))
    weights = [one, *(arithmetic.exp(difference) for difference in differences)]
    normaliser = sum(weights[1:], one)
    return tuple(weight / normaliser for weight in weights)


@require(lambda masses: len(masses) >= 1, "a mass for each of n >= 1 scores")
@ensure(lambda masses, result: [len(row) for row in result] == [len(masses)] * len(masses), "n x n derivatives")
def softmax_jacobian(masses: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
    """The n x n derivatives of the masses with respect to the scores: p_j ([j = k] - p_k)."""
    return tuple(
        tuple(mass * ((1 if j == k else 0) - other) for k, other in enumerate(masses)) for j, mass in enumerate(masses)
    )


@dataclass(frozen=True)
class Softmax(SizedFamily):
    """pi_theta(b_j | q) proportional to exp(theta_j), theta_j the logit of b_j; U is the whole of R^d."""

    name: ClassVar[str] = "softmax"
    exact: ClassVar[bool] = False
    spared: ClassVar[int] = 0

    @ensure(lambda self, result: result.dimension == self.dimension, "the whole of R^d")
    def natural_domain(self) -> Domain:
        """R^d."""
        return WholeSpace(self.dimension)

    @require(lambda self, theta, prompt: len(theta) == self.dimension and self.serves(prompt), "theta in R^d, q_l")
    @ensure(lambda prompt, result: len(result) == len(prompt.responses), "one mass for each response of the support")
    @ensure(lambda result: is_mass_function(result), "A3: the masses are positive and sum to 1")
    def masses(self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic) -> tuple[Scalar, ...]:
        """The softmax of the prompt's logits."""
        logits = [theta[i] for i in self.block(prompt.position)]
        return softmax([logit - logits[0] for logit in logits[1:]], arithmetic)

    @require(lambda self, theta, prompt: len(theta) == self.dimension and self.serves(prompt), "theta in R^d, q_l")
    @ensure(lambda result: sums_to_zero_vector(result), "A3: the mass gradients sum to 0, as the masses sum to 1")
    @ensure(lambda prompt, result: len(result) == len(prompt.responses), "one row for each response of the support")
    def mass_gradients(
        self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic
    ) -> tuple[tuple[Scalar, ...], ...]:
        """d pi(b_j) / d theta_k = pi(b_j) ([j = k] - pi(b_k)) inside the prompt's block, 0 outside."""
        block, zero = self.block(prompt.position), arithmetic.number(Fraction(0))
        masses = self.masses(theta, prompt, arithmetic)
        rows = softmax_jacobian(masses)
        before, after = (zero,) * block.start, (zero,) * (self.dimension - block.stop)
        return tuple((*before, *row, *after) for row in rows)
