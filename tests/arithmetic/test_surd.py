import operator
from fractions import Fraction
from math import isqrt

import pytest
from arithmetic_oracles import CONTEXT, linear, sign_of, value_of
from grpocheck.core.arithmetic import ExactArithmetic, Surd, exact_text, parse_exact
from grpocheck.core.arithmetic.surd import square_root_of_rational
from hypothesis import given
from hypothesis import strategies as st

root = square_root_of_rational


def build(terms):
    return sum((coefficient * root(radicand) for coefficient, radicand in terms), Fraction(0))


def sign(value):
    return value.sign() if isinstance(value, Surd) else (value > 0) - (value < 0)


@given(linear, linear)
def test_sums_products_and_order_agree_with_a_hundred_digits(left, right):
    x, y, u, v = build(left), build(right), value_of(left), value_of(right)
    assert sign(x) == sign_of(u)
    assert sign(x + y) == sign_of(u + v)
    assert sign(x - y) == sign_of(u - v)
    assert sign(x * y) == sign_of(u) * sign_of(v)
    assert sign(x * y - 1) == sign_of(u * v - 1)
    assert (x < y, x == y, x > y) == tuple(sign_of(u - v) == s for s in (-1, 0, 1))
    assert (x <= y) == (sign_of(u - v) <= 0)
    assert (x >= y) == (sign_of(u - v) >= 0)


@given(linear, linear, linear)
def test_field_axioms(a, b, c):
    x, y, z = build(a), build(b), build(c)
    assert (x + y) + z == x + (y + z)
    assert x * (y + z) == x * y + x * z
    assert (x * y) * z == x * (y * z)
    assert x - x == 0
    assert -x + x == 0
    if x != 0:
        assert x * (1 / x) == 1
        assert (y / x) * x == y
        assert x**-2 * x**2 == 1


@given(linear)
def test_equal_numbers_hash_alike_whatever_their_writing(terms):
    x = build(terms)
    doubled = build([(coefficient / 2, 4 * radicand) for coefficient, radicand in reversed(terms)])
    assert x == doubled
    assert hash(x) == hash(doubled)
    assert len({x, doubled}) == 1


def test_one_number_has_one_value_over_bases_that_share_large_primes():
    # 10007 and 10009 are primes beyond those split off, so only gcds can find them.
    product = root(Fraction(10007 * 10009))
    assert product == root(Fraction(10007)) * root(Fraction(10009))
    assert hash(product) == hash(root(Fraction(10007)) * root(Fraction(10009)))
    assert product / root(Fraction(10007)) == root(Fraction(10009))
    assert isinstance(product * root(Fraction(10007)) * root(Fraction(10009)), Fraction)
    assert root(Fraction(10007**2 * 10009)) == 10007 * root(Fraction(10009))
    assert len({product, root(Fraction(10007)) * root(Fraction(10009))}) == 1


def test_a_rational_result_is_a_plain_fraction():
    r2 = root(Fraction(2))
    assert type(r2 * r2) is Fraction
    assert type(r2 - r2) is Fraction
    assert type((1 + r2) * (1 - r2)) is Fraction
    assert type(r2 / r2) is Fraction
    assert type(r2 * 0) is Fraction
    assert type(r2**0) is Fraction
    assert root(Fraction(9, 4)) == Fraction(3, 2)
    assert type(root(Fraction(9, 4))) is Fraction


def test_square_roots_of_rationals_are_reduced():
    assert root(Fraction(12)) == 2 * root(Fraction(3))
    assert str(root(Fraction(8, 9))) == "2/3*sqrt(2)"
    assert str(Fraction(1, 2) + Fraction(3, 10) * root(Fraction(2))) == "1/2 + 3/10*sqrt(2)"
    assert str(-root(Fraction(6)) - 1) == "-1 - sqrt(6)"


@pytest.mark.parametrize("exponent", [1, 2, 7, 40, 200])
def test_signs_close_to_zero(exponent):
    # (sqrt 2 - 1)^k = a - b sqrt 2 with integers a, b: tiny, positive for every k.
    small = (root(Fraction(2)) - 1) ** exponent
    assert 0 < small < Fraction(1, 2**exponent)
    assert -small < 0
    assert (small - Fraction(1, 10 ** (2 * exponent))).sign() == 1


def test_a_root_next_to_an_integer():
    near = root(Fraction(10**40 + 1)) - 10**20
    assert near > 0
    assert near < Fraction(1, 2 * 10**20)
    # sqrt(n^2 + 1) - n = 1/(2n) - 1/(8n^3) + ...
    assert near > Fraction(1, 2 * 10**20) - Fraction(1, 8 * 10**60)
    assert root(Fraction(10**40 - 1)) - 10**20 < 0


@given(linear)
def test_written_numbers_read_back(terms):
    x = build(terms)
    assert parse_exact(exact_text(x)) == x


@given(linear, st.integers(0, 200))
def test_bounds_lie_around_the_number(terms, shift):
    x = build(terms)
    if not isinstance(x, Surd):
        return
    lower, upper, denominator = x.scaled_bounds(shift)
    scaled = value_of(terms) * denominator * CONTEXT.mpf(2) ** shift
    assert lower <= scaled <= upper
    assert upper - lower <= len(x.terms)


def test_floats_are_refused():
    r2 = root(Fraction(2))
    for operation in (operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.ge):
        with pytest.raises(TypeError):
            operation(r2, 0.5)
        with pytest.raises(TypeError):
            operation(0.5, r2)
    with pytest.raises(TypeError):
        r2**0.5
    assert r2 != 1.4142135623730951


def test_rationals_on_the_left():
    r2 = root(Fraction(2))
    assert 1 + r2 == r2 + 1
    assert Fraction(1, 2) - r2 == -(r2 - Fraction(1, 2))
    assert 2 / r2 == r2
    assert Fraction(1, 3) * r2 == r2 / 3
    assert 1 < r2 < Fraction(3, 2)
    assert Fraction(3, 2) > r2
    assert abs(1 - r2) == r2 - 1
    assert sum([r2, r2]) == 2 * r2
    assert max(Fraction(1), r2) is r2


def test_division_by_zero():
    r2 = root(Fraction(2))
    with pytest.raises(ZeroDivisionError):
        r2 / 0
    with pytest.raises(ZeroDivisionError):
        r2 / (r2 - r2)


def test_an_inverse_over_five_radicals():
    x = 1 + sum((root(Fraction(p)) for p in (2, 3, 5, 7, 11)), Fraction(0))
    inverse = 1 / x
    assert x * inverse == 1
    approximate = 1 / (1 + sum(CONTEXT.sqrt(p) for p in (2, 3, 5, 7, 11)))
    lower, upper, denominator = inverse.scaled_bounds(300)
    assert lower <= approximate * denominator * CONTEXT.mpf(2) ** 300 <= upper


def test_the_standard_deviation_of_a_group_is_exact():
    rewards = [Fraction(1), Fraction(0), Fraction(0)]
    mean = sum(rewards) / 3
    deviation = ExactArithmetic().sqrt(sum((r - mean) ** 2 for r in rewards) / 3)
    advantages = [(r - mean) / deviation for r in rewards]
    assert sum(advantages) == 0
    assert sum(a * a for a in advantages) == 3
    assert str(advantages[0]) == "sqrt(2)"  # the bound sqrt(G - 1) is attained


def test_isqrt_agrees_on_large_squares():
    n = 3**2000
    assert root(Fraction(n * n)) == n
    assert isinstance(root(Fraction(n * n + 1)), Surd)
    assert isqrt(n * n + 1) < root(Fraction(n * n + 1)) < n + 1
