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
    DigitBudgetExceeded,
    EnclosureArithmetic,
    ExactArithmetic,
    MpArithmetic,
    NotExact,
    UndecidedComparison,
    digits,
    enclose,
    exact_text,
    parse_exact,
)
from grpocheck.core.arithmetic.automatic import AutomaticArithmetic
from grpocheck.core.arithmetic.choice import arithmetic_named, arithmetic_of, settings_of
from grpocheck.core.arithmetic.decimals import integer_text, rational_text, read_integer, read_rational
from grpocheck.core.arithmetic.describing import describe, enclosure_text
from grpocheck.core.arithmetic.enclosing import decimal as decimal_text
from grpocheck.core.arithmetic.intervals import (
    exact_interval,
    exp_interval,
    log_interval,
    power_interval,
    sqrt_interval,
)
from grpocheck.core.arithmetic.notation import working_digits
from grpocheck.core.arithmetic.surd import square_root_of_rational
from grpocheck.core.invalid import InvalidProblem
from grpocheck.proofs.digits import context, number, value_of
from grpocheck.proofs.groundwork.expectations import Expectations, groundwork
from mpmath.libmp import fone, from_int, fzero, to_rational

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
            # what would round to a power of ten one place further left may be written as that power
            near = abs(found) == Fraction(10) ** (int(expected.logb()) + 1) and abs(found - value) * 10 ** (
                significant - 1
            ) <= abs(found)
            expect.true(f"{value} to {significant} digits", found == Fraction(expected) or bool(near))
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
    for value, exactly in ((a, context.exp(context.mpf("0.5"))), (Fraction(1, 3), number(Fraction(1, 3)))):
        text = enclosure_text(value)
        lower, upper = (number(Fraction(part)) for part in text[1:-1].split(", "))
        narrow = lower <= exactly <= upper and upper - lower < exactly * context.mpf(10) ** -18
        expect.true(f"{text} holds the number closely", text[0] + text[-1] == "[]" and bool(narrow))


@groundwork("W1", scope="what each arithmetic accepts, answers and refuses, and its settings written and read")
def arithmetics_answer_or_say_why_not(expect: Expectations) -> None:
    """Exact, enclosure, mp and the automatic one."""
    exact, enclosure, mp = ExactArithmetic(20), EnclosureArithmetic(), MpArithmetic(40)
    root = square_root_of_rational(Fraction(2))
    for arithmetic in (exact, enclosure, mp, AutomaticArithmetic(exact, enclosure)):
        name = arithmetic.name
        expect.same(f"{name}: 3/4", arithmetic.number(Fraction(3, 4)), Fraction(3, 4))
        expect.same(f"{name}: the root of 9/4", arithmetic.sqrt(arithmetic.number(Fraction(9, 4))), Fraction(3, 2))
        expect.same(f"{name}: log 1", arithmetic.log(arithmetic.number(Fraction(1))), 0)
        expect.same(f"{name}: exp 0", arithmetic.exp(arithmetic.number(Fraction(0))), 1)
        expect.same(f"{name}: log of an int", arithmetic.log(1), 0)
        expect.same(f"{name}: exp of an int", arithmetic.exp(0), 1)
        one, two = arithmetic.number(Fraction(1)), arithmetic.number(Fraction(2))
        for left, right in ((one, two), (two, one), (one, one)):
            expect.same(f"{name}: less", arithmetic.less(left, right), bool(left < right))
            expect.same(f"{name}: equal", arithmetic.equal(left, right), bool(left == right))
            expect.same(f"{name}: minimum", arithmetic.minimum(left, right), min(left, right))
            expect.same(f"{name}: maximum", arithmetic.maximum(left, right), max(left, right))
        expect.same(f"{name}: settled", arithmetic.settle(one), one)
        for value, held in (
            (1, True),
            (Fraction(1, 2), True),
            (True, False),
            (0.5, False),
            ("1", False),
            (None, False),
        ):
            expect.same(f"{name}: holds {value!r}", arithmetic.holds(value), held)
        wrong: list[Any] = [0.5, True, "1"]
        for none in wrong:
            expect.refused(f"{name}: {none!r}", TypeError, lambda: arithmetic.number(none), type(none).__name__)
    expect.same("a surd is exact", exact.holds(root), True)
    expect.same("a surd is none of mp", mp.holds(root), False)
    expect.same("an infinity is none of mp", mp.holds(mp.context.inf), False)
    expect.refused("an infinity", ArithmeticError, lambda: mp.settle(mp.context.inf), "finite number at 40 digits")
    expect.refused("exact log 2", NotExact, lambda: exact.log(Fraction(2)), "log(2) is not exact")
    expect.refused("exact exp 2", NotExact, lambda: exact.exp(Fraction(2)), "exp(2) is not exact")
    expect.refused("exact root of a surd", NotExact, lambda: exact.sqrt(root + 1), "sqrt(1 + sqrt(2))")
    fits, outgrown = Fraction(10**17), Fraction(10**19 + 1)
    expect.true("19 digits and one below fit into 20", exact.settle(fits) is fits)
    error = expect.refused("22 digits do not", DigitBudgetExceeded, lambda: exact.settle(outgrown * 10), "budget of 20")
    expect.same("the error keeps the budget", getattr(error, "budget", None), 20)
    expect.same("and the digits", getattr(error, "digits", None), digits(outgrown * 10))
    for left in (root, enclosure.exp(Fraction(1, 2))):
        for sign in ("+", "-", "*", "/", "<", "<=", ">", ">="):
            for operands in ((left, 0.5), (0.5, left)):
                expect.refused(f"{sign} with a float", TypeError, lambda: operated(sign, *operands))
        for exponent in (0.5, Fraction(1, 2), True):
            expect.refused(f"to the power {exponent!r}", TypeError, lambda: left**exponent)
        expect.same("equal to a float", left == 0.5, False)
        expect.same("divided by 0", attempt_division(left), True)
    for value, at_40 in ((Fraction(1, 3), "0." + "3" * 40), (Fraction(5), "5.0")):
        expect.same(f"mp: {value} as a text", mp.text(mp.number(value)), at_40)
    for call, plain in ((mp.exp, context.exp), (mp.log, context.log), (mp.sqrt, context.sqrt)):
        near = abs(context.mpf(mp.text(call(mp.number(Fraction(7, 3))))) - plain(number(Fraction(7, 3))))
        expect.true("mp to 38 digits", bool(near < context.mpf(10) ** -38))
    check_automatic(expect)
    check_settings(expect)


