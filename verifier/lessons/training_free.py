"""Lesson: a better mean is not a better best: training-free optimisation and the proposition that does not hold."""

from fractions import Fraction

from grpocheck.core.training_free.oracles import NamesTheBetter, TabledAnswers
from grpocheck.core.training_free.outcome import Iteration
from grpocheck.core.training_free.procedure import run
from grpocheck.core.training_free.responses import Response, ResponseTable
from grpocheck.core.training_free.reward import Weights
from grpocheck.core.training_free.task import Task
from grpocheck.proofs.non_claims.n6_condition import expected_best, mean
from grpocheck.verifier.lessons.lesson import Lesson, Page

NAMES = ("x", "y", "z")
REWARDS = (Fraction(1), Fraction(1, 2), Fraction(0))
MASSES = (Fraction(1, 6), Fraction(1, 2), Fraction(1, 3))


def three_responses() -> Task:
    """x, y and z with rewards 1, 1/2 and 0; the first group is (y, z), and y is named with confidence 1."""
    responses = tuple(Response((name,), name) for name in NAMES)
    return Task(
        prompt="say something",
        tests=("a test that none of them passes",),
        failing=(),
        group_size=2,
        iterations=2,
        model=ResponseTable(tuple(zip(responses, MASSES, strict=True))),
        weights=Weights(Fraction(1), Fraction(0), Fraction(0), Fraction(0), Fraction(1)),
        answers=TabledAnswers(dict.fromkeys(NAMES, ()), dict(zip(NAMES, REWARDS, strict=True))),
        introspection=NamesTheBetter(Fraction(1)),
        recorded=(("y", "z"), ("y", "z")),
    )


def masses_of(iteration: Iteration) -> tuple[Fraction, ...]:
    """The masses that a group was drawn from."""
    return tuple(mass for _, mass in iteration.distribution.law())


def tell(page: Page) -> None:
    """One group, one pattern, and what becomes of the mean, of the best, and of the advantages."""
    outcome = run(three_responses())
    first, second = outcome.iterations
    page.say(
        """Nothing is trained here. A base model says x, y or z, with masses 1/6, 1/2 and 1/3 and rewards 1, 1/2 and 0.
        What is learned from a group goes into a bank of patterns, and each pattern multiplies the masses of the
        responses that it favours. The bank only grows; the masses are normalised again, exactly."""
    )
    page.heading("One group and its pattern")
    page.say(
        """A group of two is drawn: y and z. An introspection compares them and says, rightly, that y did better, with
        confidence c = 1. The pattern's factor is w = 1 + kappa max(0, 2 c - 1), with kappa = 1."""
    )
    page.fact("factor", "the factor of y", first.patterns[0].factor(outcome.bank.kappa))
    after = masses_of(second)
    page.table(
        ("response", "reward", "mass before", "mass after"),
        [
            (name, str(reward), str(old), str(new))
            for name, reward, old, new in zip(NAMES, REWARDS, masses_of(first), after, strict=True)
        ],
        right=("reward", "mass before", "mass after"),
    )
    page.heading("The mean rises and the best falls")
    page.say(
        """y takes mass from z, which is worse, and from x, which is better and was not drawn. A single draw is better
        on average. The best of two draws is not: it lives on the rare x."""
    )
    page.fact("mean-before", "E[r] of one draw, before", mean(MASSES, REWARDS))
    page.fact("mean-after", "E[r] of one draw, after", mean(after, REWARDS))
    page.fact("best-before", "E[max r] of two draws, before", expected_best(MASSES, REWARDS, 2))
    page.fact("best-after", "E[max r] of two draws, after", expected_best(after, REWARDS, 2))
    page.say(
        """So it is no theorem that the expected best reward of a group never falls, though every pattern is right and
        every confidence above 1/2. It is non-claim N6, and there are witnesses of three strengths; the strongest
        averages over the first group, too."""
    )
    page.command("grpocheck verify N6")
    page.say(
        """When can it not fall? When the factor never falls as the reward rises: then each threshold of the reward is
        passed at least as often as before, and so the best of a group passes it at least as often."""
    )
    page.heading("Whitened, but not to unit variance")
    page.say(
        """Advantages are whitened with the sample deviation s, which divides by G - 1, plus 1e-8. At G = 2 their mean
        square is 1/2 (s/(s + 1e-8))^2: near 1/2 here, never 1, and near 0 for rewards far smaller than 1e-8. That is
        N8."""
    )
    square = sum((member.advantage**2 for member in first.members), start=Fraction(0)) / 2
    page.fact("mean-square", "the mean square of the two advantages", square)
    page.command("grpocheck training-free examples/training_free/fizzbuzz.toml --seed 1")
    page.exercise(
        "A pattern has confidence 3/4 and kappa is 2. What is its factor?",
        Fraction(2),
        "w = 1 + 2 max(0, 2 * 3/4 - 1) = 1 + 2 * 1/2.",
    )
    page.exercise(
        "The masses are 1/6, 1/2 and 1/3, and x is named instead, with factor 2. What is the mass of x?",
        Fraction(2, 7),
        "The weights are 2/6, 3/6 and 2/6, with sum 7/6.",
    )


LESSON = Lesson("training-free", "Training-free: a better mean is not a better best", 8, tell)
