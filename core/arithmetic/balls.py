"""Certified intervals as balls of python-flint (arb), under the names that ``intervals.py`` has for mpmath.

A ball is a midpoint and a radius; arb's functions give balls that hold every value. The working precision is one for
the whole process in python-flint: it is set here for each function, and left as it was.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from importlib import import_module
from importlib.util import find_spec
from operator import mul
from typing import Any, TypeAlias

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.arithmetic import intervals
from grpocheck.core.arithmetic.intervals import Interval, Raw
from grpocheck.core.arithmetic.surd import Surd
from mpmath.libmp import (
    finf,
    fninf,
    from_man_exp,
    mpf_add,
    mpf_le,
    mpf_sub,
    round_ceiling,
    round_floor,
)

Ball: TypeAlias = Any

flint: Any = import_module("flint") if find_spec("flint") else None
"""None where python-flint is not installed: engine.py then chooses mpmath."""

LONGEST = 1 << 17
"""Bits to which the ends of a ball are written at most."""


@require(lambda bits: bits > 0, "a positive precision")
@ensure(lambda result: result.rad() >= 0, "a ball")
def at(bits: int, work: Callable[[], Ball]) -> Ball:
    """What python-flint gives for some work at a precision."""
    before = flint.ctx.prec
    flint.ctx.prec = max(bits, 2)  # the least that it takes
    try:
        return work()
    finally:
        flint.ctx.prec = before


@require(lambda raw: raw not in (finf, fninf), "a finite number")
@ensure(lambda result: result.is_exact(), "no bits are lost")
def point(raw: Raw) -> Ball:
    """The ball that is one raw number of mpmath."""
    mantissa = -raw[1] if raw[0] else raw[1]
    return flint.arb((int(mantissa), int(raw[2])))


@require(lambda bits: bits > 0, "a positive precision")
@ensure(lambda value, result: result.is_finite() and (value != 0 or result.is_zero()), "0 is a point")
def exact_interval(value: int | Fraction | Surd, bits: int) -> Ball:
    """An exact number, to a relative precision of about ``bits``."""
    if isinstance(value, Surd):
        lower, upper = intervals.exact_interval(value, bits + 2)
        return at(bits + 2, lambda: point(lower).union(point(upper)))
    return at(bits, lambda: flint.arb(flint.fmpq(value.numerator, value.denominator)))


@require(lambda bits: bits > 0, "a positive precision")
@ensure(lambda argument, result: not argument.is_zero() or result == 1, "exp 0 is 1")
def exp_interval(argument: Ball, bits: int) -> Ball:
    """The exponentials of a ball."""
    return at(bits, argument.exp)


@require(lambda argument: argument > 0, "a logarithm is taken of a positive number")
@ensure(lambda argument, result: not (argument > 1 and result < 0), "a logarithm is not negative above 1")
def log_interval(argument: Ball, bits: int) -> Ball:
    """The natural logarithms of a ball above 0."""
    return at(bits, argument.log)


@require(lambda argument: argument > 0, "a square root is taken of a positive number")
@ensure(lambda result: not result < 0, "its square root is not negative")
def sqrt_interval(argument: Ball, bits: int) -> Ball:
    """The square roots of a ball above 0."""
    return at(bits, argument.sqrt)


@require(lambda exponent: exponent != 0, "a power that occurs")
@ensure(lambda base, exponent, result: exponent % 2 or not result < 0, "an even power is not negative")
def power_interval(base: Ball, exponent: int, bits: int) -> Ball:
    """An integer power of a ball; unbounded where a negative power meets 0."""
    return at(bits, lambda: base**exponent)


@require(lambda products: products and all(products), "factors to multiply")
@ensure(lambda products, result: len(products) > 1 or len(products[0]) > 1 or result is products[0][0], "one is itself")
def sum_of_products(products: Sequence[Sequence[Ball]], bits: int) -> Ball:
    """The sum of the products of balls."""
    if len(products) == 1 and len(products[0]) == 1:
        return products[0][0]
    return at(bits, lambda: sum([reduce(mul, factors) for factors in products[1:]], reduce(mul, products[0])))


@require(lambda first, second: first.overlaps(second), "two balls of one number meet")
@ensure(lambda first, second, result: result is first or result is second, "one of the two")
def intersection(first: Ball, second: Ball) -> Ball:
    """Of two balls of one number the one that says more: a sign, or else a smaller radius."""
    if not second.is_finite() or (sign_of(second) is None and sign_of(first) is not None):
        return first
    return second if second.rad() <= first.rad() or sign_of(first) is None else first


@total("a ball has a sign, or several")
@ensure(lambda ball, result: result != 0 or ball.is_zero(), "only the ball of 0 alone has sign 0")
def sign_of(ball: Ball) -> int | None:
    """-1, 0 or 1, or None for a ball with numbers of several signs."""
    return 1 if ball > 0 else -1 if ball < 0 else 0 if ball.is_zero() else None


@total("two balls lie apart, or they meet")
@ensure(lambda first, second, result: result is not None or first.overlaps(second), "what meets is in no order")
def order_of(first: Ball, second: Ball) -> int | None:
    """1 where the first ball lies above the second, -1 where below, None where they meet."""
    return 1 if first > second else -1 if first < second else None


@total("any ball has ends")
@ensure(lambda result: mpf_le(result[0], result[1]), "the lower end is at most the upper")
def ends(ball: Ball) -> Interval:
    """The ends of a ball as raw numbers of mpmath, exactly."""
    if not ball.is_finite():
        return fninf, finf
    middle, radius = (from_man_exp(*map(int, part.man_exp())) for part in (ball.mid(), ball.rad()))
    apart = middle[2] + middle[3] - radius[2] if radius[1] else middle[3]
    bits = min(max(apart, radius[3]) + 2, LONGEST)
    return mpf_sub(middle, radius, bits, round_floor), mpf_add(middle, radius, bits, round_ceiling)
