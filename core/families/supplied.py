"""A policy family whose masses and mass gradients come from the supply."""

from dataclasses import dataclass
from typing import ClassVar

from grpocheck.contracts.clauses import ensure, invariant
from grpocheck.core.domains import Domain, WholeSpace
from grpocheck.core.values import count


@invariant(lambda self: self.dimension >= 1, "d >= 1")
@dataclass(frozen=True)
class Supplied:
    """No built-in family: the run needs a policy in its supply, and the problem a domain of its own.

    It is no Family: it has no masses, so whoever runs a problem has to look at the supply first.
    """

    dimension: int

    name: ClassVar[str] = "supplied"
    exact: ClassVar[bool] = False
    """Nothing is known of the masses: they may need exponentials."""

    @ensure(lambda self: self.natural_domain().dimension == self.dimension, "d is the dimension of U")
    def __post_init__(self) -> None:
        """Refuse a family without parameters."""
        count("theta", self.dimension, 1)

    @ensure(lambda self, result: result.dimension == self.dimension, "the whole of R^d")
    def natural_domain(self) -> Domain:
        """R^d: where the supplied masses are positive is what the stated domain says."""
        return WholeSpace(self.dimension)
