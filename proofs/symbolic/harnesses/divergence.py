"""Divergence from the reference, change of measure, chain rule (claims B4, G1, G4).

The contracts are icontract's own: see grpocheck.proofs.symbolic.harness.
"""

from collections.abc import Sequence
from fractions import Fraction

from grpocheck.core.divergence import kl_divergence
from grpocheck.core.ratio import importance_ratio
from grpocheck.proofs.symbolic.arithmetic import SymbolicArithmetic
from grpocheck.proofs.symbolic.harness import harness
from icontract import ensure, require

EXACT = SymbolicArithmetic()

Two = tuple[Fraction, Fraction]
Three = tuple[Fraction, Fraction, Fraction]
Five = tuple[Fraction, Fraction, Fraction, Fraction, Fraction]
Eight = tuple[Fraction, Fraction, Fraction, Fraction, Fraction, Fraction, Fraction, Fraction]


def is_distribution(masses: Sequence[Fraction]) -> bool:
    """Positive masses with sum 1."""
    return all(mass > 0 for mass in masses) and sum(masses) == 1


def divergence(masses: Sequence[Fraction], reference: Sequence[Fraction]) -> Fraction:
    """KL(masses || reference), by core."""
    result: Fraction = kl_divergence(masses, reference, EXACT)
    return result


def reweighted(new: Sequence[Fraction], old: Sequence[Fraction], values: Sequence[Fraction]) -> Fraction:
    """sum pi_old rho f, with core's rho."""
    total = Fraction(0)
    for current, frozen, value in zip(new, old, values, strict=True):
        total = total + frozen * importance_ratio(current, frozen) * value
    return total


def expectation(masses: Sequence[Fraction], values: Sequence[Fraction]) -> Fraction:
    """sum p f."""
    return sum((mass * value for mass, value in zip(masses, values, strict=True)), Fraction(0))


@harness(size="n = 2, any two mass functions")
@require(lambda p, q: is_distribution(p) and is_distribution(q))
@ensure(
    lambda p, q, result: (
        result == sum(mass * (EXACT.log(mass) - EXACT.log(base)) for mass, base in zip(p, q, strict=True))
    ),
    "B4: KL is the expectation of log(p/q) under p, the current policy",
)
@ensure(lambda result: result >= 0, "B4: KL >= 0")
@ensure(lambda p, q, result: (result == 0) == (p == q), "B4: KL = 0 exactly for equal mass functions")
def divergence_of_two(p: Two, q: Two) -> Fraction:
    """KL on two responses."""
    return divergence(p, q)


@harness(size="n = 3, any two mass functions")
@require(lambda p, q: is_distribution(p) and is_distribution(q))
@ensure(lambda result: result >= 0, "B4: KL >= 0")
@ensure(lambda p, q, result: (result == 0) == (p == q), "B4: KL = 0 exactly for equal mass functions")
def divergence_of_three(p: Three, q: Three) -> Fraction:
    """KL on three responses."""
    return divergence(p, q)


@harness(size="n = 5, any two mass functions")
@require(lambda p, q: is_distribution(p) and is_distribution(q))
@ensure(lambda p, q, result: (result == 0) == (p == q), "B4: KL = 0 exactly for equal mass functions")
def divergence_of_five(p: Five, q: Five) -> Fraction:
    """KL on five responses."""
    return divergence(p, q)


@harness(size="n = 8, any two mass functions")
@require(lambda p, q: is_distribution(p) and is_distribution(q))
@ensure(lambda result: result >= 0, "B4: KL >= 0")
def divergence_of_eight(p: Eight, q: Eight) -> Fraction:
    """KL on eight responses."""
    return divergence(p, q)


@harness(size="n = 2, any mass functions and values")
@require(lambda new, old: is_distribution(new) and is_distribution(old))
@ensure(lambda new, values, result: result == expectation(new, values), "G1: sum pi_old rho f = sum pi_theta f")
def measure_of_two(new: Two, old: Two, values: Two) -> Fraction:
    """The reweighted expectation on two responses."""
    return reweighted(new, old, values)


@harness(size="n = 8, any mass functions and values")
@require(lambda new, old: is_distribution(new) and is_distribution(old))
@ensure(lambda new, values, result: result == expectation(new, values), "G1: sum pi_old rho f = sum pi_theta f")
def measure_of_eight(new: Eight, old: Eight, values: Eight) -> Fraction:
    """The reweighted expectation on eight responses."""
    return reweighted(new, old, values)


@harness(size="two tokens, then three or two; any conditional masses")
@require(lambda p, after_0, after_1: is_distribution(p) and is_distribution(after_0) and is_distribution(after_1))
@require(lambda q, base_0, base_1: is_distribution(q) and is_distribution(base_0) and is_distribution(base_1))
@ensure(
    lambda p, q, after_0, after_1, base_0, base_1, result: (
        result == divergence(p, q) + p[0] * divergence(after_0, base_0) + p[1] * divergence(after_1, base_1)
    ),
    "G4: the KL of a product is the chain-rule sum, prefixes weighted by the current policy",
)
def chained_divergence(p: Two, q: Two, after_0: Three, after_1: Two, base_0: Three, base_1: Two) -> Fraction:
    """KL of the two-token responses, whose second tokens depend on the first."""
    masses = [p[0] * mass for mass in after_0] + [p[1] * mass for mass in after_1]
    reference = [q[0] * mass for mass in base_0] + [q[1] * mass for mass in base_1]
    return divergence(masses, reference)
