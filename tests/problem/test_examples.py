"""The example files: read, run, and found to do what their headers say."""

import importlib.util
from fractions import Fraction as F
from pathlib import Path

import mpmath
import pytest
from grpocheck.core.arithmetic import enclose, parse_exact
from grpocheck.core.oracles import Supply
from grpocheck.core.procedure import run
from grpocheck.core.reading import read_problem
from grpocheck.core.writing import problem_to_toml

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(EXAMPLES.glob("*.toml"))


def supplied_family():
    spec = importlib.util.spec_from_file_location("supplied_family", EXAMPLES / "supplied_family.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.supply


def outcome_of(name):
    problem = read_problem(EXAMPLES / f"{name}.toml")
    return run(problem, supplied_family() if name == "supplied_family" else Supply())


def budget(outcome):
    ledger = outcome.ledger.to_mapping()
    return tuple(ledger[key] for key in ("draws", "gradient_attempts", "membership_calls", "steps_applied"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_example_says_what_to_watch_and_can_be_written_back(path, tmp_path):
    assert "Watch:" in path.read_text(encoding="utf-8").partition("group_size")[0]
    copy = tmp_path / "copy.toml"
    copy.write_text(problem_to_toml(read_problem(path)), encoding="utf-8")
    assert read_problem(copy) == read_problem(path)


@pytest.mark.parametrize(
    ("name", "status", "theta", "counts"),
    [
        ("undefined_gradient", "undefined-gradient", (F(3, 5),), (2, 2, 1, 1)),
        ("invalid_update", "invalid-update", (F(1, 2),), (2, 1, 1, 0)),
        ("supplied_family", "complete", (F(1),), (2, 2, 2, 2)),
    ],
)
def test_rational_outcomes_by_hand(name, status, theta, counts):
    outcome = outcome_of(name)
    assert (outcome.status.value, outcome.theta, budget(outcome)) == (status, theta, counts)


def test_two_paths_has_the_worked_numbers():
    (started,) = outcome_of("two_paths").iterations
    (first, second), (group,) = started.steps, started.frozen.groups
    assert group.advantages == (F(1, 2), F(1, 2), -2, F(1, 2), F(1, 2))
    with mpmath.workdps(40):
        p, q = [mpmath.mpf(4) / 5, mpmath.mpf(1) / 5], mpmath.mpf(1) / 2
        divergence = sum(x * mpmath.log(x / q) for x in p)
        assert mpmath.nstr(divergence, 6) == "0.192745"
        # every ratio is 1 at the start, so that F is -KL/10 there; E[R] - KL/10 is in tests/non_claims
        lower, upper = map(mpmath.mpf, enclose(started.objective, 30))
        assert lower - mpmath.mpf(10) ** -38 <= -divergence / 10 <= upper + mpmath.mpf(10) ** -38
        slope = (4 * (1 / p[0]) / 2 + 2 / p[1]) / 5 - (mpmath.log(p[0] / q) - mpmath.log(p[1] / q)) / 10
        theta = p[0] + slope / 100
        assert mpmath.almosteq(mpmath.mpf(enclose(first.theta[0], 30)[0]), theta, abs_eps=mpmath.mpf(10) ** -29)
    assert second.theta[0] != first.theta[0]


def test_zero_variance_moves_only_the_second_prompt():
    """Deviation of (1, 0, 0) is sqrt 2 / 3: advantages sqrt 2, -sqrt 2 / 2, -sqrt 2 / 2, old masses 1/4 and 3/4.

    One step of 1/100 on the second coordinate: half of 1/3 (4 sqrt 2 + 2 (4/3) sqrt 2 / 2) = 8 sqrt 2 / 9.
    """
    outcome = outcome_of("zero_variance")
    assert outcome.iterations[0].frozen.groups[0].advantages == (0, 0, 0)
    assert outcome.theta[0] == F(1, 2)
    assert outcome.iterations[0].steps[0].theta[1] == parse_exact("1/4 + 2/225*sqrt(2)")


def test_three_iterations_keep_to_their_budget():
    outcome = outcome_of("complete_three_iterations")
    assert outcome.status.value == "complete"
    assert budget(outcome) == (24, 6, 6, 6)
    assert outcome.arithmetic.name == "exact"


def test_autoregressive_support_is_the_one_in_the_header():
    problem = read_problem(EXAMPLES / "autoregressive.toml")
    assert problem.prompts[0].responses == ("a a", "a b", "a .", "b b", "b .")
    assert problem.prompts[0].response_set == (".", "a a", "a b", "a .", "b a", "b b", "b .")
    assert outcome_of("autoregressive").status.value == "complete"


def test_logged_rewards_have_the_advantages_in_the_header():
    """The log divides by the sample deviation plus 1e-4; the definition by the population deviation."""
    outcome = outcome_of("trl_rewards")
    low, high = parse_exact("1/3*sqrt(3)"), parse_exact("-sqrt(3)")
    assert outcome.iterations[0].frozen.groups[0].advantages == (low, high, low, low)
    with mpmath.workdps(20):
        rewards = [mpmath.mpf(reward) for reward in ("1.5", "0.75", "1.5", "1.5")]
        mean = sum(rewards) / 4
        sample = mpmath.sqrt(sum((reward - mean) ** 2 for reward in rewards) / 3)
        logged = [mpmath.nstr((reward - mean) / (sample + mpmath.mpf("1e-4")), 5) for reward in rewards]
        assert logged == ["0.49987", "-1.4996", "0.49987", "0.49987"]
    assert outcome.status.value == "complete"
