"""What the ledger counts, call by call: an arithmetic's operations, and those of a policy that is lent one."""

from fractions import Fraction as F

import pytest
from grpocheck.core.arithmetic import EnclosureArithmetic
from grpocheck.core.counting import CountedArithmetic
from grpocheck.core.ledger import Bounds, Ledger
from grpocheck.core.oracles import Supply
from grpocheck.core.procedure import run

from .test_run import hill_problem, two_responses

LINES = ("square_roots", "logarithms", "exponentials", "comparisons")


@pytest.mark.parametrize(
    ("operation", "numbers", "line"),
    [
        ("sqrt", (F(2),), "square_roots"),
        ("log", (F(2),), "logarithms"),
        ("exp", (F(2),), "exponentials"),
        ("less", (F(1), F(2)), "comparisons"),
        ("equal", (F(1), F(2)), "comparisons"),
        ("minimum", (F(1), F(2)), "comparisons"),
        ("maximum", (F(1), F(2)), "comparisons"),
        ("number", (F(2),), None),
        ("settle", (F(2),), None),
    ],
)
def test_a_call_is_counted_once_and_in_its_own_line(operation, numbers, line):
    ledger = Ledger(Bounds(1, 1), 1)
    getattr(CountedArithmetic(EnclosureArithmetic(), ledger), operation)(*numbers)
    assert ledger.to_mapping() == dict.fromkeys(ledger.to_mapping(), 0) | ({line: 1} if line else {})


def test_a_run_with_a_penalty_counts_its_masses_roots_and_logarithms():
    """One step from theta_old to 27/50: two masses at each, one deviation, and log(p/q) of both responses three times.

    They are those of F at theta_old, of the gradient there, and of F after the step.
    """
    counts = run(two_responses(beta="1/25", inner_steps=1, step_sizes=(("1/50",),))).ledger.to_mapping()
    assert [counts[line] for line in ("mass_evaluations", *LINES[:3])] == [4, 1, 6, 0]


class Rooted:
    """A policy that takes two roots and compares once for masses of 1/2, and takes a logarithm for their gradients."""

    def masses(self, theta, prompt, arithmetic):
        half = arithmetic.sqrt(arithmetic.sqrt(F(1, 16)))
        return (half, 1 - half) if arithmetic.less(0, half) else ()

    def mass_gradients(self, theta, prompt, arithmetic):
        return ((arithmetic.log(F(1)),), (F(0),))


def test_what_a_lent_arithmetic_did_is_entered():
    """Masses are asked at theta_old and after each of two steps, their gradients where a step begins."""

    class Plain(Rooted):
        def masses(self, theta, prompt, arithmetic):
            return (F(1, 2), F(1, 2))

        def mass_gradients(self, theta, prompt, arithmetic):
            return ((F(0),), (F(0),))

    found, plain = (run(hill_problem(), Supply(policy=policy)).ledger.to_mapping() for policy in (Rooted(), Plain()))
    assert [found[line] - plain[line] for line in LINES] == [2 * 3, 2, 0, 3]
