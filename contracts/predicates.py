"""What the contracts of core say, named once. Every predicate is true, false or, on enclosures, consistent.

Sequences of masses have one entry for each response of a support, those of rewards and advantages one for each draw of
a group.

A comparison of exact numbers is decided. On certified enclosures a predicate is false only when the enclosures exclude
it; on numbers without certified error it is not evaluated (grpocheck.contracts.comparisons counts both).
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from grpocheck.contracts.comparisons import at_most, below, decided_order, decided_sign, equal

Scalar = Any


def are_positive(values: Sequence[Scalar]) -> bool:
    """Every value is above 0."""
    return all(below(0, value) for value in values)


def is_mass_function(masses: Sequence[Scalar]) -> bool:
    """Positive masses with sum exactly 1."""
    return are_positive(masses) and equal(sum(masses), 1)


def all_equal(left: Sequence[Scalar], right: Sequence[Scalar]) -> bool:
    """Entry by entry equality of two sequences of one length."""
    return len(left) == len(right) and all(equal(a, b) for a, b in zip(left, right, strict=True))


def all_zero(values: Sequence[Scalar]) -> bool:
    """Every value is 0."""
    return all(equal(value, 0) for value in values)


def sums_to_zero_vector(rows: Sequence[Sequence[Scalar]]) -> bool:
    """The rows, all of one length, sum to the zero vector; rational zeros, which are most of them, are passed over."""
    return all(
        equal(sum(entry for entry in column if type(entry) is not Fraction or entry.numerator), 0)
        for column in zip(*rows, strict=True)
    )


def vanishes_exactly_when_constant(deviation: Scalar, values: Sequence[Scalar]) -> bool:
    """B1: deviation >= 0, and it is 0 exactly when all values are equal."""
    return measures_differences(deviation, [value - values[0] for value in values[1:]])


def measures_differences(measure: Scalar, differences: Sequence[Scalar]) -> bool:
    """measure >= 0, and it is 0 exactly when every difference is."""
    sign = decided_sign(measure)
    signs = [decided_sign(difference) for difference in differences]
    if sign == -1 or (sign == 0 and any(each in (-1, 1) for each in signs)):
        return False
    return not (sign == 1 and all(each == 0 for each in signs))


def are_standardised(advantages: Sequence[Scalar], deviation: Scalar) -> bool:
    """B2: sum 0, mean square 1 (all 0 for zero deviation), and no entry beyond sqrt(G - 1)."""
    size = len(advantages)
    sign = decided_sign(deviation)
    if sign == 0:
        return all_zero(advantages)
    if not equal(sum(advantages), 0):
        return False
    if sign is None:
        return True
    squares = [advantage * advantage for advantage in advantages]
    return equal(sum(squares), size) and all(at_most(square, size - 1) for square in squares)


def lies_between(value: Scalar, lower: Scalar, upper: Scalar) -> bool:
    """lower <= value <= upper."""
    return at_most(lower, value) and at_most(value, upper)


def is_clipped_term(term: Scalar, ratio: Scalar, advantage: Scalar, epsilon: Scalar) -> bool:
    """E1: min(rho, 1 + epsilon) A for A > 0, max(rho, 1 - epsilon) A for A < 0, 0 for A = 0."""
    sign = decided_sign(advantage)
    if sign is None:
        return True
    if sign == 0:
        return equal(term, 0)
    bound = 1 + epsilon if sign > 0 else 1 - epsilon
    capped, product = bound * advantage, ratio * advantage
    order = decided_order(capped, product)
    return (order != 1 and equal(term, capped)) or (order != -1 and equal(term, product))


def is_relative_entropy(divergence: Scalar, masses: Sequence[Scalar], reference: Sequence[Scalar]) -> bool:
    """B4: >= 0, and 0 exactly when the two mass functions are equal."""
    return measures_differences(divergence, [mass - base for mass, base in zip(masses, reference, strict=True)])


def moves_along(proposal: Sequence[Scalar], theta: Sequence[Scalar], step: Scalar, gradient: Sequence[Scalar]) -> bool:
    """proposal = theta + step * gradient."""
    return len(proposal) == len(theta) == len(gradient) and all(
        equal(new, old + step * slope) for new, old, slope in zip(proposal, theta, gradient, strict=True)
    )


def is_bounded_objective(value: Scalar, frozen: Any, masses: Sequence[Sequence[Scalar]]) -> bool:
    """B5: -S - beta C <= F <= S, with S from the old masses drawn and C from KL <= sum_j (p_j - q_j)^2 / q_j.

    log x <= x - 1 gives the bound C on the divergence without a logarithm: a contract calls no supplied operation.
    """
    size = len(frozen.groups[0].positions)
    chi_square = sum(
        (mass - base) ** 2 / base
        for group, prompt_masses in zip(frozen.groups, masses, strict=True)
        for mass, base in zip(prompt_masses, group.prompt.reference, strict=True)
    ) / len(frozen.groups)
    raised = value + frozen.beta * chi_square
    factors = [1 + frozen.epsilon] + [1 / mass for group in frozen.groups for mass in group.old_masses]
    limits = [(size - 1) * factor * factor for factor in factors]
    return (not below(0, value) or any(at_most(value * value, limit) for limit in limits)) and (
        not below(raised, 0) or any(at_most(raised * raised, limit) for limit in limits)
    )
