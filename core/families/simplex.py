"""The simplex family: theta holds the masses themselves, of all but the last response of each prompt."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from grpocheck.contracts.clauses import ensure, require
from grpocheck.contracts.comparisons import below, equal
from grpocheck.contracts.predicates import all_equal, are_positive, is_mass_function, sums_to_zero_vector
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.domains import Domain, OpenSimplices
from grpocheck.core.families.sized import SizedFamily
from grpocheck.core.prompt import Prompt


@require(lambda free: free >= 0, "a number of free masses")
@ensure(lambda free, result: len(result) == free + 1, "one row for each mass")
def simplex_jacobian(free: int, arithmetic: Arithmetic) -> tuple[tuple[Scalar, ...], ...]:
    """The derivatives of the masses with respect to the free ones: unit vectors, and minus their sum for the last."""
    zero, one = arithmetic.number(Fraction(0)), arithmetic.number(Fraction(1))
    rows = [tuple(one if i == j else zero for i in range(free)) for j in range(free)]
    return (*rows, (-one,) * free)


@require(lambda free: below(sum(free), 1) and are_positive(free), "A1: the free masses leave some for the last")
@ensure(lambda free, result: len(result) == len(free) + 1, "one mass more than there are free ones")
def completed(free: Sequence[Scalar], arithmetic: Arithmetic) -> tuple[Scalar, ...]:
    """The free masses, and what they leave to 1 for the last response."""
    return (*free, sum((-mass for mass in free), arithmetic.number(Fraction(1))))


@dataclass(frozen=True)
class Simplex(SizedFamily):
    """pi_theta(b_j | q) is a coordinate of theta for j < n, and 1 minus the others' sum for j = n."""

    name: ClassVar[str] = "simplex"
    exact: ClassVar[bool] = True
    spared: ClassVar[int] = 1

    @require(lambda self: self.dimension >= 1, "there is a parameter: some support has two responses")
    @ensure(lambda self, result: result.dimension == self.dimension, "d is the dimension of U")
    def natural_domain(self) -> Domain:
        """Every mass above 0."""
        return OpenSimplices(tuple(size - 1 for size in self.sizes))

    @require(lambda self, theta, prompt: len(theta) == self.dimension and self.serves(prompt), "theta in R^d, q_l")
    @ensure(lambda result: is_mass_function(result), "A3: the masses are positive and sum to 1")
    @ensure(
        lambda self, theta, prompt, result: all_equal(result[:-1], [theta[i] for i in self.block(prompt.position)]),
        "the prompt's coordinates of theta are its masses",
    )
    def masses(self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic) -> tuple[Scalar, ...]:
        """The prompt's coordinates of theta, and what is left to 1."""
        return completed([theta[i] for i in self.block(prompt.position)], arithmetic)

    @require(lambda self, theta, prompt: len(theta) == self.dimension and self.serves(prompt), "theta in R^d, q_l")
    @ensure(lambda result: sums_to_zero_vector(result), "A3: the mass gradients sum to 0, as the masses sum to 1")
    @ensure(lambda result: all(equal(sum(row), 1) for row in result[:-1]), "each parameter moves its own mass by 1")
    def mass_gradients(
        self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic
    ) -> tuple[tuple[Scalar, ...], ...]:
        """Unit vectors for the free masses, and minus their sum for the last."""
        block, zero = self.block(prompt.position), arithmetic.number(Fraction(0))
        before, after = (zero,) * block.start, (zero,) * (self.dimension - block.stop)
        return tuple((*before, *row, *after) for row in simplex_jacobian(len(block), arithmetic))
