from fractions import Fraction

import pytest
from grpocheck.core.arithmetic import (
    DigitBudgetExceeded,
    EnclosureArithmetic,
    ExactArithmetic,
    digits,
    exact_text,
    parse_exact,
)
from grpocheck.core.arithmetic.decimals import integer_text
from grpocheck.core.arithmetic.notation import degree, working_digits
from grpocheck.core.arithmetic.surd import square_root_of_rational as root
from hypothesis import given
from hypothesis import strategies as st


@given(st.fractions())
def test_rationals_are_written_as_python_writes_them(value):
    assert exact_text(value) == str(value)
    assert parse_exact(str(value)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.2", Fraction(1, 5)),
        ("-3", Fraction(-3)),
        ("+3/6", Fraction(1, 2)),
        ("1.5e-3", Fraction(3, 2000)),
        ("2E2", Fraction(200)),
        ("sqrt(9/4)", Fraction(3, 2)),
        ("1/2 - 3/10*sqrt(2)", Fraction(1, 2) - Fraction(3, 10) * root(Fraction(2))),
        ("-sqrt(2)+1", 1 - root(Fraction(2))),
        ("1.5e-3*sqrt(2)", Fraction(3, 2000) * root(Fraction(2))),
        ("2e-3 - sqrt(8)", Fraction(1, 500) - 2 * root(Fraction(2))),
    ],
)
def test_text_is_read_exactly(text, value):
    assert parse_exact(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "x", "1/0", "1/0*sqrt(2)", "1 2", "--1", "1/2/3", "sqrt(2", "sqrt(-2)", "2*3", "nan", "inf", "1e999999",
     "0x10", "1_000", "2e - 3", "1 + sqrt(2) +", "\u0663", "sqrt()", "1.", ".5", "sqrt(1/0)"],
)
def test_other_text_is_refused_by_name(text):
    with pytest.raises(ValueError, match=r"expected a number|denominator is 0"):
        parse_exact(text)


def test_the_refusal_names_the_text():
    with pytest.raises(ValueError, match="'three halves': expected a number such as 3, -3/5"):
        parse_exact("three halves")


def test_long_numbers_are_written_and_read():
    # Python itself refuses to convert more than 4300 digits.
    for number in (10**5000, 10**5000 - 1, -(7**9000), 10**8000 + 10**4000):
        text = integer_text(number)
        assert parse_exact(text) == number
        assert len(text.lstrip("-")) == digit_count(abs(number))


def digit_count(number):
    count = 0
    while number >= 10**1000:
        number //= 10**1000
        count += 1000
    return count + len(str(number))


def test_reading_stops_at_a_million_digits():
    with pytest.raises(ValueError, match="1000000"):
        parse_exact("1" * 1_000_001)


@given(st.integers(1, 10**60), st.integers(1, 10**60))
def test_digits_are_counted_to_one_each(numerator, denominator):
    value = Fraction(numerator, denominator)
    written = len(str(value.numerator)) + len(str(value.denominator))
    assert written <= digits(value) <= written + 2


def test_the_degree_is_that_of_the_field():
    r2, r3, r6 = root(Fraction(2)), root(Fraction(3)), root(Fraction(6))
    r5, r10 = root(Fraction(5)), root(Fraction(10))
    assert [degree(x) for x in (1 + r6, r2 + r3, 1 + r2 + r3 + r6, r10 + r6)] == [2, 4, 4, 4]
    assert degree(r2 + r5 + r3) == 8


def test_the_budget_counts_the_reciprocal():
    x = 1 + sum((root(Fraction(p)) for p in (2, 3, 5, 7, 11, 13)), Fraction(0))
    inverse = 1 / x
    assert digits(inverse) > 20 * digits(x)
    assert working_digits(x) >= digits(inverse) / 2


def test_the_digit_budget_is_enforced():
    long = Fraction(10**60 + 1, 10**60)
    assert ExactArithmetic(200).settle(long) is long
    with pytest.raises(DigitBudgetExceeded) as exceeded:
        ExactArithmetic(100).settle(long)
    assert exceeded.value.budget == 100
    assert 121 <= exceeded.value.digits <= 125
    assert EnclosureArithmetic(200).settle(long) is long
    assert EnclosureArithmetic(100).settle(long) is not long
