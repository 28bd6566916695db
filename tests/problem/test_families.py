"""Masses and mass gradients against formulas written out here: fractions where they are rational, mpmath elsewhere."""

from fractions import Fraction as F

import mpmath
import pytest
from grpocheck.contracts.clauses import ENABLED, ContractViolation
from grpocheck.core.arithmetic import EnclosureArithmetic, ExactArithmetic, MpArithmetic, enclose
from grpocheck.core.families.autoregressive import AutoregressiveLogits, AutoregressiveMasses
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.families.log_linear import LogLinear
from grpocheck.core.families.simplex import Simplex
from grpocheck.core.families.softmax import Softmax
from grpocheck.core.families.supplied import Supplied
from grpocheck.core.generation import Generation
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.prompt import Prompt
from hypothesis import given, settings
from hypothesis import strategies as st

from .strategies import served

EXACT = ExactArithmetic()
DIGITS = 60


def prompt(size, position=0):
    return Prompt(position, f"q{position}", tuple("abcdefgh"[:size]), (0,) * size, (F(1, size),) * size)


def in_mpmath(numbers):
    """Rationals, or numbers of another mpmath context, as numbers of the global one."""
    return [mpmath.mpf(x.numerator) / x.denominator if isinstance(x, F) else mpmath.mpf(x) for x in numbers]


def softmax_by_definition(scores):
    weights = [mpmath.exp(score) for score in scores]
    return [weight / sum(weights) for weight in weights]


def masses_by_definition(family, theta, asked):
    """The masses of a prompt as section 1 and the problem file define them, in mpmath numbers."""
    size = len(asked.responses)
    if isinstance(family, Bernoulli):
        return [theta[0], 1 - theta[0]]
    if isinstance(family, Simplex):
        start = sum(size - 1 for size in family.sizes[: asked.position])
        free = theta[start : start + size - 1]
        return [*free, 1 - sum(free)]
    if isinstance(family, Softmax):
        start = sum(family.sizes[: asked.position])
        return softmax_by_definition(theta[start : start + size])
    if isinstance(family, LogLinear):
        rows = family.features[asked.position]
        return softmax_by_definition([sum(f * x for f, x in zip(in_mpmath(row), theta, strict=True)) for row in rows])
    words, start, conditional = family.generation, 0, {}
    reached = [()]
    for prefix in reached:
        barred = dict(words.forbidden).get(prefix, ())
        allowed = [token for token in words.vocabulary if token not in barred]
        count = len(allowed) - (family.parameterisation == "masses")
        block = theta[start : start + count]
        masses = softmax_by_definition(block) if family.parameterisation == "logits" else [*block, 1 - sum(block)]
        conditional[prefix] = dict(zip(allowed, masses, strict=True))
        start += count
        if len(prefix) < words.horizon - 1:
            reached += [(*prefix, token) for token in allowed if token != words.end]
    assert start == len(theta)
    tokens = [response.split(" ") for response in asked.responses]
    return [
        mpmath.fprod(conditional[tuple(response[:h])][token] for h, token in enumerate(response)) for response in tokens
    ]


@given(served())
@settings(max_examples=80, deadline=None)
def test_masses_are_those_of_the_definition(problem):
    family, prompts, theta = problem
    arithmetic = MpArithmetic(DIGITS)
    with mpmath.workdps(DIGITS):
        numbers = in_mpmath(theta)
        for asked in prompts:
            computed = in_mpmath(family.masses([arithmetic.number(x) for x in theta], asked, arithmetic))
            expected = masses_by_definition(family, numbers, asked)
            assert len(computed) == len(expected)
            assert all(abs(a - b) < mpmath.mpf(10) ** -50 for a, b in zip(computed, expected, strict=True))


@given(served())
@settings(max_examples=40, deadline=None)
def test_mass_gradients_are_central_differences(problem):
    """The error of a central difference with step h is of order h^2: 10^-40 for h = 10^-20, at 60 digits."""
    family, prompts, theta = problem
    arithmetic = MpArithmetic(DIGITS)
    with mpmath.workdps(DIGITS):
        numbers = in_mpmath(theta)
        step = mpmath.mpf(10) ** -20
        for asked in prompts:
            rows = family.mass_gradients([arithmetic.number(x) for x in theta], asked, arithmetic)
            rows = [in_mpmath(row) for row in rows]
            assert [len(row) for row in rows] == [len(theta)] * len(asked.responses)
            for k in range(len(theta)):
                moved = [[x + sign * step * (i == k) for i, x in enumerate(numbers)] for sign in (1, -1)]
                above, below = (masses_by_definition(family, point, asked) for point in moved)
                for row, high, low in zip(rows, above, below, strict=True):
                    assert abs(row[k] - (high - low) / (2 * step)) < mpmath.mpf(10) ** -35


