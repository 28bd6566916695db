"""W1: how numbers are written and read, and the supplied arithmetics around them, against texts written out here."""

import decimal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import prod
from random import Random
from typing import Any

from grpocheck.core.arithmetic import (
    EnclosureArithmetic,
    digits,
    enclose,
    exact_text,
    parse_exact,
)
from grpocheck.core.arithmetic.decimals import integer_text, rational_text, read_integer, read_rational
from grpocheck.core.arithmetic.describing import describe, enclosure_text
from grpocheck.core.arithmetic.enclosing import decimal as decimal_text
from grpocheck.core.arithmetic.enclosing import neighbours, undecided_bounds
from grpocheck.core.arithmetic.intervals import (
    exact_interval,
    exp_interval,
    log_interval,
    power_interval,
    sqrt_interval,
)
from grpocheck.core.arithmetic.notation import working_digits
from grpocheck.core.arithmetic.surd import square_root_of_rational
from grpocheck.proofs.digits import context, number, value_of
from grpocheck.proofs.groundwork.expectations import Expectations, groundwork
from mpmath.libmp import fone, from_int, from_rational, fzero, round_ceiling, round_floor, to_rational

SEED = 21


@contextmanager
def long_integers() -> Iterator[None]:
    """Python's own conversion of integers of any length, to compare with."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


@groundwork("W1", scope="integers of 1 to 12001 digits, decimals with exponents, fractions; and what is none of them")
def rationals_are_written_and_read(expect: Expectations) -> None:
    """Against Python's own conversions."""
    random = Random(SEED)
    sizes = (1, 2, 9, 3999, 4000, 4001, 7999, 8000, 8001, 12001)
    integers = [sign * random.randrange(10 ** (size - 1), 10**size) for size in sizes for sign in (1, -1)]
    integers += [0, 10**4000, 10**4000 - 1, -(10**4000), 10**8000 + 7, 5 * 10**4000 + 1]
    texts = [integer_text(integer) for integer in integers]
    with long_integers():
        for integer, text in zip(integers, texts, strict=True):
            expect.true("an integer's text", text == str(integer))
    for integer, text in zip(integers, texts, strict=True):
        expect.true("read again", read_integer(text.removeprefix("-")) == abs(integer))
        expect.true("read as a rational", read_rational(text) == integer)
        expect.true(
            "half of it", rational_text(Fraction(integer, 2 if integer % 2 else 1)) == text + "/2" * (integer % 2)
        )
    stated = {
        "3": Fraction(3), "-3/5": Fraction(-3, 5), "+3/5": Fraction(3, 5), "0.6": Fraction(3, 5), "12": Fraction(12),
        "1.5e-3": Fraction(3, 2000), "1.5E3": Fraction(1500), "2e+2": Fraction(200), "-0.25": Fraction(-1, 4),
        "007": Fraction(7), "10/4": Fraction(5, 2), "-1.50": Fraction(-3, 2), "0": Fraction(0), "1e0": Fraction(1),
    }  # fmt: skip
    for text, value in stated.items():
        expect.same(text, read_rational(text), value)
    for text in ("", "1/", "/2", "1.", ".5", "1e", "e5", "1 2", "--1", "0x10", "nan", "inf", "1_000", "1/2/3", "1/-2"):
        expect.refused(repr(text), ValueError, lambda: read_rational(text), repr(text), "expected a number")
    expect.refused("1/0", ValueError, lambda: read_rational("1/0"), "the denominator is 0")
    long = "x" * 80
    message = str(expect.refused("a long text", ValueError, lambda: read_rational(long)))
    expect.true("is shown by its beginning", f"'{'x' * 60}'" in message and "x" * 61 not in message)
    message = str(expect.refused("a long fraction", ValueError, lambda: read_rational("1" * 80 + "/0")))
    expect.true("is shown by its beginning", f"'{'1' * 60}'" in message and "1" * 61 not in message)


SURDS = (
    "sqrt(2)", "-sqrt(2)", "1/2 + 3/10*sqrt(2)", "1/2 - 3/10*sqrt(2)", "-1/2 - sqrt(2) + 2/3*sqrt(3)", "5*sqrt(6)",
    "sqrt(2) + sqrt(3) + sqrt(10403)", "-7 + sqrt(5)", "1/3*sqrt(35)",
)  # fmt: skip


