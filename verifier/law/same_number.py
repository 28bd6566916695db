"""A second normal form of enclosed numbers, in which mirror images of one another are found equal.

The normal form of grpocheck.core.arithmetic.reals keeps a sum of exponentials as it was come by: the normalisers
1 + exp(u) + exp(v) and 1 + exp(-u) + exp(v - u) = exp(-u) (1 + exp(u) + exp(v)) are two sums there, and so F is
written in two ways where two responses with equal rewards change places. Here each sum is divided by its leading term,
in an order of terms that multiplying all of them by one more does not change; exponents and powers of a product are
kept apart from its other factors; and the logarithm of a product is the sum of those of its factors' absolute values.
All of these are identities: numbers of one form are equal. Numbers of two forms may be equal, too.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import cmp_to_key
from typing import Any, TypeAlias

from grpocheck.core.arithmetic import Real, Scalar, Surd
from grpocheck.core.arithmetic.nodes import Atom, Expression, Kind
from grpocheck.verifier.prime_logs import factors

Coefficient: TypeAlias = "Fraction | Surd"
Sum: TypeAlias = dict[int, Any]
"""Coefficients, exact numbers that are not 0, by the number of the product that they stand in front of."""

ONE = NOTHING = 0
"""The number of the empty product, and that of the empty exponent."""


MOST_PRODUCTS = 50_000
"""So many products are met at most, in some seconds; numbers that come after have no form."""


class Forms:
    """The forms of numbers, each product and each factor known by a number of its own."""

    def __init__(self) -> None:
        """Nothing is known but the empty product."""
        self.numbers: dict[object, int] = {}
        """Of what factors and products are made of."""
        self.sums: dict[int, Sum] = {}
        """What is summed up in a factor that is a sum, divided by its leading term."""
        self.exponents: list[Sum] = [{}]
        """Sums that stand in exponents, by number."""
        self.exponent_numbers: dict[object, int] = {frozenset(): NOTHING}
        self.sums_of_exponents: dict[tuple[int, int, int], int] = {}
        self.exponent_of: list[int] = [NOTHING]
        """Of each product the number of its exponent."""
        self.powers: list[dict[int, int]] = [{}]
        self.products: dict[object, int] = {(NOTHING, frozenset()): ONE}
        self.found: dict[int, tuple[object, Sum]] = {}
        self.divided: dict[int, tuple[Coefficient, int]] = {}
        """What is found of a number or a function of one, by its id, which stays its own; and the same, factored."""

    def key(self, value: Scalar) -> object | None:
        """What only equal numbers share; None where it would take too long to find."""
        waiting: list[Any] = [value] if isinstance(value, Real) else []
        while waiting:  # the parts of a number first, without recursion, since nests are deep
            if len(self.products) > MOST_PRODUCTS:
                return None
            current = waiting[-1]
            pending = [part for part in current.parts if id(part) not in self.found]
            if pending and id(current) not in self.found:
                waiting += pending
                continue
            waiting.pop()
            if id(current) not in self.found:
                made = self.of_atom(current) if isinstance(current, Atom) else self.of_sum(current)
                self.found[id(current)] = current, made
        return self.factored(self.form(value))

    def form(self, value: Any) -> Sum:
        """A number whose parts have their forms already, as a sum of products."""
        if isinstance(value, Real):
            return self.found[id(value)][1]
        return {ONE: value} if value else {}

    def of_sum(self, expression: Expression) -> Sum:
        """A sum of products whose atoms have their forms already."""
        whole: Sum = {}
        for atoms, coefficient in expression.terms.items():
            number: Coefficient = coefficient
            exponent, powers = NOTHING, dict[int, int]()
            for atom, power in atoms:
                if id(atom) not in self.divided:
                    self.divided[id(atom)] = self.factored(self.found[id(atom)][1])
                scale, product = self.divided[id(atom)]
                number = number * scale**power
                exponent = self.exponent_sum(exponent, self.exponent_of[product], power)
                powers = added(powers, self.powers[product], power)
            whole = added(whole, self.expanded(exponent, powers), number)
        return whole

    def expanded(self, exponent: int, powers: Mapping[int, int]) -> Sum:
        """A product; multiplied out where just one of its factors is a sum in the numerator, to the power 1."""
        above = [factor for factor, power in powers.items() if factor in self.sums and power > 0]
        if len(above) != 1 or powers[above[0]] != 1:
            return {self.product(exponent, powers): Fraction(1)}
        rest = {factor: power for factor, power in powers.items() if factor != above[0]}
        return {
            self.product(
                self.exponent_sum(exponent, self.exponent_of[term], 1), added(rest, self.powers[term], 1)
            ): coefficient
            for term, coefficient in self.sums[above[0]].items()
        }

    def of_atom(self, atom: Atom) -> Sum:
        """A function of a number that has its form already."""
        inner = self.form(atom.argument)
        if atom.kind is Kind.SUM:
            return inner
        if atom.kind is Kind.EXP:
            return {self.product(self.exponent(inner), {}): Fraction(1)}
        if atom.kind is Kind.LOG:
            return self.logarithm(inner)
        return self.factor((atom.kind, written(inner)))

    def logarithm(self, inner: Sum) -> Sum:
        """log of a number above 0: the sum of the logarithms of the absolute values of its factors."""
        coefficient, product = self.factored(inner)
        whole = self.exponents[self.exponent_of[product]]
        for factor, power in self.powers[product].items():
            whole = added(whole, self.factor((Kind.LOG, "factor", factor)), power)
        if isinstance(coefficient, Surd):
            return added(whole, self.factor((Kind.LOG, abs(coefficient))), 1)
        number = abs(Fraction(coefficient))
        for sign, integer in ((1, number.numerator), (-1, number.denominator)):
            for divisor, power in factors(integer):
                whole = added(whole, self.factor((Kind.LOG, Fraction(divisor))), sign * power)
        return whole

    def factored(self, whole: Sum) -> tuple[Coefficient, int]:
        """A coefficient and a product that a number is; of several terms the leading one, times a sum led by 1."""
        if len(whole) < 2:
            return next(((value, product) for product, value in whole.items()), (Fraction(0), ONE))
        leading = max(whole, key=cmp_to_key(self.order))
        first = whole[leading]
        monic: Sum = {}
        for product, coefficient in whole.items():
            exponent = self.exponent_sum(self.exponent_of[product], self.exponent_of[leading], -1)
            powers = added(self.powers[product], self.powers[leading], -1)
            monic[self.product(exponent, powers)] = coefficient / first
        ((name, _),) = self.factor((Kind.SUM, written(monic))).items()
        ((factor, _),) = self.powers[name].items()
        self.sums[factor] = monic
        return first, self.product(self.exponent_of[leading], added(self.powers[leading], {factor: 1}, 1))

    def order(self, left: int, right: int) -> int:
        """Which product leads: the sign of the first power, or else of the first exponent, of their quotient."""
        powers = added(self.powers[left], self.powers[right], -1)
        if powers:
            return 1 if powers[min(powers)] > 0 else -1
        one, other = self.exponents[self.exponent_of[left]], self.exponents[self.exponent_of[right]]
        for product in sorted(one.keys() | other.keys()):
            difference = one.get(product, 0) - other.get(product, 0)
            if difference:
                return 1 if difference > 0 else -1
        return 0

    def factor(self, made_of: object) -> Sum:
        """A factor on its own."""
        number = self.numbers.setdefault(made_of, len(self.numbers))
        return {self.product(NOTHING, {number: 1}): Fraction(1)}

    def product(self, exponent: int, powers: Mapping[int, int]) -> int:
        """The number of exp(exponent) times factors to their powers."""
        made_of = exponent, frozenset(powers.items())
        number = self.products.setdefault(made_of, len(self.products))
        if number == len(self.powers):
            self.exponent_of.append(exponent)
            self.powers.append(dict(powers))
        return number

    def exponent(self, whole: Sum) -> int:
        """The number of a sum that stands in an exponent."""
        number = self.exponent_numbers.setdefault(written(whole), len(self.exponents))
        if number == len(self.exponents):
            self.exponents.append(whole)
        return number

    def exponent_sum(self, left: int, right: int, times: int) -> int:
        """The number of left + times * right."""
        if right == NOTHING:
            return left
        asked = left, right, times
        if asked not in self.sums_of_exponents:
            self.sums_of_exponents[asked] = self.exponent(added(self.exponents[left], self.exponents[right], times))
        return self.sums_of_exponents[asked]


def written(whole: Sum) -> frozenset[Any]:
    """What equal sums share; of rationals the two integers, whose hashes take a tenth of the time."""
    return frozenset(
        (product, value) if isinstance(value, Surd) else (product, value.numerator, value.denominator)
        for product, value in whole.items()
    )


def added(left: Mapping[int, Any], right: Mapping[int, Any], times: Any) -> dict[int, Any]:
    """left + times * right: of sums the coefficients, of products the powers; what comes to 0 is left out."""
    whole = dict(left)
    for name, number in right.items():
        value = whole.pop(name, 0) + times * number
        if value:
            whole[name] = value
    return whole
