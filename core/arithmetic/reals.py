"""Exact real numbers with exp and log, evaluated when a comparison asks: certified enclosures, refined until they tell.

A ``Real`` is an expression in a normal form in which equal expressions are found equal without any evaluation: x - x is
0, x / x is 1, exp(a) / exp(a) is 1, log(exp(a)) is a; coefficients are exact numbers (rationals and sums of square
roots), and what turns out exact comes back as a plain Fraction or Surd. A product of sums is not expanded, each sum
being one atom, so nothing grows beyond the number of operations; a constant times a sum distributes.

Where the normal form does not tell two numbers apart, their difference is enclosed at 64 bits, then at twice as many,
up to a stated maximum, and so is the difference times its denominators; past it ``UndecidedComparison`` names both
numbers. Only the expressions of that comparison are refined: the run is not repeated, no oracle is asked again, and the
precision of everything else stays as it is.

For the softmax family of n responses at rational parameters a ratio is never exactly 1 + epsilon or 1 - epsilon:
without denominators the equation says that a sum of exponentials of rationals, with rational coefficients, is 0, so
that by Lindemann and Weierstrass the coefficients of each exponent sum to 0; but all of them sum to -epsilon * n, or
to epsilon * n.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.arithmetic.describing import describe, enclosure_text
from grpocheck.core.arithmetic.engine import engine
from grpocheck.core.arithmetic.errors import UndecidedComparison
from grpocheck.core.arithmetic.nodes import (
    FIRST_BITS,
    Atom,
    Coefficient,
    Expression,
    Factors,
    Kind,
    Table,
    Terms,
    decided_sign,
    exact_value,
    refine,
)
from grpocheck.core.arithmetic.operators import NumberOperators
from grpocheck.core.arithmetic.surd import ZERO, Surd

EXACT_PART: Factors = ()
Number: TypeAlias = "Fraction | Surd | Real"
Powers = Mapping[Atom, int]

LARGEST_POWER = 64
"""exp(k log a) is written a**k for integers k from minus this on, and below it."""


class Real(NumberOperators, Expression):
    """A real number that is no plain exact number: a sum of terms over the atoms of one table.

    Numbers of two tables may be mixed: the result is right, though equal expressions are then not recognised.
    Not hashable, since equality can take an evaluation.
    """

    __slots__ = ("_factored",)

    @total("the operators pass on what is an operand")
    @ensure(lambda self, other, result: not isinstance(result, Real) or len(result.terms)
            <= len(self.terms) + (len(other.terms) if isinstance(other, Real) else 1), "a sum expands nothing")
    def plus(self, other: Any) -> Any:
        """The sum."""
        if not isinstance(other, Real) and other == 0:
            return self
        summed = dict(self.terms)
        for factors, coefficient in (other.terms if isinstance(other, Real) else {EXACT_PART: other}).items():
            summed[factors] = summed.get(factors, ZERO) + coefficient
        return collect(self.table, summed)

    @total("the operators pass on what is an operand")
    @ensure(lambda other, result: isinstance(result, Real) or result != 0 or other == 0, "no product of nonzeros is 0")
    def times(self, other: Any) -> Any:
        """The product."""
        if not isinstance(other, Real):
            if other in (0, 1):
                return self if other == 1 else ZERO
            return Real(self.table, {factors: other * coefficient for factors, coefficient in self.terms.items()})
        coefficient, powers = self.factored()
        other_coefficient, other_powers = other.factored()
        merged = dict(powers)
        for atom, power in other_powers.items():
            merged[atom] = merged.get(atom, 0) + power
        return product(self.table, coefficient * other_coefficient, merged)

    @ensure(lambda self, result: not isinstance(result, Real) or len(result.terms) == 1 or len(self.terms) == 1,
            "one over a sum is one term")
    def reciprocal(self) -> Any:
        """One over this number, whose sign is decided first; raises ZeroDivisionError or UndecidedComparison."""
        coefficient, powers = self.factored()
        if not all(decided_sign(atom, self.table.max_bits) for atom in powers):
            if self.sign() == 0:
                raise ZeroDivisionError(f"{describe(self)} is 0")
            raise self.undecided(ZERO)
        return product(self.table, 1 / coefficient, {atom: -power for atom, power in powers.items()})

    @ensure(lambda result: result[1], "a real number has a factor that is an atom")
    def factored(self) -> tuple[Coefficient, Powers]:
        """A coefficient and powers of atoms whose product this number is; several terms are one atom, led by 1.

        The leading term is the exact part, or that of the oldest atoms.
        """
        factored: tuple[Coefficient, Powers] | None = getattr(self, "_factored", None)
        if factored is None:
            leading = min(self.terms, key=lambda factors: [(atom.serial, power) for atom, power in factors])
            coefficient = self.terms[leading]
            if len(self.terms) == 1:
                factored = coefficient, dict(leading)
            else:
                monic = self if coefficient == 1 else self.times(1 / coefficient)
                factored = coefficient, {self.table.atom(Kind.SUM, monic): 1}
            self._factored = factored
        return factored

    @require(lambda bits: bits > 0, "a positive precision")
    @ensure(lambda result: result in (-1, 0, 1, None), "a sign, or none yet")
    def decided_sign(self, bits: int) -> int | None:
        """The sign, when an enclosure of at most ``bits`` bits of this number, or of it without denominators, tells."""
        sign = decided_sign(self, min(bits, FIRST_BITS))
        if sign is not None or len(self.terms) == 1:
            return sign if sign is not None else decided_sign(self, bits)
        scaled, scale = self.without_denominators()
        if not isinstance(scaled, Real):
            return scale * (int(scaled > 0) - int(scaled < 0))
        sign = decided_sign(scaled, bits)
        return decided_sign(self, bits) if sign is None else scale * sign

    @require(lambda self: len(self.terms) > 1, "a sum of several terms")
    @ensure(lambda self, result: result[1] in (-1, 1) and (result[0] is not self or result[1] == 1), "scaled by a sign")
    def without_denominators(self) -> tuple[Any, int]:
        """This number times the sums that it is divided by, and the sign of their product.

        Two masses over one denominator are so compared without it, and terms that agree cancel.
        """
        denominators: dict[Atom, int] = {}
        for factors in self.terms:
            for atom, power in factors:
                if atom.kind is Kind.SUM and power < 0:
                    denominators[atom] = max(-power, denominators.get(atom, 0))
        if not denominators:
            return self, 1
        scaled: Any = ZERO
        for factors, coefficient in self.terms.items():
            powers = dict(factors)
            for atom, power in denominators.items():
                powers[atom] = powers.get(atom, 0) + power
            scaled = scaled + product(self.table, coefficient, powers)
        negative = [atom for atom, power in denominators.items() if power % 2 and engine.sign_of(atom.interval) == -1]
        return scaled, -1 if len(negative) % 2 else 1

    @ensure(lambda self, result: result == self.decided_sign(self.table.max_bits), "the sign of the enclosure")
    def sign(self) -> int:
        """-1, 0 or 1; raises UndecidedComparison past the precision of the table."""
        sign = self.decided_sign(self.table.max_bits)
        if sign is None:
            raise self.undecided(ZERO)
        return sign

    @ensure(lambda self, result: result == 0 or engine.sign_of(self.interval) == result, "the enclosure excludes 0")
    def enclosed_sign(self) -> int:
        """The sign, told by the enclosure of the number itself unless it is 0; raises UndecidedComparison."""
        sign = decided_sign(self, self.table.max_bits)
        if sign is None:
            if self.sign() != 0:
                raise self.undecided(ZERO)
            return 0
        return sign

    @total("the operators pass on what is an operand")
    @ensure(lambda self, other, result: result == 0 or self is not other, "a number is not below or above itself")
    def apart(self, other: Any) -> int | None:
        """The sign of self - other where their first enclosures tell, or their writing is the same; else None.

        No difference is made and refined for it: a filter in front of every comparison.
        """
        if isinstance(other, Real) and self.terms == other.terms:
            return 0
        bits = min(FIRST_BITS, self.table.max_bits)
        for number in (self, other) if isinstance(other, Real) else (self,):
            refine(number, bits)
        return engine.order_of(
            self.interval, other.interval if isinstance(other, Real) else engine.exact_interval(other, bits)
        )

    @total("the operators pass on what is an operand")
    @ensure(lambda self, other, result: result == 0 or self is not other, "a number is not below or above itself")
    def order(self, other: Any) -> int:
        """The sign of self - other; raises UndecidedComparison past the precision of the table."""
        sign = self.apart(other)
        if sign is not None:
            return sign
        difference = self.plus(-other)
        if isinstance(difference, Real):
            sign = difference.decided_sign(self.table.max_bits)
            if sign is not None:
                return sign
            left, right = exact_value(self), exact_value(other)
            if left is None or right is None:
                raise self.undecided(other)
            difference = left - right
        return int(difference > 0) - int(difference < 0)

    @total("the operators pass on what is an operand")
    @ensure(lambda self, other, result: result or self is not other, "a number equals itself")
    def equals(self, other: Any) -> bool:
        """Whether the numbers are equal; raises UndecidedComparison past the precision of the table."""
        return self.order(other) == 0

    @ensure(lambda self, result: result == (self.sign() != 0), "only 0 is false")
    def __bool__(self) -> bool:
        """Whether this number is not 0; raises UndecidedComparison past the precision of the table."""
        return self.sign() != 0

    @total("any operand can be named")
    @ensure(lambda result: result.bits > 0, "a precision was tried")
    def undecided(self, other: Any) -> UndecidedComparison:
        """The error that says that this number and another could not be told apart."""
        bits = self.table.max_bits
        return UndecidedComparison(
            describe(self), describe(other), (enclosure_text(self, bits), enclosure_text(other, bits)), bits
        )

    @ensure(lambda result: result, "an expression has a text")
    def __str__(self) -> str:
        """The expression, its depths left out."""
        return describe(self)

    @ensure(lambda result: result.startswith("Real("), "the class is named")
    def __repr__(self) -> str:
        """Such as ``Real('exp(1/2)')``."""
        return f"Real({describe(self)!r})"


Real.operands = (int, Fraction, Surd, Real)


@total("any coefficients, zero ones included")
@ensure(lambda terms, result: not isinstance(result, Real) or len(result.terms) <= len(terms), "terms are only dropped")
def collect(table: Table, terms: Mapping[Factors, Any]) -> Number:
    """The number with these terms: zero coefficients dropped, an exact number plain, a sum over itself 1."""
    nonzero = {factors: value for factors, value in terms.items() if isinstance(value, Surd) or value != 0}
    if nonzero.keys() <= {EXACT_PART}:
        exact: Fraction | Surd = nonzero.get(EXACT_PART, ZERO)
        return exact
    share = shared_quotient(nonzero) if len(nonzero) > 1 else None
    return Real(table, nonzero) if share is None else share


@require(lambda terms: len(terms) > 1, "a sum of several terms")
@ensure(lambda terms, result: result is None or all(factors for factors in terms), "each term is over the same sum")
def shared_quotient(terms: Terms) -> Coefficient | None:
    """c, when the terms are those of c times a sum, each divided by that sum (softmax masses: 1); else None."""
    first = next(iter(terms))
    for atom, power in first:
        if atom.kind is not Kind.SUM or power != -1 or not isinstance(atom.argument, Expression):
            continue
        whole = atom.argument.terms
        if len(whole) != len(terms):
            continue
        shares = {tuple(pair for pair in factors if pair != (atom, -1)): value for factors, value in terms.items()}
        quotients = [shares[factors] / value if factors in shares else None for factors, value in whole.items()]
        over_the_sum = all((atom, -1) in factors for factors in terms)
        if over_the_sum and None not in quotients and all(quotient == quotients[0] for quotient in quotients):
            return quotients[0]
    return None


@require(lambda coefficient: coefficient != 0, "a product of nonzero numbers")
@ensure(lambda powers, result: not isinstance(result, Real) or len(result.terms) == 1
        or any(isinstance(atom.argument, Expression) for atom in powers), "no sum comes of factors that are none")
def product(table: Table, coefficient: Coefficient, powers: Powers) -> Any:
    """coefficient times the atoms to their powers, in normal form: exponentials merge, squares of roots dissolve."""
    factors: dict[Atom, int] = {}
    dissolved: list[Any] = []
    exponentials = [(atom, power) for atom, power in powers.items() if atom.kind is Kind.EXP and power]
    if len(exponentials) > 1 or any(power != 1 for _, power in exponentials):
        exponent = sum((atom.argument * power for atom, power in exponentials), ZERO)
        dissolved.append(exponential(table, exponent))
        exponentials = []
    factors.update(exponentials)
    for atom, power in powers.items():
        if atom.kind is Kind.SQRT and power not in (0, 1):
            dissolved.append(atom.argument ** (power // 2))
            power %= 2
        if power and atom.kind is not Kind.EXP:
            factors[atom] = power
    number: Any = coefficient
    if len(factors) == 1 and (lone := next(iter(factors))).kind is Kind.SUM and factors[lone] == 1:
        number = lone.argument * coefficient
    elif factors:
        number = Real(table, {tuple(sorted(factors.items(), key=lambda pair: pair[0].serial)): coefficient})
    for factor in dissolved:
        number = number * factor
    return number


@total("every number has an exponential")
@ensure(lambda value, result: isinstance(result, Real) or value == 0 or isinstance(value, Real), "only exp 0 is exact")
def exponential(table: Table, value: Any) -> Any:
    """exp of a number in normal form: exp 0 is 1 and exp(k log a) is a**k for an integer k."""
    if not isinstance(value, Real):
        if value == 0:
            return Fraction(1)
        return Real(table, {((table.atom(Kind.EXP, value), 1),): Fraction(1)})
    for factors, coefficient in value.terms.items() if len(value.terms) == 1 else ():
        ((atom, power), *others) = factors
        is_logarithm = atom.kind is Kind.LOG and power == 1 and not others
        if is_logarithm and not isinstance(coefficient, Surd) and coefficient in range(-LARGEST_POWER, LARGEST_POWER):
            return atom.argument ** int(coefficient)
    return Real(table, {((table.atom(Kind.EXP, value), 1),): Fraction(1)})
