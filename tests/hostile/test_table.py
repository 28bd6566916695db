"""Every hostile behaviour of a supply, and what a run says of it.

What is expected is stated here: the clause that is named and a part of the message, or the outcome of the same run with
the built-in oracle, where the behaviour must have no effect at all.
"""

import decimal
import os
import random
import signal
import sys
import threading
from fractions import Fraction as F

import mpmath
import pytest
from grpocheck.contracts.clauses import ContractViolation
from grpocheck.core import Problem, Prompt, Supply, SupplyViolation, run
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.arithmetic.surd import Surd
from grpocheck.core.domains import OpenBox
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.families.supplied import Supplied
from grpocheck.core.trace_errors import TraceError
from grpocheck.core.violations import Clause

from tests.hostile.answers import (
    Disguised,
    EndlessList,
    LyingFraction,
    LyingInt,
    LyingSurd,
    LyingText,
    LyingTuple,
    NotANumber,
    SilentError,
    Unspeakable,
    malformed,
    sqrt_of_four,
)


def problem(**changes):
    """Bernoulli theta = 1/2, the recorded group ("good", "bad") twice: advantages 1 and -1, F has slope 2 at theta."""
    data = {
        "prompts": (Prompt(0, "q", ("good", "bad"), (1, 0), ("1/2", "1/2")),),
        "family": Bernoulli(),
        "theta": ("1/2",),
        "group_size": 2,
        "outer_iterations": 2,
        "inner_steps": 2,
        "epsilon": "1/5",
        "beta": 0,
        "step_sizes": (("1/50", "1/50"),) * 2,
        "recorded": ((("good", "bad"),),) * 2,
    }
    return Problem(**(data | changes))


def of_a_policy():
    return problem(family=Supplied(1), domain=OpenBox((F(-5),), (F(5),)))


class Policy:
    """A policy with these answers."""

    def __init__(self, masses=(F(1, 2), F(1, 2)), gradients=((F(1),), (F(-1),))):
        self.answers = masses, gradients

    def masses(self, theta, prompt, arithmetic):
        return self.answers[0]

    def mass_gradients(self, theta, prompt, arithmetic):
        return self.answers[1]


class Wavering(Policy):
    """Other masses at the same parameter: the gradient is 0, so every parameter is the first one again."""

    calls = 0

    def masses(self, theta, prompt, arithmetic):
        self.calls += 1
        return F(1, self.calls + 1), F(self.calls, self.calls + 1)

    def mass_gradients(self, theta, prompt, arithmetic):
        return (F(0),), (F(0),)


class Accountant(Policy):
    """A policy that enters draws and attempts into the ledger of the arithmetic that it is lent."""

    def masses(self, theta, prompt, arithmetic):
        arithmetic.ledger.draws += 3
        arithmetic.ledger.gradient_attempts = 0
        arithmetic.less(F(0), F(1))
        return self.answers[0]


def answers(value):
    return lambda *_: value


def raises(error):
    def oracle(*_):
        raise error

    return oracle


def recursing(*arguments):
    return recursing(*arguments)


def in_turn(*given):
    left = list(given)
    return lambda *_: left.pop(0)


