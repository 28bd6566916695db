"""Lies that the problem's own definition tells; expected values by hand, from F = (theta/old - (1-theta)/(1-old))/2."""

from fractions import Fraction as F
from pathlib import Path
from types import SimpleNamespace

import pytest
from grpocheck.core import Supply, SupplyViolation, read_problem, run
from grpocheck.core.arithmetic.errors import UndecidedComparison
from grpocheck.core.domains import OpenBox
from grpocheck.core.oracles import UNDEFINED_GRADIENT
from grpocheck.core.violations import Clause
from grpocheck.verifier.supplied import cross_examination
from grpocheck.verifier.supplied.cross_examination import cross_examined

from tests.hostile import supplies
from tests.hostile.test_table import Policy, answers, problem

BOXED = {"domain": OpenBox((F(1, 4),), (F(11, 20),))}
KL = {"beta": "1/10"}


def stale(frozen, theta):
    """With a KL term the gradient moves with theta; this one is always that at theta_old, which is 2."""
    return [F(2)]


def kinked():
    """The second attempt is at 3/5, where both drawn responses sit on their bounds."""
    return read_problem(Path(__file__).parent.parent.parent / "examples" / "undefined_gradient.toml")


LIES = {
    "true outside U": (problem(**BOXED), Supply(domain=answers(True)), Clause.DOMAIN_VALUE, "outside U, at [29/50]"),
    "false inside U": (
        problem(),
        Supply(domain=lambda theta: theta[0] == F(1, 2)),
        Clause.DOMAIN_VALUE,
        "answered False inside U, at [27/50]",
    ),
    "another reward": (problem(), Supply(reward=answers(3)), Clause.REWARD_VALUE, "answered 3, expected 1"),
    "another gradient": (
        problem(),
        Supply(gradient=answers([3])),
        Clause.GRADIENT_VALUE,
        "answered [3], expected [2] (entry 1 of 1 differs)",
    ),
    "the gradient of another point": (
        problem(**KL),
        Supply(gradient=stale),
        Clause.GRADIENT_VALUE,
        "it is the gradient at the parameter of inner step 1, [1/2]",
    ),
    "undefined without a kink": (
        problem(),
        Supply(gradient=answers(UNDEFINED_GRADIENT)),
        Clause.GRADIENT_VALUE,
        "answered undefined-gradient, expected [2]",
    ),
    "a gradient at a kink": (kinked(), Supply(gradient=answers([2])), Clause.GRADIENT_VALUE, "where F_t has a kink"),
    "other masses": (
        problem(),
        Supply(policy=Policy((F(1, 3), F(2, 3)))),
        Clause.MASSES_VALUE,
        "answered [1/3, 2/3], expected [1/2, 1/2]",
    ),
    "other slopes": (
        problem(),
        Supply(policy=Policy(gradients=((F(2),), (F(-2),)))),
        Clause.MASSES_VALUE,
        "answered [2], expected [1]",
    ),
}


@pytest.mark.parametrize(("given", "supply", "clause", "said"), LIES.values(), ids=LIES)
def test_a_lie_is_told_by_the_definition(given, supply, clause, said):
    with pytest.raises(SupplyViolation) as caught:
        run(given, cross_examined(given, supply))
    assert caught.value.clause is clause
    assert said in str(caught.value)


def test_an_enclosed_gradient_is_shown():
    with pytest.raises(SupplyViolation, match=r"answered \[2\], expected \[.*log\(27/25\)"):
        run(problem(**KL), cross_examined(problem(**KL), Supply(gradient=stale)))


def undecided(*_):
    raise UndecidedComparison("here", "there", ("0", "0"), 64)


def test_what_the_definition_leaves_open_passes(monkeypatch):
    given = problem()
    supply = Supply(domain=answers(True), gradient=answers([F(2)]))
    plain = run(given, supply)
    monkeypatch.setattr(cross_examination, "objective_gradient", undecided)
    examiner = cross_examination.Examiner(given, supply)
    assert examiner.gradient(plain.iterations[0].frozen, given.theta) == [F(2)]
    unknown = SimpleNamespace(admissible_domain=SimpleNamespace(contains=undecided))
    assert cross_examination.Examiner(unknown, supply).domain(given.theta) is True


def test_the_truth_passes():
    plain, examined = run(problem(), supplies.whole), run(problem(), cross_examined(problem(), supplies.whole))
    assert examined.to_mapping() == plain.to_mapping()


def test_what_breaks_another_clause_is_left_to_it():
    given = Supply(reward=answers("1"), gradient=answers((F(1), F(2))))
    with pytest.raises(SupplyViolation) as caught:
        run(problem(), cross_examined(problem(), given))
    assert caught.value.clause is Clause.REWARD_FINITE
