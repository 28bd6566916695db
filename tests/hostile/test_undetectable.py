"""What nobody can detect from answers alone: an honest and a lying supply whose answers, and traces, are equal.

Whatever a checker says of one trace it says of the other, since it is the same trace.
"""

from fractions import Fraction as F

import pytest
from grpocheck.core import Supply, TraceWriter, run
from grpocheck.core.arithmetic.errors import UndecidedComparison
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.draws import SeededDraws
from grpocheck.verifier.supplied.draw_law import LawTest, Verdict
from grpocheck.verifier.supplied.draws_seen import DrawsUnderTest

from tests.hostile.supplies import true_gradient
from tests.hostile.test_table import problem, raises


def trace_of(folder, name, supply, **changes):
    path = folder / name
    with TraceWriter(path) as writer:
        run(problem(**changes), supply, observer=writer)
    return path.read_bytes()


def asked_points(**changes):
    """The parameters that an honest run asks about."""
    points = set()

    def domain(theta):
        points.add(theta[0])
        return 0 < theta[0] < 1

    run(problem(**changes), Supply(domain=domain, gradient=true_gradient))
    return points


ONE_STEP = {"outer_iterations": 1, "recorded": ((("good", "bad"),),), "step_sizes": (("1/50", "1/50"),)}


def test_a_gradient_oracle_may_be_that_of_another_function(tmp_path):
    """A polynomial that vanishes at all the points that are asked about is added to the slope of F."""
    points = asked_points(**ONE_STEP)

    def bent(frozen, theta):
        away = F(1)
        for point in points:
            away *= theta[0] - point
        return [true_gradient(frozen, theta)[0] + away]

    assert bent_differs(bent)
    honest = trace_of(tmp_path, "honest", Supply(gradient=true_gradient), **ONE_STEP)
    assert trace_of(tmp_path, "bent", Supply(gradient=bent), **ONE_STEP) == honest


def bent_differs(bent):
    """Whether the other gradient differs at a point that is not asked about: theta = 11/20 in the first iteration."""
    frozen = run(problem(**ONE_STEP)).iterations[0].frozen
    return bent(frozen, (F(11, 20),)) != true_gradient(frozen, (F(11, 20),))


def test_a_domain_oracle_may_lie_about_what_is_not_asked(tmp_path):
    points = asked_points(**ONE_STEP)
    honest = trace_of(tmp_path, "honest", Supply(domain=lambda theta: 0 < theta[0] < 1), **ONE_STEP)
    lying = trace_of(tmp_path, "lying", Supply(domain=lambda theta: theta[0] in points), **ONE_STEP)
    assert lying == honest


def test_a_reward_may_be_wrong_as_long_as_it_is_a_function(tmp_path):
    """That 'bad' is the better response is a lie about the world, and the run is that of an honest problem."""
    from_a_liar = run(problem(), Supply(reward=lambda prompt, response: F(response == "bad")))
    prompt = problem().prompts[0]
    honest = run(problem(prompts=(type(prompt)(0, "q", prompt.responses, (0, 1), prompt.reference),)))
    assert from_a_liar.to_mapping()["steps"] == honest.to_mapping()["steps"]
    assert from_a_liar.status is honest.status


def test_a_sampler_may_know_its_draws_in_advance():
    """These draws are settled by a seed, and pass: nobody can see it who does not know the seed."""
    many = {"group_size": 12, "outer_iterations": 3, "inner_steps": 1, "step_sizes": (("1/9999",),) * 3}
    test = LawTest(F(1, 100))
    run(problem(**many, recorded=None), Supply(draws=DrawsUnderTest(SeededDraws(1, ExactArithmetic()), test)))
    assert (test.draws, test.verdict) == (36, Verdict.CONSISTENT)


def test_a_sampler_has_not_lied_yet(tmp_path):
    """One that will answer what no response is from the fifth draw on, in a run of four."""
    draws = ["good", "bad"] * 2

    def honest(left):
        return lambda masses, prompt, t, i: next(left)

    supplies = [Supply(draws=honest(iter(given))) for given in (draws, [*draws, "a lie"])]
    assert trace_of(tmp_path, "one", supplies[0]) == trace_of(tmp_path, "other", supplies[1])


def test_an_oracle_may_count_its_own_work_wrongly(tmp_path):
    """Its calls are counted by the run; what it says of itself nobody asks."""

    def counting(by):
        def gradient(frozen, theta):
            gradient.calls += by
            return true_gradient(frozen, theta)

        gradient.calls = 0
        return gradient

    honest, lying = counting(1), counting(1000)
    assert trace_of(tmp_path, "one", Supply(gradient=honest)) == trace_of(tmp_path, "other", Supply(gradient=lying))
    assert (honest.calls, lying.calls) == (4, 4000)


def test_draws_of_a_law_that_is_nearly_the_right_one_pass():
    """A coin of 51/100: 36 draws of it are of fair ones with a probability that differs by less than 1.02^36 = 2.04."""
    many = {"group_size": 12, "outer_iterations": 3, "inner_steps": 1, "step_sizes": (("1/9999",),) * 3}
    seeded, nearly, test = SeededDraws(1, ExactArithmetic()), (F(51, 100), F(49, 100)), LawTest(F(1, 100))

    def biased(masses, prompt, t, i):
        return seeded(nearly, prompt, t, i)

    run(problem(**many, recorded=None), Supply(draws=DrawsUnderTest(biased, test)))
    assert (test.draws, test.verdict) == (36, Verdict.CONSISTENT)


def test_a_claim_to_be_undecided_is_believed_and_is_no_status():
    doubt = UndecidedComparison("a", "b", ("[0, 1]", "[0, 1]"), 64)
    with pytest.raises(UndecidedComparison):
        run(problem(), Supply(gradient=raises(doubt)))
