"""Ratios of a response at the three levels, roots, and the weights of token terms."""

from fractions import Fraction as F

import pytest
from grpocheck.core.arithmetic import EnclosureArithmetic, ExactArithmetic, NotExact, parse_exact
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.batch import SampledResponse, SampledToken
from grpocheck.core.variants.normalisation import Normalisation, Per, term_weights
from grpocheck.core.variants.ratios import Denominator, Level, RatioRule, ratios, root

EXACT = ExactArithmetic()


def response(*pairs, inactive=()):
    tokens = (SampledToken(F(c), F(o), F(1, 7), active=h not in inactive) for h, (c, o) in enumerate(pairs))
    return SampledResponse(tuple(tokens), (F(1),))


def test_three_levels_of_one_response():
    drawn = response(("1/2", "1/4"), ("1/4", "1/2"), ("1/2", "1/8"))  # ratios 2, 1/2, 4
    assert ratios(drawn, RatioRule(Level.TOKEN), EXACT) == (2, F(1, 2), 4)
    assert ratios(drawn, RatioRule(Level.SEQUENCE), EXACT) == (4, 4, 4)
    squared = response(("1/2", "1/4"), ("1/2", "1/16"))  # ratios 2 and 8: the root of 16
    assert ratios(squared, RatioRule(Level.GEOMETRIC), EXACT) == (4, 4)


def test_an_inactive_token_counts_nowhere():
    drawn = response(("1/2", "1/4"), ("1/3", "1/7"), ("1/2", "1/16"), inactive=(1,))
    assert drawn.length == 2
    assert ratios(drawn, RatioRule(Level.TOKEN), EXACT) == (2, 8)
    assert ratios(drawn, RatioRule(Level.GEOMETRIC), EXACT) == (4, 4)


def test_denominators():
    drawn = response(("1/2", "1/4"))
    assert ratios(drawn, RatioRule(denominator=Denominator.REFERENCE), EXACT) == (F(7, 2),)
    assert ratios(drawn, RatioRule(denominator=Denominator.CURRENT), EXACT) == (1,)
    bare = SampledResponse((SampledToken(F(1, 2), F(1, 2)),), (F(1),))
    with pytest.raises(InvalidProblem, match="reference"):
        ratios(bare, RatioRule(denominator=Denominator.REFERENCE), EXACT)


@pytest.mark.parametrize(
    ("value", "degree", "expected"),
    [("27/8", 3, "3/2"), ("2", 2, "sqrt(2)"), ("5", 1, "5"), ("1/1024", 10, "1/2"), ("1/4", 2, "1/2"), ("1", 7, "1")],
)
def test_exact_roots(value, degree, expected):
    assert root(F(value), degree, EXACT) == parse_exact(expected)


def test_a_root_that_is_not_exact_is_enclosed_and_refused_by_exact_arithmetic():
    with pytest.raises(NotExact):
        root(F(2), 3, EXACT)
    arithmetic = EnclosureArithmetic()
    found = root(F(2), 3, arithmetic)
    assert F(1259921, 10**6) < found < F(1259922, 10**6)  # 2^(1/3) = 1.25992104...
    sixth = root(F(2), 6, arithmetic)
    assert F(1122462, 10**6) < sixth < F(1122463, 10**6)  # 2^(1/6) = 1.12246204...


@pytest.mark.parametrize(
    ("normalisation", "expected"),
    [
        # two groups, lengths (2, 1) and (3, 4); H = 5
        (Normalisation(), [["1/8", "1/4"], ["1/12", "1/16"]]),
        (Normalisation(False), [["1/4", "1/4"], ["1/4", "1/4"]]),
        (Normalisation(False, Per.MAXIMUM), [["1/20", "1/20"], ["1/20", "1/20"]]),
        (Normalisation(True, Per.MAXIMUM), [["1/40", "1/20"], ["1/60", "1/80"]]),
        (Normalisation(False, Per.ALL_TOKENS), [["1/10", "1/10"], ["1/10", "1/10"]]),
        (Normalisation(False, Per.GROUP_TOKENS), [["1/6", "1/6"], ["1/14", "1/14"]]),
        (Normalisation(False, Per.CONSTANT, F(10)), [["1/40", "1/40"], ["1/40", "1/40"]]),
    ],
)
def test_weights_of_token_terms(normalisation, expected):
    assert term_weights([[2, 1], [3, 4]], normalisation, 5) == tuple(tuple(map(F, row)) for row in expected)


def test_weights_of_responses_without_active_tokens():
    assert term_weights([[0, 2]], Normalisation(), 2) == ((F(1, 2), F(1, 4)),)
    assert term_weights([[0, 0]], Normalisation(False, Per.ALL_TOKENS), 2) == ((1, 1),)


def test_a_constant_is_stated_where_it_is_used():
    for make in (
        lambda: Normalisation(False, Per.CONSTANT),
        lambda: Normalisation(False, Per.MAXIMUM, F(3)),
        lambda: Normalisation(False, Per.CONSTANT, F(0)),
    ):
        with pytest.raises(InvalidProblem, match="normalisation,constant"):
            make()
