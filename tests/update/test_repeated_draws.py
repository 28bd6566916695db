"""A response that is drawn again is evaluated once and counted: the same numbers as draw by draw, with less work."""

from fractions import Fraction as F

import pytest
from grpocheck.core import problem_from_mapping, run
from grpocheck.core.arithmetic import ExactArithmetic
from grpocheck.core.frozen import Group, draw_counts, first_draws
from grpocheck.core.gradient import group_surrogate_gradient, kinked_draws
from grpocheck.core.objective import group_surrogate
from grpocheck.core.prompt import Prompt

PROBLEM = {
    "outer_iterations": 1,
    "inner_steps": 2,
    "epsilon": "1/5",
    "beta": "1/10",
    "step_size": "1/8",
    "theta": ["1/2", "1/4"],
    "family": "simplex",
    "prompts": [
        {"name": "q", "responses": ["a", "b", "c"], "rewards": [1, 0, "1/2"], "reference": ["1/4", "1/4", "1/2"]}
    ],
}


def outcome(times: int) -> object:
    drawn = ["a", "b", "b", "c"] * times
    return run(problem_from_mapping({**PROBLEM, "group_size": len(drawn), "draws": {"recorded": [[drawn]]}}))


def test_a_group_repeated_as_a_whole_gives_the_same_run_with_the_same_work() -> None:
    # Mean, population deviation and the mean over the draws do not change when every draw is made five times.
    once, often = outcome(1), outcome(5)
    assert often.theta == once.theta
    counts, more = once.ledger.to_mapping(), often.ledger.to_mapping()
    assert more.pop("draws") == 5 * counts.pop("draws")
    assert more.pop("reward_evaluations") == 5 * counts.pop("reward_evaluations")
    assert more == counts


ONE = F(1)
# Advantages of rewards 1, 0, 1, 0: 1, -1, 1, -1. Position 0 has both, as no function would reward it.
GROUP = Group(
    Prompt(0, "q", ("a", "b"), (F(1), F(0)), (F(1, 2), F(1, 2))),
    (0, 0, 0, 1),
    (F(1), F(0), F(1), F(0)),
    F(1, 2),
    F(1, 2),
    (ONE, F(-1), ONE, F(-1)),
    (F(1, 2),) * 4,
)


@pytest.mark.parametrize("mass", [F(1, 2), F(11, 20), F(3, 5), F(9, 10), F(1, 4)])
def test_draws_are_one_term_only_where_their_advantages_agree(mass: F) -> None:
    assert first_draws(GROUP) == (0, 1, 0, 3)
    assert draw_counts(GROUP) == {0: 2, 1: 1, 3: 1}
    masses, exact = (mass, 1 - mass), ExactArithmetic()
    ratios = [2 * masses[position] for position in GROUP.positions]
    terms = [min(rho * a, min(F(6, 5), max(F(4, 5), rho)) * a) for rho, a in zip(ratios, GROUP.advantages, strict=True)]
    assert group_surrogate(GROUP, masses, F(1, 5), exact) == sum(terms) / 4
    # d rho / d mass is 2 for the first response and -2 for the second; alive is below the bound (A > 0) or above.
    alive = [rho < F(6, 5) if a > 0 else rho > F(4, 5) for rho, a in zip(ratios, GROUP.advantages, strict=True)]
    slope = sum(
        a * (2 if position == 0 else -2)
        for a, position, live in zip(GROUP.advantages, GROUP.positions, alive, strict=True)
        if live
    )
    rows = ((F(1),), (F(-1),))
    assert group_surrogate_gradient(GROUP, masses, rows, F(1, 5), exact) == (F(slope) / 4,)
    kinks = [
        i
        for i, (rho, a) in enumerate(zip(ratios, GROUP.advantages, strict=True))
        if rho == (F(6, 5) if a > 0 else F(4, 5))
    ]
    assert list(kinked_draws(GROUP, masses, rows, F(1, 5), exact)) == kinks
    assert (kinks == [0, 2, 3]) == (mass == F(3, 5))
