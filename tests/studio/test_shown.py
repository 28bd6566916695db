"""Numbers for people: what is exact stands as it is, what is rounded says so."""

import json
from fractions import Fraction as F

import pytest
from grpocheck.core.arithmetic import EnclosureArithmetic, ExactArithmetic, Scalar
from grpocheck.verifier.studio import mathml
from grpocheck.verifier.studio.shown import shown


@pytest.mark.parametrize(
    ("value", "exact", "decimal", "rounded"),
    [
        (F(3, 5), "3/5", "0.6", False),
        (F(-4), "-4", "-4", False),
        (F(1, 3), "1/3", "0.333333", True),
        (F(1, 128), "1/128", "0.0078125", False),
        (F(2, 3) * 10**12, "2000000000000/3", "6.66667e+11", True),
        (F(0), "0", "0", False),
    ],
)
def test_a_rational_has_its_text_and_its_decimals(value: F, exact: str, decimal: str, rounded: bool) -> None:
    found = shown(value)
    assert (found.exact, found.decimal, found.rounded) == (exact, decimal, rounded)


def test_a_root_is_rounded_to_six_digits() -> None:
    root = ExactArithmetic().sqrt(F(2))
    assert (shown(root).exact, shown(root).decimal) == ("sqrt(2)", "1.41421")
    assert shown(root).rounded


def test_a_logarithm_shows_its_expression_and_stands_in_a_formula_by_its_decimals() -> None:
    value = EnclosureArithmetic().log(F(8, 5)) / 10  # log 1.6 = 0.4700036...
    found = shown(value)
    assert (found.exact, found.decimal, found.short) == ("1/10*log(8/5)", "0.0470004", None)
    assert mathml.number(found) == "<mn>0.0470004</mn>"


def test_a_long_rational_stands_in_a_formula_by_its_decimals() -> None:
    value = F(10**30 + 1, 3 * 10**30)
    assert shown(value).short is None
    assert mathml.number(shown(value)) == "<mn>0.333333</mn>"


def test_a_number_is_typeset_as_a_fraction_and_roots() -> None:
    value = F(1, 2) - ExactArithmetic().sqrt(F(2)) * F(3, 10)
    assert mathml.number(shown(value)) == (
        "<mrow><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac></mrow><mo>−</mo>"
        "<mrow><mfrac><mrow><mn>3</mn></mrow><mrow><mn>10</mn></mrow></mfrac><msqrt><mn>2</mn></msqrt></mrow></mrow>"
    )


@pytest.mark.parametrize("value", [F(10) ** 400, -F(10) ** 400, F(10) ** 400 + ExactArithmetic().sqrt(F(2))])
def test_what_no_float_holds_is_still_json(value: Scalar) -> None:
    drawn = shown(value).to_mapping()["drawn"]
    assert abs(drawn) > 1e308
    assert json.loads(json.dumps(drawn, allow_nan=False)) == drawn
    assert (drawn > 0) == (shown(value).decimal[0] != "-")


def test_a_negative_factor_is_in_brackets() -> None:
    assert mathml.bracketed(shown(F(-1))) == (
        "<mrow><mo>(</mo><mrow><mrow><mo>−</mo><mn>1</mn></mrow></mrow><mo>)</mo></mrow>"
    )


def test_what_a_person_named_cannot_become_markup() -> None:
    assert mathml.words("<b>&") == "<mtext>&lt;b&gt;&amp;</mtext>"
