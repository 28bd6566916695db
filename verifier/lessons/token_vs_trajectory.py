"""Lesson: ten token ratios of 1.1 make a trajectory ratio of 2.59."""

from fractions import Fraction

from grpocheck.core.ratio import clip
from grpocheck.core.variants.batch import SampledResponse, SampledToken
from grpocheck.core.variants.ratios import Level, RatioRule, ratios
from grpocheck.verifier.lessons.lesson import Lesson, Page, line
from grpocheck.verifier.lessons.numbers import decimals
from grpocheck.verifier.lessons.small_problems import EPSILON

TOKENS = 10
OLD = Fraction(1, 2)
UP, DOWN = Fraction(11, 10), Fraction(9, 10)
# Two tokens, each a or b: the current policy says a with 3/5, the old one with 1/2; the reward is 1 for "a a".
NOW = {"a": Fraction(3, 5), "b": Fraction(2, 5)}


def response(ratio: Fraction, length: int) -> SampledResponse:
    """A response each of whose tokens has this ratio."""
    return SampledResponse((SampledToken(current=OLD * ratio, old=OLD),) * length, (Fraction(1),))


def tell(page: Page) -> None:
    """Ratios by token, by trajectory and their geometric mean; which of them changes the measure."""
    arithmetic = page.arithmetic
    page.say(
        """A response is made token by token, and each token has its own ratio w = pi_theta / pi_old. The ratio of the
        whole response, the trajectory, is their product: probabilities multiply along the way."""
    )
    page.heading("1.1 ten times")
    rules = {level: RatioRule(level) for level in Level}
    up = {level: ratios(response(UP, TOKENS), rule, arithmetic)[0] for level, rule in rules.items()}
    down = ratios(response(DOWN, TOKENS), rules[Level.SEQUENCE], arithmetic)[0]
    token = page.fact("token", "each token's ratio", up[Level.TOKEN])
    trajectory = page.fact("trajectory", "ten of them: the trajectory's ratio", up[Level.SEQUENCE], 10)
    page.fact("geometric", "the geometric mean of the ten, a length-free number", up[Level.GEOMETRIC])
    page.fact("down", "and ten tokens of 0.9", down, 10)
    page.say(
        f"""With epsilon = 0.2 every token looks well behaved: {token.decimals} lies inside [0.8, 1.2], and a clip on
        tokens does nothing. The response as a whole became {decimals(trajectory.value, 2)} times as likely. A clip on
        the trajectory would hold it at {decimals(clip(trajectory.value, EPSILON, arithmetic))}."""
    )
    page.heading("How fast")
    lengths = range(1, 21)
    page.plot(
        "by-length",
        "The trajectory ratio of equal token ratios",
        "tokens",
        "ratio",
        *(
            line(
                f"each token {decimals(ratio)}",
                [(n, ratios(response(ratio, n), rules[Level.SEQUENCE], arithmetic)[0]) for n in lengths],
            )
            for ratio in (UP, Fraction(21, 20), Fraction(1), DOWN)
        ),
    )
    page.say(
        """It is a power. In logarithms it is a sum, one log w for each token: small, equal, and adding up. Token ratios
        near 1 say nothing about the trajectory unless the length is said as well."""
    )
    page.heading("Which one changes the measure")
    page.say(
        """The reason to have a ratio at all: draws come from the old policy, and one wants an average under the current
        one. Two tokens, each a or b; the old policy is fair, the current one says a with 0.6; the reward is 1 for "a a"
        and 0 elsewhere. Summing over all four responses:"""
    )
    paths = [(first, second) for first in NOW for second in NOW]
    rewards = {path: Fraction(int(path == ("a", "a"))) for path in paths}
    truth = page.fact(
        "under-current",
        "E[R] under the current policy",
        sum(NOW[first] * NOW[second] * rewards[first, second] for first, second in paths),
    )
    weighted = {}
    for level, rule in rules.items():
        total = Fraction(0)
        for first, second in paths:
            tokens = tuple(SampledToken(current=NOW[step], old=OLD) for step in (first, second))
            found = ratios(SampledResponse(tokens, (Fraction(1),)), rule, arithmetic)
            total += OLD**2 * sum(found) / len(found) * rewards[first, second]
        weighted[level] = total
    page.fact("by-trajectory", "E_old[trajectory ratio R]", weighted[Level.SEQUENCE])
    page.fact("by-token", "E_old[mean of the token ratios R]", weighted[Level.TOKEN])
    page.finding(
        "only-the-product",
        "which of the two is E[R] under the current policy?",
        "the trajectory ratio" if weighted[Level.SEQUENCE] == truth.value != weighted[Level.TOKEN] else "neither",
    )
    page.say(
        """Only the product changes the measure (claim G1). A token ratio makes another objective, with another
        expectation; the lesson tic compares the variances. Methods that use it are not wrong for that. But their ratio,
        their clip and their length normalisation have to be written out one by one, and no two of them may be called
        the same."""
    )
    page.command("grpocheck estimator --methods")
    ratio = Fraction(21, 20)
    out = next(n for n in lengths if ratios(response(ratio, n), rules[Level.SEQUENCE], arithmetic)[0] > 1 + EPSILON)
    page.exercise(
        """Every token ratio is 1.05 and epsilon is 0.2. How many tokens does a response need for its trajectory ratio
        to be above 1.2?""",
        Fraction(out),
        f"""1.05 to the power {out - 1} is {decimals(ratio ** (out - 1), 4)}, still inside; to the power {out} it is
        {decimals(ratio**out, 4)}.""",
    )


LESSON = Lesson("token-vs-trajectory", "Ten token ratios of 1.1 make a trajectory ratio of 2.59", 6, tell)
