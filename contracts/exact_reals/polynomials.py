"""Polynomials with rational coefficients over numbered atoms, as dictionaries from monomial to coefficient.

Some atoms are square roots. They obey ``s * s = P``, which ``multiply`` applies at once, so an identity between
expressions with square roots is decided by comparing dictionaries.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

Monomial: TypeAlias = tuple[tuple[int, int], ...]
"""Sorted pairs of atom and positive exponent."""

Polynomial: TypeAlias = dict[Monomial, Fraction]
"""No coefficient is zero; the zero polynomial is empty."""

Key: TypeAlias = tuple[tuple[Monomial, Fraction], ...]

Factors: TypeAlias = dict[Key, tuple[Polynomial, int]]
"""A product of powers: by the key of each factor, the factor and its exponent."""

UNIT: Monomial = ()

_LONG_DIVISION_TERMS = 200
_LONG_DIVISION_STEPS = 60


def constant(value: int | Fraction) -> Polynomial:
    """The polynomial equal to a number."""
    return {UNIT: Fraction(value)} if value else {}


def atom(index: int) -> Polynomial:
    """The polynomial that is one atom."""
    return {((index, 1),): Fraction(1)}


def single_atom(polynomial: Polynomial) -> int | None:
    """The atom that a polynomial is, or None when it is anything else."""
    if len(polynomial) == 1:
        ((monomial, coefficient),) = polynomial.items()
        if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1:
            return monomial[0][0]
    return None


def is_constant(polynomial: Polynomial) -> bool:
    """Whether no atom occurs."""
    return all(monomial == UNIT for monomial in polynomial)


def key(polynomial: Polynomial) -> Key:
    """A hashable form: equal for equal polynomials, and only for them."""
    return tuple(sorted(polynomial.items()))


def add(left: Polynomial, right: Polynomial, factor: int | Fraction = 1) -> Polynomial:
    """``left + factor * right``."""
    total = dict(left)
    _accumulate(total, right, factor)
    return total


def _accumulate(total: Polynomial, addend: Polynomial, factor: int | Fraction = 1) -> None:
    for monomial, coefficient in addend.items():
        value = total.get(monomial, Fraction(0)) + factor * coefficient
        if value:
            total[monomial] = value
        else:
            total.pop(monomial, None)


def scale(polynomial: Polynomial, factor: int | Fraction) -> Polynomial:
    """``factor * polynomial``."""
    return {monomial: coefficient * factor for monomial, coefficient in polynomial.items()} if factor else {}


def leading_monomial(polynomial: Polynomial) -> Monomial:
    """The monomial of greatest total degree, ties broken by the atoms; the polynomial is not zero."""
    return max(polynomial, key=lambda monomial: (sum(exponent for _, exponent in monomial), monomial))


def primitive(polynomial: Polynomial) -> tuple[Fraction, Polynomial]:
    """``(content, part)`` with ``polynomial = content * part``; part has coprime integers, the leading one positive."""
    if not polynomial:
        return Fraction(0), {}
    numerator, denominator = 0, 1
    for coefficient in polynomial.values():
        numerator = gcd(numerator, coefficient.numerator)
        denominator = lcm(denominator, coefficient.denominator)
    sign = 1 if polynomial[leading_monomial(polynomial)] > 0 else -1
    content = Fraction(sign * numerator, denominator)
    return content, {monomial: coefficient / content for monomial, coefficient in polynomial.items()}


def _join(left: Monomial, right: Monomial) -> Monomial:
    exponents = dict(left)
    for index, exponent in right:
        exponents[index] = exponents.get(index, 0) + exponent
    return tuple(sorted(exponents.items()))


def multiply(left: Polynomial, right: Polynomial, squares: Mapping[int, Polynomial]) -> Polynomial:
    """The product, with every squared root replaced by the polynomial that it squares to."""
    total: Polynomial = {}
    for left_monomial, left_coefficient in left.items():
        for right_monomial, right_coefficient in right.items():
            monomial = _join(left_monomial, right_monomial)
            coefficient = left_coefficient * right_coefficient
            _accumulate(total, _without_squares(monomial, coefficient, squares))
    return total


def _without_squares(monomial: Monomial, coefficient: Fraction, squares: Mapping[int, Polynomial]) -> Polynomial:
    if not any(exponent >= 2 and index in squares for index, exponent in monomial):
        return {monomial: coefficient}
    kept: list[tuple[int, int]] = []
    extra = constant(coefficient)
    for index, exponent in monomial:
        if index in squares:
            pairs, exponent = divmod(exponent, 2)
            extra = multiply(extra, power(squares[index], pairs, squares), squares)
        if exponent:
            kept.append((index, exponent))
    return multiply({tuple(kept): Fraction(1)}, extra, squares)


def power(base: Polynomial, exponent: int, squares: Mapping[int, Polynomial]) -> Polynomial:
    """``base ** exponent`` for ``exponent >= 0``."""
    result = constant(1)
    for _ in range(exponent):
        result = multiply(result, base, squares)
    return result


def divide_by_monomial(polynomial: Polynomial, monomial: Monomial) -> Polynomial | None:
    """The quotient when the monomial divides every term, else None."""
    quotient: Polynomial = {}
    for term, coefficient in polynomial.items():
        exponents = dict(term)
        for index, exponent in monomial:
            left = exponents.pop(index, 0) - exponent
            if left < 0:
                return None
            if left:
                exponents[index] = left
        quotient[tuple(sorted(exponents.items()))] = coefficient
    return quotient


def exact_quotient(dividend: Polynomial, divisor: Polynomial) -> Polynomial | None:
    """The quotient when long division leaves no remainder within a bounded effort, else None.

    Atoms are free here: a quotient that exists only because of ``s * s = P`` is not found.
    """
    if len(divisor) == 1:
        ((monomial, coefficient),) = divisor.items()
        divided = divide_by_monomial(dividend, monomial)
        return None if divided is None else scale(divided, 1 / coefficient)
    if len(dividend) > _LONG_DIVISION_TERMS:
        return None
    lead = leading_monomial(divisor)
    quotient: Polynomial = {}
    rest = dividend
    for _ in range(_LONG_DIVISION_STEPS):
        if not rest:
            return quotient
        rest_lead = leading_monomial(rest)
        step = divide_by_monomial({rest_lead: rest[rest_lead] / divisor[lead]}, lead)
        if step is None:
            return None
        quotient = add(quotient, step)
        rest = add(rest, multiply(step, divisor, {}), -1)
    return None
