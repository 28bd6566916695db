"""Lesson: the best policy for a fixed reference is the reference tilted by exp(R/beta)."""

from fractions import Fraction

from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.families.softmax import softmax
from grpocheck.core.gradient import divergence_gradient, weighted_sum
from grpocheck.core.prompt import Prompt
from grpocheck.verifier.lessons.lesson import Lesson, Page, line
from grpocheck.verifier.lessons.small_problems import BETA, CURRENT, REFERENCE, RESPONSES, REWARDS

BETAS = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(10))


def tilted(beta: Fraction, arithmetic: Arithmetic) -> tuple[Scalar, ...]:
    """The masses proportional to q exp(R/beta), for the fair reference."""
    return softmax([(reward - REWARDS[0]) / beta for reward in REWARDS[1:]], arithmetic)


def best_value(beta: Fraction, arithmetic: Arithmetic) -> Scalar:
    """beta log E_q exp(R/beta)."""
    return beta * arithmetic.log(
        sum(base * arithmetic.exp(reward / beta) for base, reward in zip(REFERENCE, REWARDS, strict=True))
    )


def value(masses: tuple[Scalar, ...], beta: Fraction, arithmetic: Arithmetic) -> Scalar:
    """E[R] - beta KL(p || q)."""
    return sum(mass * reward for mass, reward in zip(masses, REWARDS, strict=True)) - beta * kl_divergence(
        masses, REFERENCE, arithmetic
    )


def tell(page: Page) -> None:
    """p*, its value, its gradient, and what is lost elsewhere."""
    arithmetic = page.arithmetic
    page.say(
        """With a reference q and a price beta, the objective of a single prompt is E_p[R] - beta KL(p || q). How good
        can it get, over all policies at all? That has a closed answer: p*(y) proportional to q(y) exp(R(y)/beta). The
        reference is tilted towards reward, and beta says how steeply."""
    )
    page.say("As before: q = [0.5, 0.5], rewards 1 and 0, beta = 0.1. So exp(R/beta) is exp(10) and 1.")
    best = tilted(BETA, arithmetic)
    page.heading("The best policy")
    page.fact("p-star", "p* of the first response", best[0])
    top = page.fact("value", "its value, beta log E_q exp(R/beta)", best_value(BETA, arithmetic))
    page.fact("value-by-definition", "the same from the definition, E[R] - beta KL", value(best, BETA, arithmetic))
    page.say(
        """The two are written differently and agree. Is it a maximum? With q fair, the derivative of the objective by
        the mass p of the first response is 1 - beta log(p/(1 - p))."""
    )
    page.fact("log-odds", "log(p*/(1 - p*))", arithmetic.log(best[0] / best[1]))
    page.fact("slope", "so the derivative at p*", 1 - BETA * arithmetic.log(best[0] / best[1]))
    prompt = Prompt(0, "q", RESPONSES, REWARDS, REFERENCE)
    rows = Bernoulli().mass_gradients(best[:1], prompt, arithmetic)
    slope = weighted_sum(list(zip(REWARDS, rows, strict=True)))[0]
    slope -= BETA * divergence_gradient(best, REFERENCE, rows, arithmetic)[0]
    tiny = Fraction(1, 10**30)
    page.finding(
        "slope-of-the-gradient",
        "the gradient that a run would use is below 10^-30 in size",
        arithmetic.less(slope, tiny) and arithmetic.less(-tiny, slope),
    )
    page.say(
        """The derivative is 0, and not merely small. The objective is concave in the masses, so this is the top. The
        last line is weaker: there the same number is written with two logarithms, and an enclosure shows that it is
        tiny, not that it is 0."""
    )
    page.heading("What is lost elsewhere")
    here = value(CURRENT, BETA, arithmetic)
    gap = BETA * kl_divergence(CURRENT, best, arithmetic)
    page.fact("at-p", "the objective at p = [0.8, 0.2]", here, 7)
    page.fact("gap", "beta KL(p || p*)", gap, 7)
    page.fact("sum", "their sum: the best value again", here + gap)
    page.say(
        """The loss against the best policy is beta times the divergence from it, for every p. Whatever raises the
        objective brings p nearer to p*, measured so; there is nothing else to gain."""
    )
    page.heading("The price")
    page.table(
        ("beta", "p* of the first response", "best value"),
        [(beta, tilted(beta, arithmetic)[0], best_value(beta, arithmetic)) for beta in BETAS],
        right=("beta", "p* of the first response", "best value"),
    )
    shares = [Fraction(k, 100) for k in range(1, 100)]
    page.plot(
        "objective",
        "E[R] - beta KL(p || q) by the mass of the first response",
        "p of the first response",
        "objective",
        *(
            line(f"beta {float(beta):g}", [(p, value((p, 1 - p), beta, arithmetic)) for p in shares])
            for beta in BETAS[1:4]
        ),
    )
    page.say(
        f"""A small beta leaves the reward in charge, a large one the reference. No finite beta gives either completely:
        p* keeps every response that q has. And the closed form promises nothing about training. A sampled run with a
        finite budget may stop well below {top.decimals}; the lesson ten-by-ten measures how far."""
    )
    one = Fraction(1)
    page.exercise(
        "q = [0.5, 0.5], rewards 1 and 0, beta = 1. What is p* of the first response, to three decimals?",
        tilted(one, arithmetic)[0],
        "exp(1) against 1 with equal references: e/(e + 1).",
        places=3,
    )


LESSON = Lesson("tilted-optimum", "The best policy for a fixed reference, and its value", 7, tell)
