"""What a policy family is: masses pi_theta(b_j | q), differentiable in theta, positive on exactly the support.

Seed [000]: for every theta in U the masses are positive on B_q, 0 on every other response, and sum to 1 (claim A3).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.domains import Domain
from grpocheck.core.prompt import Prompt


class Family(ABC):
    """A built-in policy family; it is a Policy of grpocheck.core.oracles."""

    name: ClassVar[str]
    """The word of the problem file."""

    exact: ClassVar[bool]
    """Whether every mass is made of theta by + - * / alone, so that exact arithmetic suffices."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The number d of parameters."""

    @abstractmethod
    def natural_domain(self) -> Domain:
        """The largest open set on which every mass of the support is positive."""

    @abstractmethod
    def fit(self, prompts: Sequence[Prompt]) -> None:
        """Refuse prompts that the family does not serve: raises InvalidProblem."""

    @abstractmethod
    def masses(self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic) -> tuple[Scalar, ...]:
        """The n masses pi_theta(b_j | q), in the order of the support."""

    @abstractmethod
    def mass_gradients(
        self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic
    ) -> tuple[tuple[Scalar, ...], ...]:
        """The n rows grad_theta pi_theta(b_j | q), each of length d."""
