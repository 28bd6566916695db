"""Lesson: the two directions of KL, by hand and exactly, and what a zero in the reference is."""

from fractions import Fraction

from grpocheck.core.divergence import kl_divergence
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.prompt import Prompt
from grpocheck.verifier.lessons.lesson import Lesson, Page
from grpocheck.verifier.lessons.small_problems import BETA, CURRENT, REFERENCE, RESPONSES, REWARDS


def tell(page: Page) -> None:
    """Two paths, p = [0.8, 0.2] and q = [0.5, 0.5]."""
    arithmetic = page.arithmetic
    page.say(
        """How far has a policy moved from its reference? The answer used here is the Kullback-Leibler divergence, an
        average of log ratios. There are two of them, and they differ in who does the averaging."""
    )
    page.say(
        """Take two responses. The current policy p gives them 0.8 and 0.2, the reference q gives 0.5 and 0.5.
        Logarithms are natural, so every number below is in nats."""
    )
    page.heading("By hand")
    first, second = (arithmetic.log(a / b) for a, b in zip(CURRENT, REFERENCE, strict=True))
    page.fact("log-first", "log(p/q) of the first response, log 1.6", first, 6)
    page.fact("log-second", "log(p/q) of the second response, log 0.4", second, 6)
    page.fact("first-term", "0.8 times the first", CURRENT[0] * first, 6)
    page.fact("second-term", "0.2 times the second", CURRENT[1] * second, 6)
    forward = page.fact(
        "kl-p-q", "their sum, KL(p || q): weighted by the current policy", kl_divergence(CURRENT, REFERENCE, arithmetic)
    )
    page.say(
        """One of the two terms is negative, and the sum is not. That is no accident: KL is at least 0, and 0 only when
        the two policies are the same. The single terms promise nothing."""
    )
    page.heading("The other direction")
    backward = page.fact(
        "kl-q-p", "KL(q || p): weighted by the reference", kl_divergence(REFERENCE, CURRENT, arithmetic)
    )
    page.finding("they-differ", "are the two equal?", arithmetic.equal(forward.value, backward.value))
    page.say(
        """The update that this project states uses the first one, KL(p || q). Its text calls it the forward KL; much of
        the field calls the very same number the reverse KL. Say who weighs, and nobody is misled: here the current
        policy does, and the draws come from it."""
    )
    page.heading("In the objective")
    page.say("With rewards 1 and 0 and beta = 0.1, the objective is E[R] - beta KL(p || q).")
    page.fact(
        "objective-at-p",
        "at p: 0.8 - 0.1 KL",
        sum(m * r for m, r in zip(CURRENT, REWARDS, strict=True)) - BETA * forward.value,
        7,
    )
    page.fact(
        "objective-at-q",
        "at the reference: no KL to pay",
        sum(m * r for m, r in zip(REFERENCE, REWARDS, strict=True))
        - BETA * kl_divergence(REFERENCE, REFERENCE, arithmetic),
    )
    page.say(
        """beta turns nats into reward units. It is a price, not a step size: with beta = 0 only the reward counts, and
        no finite beta promises that the policy stays where it was."""
    )
    page.heading("A zero in the reference")
    page.say(
        """Let the reference shrink on the second response, while p stays at 0.8 and 0.2. The divergence grows without a
        bound, slowly: a factor of ten in the reference adds 0.2 log 10."""
    )
    rows = []
    for power in (1, 3, 6, 12, 24):
        small = Fraction(1, 10**power)
        rows.append((f"10^-{power}", kl_divergence(CURRENT, (1 - small, small), arithmetic)))
    page.table(("q of the second response", "KL(p || q)"), rows, right=("KL(p || q)",), places=6)
    try:
        Prompt(0, "q", RESPONSES, REWARDS, (Fraction(1), Fraction(0)))
    except InvalidProblem as refusal:
        page.finding("zero-reference", "and at exactly 0?", f"refused: {refusal}")
    page.say(
        """At 0 there is no number. A reference that gives 0 to something the policy can say makes the divergence
        infinite, and a small constant in its place (1e-8, say) would make it an arbitrary number: in the table above,
        anything one likes. So a zero is refused before the run, with the key that holds it."""
    )
    page.exercise(
        "p = [0.5, 0.5] and q = [0.8, 0.2]. What is KL(p || q), to three decimals?",
        backward.value,
        f"""It is the number of fact {backward.number}, since the roles are exchanged: 0.5 log(0.5/0.8) + 0.5
        log(0.5/0.2).""",
        places=3,
    )


LESSON = Lesson("kl-directions", "Two directions of KL, by hand and exactly", 7, tell)
