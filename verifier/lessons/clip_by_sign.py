"""Lesson: which side of the clip holds depends on the sign of the advantage."""

from fractions import Fraction

from grpocheck.core.ratio import active_bound, clip, clipped_term
from grpocheck.core.variants.terms import TwoSided
from grpocheck.verifier.lessons.lesson import Lesson, Page
from grpocheck.verifier.lessons.numbers import decimals
from grpocheck.verifier.lessons.small_problems import EPSILON

CASES = (
    ("gain-saturated", Fraction(2), Fraction(7, 5)),
    ("loss-saturated", Fraction(-2), Fraction(3, 5)),
    ("loss-still-felt", Fraction(-2), Fraction(7, 5)),
    ("gain-still-felt", Fraction(2), Fraction(3, 5)),
)
COLUMNS = ("A", "rho", "rho A", "clip(rho) A", "the smaller one", "its slope in rho")


def tell(page: Page) -> None:
    """Four responses, one for each sign of the advantage and each side of the interval."""
    arithmetic = page.arithmetic
    page.say(
        """A response was drawn from the old policy. Its ratio rho says how much more likely the current policy makes
        it; its advantage A says whether it did better or worse than its group. The surrogate is
        min(rho A, clip(rho) A), with clip(rho) = min(1 + epsilon, max(1 - epsilon, rho)). Here epsilon is 0.2, so the
        clip keeps rho inside [0.8, 1.2]."""
    )
    page.say(
        """Read the minimum first. It is pessimistic: of the two products it takes the one that promises less. So the
        clip only ever takes away a gain that was already made. It never hides a loss."""
    )
    page.heading("Four cases")
    rows = []
    for _, advantage, rho in CASES:
        clipped = clip(rho, EPSILON, arithmetic) * advantage
        term = clipped_term(rho, advantage, EPSILON, arithmetic)
        slope = TwoSided().slopes(rho, advantage, EPSILON, arithmetic)[0]
        rows.append((advantage, rho, rho * advantage, clipped, term, slope))
    page.table(COLUMNS, rows, right=COLUMNS)
    gained, lost, felt, _ = (
        page.fact(name, f"A = {decimals(advantage)}, rho = {decimals(rho)}: the term", row[4])
        for (name, advantage, rho), row in zip(CASES, rows, strict=True)
    )
    page.say(
        f"""A good response that became likelier than the bound allows stops paying: at {gained.decimals} the slope is
        0. A bad one that became rarer than the bound allows stops paying too: at {lost.decimals} the slope is 0. Now
        look at the third row. The bad response became more likely, the term is {felt.decimals}, and the full slope is
        there to push it back. Nothing is saturated."""
    )
    page.heading("Two mistakes")
    without = page.fact(
        "minimum-left-out",
        "A = -2, rho = 1.4, the minimum left out: clip(rho) A",
        clip(Fraction(7, 5), EPSILON, arithmetic) * -2,
    )
    page.say(
        f"""Clipping rho and then multiplying by A gives {without.decimals}, with a slope of 0: the policy makes a bad
        response likelier, and the objective no longer minds. Whoever writes the clip without the minimum throws away
        the branch that a negative advantage needs. examples/lessons/clip_losses.py has both losses, and `grpocheck
        conform` tells them apart."""
    )
    page.fact("bound-positive", "the one bound that counts for A > 0", active_bound(Fraction(2), EPSILON, arithmetic))
    page.fact("bound-negative", "the one bound that counts for A < 0", active_bound(Fraction(-2), EPSILON, arithmetic))
    page.say(
        """The second mistake is to read a promise into it. For A < 0 there is no bound above: the term falls as far as
        rho rises. And a term of slope 0 does not hold its ratio, since other terms move the same parameters. Non-claim
        N4 has the two witnesses: a ratio outside the interval, and a KL as large as one likes after a single step."""
    )
    page.command("grpocheck explain N4")
    page.exercise(
        "epsilon = 0.2, A = -3, rho = 0.5. What is min(rho A, clip(rho) A)?",
        clipped_term(Fraction(1, 2), Fraction(-3), EPSILON, arithmetic),
        """rho A is -1.5, and clip(rho) A is -3 times 0.8. The second is smaller: the response is already rarer than
        the bound asks for, and making it rarer still brings nothing.""",
    )
    page.exercise(
        "epsilon = 0.2, A = -3, rho = 5. What is the term now?",
        clipped_term(Fraction(5), Fraction(-3), EPSILON, arithmetic),
        "clip(rho) A is only -3.6, and the minimum takes rho A: for a negative advantage nothing is capped above.",
    )


LESSON = Lesson("clip-by-sign", "Which side of the clip holds: it depends on the sign of the advantage", 5, tell)
