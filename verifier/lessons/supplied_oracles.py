"""Lesson: what an oracle is, what the ledger counts, what the model does not assert, and what happens to a lie."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.frozen import FrozenIteration
from grpocheck.core.gradient import group_surrogate_gradient
from grpocheck.core.oracles import Supply
from grpocheck.core.outcome import Outcome
from grpocheck.core.problem import Problem
from grpocheck.core.procedure import run
from grpocheck.core.prompt import Prompt
from grpocheck.core.violations import SupplyViolation
from grpocheck.verifier.lessons.lesson import Lesson, Page
from grpocheck.verifier.lessons.small_problems import two_responses

HALF = Fraction(1, 2)
STEP = Fraction(1, 80)
RECORDED = ((("good", "bad"),),)
COUNTED = (
    ("draws", "response draws"),
    ("reward_evaluations", "reward evaluations"),
    ("mass_evaluations", "policy-mass evaluations"),
    ("gradient_attempts", "calls of the gradient oracle"),
    ("membership_calls", "calls of the domain oracle"),
    ("square_roots", "square roots"),
    ("comparisons", "comparisons"),
)


class CountingDomain:
    """U = (0, 1), with a count of its own calls."""

    def __init__(self) -> None:
        """No call yet."""
        self.calls = 0

    def __call__(self, theta: Sequence[Scalar]) -> bool:
        """Whether 0 < theta < 1."""
        self.calls += 1
        return bool(0 < theta[0] < 1)


def one_for_true(theta: Sequence[Scalar]) -> Any:
    """A domain oracle that answers with a number."""
    return 1


def half_as_a_float(prompt: Prompt, response: str) -> Any:
    """A reward oracle that answers with a float."""
    return 0.5


def something_else(masses: Sequence[Scalar], prompt: Prompt, outer_iteration: int, draw: int) -> str:
    """A draw oracle that answers with a response nobody asked about."""
    return "indifferent"


class NotAPolicy:
    """Masses that do not sum to 1."""

    def masses(self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic) -> Sequence[Scalar]:
        """0.6 and 0.3."""
        return (Fraction(3, 5), Fraction(3, 10))

    def mass_gradients(
        self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic
    ) -> Sequence[Sequence[Scalar]]:
        """1 and -1."""
        return ((Fraction(1),), (Fraction(-1),))


def out_of_order(frozen: FrozenIteration, theta: Sequence[Scalar]) -> Any:
    """A gradient oracle that fails."""
    raise TimeoutError("no answer from the worker")


LIES: tuple[tuple[str, Supply], ...] = (
    ("domain answers 1 for yes", Supply(domain=one_for_true)),
    ("reward answers a float", Supply(reward=half_as_a_float)),
    ("draw leaves the support", Supply(draws=something_else)),
    ("masses sum to 0.9", Supply(policy=NotAPolicy())),
    ("gradient raises", Supply(gradient=out_of_order)),
)


def doubled(page: Page) -> Supply:
    """A supply whose gradient oracle answers twice the gradient."""

    def gradient(frozen: FrozenIteration, theta: Sequence[Scalar]) -> Sequence[Scalar]:
        rows = ((Fraction(1),), (Fraction(-1),))
        masses = (theta[0], 1 - theta[0])
        (group,) = frozen.groups
        truth = group_surrogate_gradient(group, masses, rows, frozen.epsilon, page.arithmetic)
        return tuple(2 * entry for entry in truth)

    return Supply(gradient=gradient)


def violation(problem: Problem, supply: Supply, page: Page) -> SupplyViolation | None:
    """How a run with this supply was ended, if it was."""
    try:
        run(problem, supply, arithmetic=page.arithmetic)
    except SupplyViolation as error:
        return error
    return None


def tell(page: Page) -> None:
    """A run with its ledger, five lies that are caught and one that is not."""
    problem = two_responses(HALF, steps=((STEP, STEP),), recorded=RECORDED)
    page.say(
        """The update is stated over operations that somebody supplies: draws, rewards, policy masses, scalar
        arithmetic, square roots, logarithms, comparisons, a domain oracle that says whether a parameter is in U, and a
        gradient oracle. Each ends, each is exact, and each call has a finite cost. What is then proved holds for
        whoever supplies them so. That is a supplied-oracle model."""
    )
    page.say(
        """Think of a contract with two sides. The procedure promises: I call each of you at most so often. The oracles
        promise: whenever called, we answer, and rightly. Neither side says how the other does it."""
    )
    page.heading("What the ledger counts")
    page.say('One prompt, theta = 0.5, two inner steps of 0.0125, a recorded group "good", "bad":')
    domain = CountingDomain()
    honest: Outcome = run(problem, Supply(domain=domain), arithmetic=page.arithmetic)
    for operation, label in COUNTED:
        page.fact(operation.replace("_", "-"), label, Fraction(honest.ledger.to_mapping()[operation]))
    page.fact("domain-own-count", "calls that the domain oracle itself has seen", Fraction(domain.calls))
    page.say(
        """The domain oracle saw one call more than the ledger has: theta_0 in U is checked before the run, and is no
        call of the procedure. A call counts once however long it takes. An answer that is looked up again is not a
        second call, and an answer is never asked for twice."""
    )
    page.heading("A lie that is caught")
    page.say("Supplied code is not trusted. Five oracles that break their clause, and what the run says:")
    found = [(label, violation(problem, supply, page)) for label, supply in LIES]
    page.table(
        ("the oracle", "the clause that it broke"),
        [(label, "none was noticed" if error is None else error.clause.value) for label, error in found],
    )
    caught = sum(error is not None for _, error in found)
    page.fact("caught", "of the five lies, caught", Fraction(caught))
    page.say(
        """A broken clause is no fourth status. It is an error, outside the model: the run ends at the very call, with
        its trace intact so far. `grpocheck run` exits with 1 and names the clause."""
    )
    page.heading("A lie that is not")
    wrong = run(problem, doubled(page), arithmetic=page.arithmetic)
    page.fact("honest-theta", "theta with the honest gradient oracle", honest.theta[0])
    page.fact("lying-theta", "theta with one that answers twice the gradient", wrong.theta[0])
    page.finding("lying-status", "its status", str(wrong.status))
    page.finding(
        "same-ledger",
        "are draws, attempts and membership calls the same?",
        all(
            honest.ledger.to_mapping()[operation] == wrong.ledger.to_mapping()[operation]
            for operation in ("draws", "gradient_attempts", "membership_calls")
        ),
    )
    page.say(
        """Twice a gradient has the shape of a gradient. The run cannot know, and it does not pretend to: the bounds on
        the calls hold for liars too, and what is said about the objective holds for exact oracles only. A trace of the
        run can be checked by somebody who computes the gradient again."""
    )
    page.heading("What the model does not assert")
    page.say(
        """It asserts no algorithm that decides whether an arbitrary function is differentiable, and none that decides
        membership in an arbitrary open set. It asserts no cost in seconds, since a call costs what it costs. And it
        asserts nothing about floating point: an oracle that rounds is not exact, and a comparison that is nearly
        decided is not decided."""
    )
    page.command("grpocheck explain SupplyViolation")
    page.exercise(
        """A run with a supplied domain oracle makes 6 gradient attempts, all of which return a gradient. How many
        calls does the domain oracle see?""",
        Fraction(7),
        "One for each gradient that was returned, and one before the run, for theta_0.",
    )
    page.exercise(
        "A reward oracle always answers 1, for good and bad responses alike. Does the run notice?",
        "no",
        "1 is a finite number, which is all that the clause asks. Every group then has zero variance.",
        choices=("yes", "no"),
    )


LESSON = Lesson("supplied-oracles", "What is supplied, what is counted, and what a lie does", 8, tell)
