"""mpmath and python-flint enclose the same numbers, and what is printed does not tell which of them did."""

import decimal
import os
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import mpmath
import pytest
from grpocheck.core.arithmetic import EnclosureArithmetic, Surd, balls, enclose, intervals, parse_exact
from grpocheck.core.arithmetic import engine as choice
from grpocheck.core.arithmetic.enclosing import undecided_bounds
from grpocheck.core.arithmetic.engine import SWITCH, engine, named
from grpocheck.core.arithmetic.nodes import refine
from grpocheck.core.invalid import InvalidProblem
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath.libmp import from_man_exp, fzero, to_rational

pytest.importorskip("flint")
HOUSE = Path(__file__).resolve().parents[2]
BOTH = {"mpmath": intervals, "flint": balls}
rationals = st.fractions(min_value=-50, max_value=50, max_denominator=10**6)
positive = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6, max_denominator=10**6)
precisions = st.sampled_from([20, 64, 128, 700])


@pytest.fixture
def in_turn() -> Iterator[Any]:
    """Names of engines, each in use while its turn is; what was in use before comes back."""
    before = engine.name

    def turns() -> Iterator[str]:
        for name in BOTH:
            engine.load(name)
            yield name

    yield turns
    engine.load(before)


def ends(library: str, enclosure: Any) -> tuple[Fraction, Fraction]:
    lower, upper = (Fraction(*map(int, to_rational(end))) for end in BOTH[library].ends(enclosure))
    return lower, upper


def each_holds_the_middle_of_the_other(work: Any, bits: int) -> None:
    """The middle of one at many more bits, which is all but the number itself, lies in the other at ``bits``."""
    for mine, other in (("mpmath", "flint"), ("flint", "mpmath")):
        lower, upper = ends(mine, work(BOTH[mine], bits))
        exactly = ends(other, work(BOTH[other], 4 * bits + 200))
        assert lower <= sum(exactly) / 2 <= upper
        assert upper - lower <= max(abs(lower), abs(upper), 1) * Fraction(2) ** (20 - bits)


@settings(deadline=None)
@given(rationals, precisions)
def test_exponentials(value: Fraction, bits: int) -> None:
    each_holds_the_middle_of_the_other(lambda by, at: by.exp_interval(by.exact_interval(value / 8, at), at), bits)


@settings(deadline=None)
@given(positive, st.integers(-9, 9).filter(bool), precisions)
def test_logarithms_roots_and_powers(value: Fraction, power: int, bits: int) -> None:
    each_holds_the_middle_of_the_other(lambda by, at: by.log_interval(by.exact_interval(value, at), at), bits)
    each_holds_the_middle_of_the_other(lambda by, at: by.sqrt_interval(by.exact_interval(value, at), at), bits)
    near_one = 1 + value / 10**6
    each_holds_the_middle_of_the_other(
        lambda by, at: by.power_interval(by.exact_interval(near_one, at), power, at), bits
    )


@settings(deadline=None)
@given(st.lists(st.lists(rationals, min_size=1, max_size=3), min_size=1, max_size=4), precisions)
def test_sums_of_products(products: list[list[Fraction]], bits: int) -> None:
    def work(by: Any, at: int) -> Any:
        return by.sum_of_products([[by.exact_interval(one, at) for one in factors] for factors in products], at)

    for name in BOTH:
        lower, upper = ends(name, work(BOTH[name], bits))
        exactly = sum(prod(factors) for factors in products)
        assert lower <= exactly <= upper
        assert upper - lower <= Fraction(10**6) * 50 * Fraction(2) ** (4 - bits)


def test_balls_keep_the_sign_that_one_of_two_enclosures_shows() -> None:
    wide, narrow = balls.flint.arb(10, 9.5), balls.flint.arb(0.25, 0.5)
    assert balls.sign_of(wide) == 1
    assert balls.sign_of(narrow) is None
    assert balls.intersection(wide, narrow) is wide
    assert balls.intersection(narrow, wide) is wide
    assert balls.intersection(wide, balls.flint.arb(2, 1)).rad() < 2
    assert balls.intersection(balls.flint.arb(2, 1), wide).rad() < 2


