from fractions import Fraction

import mpmath
import pytest
from grpocheck.core.arithmetic import (
    EnclosureArithmetic,
    ExactArithmetic,
    MpArithmetic,
    NotExact,
    Surd,
    digits,
)
from hypothesis import given
from hypothesis import strategies as st

ARITHMETICS = [ExactArithmetic(), EnclosureArithmetic(), MpArithmetic(40)]
each = pytest.mark.parametrize("arithmetic", ARITHMETICS, ids=lambda arithmetic: arithmetic.name)


@each
@given(left=st.fractions(), right=st.fractions())
def test_order_of_rationals(arithmetic, left, right):
    x, y = arithmetic.number(left), arithmetic.number(right)
    assert arithmetic.less(x, y) == (left < right)
    assert arithmetic.equal(x, y) == (left == right)
    assert arithmetic.minimum(x, y) == arithmetic.number(min(left, right))
    assert arithmetic.maximum(x, y) == arithmetic.number(max(left, right))
    assert arithmetic.settle(x) == x


@each
def test_exact_values(arithmetic):
    assert arithmetic.sqrt(arithmetic.number(Fraction(9, 4))) == Fraction(3, 2)
    assert arithmetic.sqrt(0) == 0
    assert arithmetic.log(1) == 0
    assert arithmetic.exp(0) == 1


@each
@pytest.mark.parametrize("value", [0.5, True, "1/2", None, float("nan"), 1j])
def test_what_is_no_rational_is_refused(arithmetic, value):
    with pytest.raises(TypeError, match=r"expected an int or a fractions\.Fraction"):
        arithmetic.number(value)
    assert not arithmetic.holds(value)


@each
def test_roots_and_logarithms_outside_their_domain_are_refused(arithmetic):
    for call, value in ((arithmetic.sqrt, -1), (arithmetic.log, 0), (arithmetic.log, -1)):
        with pytest.raises((ValueError, AssertionError, ArithmeticError)):
            call(value)


def test_who_holds_what():
    exact, enclosure, mp = ARITHMETICS
    r2, e = exact.sqrt(2), enclosure.exp(1)
    point = mp.number(Fraction(1, 3))
    assert [a.holds(r2) for a in ARITHMETICS] == [True, True, False]
    assert [a.holds(e) for a in ARITHMETICS] == [False, True, False]
    assert [a.holds(point) for a in ARITHMETICS] == [False, False, True]
    assert [a.holds(Fraction(1, 3)) for a in ARITHMETICS] == [True, True, True]
    assert not mp.holds(mp.context.inf)
    assert not mp.holds(mp.context.nan)
    assert not mp.holds(mpmath.mpf(1))
    with pytest.raises(ArithmeticError, match="expected a finite number"):
        mp.settle(mp.context.inf)


def test_exact_arithmetic_says_which_other_to_use():
    exact = ExactArithmetic()
    for call in (lambda: exact.log(2), lambda: exact.exp(1), lambda: exact.sqrt(exact.sqrt(Fraction(2)))):
        with pytest.raises(NotExact, match="enclosure"):
            call()


def test_simplex_heights_stay_exact_within_the_budget():
    # One outer iteration multiplies the digits of a parameter by a constant; the numbers stay in one field.
    exact = ExactArithmetic()
    theta = Fraction(1, 2)
    for _ in range(3):
        theta = exact.settle(theta + (exact.sqrt(Fraction(2)) - theta) / (theta + 1) / 10)
    assert isinstance(theta, Surd)
    assert theta.radicals == {2}
    assert 20 < digits(theta) < 2000


@each
def test_text(arithmetic):
    third = arithmetic.number(Fraction(1, 3))
    text = arithmetic.text(third)
    assert Fraction(text) == Fraction(1, 3) if arithmetic.name != "mp" else text == "0." + "3" * 40


def test_text_of_reals_is_a_pair_of_bounds():
    # e to 50 digits: 2.71828182845904523536028747135266249775724709369995 | 9574966967627724...
    e = Fraction("2.718281828459045235360287471352662497757247093699959574966967627724")
    lower, upper = EnclosureArithmetic(digits=50).text(EnclosureArithmetic().exp(1))
    assert Fraction(lower) <= e <= Fraction(upper)
    assert Fraction(upper) - Fraction(lower) < Fraction(1, 10**49)


def test_mp_has_a_context_of_its_own():
    before = mpmath.mp.dps
    mp = MpArithmetic(70)
    assert mpmath.mp.dps == before
    # ln 2 from a table.
    assert mp.text(mp.log(2)).startswith("0.693147180559945309417232121458176568075500134360255254120680009493393")
    assert MpArithmetic(20).context.dps == 20
    assert mp.context.dps == 70
