"""Supports read token by token, against an autoregressive family that is generated token by token."""

from fractions import Fraction as F

import pytest
from grpocheck.core import read_problem
from grpocheck.core.arithmetic import EnclosureArithmetic, ExactArithmetic
from grpocheck.core.families.softmax import softmax_jacobian
from grpocheck.core.gradient import weighted_sum
from grpocheck.core.variants.support import TokenSupport
from mpmath import mp, mpf

EXACT = ExactArithmetic()


@pytest.fixture
def spelling():
    return read_problem("examples/autoregressive.toml")


def test_token_masses_are_the_familys_conditional_masses(spelling):
    prompt, family = spelling.prompts[0], spelling.family
    support = TokenSupport(prompt.responses)
    found = support.token_masses(family.masses(spelling.theta, prompt, EXACT))
    # theta: "" -> a 1/2, b 1/2; after a: a 1/4, b 1/4, . 1/2; after b: b 1/2, . 1/2
    expected = {
        "a a": (F(1, 2), F(1, 4)),
        "a b": (F(1, 2), F(1, 4)),
        "a .": (F(1, 2), F(1, 2)),
        "b b": (F(1, 2), F(1, 2)),
        "b .": (F(1, 2), F(1, 2)),
    }
    assert dict(zip(prompt.responses, found, strict=True)) == expected


def test_scores_are_gradients_of_log_token_masses(spelling):
    prompt, family = spelling.prompts[0], spelling.family
    masses = family.masses(spelling.theta, prompt, EXACT)
    rows = family.mass_gradients(spelling.theta, prompt, EXACT)
    support = TokenSupport(prompt.responses)
    # "a ." : log 1/2 by the first coordinate has slope 2; its last token's mass is 1 - theta_2 - theta_3, slope -2 each
    place = prompt.responses.index("a .")
    gradients = [
        weighted_sum(list(zip(support.score(place, h, masses), rows, strict=True))) for h in range(2)
    ]
    assert gradients == [(2, 0, 0, 0), (0, -2, -2, 0)]


def test_a_word_that_ends_its_response_is_another_token_than_one_that_goes_on():
    support = TokenSupport(("a", "a b", "a c", "c"))
    masses = (F(1, 6), F(1, 3), F(1, 6), F(1, 3))
    assert support.token_masses(masses) == ((F(1, 6),), (F(1, 2), F(2, 3)), (F(1, 2), F(1, 3)), (F(1, 3),))
    assert support.longest == 2
    assert support.continuations(1, 0) == ((0,), (1, 2), (3,))
    assert support.continuations(1, 1) == ((1,), (2,))


def test_answers_of_unequal_length_decide_at_their_first_token():
    support = TokenSupport(("x x", "y", "z z z"))
    masses = (F(1, 2), F(1, 3), F(1, 6))
    assert support.token_masses(masses) == ((F(1, 2), 1), (F(1, 3),), (F(1, 6), 1, 1))
    assert support.score(0, 1, masses) == (0, 0, 0)
    # grad log p_0 by logits is (1 - p_0, -p_1, -p_2)
    rows = softmax_jacobian(masses)
    assert weighted_sum(list(zip(support.score(0, 0, masses), rows, strict=True))) == (F(1, 2), F(-1, 3), F(-1, 6))


@mp.workdps(40)
def test_entropies_and_their_gradients():
    support = TokenSupport(("a a", "a b", "b"))
    masses = (F(1, 4), F(1, 2), F(1, 4))
    arithmetic = EnclosureArithmetic()

    def entropy(p):
        return -sum(x * mp.log(x) for x in p)

    first = support.entropy(0, 0, masses, arithmetic)
    second = support.entropy(0, 1, masses, arithmetic)
    assert abs(mpf(arithmetic.text(first)[0]) - entropy([mpf(3) / 4, mpf(1) / 4])) < mpf(10) ** -28
    assert abs(mpf(arithmetic.text(second)[0]) - entropy([mpf(1) / 3, mpf(2) / 3])) < mpf(10) ** -28
    # by differences: masses m_j exp(t v_j) of directions that keep the sum
    for h, of in ((0, lambda m: [m[0] + m[1], m[2]]), (1, lambda m: [m[0] / (m[0] + m[1]), m[1] / (m[0] + m[1])])):
        coefficients = support.entropy_gradient(0, h, masses, arithmetic)
        for axis in ((1, -1, 0), (0, 1, -1)):
            step = mpf(10) ** -15
            pairs = [(mpf(m.numerator) / m.denominator, step * v) for m, v in zip(masses, axis, strict=True)]
            moved = [entropy(of([m + s * v for m, v in pairs])) for s in (1, -1)]
            slope = sum(c * v for c, v in zip(coefficients, axis, strict=True))
            text = arithmetic.text(slope)
            assert abs(mpf(text if isinstance(text, str) else text[0]) - (moved[0] - moved[1]) / (2 * step)) < 1e-20
