"""W1: every number of core beside the same number at 80 digits, and every comparison as those digits decide it."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from grpocheck.core.arithmetic import (
    DigitBudgetExceeded,
    EnclosureArithmetic,
    ExactArithmetic,
    Surd,
    UndecidedComparison,
    digits,
    exact_text,
)
from grpocheck.core.arithmetic.surd import square_root_of_rational
from grpocheck.proofs.digits import Float, context, number, value_of
from grpocheck.proofs.groundwork.expectations import Expectations, attempt, groundwork

SEED = 20
Pair = tuple[Any, Float]
"""A number of core, and the same number at 80 digits."""

SAME = context.mpf(10) ** -60
"""Two numbers of 80 digits that are nearer to each other, relative to their size, are equal."""

OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}
ORDERS: dict[str, Callable[[Any, Any], Any]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
RADICANDS = (2, 3, 6, 8, 12, 10, 15, 50, 101, 202, 10403, 10201 * 2, Fraction(1, 2), Fraction(3, 4), Fraction(5, 12))


def is_same(left: Float, right: Float) -> bool:
    """Whether two numbers of 80 digits are one number."""
    return bool(abs(left - right) <= SAME * max(1, abs(left), abs(right)))


def order(left: Float, right: Float) -> int:
    """-1, 0 or 1, as 80 digits decide."""
    return 0 if is_same(left, right) else -1 if left < right else 1


def check_value(expect: Expectations, what: str, pair: Pair, arithmetic: Any, places: int = 30) -> None:
    """A number's text has the value of 80 digits; a text of two bounds holds it closely."""
    found, value = pair
    text = arithmetic.text(found)
    if isinstance(text, str):
        expect.true(f"{what}: {text} is {context.nstr(value, 25)}", is_same(value_of(text), value))
        return
    lower, upper = map(value_of, text)
    slack = abs(value) * SAME
    expect.true(f"{what}: {text} holds {context.nstr(value, 35)}", bool(lower - slack <= value <= upper + slack))
    narrow = (upper - lower) * context.mpf(10) ** places <= max(abs(value), context.mpf(10) ** -places)
    expect.true(f"{what}: {text} is narrow", bool(narrow))


def check_order(expect: Expectations, left: Pair, right: Pair) -> None:
    """The six comparisons of two numbers are those of their digits; an undecided one is of equal numbers only."""
    decided = order(left[1], right[1])
    for sign, compare in ORDERS.items():
        found = attempt(lambda: compare(left[0], right[0]))
        if found is UndecidedComparison and decided == 0:
            continue
        what = f"{left[0]} {sign} {right[0]}"
        expect.same(what, found, compare(decided, 0))


def field_numbers(random: Random, count: int) -> list[Pair]:
    """Rationals and sums of square roots, made by random operations."""
    numbers: list[Pair] = [(Fraction(a, b), number(Fraction(a, b))) for a, b in ((0, 1), (1, 1), (-3, 2), (7, 5))]
    numbers += [(square_root_of_rational(Fraction(r)), context.sqrt(number(Fraction(r)))) for r in RADICANDS]
    while len(numbers) < count:
        (a, x), (b, y) = random.choice(numbers), random.choice(numbers)
        sign = random.choice("++--**/")
        if (sign == "/" and order(y, context.mpf(0)) == 0) or len(getattr(a, "terms", ())) + len(
            getattr(b, "terms", ())
        ) > 6:
            continue
        numbers.append((OPERATIONS[sign](a, b), OPERATIONS[sign](x, y)))
    return numbers