VIOLATIONS = {
    "raises an error": (Supply(reward=raises(RuntimeError("lost"))), Clause.ANSWERS, "raised RuntimeError: lost"),
    "raises SystemExit": (Supply(reward=raises(SystemExit(0))), Clause.ANSWERS, "raised SystemExit: 0"),
    "raises GeneratorExit": (Supply(draws=raises(GeneratorExit())), Clause.ANSWERS, "raised GeneratorExit: broken"),
    "raises MemoryError": (Supply(gradient=raises(MemoryError())), Clause.ANSWERS, "raised MemoryError"),
    "recurses": (Supply(reward=recursing), Clause.ANSWERS, "raised RecursionError"),
    "an error without a text": (Supply(reward=raises(SilentError())), Clause.ANSWERS, "SilentError: its text cannot"),
    "an error of many lines": (Supply(reward=raises(OSError("a\nb\x1b[2J"))), Clause.ANSWERS, "OSError: a b [2J: "),
    "feigns a broken contract": (Supply(reward=raises(ContractViolation("B2"))), Clause.ANSWERS, "ContractViolation"),
    "feigns a broken trace": (Supply(reward=raises(TraceError("line 7"))), Clause.ANSWERS, "raised TraceError: line 7"),
    "is no function": (Supply(reward=7), Clause.ANSWERS, "raised TypeError"),
    "has no methods": (Supply(policy=object()), Clause.ANSWERS, "no attribute 'masses'"),
    "a float": (Supply(reward=answers(0.5)), Clause.NUMBER, "answered the float 0.5"),
    "a float that is NaN": (Supply(reward=answers(float("nan"))), Clause.NUMBER, "the float nan, which is no number"),
    "a NaN": (Supply(gradient=answers((float("nan"),))), Clause.NUMBER, "answered nan of type float"),
    "a disguise": (Supply(reward=answers(Disguised())), Clause.REWARD_FINITE, "answered a Disguised"),
    "what cannot be shown": (Supply(reward=answers(Unspeakable())), Clause.REWARD_FINITE, "answered a Unspeakable"),
    "a derived Surd": (Supply(reward=answers(LyingSurd({(2,): F(1)}))), Clause.REWARD_FINITE, "answered a LyingSurd"),
    "a Fraction over 0": (Supply(reward=answers(malformed(1, 0))), Clause.REWARD_FINITE, "malformed"),
    "a Fraction of texts": (Supply(reward=answers(malformed("1", 2))), Clause.REWARD_FINITE, "malformed"),
    "a number of 10^7 digits": (Supply(reward=answers(1 << 10**8)), Clause.REWARD_FINITE, "of too many digits"),
    "other rewards": (Supply(reward=in_turn(1, 0, 2)), Clause.SAME_ANSWER, "answered 2, and 1 to the same question"),
    "another membership": (
        Supply(gradient=answers([0]), domain=in_turn(True, True, False)),
        Clause.SAME_ANSWER,
        "answered False, and True to the same question",
    ),
    "another gradient": (Supply(gradient=in_turn([0], [1])), Clause.SAME_ANSWER, "answered [1], and [0]"),
    "other masses": (Supply(policy=Wavering()), Clause.SAME_ANSWER, "answered [1/3, 2/3], and [1/2, 1/2]"),
    "masses of another sum": (Supply(policy=Policy((F(1, 2), F(1, 3)))), Clause.MASSES_SUM, "sum 5/6, expected 1"),
    "lying masses": (Supply(policy=Policy((LyingFraction(5), LyingFraction(7)))), Clause.MASSES_SUM, "with sum 12"),
    "lying slopes": (
        Supply(policy=Policy(gradients=((LyingFraction(5),), (LyingFraction(7),)))),
        Clause.MASS_GRADIENTS_SUM,
        "column 1 of 1 has sum 12",
    ),
    "a lying response": (Supply(draws=answers(LyingText("ugly"))), Clause.DRAW_SUPPORTED, "answered 'ugly'"),
    "a lying length": (Supply(gradient=answers(LyingTuple((F(1), F(2))))), Clause.GRADIENT_SHAPE, "answered 2 entries"),
    "an iterator": (Supply(gradient=answers(iter([F(1)]))), Clause.GRADIENT_SHAPE, "not a tuple or list"),
    "a membership that is none": (Supply(domain=answers(1)), Clause.DOMAIN_BOOLEAN, "answered 1 of type int"),
    "true where masses vanish": (Supply(gradient=answers([99]), domain=answers(True)), Clause.DOMAIN_WITHIN, "True"),
    "the recursion limit": (
        Supply(reward=lambda *_: sys.setrecursionlimit(300) or 1),
        Clause.SURROUNDINGS,
        "changed the recursion limit from",
    ),
    "the working directory": (Supply(reward=lambda *_: os.chdir("/") or 1), Clause.SURROUNDINGS, "working directory"),
    "the interrupt": (
        Supply(reward=lambda *_: signal.signal(signal.SIGINT, signal.SIG_IGN) and 1),
        Clause.SURROUNDINGS,
        "changed what an interrupt does",
    ),
    "texts of integers": (
        Supply(reward=lambda *_: sys.set_int_max_str_digits(700) or 1),
        Clause.SURROUNDINGS,
        "digits of an integer's text to 700",
    ),
}


