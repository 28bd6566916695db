"""The atoms of one execution path: the SMT reals that expressions are written in, and what is known about them.

An atom is an argument of the checked function, or a real defined from others (a square root, a logarithm, an
exponential, a choice between two values). The registry lives as long as the path's solver, so nothing crosses from one
path to the next.
"""

from fractions import Fraction
from typing import Any, TypeAlias

import z3
from crosshair import smt
from crosshair.statespace import context_statespace
from grpocheck.contracts.exact_reals.polynomials import Factors, Key, Polynomial, atom, constant, key

Term: TypeAlias = Any
"""A real in the solver's language; z3's own type has no arithmetic that a type checker could see."""

Condition: TypeAlias = Any
"""A condition in the solver's language."""


class AtomRegistry:
    """Atoms and facts of one path."""

    def __init__(self, *_solver: object) -> None:
        """Start empty; CrossHair hands over the path's solver, which is not needed."""
        self.terms: list[Term] = []
        """The SMT real of each atom."""
        self.squares: dict[int, Polynomial] = {}
        """Of each square root, the polynomial that it squares to."""
        self.roots: dict[Key, int] = {}
        """Of each radicand, its square root."""
        self.logarithms: dict[Key, tuple[Polynomial, int]] = {}
        """Of each argument of a logarithm, the argument and the atom."""
        self.exponentials: dict[object, tuple[Polynomial, Factors, int]] = {}
        """Of each argument of an exponential, its numerator, its denominator and the atom."""
        self.positive: set[Key] = set()
        """Primitive polynomials known to be positive on this path."""
        self.defined: set[int] = set()
        """Atoms defined from others; the rest are the arguments of the checked function."""
        self.realized: dict[int, Fraction] = {}
        """Atoms that have been given a value."""
        self.tangents: set[tuple[int, Fraction]] = set()
        """Logarithms and points at which their tangent has been asserted."""
        self.bounded_whole: set[object] = set()
        """Arguments of logarithms whose bounds as a whole have been asserted."""
        self._indices: dict[int, int] = {}

    def atom(self, term: Term) -> int:
        """The atom of an SMT real; the same term has the same atom."""
        identity = term.get_id()
        if identity not in self._indices:
            self._indices[identity] = len(self.terms)
            self.terms.append(term)
        return self._indices[identity]

    def define(self, prefix: str) -> int:
        """A new atom, to be constrained by whoever asks for it."""
        return self.derive(smt.const(prefix + context_statespace().uniq(), smt.real_sort))

    def derive(self, term: Term) -> int:
        """The atom of an SMT real that is no argument of the checked function."""
        index = self.atom(term)
        self.defined.add(index)
        return index

    def is_known_positive(self, index: int) -> bool:
        """Whether an atom is known to be positive on this path."""
        return key(atom(index)) in self.positive

    def term(self, polynomial: Polynomial) -> Term:
        """The SMT real equal to a polynomial."""
        summands = []
        for monomial, coefficient in sorted(polynomial.items()):
            factors = [self.terms[index] for index, exponent in monomial for _ in range(exponent)]
            if coefficient != 1 or not factors:
                factors.insert(0, number(coefficient))
            product = factors[0]
            for factor in factors[1:]:
                product = product * factor
            summands.append(product)
        if not summands:
            return number(0)
        return summands[0] if len(summands) == 1 else z3.Sum(*summands)

    def product(self, factors: Factors) -> Term:
        """The SMT real equal to a product of powers."""
        total = self.term(constant(1))
        for _, (factor, exponent) in sorted(factors.items()):
            for _ in range(exponent):
                total = total * self.term(factor)
        return total


def number(value: int | Fraction) -> Term:
    """The SMT constant equal to a rational."""
    return z3.RealVal(str(Fraction(value)))


def registry() -> AtomRegistry:
    """The registry of the path being executed."""
    found: AtomRegistry = context_statespace().extra(AtomRegistry)
    return found