@groundwork("W1", scope="rationals and sums of square roots, random sums, products and quotients, all pairs compared")
def square_roots_are_computed_exactly(expect: Expectations) -> None:
    """Values, signs, comparisons, hashes and texts of Q(sqrt d1, ..., sqrt dk)."""
    arithmetic = ExactArithmetic()
    numbers = field_numbers(Random(SEED), 90)
    for found, value in numbers:
        check_value(expect, "a number", (found, value), arithmetic)
        kind = Surd if "sqrt(" in arithmetic.text(found) else Fraction
        expect.true(f"{found} is plain exactly where it is rational", type(found) is kind)
        check_value(expect, f"-{found}", (-found, -value), arithmetic)
        check_value(expect, f"abs {found}", (abs(found), abs(value)), arithmetic)
        if isinstance(found, Surd):
            expect.same(f"the sign of {found}", found.sign(), order(value, context.mpf(0)))
            expect.same(f"+{found}", +found, found)
            for exponent in (-2, -1, 0, 1, 2, 3):
                check_value(expect, f"{found} ** {exponent}", (found**exponent, value**exponent), arithmetic)
            check_value(expect, f"1 / {found}", (1 / found, 1 / value), arithmetic)
            check_value(expect, f"2 - {found}", (2 - found, 2 - value), arithmetic)
            check_value(expect, f"{found} * 3", (found * 3, value * 3), arithmetic)
    for left, right in list(product(numbers[::4], numbers[::5])):
        check_order(expect, left, right)
        if left[0] == right[0]:
            expect.same(f"the hashes of {left[0]} and {right[0]}", hash(left[0]), hash(right[0]))


@groundwork("W1", scope="best approximations p/q of square roots, up to 70 digits, on both sides; and exact multiples")
def near_ties_of_square_roots_are_decided(expect: Expectations) -> None:
    """p/q against sqrt(d), where p^2 - d q^2 = 1 or -1 is all that tells them apart, and a sum of three roots."""
    for radicand, p, q in ((2, 1, 1), (3, 2, 1), (101, 10, 1)):
        root = square_root_of_rational(Fraction(radicand))
        first_p, first_q = p, q
        for _ in range(80 if radicand != 101 else 20):
            sign = p * p - radicand * q * q
            near = Fraction(p, q)
            expect.same(f"sqrt({radicand}) < {near}", root < near, sign > 0)
            expect.same(f"{near} < sqrt({radicand})", near < root, sign < 0)
            expect.same(f"sqrt({radicand}) - {near} >= 0", root - near >= 0, sign < 0)
            expect.same(f"q sqrt({radicand}) <= p", root * q <= p, sign > 0)
            expect.same(f"abs(sqrt({radicand}) - {near})", abs(root - near), (near - root) if sign > 0 else root - near)
            p, q = first_p * p + radicand * first_q * q, first_p * q + first_q * p
    two, three, six = (square_root_of_rational(Fraction(d)) for d in (2, 3, 6))
    expect.same("(sqrt 2 + sqrt 3)^2", (two + three) ** 2, 5 + 2 * six)
    expect.same("sqrt 2 sqrt 3 - sqrt 6", two * three - six, 0)
    expect.same("sqrt 12 - 2 sqrt 3", square_root_of_rational(Fraction(12)) - 2 * three, 0)
    expect.same("1 / (sqrt 2 + sqrt 3)", 1 / (two + three), three - two)
    expect.same("sqrt 0", square_root_of_rational(Fraction(0)), 0)
    large = 1000003 * 1000033
    apart, together = square_root_of_rational(Fraction(1000003)), square_root_of_rational(Fraction(large))
    expect.same("a common factor is found without factoring", together / apart * apart, together)
    expect.same("(sqrt p q)^2 / sqrt p", together * together / apart, large / apart)
    expect.same("sqrt(p q) sqrt(p)", together * apart, 1000003 * square_root_of_rational(Fraction(1000033)))
    expect.same("terms over one base", (together + apart) - apart, together)


def transcendental_numbers(random: Random, arithmetic: EnclosureArithmetic, count: int) -> list[Pair]:
    """Numbers made of rationals, roots, exponentials and logarithms by random operations."""
    numbers: list[Pair] = [(Fraction(a, b), number(Fraction(a, b))) for a, b in ((1, 1), (2, 1), (-3, 2), (1, 3))]
    numbers += [(square_root_of_rational(Fraction(r)), context.sqrt(number(Fraction(r)))) for r in (2, 3)]
    while len(numbers) < count:
        (a, x), (b, y) = random.choice(numbers), random.choice(numbers)
        sign = random.choice("+-*/eeellr")
        nonzero = abs(y) > SAME
        if sign == "e" and abs(x) < 50:
            numbers.append((arithmetic.exp(a), context.exp(x)))
        elif sign == "l" and x > SAME:
            numbers.append((arithmetic.log(a), context.log(x)))
        elif sign == "r" and x > SAME:
            numbers.append((arithmetic.sqrt(a), context.sqrt(x)))
        elif (sign in "+-*" or (sign == "/" and nonzero)) and abs(x) < 10**6 and abs(y) < 10**6:
            numbers.append((OPERATIONS[sign](a, b), OPERATIONS[sign](x, y)))
    return numbers


