"""The importance ratio of a whole response, its clip, and the term that an advantage makes of it.

Seed [000], "use the sequence-level ratio"; the clip is min(1 + epsilon, max(1 - epsilon, x)).
"""

from grpocheck.contracts.clauses import ensure, require
from grpocheck.contracts.comparisons import at_most, below, decided_sign, equal
from grpocheck.contracts.predicates import is_clipped_term, lies_between
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar


@require(lambda new_mass: below(0, new_mass), "A3: the response has positive mass under the current policy")
@require(lambda old_mass: below(0, old_mass), "A3: the denominator, the old policy's mass, is positive")
@ensure(lambda result: below(0, result), "B3: the ratio is positive")
@ensure(lambda new_mass, old_mass, result: equal(result * old_mass, new_mass), "G1: rho pi_old = pi_theta")
def importance_ratio(new_mass: Scalar, old_mass: Scalar) -> Scalar:
    """rho = pi_theta(y|q) / pi_old(y|q), of probabilities of the whole response.

    >>> from fractions import Fraction
    >>> importance_ratio(Fraction(3, 5), Fraction(1, 2))
    Fraction(6, 5)
    """
    return new_mass / old_mass


@require(lambda epsilon: below(0, epsilon) and below(epsilon, 1), "0 < epsilon < 1")
@ensure(lambda epsilon, result: lies_between(result, 1 - epsilon, 1 + epsilon), "the clip lies in [1-eps, 1+eps]")
@ensure(
    lambda ratio, epsilon, result: (at_most(ratio, result) or equal(result, 1 + epsilon))
    and (at_most(result, ratio) or equal(result, 1 - epsilon)),
    "only a ratio above 1+eps is lowered, and only one below 1-eps raised",
)
def clip(ratio: Scalar, epsilon: Scalar, arithmetic: Arithmetic) -> Scalar:
    """min(1 + epsilon, max(1 - epsilon, ratio)).

    >>> from fractions import Fraction
    >>> from grpocheck.core.arithmetic import ExactArithmetic
    >>> clip(Fraction(7, 5), Fraction(1, 5), ExactArithmetic())
    Fraction(6, 5)
    """
    return arithmetic.minimum(1 + epsilon, arithmetic.maximum(1 - epsilon, ratio))


@require(lambda ratio: below(0, ratio), "B3: the ratio is positive")
@require(lambda epsilon: below(0, epsilon) and below(epsilon, 1), "0 < epsilon < 1")
@ensure(
    lambda ratio, advantage, epsilon, result: is_clipped_term(result, ratio, advantage, epsilon),
    "E1: min(rho, 1+eps) A for A > 0, max(rho, 1-eps) A for A < 0, 0 for A = 0",
)
@ensure(lambda ratio, advantage, result: at_most(result, ratio * advantage), "E2: the term is at most rho A")
def clipped_term(ratio: Scalar, advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic) -> Scalar:
    """min(rho A, clip(rho) A): the pessimistic one of the two products, in advantage units.

    >>> from fractions import Fraction
    >>> from grpocheck.core.arithmetic import ExactArithmetic
    >>> clipped_term(Fraction(7, 5), Fraction(2), Fraction(1, 5), ExactArithmetic())
    Fraction(12, 5)
    >>> clipped_term(Fraction(7, 5), Fraction(-2), Fraction(1, 5), ExactArithmetic())  # no cap above where A < 0
    Fraction(-14, 5)
    """
    return arithmetic.minimum(ratio * advantage, clip(ratio, epsilon, arithmetic) * advantage)


@require(lambda advantage: decided_sign(advantage) != 0, "a response of advantage 0 has no active bound")
@require(lambda epsilon: below(0, epsilon) and below(epsilon, 1), "0 < epsilon < 1")
@ensure(
    lambda advantage, epsilon, result: equal((result - 1) ** 2, epsilon**2) and below(0, (result - 1) * advantage),
    "F2: b = 1 + eps for A > 0 and 1 - eps for A < 0",
)
def active_bound(advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic) -> Scalar:
    """b, the one side of the clip at which a response of this advantage can lose its gradient."""
    return 1 + epsilon if arithmetic.less(0, advantage) else 1 - epsilon
