"""Enclosures of F and of its gradient contain what mpmath gives at 80 digits; what cannot be decided says so."""

from fractions import Fraction as F

import pytest
from grpocheck.core import Problem, Prompt, Supply, UndecidedComparison, arithmetic_named, run
from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.core.domains import OpenBox
from grpocheck.core.families.simplex import Simplex
from grpocheck.core.families.softmax import Softmax
from grpocheck.core.families.supplied import Supplied
from grpocheck.proofs.digits import Reading, context, number


def softmax_problem():
    """M = 3, n = 5, G = 6, beta = 0.04."""
    prompts = tuple(
        Prompt(
            position,
            f"q{position}",
            tuple("abcde"),
            (1, F(position, 3), 0, F(1, 7), -1),
            (F(1, 10), F(2, 10), F(3, 10), F(3, 10), F(1, 10)),
        )
        for position in range(3)
    )
    return Problem(
        prompts=prompts,
        family=Softmax((5, 5, 5)),
        theta=tuple(F(7 * j % 11 - 5, 4) for j in range(15)),
        group_size=6,
        outer_iterations=1,
        inner_steps=3,
        epsilon="1/5",
        beta="0.04",
        step_sizes=(("1/2", "1/3", "1/4"),),
        recorded=((tuple("abcdea"), tuple("bbacde"), tuple("eeeacb")),),
    )


def test_fifty_digits_contain_the_definition():
    problem = softmax_problem()
    outcome = run(problem, arithmetic=arithmetic_named("enclosure", digits=50))
    reading, theta = Reading(problem), [number(x) for x in problem.theta]
    groups = reading.frozen(0, theta)
    text = outcome.arithmetic.text
    assert len(outcome.iterations[0].steps) == 3
    contains(text(outcome.iterations[0].objective), reading.objective(groups, theta))
    for step in outcome.iterations[0].steps:
        slope = reading.gradient(groups, theta)
        for found, expected in zip(step.gradient, slope, strict=True):
            contains(text(found), expected)
        eta = number(problem.step_sizes[0][step.number - 1])
        theta = [x + eta * g for x, g in zip(theta, slope, strict=True)]
        contains(text(step.objective), reading.objective(groups, theta))


def contains(enclosure, expected):
    lower, upper = map(context.mpf, enclosure)
    assert lower <= expected <= upper
    assert upper - lower <= context.mpf(10) ** -48 * max(1, abs(expected))


class OnTheBound:
    """Away from 0 p(theta) = 3/5 + (exp(log 2 + log 3) - 6)/5: equal to 3/5, though not written so."""

    def masses(self, theta, prompt, arithmetic):
        first = F(1, 2) if theta[0] == 0 else F(3, 5) + self.gap(theta[0], arithmetic) / 5
        return (first, 1 - first)

    def gap(self, x, arithmetic):
        # exp(log(2) + log(3)) = 6 exactly, but as an expression of its own
        return arithmetic.exp(arithmetic.log(F(2)) + arithmetic.log(F(3))) - 6

    def mass_gradients(self, theta, prompt, arithmetic):
        return ((F(1),), (F(-1),))


def test_an_undecided_tie_is_an_error_and_no_status():
    arithmetic = EnclosureArithmetic(max_bits=512)
    gap = OnTheBound().gap(F(1), arithmetic)
    if isinstance(gap, F):
        pytest.skip("the normal form knows that exp(log 2 + log 3) is 6")
    problem = Problem(
        prompts=(Prompt(0, "q", ("good", "bad"), (1, 0), ("1/2", "1/2")),),
        family=Supplied(1),
        domain=OpenBox((F(-1),), (F(3),)),
        theta=(0,),
        group_size=2,
        outer_iterations=1,
        inner_steps=2,
        epsilon="1/5",
        beta=0,
        step_sizes=(("1/2", "1/2"),),
        recorded=((("good", "bad"),),),
    )
    with pytest.raises(UndecidedComparison, match="512 bits") as caught:
        run(problem, Supply(policy=OnTheBound()), arithmetic=arithmetic)
    assert "6/5" in str(caught.value)


def test_the_digit_budget_goes_over_to_enclosures_and_says_so():
    prompt = Prompt(0, "q", ("a", "b"), (1, 0), ("1/2", "1/2"))
    problem = Problem(
        prompts=(prompt,),
        family=Simplex((2,)),
        theta=("1/3",),
        group_size=3,
        outer_iterations=3,
        inner_steps=2,
        epsilon="1/5",
        beta=0,
        step_sizes=(("1/50", "1/70"),) * 3,
        recorded=((("a", "a", "b"),), (("a", "b", "b"),), (("a", "b", "b"),)),
    )
    told = []
    exact = run(problem, arithmetic=arithmetic_named("exact"))
    small = run(problem, arithmetic=arithmetic_named("auto", max_digits=20), observer=told.append)
    assert (exact.arithmetic.name, small.arithmetic.name) == ("exact", "enclosure")
    changes = [event.values["reason"] for event in told if event.kind == "arithmetic"]
    assert len(changes) == 1
    assert "20" in changes[0]
    assert exact.status == small.status
    assert exact.ledger.to_mapping() == small.ledger.to_mapping()
    lower, upper = (F(end) for end in small.arithmetic.text(small.theta[0]))
    assert lower <= exact.theta[0] <= upper