def test_the_precision_of_the_process_is_left_as_it_was() -> None:
    balls.flint.ctx.prec = 77
    balls.sum_of_products([[balls.exact_interval(Fraction(1, 3), 500)] * 2], 500)
    assert balls.flint.ctx.prec == 77


def test_ends_of_balls_are_exact_near_and_far() -> None:
    thin = balls.flint.arb((1, 0), (1, -300))
    assert ends("flint", thin) == (1 - Fraction(1, 2**300), 1 + Fraction(1, 2**300))
    assert ends("flint", balls.point(from_man_exp(-5, -3))) == (Fraction(-5, 8), Fraction(-5, 8))
    assert ends("flint", balls.point(fzero)) == (0, 0)
    lower, upper = balls.ends(balls.exp_interval(balls.exact_interval(-(2**60), 64), 64))
    # exp(-2^60) = 2^(-2^60 / log 2), and 1 / log 2 = 1.4426950408889634...
    assert abs(lower[2] + lower[3] + Fraction("1.4426950408889634074") * 2**60) < 2
    assert abs(upper[2] + upper[3] + Fraction("1.4426950408889634074") * 2**60) < 2


def made(seed: int, arithmetic: EnclosureArithmetic) -> tuple[Any, Any]:
    """A number of exps, logs and roots with its value by mpmath at 90 digits."""
    random = Random(seed)
    context = mpmath.mp

    def leaf() -> tuple[Any, Any]:
        value = Fraction(random.randrange(1, 400), random.randrange(1, 60))
        number = context.mpf(value.numerator) / value.denominator
        kind = random.choice(("exp", "log", "sqrt", "exact"))
        if kind == "exp":
            return arithmetic.exp(value / 20), context.exp(number / 20)
        if kind == "log":
            return arithmetic.log(1 + value), context.log(1 + number)
        return (arithmetic.sqrt(value), context.sqrt(number)) if kind == "sqrt" else (value, number)

    scalar, number = leaf()
    for _ in range(random.randrange(2, 6)):
        other, plain = leaf()
        operation = random.choice("+-*/")
        if operation == "+":
            scalar, number = scalar + other, number + plain
        elif operation == "-":
            scalar, number = scalar - other, number - plain
        elif operation == "*":
            scalar, number = scalar * other, number * plain
        else:
            scalar, number = scalar / other, number / plain
    return scalar, number


def rounded(number: Any, digits: int, rounding: str) -> Fraction:
    """A number of 90 digits rounded to fewer by Python's decimal module."""
    text = mpmath.nstr(number, 85)
    return Fraction(decimal.Context(prec=digits, rounding=rounding).create_decimal(decimal.Decimal(text)))


def test_both_print_floor_and_ceiling(in_turn: Any) -> None:
    texts = set()
    for name in in_turn():
        printed = []
        for seed in range(60):
            with mpmath.workdps(90):
                scalar, number = made(seed, EnclosureArithmetic())
                if isinstance(scalar, Fraction):
                    continue
                if seed % 2 and not isinstance(scalar, Surd):
                    refine(scalar, 1000)  # what is known of the number already does not matter
                lower, upper = enclose(scalar, 28)
                assert Fraction(lower) == rounded(number, 30, decimal.ROUND_FLOOR), (name, seed)
                assert Fraction(upper) == rounded(number, 30, decimal.ROUND_CEILING), (name, seed)
                printed.append((lower, upper))
        assert len(printed) > 50
        texts.add(tuple(printed))
    assert len(texts) == 1


def test_what_is_a_decimal_but_not_known_to_be_has_its_neighbours(in_turn: Any) -> None:
    for _ in in_turn():
        a = EnclosureArithmetic()
        zero = a.log(Fraction(6)) - a.log(Fraction(2)) - a.log(Fraction(3))
        assert enclose(zero, 4) == ("-0.00001", "0.00001")
        assert enclose(zero + Fraction(1, 4), 4) == ("0.249999", "0.250001")
        assert enclose(zero + 1000, 4) == ("999.999", "1000.01")
        assert enclose(zero - 1000, 4) == ("-1000.01", "-999.999")
        assert enclose(zero + Fraction(999999, 1000), 4) == ("999.998", "1000")
        # close to a decimal on either side, and told from it by enough bits
        assert enclose(a.exp(-700) + Fraction(1, 4), 4) == ("0.25", "0.250001")
        assert enclose(Fraction(1, 4) - a.exp(-700), 4) == ("0.249999", "0.25")
        assert enclose(1 - a.exp(-700), 4) == ("0.999999", "1")
        assert enclose(a.exp(-700) - 1, 4) == ("-1", "-0.999999")
        # a rational kept as one atom is written as the rational that it is
        settled = EnclosureArithmetic(max_digits=2).settle(Fraction(3125, 10**6))
        assert enclose(settled, 6) == ("0.003125", "0.003125")
        assert enclose(parse_exact("2*sqrt(2)"), 4) == ("2.82842", "2.82843")