@given(served())
@settings(max_examples=40, deadline=None)
def test_certified_masses_enclose_those_of_the_definition(problem):
    family, prompts, theta = problem
    asked = prompts[-1]
    with mpmath.workdps(DIGITS):
        expected = masses_by_definition(family, in_mpmath(theta), asked)
        for enclosed, number in zip(family.masses(theta, asked, EnclosureArithmetic()), expected, strict=True):
            lower, upper = map(mpmath.mpf, enclose(enclosed, 30))
            assert lower - mpmath.mpf(10) ** -50 <= number <= upper + mpmath.mpf(10) ** -50


@given(served())
@settings(max_examples=20, deadline=None)
def test_certified_gradients_enclose_the_mpmath_ones(problem):
    family, prompts, theta = problem
    asked, arithmetic = prompts[-1], MpArithmetic(DIGITS)
    certified = family.mass_gradients(theta, asked, EnclosureArithmetic())
    approximate = family.mass_gradients([arithmetic.number(x) for x in theta], asked, arithmetic)
    with mpmath.workdps(DIGITS):
        for row, numbers in zip(certified, map(in_mpmath, approximate), strict=True):
            for enclosed, number in zip(row, numbers, strict=True):
                lower, upper = map(mpmath.mpf, enclose(enclosed, 30))
                assert lower - mpmath.mpf(10) ** -50 <= number <= upper + mpmath.mpf(10) ** -50


@given(served())
@settings(max_examples=60, deadline=None)
def test_exact_families_sum_to_exactly_one(problem):
    family, prompts, theta = problem
    if family.exact:
        for asked in prompts:
            masses = family.masses(theta, asked, EXACT)
            assert all(type(mass) is F and mass > 0 for mass in masses)
            assert sum(masses) == 1
            assert all(sum(column) == 0 for column in zip(*family.mass_gradients(theta, asked, EXACT), strict=True))


def test_bernoulli_by_hand():
    family = Bernoulli()
    assert family.masses((F(1, 3),), prompt(2), EXACT) == (F(1, 3), F(2, 3))
    assert family.mass_gradients((F(1, 3),), prompt(2, position=5), EXACT) == ((1,), (-1,))
    assert not family.natural_domain().contains((F(0),), EXACT)
    assert not family.natural_domain().contains((F(1),), EXACT)


@pytest.mark.skipif(not ENABLED, reason="contracts are switched off")
def test_masses_are_not_asked_outside_the_natural_domain():
    with pytest.raises(ContractViolation, match="A1"):
        Bernoulli().masses((F(1),), prompt(2), EXACT)
    with pytest.raises(ContractViolation, match="A1"):
        Simplex((3,)).masses((F(1, 2), F(1, 2)), prompt(3), EXACT)


def test_simplex_by_hand_second_prompt():
    family = Simplex((3, 2))
    theta = (F(1, 2), F(1, 3), F(1, 5))
    assert family.masses(theta, prompt(3), EXACT) == (F(1, 2), F(1, 3), F(1, 6))
    assert family.masses(theta, prompt(2, 1), EXACT) == (F(1, 5), F(4, 5))
    assert family.mass_gradients(theta, prompt(3), EXACT) == ((1, 0, 0), (0, 1, 0), (-1, -1, 0))
    assert family.mass_gradients(theta, prompt(2, 1), EXACT) == ((0, 0, 1), (0, 0, -1))


def test_simplex_domain_by_hand():
    domain = Simplex((3, 1, 2)).natural_domain()
    inside = (F(1, 2), F(1, 3), F(1, 5))
    assert domain.dimension == 3
    assert domain.contains(inside, EXACT)
    for outside in [("1/2", "1/2", "1/5"), (0, "1/3", "1/5"), ("1/2", "1/3", 1), (2, -3, 0)]:
        assert not domain.contains(tuple(map(F, outside)), EXACT)


@given(st.lists(st.fractions(-9, 9, max_denominator=9), min_size=2, max_size=5), st.fractions(-50, 50))
@settings(max_examples=40, deadline=None)
def test_softmax_does_not_change_with_a_common_shift(logits, shift):
    family, asked = Softmax((len(logits),)), prompt(len(logits))
    arithmetic = EnclosureArithmetic()
    masses = family.masses(logits, asked, arithmetic)
    shifted = family.masses([logit + shift for logit in logits], asked, arithmetic)
    assert all(a == b for a, b in zip(masses, shifted, strict=True))


def test_equal_logits_give_exactly_one_nth_in_exact_arithmetic():
    masses = Softmax((3, 2)).masses((F(7, 3),) * 3 + (F(1), F(2)), prompt(3), EXACT)
    assert masses == (F(1, 3),) * 3
    assert Softmax((3, 2)).mass_gradients((F(7, 3),) * 3 + (F(1), F(2)), prompt(3), EXACT) == (
        (F(2, 9), F(-1, 9), F(-1, 9), 0, 0),
        (F(-1, 9), F(2, 9), F(-1, 9), 0, 0),
        (F(-1, 9), F(-1, 9), F(2, 9), 0, 0),
    )


