from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from grpocheck.core import InvalidProblem, problem_from_mapping
from grpocheck.core.arithmetic.errors import UndecidedComparison
from grpocheck.verifier.fast import Batch, Certified, Evaluator, batch_of
from grpocheck.verifier.fast.balls import Balls
from grpocheck.verifier.fast.filtered import Filter
from mpmath.ctx_mp import MPContext

from tests.fast.making import Theta, at_the_bound, batch, near, padded

context = MPContext()
context.dps = 60


def by_hand(of: Batch, theta: Theta) -> tuple[Any, list[list[Any]]]:
    """F_t by its definition at 60 digits, and its gradient by central differences of 20 digits."""

    def objective(logits: list[list[Any]]) -> Any:
        value = context.mpf(0)
        for new, old, counts, advantages, reference in zip(
            logits, of.logits_old, of.counts, of.advantages, of.reference, strict=True
        ):
            def law(row: Any) -> list[Any]:
                weights = [context.exp(number(entry)) for entry in row]
                return [weight / sum(weights) for weight in weights]

            now, before = law(new), law(old)
            for p, q, count, advantage in zip(now, before, counts, advantages, strict=True):
                scaled = number(advantage * advantage)
                a = context.sqrt(scaled) * (1 if advantage > 0 else -1)
                clipped = min(max(p / q, number(1 - of.epsilon)), number(1 + of.epsilon))
                value += count * min(p / q * a, clipped * a) / of.group_size
            for p, base in zip(now, reference, strict=True):
                value -= number(of.beta) * p * context.log(p / number(base))
        return value / len(logits)

    def number(value: Any) -> Any:
        exact = Fraction(value) if not isinstance(value, context.mpf) else None
        return value if exact is None else context.mpf(exact.numerator) / exact.denominator

    here = [[number(entry) for entry in row] for row in theta]
    step, gradient = context.mpf(10) ** -20, []
    for i, row in enumerate(here):
        slopes = []
        for j in range(len(row)):
            ends = [[[x + sign * step * (a == i and b == j) for b, x in enumerate(r)] for a, r in enumerate(here)]
                    for sign in (1, -1)]  # fmt: skip
            slopes.append((objective(ends[0]) - objective(ends[1])) / (2 * step))
        gradient.append(slopes)
    return objective(here), gradient


def exactly(value: Any) -> Any:
    fraction = Fraction(value)
    return context.mpf(fraction.numerator) / fraction.denominator


@pytest.mark.parametrize("beta", [Fraction(0), Fraction(1, 25), Fraction(3)])
@pytest.mark.parametrize("digits", [10, 30])
def test_it_is_the_definition(beta: Fraction, digits: int) -> None:
    random = Random(f"{beta} {digits}")
    of = batch(random, [2, 4, 3], 4, beta, rewards=(0, 3))  # advantages of 0/1 rewards have rational squares
    theta = near(random, of, 0.3)
    found = Evaluator(of).at(theta, digits)
    objective, gradient = by_hand(of, theta)
    assert found.method == ("float64" if digits == 10 else "balls")
    assert abs(exactly(found.objective) - objective) <= exactly(found.objective_error) + exactly(Fraction(1, 10**50))
    for row, own in zip(found.gradient, gradient, strict=True):
        for entry, slope in zip(list(row)[: len(own)], own, strict=True):
            assert abs(exactly(entry) - slope) <= exactly(found.gradient_error) + exactly(Fraction(1, 10**33))


@pytest.mark.parametrize("digits", [10, 14, 30])
def test_the_digits_that_are_asked_for_are_reached(digits: int) -> None:
    """Beside the largest slope by the definition, and a bound of the sum of the absolute terms of F."""
    of = batch(Random(3), [2, 4, 3], 4, Fraction(1, 25), rewards=(0, 3))
    theta = near(Random(4), of, 0.3)
    found = Evaluator(of).at(theta, digits)
    largest = max(abs(slope) for row in by_hand(of, theta)[1] for slope in row)
    share = exactly(Fraction(1, 10**digits))
    assert exactly(found.gradient_error) <= share * largest * (1 + share)
    # |A| <= sqrt(G - 1) < 2 and every ratio is below 2 here; the divergences add less than 1/25 of log 100
    assert exactly(found.objective_error) <= share * 5


def violations(found: Certified, truth: Certified, sizes: list[int]) -> int:
    """How many of the filter's bounds do not hold of what the balls say."""
    off = abs(Fraction(found.objective) - truth.objective) > Fraction(found.objective_error) + truth.objective_error
    most = Fraction(found.gradient_error) + truth.gradient_error
    return int(off) + sum(
        abs(Fraction(float(found.gradient[i][j])) - truth.gradient[i][j]) > most
        for i, size in enumerate(sizes)
        for j in range(size)
    )


