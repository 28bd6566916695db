"""Certified intervals: pairs of mpmath numbers (raw, without a context) between which a real number lies.

Sums, products, quotients and square roots of mpmath.libmp round in the direction asked for, exactly. Its exponential
and logarithm approximate with guard bits before they round, so that a bound may fall on the wrong side by far less
than a unit (log(1 + 2**-200) at 100 bits is one such case); here both are taken with ``GUARD`` further bits and moved
outward by a unit of those, so that mpmath may err by that unit and the bounds still hold.
"""

from fractions import Fraction
from typing import Any, TypeAlias

from grpocheck.contracts.clauses import ensure, require
from grpocheck.core.arithmetic.surd import Surd
from mpmath.libmp import (
    finf,
    fninf,
    fone,
    from_int,
    from_man_exp,
    from_rational,
    fzero,
    mpf_add,
    mpf_exp,
    mpf_ge,
    mpf_gt,
    mpf_le,
    mpf_log,
    mpf_lt,
    mpf_pos,
    mpf_shift,
    mpf_sign,
    mpf_sqrt,
    mpi_div,
    mpi_mul,
    round_ceiling,
    round_floor,
)

Raw: TypeAlias = Any
"""A raw mpmath number: a tuple of sign, mantissa, exponent, bits; zero and the infinities have mantissa 0."""
Interval = tuple[Raw, Raw]

GUARD = 10
LARGEST_EXPONENT = 64
"""exp of a number beyond 2**64 in size is bounded by exp(2**64) and infinity, or by 0 and exp(-2**64)."""

WHOLE_LINE: Interval = (fninf, finf)


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


@require(lambda value, bits: value[1] != 0 and bits > 0, "a number that is not 0, to some precision")
@ensure(lambda value, upward, result: mpf_gt(result, value) if upward else mpf_lt(result, value), "moved outward")
def moved(value: Raw, upward: bool, bits: int) -> Raw:
    """A number moved up or down by a unit in its last of ``bits`` places, at ``bits`` places again."""
    unit = from_man_exp(1 if upward else -1, value[2] + value[3] - bits)
    return mpf_add(value, unit, bits, round_ceiling if upward else round_floor)


@require(lambda argument: mpf_le(argument[0], argument[1]), "an interval")
@ensure(lambda result: mpf_sign(result[0]) >= 0, "an exponential is not negative")
def exp_interval(argument: Interval, bits: int) -> Interval:
    """The exponentials of an interval."""
    wide = bits + GUARD
    ends = []
    for value, upward in ((argument[0], False), (argument[1], True)):
        size = value[2] + value[3]
        if value == fzero:
            ends.append(fone)
        elif value[1] and size <= LARGEST_EXPONENT:
            ends.append(moved(mpf_exp(value, wide, round_floor), upward, wide))
        elif mpf_sign(value) < 0:
            ends.append(moved(exp_limit(-1, wide), True, wide) if upward else fzero)
        else:
            ends.append(finf if upward else moved(exp_limit(1, wide), False, wide))
    return mpf_pos(ends[0], bits, round_floor), mpf_pos(ends[1], bits, round_ceiling)


@require(lambda sign: sign in (-1, 1), "a sign")
@ensure(lambda sign, result: mpf_gt(result, fone) == (sign > 0), "exp of a positive number is above 1")
def exp_limit(sign: int, bits: int) -> Raw:
    """exp(2**64) or exp(-2**64), approximately."""
    return mpf_exp(from_man_exp(sign, LARGEST_EXPONENT), bits, round_floor)


@require(lambda argument: mpf_sign(argument[0]) > 0, "a logarithm is taken of a positive number")
@ensure(lambda result: mpf_le(result[0], result[1]), "the lower end is at most the upper")
def log_interval(argument: Interval, bits: int) -> Interval:
    """The natural logarithms of an interval above 0."""
    wide = bits + GUARD
    ends = []
    for value, upward in ((argument[0], False), (argument[1], True)):
        logarithm = mpf_log(value, wide, round_floor)
        ends.append(moved(logarithm, upward, wide) if logarithm[1] else logarithm)
    return mpf_pos(ends[0], bits, round_floor), mpf_pos(ends[1], bits, round_ceiling)


@require(lambda argument: mpf_sign(argument[0]) > 0, "a square root is taken of a positive number")
@ensure(lambda result: mpf_sign(result[0]) > 0, "its square root is positive")
def sqrt_interval(argument: Interval, bits: int) -> Interval:
    """The square roots of an interval above 0."""
    return mpf_sqrt(argument[0], bits, round_floor), mpf_sqrt(argument[1], bits, round_ceiling)


@require(lambda exponent: exponent != 0, "a power that occurs")
@ensure(lambda result: mpf_le(result[0], result[1]), "the lower end is at most the upper")
def power_interval(base: Interval, exponent: int, bits: int) -> Interval:
    """An integer power of an interval; the whole line where a negative power meets 0."""
    power = base
    for bit in bin(abs(exponent))[3:]:
        power = mpi_mul(power, power, bits)
        if bit == "1":
            power = mpi_mul(power, base, bits)
    if exponent > 0:
        return power
    return WHOLE_LINE if sign_of(power) in (None, 0) else mpi_div((fone, fone), power, bits)


@require(lambda interval: mpf_le(interval[0], interval[1]), "an interval")
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
