"""Enclosures for people: decimal bounds of a number, rounded outward."""

from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require
from grpocheck.core.arithmetic.intervals import Interval, Raw, exact_interval, power_interval, sign_of
from grpocheck.core.arithmetic.nodes import FIRST_BITS, Expression, refine
from grpocheck.core.arithmetic.surd import Surd
from mpmath.libmp import (
    fone,
    from_int,
    mpf_abs,
    mpf_le,
    mpf_mul,
    mpf_sign,
    mpf_sub,
    mpi_mul,
    round_ceiling,
    to_rational,
)

LOG10_OF_2 = Fraction(30102999566398119521373889472449302676, 10**38)
EXACT_EXPONENTS = 20_000
"""Binary exponents up to this size are converted exactly; larger ones through an enclosure of the power of ten."""


@require(lambda digits: digits > 0, "a positive number of digits")
@require(lambda max_bits: max_bits > 0, "a positive precision")
@ensure(lambda value, result: isinstance(value, Expression) or Fraction(result[0]) <= value <= Fraction(result[1]),
        "the number lies between the bounds")
def enclose(value: int | Fraction | Surd | Expression, digits: int, max_bits: int = 8192) -> tuple[str, str]:
    """Decimal strings (lower, upper) with lower <= value <= upper, whose quotient is 1 up to 10**-digits.

    Where ``max_bits`` bits do not tell the number from 0, their difference is below 10**-digits instead. Raises
    ArithmeticError when neither is reached.
    """
    significant = digits + 2
    bits = max(FIRST_BITS, 4 * significant)
    if not isinstance(value, Expression):
        if not isinstance(value, Surd):
            ratio = Fraction(value)
            return decimal(ratio, significant, False), decimal(ratio, significant, True)
        lower, upper = exact_interval(value, bits)
        return decimal(lower, significant, False), decimal(upper, significant, True)
    limit = max(max_bits, 2 * bits)
    refine(value, bits)
    while not is_narrow(value.interval, digits + 1) and bits < limit:
        bits = min(2 * bits, limit)
        refine(value, bits)
    lower, upper = value.interval
    straddles = sign_of(value.interval) is None and mpf_le(mpf_mul(width(value.interval), from_int(10**digits)), fone)
    if not straddles and not is_narrow(value.interval, digits + 1):
        raise ArithmeticError(f"no enclosure to {digits} digits at {bits} bits")
    return decimal(lower, significant, False), decimal(upper, significant, True)


@require(lambda interval: mpf_le(interval[0], interval[1]), "an interval")
@ensure(lambda interval, result: not result or sign_of(interval) is not None, "a narrow interval has one sign")
def is_narrow(interval: Interval, digits: int) -> bool:
    """Whether the ends agree, relative to the smaller, to 10**-digits."""
    lower, upper = interval
    if sign_of(interval) is None:
        return False
    smaller = lower if mpf_sign(lower) >= 0 else mpf_abs(upper)
    return bool(mpf_le(mpf_mul(width(interval), from_int(10**digits)), smaller))


@require(lambda interval: mpf_le(interval[0], interval[1]), "an interval")
@ensure(lambda result: mpf_sign(result) >= 0, "a width is not negative")
def width(interval: Interval) -> Raw:
    """Upper end minus lower end, rounded up."""
    return mpf_sub(interval[1], interval[0], FIRST_BITS, round_ceiling)


@require(lambda significant: significant > 0, "a positive number of digits")
@ensure(lambda value, upward, result: not isinstance(value, Fraction)
        or (Fraction(result) >= value if upward else Fraction(result) <= value), "rounded outward")
def decimal(value: Fraction | Raw, significant: int, upward: bool) -> str:
    """A number in decimal with this many significant digits, rounded up or down; exact where they suffice."""
    if not isinstance(value, Fraction):
        if value[1] == 0:
            return {0: "0", 1: "inf", -1: "-inf"}[mpf_sign(value)]
        if abs(value[2]) <= EXACT_EXPONENTS:
            value = Fraction(*to_rational(value))
    if value == 0:
        return "0"
    if isinstance(value, Fraction):
        magnitude = abs(value.numerator).bit_length() - value.denominator.bit_length()
    else:
        magnitude = value[2] + value[3]
    place = significant - 1 - int(magnitude * LOG10_OF_2)
    while True:
        scaled = times_power_of_ten(value, place, significant, upward)
        if abs(scaled) > 10**significant:
            place -= 1
        elif abs(scaled) < 10 ** (significant - 1):
            place += 1
        else:
            return point_text(scaled, place)


@require(lambda significant: significant > 0, "a positive number of digits")
@ensure(lambda value, upward, result: (result >= 0 if upward else result > 0 or result == 0)
        if isinstance(value, Fraction) and value > 0 else True, "the sign is kept")
def times_power_of_ten(value: Fraction | Raw, place: int, significant: int, upward: bool) -> int:
    """value * 10**place, rounded up or down to an integer."""
    if isinstance(value, Fraction):
        scaled = value * Fraction(10) ** place
    else:
        bits = 4 * significant + place.bit_length() + FIRST_BITS
        ten = from_int(10), from_int(10)
        product = mpi_mul((value, value), power_interval(ten, place, bits), bits) if place else (value, value)
        scaled = Fraction(*to_rational(product[1 if upward else 0]))
    return -(-scaled.numerator // scaled.denominator) if upward else scaled.numerator // scaled.denominator


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