def test_too_little_is_known_of_a_number(in_turn: Any) -> None:
    for _ in in_turn():
        a = EnclosureArithmetic(max_bits=64)
        unknown = (a.log(Fraction(6)) - a.log(Fraction(2)) - a.log(Fraction(3))) * Fraction(10) ** 3000
        with pytest.raises(ArithmeticError, match="no enclosure to 20 digits"):
            enclose(unknown, 20, 64)
        with pytest.raises(ArithmeticError, match="no enclosure to 20 digits"):
            enclose(unknown + Fraction(10) ** 2950, 20, 64)
        assert enclose(a.exp(-a.exp(100)), 4) == ("-0.00001", "0.00001")  # beyond what mpmath can hold
    with pytest.raises(ArithmeticError, match="at 8 bits"):
        undecided_bounds((from_man_exp(1, 0), from_man_exp(2, 0)), 3, 8)


def test_the_library_is_chosen_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert named(None) == named("flint") == "flint"
    assert named("mpmath") == "mpmath"
    monkeypatch.setenv(SWITCH, "")
    assert choice.Engine().name == "flint"
    with pytest.raises(InvalidProblem, match=r"GRPOCHECK_ENCLOSURES.*arb.*mpmath or flint"):
        named("arb")
    monkeypatch.setattr(choice, "find_spec", lambda name: None)
    assert named(None) == "mpmath"
    with pytest.raises(InvalidProblem, match="python-flint is not installed"):
        named("flint")


WITHOUT = """
import sys
sys.modules["flint"] = None
import importlib, pkgutil
import grpocheck.core
for found in pkgutil.walk_packages(grpocheck.core.__path__, "grpocheck.core."):
    importlib.import_module(found.name)
from grpocheck.core.arithmetic import EnclosureArithmetic, engine
print(EnclosureArithmetic(digits=6).text(EnclosureArithmetic().exp(1)), engine.engine.name)
"""


def test_core_works_without_python_flint() -> None:
    found = subprocess.run([sys.executable, "-c", WITHOUT], cwd=HOUSE, capture_output=True, text=True, check=True)
    assert found.stdout == "['2.7182818', '2.7182819'] mpmath\n"


PROBLEM = """
group_size = 4
outer_iterations = 2
inner_steps = 2
epsilon = 0.2
beta = 0.04
step_size = 0.5
theta = [0, 0.5, -0.25]
family = "softmax"
[[prompts]]
name = "q"
responses = ["a", "b", "c"]
rewards = [1, 0.5, 0]
reference = [0.25, 0.5, 0.25]
[draws]
seed = 7
"""


def command(library: str, *arguments: str, contracts: str = "on") -> str:
    switched = {**os.environ, SWITCH: library, "GRPOCHECK_CONTRACTS": contracts}
    done = subprocess.run(
        [sys.executable, "-m", "grpocheck", *arguments], env=switched, cwd=HOUSE, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def test_a_trace_of_one_library_replays_and_checks_with_the_other(tmp_path: Path) -> None:
    problem = tmp_path / "softmax.toml"
    problem.write_text(PROBLEM, encoding="utf-8")
    traces = {library: tmp_path / f"{library}.jsonl" for library in BOTH}
    for library, trace in traces.items():
        command(library, "run", str(problem), "--trace", str(trace), contracts="on" if library == "flint" else "off")
    lines = [trace.read_text(encoding="utf-8").splitlines() for trace in traces.values()]
    assert any('["' in line for line in lines[0])  # bounds are in it
    assert lines[0] == lines[1]
    command("mpmath", "replay", str(traces["flint"]))
    command("flint", "check", str(traces["mpmath"]))