@groundwork("W1", scope="sums of square roots as texts, in their canonical writing and in others, and their length")
def surds_are_written_and_read(expect: Expectations) -> None:
    """Texts written here are read as their value, and written the same again."""
    for text in SURDS:
        expect.same(text, exact_text(parse_exact(text)), text)
        expect.same(f"{text}, as a number", str(parse_exact(text)), text)
        expect.same("its representation", repr(parse_exact(text)), f"Surd({text!r})")
        expect.same(f" {text} with spaces around", parse_exact(f" {text} "), parse_exact(text))
    others = {
        "sqrt(8)": "2*sqrt(2)", "sqrt(1/2)": "1/2*sqrt(2)", "sqrt(12) + 1": "1 + 2*sqrt(3)", "+sqrt(3)": "sqrt(3)",
        "1+sqrt(2)": "1 + sqrt(2)", "0.5*sqrt(2)": "1/2*sqrt(2)", "1e-1*sqrt(2)": "1/10*sqrt(2)",
        "1e1-sqrt(2)": "10 - sqrt(2)",
        "sqrt(9)": "3", "sqrt(2) - sqrt(2)": "0", "2*sqrt(3)-sqrt(2)": "-sqrt(2) + 2*sqrt(3)",
        "-2/3*sqrt(50)": "-10/3*sqrt(2)",
        "sqrt(10201)": "101", "sqrt(10403)": "sqrt(10403)", "sqrt(1010)": "sqrt(1010)", "sqrt(49/10)": "7/10*sqrt(10)",
        "sqrt(97)*1": None, "2*sqrt(-2)": None, "sqrt(2)sqrt(3)": None, "sqrt()": None, "sqrt(2": None,
            "x*sqrt(2)": None,
    }  # fmt: skip
    for text, written in others.items():
        if written is None:
            expect.refused(text, ValueError, lambda: parse_exact(text), "expected a number")
        else:
            expect.same(text, exact_text(parse_exact(text)), written)
    for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97):
        found = str(square_root_of_rational(Fraction(prime**2 * 103)))
        expect.same(f"sqrt({prime}^2 103)", found, f"{prime}*sqrt(103)")
    expect.refused("a text too long", ValueError, lambda: parse_exact("1" * 1_000_001), "1000001 characters")
    expect.same("a text just short enough", parse_exact("0" * 999_999 + "1"), 1)
    lengths = {"0": 1 + 1, "7": 1 + 1, "8": 2 + 1, "1/8": 1 + 2, "-1000": 4 + 1, "123456789/1024": 9 + 4}
    for text, length in lengths.items():
        expect.same(f"digits of {text}", digits(parse_exact(text)), length)
        expect.same(f"working digits of {text}", working_digits(parse_exact(text)), length)
    # 3 digits a rational coefficient 1/8 (1 and 2), one of the radicand; degree 2, one term: 4 * 4 / 1
    expect.same("digits of 1/8*sqrt(2)", digits(parse_exact("1/8*sqrt(2)")), 4)
    expect.same("working digits of 1/8*sqrt(2)", working_digits(parse_exact("1/8*sqrt(2)")), 16)
    # 1, sqrt 2, sqrt 3: degree 4; digits (2 + 1) each: 9; 16 * 9 / 3
    expect.same("digits of 1 + sqrt 2 + sqrt 3", digits(parse_exact("1 + sqrt(2) + sqrt(3)")), 9)
    expect.same("working digits of 1 + sqrt 2 + sqrt 3", working_digits(parse_exact("1 + sqrt(2) + sqrt(3)")), 48)
    # sqrt 2, sqrt 3, sqrt 6 span degree 4 as well: 16 * 9 / 3
    expect.same("working digits with sqrt 6", working_digits(parse_exact("sqrt(2) + sqrt(3) + sqrt(6)")), 48)
    # sqrt 2, sqrt 3, sqrt 5: degree 8: 64 * 9 / 3
    expect.same("working digits with sqrt 5", working_digits(parse_exact("sqrt(2) + sqrt(3) + sqrt(5)")), 192)


