"""The variant section-1 against the definition itself, and the signed rule where claim F1 does not reach."""

from fractions import Fraction as F

import pytest
from grpocheck.core import UNDEFINED_GRADIENT, problem_from_mapping, run
from grpocheck.core.arithmetic import EnclosureArithmetic, ExactArithmetic
from grpocheck.core.gradient import objective_gradient
from grpocheck.core.objective import objective
from grpocheck.core.variants.differentiability import kinks_cancel
from grpocheck.core.variants.evaluation import value
from grpocheck.core.variants.registry import named
from grpocheck.core.variants.words import with_parts
from grpocheck.verifier.estimator.problems import update_of

EXACT = ExactArithmetic()


def problem(family, theta, draws, rewards, beta=0, epsilon="1/5", responses=None, reference=None):
    names = responses or [[f"r{j}" for j in range(len(row))] for row in rewards]
    return problem_from_mapping(
        {
            "group_size": len(draws[0]),
            "outer_iterations": 1,
            "inner_steps": 1,
            "epsilon": epsilon,
            "beta": beta,
            "step_size": "1/1000",
            "theta": theta,
            "family": family,
            "prompts": [
                {
                    "name": f"q{place}",
                    "responses": names[place],
                    "rewards": row,
                    "reference": reference or [f"1/{len(row)}"] * len(row),
                }
                for place, row in enumerate(rewards)
            ],
            "draws": {"recorded": [[[names[p][j] for j in group] for p, group in enumerate(draws)]]},
        }
    )


def gradient(variant, stated, at, draws, arithmetic):
    update = update_of(stated, arithmetic, at)
    coefficients = update.coefficients([tuple(group) for group in draws], variant, arithmetic)
    if coefficients is UNDEFINED_GRADIENT:
        return UNDEFINED_GRADIENT
    parts = [p.gradient_of(c) for p, c in zip(update.prompts, coefficients, strict=True)]
    return tuple(sum(column) for column in zip(*parts, strict=True))


def close(left, right):
    return -F(1, 10**40) < left - right < F(1, 10**40)


CASES = [
    # family, theta, at, draws, rewards, beta
    ("bernoulli", ["1/2"], ["1/2"], [[0, 1]], [[1, 0]], 0),
    ("bernoulli", ["1/2"], ["4/5"], [[0, 1, 0]], [[1, 0]], "1/10"),
    ("bernoulli", ["1/2"], ["3/5"], [[0, 1]], [[1, 0]], 0),  # both on their bounds: undefined
    ("simplex", ["1/3", "1/3", "1/2"], ["1/2", "1/6", "2/5"], [[0, 1, 2, 2], [0, 1, 1, 1]], [[2, 1, 0], [1, -1]], 1),
    ("simplex", ["1/4", "1/4"], ["3/10", "1/4"], [[0, 1, 2]], [[1, 0, 0]], 0),  # ratio 6/5 of a positive advantage
    ("simplex", ["1/4", "1/4"], ["1/5", "1/4"], [[0, 1, 2]], [[1, 0, 0]], 0),  # 4/5 of a positive one: no kink
    ("softmax", ["0", "1/2", "-1/3"], ["1/7", "1/2", "1/3"], [[0, 1, 2, 1]], [[1, 0, 3]], "1/10"),
]


@pytest.mark.parametrize(("family", "theta", "at", "draws", "rewards", "beta"), CASES)
def test_value_and_gradient_are_the_definitions(family, theta, at, draws, rewards, beta):
    arithmetic = EnclosureArithmetic()
    stated = problem(family, theta, draws, rewards, beta)
    # the definition: one outer iteration freezes the draws, F and its gradient are asked at another parameter
    frozen = run(stated, arithmetic=arithmetic).iterations[0].frozen
    point = [F(x) for x in at]
    masses = [stated.family.masses(point, prompt, arithmetic) for prompt in stated.prompts]
    rows = [stated.family.mass_gradients(point, prompt, arithmetic) for prompt in stated.prompts]
    expected = objective_gradient(frozen, masses, rows, arithmetic)
    update = update_of(stated, arithmetic, point)
    batch = update.batch([tuple(group) for group in draws], named("section-1"), arithmetic)
    assert close(value(named("section-1"), batch, arithmetic), objective(frozen, masses, arithmetic))
    found = gradient(named("section-1"), stated, point, draws, arithmetic)
    if expected is UNDEFINED_GRADIENT:
        assert found is UNDEFINED_GRADIENT
    else:
        assert all(close(a, b) for a, b in zip(found, expected, strict=True))


def two_prompts(rewards):
    return problem("bernoulli", ["1/2"], [[0, 1], [0, 1]], rewards)


def test_a_minimum_and_a_maximum_can_cancel():
    # Bernoulli at 3/5 from 1/2: the ratio of "good" is 6/5. With the cap alone, A = 1 there is a minimum and A = -1 a
    # maximum, along one line and of one size: they cancel. With the clip of section 1 both prompts have a minimum.
    capped, at = named("tic-surrogate"), [F(3, 5)]
    opposite = two_prompts([[1, 0], [0, 1]])
    # the mean slopes of the two prompts are each other's negatives
    assert gradient(capped, opposite, at, [[0, 1], [0, 1]], EXACT) == (0,)
    assert gradient(named("section-1"), opposite, at, [[0, 1], [0, 1]], EXACT) is UNDEFINED_GRADIENT
    alike = two_prompts([[1, 0], [1, 0]])
    assert gradient(capped, alike, at, [[0, 1], [0, 1]], EXACT) is UNDEFINED_GRADIENT


def test_kinks_of_unequal_size_do_not_cancel():
    # with advantages 2 and -1 as given the two kinks on the one line have sizes 2 and 1
    capped = with_parts(named("tic-surrogate"), ["advantage=none"])
    assert gradient(capped, two_prompts([[2, 0], [-1, 0]]), [F(3, 5)], [[0, 1], [0, 1]], EXACT) is UNDEFINED_GRADIENT
    assert gradient(capped, two_prompts([[2, 0], [-2, 0]]), [F(3, 5)], [[0, 1], [0, 1]], EXACT) == (0,)


def test_a_kink_whose_ratio_does_not_move_is_none():
    assert kinks_cancel([(F(-1), (F(0), F(0)))], EXACT)
    assert not kinks_cancel([(F(-1), (F(0), F(1)))], EXACT)


@pytest.mark.parametrize(
    ("jumps", "cancel"),
    [
        ([(-1, (1, 0)), (1, (-1, 0))], True),  # one line, opposite vectors of one length
        ([(-1, (1, 0)), (1, (2, 0))], False),  # lengths 1 and 2
        ([(-2, (1, 0)), (1, (2, 0))], True),  # jump times length
        ([(-1, (1, 0)), (1, (0, 1))], False),  # two lines
        ([(-1, (1, 1)), (-1, (1, 1)), (2, (-1, -1))], True),
        ([(-1, (1, 1)), (-1, (-1, -1))], False),  # minima never cancel, on whichever side they face
        ([(-1, (1, 0)), (1, (1, 0)), (1, (0, 1))], False),
    ],
)
def test_the_signed_rule(jumps, cancel):
    assert kinks_cancel([(F(j), tuple(map(F, vector))) for j, vector in jumps], EXACT) is cancel
