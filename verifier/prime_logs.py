"""An arithmetic whose logarithms of rationals are sums of logarithms of primes.

The logarithms of the primes are linearly independent over the algebraic numbers (Baker), so in this form a combination
of logarithms of rationals with exact coefficients is 0 exactly when it is written as 0, as long as every prime in them
is found: expectations with logarithms are then found equal, where enclosures alone could only say that they are close.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from grpocheck.core.arithmetic import Arithmetic, Scalar

LARGEST_DIVISOR = 10_000
"""Primes up to this size are looked for; what is left of a number then stays whole."""


def factors(number: int) -> list[tuple[int, int]]:
    """Pairs (factor, power) of a positive integer, prime but for a last one without divisors up to LARGEST_DIVISOR.

    >>> factors(360)
    [(2, 3), (3, 2), (5, 1)]
    """
    found = []
    for divisor in candidates():
        if divisor * divisor > number:
            break
        power = 0
        while number % divisor == 0:
            number //= divisor
            power += 1
        if power:
            found.append((divisor, power))
    if number > 1:
        found.append((number, 1))
    return found


def candidates() -> Iterator[int]:
    """2 and the odd numbers up to LARGEST_DIVISOR."""
    yield 2
    yield from range(3, LARGEST_DIVISOR + 1, 2)


@dataclass(frozen=True)
class PrimeLogs:
    """The given arithmetic in all but the logarithm of a rational.

    >>> from fractions import Fraction
    >>> from grpocheck.core import arithmetic_named
    >>> logs = PrimeLogs(arithmetic_named("enclosure"))
    >>> logs.equal(logs.log(Fraction(6)), logs.log(Fraction(2)) + logs.log(Fraction(3)))
    True
    """

    supply: Arithmetic

    @property
    def name(self) -> str:
        """The name of the arithmetic."""
        return self.supply.name

    def number(self, value: Fraction) -> Scalar:
        """The scalar equal to a rational."""
        return self.supply.number(value)

    def sqrt(self, value: Scalar) -> Scalar:
        """The nonnegative square root."""
        return self.supply.sqrt(value)

    def log(self, value: Scalar) -> Scalar:
        """The natural logarithm; of a rational the sum of power * log(prime)."""
        if not isinstance(value, int | Fraction) or value <= 0:
            return self.supply.log(value)
        rational = Fraction(value)
        terms = [
            sign * power * self.supply.log(self.supply.number(Fraction(factor)))
            for sign, number in ((1, rational.numerator), (-1, rational.denominator))
            for factor, power in factors(number)
        ]
        return sum(terms, self.supply.number(Fraction(0)))

    def exp(self, value: Scalar) -> Scalar:
        """The exponential."""
        return self.supply.exp(value)

    def less(self, left: Scalar, right: Scalar) -> bool:
        """Whether left < right."""
        return self.supply.less(left, right)

    def equal(self, left: Scalar, right: Scalar) -> bool:
        """Whether left = right."""
        return self.supply.equal(left, right)

    def minimum(self, left: Scalar, right: Scalar) -> Scalar:
        """The smaller scalar."""
        return self.supply.minimum(left, right)

    def maximum(self, left: Scalar, right: Scalar) -> Scalar:
        """The larger scalar."""
        return self.supply.maximum(left, right)

    def settle(self, value: Scalar) -> Scalar:
        """The same number, kept small enough to go on with."""
        return self.supply.settle(value)

    def holds(self, value: object) -> bool:
        """Whether a value is a scalar of the arithmetic."""
        return self.supply.holds(value)

    def text(self, value: Scalar) -> str | list[str]:
        """The number as text."""
        return self.supply.text(value)
