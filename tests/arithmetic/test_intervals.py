from fractions import Fraction

import pytest
from grpocheck.core.arithmetic.enclosing import enclose, neighbours, point_text
from grpocheck.core.arithmetic.intervals import (
    exact_interval,
    exp_interval,
    intersection,
    log_interval,
    power_interval,
    sign_of,
    sqrt_interval,
    widened,
)
from grpocheck.core.arithmetic.surd import square_root_of_rational
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath.libmp import finf, fninf, from_man_exp, fzero, mpf_le, mpf_neg, mpi_log, to_rational

flint = pytest.importorskip("flint")

precisions = st.sampled_from([1, 2, 10, 53, 64, 128, 700, 2000])
mantissas = st.integers(-(2**70), 2**70)


def rational(raw):
    return Fraction(*map(int, to_rational(raw)))


def ball(value):
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def holds(interval, function, argument, bits):
    """Arb's own certified ball for the function lies inside the interval, up to Arb's far smaller radius."""
    flint.ctx.prec = bits + 400
    value = getattr(ball(argument), function)()
    return ball(rational(interval[0])) <= value and value <= ball(rational(interval[1]))


@given(mantissas, st.integers(-160, -62), precisions)
def test_exponentials_are_enclosed(mantissa, exponent, bits):
    raw = from_man_exp(mantissa, exponent)
    interval = exp_interval((raw, raw), bits)
    assert holds(interval, "exp", rational(raw), bits) or mantissa == 0
    assert rational(interval[1]) - rational(interval[0]) <= rational(interval[1]) * Fraction(4, 2**bits)


@given(mantissas.map(lambda n: abs(n) + 2), st.integers(-160, 160), precisions)
def test_logarithms_are_enclosed(mantissa, exponent, bits):
    raw = from_man_exp(mantissa, exponent)
    interval = log_interval((raw, raw), bits)
    assert holds(interval, "log", rational(raw), bits) or rational(raw) == 1


# Numbers with few bits on, where reductions of the argument leave almost nothing or almost a whole.
sparse = st.lists(st.tuples(st.sampled_from([-1, 1]), st.integers(-700, 6)), min_size=1, max_size=3).map(
    lambda bits: sum(sign * Fraction(2) ** place for sign, place in bits)
)


@given(sparse, precisions)
@example(-Fraction(2**39 + 1, 2**77), 53)  # exp lies 2**-116 above 1 - 2**-38
def test_sparse_numbers_are_enclosed(value, bits):
    raw = from_man_exp(value.numerator, 1 - value.denominator.bit_length())
    assert rational(raw) == value
    assert value == 0 or holds(exp_interval((raw, raw), bits), "exp", value, bits + 800)
    if value > 0 and value != 1:
        assert holds(log_interval((raw, raw), bits), "log", value, bits + 800)


@pytest.mark.parametrize("bits", [1, 30, 64, 1000])
@pytest.mark.parametrize("place", [-3, -2, -1, 0, 1, 2])
@pytest.mark.parametrize("distance", [10, 70, 100, 130, 1100, 3000])
@pytest.mark.parametrize("sign", [-1, 1])
def test_logarithms_next_to_powers_of_two_are_enclosed(bits, place, distance, sign):
    value = Fraction(2) ** place + sign * Fraction(1, 2**distance)
    raw = from_man_exp(value.numerator, 1 - value.denominator.bit_length())
    assert holds(log_interval((raw, raw), bits), "log", value, bits + 6000)


@given(st.integers(1, 2**70), st.integers(60, 400), precisions)
def test_logarithms_next_to_one_are_enclosed(mantissa, exponent, bits):
    # 0 < e < 1: e - e^2/2 < log(1 + e) < e, and the distances are below e^2.
    e = Fraction(mantissa, 2 ** (exponent + 80))
    raw = from_man_exp(2 ** (exponent + 80) + mantissa, -exponent - 80)
    lower, upper = (rational(end) for end in log_interval((raw, raw), bits))
    assert lower <= e - e * e / 2 + e**3 / 3
    assert upper >= e - e * e / 2


def test_the_library_logarithm_alone_would_miss():
    # Why log_interval moves its bounds: log(1 + 2^-200) < 2^-200, which mpmath 1.4 gives as the lower bound.
    raw = from_man_exp(2**200 + 1, -200)
    assert rational(log_interval((raw, raw), 100)[0]) < Fraction(1, 2**200) - Fraction(1, 2**402)
    assert rational(mpi_log((raw, raw), 100)[0]) <= Fraction(1, 2**200)


@given(st.integers(1, 2**200), st.integers(-300, 300), precisions)
def test_square_roots_are_enclosed(mantissa, exponent, bits):
    raw = from_man_exp(mantissa, exponent)
    lower, upper = (rational(end) for end in sqrt_interval((raw, raw), bits))
    assert lower**2 <= rational(raw) <= upper**2


