"""The numbers that formulas of disputes are evaluated with: exact ones, with derivatives, or rounded to a format.

A scalar is an exact or enclosed number; a Dual, which carries its partial derivatives; None, where a reward is missing;
or a float, which is only ever an infinity or not a number: what IEEE 754 makes of 1/0 and of 0/0.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from grpocheck.core.arithmetic import Arithmetic, Scalar, UndecidedComparison, enclose
from grpocheck.core.invalid import InvalidProblem, shortened
from grpocheck.core.variants.ratios import root

ZERO, ONE = Fraction(0), Fraction(1)
MOST_POWER = 10_000
"""The largest exponent of a power that is multiplied out."""
MOST_DEGREE = 64
"""The largest degree of a root that is looked at whether it is exact."""
MOST_BITS = 100_000
"""The most bits that a power may have above or below its line."""
EXP_RANGE = 12_000
"""Beyond this the exponential overflows, or underflows, every format."""
MOST_LOG, MOST_DENOMINATOR = 50, 10**9
"""An exponential of a number up to the one is looked at whether it is a rational with a denominator up to the other."""
ENCLOSED_DIGITS = 40
"""Digits with which a number is enclosed before it is rounded to a format."""


class Kink(ArithmeticError):  # noqa: N818 - named for what it is
    """A derivative at a point where a minimum, a maximum or an absolute value has none."""


@dataclass(frozen=True)
class Dual:
    """A number with its partial derivatives."""

    value: Scalar
    parts: tuple[Scalar, ...]


def value_of(number: Any) -> Any:
    """The number without its derivatives; raises InvalidProblem for a list or a text in the place of a number."""
    if isinstance(number, list | str):
        raise InvalidProblem("formula", shortened(str(number)), "a number in this place")
    return number.value if isinstance(number, Dual) else number


def compared(number: Any) -> Any:
    """A number that is compared, without its derivatives; raises InvalidProblem for one that is missing."""
    if number is None:
        raise InvalidProblem("formula", "a comparison with a number that is missing", "present(x) or filled(x, number)")
    return value_of(number)


class Reals:
    """Exact numbers: operations of the arithmetic, with derivatives where an operand has them."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        """The arithmetic of what is no Dual."""
        self.arithmetic = arithmetic

    def number(self, value: Any) -> Any:
        """A number of a formula or of the case, as one of this system."""
        return self.arithmetic.number(value) if isinstance(value, Fraction) else value

    def less(self, a: Any, b: Any) -> bool:
        """Whether a < b; never where one is not a number."""
        a, b = compared(a), compared(b)
        if isinstance(a, float) or isinstance(b, float):
            return approximate(a) < approximate(b)
        return self.arithmetic.less(a, b)

    def equal(self, a: Any, b: Any) -> bool:
        """Whether a = b."""
        a, b = compared(a), compared(b)
        if isinstance(a, float) or isinstance(b, float):
            return approximate(a) == approximate(b)
        return self.arithmetic.equal(a, b)

    def check_apart(self, a: Any, b: Any) -> None:
        """Raise Kink for two equal numbers with unequal derivatives: a comparison of them changes right there."""
        if not (isinstance(a, Dual) or isinstance(b, Dual)) or a is None or b is None:
            return
        if any(isinstance(value_of(number), float) for number in (a, b)) or not self.equal(a, b):
            return
        if not all(self.equal(part, ZERO) for part in self.combined("-", a, b).parts):
            raise Kink("a comparison of two equal numbers with unequal derivatives")

    def combined(self, sign: str, a: Any, b: Any) -> Any:
        """a + b, a - b, a * b, a / b or a ** b; what is missing stays missing."""
        value_of(a), value_of(b)
        if a is None or b is None:
            return None
        if isinstance(a, Dual) or isinstance(b, Dual):
            return self.dual(sign, a, b)
        if isinstance(a, float) or isinstance(b, float):
            return finite(ieee(sign, approximate(a), approximate(b)))
        if sign == "/" and self.equal(b, ZERO):
            return ieee("/", approximate(a), 0.0)
        if sign == "**":
            return self.power(a, b)
        return OPERATIONS[sign](a, b)

    def dual(self, sign: str, a: Any, b: Any) -> Any:
        """An operation of which an operand has derivatives."""
        size = len(a.parts if isinstance(a, Dual) else b.parts)
        (x, dx), (y, dy) = (
            (n.value, n.parts) if isinstance(n, Dual) else (n, (self.number(ZERO),) * size) for n in (a, b)
        )
        found = self.combined(sign, x, y)
        if sign in "+-":
            return Dual(found, tuple(self.combined(sign, p, q) for p, q in zip(dx, dy, strict=True)))
        if sign == "**":
            return self.chained(found, self.combined("*", y, self.combined("**", x, y - ONE)), dx)
        left, right = y, x
        if sign == "/":
            left, right = self.combined("/", ONE, y), self.combined("/", self.combined("-", ZERO, found), y)
        return Dual(
            found,
            tuple(
                self.combined("+", self.combined("*", left, p), self.combined("*", right, q))
                for p, q in zip(dx, dy, strict=True)
            ),
        )

    def chained(self, value: Any, slope: Any, parts: tuple[Any, ...]) -> Dual:
        """A function's value with its slope times the derivatives of the argument."""
        return Dual(value, tuple(self.combined("*", slope, part) for part in parts))

    def power(self, a: Any, b: Any) -> Any:
        """a ** b: multiplied out for a whole b, a root for 1/n, else by the logarithm."""
        if isinstance(b, Fraction | int) and b == int(b):
            exponent = int(b)
            long = max(a.numerator.bit_length(), a.denominator.bit_length()) if isinstance(a, Fraction | int) else 1
            if abs(exponent) > MOST_POWER or abs(exponent) * long > MOST_BITS:
                raise InvalidProblem("formula", f"** {exponent}", f"a power of at most {MOST_BITS} bits")
            return self.combined("/", ONE, a**-exponent) if exponent < 0 else a**exponent
        if not self.less(ZERO, a):  # as IEEE 754 has a power that is no whole one
            return math.nan if self.less(a, ZERO) else self.number(ZERO) if self.less(ZERO, b) else math.inf
        if isinstance(b, Fraction) and b.numerator == 1 and b.denominator <= MOST_DEGREE:
            return root(a, b.denominator, self.arithmetic)
        return self.arithmetic.exp(b * self.arithmetic.log(a))

    def function(self, name: str, a: Any) -> Any:
        """log, exp or sqrt."""
        if value_of(a) is None:
            return None
        if isinstance(a, Dual):
            found = self.function(name, a.value)
            slope = {"exp": lambda: found, "log": lambda: self.combined("/", ONE, a.value),
                     "sqrt": lambda: self.combined("/", ONE, 2 * found)}[name]()  # fmt: skip
            return self.chained(found, slope, a.parts)
        if isinstance(a, float):
            return finite(ieee_function(name, a))
        if name == "log" and not self.less(ZERO, a):
            return -math.inf if self.equal(a, ZERO) else math.nan
        if name == "sqrt" and self.less(a, ZERO):
            return math.nan
        return self.exponential(a) if name == "exp" else getattr(self.arithmetic, name)(a)

    def exponential(self, a: Any) -> Any:
        """exp(a), as the rational that it is where a is the logarithm of one."""
        if abs(approximate(a)) > EXP_RANGE:
            raise InvalidProblem("formula", f"exp of {shortened(str(a))}", f"a number up to {EXP_RANGE} in size")
        found = self.arithmetic.exp(a)
        if isinstance(a, Fraction | int) or abs(approximate(a)) > MOST_LOG:
            return found
        near = Fraction(enclose(found, ENCLOSED_DIGITS)[0])
        guess = near.limit_denominator(MOST_DENOMINATOR)
        if abs(guess - near) > near / MOST_DENOMINATOR**3:
            return found
        try:
            return guess if self.arithmetic.equal(self.arithmetic.log(guess), a) else found
        except UndecidedComparison:
            return found

    def extreme(self, lesser: bool, a: Any, b: Any) -> Any:
        """The lesser, or the greater, of two numbers; what is not a number wins, and a tie of two slopes is a kink."""
        if a is None or b is None:
            return None
        for number in (a, b):
            if isinstance(number, float) and math.isnan(number):
                return number
        if self.less(a, b):
            return a if lesser else b
        tied = (isinstance(a, Dual) or isinstance(b, Dual)) and not self.less(b, a)
        if tied and not all(self.equal(part, ZERO) for part in self.combined("-", a, b).parts):
            raise Kink("a minimum or a maximum of two equal numbers with unequal derivatives")
        return b if lesser else a

    def total(self, numbers: list[Any]) -> Any:
        """The sum, from the first on."""
        if not numbers:
            return self.number(ZERO)
        found = numbers[0]
        for number in numbers[1:]:
            found = self.combined("+", found, number)
        return found


OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def approximate(number: Any) -> float:
    """A float with the sign and about the size of a number."""
    if isinstance(number, float):
        return number
    try:
        return float(number if isinstance(number, Fraction | int) else Fraction(enclose(number, 20)[0]))
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def finite(number: float) -> Any:
    """An infinity or not-a-number as it is; anything else is a 0 that came of an infinity below the line."""
    return number if math.isinf(number) or math.isnan(number) else Fraction(number)


def ieee(sign: str, a: float, b: float) -> float:
    """What IEEE 754 makes of an operation with an infinity, with what is not a number, or over 0."""
    if sign == "/":
        if b == 0:
            return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a)
        return a / b
    if sign == "**":
        return float(a**b)
    return float(OPERATIONS[sign](a, b))


def ieee_function(name: str, a: float) -> float:
    """log, exp or sqrt of an infinity or of what is not a number."""
    if math.isnan(a) or (a < 0 and name != "exp"):
        return math.nan
    return 0.0 if a < 0 else a


@dataclass(frozen=True)
class Format:
    """A binary format: digits of the significand, and the exponents of its least and its largest normal numbers."""

    digits: int
    least: int
    largest: int

    def rounded(self, value: Fraction) -> Any:
        """The nearest number of the format, of two the even one; an infinity beyond the largest."""
        if value == 0:
            return ZERO
        exponent = value.numerator.bit_length() - value.denominator.bit_length()
        if abs(value) < Fraction(2) ** exponent:
            exponent -= 1
        unit = Fraction(2) ** (max(exponent, self.least) - self.digits + 1)
        found = round(value / unit) * unit
        if abs(found) >= Fraction(2) ** (self.largest + 1):
            return math.inf if found > 0 else -math.inf
        return found


