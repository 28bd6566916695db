"""Enclosures for people: the decimals next below and next above a number.

Both are functions of the number alone, like floor and ceiling: an enclosure is refined until every number in it has the
same two neighbours among the decimals of so many digits. So what is printed, and stands in a trace, does not depend on
the library that encloses, on the precision that comparisons asked for before, or on whether contracts are on.
"""

from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require
from grpocheck.core.arithmetic import intervals
from grpocheck.core.arithmetic.engine import engine
from grpocheck.core.arithmetic.intervals import Interval, Raw, power_interval, sign_of
from grpocheck.core.arithmetic.nodes import FIRST_BITS, Expression, exact_value, refine
from grpocheck.core.arithmetic.surd import Surd
from mpmath.libmp import (
    finf,
    fninf,
    from_int,
    from_man_exp,
    from_rational,
    fzero,
    mpf_abs,
    mpf_le,
    mpf_neg,
    mpf_sign,
    mpi_mul,
    round_floor,
    to_rational,
)

LOG10_OF_2 = Fraction(30102999566398119521373889472449302676, 10**38)
EXACT_EXPONENTS = 20_000
"""Binary exponents up to this size are converted exactly; larger ones through an enclosure of the power of ten."""

FARTHEST = 1 << 64
"""Numbers beyond 2**FARTHEST, or nearer to 0 than 2**-FARTHEST, are not written: not every library can hold them."""

Bounds = tuple[str, str]
Decimal = tuple[int, int]
"""An integer and a place: integer / 10**place."""


@require(lambda digits: digits > 0, "a positive number of digits")
@require(lambda max_bits: max_bits > 0, "a positive precision")
@ensure(lambda value, result: isinstance(value, Expression) or Fraction(result[0]) <= value <= Fraction(result[1]),
        "the number lies between the bounds")
def enclose(value: int | Fraction | Surd | Expression, digits: int, max_bits: int = 8192) -> Bounds:
    """The decimals (lower, upper) of ``digits`` + 2 significant digits next to a number; twice itself where it is one.

    Where ``max_bits`` bits do not tell a number from such a decimal, the bounds are that decimal's own neighbours;
    where they do not tell it from 0, they are -10**-(digits + 1) and 10**-(digits + 1). Raises ArithmeticError where
    neither is reached.
    """
    significant = digits + 2
    bits = max(FIRST_BITS, 4 * significant)
    exact = exact_value(value)
    number = value if exact is None else exact
    if isinstance(number, int | Fraction):
        return decimal(Fraction(number), significant, False), decimal(Fraction(number), significant, True)
    limit = max(max_bits, 2 * bits)
    while True:
        interval = interval_of(number, bits)
        found = neighbours(interval, significant, bits)
        if found is not None:
            return found
        if bits >= limit and isinstance(number, Expression):
            return undecided_bounds(interval, significant, bits)
        bits = 2 * bits if isinstance(number, Surd) else min(2 * bits, limit)


@require(lambda bits: bits > 0, "a positive precision")
@ensure(lambda result: sign_of(result) is None or mpf_sign(result[0]) == mpf_sign(result[1]), "lower and upper end")
def interval_of(value: Surd | Expression, bits: int) -> Interval:
    """The ends of an enclosure at a precision."""
    if isinstance(value, Surd):
        return intervals.exact_interval(value, bits)
    refine(value, bits)
    lower, upper = engine.ends(value.interval)
    return outward(lower, False), outward(upper, True)


@require(lambda upper, end: end != (fninf if upper else finf), "an interval has numbers in it")
@ensure(lambda end, upper, result: mpf_le(end, result) if upper else mpf_le(result, end), "moved outward")
def outward(end: Raw, upper: bool) -> Raw:
    """An end of an interval, unless it is too far out or too near 0 for every library: then infinity, 0 or a bound."""
    if not end[1] or abs(end[2] + end[3]) <= FARTHEST:
        return end
    positive = mpf_sign(end) > 0
    if end[2] + end[3] > 0:
        far = from_man_exp(1 if positive else -1, FARTHEST)
        return (finf if upper else far) if positive else (far if upper else fninf)
    near = from_man_exp(1 if positive else -1, -FARTHEST)
    return near if positive == upper else fzero


@require(lambda significant: significant > 0, "a positive number of digits")
@ensure(lambda interval, result: result is None or sign_of(interval) is not None, "only numbers of one sign have both")
def neighbours(interval: Interval, significant: int, bits: int) -> Bounds | None:
    """The decimals next below and above every number of an interval, or None where they are not the same for all."""
    sign = sign_of(interval)
    if not sign:
        return None if sign is None else ("0", "0")
    if not (interval[0][1] and interval[1][1]):
        return None  # unbounded
    lower, upper, place = scaled(interval if sign > 0 else negated(interval), significant, bits)
    integer = lower.numerator // lower.denominator
    if not 10 ** (significant - 1) <= integer < 10**significant:
        return None
    if lower == upper == integer:
        above = integer
    elif integer < lower and upper < integer + 1:
        above = integer + 1
    else:
        return None
    below, beyond = (point_text(sign * number, place) for number in (integer, above))
    return (below, beyond) if sign > 0 else (beyond, below)