@pytest.mark.parametrize(("supply", "clause", "said"), VIOLATIONS.values(), ids=VIOLATIONS)
def test_what_is_detected_is_named(supply, clause, said):
    before = sys.getrecursionlimit(), os.getcwd(), signal.getsignal(signal.SIGINT), sys.get_int_max_str_digits()
    with pytest.raises(SupplyViolation) as caught:
        run(of_a_policy() if supply.policy is not None else problem(), supply)
    assert caught.value.clause is clause
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    after = sys.getrecursionlimit(), os.getcwd(), signal.getsignal(signal.SIGINT), sys.get_int_max_str_digits()
    assert after == before


def rewarding(value):
    """The problem's rewards, 1 of them in another form."""
    return lambda prompt, response: value if response == "good" else 0


def spoiling(change):
    """The problem's own rewards, after a change of what the oracle was given."""

    def reward(prompt, response):
        change(prompt)
        return 1 if response == "good" else 0

    return reward


def set_masses(masses, prompt, outer_iteration, draw):
    masses[0]._numerator = 9
    object.__setattr__(prompt, "name", "r")
    return "good" if draw == 1 else "bad"


def set_theta(theta):
    theta[0]._denominator = 1
    return True


def slope(frozen, theta):
    """The gradient of (theta/old - (1 - theta)/(1 - old))/2, which F is here; then what was given is overwritten."""
    old = frozen.theta_old[0]
    gradient = [(1 / old + 1 / (1 - old)) / 2]
    object.__setattr__(frozen.groups[0], "advantages", (F(5), F(-5)))
    object.__setattr__(frozen, "epsilon", F(9, 10))
    object.__setattr__(frozen, "groups", ())
    old._numerator = 10**6
    return gradient


def reentering(*arguments):
    run(problem())
    return slope(*arguments)


def with_state(frozen, theta):
    random.seed(0)
    decimal.getcontext().prec = 1
    mpmath.mp.prec = mpmath.iv.prec = 2
    os.environ["GRPOCHECK_CONTRACTS"] = "off"
    threading.Thread(target=lambda: None, daemon=True).start()
    return slope(frozen, theta)


HARMLESS = {
    "a derived Fraction": Supply(reward=rewarding(LyingFraction(1))),
    "a derived int": Supply(reward=rewarding(LyingInt(1))),
    "a NaN by its comparisons": Supply(reward=rewarding(NotANumber(1))),
    "a Fraction not in lowest terms": Supply(reward=rewarding(malformed(3, 3))),
    "a derived text": Supply(draws=lambda m, p, t, i: LyingText("good" if i == 1 else "bad")),
    "a list without end": Supply(gradient=lambda frozen, theta: EndlessList(slope(frozen, theta))),
    "overwrites the reference": Supply(reward=spoiling(lambda p: vars(p).update(reference=(F(1, 9), F(8, 9))))),
    "overwrites the support": Supply(reward=spoiling(lambda p: vars(p).update(responses=("x", "y")))),
    "overwrites a number": Supply(reward=spoiling(lambda p: setattr(p.rewards[0], "_numerator", 9))),
    "overwrites the masses": Supply(draws=set_masses),
    "overwrites theta": Supply(domain=set_theta),
    "overwrites the frozen data": Supply(gradient=slope),
    "runs another problem": Supply(gradient=reentering),
    "state of other libraries": Supply(gradient=with_state),
}


