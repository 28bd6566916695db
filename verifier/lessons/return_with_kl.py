"""Lesson: a return that contains log p, and what may be differentiated in it."""

from collections.abc import Sequence
from fractions import Fraction

from grpocheck.core.arithmetic import Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.gradient import divergence_gradient, weighted_sum
from grpocheck.core.prompt import Prompt
from grpocheck.core.variants.registry import named
from grpocheck.core.variants.words import with_parts
from grpocheck.verifier.estimator.exact import estimate
from grpocheck.verifier.estimator.problems import update_of
from grpocheck.verifier.lessons.lesson import Lesson, Page
from grpocheck.verifier.lessons.numbers import decimals
from grpocheck.verifier.lessons.small_problems import (
    BETA,
    CURRENT,
    REFERENCE,
    RESPONSES,
    REWARDS,
    two_responses,
)

PARTS = (
    ("k1 in the reward, detached", "kl=k1,place=reward-before-baseline"),
    ("k3 in the reward, detached", "kl=k3,place=reward-before-baseline"),
    ("k1 in the loss", "kl=k1"),
    ("k2 in the loss", "kl=k2"),
    ("k3 in the loss", "kl=k3"),
    ("the exact KL in the loss", "kl=exact"),
)


def mean_of(values: Sequence[Scalar]) -> Scalar:
    """The mean under p."""
    return sum(mass * value for mass, value in zip(CURRENT, values, strict=True))


def objective(mass: Fraction, page: Page) -> Scalar:
    """E[R] - beta KL(p || q) where the first response has this mass."""
    return mass * REWARDS[0] - BETA * kl_divergence((mass, 1 - mass), REFERENCE, page.arithmetic)


def tell(page: Page) -> None:
    """Three ways to differentiate, each enumerated over both responses."""
    arithmetic = page.arithmetic
    page.say(
        """REINFORCE multiplies a reward by the score, the gradient of log p of the response that was drawn. It is
        derived for rewards that do not depend on the parameter. Put the KL into the reward and that is no longer so:
        the return R - beta log(p/q) contains p itself. May one still do it?"""
    )
    page.say(
        """Both responses can be listed, so nothing has to be sampled: p = [0.8, 0.2], q = [0.5, 0.5], rewards 1 and 0,
        beta = 0.1. The parameter is theta = 0.8, the mass of the first response. The scores are 1/0.8 and -1/0.2."""
    )
    prompt = Prompt(0, "q", RESPONSES, REWARDS, REFERENCE)
    rows = Bernoulli().mass_gradients(CURRENT[:1], prompt, arithmetic)
    scores = [row[0] / mass for row, mass in zip(rows, CURRENT, strict=True)]
    logs = [arithmetic.log(mass / base) for mass, base in zip(CURRENT, REFERENCE, strict=True)]
    returns = [reward - BETA * log for reward, log in zip(REWARDS, logs, strict=True)]
    page.heading("The truth")
    slope = weighted_sum(list(zip(REWARDS, rows, strict=True)))[0]
    slope -= BETA * divergence_gradient(CURRENT, REFERENCE, rows, arithmetic)[0]
    truth = page.fact("gradient", "the derivative of E[R] - beta KL at theta = 0.8", slope)
    step = Fraction(1, 10**4)
    quotient = (objective(CURRENT[0] + step, page) - objective(CURRENT[0] - step, page)) / (2 * step)
    page.fact("difference", "a difference quotient of the objective, step 0.0001", quotient, 7)
    page.heading("1. The return held fixed")
    detached = [value * score for value, score in zip(returns, scores, strict=True)]
    fixed = page.fact("detached", "E[return * score], the return detached", mean_of(detached))
    page.finding("detached-right", "is it the derivative?", arithmetic.equal(fixed.value, truth.value))
    page.say(
        """Why does it work? The derivative of the sum of p (R - beta log(p/q)) has two parts: p moves in front, which
        is return times score; and log p moves inside, which is -beta times the score."""
    )
    own = [-BETA * score for score in scores]
    page.fact("own-first", "the return's own term, first response: -beta score", own[0])
    page.fact("own-second", "the return's own term, second response", own[1])
    page.fact("own-mean", "its mean under p", mean_of(own))
    page.say(
        """Neither is 0, and their mean is exactly 0, since probabilities always sum to 1. So leaving the term out
        costs nothing on average. It is the mean that vanishes, not the term of a sample."""
    )
    page.heading("2. Differentiating the product, return and all")
    extra = [-BETA * score * arithmetic.log(mass) for score, mass in zip(scores, CURRENT, strict=True)]
    through = page.fact(
        "through",
        "the mean gradient of return * log p when the return is not detached",
        mean_of([a + b for a, b in zip(detached, extra, strict=True)]),
    )
    error = page.fact("through-error", "the error: the mean of -beta score log p", through.value - truth.value)
    page.say(
        f"""This is the loss return * log p with a forgotten detach. The product rule then adds log p times the
        derivative of the return. That is {error.decimals} on average here. It is no noise: more draws do not help."""
    )
    page.heading("3. Only the sampled KL values")
    sampled = [reward * score - BETA * score for reward, score in zip(REWARDS, scores, strict=True)]
    alone = page.fact("values-only", "E[R score - beta grad log(p/q)]", mean_of(sampled))
    page.fact("reward-alone", "the derivative of E[R] alone", weighted_sum(list(zip(REWARDS, rows, strict=True)))[0])
    page.fact("kl-part", "what should have come off: beta times the derivative of the KL", alone.value - truth.value)
    page.say(
        """Here the mean of log(p/q) over the samples is treated as a penalty and differentiated. Each sample gives the
        score, and the score has mean 0: the penalty has no gradient at all. The value that is logged is a right
        estimate of the KL, and its derivative is an estimate of 0, because moving p also moves what is drawn."""
    )
    page.heading("What trainers do")
    page.say("The same question, put to the estimator with groups of two and no baseline, all draws enumerated:")
    update = update_of(two_responses(CURRENT[0], beta=BETA), arithmetic)
    rows_of_parts = []
    for label, part in PARTS:
        found = estimate(with_parts(named("reinforce-none"), [part]), update, 2, arithmetic)
        expected = found.moments.expected
        rows_of_parts.append((label, "none" if expected is None else decimals(expected[0]), found.verdict.value))
    page.table(("KL term", "expected gradient", "verdict"), rows_of_parts, right=("expected gradient",))
    page.say(
        """k3 in the reward is a good number and a wrong return: return times score then aims at another objective. k2
        in the loss has the wrong value and the right gradient. Ask of each term where it stands, and what is
        differentiated."""
    )
    page.command("grpocheck estimator reinforce-none examples/two_paths.toml --with kl=k1")
    page.exercise(
        "Two responses, p = [0.75, 0.25]. What is the mean of the score of theta under p?",
        Fraction(0),
        "0.75 times 1/0.75 is 1, and 0.25 times -1/0.25 is -1. The masses sum to 1 whatever theta is.",
    )
    page.exercise(
        "A loss holds the mean of log(p/q) over the batch, and autograd runs through it. Does the KL then pull p back?",
        "no",
        "On average its gradient is beta times the mean score, which is 0.",
        choices=("yes", "no"),
    )


LESSON = Lesson("return-with-kl", "A return that contains log p, and what may be differentiated", 9, tell)
