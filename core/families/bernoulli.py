"""The Bernoulli family: one probability, shared by all prompts, of the first of two responses."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.contracts.comparisons import below, equal
from grpocheck.contracts.predicates import is_mass_function, sums_to_zero_vector
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.domains import Domain, OpenBox
from grpocheck.core.families.family import Family
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.prompt import Prompt


@dataclass(frozen=True)
class Bernoulli(Family):
    """pi_theta(b_1 | q) = theta and pi_theta(b_2 | q) = 1 - theta, for every prompt; U lies inside (0, 1)."""

    name: ClassVar[str] = "bernoulli"
    exact: ClassVar[bool] = True

    @property
    @ensure(lambda self, result: result == self.natural_domain().dimension, "d is the dimension of U")
    def dimension(self) -> int:
        """One parameter."""
        return 1

    @ensure(lambda result: result.lower == (0,) and result.upper == (1,), "both masses are positive exactly on (0, 1)")
    def natural_domain(self) -> Domain:
        """The open interval (0, 1)."""
        return OpenBox((Fraction(0),), (Fraction(1),))

    @total("prompts that do not fit raise InvalidProblem")
    @ensure(lambda prompts: all(len(prompt.responses) == 2 for prompt in prompts), "every support has two responses")
    def fit(self, prompts: Sequence[Prompt]) -> None:
        """Refuse a support that has not exactly two responses."""
        for prompt in prompts:
            if len(prompt.responses) != 2:
                key = f"prompts[{prompt.position}].responses"
                raise InvalidProblem(key, prompt.responses, "two responses: the family is bernoulli")

    @require(lambda theta, prompt: len(theta) == 1 and len(prompt.responses) == 2, "one parameter, two responses")
    @require(lambda theta: below(0, theta[0]) and below(theta[0], 1), "A1: 0 < theta < 1")
    @ensure(lambda result: is_mass_function(result), "A3: the masses are positive and sum to 1")
    @ensure(lambda theta, result: equal(result[0], theta[0]), "theta is the mass of the first response")
    def masses(self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic) -> tuple[Scalar, ...]:
        """theta and 1 - theta."""
        return (theta[0], 1 - theta[0])

    @require(lambda theta, prompt: len(theta) == 1 and len(prompt.responses) == 2, "one parameter, two responses")
    @ensure(lambda result: sums_to_zero_vector(result), "A3: the mass gradients sum to 0, as the masses sum to 1")
    @ensure(lambda result: equal(result[0][0], 1), "theta moves the mass of the first response by 1")
    def mass_gradients(
        self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic
    ) -> tuple[tuple[Scalar, ...], ...]:
        """1 and -1."""
        one = arithmetic.number(Fraction(1))
        return ((one,), (-one,))
