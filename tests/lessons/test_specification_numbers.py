"""Every number of section 4 of the specification, typed from it, in the lesson that computes it."""

from fractions import Fraction as F

import pytest
from grpocheck.verifier.lessons import course

from tests.lessons.pages import facts

# lesson, fact, the decimals that section 4 states, and how many of them the lesson has to agree with
STATED = [
    ("kl-directions", "kl-p-q", "0.192745", 6),
    ("kl-directions", "kl-p-q", "0.19274476", 8),
    ("kl-directions", "objective-at-p", "0.7807255", 7),
    ("kl-directions", "objective-at-q", "0.5", 1),
    ("kl-directions", "log-first", "0.470004", 6),  # seed [002]
    ("kl-directions", "log-second", "-0.916291", 6),
    ("single-sample-log-ratio", "log-second", "-0.916291", 6),
    ("single-sample-log-ratio", "kl", "0.192745", 6),
    ("clip-by-sign", "gain-saturated", "2.4", 1),
    ("clip-by-sign", "loss-saturated", "-1.6", 1),
    ("clip-by-sign", "loss-still-felt", "-2.8", 1),
    ("token-vs-trajectory", "token", "1.1", 1),
    ("token-vs-trajectory", "trajectory", "2.59", 2),
    ("kl-chain-rule", "first-step", "0.1927448", 7),
    ("kl-chain-rule", "second-step", "0.5", 1),
    ("kl-chain-rule", "right", "0.2927448", 7),
    ("kl-chain-rule", "wrong", "0.4427448", 7),
    ("tilted-optimum", "p-star", "0.99995460", 8),
    ("tilted-optimum", "value", "0.93068982", 8),
    ("tilted-optimum", "value-by-definition", "0.93068982", 8),
    ("ten-by-ten", "paths", "100", 0),
    ("ten-by-ten", "sum-before", "1", 0),
]


@pytest.mark.parametrize(("lesson", "name", "stated", "places"), STATED)
def test_a_number_of_the_specification(lesson, name, stated, places):
    shown = facts(lesson)[name].decimals
    assert shown.isascii()
    assert "e" not in shown
    assert abs(F(shown) - F(stated)) <= F(1, 2 * 10**places), f"{shown}, where {stated} is stated"


EXACT = [
    ("clip-by-sign", "gain-saturated", "12/5"),
    ("clip-by-sign", "loss-saturated", "-8/5"),
    ("clip-by-sign", "loss-still-felt", "-14/5"),
    ("token-vs-trajectory", "trajectory", "25937424601/10000000000"),
    ("kl-directions", "kl-p-q", "13/5*log(2) - log(5)"),  # 4/5 log(8/5) + 1/5 log(2/5)
    ("kl-directions", "kl-q-p", "log(5) - 2*log(2)"),  # 1/2 log(5/8) + 1/2 log(5/2)
    ("kl-chain-rule", "right", "13/5*log(2) - log(5) + 1/10"),
    ("kl-chain-rule", "wrong", "13/5*log(2) - log(5) + 1/4"),
    ("tilted-optimum", "p-star", "(exp(-10) + 1)^-1"),
    ("tilted-optimum", "value", "1/10*log(1/2*exp(10) + 1/2)"),
    ("tilted-optimum", "slope", "0"),
    ("return-with-kl", "own-mean", "0"),
    ("return-with-kl", "gradient", "-1/5*log(2) + 1"),  # 1 - beta log(0.8/0.2)
    ("return-with-kl", "detached", "-1/5*log(2) + 1"),
    ("return-with-kl", "through", "-2/5*log(2) + 1"),  # beta log(0.8/0.2) is lost once more
    ("return-with-kl", "values-only", "1"),
    ("ten-by-ten", "reward-before", "1/10"),
    ("ten-by-ten", "kl-before", "0"),
    ("ten-by-ten", "objective-before", "1/10"),
]


@pytest.mark.parametrize(("lesson", "name", "exact"), EXACT)
def test_an_exact_value(lesson, name, exact):
    assert facts(lesson)[name].exact == exact


WORDS = [
    ("kl-directions", "they-differ", "no"),
    ("kl-directions", "zero-reference", "refused: prompts[0].reference[1]: 0: expected a mass above 0"),
    ("single-sample-log-ratio", "k3-unbiased", "yes"),
    ("token-vs-trajectory", "only-the-product", "the trajectory ratio"),
    ("kl-chain-rule", "equal", "yes"),
    ("kl-chain-rule", "not-equal", "no"),
    ("return-with-kl", "detached-right", "yes"),
    ("roles", "reference-still", "yes"),
    ("roles", "deep-shared", "none"),
    ("roles", "shallow-shared", "theta"),
    ("tilted-optimum", "slope-of-the-gradient", "yes"),
    ("ten-by-ten", "sums-after", "yes"),
    ("ten-by-ten", "kl-agree", "yes"),
]


@pytest.mark.parametrize(("lesson", "name", "word"), WORDS)
def test_what_a_lesson_finds(lesson, name, word):
    assert facts(lesson)[name].exact == word


def test_every_lesson_of_the_issue_is_there_and_takes_at_most_ten_minutes():
    minutes = {lesson.name: lesson.minutes for lesson in course()}
    wanted = {
        *("kl-directions", "single-sample-log-ratio", "return-with-kl", "roles", "clip-by-sign", "token-vs-trajectory"),
        *("kl-chain-rule", "ten-by-ten", "supplied-oracles", "budget", "tilted-optimum", "zero-variance"),
    }
    assert wanted <= set(minutes)
    assert all(0 < taken <= 10 for taken in minutes.values())