def operated(sign: str, left: Any, right: Any) -> Any:
    """left sign right."""
    return {
        "+": lambda: left + right, "-": lambda: left - right, "*": lambda: left * right, "/": lambda: left / right,
        "<": lambda: left < right, "<=": lambda: left <= right, ">": lambda: left > right, ">=": lambda: left >= right,
    }[sign]()  # fmt: skip


def attempt_division(value: Any) -> bool:
    """Whether a division by 0 is refused, by the int and by the number that is its own negative."""
    for zero in (0, Fraction(0), value - value):
        try:
            value / zero
        except ZeroDivisionError:
            continue
        return False
    return True


def check_automatic(expect: Expectations) -> None:
    """The automatic arithmetic begins exact, and says why it goes over."""
    reasons: list[str] = []
    automatic = AutomaticArithmetic(ExactArithmetic(20), EnclosureArithmetic(20), reasons.append)
    expect.same("it begins", (automatic.name, automatic.reason, reasons), ("exact", None, []))
    expect.same("an exact root keeps it", str(automatic.sqrt(Fraction(2))), "sqrt(2)")
    expect.same("it stays", automatic.name, "exact")
    logarithm = automatic.log(Fraction(2))
    expect.same("a logarithm takes it over", automatic.name, "enclosure")
    expect.same("once", reasons, [automatic.reason])
    expect.true("for a reason", "log(2) is not exact" in str(automatic.reason))
    expect.true("and answers", bool(Fraction(693, 1000) < logarithm < Fraction(694, 1000)))
    automatic.exp(Fraction(1))
    expect.same("told once only", len(reasons), 1)
    grown = AutomaticArithmetic(ExactArithmetic(20), EnclosureArithmetic(20), reasons.append)
    settled = grown.settle(Fraction(10**40 + 1, 3))
    expect.same("a long number takes it over", grown.name, "enclosure")
    expect.true("as itself", bool(settled == Fraction(10**40 + 1, 3)) and isinstance(grown.text(settled), list))


def check_settings(expect: Expectations) -> None:
    """Arithmetics by name, their settings and back."""
    counts = {"digits": 12, "max_digits": 345, "max_bits": 678}
    kept = {
        "exact": {"name": "exact", "max_digits": 345},
        "enclosure": {"name": "enclosure", **counts},
        "auto": {"name": "auto", **counts},
        "mp": {"name": "mp", "digits": 12},
    }
    for name, settings in kept.items():
        found = settings_of(arithmetic_named(name, **counts))
        expect.same(f"settings of {name}", found, settings)
        expect.same(f"{name} again", settings_of(arithmetic_of(found)), settings)
    expect.same("defaults", settings_of(arithmetic_named("auto")),
                {"name": "auto", "digits": 30, "max_digits": 10_000, "max_bits": 8192})  # fmt: skip
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"name": "double"}, "arithmetic: 'double'"), ({"name": "mp", "digit": 3}, "arithmetic.digit"),
        ({"name": "mp", "digits": True}, "arithmetic.digits"), ({"name": "mp", "digits": "3"}, "arithmetic.digits"),
        ({"name": "mp", "digits": 0}, "from 1 to"), ({"name": "mp", "digits": 10**7 + 1}, "from 1 to 10000000"),
    ]  # fmt: skip
    for stated, words in refusals:
        expect.refused(f"{stated}", InvalidProblem, lambda: arithmetic_of(stated), words)
    expect.same("the largest count", settings_of(arithmetic_of({"name": "mp", "digits": 10**7}))["digits"], 10**7)
    expect.same("the smallest count", settings_of(arithmetic_of({"name": "exact", "max_digits": 1}))["max_digits"], 1)
    few = arithmetic_named("enclosure", max_bits=100)
    equal = few.log(Fraction(6)), few.log(Fraction(2)) + few.log(Fraction(3))
    expect.refused("at few bits", UndecidedComparison, lambda: few.less(*equal), "not decided at 100 bits")
