"""A supply that breaks a clause ends the run with that clause's name, its ledger intact up to the call."""

import math
from fractions import Fraction as F

import pytest
from grpocheck.core.domains import OpenBox
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.families.supplied import Supplied
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.oracles import UNDEFINED_GRADIENT, Supply
from grpocheck.core.outcome import Status
from grpocheck.core.problem import Problem
from grpocheck.core.procedure import run
from grpocheck.core.prompt import Prompt
from grpocheck.core.violations import Clause, SupplyViolation


def problem(**changes):
    data = {
        "prompts": (Prompt(0, "q", ("good", "bad"), (1, 0), ("1/2", "1/2")),),
        "family": Bernoulli(),
        "theta": ("1/2",),
        "group_size": 2,
        "outer_iterations": 1,
        "inner_steps": 2,
        "epsilon": "1/5",
        "beta": 0,
        "step_sizes": (("1/50", "1/50"),),
        "recorded": ((("good", "bad"),),),
    }
    return Problem(**(data | changes))


class Reals:
    """A policy on the stated box whose answers a test replaces."""

    def __init__(self, masses=(F(1, 2), F(1, 2)), gradients=((F(1),), (F(-1),))):
        self.fixed, self.rows = masses, gradients

    def masses(self, theta, prompt, arithmetic):
        return self.fixed

    def mass_gradients(self, theta, prompt, arithmetic):
        return self.rows


def raising(*_):
    raise RuntimeError("out of order")


def policy_problem():
    return problem(family=Supplied(1), domain=OpenBox((F(-5),), (F(5),)))


CASES = [
    (Supply(draws=lambda *_: "ugly"), Clause.DRAW_SUPPORTED, {"draws": 1}),
    (Supply(draws=lambda *_: 0), Clause.DRAW_SUPPORTED, {"draws": 1}),
    (Supply(draws=raising), Clause.ANSWERS, {"draws": 1}),
    (Supply(reward=lambda *_: 0.5), Clause.NUMBER, {"draws": 2, "reward_evaluations": 1}),
    (Supply(reward=lambda *_: math.nan), Clause.NUMBER, {"reward_evaluations": 1}),
    (Supply(reward=lambda *_: "1"), Clause.REWARD_FINITE, {"reward_evaluations": 1}),
    (Supply(reward=lambda *_: True), Clause.REWARD_FINITE, {"reward_evaluations": 1}),
    (Supply(reward=lambda *_: None), Clause.REWARD_FINITE, {"reward_evaluations": 1}),
    (Supply(domain=lambda theta: 1 if theta[0] != F(1, 2) else True), Clause.DOMAIN_BOOLEAN, {"membership_calls": 1}),
    (Supply(domain=lambda theta: None if theta[0] != F(1, 2) else True), Clause.DOMAIN_BOOLEAN, {"steps_applied": 0}),
    (Supply(gradient=lambda *_: (F(1), F(1))), Clause.GRADIENT_SHAPE, {"gradient_attempts": 1, "membership_calls": 0}),
    (Supply(gradient=lambda *_: None), Clause.GRADIENT_SHAPE, {"gradient_attempts": 1}),
    (Supply(gradient=lambda *_: (1.5,)), Clause.NUMBER, {"gradient_attempts": 1}),
    (Supply(gradient=lambda *_: (True,)), Clause.NUMBER, {"gradient_attempts": 1}),
    (Supply(gradient=raising), Clause.ANSWERS, {"gradient_attempts": 1}),
]


@pytest.mark.parametrize(("supply", "clause", "ledger"), CASES)
def test_a_broken_clause_is_named(supply, clause, ledger):
    with pytest.raises(SupplyViolation) as caught:
        run(problem(), supply)
    assert caught.value.clause is clause
    assert clause.value in str(caught.value)
    counts = caught.value.ledger.to_mapping()
    assert {name: counts[name] for name in ledger} == ledger


@pytest.mark.parametrize(
    ("policy", "clause"),
    [
        (Reals(masses=(F(1, 2), F(1, 4))), Clause.MASSES_SUM),
        (Reals(masses=(F(3, 2), F(-1, 2))), Clause.MASSES_POSITIVE),
        (Reals(masses=(F(1), F(0))), Clause.MASSES_POSITIVE),
        (Reals(masses=(F(1),)), Clause.MASSES_LENGTH),
        (Reals(masses=(0.5, 0.5)), Clause.NUMBER),
        (Reals(masses=None), Clause.MASSES_LENGTH),
        (Reals(gradients=((F(1),), (F(1),))), Clause.MASS_GRADIENTS_SUM),
        (Reals(gradients=((F(1),),)), Clause.MASS_GRADIENTS_SHAPE),
        (Reals(gradients=((F(1), F(0)), (F(-1), F(0)))), Clause.MASS_GRADIENTS_SHAPE),
    ],
)
def test_a_policy_that_is_none_is_named(policy, clause):
    with pytest.raises(SupplyViolation) as caught:
        run(policy_problem(), Supply(policy=policy))
    assert caught.value.clause is clause


def test_a_domain_oracle_that_lies_about_the_family_is_caught():
    with pytest.raises(SupplyViolation) as caught:
        run(problem(step_sizes=((1, 1),)), Supply(domain=lambda theta: True))
    assert caught.value.clause is Clause.DOMAIN_WITHIN


def test_a_supplied_domain_is_asked_about_the_start_outside_the_ledger():
    asked = []

    def domain(theta):
        asked.append(theta[0])
        return theta[0] < F(53, 100)

    outcome = run(problem(), Supply(domain=domain))
    # 1/2 + 2/50 = 27/50 is outside: one counted call, and one for theta_0
    assert outcome.status is Status.INVALID_UPDATE
    assert asked == [F(1, 2), F(27, 50)]
    assert outcome.ledger.membership_calls == 1
    with pytest.raises(InvalidProblem, match="theta"):
        run(problem(), Supply(domain=lambda theta: False))


def test_a_supplied_family_needs_a_policy():
    with pytest.raises(InvalidProblem, match="family"):
        run(policy_problem())


def test_a_supplied_gradient_oracle_decides():
    stopped = run(problem(), Supply(gradient=lambda *_: UNDEFINED_GRADIENT))
    assert (stopped.status, stopped.theta) == (Status.UNDEFINED_GRADIENT, (F(1, 2),))
    moved = run(problem(), Supply(gradient=lambda *_: [3]))
    assert moved.theta == (F(1, 2) + F(6, 50),)


def test_an_oracle_is_asked_once_for_each_answer():
    asked = {"draws": 0, "reward": 0, "gradient": 0}

    def draw(masses, prompt, t, i):
        asked["draws"] += 1
        return prompt.responses[i % 2]

    def reward(prompt, response):
        asked["reward"] += 1
        return F(len(response))

    def gradient(frozen, theta):
        asked["gradient"] += 1
        return (F(1),)

    outcome = run(problem(outer_iterations=2, step_sizes=(("1/50", "1/50"),) * 2, recorded=None),
                  Supply(draws=draw, reward=reward, gradient=gradient))
    assert outcome.status is Status.COMPLETE
    assert asked == {"draws": 4, "reward": 4, "gradient": 4}
    assert (outcome.ledger.draws, outcome.ledger.reward_evaluations, outcome.ledger.gradient_attempts) == (4, 4, 4)
