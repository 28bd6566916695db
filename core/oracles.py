"""The supplied oracles, as protocols that anyone may implement.

Seed [000]: response draws, rewards, policy masses, a total domain oracle and an objective-gradient oracle are supplied,
terminate on every call and answer exactly. Which number class an oracle receives and returns is part of its protocol:
the scalars of the run's arithmetic (fractions.Fraction always qualifies; a float never does).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, Protocol

from grpocheck.core.arithmetic.supply import Arithmetic, Scalar

if TYPE_CHECKING:
    from grpocheck.core.frozen import FrozenIteration
    from grpocheck.core.prompt import Prompt


class Undefined(Enum):
    """The answer of a gradient oracle where the total derivative does not exist."""

    GRADIENT = "undefined-gradient"


UNDEFINED_GRADIENT: Final = Undefined.GRADIENT
"""What a gradient oracle answers where F_t has no total derivative."""


class Policy(Protocol):
    """A policy family pi_theta, positive on exactly the support for every theta in U and differentiable there."""

    def masses(self, theta: Sequence[Scalar], prompt: "Prompt", arithmetic: Arithmetic) -> Sequence[Scalar]:
        """The n masses pi_theta(b_j | q) (probabilities), in the order of the support; positive, with sum 1."""
        ...

    def mass_gradients(
        self, theta: Sequence[Scalar], prompt: "Prompt", arithmetic: Arithmetic
    ) -> Sequence[Sequence[Scalar]]:
        """The n rows grad_theta pi_theta(b_j | q), each of length d, in the order of the support; they sum to 0."""
        ...


class DrawOracle(Protocol):
    """Response draws: Y_{l,i} with the law of the frozen policy, independent of all other draws."""

    def __call__(self, masses: Sequence[Scalar], prompt: "Prompt", outer_iteration: int, draw: int) -> str:
        """The response drawn for a prompt; outer iterations and draws are counted from 1."""
        ...


class RewardOracle(Protocol):
    """The finite reward function r_q on the support."""

    def __call__(self, prompt: "Prompt", response: str) -> Scalar:
        """The reward of a response of the support, in reward units."""
        ...


class DomainOracle(Protocol):
    """M_U, total on R^d: True exactly on the open set U."""

    def __call__(self, theta: Sequence[Scalar]) -> bool:
        """Whether theta, of d entries, is in U: True or False, and no other value that is true or false."""
        ...


class GradientOracle(Protocol):
    """The objective-gradient oracle."""

    def __call__(self, frozen: "FrozenIteration", theta: Sequence[Scalar]) -> Sequence[Scalar] | Undefined:
        """The d entries of grad F_t at theta in U, or UNDEFINED_GRADIENT where F_t is not differentiable."""
        ...


@dataclass(frozen=True)
class Supply:
    """The oracles that a user supplies in place of the built-in ones; None keeps the built-in one.

    Each is called as its protocol says, and what breaks its clause ends the run with SupplyViolation.

    >>> from fractions import Fraction
    >>> from grpocheck.core import read_problem, run
    >>> narrow = Supply(domain=lambda theta: abs(theta[0] - Fraction(1, 2)) < Fraction(1, 20))
    >>> print(run(read_problem("examples/undefined_gradient.toml"), narrow).status)
    invalid-update
    """

    arithmetic: Arithmetic | None = None
    draws: DrawOracle | None = None
    reward: RewardOracle | None = None
    policy: Policy | None = None
    domain: DomainOracle | None = None
    gradient: GradientOracle | None = None
