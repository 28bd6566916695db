"""W1: what each supplied arithmetic accepts, answers and refuses, and its settings written and read."""

from fractions import Fraction
from typing import Any

from grpocheck.core.arithmetic import (
    DigitBudgetExceeded,
    EnclosureArithmetic,
    ExactArithmetic,
    MpArithmetic,
    NotExact,
    UndecidedComparison,
    digits,
)
from grpocheck.core.arithmetic.automatic import AutomaticArithmetic
from grpocheck.core.arithmetic.choice import arithmetic_named, arithmetic_of, settings_of
from grpocheck.core.arithmetic.surd import square_root_of_rational
from grpocheck.core.invalid import InvalidProblem
from grpocheck.proofs.digits import context, number
from grpocheck.proofs.groundwork.expectations import Expectations, groundwork


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
