"""The exact finite-distribution divergence from the reference, in nats.

Seed [000], "use the exact finite-distribution forward KL penalty": the expectation is under pi_theta. Much of the field
calls KL(pi_theta || pi_ref) the reverse one.
"""

from collections.abc import Sequence

from grpocheck.contracts.clauses import ensure, require
from grpocheck.contracts.predicates import is_mass_function, is_relative_entropy
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar


@require(lambda masses: is_mass_function(masses), "A3: the current masses are positive with sum 1")
@require(lambda reference: is_mass_function(reference), "the reference masses are positive with sum 1")
@require(lambda masses, reference: len(masses) == len(reference), "both are positive on exactly the same support")
@ensure(
    lambda masses, reference, result: is_relative_entropy(result, masses, reference),
    "B4: KL >= 0, and 0 exactly when the two mass functions are equal",
)
def kl_divergence(masses: Sequence[Scalar], reference: Sequence[Scalar], arithmetic: Arithmetic) -> Scalar:
    """KL(pi_theta || pi_ref) = sum_j pi_theta(b_j) log(pi_theta(b_j) / pi_ref(b_j)), over the whole support, in nats.

    Raises NotExact in exact arithmetic, which has no logarithm but that of 1, unless the two are equal.

    >>> from fractions import Fraction
    >>> from grpocheck.core.arithmetic import EnclosureArithmetic
    >>> half, arithmetic = Fraction(1, 2), EnclosureArithmetic(digits=6)
    >>> arithmetic.text(kl_divergence((Fraction(4, 5), Fraction(1, 5)), (half, half), arithmetic))
    ['0.19274475', '0.19274476']
    """
    return sum(mass * arithmetic.log(mass / base) for mass, base in zip(masses, reference, strict=True))
