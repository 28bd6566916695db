"""A concrete value for a symbolic one: small where the path allows it, since people read it in counterexamples."""

from fractions import Fraction
from typing import Any

import z3
from crosshair.statespace import StateSpace, context_statespace
from crosshair.util import UnknownSatisfiability
from grpocheck.contracts.exact_reals.atoms import AtomRegistry, number, registry
from grpocheck.contracts.exact_reals.polynomials import Polynomial
from grpocheck.contracts.exact_reals.rational_functions import RationalFunction

_SIMPLE = sorted(
    {Fraction(top, bottom) for bottom in range(1, 11) for top in range(4 * bottom + 1)},
    key=lambda value: (value.denominator + value.numerator, value.denominator),
)
_SIMPLEST = 14
_SIMPLE_ENOUGH = 60
_NEARBY_DENOMINATORS = (1, 2, 3, 4, 5, 6, 8, 10, 16, 32, 100, 1000)
_PRINTED_DENOMINATOR = 10**6


def rational_value(value: Any) -> Fraction:
    """A model's value; an irrational one to 30 digits."""
    value = z3.simplify(value)
    if z3.is_algebraic_value(value):
        value = value.approx(30)
    if not z3.is_rational_value(value):
        raise UnknownSatisfiability
    return Fraction(value.numerator_as_long(), value.denominator_as_long())


def realize_value(value: RationalFunction) -> Fraction:
    """A concrete value, from concrete values of the atoms, to which the path is then fixed."""
    atoms, space = registry(), context_statespace()

    def evaluate(polynomial: Polynomial) -> Fraction:
        total = Fraction(0)
        for monomial, coefficient in polynomial.items():
            for index, exponent in monomial:
                coefficient *= _realize_atom(space, atoms, index) ** exponent
            total += coefficient
        return total

    result = evaluate(value.numerator)
    for base, exponent in value.denominator.values():
        divisor = evaluate(base)
        if divisor == 0:  # irrational atoms are approximated in what is printed
            raise UnknownSatisfiability
        result /= divisor**exponent
    return result


def _realize_atom(space: StateSpace, atoms: AtomRegistry, index: int) -> Fraction:
    if index not in atoms.realized:
        realize = _choose if space.is_detached else _explore
        atoms.realized[index] = realize(space, atoms, index)
    return atoms.realized[index]


def _explore(space: StateSpace, atoms: AtomRegistry, index: int) -> Fraction:
    """A value that the search notes down, so that it is the same when it passes again, and goes on to others.

    An irrational value has no Fraction: the path is then unknown.
    """
    try:
        space.find_model_value(atoms.terms[index])
    except OverflowError as error:  # CrossHair makes a float of the value that it has noted
        raise UnknownSatisfiability from error
    node: Any = space.choices_made[-1]
    noted = z3.simplify(node.condition_value)
    if not z3.is_rational_value(noted):
        raise UnknownSatisfiability
    return rational_value(noted)


def _choose(space: StateSpace, atoms: AtomRegistry, index: int) -> Fraction:
    """For a counterexample: a simple value that the path allows; else an approximation, for the replay to judge."""
    term = atoms.terms[index]
    model = space.witness()
    if model is None:
        raise UnknownSatisfiability
    start = rational_value(model.eval(term, model_completion=True))
    if index not in atoms.defined:
        for candidate in _candidates(start):
            if _is_possible(space, term == number(candidate)):
                space._assert(term == number(candidate))
                return candidate
    return start.limit_denominator(_PRINTED_DENOMINATOR)


def _candidates(start: Fraction) -> list[Fraction]:
    sign = -1 if start < 0 else 1
    near = [start.limit_denominator(bottom) for bottom in _NEARBY_DENOMINATORS]
    simplest = [sign * value for value in _SIMPLE[:_SIMPLEST]]
    simple = [sign * value for value in _SIMPLE[_SIMPLEST:_SIMPLE_ENOUGH]]
    first = [start] if start.denominator <= 10 and abs(start.numerator) <= 30 else []
    return list(dict.fromkeys([*first, *simplest, *near, *simple, start]))


def _is_possible(space: StateSpace, condition: z3.BoolRef) -> bool:
    try:
        possible: bool = space.is_possible(condition)
    except UnknownSatisfiability:
        return False
    return possible