def hold(seed: int, rounds: int, sizes: list[int], group: int, bits: int = 200) -> tuple[int, int]:
    """(bounds compared, answers of the filter) over random and adversarial inputs; fails on a violated bound."""
    random, compared, answered = Random(seed), 0, 0
    for number in range(rounds):
        spread = random.choice((0.1, 1.0, 5.0, 60.0))
        of = batch(random, sizes, group, random.choice((Fraction(0), Fraction(1, 25), Fraction(7))), spread)
        theta = at_the_bound(random, of) if number % 2 else near(random, of, random.choice((1e-12, 0.1, 3.0)))
        truth, found = Balls(of, bits).at([list(map(Fraction, row)) for row in theta]), Filter(of).at(padded(theta))
        if found is None:
            continue
        assert truth is not None
        assert violations(found, truth, sizes) == 0, (seed, number)
        compared, answered = compared + 1 + sum(sizes), answered + 1
    return compared, answered


def test_no_bound_is_violated() -> None:
    compared, answered = hold(1, 60, [2, 3, 7, 16], 8)
    assert compared > 800
    assert answered > 30


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_no_bound_is_violated_in_a_quarter_of_a_million(seed: int) -> None:
    compared, _ = hold(100 + seed, 400, [256] * 4 + [3] * 3, 64)
    assert compared > 200_000


def test_a_bound_that_is_too_small_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    import grpocheck.verifier.fast.filtered as filtered

    monkeypatch.setattr(filtered, "TRUSTED", 0.0)
    monkeypatch.setattr(filtered, "U", 2.0**-60)
    with pytest.raises(AssertionError):
        hold(1, 60, [2, 3, 7, 16], 8)


def test_a_ratio_at_its_bound_is_left_to_the_balls() -> None:
    # Two responses at logits 0: the first has mass 1/2; its ratio is 6/5 at logit log(3/2), which no float is.
    of = Batch(
        ((Fraction(0), Fraction(0)),), ((1, 1),), ((Fraction(1), Fraction(-1)),), ((Fraction(1, 2),) * 2,), 2,
        Fraction(1, 5), Fraction(0),
    )  # fmt: skip
    nearest = 0.4054651081081644  # log 1.5 = 0.405465108108164381978...
    assert Filter(of).at(padded([[nearest, 0.0]])) is None
    found = Evaluator(of).at([[nearest, 0.0]])
    assert found.method == "balls"
    # The float is above the logarithm, so both responses are clipped: F = (6/5 - 4/5) / 2, and nothing moves.
    assert found.objective == pytest.approx(0.2, abs=1e-12)
    assert found.largest == 0 == found.gradient_error


def test_huge_logits_and_tiny_masses() -> None:
    of = Batch(
        ((Fraction(0), Fraction(-69)),), ((1, 1),), ((Fraction(1), Fraction(-1)),),
        ((1 - Fraction(1, 10**30), Fraction(1, 10**30)),), 2, Fraction(1, 5), Fraction(1),
    )  # fmt: skip
    theta = [[1e4, 1e4 - 70.0]]
    found = Evaluator(of).at(theta, 10)
    objective, gradient = by_hand(of, theta)
    assert abs(exactly(found.objective) - objective) <= exactly(found.objective_error) + exactly(Fraction(1, 10**40))
    assert abs(exactly(found.gradient[0][0]) - gradient[0][0]) <= exactly(found.gradient_error) + exactly(
        Fraction(1, 10**33)
    )


def test_where_nothing_happens_everything_is_exactly_0() -> None:
    of = Batch(
        ((Fraction(0), Fraction(0)),), ((2, 0),), ((Fraction(0), Fraction(0)),), ((Fraction(1, 2),) * 2,), 2,
        Fraction(1, 5), Fraction(0),
    )  # fmt: skip
    found = Evaluator(of).at([[0.5, 0.25]], 12)
    assert (found.objective, found.objective_error, found.largest, found.gradient_error) == (0, 0, 0, 0)


def problem(family: str) -> Any:
    return {
        "group_size": 2, "outer_iterations": 1, "inner_steps": 1, "epsilon": "1/5", "beta": 0, "step_size": "1/10",
        "theta": [0, 0] if family == "softmax" else ["1/2"], "family": family, "draws": {"recorded": [[["a", "b"]]]},
        "prompts": [{"name": "q", "responses": ["a", "b"], "rewards": [1, 0], "reference": ["1/2", "1/2"]}],
    }  # fmt: skip