FORMATS = {
    "float16": Format(11, -14, 15),
    "bfloat16": Format(8, -126, 127),
    "float32": Format(24, -126, 127),
    "float64": Format(53, -1022, 1023),
}
SHORT = {"fp16": "float16", "half": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"}


def format_named(name: str) -> Format:
    """The format of a name, such as bfloat16, bf16 or torch.bfloat16; raises InvalidProblem for any other."""
    short = name.strip().lower().removeprefix("torch.").removeprefix("np.")
    if SHORT.get(short, short) not in FORMATS:
        raise InvalidProblem("format", name, f"one of {', '.join(FORMATS)}")
    return FORMATS[SHORT.get(short, short)]


class Rounded(Reals):
    """Numbers of a binary format: every operation is exact and then rounded, as IEEE 754 has it (0 has no sign)."""

    def __init__(self, arithmetic: Arithmetic, chosen: Format) -> None:
        """The format that is rounded to."""
        super().__init__(arithmetic)
        self.format = chosen

    def number(self, value: Any) -> Any:
        """The number rounded to the format."""
        if value is None or isinstance(value, float):
            return value
        if isinstance(value, Dual):
            raise InvalidProblem("formula", "a derivative in a binary format", "exact numbers for derivatives")
        if isinstance(value, Fraction | int):
            return self.format.rounded(Fraction(value))
        lower, upper = (self.format.rounded(Fraction(end)) for end in enclose(value, ENCLOSED_DIGITS))
        if lower != upper:
            raise InvalidProblem("formula", str(value), "a number that is not between two numbers of the format")
        return lower

    def combined(self, sign: str, a: Any, b: Any) -> Any:
        """The operation, rounded."""
        return self.number(super().combined(sign, a, b))

    def function(self, name: str, a: Any) -> Any:
        """The function, rounded."""
        if name == "exp" and isinstance(a, Fraction) and abs(a) > EXP_RANGE:
            return math.inf if a > 0 else ZERO
        return self.number(super().function(name, a))
