"""Lesson: a single log ratio may be negative, and so may the mean of a group's."""

from fractions import Fraction

from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.variants.penalties import Divergence, KLTerm, estimate
from grpocheck.verifier.counts import count_vectors, probability
from grpocheck.verifier.lessons.lesson import Lesson, Page
from grpocheck.verifier.lessons.numbers import decimals
from grpocheck.verifier.lessons.small_problems import CURRENT, REFERENCE

SIZES = (1, 2, 3, 4, 8, 16)
ESTIMATES = (Divergence.K1, Divergence.K2, Divergence.K3)


def share_below_zero(size: int, logs: tuple[Scalar, ...], arithmetic: Arithmetic) -> Scalar:
    """The probability that the mean log ratio of a group is negative, over every group up to its order."""
    return sum(
        (
            probability(counts, CURRENT)
            for counts in count_vectors(len(CURRENT), size)
            if arithmetic.less(sum(n * log for n, log in zip(counts, logs, strict=True)), 0)
        ),
        Fraction(0),
    )


def tell(page: Page) -> None:
    """k1, k2 and k3 on p = [0.8, 0.2] and q = [0.5, 0.5]."""
    arithmetic = page.arithmetic
    page.say(
        """The KL of a policy with too many responses to list is estimated from samples: draw a response y from p, and
        look at log(p(y)/q(y)). People then see a negative number in their log and look for the bug. There is none."""
    )
    values = {
        kind: tuple(
            estimate(mass, base, KLTerm(kind), arithmetic).value for mass, base in zip(CURRENT, REFERENCE, strict=True)
        )
        for kind in ESTIMATES
    }
    logs = values[Divergence.K1]
    page.heading("One sample")
    page.say("p = [0.8, 0.2] and q = [0.5, 0.5], as in the lesson kl-directions.")
    page.fact("log-first", "first response drawn: log(0.8/0.5)", logs[0], 6)
    negative = page.fact("log-second", "second response drawn: log(0.2/0.5)", logs[1], 6)
    divergence = kl_divergence(CURRENT, REFERENCE, arithmetic)
    page.fact("kl", "their mean under p, KL(p || q)", sum(m * v for m, v in zip(CURRENT, logs, strict=True)))
    page.say(
        f"""The second response is rarer under p than under q, so its log ratio is {negative.decimals}. What cannot be
        negative is the mean over p, not the number that one draw shows. That is non-claim N5."""
    )
    page.heading("A group of samples")
    page.say("The mean over a group of G draws can be negative as well. Going through every group gives how often:")
    shares = [(size, share_below_zero(size, logs, arithmetic)) for size in SIZES]
    page.table(
        ("G", "probability that the group's mean log ratio is below 0"),
        [(str(size), share) for size, share in shares],
        right=("G", "probability that the group's mean log ratio is below 0"),
        places=6,
    )
    page.fact("share-two", "at G = 2, more often than for a single draw", dict(shares)[2])
    page.say(
        """One draw of the second response outweighs one of the first, but not two. So at G = 2 a single one is enough,
        and at G = 3 it takes two. The share falls as G grows, though not at every step, and never to 0."""
    )
    page.heading("Three estimates")
    page.say(
        """With l = log(p/q) of the draw, trainers use k1 = l, k2 = l^2/2 and k3 = exp(-l) - 1 + l. Here they are, draw
        by draw, with their exact means."""
    )
    means = {kind: sum(m * v for m, v in zip(CURRENT, values[kind], strict=True)) for kind in ESTIMATES}
    page.table(
        ("estimate", "first response", "second response", "mean under p", "mean = KL?"),
        [
            (
                kind.value,
                *values[kind],
                means[kind],
                "yes" if arithmetic.equal(means[kind], divergence) else "no",
            )
            for kind in ESTIMATES
        ],
        right=("first response", "second response", "mean under p"),
        places=6,
    )
    page.fact("k2-mean", "the mean of k2, which is not the KL", means[Divergence.K2])
    page.finding(
        "k3-unbiased", "k3 is never negative; is its mean the KL?", arithmetic.equal(means[Divergence.K3], divergence)
    )
    page.say(
        """So k1 is right on average and may be negative; k3 is right on average and never is; k2 is only near. This is
        about their values. Which of them may be differentiated is another question, and has another answer: the lesson
        return-with-kl."""
    )
    page.command("grpocheck explain N5")
    page.exercise(
        "p = [0.8, 0.2], q = [0.5, 0.5]. What is the probability that all three log ratios of a group of 3 are below "
        "0?",
        CURRENT[1] ** 3,
        f"""All three draws have to be the second response: 0.2 times 0.2 times 0.2. Their mean is below 0 more often,
        with probability {decimals(dict(shares)[3])}.""",
    )


LESSON = Lesson("single-sample-log-ratio", "A single log ratio may be negative, and so may a group's mean", 6, tell)
