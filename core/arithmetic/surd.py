"""Exact irrational numbers in Q(sqrt d1, ..., sqrt dk): finite sums of rationals times square roots of integers.

Every radicand of section 1 is a rational variance (beta = 0, rational masses), so all its numbers live here.

Zero is decided by writing: a sum of c * sqrt(d1*...*dj) over subsets of pairwise coprime non-square integers is 0 only
when every c is 0. For the square roots of positive integers are linearly independent over the rationals unless two of
them have a rational quotient (Besicovitch), and sqrt(m)/sqrt(n), with m and n products over different subsets, is
rational only when the product over the symmetric difference of the subsets is a perfect square, which, the factors
being coprime, needs every one of them to be a square. The sign of a number that is not 0 then shows at some precision.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isqrt, lcm, prod
from typing import Any

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.arithmetic.decimals import integer_text, rational_text
from grpocheck.core.arithmetic.operators import NumberOperators
from grpocheck.core.arithmetic.radicals import Key, agree, refine, root_of_integer

ZERO = Fraction(0)
RATIONAL: Key = ()
HASH_BITS = 64

Terms = Mapping[Key, Fraction]


class Surd(NumberOperators):
    """An irrational sum of ``coefficient * sqrt(product of key)`` over pairwise coprime, non-square radicals.

    A rational result is never a Surd: every operation returns a plain ``fractions.Fraction`` for it.

    >>> half_root = square_root_of_rational(Fraction(1, 2))
    >>> str(half_root), half_root * half_root
    ('1/2*sqrt(2)', Fraction(1, 2))
    """

    __slots__ = ("_hash", "_sign", "radicals", "terms")

    @require(lambda terms: all(terms.values()), "no term has coefficient 0")
    @require(lambda terms: any(terms), "a Surd is irrational")
    @ensure(lambda self: self.radicals and 1 not in self.radicals, "a Surd has radicals, all above 1")
    def __init__(self, terms: Terms) -> None:
        """The number with these terms."""
        self.terms = terms
        self.radicals = frozenset[int]().union(*terms)
        self._sign = 0
        self._hash: int | None = None

    @total("the operators pass on what is an operand")
    @ensure(lambda self, other, result:
            (result.terms.get(RATIONAL, 0) if isinstance(result, Surd) else result) - self.terms.get(RATIONAL, 0)
            == (other.terms.get(RATIONAL, 0) if isinstance(other, Surd) else other), "the rational parts add up")
    def plus(self, other: Any) -> Fraction | Surd:
        """The sum."""
        if isinstance(other, Surd):
            terms, added = over_one_base(self, other)
        else:
            terms, added = self.terms, {RATIONAL: other}
        summed = dict(terms)
        for key, coefficient in added.items():
            summed[key] = summed.get(key, ZERO) + coefficient
        return collect(summed)

    @total("the operators pass on what is an operand")
    @ensure(lambda other, result: isinstance(result, Surd) or result != 0 or other == 0, "no product of nonzeros is 0")
    def times(self, other: Any) -> Fraction | Surd:
        """The product."""
        if not isinstance(other, Surd):
            return collect({key: coefficient * other for key, coefficient in self.terms.items()})
        left, right = over_one_base(self, other)
        products: dict[Key, Fraction] = {}
        for key, coefficient in left.items():
            radicals = set(key)
            for other_key, other_coefficient in right.items():
                common = radicals.intersection(other_key)
                product_key = tuple(sorted(radicals.symmetric_difference(other_key)))
                product = coefficient * other_coefficient
                if common:
                    product *= prod(common)
                products[product_key] = products.get(product_key, ZERO) + product
        return collect(products)

    @ensure(lambda self, result: self.times(result) == 1, "a number times its reciprocal is 1")
    def reciprocal(self) -> Fraction | Surd:
        """One over this number: each conjugation removes a radical from the denominator.

        A number with d = a + b*sqrt(r) has the conjugate a - b*sqrt(r), and their product is free of sqrt(r).
        """
        numerator: Fraction | Surd = Fraction(1)
        denominator: Fraction | Surd = self
        while isinstance(denominator, Surd):
            radical = max(denominator.radicals)
            conjugate = Surd({key: -value if radical in key else value for key, value in denominator.terms.items()})
            numerator = conjugate.times(numerator)
            denominator = denominator.times(conjugate)
        return numerator / denominator

    @require(lambda shift: shift >= 0, "a number of binary places")
    @ensure(lambda self, result: 0 <= result[1] - result[0] <= len(self.terms), "each term is off by less than 1")
    def scaled_bounds(self, shift: int) -> tuple[int, int, int]:
        """``(lower, upper, denominator)`` with lower <= self * denominator * 2**shift <= upper."""
        denominator = lcm(*(coefficient.denominator for coefficient in self.terms.values()))
        lower = width = 0
        for key, coefficient in self.terms.items():
            scaled = abs(coefficient.numerator) * (denominator // coefficient.denominator)
            root = isqrt(scaled * scaled * prod(key) << 2 * shift) if key else scaled << shift
            rounded = 1 if key else 0
            lower += root if coefficient > 0 else -root - rounded
            width += rounded
        return lower, lower + width, denominator

    @ensure(lambda self, result: result in (-1, 1), "an irrational number is not 0")
    def sign(self) -> int:
        """-1 or 1, from integer bounds of doubling precision; they separate from 0 since the number is not 0."""
        shift = 64
        while self._sign == 0:
            lower, upper, _ = self.scaled_bounds(shift)
            self._sign = (lower > 0) - (upper < 0)
            shift *= 2
        return self._sign

    @total("the operators pass on what is an operand")
    @ensure(lambda other, result: not result or isinstance(other, Surd), "an irrational equals no rational")
    def equals(self, other: Any) -> bool:
        """Whether the numbers are equal, however they are written: sqrt(12) is 2*sqrt(3)."""
        if not isinstance(other, Surd):
            return False
        left, right = over_one_base(self, other)
        return left == right

    @total("the operators pass on what is an operand")
    @ensure(lambda self, other, result: result or isinstance(other, Surd), "an irrational equals no rational")
    def order(self, other: Any) -> int:
        """The sign of self - other."""
        difference = self.plus(-other)
        return difference.sign() if isinstance(difference, Surd) else (difference > 0) - (difference < 0)

    @ensure(lambda self, result: self._hash is not None, "the hash is computed once")
    def __hash__(self) -> int:
        """The hash of floor(self * 2**64), the same for every writing of the number."""
        guard = 8
        while self._hash is None:
            lower, upper, denominator = self.scaled_bounds(HASH_BITS + guard)
            if lower // (denominator << guard) == upper // (denominator << guard):
                self._hash = hash(lower // (denominator << guard))
            guard *= 2
        return self._hash

    @ensure(lambda result: "sqrt(" in result, "an irrational is written with a root")
    def __str__(self) -> str:
        """Such as ``1/2 + 3/10*sqrt(2)``; ``parse_exact`` reads it back."""
        text = ""
        for key in sorted(self.terms, key=prod):
            factor = rational_text(abs(self.terms[key]))
            root = f"sqrt({integer_text(prod(key))})"
            term = factor if not key else root if factor == "1" else f"{factor}*{root}"
            negative = self.terms[key] < 0
            if text:
                text += f" - {term}" if negative else f" + {term}"
            else:
                text = f"-{term}" if negative else term
        return text

    @ensure(lambda result: result.startswith("Surd("), "the class is named")
    def __repr__(self) -> str:
        """Such as ``Surd('1/2 + 3/10*sqrt(2)')``."""
        return f"Surd({str(self)!r})"


Surd.operands = (int, Fraction, Surd)


@total("any coefficients, zero ones included")
@ensure(lambda terms, result: isinstance(result, Surd) == any(terms[key] for key in terms if key),
        "a number without irrational terms is a plain Fraction")
def collect(terms: Terms) -> Fraction | Surd:
    """The number with these terms, zero coefficients dropped."""
    nonzero = {key: coefficient for key, coefficient in terms.items() if coefficient}
    if nonzero.keys() <= {RATIONAL}:
        return Fraction(nonzero.get(RATIONAL, ZERO))
    return Surd(nonzero)


@total("any two Surds have a common coprime base")
@ensure(lambda left, right, result: len(result[0]) == len(left.terms) and len(result[1]) == len(right.terms),
        "independent terms stay independent")
def over_one_base(left: Surd, right: Surd) -> tuple[Terms, Terms]:
    """The terms of both over radicals that are pairwise coprime together."""
    if agree(left.radicals, right.radicals):
        return left.terms, right.terms
    refined = refine(left.radicals | right.radicals)
    return rewrite(left.terms, refined), rewrite(right.terms, refined)


@require(lambda terms, refined: all(radical in refined for key in terms for radical in key), "each radical is refined")
@ensure(lambda terms, result: len(result) == len(terms), "independent terms stay independent")
def rewrite(terms: Terms, refined: Mapping[int, tuple[int, Key]]) -> Terms:
    """The same number with each radical replaced by its root and key over the finer base."""
    rewritten = {}
    for key, coefficient in terms.items():
        elements: list[int] = []
        for radical in key:
            root, finer = refined[radical]
            coefficient *= root
            elements += finer
        rewritten[tuple(sorted(elements))] = coefficient
    return rewritten


@require(lambda value: value >= 0, "a square root is taken of a nonnegative rational")
@ensure(lambda value, result: result * result == value, "the square of the root is the radicand")
def square_root_of_rational(value: Fraction) -> Fraction | Surd:
    """The nonnegative square root of a rational: a Fraction when it is one, else a Surd with one term."""
    if value == 0:
        return ZERO
    root, key = root_of_integer(value.numerator * value.denominator)
    return collect({key: Fraction(root, value.denominator)})
