"""Quotients of polynomials in a normal form: every factor of the denominator is positive on the current path.

So a comparison of two of them is a comparison of polynomials, and no division reaches the solver.
"""

from dataclasses import dataclass, field

from grpocheck.contracts.exact_reals import polynomials as poly
from grpocheck.contracts.exact_reals.atoms import AtomRegistry
from grpocheck.contracts.exact_reals.polynomials import Factors, Polynomial
from grpocheck.contracts.exact_reals.signs import is_positive, positive_primitive


@dataclass(frozen=True, slots=True)
class RationalFunction:
    """``numerator / product of denominator``; a value, never changed."""

    numerator: Polynomial
    denominator: Factors = field(default_factory=dict)

    def key(self) -> object:
        """A hashable form: equal only for equal values."""
        factors = sorted((key, exponent) for key, (_, exponent) in self.denominator.items())
        return poly.key(self.numerator), tuple(factors)


def of_atom(index: int) -> RationalFunction:
    """The value of one atom."""
    return RationalFunction(poly.atom(index))


def add(atoms: AtomRegistry, left: RationalFunction, right: RationalFunction, factor: int = 1) -> RationalFunction:
    """``left + factor * right``, over the least common denominator."""
    common = dict(left.denominator)
    for key, (base, exponent) in right.denominator.items():
        if key not in common or common[key][1] < exponent:
            common[key] = (base, exponent)
    numerator = poly.add(_raise_to(atoms, left, common), _raise_to(atoms, right, common), factor)
    return reduce(RationalFunction(numerator, common))


def _raise_to(atoms: AtomRegistry, value: RationalFunction, common: Factors) -> Polynomial:
    numerator = value.numerator
    for key, (base, exponent) in common.items():
        missing = exponent - value.denominator.get(key, (base, 0))[1]
        numerator = poly.multiply(numerator, poly.power(base, missing, atoms.squares), atoms.squares)
    return numerator


def multiply(atoms: AtomRegistry, left: RationalFunction, right: RationalFunction) -> RationalFunction:
    """The product."""
    numerator = poly.multiply(left.numerator, right.numerator, atoms.squares)
    denominator = dict(left.denominator)
    for base, exponent in right.denominator.values():
        _include(denominator, base, exponent)
    waiting = list(denominator)
    while waiting:  # what a root squares to may be a root itself, and a factor that is there already
        base, exponent = denominator.get(waiting.pop(), ({}, 0))
        root = poly.single_atom(base)
        if root in atoms.squares and exponent >= 2:
            pairs, rest = divmod(exponent, 2)
            content, part = positive_primitive(atoms.squares[root])
            numerator = poly.scale(numerator, 1 / content**pairs)
            del denominator[poly.key(base)]
            if rest:
                _include(denominator, base, rest)
            if not poly.is_constant(part):
                _include(denominator, part, pairs)
                waiting.append(poly.key(part))
    return reduce(RationalFunction(numerator, denominator))


def _include(denominator: Factors, base: Polynomial, exponent: int) -> None:
    key = poly.key(base)
    present = denominator[key][1] if key in denominator else 0
    denominator[key] = (base, present + exponent)


def reduce(value: RationalFunction) -> RationalFunction:
    """Cancel the factors of the denominator that divide the numerator."""
    if not value.numerator:
        return RationalFunction({})
    numerator, denominator = value.numerator, dict(value.denominator)
    for key, (base, exponent) in value.denominator.items():
        while exponent and (quotient := poly.exact_quotient(numerator, base)) is not None:
            numerator, exponent = quotient, exponent - 1
        if exponent:
            denominator[key] = (base, exponent)
        else:
            del denominator[key]
    return RationalFunction(numerator, denominator)


def divide(atoms: AtomRegistry, left: RationalFunction, right: RationalFunction) -> RationalFunction:
    """The quotient; the path splits on the sign of the divisor, and one that is 0 raises ZeroDivisionError."""
    return multiply(atoms, left, _inverse(atoms, right))


def _inverse(atoms: AtomRegistry, value: RationalFunction) -> RationalFunction:
    numerator = poly.constant(1)
    for base, exponent in value.denominator.values():
        numerator = poly.multiply(numerator, poly.power(base, exponent, atoms.squares), atoms.squares)
    content, part = poly.primitive(value.numerator)
    if not part:
        raise ZeroDivisionError("Fraction(_, 0)")
    if poly.is_constant(part):
        return RationalFunction(poly.scale(numerator, 1 / content))
    if not is_positive(atoms, part):
        if not is_positive(atoms, poly.scale(part, -1)):
            raise ZeroDivisionError("Fraction(_, 0)")
        content, part = -content, poly.scale(part, -1)
    return _over_positive(atoms, poly.scale(numerator, 1 / content), part)


def _over_positive(atoms: AtomRegistry, numerator: Polynomial, divisor: Polynomial) -> RationalFunction:
    """``numerator / divisor``; a monomial whose atoms are known to be positive is divided by atom after atom."""
    denominator: Factors = {}
    if len(divisor) == 1:
        ((monomial, coefficient),) = divisor.items()
        if coefficient == 1 and all(atoms.is_known_positive(index) for index, _ in monomial):
            for index, exponent in monomial:
                _include(denominator, poly.atom(index), exponent)
            return reduce(RationalFunction(numerator, denominator))
    _include(denominator, divisor, 1)
    return reduce(RationalFunction(numerator, denominator))
