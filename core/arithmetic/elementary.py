"""Logarithm and square root of exact numbers and reals, in the normal form of one table."""

from fractions import Fraction
from typing import Any

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.arithmetic.nodes import Kind, Table
from grpocheck.core.arithmetic.reals import Real
from grpocheck.core.arithmetic.surd import ZERO, Surd, square_root_of_rational


@total("a number that is not positive is refused with a ValueError, once its sign is decided")
@ensure(lambda value, result: isinstance(result, Real) or value == 1 or isinstance(value, Real), "only log 1 is exact")
def logarithm(table: Table, value: Any) -> Any:
    """log of a positive number in normal form: log 1 is 0, log(1/q) is -log q, log(c exp(a)) is a + log c."""
    if not isinstance(value, Real):
        if value <= 0:
            raise ValueError(f"log of {value}: expected a positive number")
        if value == 1:
            return ZERO
        if isinstance(value, Fraction) and value < 1:
            return -logarithm(table, 1 / value)
        return Real(table, {((table.atom(Kind.LOG, value), 1),): Fraction(1)})
    if value.enclosed_sign() <= 0:
        raise ValueError(f"log of {value}: expected a positive number")
    ((factors, coefficient), *others) = value.terms.items()
    if not others and len(factors) == 1 and factors[0][0].kind is Kind.EXP:
        return factors[0][0].argument + logarithm(table, coefficient)
    return Real(table, {((table.atom(Kind.LOG, value), 1),): Fraction(1)})


@require(lambda value: not isinstance(value, float), "a number of the arithmetic")
@ensure(lambda value, result: result * result == value, "the square of the root is the radicand")
def square_root(table: Table, value: Any) -> Any:
    """The nonnegative square root in normal form: exact for a rational, an atom for any other number.

    Raises ValueError for a negative number.
    """
    if not isinstance(value, Real | Surd):
        if value < 0:
            raise ValueError(f"sqrt of {value}: expected a nonnegative number")
        return square_root_of_rational(Fraction(value))
    sign = value.enclosed_sign() if isinstance(value, Real) else value.sign()
    if sign < 0:
        raise ValueError(f"sqrt of {value}: expected a nonnegative number")
    return ZERO if sign == 0 else Real(table, {((table.atom(Kind.SQRT, value), 1),): Fraction(1)})
