"""Numbers as lessons print them, against values worked out by hand or by mpmath."""

from fractions import Fraction as F

import mpmath
import pytest
from grpocheck.core.arithmetic import EnclosureArithmetic, MpArithmetic
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.verifier.lessons.numbers import certainty, closed_form, decimals, has_short_decimals


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (F(12, 5), 8, "2.4"),
        (F(-8, 5), 8, "-1.6"),
        (F(3), 8, "3"),
        (F(0), 8, "0"),
        (F(100), 0, "100"),
        (F(-1, 3), 4, "-0.3333"),
        (F(2, 3), 4, "0.6667"),
        (F(1, 8), 2, "0.12"),  # half to even
        (F(3, 8), 2, "0.38"),
        (F(-1, 2), 0, "-0.5"),  # would be rounded to 0
        (F(5, 10**9), 8, "0.000000005"),  # the same: up to three digits are kept
        (F(1, 3 * 10**12), 4, "0.000000000000333"),
        (F(10**12), 2, "1000000000000"),
        (11, 8, "11"),
    ],
)
def test_decimals_of_rationals(value, places, text):
    assert decimals(value, places) == text


def test_decimals_of_a_logarithm_are_certain_to_the_last_one():
    arithmetic = EnclosureArithmetic()
    for argument in (F(2, 5), F(8, 5), F(10**9 + 1, 10**9), F(7)):
        with mpmath.workdps(60):
            expected = mpmath.nstr(mpmath.log(mpmath.mpf(argument.numerator) / argument.denominator), 40)
        places = len(expected.partition(".")[2]) - 12
        shown = decimals(arithmetic.log(argument), places)
        with mpmath.workdps(60):
            assert abs(mpmath.mpf(shown) - mpmath.mpf(expected)) <= mpmath.mpf(10) ** -places / 2
        assert len(shown.partition(".")[2]) == places
        assert shown.isascii()
        assert "e" not in shown


def test_a_real_that_is_rational_is_rounded_where_its_digits_are_certain():
    arithmetic = EnclosureArithmetic()
    e = arithmetic.exp(F(1))
    whole = (1 + e) * (1 + e) - 2 * e - e * e  # 1, which no enclosure can tell from its neighbours
    assert decimals(whole, 5) == "1.00000"


def test_closed_forms():
    exact, arithmetic = ExactArithmetic(), EnclosureArithmetic()
    assert closed_form(F(-8, 5)) == "-8/5"
    assert closed_form(exact.sqrt(F(1, 2))) == "1/2*sqrt(2)"
    assert closed_form(-arithmetic.log(F(5)) + F(13, 5) * arithmetic.log(F(2))) == "-log(5) + 13/5*log(2)"
    assert closed_form(exact.sqrt(F(2)) * arithmetic.log(F(3))) == "(sqrt(2))*log(3)"
    assert closed_form(sum((arithmetic.log(F(n)) for n in range(10**9, 10**9 + 9)), F(0))) is None
    assert closed_form(MpArithmetic(30).number(F(1, 3))) is None


def test_certainty_says_what_stands_behind_a_number():
    assert certainty(F(1, 3)) == certainty(2) == "exact"
    assert certainty(EnclosureArithmetic().log(F(3))) == "enclosure"
    assert certainty(MpArithmetic(30).log(F(3))) == "rounded"
    assert decimals(MpArithmetic(30).log(F(3)), 12) == "1.098612288668"


def test_short_decimals_are_the_whole_number():
    assert has_short_decimals(F(1, 8), 3)
    assert not has_short_decimals(F(1, 8), 2)
    assert not has_short_decimals(EnclosureArithmetic().log(F(3)))
