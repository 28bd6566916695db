"""Square root, logarithm, exponential, minimum and maximum as functions of exact reals.

Each value is a new atom, or an atom that the same argument had before, with facts asserted to the solver. The facts on
square roots and choices define the value. Those on logarithms and exponentials are true but do not: they are tangents
and monotonicity, so a confirmation holds for the real function, and a refutation is checked before it is believed.
"""

from fractions import Fraction
from math import isqrt

import z3
from crosshair import smt
from crosshair.statespace import context_statespace
from grpocheck.contracts.exact_reals import polynomials as poly
from grpocheck.contracts.exact_reals.atoms import AtomRegistry, Term, number
from grpocheck.contracts.exact_reals.polynomials import Polynomial
from grpocheck.contracts.exact_reals.rational_functions import RationalFunction, add, of_atom, reduce
from grpocheck.contracts.exact_reals.signs import compare_with_zero, decide, is_positive, positive_primitive

_TRIAL_DIVISORS = 1000


def square_root(atoms: AtomRegistry, value: RationalFunction) -> RationalFunction:
    """The nonnegative root; a negative argument raises ValueError, as math.sqrt does."""
    if not value.numerator:
        return value
    if decide(compare_with_zero(atoms, value.numerator, "<")):
        raise ValueError("math domain error")
    # root(n / (p**e ...)) = root(n * p ...) / (p**((e + 1) / 2) ...), the extra p where e is odd.
    radicand, denominator = value.numerator, dict(value.denominator)
    for key, (base, exponent) in value.denominator.items():
        if exponent % 2:
            radicand = poly.multiply(radicand, base, atoms.squares)
        denominator[key] = (base, (exponent + 1) // 2)
    content, part = positive_primitive(radicand)
    outside, inside = _square_part(content.numerator * content.denominator)
    factor = Fraction(outside, content.denominator)
    part = poly.scale(part, inside)
    root = _root_of_square(atoms, part)
    if root is None:
        root = poly.atom(_root_atom(atoms, part))
    return reduce(RationalFunction(poly.scale(root, factor), denominator))


def _square_part(number_: int) -> tuple[int, int]:
    """``(a, b)`` with ``number = a * a * b``, small primes and whole squares taken out."""
    outside = 1
    for divisor in range(2, _TRIAL_DIVISORS):
        if divisor * divisor > number_:
            break
        while number_ % (divisor * divisor) == 0:
            number_ //= divisor * divisor
            outside *= divisor
    whole = isqrt(number_)
    return (outside * whole, 1) if whole * whole == number_ else (outside, number_)


def _root_of_square(atoms: AtomRegistry, radicand: Polynomial) -> Polynomial | None:
    """The root of 1, or of even powers of atoms that are known to be positive."""
    if len(radicand) != 1:
        return None
    ((monomial, coefficient),) = radicand.items()
    if coefficient != 1 or any(exponent % 2 or not atoms.is_known_positive(index) for index, exponent in monomial):
        return None
    return {tuple((index, exponent // 2) for index, exponent in monomial): Fraction(1)}


def _root_atom(atoms: AtomRegistry, radicand: Polynomial) -> int:
    key = poly.key(radicand)
    if key not in atoms.roots:
        root = atoms.define("root")
        term = atoms.terms[root]
        space = context_statespace()
        space.add(smt.not_(term < 0))
        space.add(term * term == atoms.term(radicand))
        atoms.roots[key] = root
        atoms.squares[root] = radicand
    return atoms.roots[key]


def logarithm(atoms: AtomRegistry, value: RationalFunction) -> RationalFunction:
    """The natural logarithm, split over products and quotients; an argument that is not positive raises ValueError."""
    if not is_positive(atoms, value.numerator):
        raise ValueError("math domain error")
    total = _logarithm_of_polynomial(atoms, value.numerator)
    for base, exponent in value.denominator.values():
        total = poly.add(total, _logarithm_of_polynomial(atoms, base), -exponent)
    if len(total) > 1 and value.key() not in atoms.bounded_whole:
        atoms.bounded_whole.add(value.key())
        numerator, denominator = atoms.term(value.numerator), atoms.product(value.denominator)
        result = atoms.term(total)
        space = context_statespace()
        space.add(smt.not_(denominator * result > numerator - denominator))  # log x <= x - 1
        space.add(smt.not_(numerator * result < numerator - denominator))  # log x >= 1 - 1/x
    return RationalFunction(total)


def _logarithm_of_polynomial(atoms: AtomRegistry, argument: Polynomial) -> Polynomial:
    content, part = positive_primitive(argument)
    total: Polynomial = {}
    if len(part) == 1:
        ((monomial, _),) = part.items()
        if all(is_positive(atoms, poly.atom(index)) for index, _ in monomial):
            for index, exponent in monomial:
                total = poly.add(total, poly.atom(_logarithm_atom(atoms, poly.atom(index))), exponent)
            part = poly.constant(1)
    if part != poly.constant(1):
        total = poly.add(total, poly.atom(_logarithm_atom(atoms, part)))
    for whole, sign in ((content.numerator, 1), (content.denominator, -1)):
        for factor, exponent in _factors(whole):
            total = poly.add(total, poly.atom(_logarithm_atom(atoms, poly.constant(factor))), sign * exponent)
    return total


def _factors(whole: int) -> list[tuple[int, int]]:
    """Factors and exponents of a positive integer: small primes, and what they leave."""
    found = []
    for divisor in range(2, _TRIAL_DIVISORS):
        exponent = 0
        while whole % divisor == 0:
            whole //= divisor
            exponent += 1
        if exponent:
            found.append((divisor, exponent))
    return [*found, (whole, 1)] if whole > 1 else found


def _logarithm_atom(atoms: AtomRegistry, argument: Polynomial) -> int:
    """The logarithm of a positive polynomial, tied to 1 and to every other logarithm by the tangents at both."""
    key = poly.key(argument)
    if key not in atoms.logarithms:
        new = atoms.define("log")
        x, log_x = atoms.term(argument), atoms.terms[new]
        space = context_statespace()
        others: list[tuple[Term, Term]] = [(number(1), number(0))]
        others += [(atoms.term(other), atoms.terms[index]) for other, index in atoms.logarithms.values()]
        for y, log_y in others:
            # log x - log y <= x/y - 1, and the same with x and y exchanged; equality only for x = y.
            space.add(smt.not_(y * (log_x - log_y) > x - y))
            space.add(smt.not_(x * (log_y - log_x) > y - x))
            space.add(z3.Or(x == y, z3.And(y * (log_x - log_y) < x - y, x * (log_y - log_x) < y - x)))
        atoms.logarithms[key] = (argument, new)
    return atoms.logarithms[key][1]


def exponential(atoms: AtomRegistry, value: RationalFunction) -> RationalFunction:
    """The exponential: positive, above its tangent at 0, increasing, and the inverse of the logarithm."""
    if not value.numerator:
        return RationalFunction(poly.constant(1))
    key = value.key()
    if key not in atoms.exponentials:
        new = atoms.define("exp")
        term = atoms.terms[new]
        numerator, denominator = atoms.term(value.numerator), atoms.product(value.denominator)
        space = context_statespace()
        space.add(term > 0)
        atoms.positive.add(poly.key(poly.atom(new)))
        space.add(smt.not_(denominator * term < denominator + numerator))  # exp x >= 1 + x
        space.add(smt.not_((denominator - numerator) * term > denominator))  # (1 - x) exp x <= 1
        for top, bottom, other in atoms.exponentials.values():
            difference = numerator * atoms.product(bottom) - atoms.term(top) * denominator
            space.add(z3.Implies(difference > 0, term > atoms.terms[other]))
            space.add(z3.Implies(difference < 0, term < atoms.terms[other]))
            space.add(z3.Implies(difference == 0, term == atoms.terms[other]))
        atoms.exponentials[key] = (value.numerator, value.denominator, new)
        log = atoms.terms[_logarithm_atom(atoms, poly.atom(new))]
        space.add(log * denominator == numerator)
    return of_atom(atoms.exponentials[key][2])


def extreme(atoms: AtomRegistry, values: list[RationalFunction], largest: bool) -> RationalFunction:
    """The largest or smallest value as one new real, without splitting the path."""
    chosen = values[0]
    for other in values[1:]:
        keep = compare_with_zero(atoms, add(atoms, chosen, other, -1).numerator, ">=" if largest else "<=")
        if isinstance(keep, bool):
            chosen = chosen if keep else other
            continue
        new = of_atom(atoms.define("extreme"))
        is_chosen, is_other = (
            compare_with_zero(atoms, add(atoms, new, value, -1).numerator, "==") for value in (chosen, other)
        )
        context_statespace().add(z3.If(keep, is_chosen, is_other))
        chosen = new
    return chosen