@groundwork("W1", scope="rationals and enclosed numbers at 1 to 30 significant digits, rounded down and up")
def decimals_are_rounded_outward(expect: Expectations) -> None:
    """Against Python's decimal module."""
    random = Random(SEED)
    for _ in range(150):
        value = Fraction(random.choice((1, -1)) * random.randrange(1, 10 ** random.randrange(1, 25)),
                         random.randrange(1, 10 ** random.randrange(1, 25)))  # fmt: skip
        significant = random.randrange(2, 30)
        for upward, rounding in ((False, decimal.ROUND_FLOOR), (True, decimal.ROUND_CEILING)):
            exactly = decimal.Context(prec=significant, rounding=rounding)
            expected = exactly.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))
            found = Fraction(decimal_text(value, significant, upward))
            expect.same(f"{value} to {significant} digits", found, Fraction(expected))
    written = {
        (Fraction(1, 8), 5): "0.125", (Fraction(-1, 8), 2): "-0.13", (Fraction(1000), 5): "1000", (Fraction(0), 4): "0",
        (Fraction(123456, 100), 8): "1234.56", (Fraction(1, 10**5), 3): "0.00001", (Fraction(1, 10**6), 3): "1e-6",
        (Fraction(15, 10**7), 3): "1.5e-6", (Fraction(10**20), 3): "100000000000000000000",
        (Fraction(10**21), 3): "1e21",
        (Fraction(-15 * 10**21), 3): "-1.5e22", (Fraction(999), 1): "900", (Fraction(100), 3): "100",
        (Fraction(10), 1): "10",
        (Fraction(-12), 2): "-12", (Fraction(101, 10), 4): "10.1",
    }  # fmt: skip
    for (value, significant), text in written.items():
        expect.same(f"{value} to {significant} digits", decimal_text(value, significant, False), text)
    # a number of 3000 bits that is all but 12345 / 10^7000, with an exponent beyond what is converted exactly
    tiny = tuple(from_rational(12345, 10**7000, 3000, rounding) for rounding in (round_floor, round_ceiling))
    expect.same("neighbours of what is all but a tie, far from 1", neighbours(tiny, 5, 3000), None)
    expect.same("its bounds", undecided_bounds(tiny, 5, 3000), ("1.2344e-6996", "1.2346e-6996"))
    for value in (Fraction(2, 3), Fraction(-22, 7), Fraction(5), Fraction(10**30, 7)):
        lower, upper = map(Fraction, enclose(value, 10))
        expect.true(f"bounds of {value}", lower <= value <= upper and upper - lower <= abs(value) / 10**11)
    for text in SURDS:
        ends, root = enclose(parse_exact(text), 20), value_of(text)
        low, high = (number(Fraction(bound)) for bound in ends)
        expect.true(
            f"bounds of {text}", bool(low <= root <= high and high - low <= abs(root) * context.mpf(10) ** -20)
        )
    arithmetic = EnclosureArithmetic(max_bits=256)
    unknown = arithmetic.log(Fraction(6)) - arithmetic.log(Fraction(2)) - arithmetic.log(Fraction(3))
    lower, upper = map(Fraction, enclose(unknown, 20, 256))
    expect.true("what may be 0 has bounds around 0", lower < 0 < upper and upper - lower <= Fraction(1, 10**20))
    expect.refused(
        "too few bits", ArithmeticError, lambda: enclose(unknown * 10**2000, 20, 64), "no enclosure to 20 digits"
    )