@groundwork("W1", scope="expressions of exp, log, sqrt and + - * /, random, against 80 digits, all pairs compared")
def enclosures_hold_and_decide(expect: Expectations) -> None:
    """The bounds of every expression hold its value closely; what is compared is decided rightly."""
    arithmetic = EnclosureArithmetic(max_bits=1024)
    numbers = transcendental_numbers(Random(SEED), arithmetic, 110)
    for place, pair in enumerate(numbers):
        check_value(expect, f"expression {place}", pair, arithmetic)
        if order(pair[1], context.mpf(0)):
            expect.same(f"expression {place} is above 0", pair[0] > 0, bool(pair[1] > 0))
            check_value(expect, f"abs of expression {place}", (abs(pair[0]), abs(pair[1])), arithmetic)
    for left, right in list(product(numbers[::5], numbers[::6])):
        check_order(expect, left, right)
        smaller, larger = arithmetic.minimum, arithmetic.maximum
        decided = order(left[1], right[1])
        if decided:
            expect.same("the minimum", smaller(left[0], right[0]) is (left if decided < 0 else right)[0], True)
            expect.same("the maximum", larger(left[0], right[0]) is (right if decided < 0 else left)[0], True)
            expect.same("less", arithmetic.less(left[0], right[0]), decided < 0)
            expect.same("equal", arithmetic.equal(left[0], right[0]), False)


@groundwork("W1", scope="expressions that are equal by the rules of exp, log and sqrt, and expressions apart by 1e-40")
def equal_expressions_are_found_equal(expect: Expectations) -> None:
    """The normal form finds these without a digit; the next ones differ and are told apart; one cannot be decided."""
    arithmetic = EnclosureArithmetic(max_bits=512)
    exp, log, sqrt = arithmetic.exp, arithmetic.log, arithmetic.sqrt
    third, root = Fraction(1, 3), square_root_of_rational(Fraction(2))
    a, b = exp(third), exp(root)
    equal = {
        "exp 0": (exp(Fraction(0)), 1),
        "log 1": (log(Fraction(1)), 0),
        "exp(1/3)^3": (a * a * a, exp(1)),
        "exp(a) exp(-a)": (a * exp(-third), 1),
        "exp(a) / exp(a)": (a / a, 1),
        "exp(a) exp(b)": (a * b, exp(third + root)),
        "log exp a": (log(a), third),
        "log exp sqrt 2": (log(b), root),
        "log(2 exp a)": (log(2 * a), third + log(Fraction(2))),
        "exp(2 log 3)": (exp(2 * log(Fraction(3))), 9),
        "exp(-log 3)": (exp(-log(Fraction(3))), third),
        "exp(63 log 2)": (exp(63 * log(Fraction(2))), 2**63),
        "exp(-64 log 2)": (exp(-64 * log(Fraction(2))), Fraction(1, 2**64)),
        "log(1/3)": (log(third), -log(Fraction(3))),
        "x - x": ((a + b) - (b + a), 0),
        "a sum over itself": ((a + b) / (b + a), 1),
        "masses that share a denominator": (a / (a + b) + b / (a + b), 1),
        "masses with coefficients": (2 * a / (2 * a + 3 * b) + 3 * b / (3 * b + 2 * a), 1),
        "three times masses": (3 * (a / (a + b)) + 3 * (b / (a + b)), 3),
        "sqrt(exp a)^2": (sqrt(a) * sqrt(a), a),
        "sqrt(exp a)^3": (sqrt(a) ** 3, a * sqrt(a)),
        "sqrt(exp a)^-1": (sqrt(a) / a, 1 / sqrt(a)),
        "1/(1/x)": (1 / (1 / (a + 1)), a + 1),
        "(x + 1) 2": ((a + 1) * 2, 2 * a + 2),
        "x 0": (a * 0, 0),
        "x 1": (a * 1, a),
        "x + 0": (a + 0, a),
    }
    for what, (left, right) in equal.items():
        expect.same(what, left == right, True)
        expect.same(f"{what}, compared", left < right or left > right, False)
        expect.same(f"{what}, equal", arithmetic.equal(left, right), True)
        plain = isinstance(right, Fraction | int)
        expect.same(f"{what} is plain", isinstance(left, Fraction | int), plain)
    c = exp(Fraction(2))
    whole = a + 2 * b + c
    for what, quotient, simple in (
        ("three masses", a / whole + 2 * b / whole + c / whole, True),
        ("half of them", (a / whole + 2 * b / whole + c / whole) / 2, True),
        ("two of three", a / whole + 2 * b / whole, False), ("a wrong share", a / whole + b / whole + c / whole, False),
        ("shares of two sums", a / whole + 2 * b / whole + c / (whole + 1), False),
        ("squared", a / whole**2 + 2 * b / whole**2 + c / whole**2, False),

        ("times a root", root * (a / whole + 2 * b / whole + c / whole), False),
    ):  # fmt: skip
        expect.same(f"{what} are a plain number", isinstance(quotient, Fraction), simple)
    near = Fraction(1, 10**40)
    for what, (left, right) in equal.items():
        expect.same(f"{what}, moved up", left < right + near, True)
        expect.same(f"{what}, moved down", left > right - near, True)
        expect.same(f"{what}, apart", left == right + near, False)
    tiny = exp(near) - 1
    expect.same("exp(1e-40) > 1 + 1e-40", tiny > near, True)
    expect.same("exp(1e-40) < 1 + 1e-40 + 1e-80", tiny < near + near * near, True)
    expect.same("log(1 + 1e-40) < 1e-40", log(1 + near) < near, True)
    sixes, parts = log(Fraction(6)), log(Fraction(2)) + log(Fraction(3))
    error = expect.refused("log 6 = log 2 + log 3", UndecidedComparison, lambda: sixes == parts, "not decided at 512")
    expect.true("both are named", "log(6)" in str(error) and "log(2)" in str(error) and "1.7917" in str(error))
    expect.same("to the power 0", (sixes - parts) ** 0, 1)
    expect.refused("its sign", UndecidedComparison, lambda: bool(sixes - parts), "against 0")
    expect.refused("one over it", UndecidedComparison, lambda: 1 / (sixes - parts), "not decided")
    expect.refused("one over 0", ZeroDivisionError, lambda: 1 / (a - a))
    expect.refused("the root of a negative", ValueError, lambda: sqrt(-a), "nonnegative")
    expect.refused("the root of -1", ValueError, lambda: sqrt(Fraction(-1)), "nonnegative")
    expect.refused("the root of a negative surd", ValueError, lambda: sqrt(1 - root), "nonnegative")
    expect.refused("log of 0", ValueError, lambda: log(Fraction(0)), "positive")
    expect.refused("log of a negative", ValueError, lambda: log(-b), "positive")


