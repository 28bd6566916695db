"""A supplied policy family: p(theta) = 1/2 + theta (2 - theta) / 10 for the first of two responses, on U = (-1, 3)."""

from collections.abc import Sequence
from fractions import Fraction

from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.oracles import Supply
from grpocheck.core.problem import Prompt


class Hill:
    """A mass that rises to 3/5 at theta = 1 and falls again."""

    def masses(self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic) -> tuple[Scalar, Scalar]:
        """p(theta) and 1 - p(theta)."""
        good = Fraction(1, 2) + theta[0] * (2 - theta[0]) / 10
        return (good, 1 - good)

    def mass_gradients(
        self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic
    ) -> tuple[tuple[Scalar], tuple[Scalar]]:
        """p'(theta) = (1 - theta) / 5, and its negative."""
        slope = (1 - theta[0]) / 5
        return ((slope,), (-slope,))


supply = Supply(policy=Hill())
