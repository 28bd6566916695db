"""The importance ratio, its clip and the clipped term (claims B3, E1, E2, G5).

The contracts are icontract's own: see grpocheck.proofs.symbolic.harness.
"""

from fractions import Fraction

from grpocheck.core.ratio import active_bound, clip, clipped_term, importance_ratio
from grpocheck.proofs.symbolic.arithmetic import SymbolicArithmetic
from grpocheck.proofs.symbolic.harness import harness
from icontract import ensure, require

EXACT = SymbolicArithmetic()


@harness(size="any positive masses")
@require(lambda new, old: new > 0 and old > 0)
@ensure(lambda result: result > 0, "B3: a ratio is positive")
@ensure(lambda new, old, result: (result == 1) == (new == old), "B3: a ratio is 1 exactly where the masses are equal")
def ratio(new: Fraction, old: Fraction) -> Fraction:
    """rho of one response."""
    result: Fraction = importance_ratio(new, old)
    return result


@harness(size="any ratio and 0 < epsilon < 1")
@require(lambda epsilon: 0 < epsilon < 1)
@ensure(lambda epsilon, result: 1 - epsilon <= result <= 1 + epsilon, "E1: the clip lies in [1-eps, 1+eps]")
@ensure(lambda x, epsilon, result: result == x or not 1 - epsilon <= x <= 1 + epsilon, "E1: inside it is the identity")
@ensure(lambda x, epsilon, result: x <= 1 + epsilon or result == 1 + epsilon, "E1: above it is 1+eps")
@ensure(lambda x, epsilon, result: x >= 1 - epsilon or result == 1 - epsilon, "E1: below it is 1-eps")
def clipped_ratio(x: Fraction, epsilon: Fraction) -> Fraction:
    """clip(x)."""
    result: Fraction = clip(x, epsilon, EXACT)
    return result


@harness(size="any rho > 0, A and 0 < epsilon < 1")
@require(lambda epsilon: 0 < epsilon < 1)
@require(lambda rho: rho > 0)
@ensure(lambda rho, advantage, result: result <= rho * advantage, "E2: the term is at most rho A")
@ensure(
    lambda rho, advantage, epsilon, result: (
        not (advantage > 0 and rho > 1 + epsilon) or result == (1 + epsilon) * advantage
    ),
    "E1: A > 0 and rho above 1+eps: the term is (1+eps) A",
)
@ensure(
    lambda rho, advantage, epsilon, result: not (advantage > 0 and rho <= 1 + epsilon) or result == rho * advantage,
    "E1: A > 0 and rho at most 1+eps: the term is rho A",
)
@ensure(
    lambda rho, advantage, epsilon, result: (
        not (advantage < 0 and rho < 1 - epsilon) or result == (1 - epsilon) * advantage
    ),
    "E1: A < 0 and rho below 1-eps: the term is (1-eps) A",
)
@ensure(
    lambda rho, advantage, epsilon, result: not (advantage < 0 and rho >= 1 - epsilon) or result == rho * advantage,
    "E1: A < 0 and rho at least 1-eps: the term is rho A",
)
@ensure(lambda advantage, result: advantage != 0 or result == 0, "E1: A = 0: the term is 0")
def term(rho: Fraction, advantage: Fraction, epsilon: Fraction) -> Fraction:
    """min(rho A, clip(rho) A)."""
    result: Fraction = clipped_term(rho, advantage, epsilon, EXACT)
    return result


@harness(size="any rho > 0, A != 0 and 0 < epsilon < 1")
@require(lambda rho, advantage: rho > 0 and advantage != 0)
@require(lambda epsilon: 0 < epsilon < 1)
@ensure(lambda result: result[0] == result[1], "F2: the term is min(rho A, b A), b the active bound")
def term_as_minimum(rho: Fraction, advantage: Fraction, epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """The term, and the minimum of two products that claim F1 speaks of."""
    bound = active_bound(advantage, epsilon, EXACT)
    return clipped_term(rho, advantage, epsilon, EXACT), min(rho * advantage, bound * advantage)


Three = tuple[Fraction, Fraction, Fraction]


@harness(size="three tokens, any positive masses")
@require(lambda new, old: all(mass > 0 for mass in new + old))
@ensure(lambda result: result[0] == result[1], "G5: the sequence ratio is the product of the token ratios")
def sequence_ratio(new: Three, old: Three) -> tuple[Fraction, Fraction]:
    """The ratio of the products, and the product of the ratios."""
    whole = importance_ratio(new[0] * new[1] * new[2], old[0] * old[1] * old[2])
    product = Fraction(1)
    for current, frozen in zip(new, old, strict=True):
        product = product * importance_ratio(current, frozen)
    return whole, product
