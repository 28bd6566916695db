"""Numbers of test vectors: exact where they are rational and short, else to fifty digits, correctly rounded."""

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require
from grpocheck.core.arithmetic import Scalar, Surd, enclose

DIGITS = 50
MOST_WRITTEN = 40
"""A rational is written as a fraction up to this many characters."""
MAX_BITS = 2**16
"""As precise as log(1 + exp(-10000)) asks for, and more."""
PRECISIONS = (DIGITS + 5, 2 * DIGITS, 4 * DIGITS, 16 * DIGITS)

ROUNDED = Context(prec=DIGITS, rounding=ROUND_HALF_EVEN, Emin=-999999, Emax=999999)
READ = Context(prec=20 * DIGITS, Emin=-999999, Emax=999999)


def vector_number(value: Scalar) -> str:
    """A number as a vector has it: ``-3/5``, ``12``, or all 50 digits such as ``1.4142...e+0``."""
    if isinstance(value, int | Fraction):
        exact = str(Fraction(value))
        if len(exact) <= MOST_WRITTEN:
            return exact
    return fifty_digits(value)


@require(lambda value: isinstance(value, Surd) or value != 0, "0 is written 0")
@ensure(
    lambda value, result: not isinstance(value, int | Fraction)
    or abs(Fraction(result) - value) * 2 * 10 ** (DIGITS - 1) <= abs(value),
    "off by at most half a unit of the fiftieth digit",
)
def fifty_digits(value: Scalar) -> str:
    """A number in decimal, rounded to 50 significant digits: both its bounds round to the same text."""
    if isinstance(value, int | Fraction):
        exact = Fraction(value)
        numerator, denominator = (READ.create_decimal(part) for part in exact.as_integer_ratio())
        return written(ROUNDED.divide(numerator, denominator))
    for digits in PRECISIONS:
        lower, upper = (written(ROUNDED.create_decimal(bound)) for bound in enclose(value, digits, MAX_BITS))
        if lower == upper:
            return lower
    raise ArithmeticError(f"{value}: two roundings to {DIGITS} digits at {PRECISIONS[-1]} digits: a number halfway?")


@require(lambda number: number.is_finite() and number != 0, "a number that is not 0")
@ensure(lambda number, result: Decimal(result) == number, "the same number")
def written(number: Decimal) -> str:
    """A rounded number in one form: all its digits and an exponent, which tell it from an exact one."""
    return f"{number:.{DIGITS - 1}e}"


@ensure(lambda value, result: not isinstance(value, int | Fraction) or result == float(value), "the nearest")
def nearest(value: Scalar) -> float:
    """A float within half a unit of its last place, and 10^-49 of it, of an exact or enclosed number."""
    return float(value) if isinstance(value, int | Fraction) else float(Fraction(fifty_digits(value)))