@groundwork("W1", scope="large and small arguments of exp, powers of sums, settled numbers, masses of softmax")
def extreme_numbers_are_enclosed(expect: Expectations) -> None:
    """Bounds of numbers far from 1, and of numbers that are no longer held exactly."""
    arithmetic = EnclosureArithmetic(max_digits=40, digits=25)
    for argument in (Fraction(5000), Fraction(-5000), Fraction(20000), Fraction(-20000), Fraction(1, 10**9)):
        check_value(
            expect, f"exp {argument}", (arithmetic.exp(argument), context.exp(number(argument))), arithmetic, 25
        )
    for exponent in (10**6, -(10**6)):
        lower, upper = map(context.mpf, arithmetic.text(arithmetic.exp(Fraction(exponent))))
        value = context.exp(context.mpf(exponent))
        holds = lower <= value <= upper and (upper - lower) * context.mpf(10) ** 25 <= value
        expect.true(f"exp {exponent}, far beyond any exponent of a decimal", bool(holds))
    outgrown = Fraction(10**30 + 1, 3**70)
    settled, value = arithmetic.settle(outgrown), number(outgrown)
    expect.same("a long number is settled", isinstance(settled, Fraction), False)
    expect.same("and stays the same number", settled == outgrown, True)
    expect.same("and is compared", settled < outgrown + Fraction(1, 10**80), True)
    expect.same("with itself settled again", arithmetic.settle(outgrown) == settled, True)
    check_value(expect, "the settled number", (settled, value), arithmetic, 25)
    check_value(expect, "its square and more", (settled * settled + 1, value * value + 1), arithmetic, 25)
    short = Fraction(10**8, 3)
    expect.true("a short number stays", arithmetic.settle(short) is short)
    logits = [arithmetic.exp(Fraction(p, 7)) for p in (1, -2, 3)]
    plain = [context.exp(number(Fraction(p, 7))) for p in (1, -2, 3)]
    total, whole = sum(logits, Fraction(0)), sum(plain)
    for power in (-3, -2, -1, 2, 3):
        check_value(expect, f"a sum to the power {power}", (total**power, whole**power), arithmetic, 25)
        check_value(expect, f"a term to the power {power}", (logits[1] ** power, plain[1] ** power), arithmetic, 25)
    for one, mass in zip(logits, plain, strict=True):
        check_value(expect, "a softmax mass", (one / total, mass / whole), arithmetic, 25)
        check_value(expect, "its logarithm", (arithmetic.log(one / total), context.log(mass / whole)), arithmetic, 25)
        check_value(expect, "its root", (arithmetic.sqrt(one / total), context.sqrt(mass / whole)), arithmetic, 25)
    expect.same("masses over one sum are compared", logits[0] / total < logits[2] / total, True)
    expect.same("over negative sums too", logits[0] / (1 - total) < logits[2] / (1 - total), False)
    expect.same("a text of an exact number", arithmetic.text(Fraction(1, 3)), exact_text(Fraction(1, 3)))
    check_budgets(expect)
    check_denominators(expect)