def test_a_problem_is_taken_as_it_is_and_other_families_are_refused() -> None:
    of = batch_of(problem_from_mapping(problem("softmax")))
    # At theta_old F = 0; the gradient is A_a (1 - p, -p) / 2 + A_b (-p, 1 - p) / 2 with p = 1/2, A = 1, -1.
    found = Evaluator(of).at([[Fraction(0), Fraction(0)]], 20)
    assert (found.objective, found.gradient) == (0, [[Fraction(1, 2), Fraction(-1, 2)]])
    with pytest.raises(InvalidProblem, match="family: 'bernoulli': expected softmax"):
        batch_of(problem_from_mapping(problem("bernoulli")))
    with pytest.raises(InvalidProblem, match="digits: 0"):
        Evaluator(of).at([[0.0, 0.0]], 0)


RAGGED = [[0.01, 0.0], [0.0, 0.02, 0.0]]
PADS = {"a small one": 0.0, "a large one": 50.0, "infinity": float("inf"), "none": float("nan")}


def ragged() -> Batch:
    return batch(Random(5), [2, 3], 4, Fraction(1, 25))


@pytest.mark.parametrize("pad", PADS.values(), ids=PADS)
@pytest.mark.parametrize("digits", [10, 20])
def test_what_is_beyond_a_support_is_not_looked_at(pad: float, digits: int) -> None:
    of = ragged()
    objective, _ = by_hand(of, RAGGED)
    found = Evaluator(of).at(np.array([[*RAGGED[0], pad], RAGGED[1]]), digits)
    assert found.method == ("float64" if digits == 10 else "balls")
    assert abs(exactly(found.objective) - objective) <= exactly(found.objective_error) + exactly(Fraction(1, 10**50))


@pytest.mark.parametrize("kind", ["float16", "float32", "int8", "int64"])
@pytest.mark.parametrize("digits", [10, 20])
def test_short_floats_and_integers_are_what_they_are(kind: str, digits: int) -> None:
    of = batch(Random(7), [2, 2], 4, Fraction(1, 25))
    theta = np.array([[0.1, 0.2], [1.3, 0.0]]).astype(kind)
    objective, _ = by_hand(of, [list(map(float, row)) for row in theta])
    found = Evaluator(of).at(theta, digits)
    assert abs(exactly(found.objective) - objective) <= exactly(found.objective_error) + exactly(Fraction(1, 10**50))


NO_THETA = {
    "a prompt too few": ([[0.0, 0.0]], r"theta: \[2\]: expected the logits of each prompt, \[2, 3\]"),
    "a logit too many": ([[0.0, 0.0, 0.0], [0.0] * 3], r"theta: \[3, 3\]: expected the logits"),
    "a narrow array": (np.zeros((2, 2)), r"theta: 'float64 of shape \(2, 2\)': expected .* of shape \(2, 3\)"),
    "a long double": (np.zeros((2, 3), dtype=np.longdouble), "at most 64 bits"),
    "truths": (np.zeros((2, 3), dtype=bool), "floats or integers"),
    "no number": ([[float("nan"), 0.0], [0.0] * 3], "theta: nan: expected finite logits"),
    "infinity": (np.array([[float("inf"), 0.0, 0.0], [0.0] * 3]), "theta: inf: expected finite logits"),
    "a masked array": (np.ma.array(np.zeros((2, 3)), mask=np.eye(2, 3)), "an array without a mask"),
    "one number": (3.0, "theta: 3.0: expected the logits of each prompt"),
    "nothing": ([[None, 0.0], [0.0] * 3], "theta: None: expected finite logits"),
    "a short NaN": ([[np.float32("nan"), 0.0], [0.0] * 3], "expected finite logits"),
    "a complex number": ([[1j, 0.0], [0.0] * 3], "expected finite logits"),
}


@pytest.mark.parametrize(("theta", "said"), NO_THETA.values(), ids=NO_THETA)
def test_what_is_no_theta_is_named(theta: Any, said: str) -> None:
    with pytest.raises(InvalidProblem, match=said):
        Evaluator(ragged()).at(theta)


def test_logits_beyond_every_float_are_left_to_the_balls(monkeypatch: pytest.MonkeyPatch) -> None:
    import grpocheck.verifier.fast.evaluator as evaluator

    far = Fraction(10) ** 400
    of = batch_of(problem_from_mapping(problem("softmax")))
    found = Evaluator(of).at([[far, Fraction(0)]])
    assert found.method == "balls"
    # "a" has mass 1 - exp(-far), ratio 2 and advantage 1, "b" has mass exp(-far) and advantage -1: both are clipped.
    assert found.objective == pytest.approx(0.2, abs=1e-12)
    of = batch_of(problem_from_mapping(problem("softmax")), logits_old=[[far, Fraction(0)]])
    monkeypatch.setattr(evaluator, "MOST_BITS", 400)
    with pytest.raises(UndecidedComparison):  # the old mass of "b" is told from 0 by no ball
        Evaluator(of).at([[far, Fraction(0)]])