def test_softmax_of_log_odds_by_hand():
    """exp(log 3) / (1 + exp(log 3)) = 3/4, seen through certified digits of log 3."""
    with mpmath.workdps(50):
        log_three = F(str(mpmath.log(3)))
    mass = Softmax((2,)).masses((F(0), log_three), prompt(2), EnclosureArithmetic())[1]
    lower, upper = map(F, enclose(mass, 30))
    assert abs(lower - F(3, 4)) < F(1, 10**28)
    assert abs(upper - F(3, 4)) < F(1, 10**28)


def test_log_linear_with_one_hot_features_is_softmax():
    family = LogLinear((((1, 0, 0), (0, 1, 0), (0, 0, 1)),))
    theta = (F(1, 2), F(-1), F(3))
    arithmetic = EnclosureArithmetic()
    linear, soft = (f.masses(theta, prompt(3), arithmetic) for f in (family, Softmax((3,))))
    assert all(a == b for a, b in zip(linear, soft, strict=True))


def test_equal_features_give_exactly_one_nth():
    family = LogLinear((((2, "1/3"), (2, "1/3")),))
    assert family.masses((F(5), F(7)), prompt(2), EXACT) == (F(1, 2), F(1, 2))
    assert family.mass_gradients((F(5), F(7)), prompt(2), EXACT) == ((0, 0), (0, 0))


def test_autoregressive_masses_by_hand():
    """Vocabulary a, b, end; the end may not come first and a may not follow b."""
    generation = Generation(("a", "b", "."), ".", 2, (((), (".",)), (("b",), ("a",))))
    family = AutoregressiveMasses(generation)
    asked = Prompt(
        0, "q", ("a a", "a b", "a .", "b b", "b ."), (0,) * 5, (F(1, 5),) * 5,
        (".", "a a", "a b", "a .", "b a", "b b", "b ."),
    )  # fmt: skip
    family.fit((asked,))
    p, a, b, c = theta = (F(1, 4), F(1, 2), F(1, 3), F(1, 5))
    assert family.dimension == 4
    assert family.masses(theta, asked, EXACT) == (p * a, p * b, p * (1 - a - b), (1 - p) * c, (1 - p) * (1 - c))
    assert family.mass_gradients(theta, asked, EXACT) == (
        (a, p, 0, 0),
        (b, 0, p, 0),
        (1 - a - b, -p, -p, 0),
        (-c, 0, 0, 1 - p),
        (c - 1, 0, 0, p - 1),
    )
    assert family.natural_domain().contains(theta, EXACT)
    assert not family.natural_domain().contains((p, a, F(1, 2), c), EXACT)


def test_autoregressive_logits_all_zero_are_uniform_over_allowed_tokens():
    family = AutoregressiveLogits(Generation(("a", "."), ".", 2, (((), (".",)),)))
    asked = Prompt(0, "q", ("a a", "a ."), (0, 0), ("1/2", "1/2"), (".", "a a", "a ."))
    assert family.dimension == 3
    assert family.masses((F(0),) * 3, asked, EXACT) == (F(1, 2), F(1, 2))


@pytest.mark.parametrize(
    ("family", "prompts", "key"),
    [
        (Bernoulli(), (prompt(3),), "prompts[0].responses"),
        (Simplex((2, 2)), (prompt(2),), "prompts"),
        (Softmax((2, 3)), (prompt(2), prompt(2, 1)), "prompts[1].responses"),
        (LogLinear((((1,), (2,)),)), (prompt(3),), "prompts[0].features"),
        (LogLinear((((1,), (2,)),)), (prompt(2), prompt(2, 1)), "prompts"),
        (AutoregressiveMasses(Generation(("a", "."), ".", 1)), (prompt(2),), "prompts[0].responses"),
        (
            AutoregressiveMasses(Generation(("a", "b", "."), ".", 1, (((), ("b",)),))),
            (Prompt(0, "q", ("a", "."), (0, 0), ("1/2", "1/2")),),
            "prompts[0].response_set",
        ),
    ],
)
def test_a_family_refuses_prompts_that_it_does_not_serve(family, prompts, key):
    with pytest.raises(InvalidProblem) as error:
        family.fit(prompts)
    assert error.value.key == key


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: Simplex(()), "family.sizes"),
        (lambda: Softmax((2, 0)), "family.sizes[1]"),
        (lambda: LogLinear(()), "features"),
        (lambda: LogLinear((((1, 2), (1,)),)), "prompts[0].features[1]"),
        (lambda: LogLinear((((1,), (0.5,)),)), "prompts[0].features[1][0]"),
        (lambda: LogLinear((((),),)), "prompts[0].features"),
        (lambda: Supplied(0), "theta"),
    ],
)
def test_a_family_refuses_sizes_and_features_that_are_none(make, key):
    with pytest.raises(InvalidProblem) as error:
        make()
    assert error.value.key == key
