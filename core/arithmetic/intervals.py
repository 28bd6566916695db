"""Certified intervals: pairs of mpmath numbers (raw, without a context) between which a real number lies.

Sums, products, quotients and square roots of mpmath.libmp round in the direction asked for, exactly. Its exponential
and logarithm approximate with guard bits before they round, so that a bound may fall on the wrong side by far less
than a unit (log(1 + 2**-200) at 100 bits is one such case); here both are taken with ``GUARD`` further bits and moved
outward by a unit of those, so that mpmath may err by that unit and the bounds still hold.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.arithmetic.surd import Surd
from mpmath.libmp import (
    finf,
    fone,
    from_int,
    from_man_exp,
    from_rational,
    fzero,
    mpf_add,
    mpf_eq,
    mpf_exp,
    mpf_ge,
    mpf_gt,
    mpf_le,
    mpf_log,
    mpf_pos,
    mpf_shift,
    mpf_sign,
    mpf_sqrt,
    mpf_sub,
    mpi_add,
    mpi_div,
    mpi_mul,
    round_ceiling,
    round_floor,
)

Raw: TypeAlias = Any
"""A raw mpmath number: a tuple of sign, mantissa, exponent, bits; zero and the infinities have mantissa 0."""
Interval = tuple[Raw, Raw]

GUARD = 10
EXP_LIMIT = from_man_exp(-1, 64), from_man_exp(1, 64)
"""exp of a number beyond these lies between exp of the limit and infinity, or between 0 and exp of the limit."""


@require(lambda bits: bits > 0, "a positive precision")
@ensure(lambda result: mpf_le(result[0], result[1]), "the lower end is at most the upper")
def exact_interval(value: int | Fraction | Surd, bits: int) -> Interval:
    """An exact number, to a relative precision of about ``bits``."""
    if not isinstance(value, Surd):
        numerator, denominator = value.numerator, value.denominator
        if denominator == 1 and abs(numerator) < 256:
            return from_int(numerator), from_int(numerator)
        return (
            from_rational(numerator, denominator, bits, round_floor),
            from_rational(numerator, denominator, bits, round_ceiling),
        )
    shift = bits
    enough = bits + len(value.terms).bit_length()
    while True:
        lower, upper, denominator = value.scaled_bounds(shift)
        if (lower > 0 or upper < 0) and min(abs(lower), abs(upper)).bit_length() >= enough:
            below = from_rational(lower, denominator, bits, round_floor)
            above = from_rational(upper, denominator, bits, round_ceiling)
            return mpf_shift(below, -shift), mpf_shift(above, -shift)
        shift *= 2


@require(lambda bits: bits > 0, "a positive precision")
@ensure(lambda lower, upper, result: mpf_le(result[0], lower) and mpf_le(upper, result[1]), "moved outward")
def widened(lower: Raw, upper: Raw, bits: int) -> Interval:
    """Bounds moved outward by a unit of their last of ``bits + GUARD`` places, rounded to ``bits`` places; 0 stays."""
    below, above = (from_man_exp(1, end[2] + end[3] - bits - GUARD) for end in (lower, upper))
    return (
        mpf_sub(lower, below, bits, round_floor) if lower[1] else lower,
        mpf_add(upper, above, bits, round_ceiling) if upper[1] else upper,
    )


@require(lambda argument: mpf_le(argument[0], argument[1]), "an interval")
@ensure(lambda result: mpf_sign(result[0]) >= 0, "an exponential is not negative")
def exp_interval(argument: Interval, bits: int) -> Interval:
    """The exponentials of an interval."""
    lower, upper = argument
    wide = bits + GUARD
    below, above = widened(clipped_exp(lower, wide, round_floor), clipped_exp(upper, wide, round_ceiling), bits)
    if mpf_gt(EXP_LIMIT[0], lower):
        below = fzero
    if mpf_gt(upper, EXP_LIMIT[1]):
        above = finf
    return fone if lower == fzero else below, fone if upper == fzero else above


@require(lambda bits: bits > 0, "a positive precision")
@ensure(lambda value, result: mpf_gt(result, fone) == (mpf_sign(value) > 0) or mpf_eq(result, fone), "above 1 beyond 0")
def clipped_exp(value: Raw, bits: int, rounding: str) -> Raw:
    """exp of a number, or of the limit that it lies beyond, as mpmath rounds it."""
    lowest, highest = EXP_LIMIT
    return mpf_exp(lowest if mpf_gt(lowest, value) else highest if mpf_gt(value, highest) else value, bits, rounding)


@require(lambda argument: mpf_sign(argument[0]) > 0, "a logarithm is taken of a positive number")
@ensure(lambda result: mpf_le(result[0], result[1]), "the lower end is at most the upper")
def log_interval(argument: Interval, bits: int) -> Interval:
    """The natural logarithms of an interval above 0.

    The ends are rounded first: just above 1/4, mpmath 1.4 gives the logarithm of a number with many more bits wrongly.
    """
    wide = bits + GUARD
    lower, upper = mpf_pos(argument[0], wide, round_floor), mpf_pos(argument[1], wide, round_ceiling)
    return widened(mpf_log(lower, wide, round_floor), mpf_log(upper, wide, round_ceiling), bits)


@require(lambda argument: mpf_sign(argument[0]) > 0, "a square root is taken of a positive number")
@ensure(lambda result: mpf_sign(result[0]) > 0, "its square root is positive")
def sqrt_interval(argument: Interval, bits: int) -> Interval:
    """The square roots of an interval above 0."""
    return mpf_sqrt(argument[0], bits, round_floor), mpf_sqrt(argument[1], bits, round_ceiling)


@require(lambda exponent: exponent != 0, "a power that occurs")
@ensure(lambda result: mpf_le(result[0], result[1]), "the lower end is at most the upper")
def power_interval(base: Interval, exponent: int, bits: int) -> Interval:
    """An integer power of an interval; unbounded where a negative power meets 0."""
    power = base
    for bit in bin(abs(exponent))[3:]:
        power = mpi_mul(power, power, bits)
        if bit == "1":
            power = mpi_mul(power, base, bits)
    return power if exponent > 0 else mpi_div((fone, fone), power, bits)


@require(lambda products: products and all(products), "factors to multiply")
@ensure(lambda result: mpf_le(result[0], result[1]), "the lower end is at most the upper")
def sum_of_products(products: Sequence[Sequence[Interval]], bits: int) -> Interval:
    """The sum of the products of intervals."""
    return reduce(
        lambda one, other: mpi_add(one, other, bits),
        [reduce(lambda one, other: mpi_mul(one, other, bits), factors) for factors in products],
    )


@total("two intervals lie apart, or they meet")
@ensure(lambda first, second, result: result is not None or mpf_le(first[0], second[1]), "what meets is in no order")
def order_of(first: Interval, second: Interval) -> int | None:
    """1 where the first interval lies above the second, -1 where below, None where they meet."""
    return 1 if mpf_gt(first[0], second[1]) else -1 if mpf_gt(second[0], first[1]) else None


@total("any interval has ends")
@ensure(lambda interval, result: result is interval, "an interval is its ends")
def ends(interval: Interval) -> Interval:
    """The ends of an interval."""
    return interval


@total("an interval has a sign, or several")
@ensure(lambda interval, result: result != 0 or interval[0] == interval[1], "only the interval [0, 0] has sign 0")
def sign_of(interval: Interval) -> int | None:
    """-1, 0 or 1, or None for an interval with numbers of several signs."""
    lower, upper = mpf_sign(interval[0]), mpf_sign(interval[1])
    return lower if lower == upper else None


@require(lambda first, second: mpf_le(first[0], second[1]) and mpf_le(second[0], first[1]), "the intervals meet")
@ensure(lambda first, second, result: mpf_ge(result[0], first[0]) and mpf_ge(result[0], second[0])
        and mpf_le(result[1], first[1]) and mpf_le(result[1], second[1]), "inside both")
def intersection(first: Interval, second: Interval) -> Interval:
    """What two intervals have in common."""
    return (
        first[0] if mpf_ge(first[0], second[0]) else second[0],
        first[1] if mpf_le(first[1], second[1]) else second[1],
    )