def test_what_no_precision_decides_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    import grpocheck.verifier.fast.evaluator as evaluator

    monkeypatch.setattr(evaluator, "MOST_BITS", 100)
    of = batch_of(problem_from_mapping(problem("softmax")))
    # log(3/2) to 40 digits: the ratio 6/5 is met to more than 100 bits; 5 digits of the value are asked for.
    at_the_bound = Fraction("0.4054651081081643819780131154643491365720")
    with pytest.raises(UndecidedComparison, match="not decided at 100 bits"):
        Evaluator(of).at([[at_the_bound, Fraction(0)]], 5)
    monkeypatch.setattr(evaluator, "MOST_BITS", 400)
    assert Evaluator(of).at([[at_the_bound, Fraction(0)]], 5).method == "balls"


TINY = Fraction(1, 10**400)


def nearly_nothing() -> Batch:
    """No advantage, and a beta that no float is near to: F_t = -beta KL, which is not 0."""
    half = Fraction(1, 2)
    return Batch(((Fraction(0), Fraction(1)),), ((1, 1),), ((Fraction(0),) * 2,), ((half, half),), 2, half, TINY)


def hardly_moved() -> Batch:
    """Three draws of which one moves: by an advantage of 10^-100 and a ratio of exp(-560); the others are clipped."""
    least, third = Fraction(1, 10**100), Fraction(1, 3)
    advantages = ((Fraction(1), least, -1 - least, Fraction(0)),)
    old = ((Fraction(-560), Fraction(0), Fraction(-1), Fraction(-1)),)
    reference = ((Fraction(1, 4),) * 4,)
    return Batch(old, ((1, 1, 1, 0),), advantages, reference, 3, third, Fraction(0))


@pytest.mark.parametrize(
    ("of", "theta"),
    [(nearly_nothing(), [[0.0, 0.5]]), (hardly_moved(), [[0.0, -560.0, -560.0, -3.0]])],
    ids=["a beta of 1e-400", "a slope of 1e-344"],
)
def test_what_underflows_is_not_taken_for_0(of: Batch, theta: Theta) -> None:
    found = Evaluator(of).at(np.array(theta))
    objective, _ = by_hand(of, theta)
    assert found.method == "balls"
    assert abs(exactly(found.objective) - objective) <= exactly(found.objective_error) + abs(objective) / 10**50
    assert 0 < max(abs(entry) for row in found.gradient for entry in row) < Fraction(1, 10**330)


def test_a_beta_beyond_every_float_is_left_to_the_balls() -> None:
    of = replace(nearly_nothing(), beta=1 / TINY)
    objective, _ = by_hand(of, [[0.0, 0.5]])
    found = Evaluator(of).at([[0.0, 0.5]])
    assert abs(exactly(found.objective) - objective) <= exactly(found.objective_error) + abs(objective) / 10**50


def test_many_digits_are_reached_where_the_gradient_cancels() -> None:
    """Of masses of 10^-16 the slopes cancel in the mean: the entries are some 10^-15 of what is subtracted."""
    half = Fraction(1, 2)
    of = Batch(((Fraction(0), Fraction(35)),), ((1, 1),), ((Fraction(0),) * 2,), ((half, half),), 2, half, Fraction(1))
    found = Evaluator(of).at([[Fraction(0), Fraction(36)]], 400)
    assert found.gradient_error <= found.largest / 10**400


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, np.uint8])
@pytest.mark.parametrize("digits", [10, 20])
def test_numbers_of_numpy_in_lists_are_what_they_are(kind: Any, digits: int) -> None:
    of, theta = ragged(), [[kind(1.25), kind(0)], [kind(0), kind(1.1), kind(2)]]
    objective, _ = by_hand(of, [list(map(float, row)) for row in theta])
    found = Evaluator(of).at(theta, digits)
    assert abs(exactly(found.objective) - objective) <= exactly(found.objective_error) + exactly(Fraction(1, 10**50))


def test_an_infinite_logit_is_refused_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    with pytest.raises(InvalidProblem, match="finite logits"):
        Evaluator(ragged()).at(np.array([[float("inf"), 0.0, 0.0], [0.0] * 3]))
    assert not recwarn.list


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_a_matrix_is_the_array_that_it_is() -> None:
    of = batch(Random(7), [2, 2], 4, Fraction(1, 25))
    theta = np.array([[0.1, 0.2], [1.3, 0.0]])
    assert Evaluator(of).at(np.asmatrix(theta)).objective == Evaluator(of).at(theta).objective