def check_budgets(expect: Expectations) -> None:
    """A number of exactly as many digits as the budget is still held exactly, one of one more is not."""
    for length in (7, 8, 20):
        fits = next(Fraction(10**n) for n in range(2, 40) if digits(Fraction(10**n)) == length)
        settled = EnclosureArithmetic(max_digits=length).settle(fits)
        expect.true(f"{length} digits of {length}", settled is fits)
        expect.true(f"{length} exact digits of {length}", ExactArithmetic(length).settle(fits) is fits)
        expect.same("one more", isinstance(EnclosureArithmetic(max_digits=length - 1).settle(fits), Fraction), False)
        expect.refused("one more, exactly", DigitBudgetExceeded, lambda: ExactArithmetic(length - 1).settle(fits))


def check_denominators(expect: Expectations) -> None:
    """Masses over one denominator, one of them within exp(-400000) of 1: only without denominators do they differ."""
    arithmetic = EnclosureArithmetic(max_bits=64)
    weights = [arithmetic.exp(Fraction(n)) for n in (400_000, 1, -1)]
    first, second, third = (weight / sum(weights) for weight in weights)
    nothing = first - 1 + second + third
    for what, number_, sign in (
        ("m1 - 1", first - 1, -1), ("1 - m1", 1 - first, 1), ("1 - m1 - m2", 1 - first - second, 1),
        ("m1 - 1 + m2", first - 1 + second, -1), ("m1 - 1 + m2 + m3", nothing, 0),
        ("1 - m1 - 2 m2", 1 - first - 2 * second, -1),
        ("1 - m1 - m2 - m3 + m2", 1 - first - third, 1), ("m2 - m3", second - third, 1),
        ("m3 - m2", third - second, -1),
    ):  # fmt: skip
        expect.same(f"the sign of {what}", number_.sign(), sign)
        expect.same(f"{what} < 0", number_ < 0, sign < 0)
        expect.same(f"{what} > 0", number_ > 0, sign > 0)
        expect.same(f"{what} == 0", number_ == 0, sign == 0)
    small, below = arithmetic.exp(Fraction(-1000)), 1 - arithmetic.exp(Fraction(1))
    for what, left, right in (
        ("over a negative sum", (below + small) / below, 1), ("over its square", 1 / below**2, (1 + small) / below**2),
        ("over its cube", (1 + small) / below**3, 1 / below**3),
        ("over both", 1 / below + (1 + small) / below**2, 1 / below + (1 + 2 * small) / below**2),
    ):  # fmt: skip
        expect.same(f"{what}: less", left < right, True)
        expect.same(f"{what}: not more", left > right, False)
    expect.refused("one over 0", ZeroDivisionError, lambda: 1 / nothing)
    expect.refused("the logarithm of 0", ValueError, lambda: arithmetic.log(nothing), "positive")
    expect.same("the root of 0", arithmetic.sqrt(nothing), 0)