@require(lambda interval: sign_of(interval) is not None, "numbers of one sign")
@ensure(lambda interval, result: sign_of(result) == -(sign_of(interval) or 0), "the sign turns")
def negated(interval: Interval) -> Interval:
    """The negatives of an interval."""
    return mpf_neg(interval[1]), mpf_neg(interval[0])


@require(lambda interval: mpf_sign(interval[0]) > 0, "an interval above 0")
@ensure(lambda result: result[0] <= result[1], "the lower end is at most the upper")
def scaled(interval: Interval, significant: int, bits: int) -> tuple[Fraction, Fraction, int]:
    """The ends times 10**place, and the place at which the lower one has so many digits before its point."""
    lower = interval[0]
    place = significant - 1 - int((lower[2] + lower[3]) * LOG10_OF_2 // 1)
    while True:
        ends = times_power_of_ten(interval, place, bits)
        if ends[0] >= 10 ** (significant - 1):
            return *ends, place
        place += 1


@require(lambda bits: bits > 0, "a positive precision")
@ensure(lambda result: result[0] <= result[1], "the lower end is at most the upper")
def times_power_of_ten(interval: Interval, place: int, bits: int) -> tuple[Fraction, Fraction]:
    """The ends times 10**place: exactly, or enclosed where the exponents are large."""
    if max(abs(end[2]) for end in interval) > EXACT_EXPONENTS and place:
        ten = from_int(10), from_int(10)
        spare = bits + abs(place).bit_length() + FIRST_BITS
        lower, upper = mpi_mul(interval, power_interval(ten, place, spare), spare)
        return rational(lower), rational(upper)
    return rational(interval[0]) * Fraction(10) ** place, rational(interval[1]) * Fraction(10) ** place


@require(lambda raw: raw[1] or raw[2] == 0, "a finite number")
@ensure(lambda raw, result: (result > 0) == (mpf_sign(raw) > 0), "the sign is kept")
def rational(raw: Raw) -> Fraction:
    """A raw number, exactly."""
    return Fraction(*map(int, to_rational(raw)))


@require(lambda significant: significant > 0, "a positive number of digits")
@ensure(lambda result: result[0] != result[1], "the bounds differ")
def undecided_bounds(interval: Interval, significant: int, bits: int) -> Bounds:
    """Bounds of a number that its best enclosure does not tell from a decimal of so many digits, or from 0.

    Raises ArithmeticError where that enclosure is too wide for the digits.
    """
    sign = sign_of(interval)
    if sign and interval[0][1] and interval[1][1]:
        lower, upper, place = scaled(interval if sign > 0 else negated(interval), significant, bits)
        middle = -(-lower.numerator // lower.denominator)
        if upper < middle + 1 and middle <= 10**significant:
            texts = [point_text(sign * integer, at) for integer, at in around(middle, place, significant)]
            return (texts[0], texts[1]) if sign > 0 else (texts[1], texts[0])
    elif all(mpf_le(mpf_abs(end), from_rational(1, 10 ** (significant - 1), bits, round_floor)) for end in interval):
        return point_text(-1, significant - 1), point_text(1, significant - 1)
    raise ArithmeticError(f"no enclosure to {significant - 2} digits at {bits} bits")


@require(lambda middle, significant: 10 ** (significant - 1) <= middle <= 10**significant, "so many digits")
@ensure(lambda middle, place, result: result[0][0] * 10 ** (place + 1 - result[0][1]) < 10 * middle, "below and above")
def around(middle: int, place: int, significant: int) -> tuple[Decimal, Decimal]:
    """The decimals of so many digits next below and next above the decimal middle / 10**place."""
    if middle == 10**significant:
        middle, place = middle // 10, place - 1
    below = (middle - 1, place) if middle > 10 ** (significant - 1) else (10 * middle - 1, place + 1)
    return below, (middle + 1, place)


@require(lambda significant: significant > 0, "a positive number of digits")
@ensure(lambda value, upward, result: Fraction(result) >= value if upward else Fraction(result) <= value,
        "rounded to that side")
def decimal(value: Fraction, significant: int, upward: bool) -> str:
    """A rational in decimal with this many significant digits, rounded up or down; exact where they suffice."""
    if value == 0:
        return "0"
    size = abs(value)
    place = significant - int((size.numerator.bit_length() - size.denominator.bit_length()) * LOG10_OF_2 // 1) - 2
    while size * Fraction(10) ** place < 10 ** (significant - 1):
        place += 1
    shifted = value * Fraction(10) ** place
    integer = -(-shifted.numerator // shifted.denominator) if upward else shifted.numerator // shifted.denominator
    return point_text(integer, place)


@require(lambda integer: integer != 0, "0 is written 0")
@ensure(lambda integer, result: (result[0] == "-") == (integer < 0), "the sign is kept")
def point_text(integer: int, place: int) -> str:
    """integer / 10**place: with a decimal point near 1, else with an exponent."""
    sign, digits = ("-", str(-integer)) if integer < 0 else ("", str(integer))
    exponent = len(digits) - 1 - place
    digits = digits.rstrip("0")
    if -5 <= exponent < 0:
        return sign + "0." + "0" * (-exponent - 1) + digits
    if 0 <= exponent < 21:
        whole = digits[: exponent + 1].ljust(exponent + 1, "0")
        return sign + whole + ("." + digits[exponent + 1 :] if digits[exponent + 1 :] else "")
    return f"{sign}{digits[0]}{'.' + digits[1:] if digits[1:] else ''}e{exponent}"
