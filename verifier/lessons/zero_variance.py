"""Lesson: a group whose rewards are all equal teaches nothing, and how often that happens."""

from fractions import Fraction

from grpocheck.core.advantage import group_advantages, population_standard_deviation
from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.procedure import run
from grpocheck.core.variants.advantages import AdvantageRule, Divisor, normalised
from grpocheck.verifier.counts import count_vectors, probability
from grpocheck.verifier.lessons.lesson import Lesson, Page, line
from grpocheck.verifier.lessons.numbers import decimals
from grpocheck.verifier.lessons.small_problems import two_responses

HALF = Fraction(1, 2)
SIZES = (2, 4, 8, 16)
MASSES = (HALF, Fraction(9, 10), Fraction(99, 100))
TRAINER_EPSILON = Fraction(1, 10**4)


def all_equal_share(mass: Fraction, size: int) -> Fraction:
    """The probability that every draw of a group has the same reward, the first response having this mass."""
    masses = (mass, 1 - mass)
    return sum((probability(n, masses) for n in count_vectors(2, size) if size in n), Fraction(0))


def advantages_row(rewards: tuple[Fraction, ...], arithmetic: Arithmetic) -> tuple[Scalar, Scalar]:
    """The first advantage by the definition, and with the epsilon of trainers and the sample deviation."""
    rule = AdvantageRule(divisor=Divisor.SAMPLE, epsilon=TRAINER_EPSILON)
    return group_advantages(rewards, arithmetic)[0], normalised((rewards,), rule, arithmetic)[0][0]


def tell(page: Page) -> None:
    """s = 0, what the run does with it, and how likely it is."""
    arithmetic = page.arithmetic
    page.say(
        """An advantage compares a reward with its group: (R - mean) / s, where s is the group's own standard deviation.
        When all rewards of a group are equal there is nothing to compare, and s is 0. The definition says what happens
        then: every advantage of the group is 0."""
    )
    equal_rewards = (Fraction(1),) * 4
    page.fact("deviation", "s of the rewards 1, 1, 1, 1", population_standard_deviation(equal_rewards, arithmetic))
    page.fact("advantage", "their advantages, each", group_advantages(equal_rewards, arithmetic)[0])
    page.heading("In a run")
    recorded = ((("good", "good"),),)
    without = run(two_responses(HALF, recorded=recorded), arithmetic=arithmetic)
    page.say("One prompt, theta = 0.5, a group of two in which both draws were good.")
    page.finding("status", "the status", str(without.status))
    page.fact("theta", "theta after the step", without.theta[0])
    page.fact("draws", "response draws spent", Fraction(without.ledger.draws))
    page.fact("attempts", "gradient attempts spent", Fraction(without.ledger.gradient_attempts))
    page.say(
        """The step is applied, its gradient is 0, and theta stays. Nothing is wrong; but the draws are paid for. With
        beta above 0 such a group still moves theta, since the KL term does not ask for advantages: from theta = 0.6 and
        beta = 0.5 it moves towards the reference."""
    )
    pulled = run(two_responses(Fraction(3, 5), beta=HALF, recorded=recorded), arithmetic=arithmetic)
    page.fact("pulled", "theta after a step of 0.05 from 0.6, beta = 0.5", pulled.theta[0], 6)
    page.heading("How often")
    page.say(
        """Rewards 1 and 0, the good response with mass theta. Going through all groups gives the share of groups that
        teach nothing, and the better the policy, the larger it is:"""
    )
    page.table(
        ("theta", *(f"G = {size}" for size in SIZES)),
        [(mass, *(all_equal_share(mass, size) for size in SIZES)) for mass in MASSES],
        right=("theta", *(f"G = {size}" for size in SIZES)),
        places=6,
    )
    shares = [Fraction(k, 50) for k in range(1, 50)]
    page.plot(
        "share",
        "Share of groups whose rewards are all equal",
        "theta, the mass of the good response",
        "share",
        *(line(f"G = {size}", [(mass, all_equal_share(mass, size)) for mass in shares]) for size in (2, 4, 8)),
    )
    page.say(
        """At theta = 0.99 and G = 8 more than nine groups of ten are spent on nothing. That is why trainers filter
        prompts or draw again. Those are other procedures, with other laws, and not the one that is specified here.
        examples/lessons/training_log.jsonl is a log in which such a group moved the policy; `grpocheck audit` finds
        it."""
    )
    page.heading("No epsilon in the denominator")
    page.say(
        """Trainers often divide by s + 1e-4, with the sample deviation, to be safe from a zero. A zero needs no such
        safety here, and the epsilon changes every other group. First advantage of two rewards, both ways:"""
    )
    pairs = ((Fraction(1), Fraction(0)), (Fraction(1, 10**4), Fraction(0)), (Fraction(1, 10**6), Fraction(0)))
    page.table(
        ("rewards", "by the definition", "s + 1e-4, sample deviation"),
        [(f"{decimals(pair[0])} and 0", *advantages_row(pair, arithmetic)) for pair in pairs],
        right=("by the definition", "s + 1e-4, sample deviation"),
        places=6,
    )
    page.say(
        """By the definition the size of a difference does not count, only its sign: two rewards that differ in the
        sixth decimal give advantages of 1 and -1. That is a property to know, not a virtue. And it needs exact sums: in
        floating point, equal rewards may miss their own mean by a residue, and a residue over a residue is anything."""
    )
    page.command("grpocheck run examples/zero_variance.toml")
    page.exercise(
        "theta = 0.9 and G = 4. What is the probability that a group teaches nothing?",
        all_equal_share(Fraction(9, 10), 4),
        "All four good or all four bad: 0.9 to the fourth plus 0.1 to the fourth.",
    )


LESSON = Lesson("zero-variance", "A group of equal rewards teaches nothing: how often, and at what cost", 6, tell)
