"""Lesson: the KL of a two-step policy step by step, with the right weights and with the wrong ones."""

from collections.abc import Sequence
from fractions import Fraction

from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.verifier.lessons.lesson import Lesson, Page
from grpocheck.verifier.lessons.small_problems import CURRENT, REFERENCE

FAIR = (Fraction(1, 2), Fraction(1, 2))
SKEWED = (Fraction(1, 8), Fraction(7, 8))


def joint(first: Sequence[Scalar], second: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    """The masses of the paths of two steps: the first step's mass times the second's after it."""
    return [mass * after for mass, row in zip(first, second, strict=True) for after in row]


def chained(
    weights: Sequence[Scalar], second: Sequence[Sequence[Scalar]], base: Sequence[Sequence[Scalar]], first: Scalar,
    arithmetic: Arithmetic,
) -> Scalar:
    """The first step's KL plus the second step's, each prefix weighted by ``weights``."""
    return first + sum(
        weight * kl_divergence(row, other, arithmetic)
        for weight, row, other in zip(weights, second, base, strict=True)
    )


def tell(page: Page) -> None:
    """The tree of seed [002], and one whose conditionals are rational throughout."""
    arithmetic = page.arithmetic
    page.say(
        """A policy that speaks two tokens has a first step p(u) and a second step p(v|u). Its KL to a reference breaks
        into the steps: KL of the first, plus the mean KL of the second. The one question is: the mean over which
        prefixes?"""
    )
    page.say(
        """Write log(p(u)p(v|u) / q(u)q(v|u)) as a sum of two logs and average under p. The first part needs only the
        first step. The second is, for each fixed u, the KL after u; and then u is averaged, under p. So the weight of a
        prefix is its mass under the current policy. Every sum is finite, so every exchange of sums is allowed."""
    )
    page.heading("The tree")
    page.say(
        """First step p = [0.8, 0.2], q = [0.5, 0.5]. After the first token the two policies agree: KL 0. After the
        second one, p is a fair coin and q is the coin with masses x and 1 - x, x = (1 - sqrt(1 - 1/e))/2. That x is
        chosen so that 4x(1 - x) = 1/e, which makes their KL exactly half a nat."""
    )
    x = (1 - arithmetic.sqrt(1 - arithmetic.exp(Fraction(-1)))) / 2
    second, base = (FAIR, FAIR), (FAIR, (x, 1 - x))
    first = page.fact("first-step", "KL of the first step", kl_divergence(CURRENT, REFERENCE, arithmetic), 7)
    after = kl_divergence(FAIR, base[1], arithmetic)
    page.fact("second-step", "KL of the second step after the second token, to 20 decimals", after, 20)
    half = (Fraction(0), Fraction(1, 2))
    right = first.value + sum(weight * nats for weight, nats in zip(CURRENT, half, strict=True))
    wrong = first.value + sum(weight * nats for weight, nats in zip(REFERENCE, half, strict=True))
    good = page.fact("right", "prefixes weighted by p: + 0.2 * 0.5", right, 7)
    bad = page.fact("wrong", "prefixes weighted by q: + 0.5 * 0.5, which is wrong", wrong, 7)
    whole = kl_divergence(joint(CURRENT, second), joint(REFERENCE, base), arithmetic)
    page.fact("enumerated", "the KL of the four whole paths, enumerated, to 20 decimals", whole, 20)
    page.fact("right-again", "the right sum, to 20 decimals", right, 20)
    page.say(
        f"""The paths know the answer without any rule, and it is the one with the weights of p. {bad.decimals} is not a
        noisy {good.decimals}: it is another quantity, and no number of samples turns it into the first. x is no
        rational number, so these two agree to as many digits as one asks for, which is not yet a proof."""
    )
    page.heading("Decided, not only close")
    page.say(
        """Take the reference after the second token as [1/8, 7/8] instead. Now every mass is rational, every KL is a
        sum of logarithms of primes with rational coefficients, and two such sums are equal exactly when they are
        written alike."""
    )
    rational = (FAIR, SKEWED)
    step = kl_divergence(CURRENT, REFERENCE, arithmetic)
    paths = page.fact(
        "rational-enumerated",
        "four paths",
        kl_divergence(joint(CURRENT, second), joint(REFERENCE, rational), arithmetic),
    )
    by_current = page.fact(
        "rational-right", "chain rule, weights of p", chained(CURRENT, second, rational, step, arithmetic)
    )
    by_reference = page.fact(
        "rational-wrong", "chain rule, weights of q", chained(REFERENCE, second, rational, step, arithmetic)
    )
    page.finding("equal", "are the first two equal?", arithmetic.equal(paths.value, by_current.value))
    page.finding("not-equal", "and the first and the third?", arithmetic.equal(paths.value, by_reference.value))
    page.say(
        """Claim G4 states the rule in general. Averaging the per-token log ratios of sampled responses gets the weights
        right by itself, since the prefixes then come from p. Stale samples, drawn from an old policy, do not."""
    )
    page.command("grpocheck explain G4")
    page.exercise(
        """First step p = [0.25, 0.75] and q = [0.5, 0.5]. After the first token the second step's KL is 0.4 nats, after
        the second token it is 0. What does the second step add to the KL of the paths?""",
        Fraction(1, 4) * Fraction(2, 5),
        "The prefix has mass 0.25 under p, so 0.25 * 0.4. The reference's 0.5 * 0.4 would be the wrong weight.",
    )


LESSON = Lesson("kl-chain-rule", "The KL of two steps: the right weights and the wrong ones", 7, tell)