@given(st.fractions(), st.fractions(), st.integers(-6, 6).filter(bool), precisions)
def test_powers_are_enclosed(first, second, exponent, bits):
    ends = exact_interval(min(first, second), bits)[0], exact_interval(max(first, second), bits)[1]
    power = power_interval(ends, exponent, bits)
    for base in (first, second, (first + second) / 2):
        if base != 0 or exponent > 0:
            value = exact_interval(base**exponent, 5000)
            assert mpf_le(power[0], value[1])
            assert mpf_le(value[0], power[1])
    if exponent < 0 and sign_of(ends) not in (-1, 1):
        assert finf in power or fninf in power


@given(st.fractions(), precisions)
def test_rationals_are_enclosed(value, bits):
    lower, upper = (rational(end) for end in exact_interval(value, bits))
    assert lower <= value <= upper
    assert upper - lower <= abs(value) * Fraction(2, 2**bits) or abs(value) < 256


@given(st.integers(2, 10**30), st.integers(1, 100), st.integers(-(10**15), 10**15), precisions)
def test_surds_are_enclosed_to_a_relative_precision(radicand, coefficient, whole, bits):
    value = coefficient * square_root_of_rational(Fraction(radicand)) - whole
    lower, upper = (rational(end) for end in exact_interval(value, bits))
    assert lower <= value <= upper
    assert upper - lower <= max(abs(lower), abs(upper)) * Fraction(8, 2**bits)


def test_exponentials_beyond_the_limit_are_bounded_on_one_side():
    beyond = from_man_exp(1, 70)
    lower, upper = exp_interval((mpf_neg(beyond), beyond), 53)
    assert (lower, upper) == (fzero, finf)
    lower, upper = exp_interval((beyond, beyond), 53)
    assert upper == finf
    # log2(exp(2**64)) = 2**64 / log(2) = 1.44269504088896340735 * 2**64
    assert abs(Fraction("1.44269504088896340736") * 2**64 - (lower[2] + lower[3])) < 3
    lower, upper = exp_interval((mpf_neg(beyond), mpf_neg(beyond)), 53)
    assert lower == fzero
    assert abs(Fraction("1.44269504088896340736") * 2**64 + (upper[2] + upper[3])) < 3


def test_bounds_are_moved_by_a_unit_beyond_the_precision():
    third = from_man_exp(0x5555555555, -40)
    lower, upper = (rational(end) for end in widened(third, third, 20))
    assert 0 < rational(third) - lower < Fraction(1, 2**20)
    assert 0 < upper - rational(third) < Fraction(1, 2**20)
    lower, upper = (rational(end) for end in widened(third, third, 60))
    assert rational(third) - lower == upper - rational(third) == Fraction(1, 2**61)  # 1/3 has its 60th bit there


def test_signs_and_intersections():
    interval = exact_interval(Fraction(1, 3), 20)
    assert sign_of(interval) == 1
    assert sign_of((interval[0], interval[0])) == 1
    assert sign_of(exact_interval(Fraction(-1, 3), 20)) == -1
    assert sign_of((exact_interval(-1, 5)[0], interval[1])) is None
    assert sign_of(exact_interval(0, 5)) == 0
    assert intersection(exact_interval(Fraction(1, 3), 5), interval) == interval


@given(st.fractions(), st.integers(1, 40))
def test_decimal_bounds_are_tight(value, digits):
    lower, upper = (Fraction(bound) for bound in enclose(value, digits))
    assert lower <= value <= upper
    assert upper - lower <= abs(value) * Fraction(1, 10**digits)


@pytest.mark.parametrize(
    ("integer", "place", "text"),
    [(12345, 2, "123.45"), (-5, 1, "-0.5"), (100, 0, "100"), (3, 7, "3e-7"), (31, 6, "0.000031"), (25, -30, "2.5e31"),
     (1200, 2, "12"), (-70, -25, "-7e26")],
)
def test_decimal_notation(integer, place, text):
    assert point_text(integer, place) == text


@given(st.integers(1, 10**20), st.sampled_from([-30_000, 30_000, -10**9, 10**12]), st.booleans())
def test_decimals_of_extreme_exponents(mantissa, exponent, negative):
    flint.ctx.prec = 300
    raw = from_man_exp(-mantissa if negative else mantissa, exponent)
    texts = neighbours((raw, raw), 15, 100)
    assert texts is not None
    true = flint.arb(mantissa).log() + flint.arb(2).log() * exponent
    logs = []
    for text in texts:
        digits, power = text.lstrip("-").split("e")
        logs.append(ball(Fraction(digits)).log() + flint.arb(10).log() * int(power))
        assert text.startswith("-") == negative
    smaller, larger = reversed(logs) if negative else logs
    assert smaller <= true
    assert true <= larger
    assert larger - smaller < flint.arb(10) ** -12