@pytest.mark.parametrize("supply", HARMLESS.values(), ids=HARMLESS)
def test_what_has_no_effect_has_none(supply, monkeypatch):
    monkeypatch.setenv("GRPOCHECK_CONTRACTS", "on")
    precisions = decimal.getcontext().prec, mpmath.mp.prec, mpmath.iv.prec
    try:
        found, plain = run(problem(), supply), run(problem())
    finally:
        decimal.getcontext().prec, mpmath.mp.prec, mpmath.iv.prec = precisions
    assert found.status is plain.status
    assert [found.arithmetic.text(entry) for entry in found.theta] == [plain.arithmetic.text(plain.theta[0])]
    assert found.to_mapping()["steps"] == plain.to_mapping()["steps"]
    for made, other in zip(found.iterations, plain.iterations, strict=True):
        assert [group.rewards for group in made.frozen.groups] == [group.rewards for group in other.frozen.groups]
        assert {type(reward) for group in made.frozen.groups for reward in group.rewards} == {F}
        assert made.frozen.groups[0].prompt == other.frozen.groups[0].prompt


def test_the_ledger_is_not_lent():
    honest = run(of_a_policy(), Supply(policy=Policy()))
    found = run(of_a_policy(), Supply(policy=Accountant()))
    # masses are asked at theta_0 and after each of the four steps, and each time the policy compares once
    expected = honest.ledger.to_mapping() | {"comparisons": honest.ledger.comparisons + 5}
    assert found.ledger.to_mapping() == expected


def test_a_forged_root_is_the_number_that_it_writes():
    moved = run(problem(inner_steps=1, step_sizes=(("1/50",),) * 2), Supply(gradient=answers([sqrt_of_four()])))
    assert moved.theta == (F(1, 2) + F(4, 50),)
    assert type(moved.theta[0]) is F


def reckless(**operations):
    """Exact arithmetic with an operation replaced."""
    return type("Reckless", (ExactArithmetic,), {name: lambda self, *_, f=f: f(*_) for name, f in operations.items()})()


ARITHMETICS = {
    "raises": (reckless(sqrt=raises(OSError("gone"))), Clause.ANSWERS, "supplied arithmetic: raised OSError: gone"),
    "exits": (reckless(sqrt=raises(SystemExit(0))), Clause.ANSWERS, "raised SystemExit: 0"),
    "exits for its name": (
        type("Nameless", (ExactArithmetic,), {"name": property(raises(SystemExit(0)))})(),
        Clause.ARITHMETIC,
        "name of the supplied arithmetic: raised SystemExit: 0",
    ),
    "a number for a comparison": (reckless(less=answers(5)), Clause.ARITHMETIC, "less of the supplied arithmetic"),
    "a float": (reckless(sqrt=answers(0.5)), Clause.ARITHMETIC, "answered 0.5, expected a scalar"),
    "a number for a text": (reckless(text=answers(1)), Clause.ARITHMETIC, "expected a text"),
}


@pytest.mark.parametrize(("arithmetic", "clause", "said"), ARITHMETICS.values(), ids=ARITHMETICS)
def test_an_arithmetic_that_is_none_is_named(arithmetic, clause, said):
    with pytest.raises(SupplyViolation) as caught:
        run(problem(), Supply(arithmetic=arithmetic)).to_mapping()
    assert caught.value.clause is clause
    assert said in str(caught.value)


WRONG = {
    "a wrong root": (reckless(sqrt=answers(F(1))), r"sqrt\(x\)\^2 = x"),
    "a wrong order": (reckless(less=answers(True)), "less means less"),
    "a wrong minimum": (reckless(minimum=lambda left, right: left), "below both"),
    "unsettled": (reckless(settle=lambda value: value + 1), "settling keeps the number"),
}


@pytest.mark.parametrize(("arithmetic", "said"), WRONG.values(), ids=WRONG)
def test_an_arithmetic_that_is_wrong_breaks_a_contract(arithmetic, said):
    with pytest.raises(ContractViolation, match=said):
        run(problem(), Supply(arithmetic=arithmetic))


def test_a_surd_of_an_oracle_is_a_surd_of_the_run():
    root = Surd({(2,): F(1)})
    moved = run(problem(inner_steps=1, step_sizes=(("1/50",),) * 2), Supply(gradient=answers([root])))
    assert moved.theta == (F(1, 2) + 2 * root / 50,)