@groundwork("W1", scope="intervals of rationals, exp, log, sqrt and powers at 30 to 200 bits")
def intervals_hold_and_are_narrow(expect: Expectations) -> None:
    """Each interval holds the value of 80 digits and is as narrow as its bits say."""
    random = Random(SEED)

    def check(what: str, interval: Any, value: Any, bits: int) -> None:
        lower, upper = (number(Fraction(*to_rational(end))) for end in interval)
        slack = abs(value) * context.mpf(10) ** -70
        expect.true(f"{what} at {bits} bits holds", bool(lower - slack <= value <= upper + slack))
        expect.true(f"{what} at {bits} bits is narrow", bool((upper - lower) * 2 ** (bits - 6) <= abs(value)))

    for bits in (30, 64, 100, 200):
        for _ in range(12):
            value = Fraction(random.randrange(1, 10**9), random.randrange(1, 10**6))
            interval, digits80 = exact_interval(value, bits), number(value)
            check(f"{value}", interval, digits80, bits)
            check(f"-{value}", exact_interval(-value, bits), -digits80, bits)
            check(f"sqrt {value}", sqrt_interval(interval, bits), context.sqrt(digits80), bits)
            power = random.choice((-7, -3, -2, -1, 1, 2, 3, 5, 6))
            check(
                f"{value} ** {power}",
                power_interval(exact_interval(value, bits + 8), power, bits),
                digits80**power,
                bits,
            )
            small = value / 10**9
            if small != 1 and abs(context.log(number(small))) > 0.1:
                check(
                    f"log {small}",
                    log_interval(exact_interval(small, bits + 8), bits),
                    context.log(number(small)),
                    bits,
                )
            argument = Fraction(random.randrange(-3000, 3000), 100)
            check(
                f"exp {argument}",
                exp_interval(exact_interval(argument, bits + 12), bits),
                context.exp(number(argument)),
                bits,
            )
        for text in SURDS:
            check(text, exact_interval(parse_exact(text), bits), value_of(text), bits)
    for lower, upper, ends in ((fzero, fzero, (fone, fone)), (from_int(-1), fzero, (None, fone)),
        (fzero, fone, (fone, None))):
        found = exp_interval((lower, upper), 64)
        exactly = all(end is None or found[place] == end for place, end in enumerate(ends))
        expect.true("exp 0 is 1, exactly, at an end", exactly)
    near = square_root_of_rational(Fraction(2)) - Fraction(665857, 470832)
    check(
        "sqrt 2 less a near fraction",
        exact_interval(near, 100),
        context.sqrt(2) - number(Fraction(665857, 470832)),
        100,
    )


@groundwork("W1", scope="long and nested expressions as texts for messages")
def expressions_are_described(expect: Expectations) -> None:
    """The words of an error about numbers, written out here."""
    arithmetic = EnclosureArithmetic()
    exp, log, sqrt = arithmetic.exp, arithmetic.log, arithmetic.sqrt
    half, root = Fraction(1, 2), square_root_of_rational(Fraction(2))
    a = exp(half)
    deep = exp(exp(exp(exp(half))))
    texts = {
        "exp(1/2)": a, "2*exp(1/2)": 2 * a, "exp(1/2) + 1": a + 1, "(1 + sqrt(2))*exp(1/2)": (1 + root) * a,
        "exp(1/2) + -1*log(3)": a - log(Fraction(3)), "sqrt(log(3))": sqrt(log(Fraction(3))),
        "(exp(1/2) + 1)^2": (a + 1) ** 2, "exp(exp(exp(...)))": deep, "1/2": half, "sqrt(2)": root,
        "exp(1/2)*log(3)": a * log(Fraction(3)), "2*exp(1/2)*log(3)": 2 * a * log(Fraction(3)),
        "log(3)^-1": 1 / log(Fraction(3)),
        "log(2) + log(3) + log(5) + log(7) + ...": sum(log(Fraction(p)) for p in (2, 3, 5, 7, 11)),
        "log(3)*log(2)*log(5)*log(7)*...": prod(log(Fraction(p)) for p in (2, 3, 5, 7, 11)),
        "(a number of about 61 digits)": Fraction(10**59 + 7),
        "log(2) + log(3) + log(5) + log(7)": sum(log(Fraction(p)) for p in (2, 3, 5, 7)),
    }  # fmt: skip
    for text, value in texts.items():
        expect.same(text, describe(value), text)
    expect.same("as str", str(a), "exp(1/2)")
    expect.same("as repr", repr(a), "Real('exp(1/2)')")
    for by in (Fraction(1, 10**40), -Fraction(1, 10**40)):
        tie = Fraction(12345678901234567891, 10**20) + by
        ends = [Fraction(part) for part in enclosure_text(tie)[1:-1].split(", ")]
        expect.true("a number all but on a digit is between its bounds", ends[0] <= tie <= ends[1])
    for value, exactly in ((a, context.exp(context.mpf("0.5"))), (Fraction(1, 3), number(Fraction(1, 3)))):
        text = enclosure_text(value)
        lower, upper = (number(Fraction(part)) for part in text[1:-1].split(", "))
        narrow = lower <= exactly <= upper and upper - lower < exactly * context.mpf(10) ** -18
        expect.true(f"{text} holds the number closely", text[0] + text[-1] == "[]" and bool(narrow))
