"""Lesson: TIC-GRPO's theorems on real numbers, on the class I_H of section 3."""

from fractions import Fraction
from math import isqrt, log10

from grpocheck.core.tic.groups import Groups, batch_variance
from grpocheck.core.tic.kinds import IndependentTokens, TokenMasses, independent_bits
from grpocheck.core.tic.lengths import ending_split, squared_score_split
from grpocheck.core.tic.methods import EPSILON, Method, Reading
from grpocheck.core.tic.moments import capped_second_moment, change_of_measure, growth_base, response_moments
from grpocheck.core.variants.advantages import AdvantageRule
from grpocheck.core.variants.ratios import Level
from grpocheck.core.variants.registry import CENTRED
from grpocheck.core.variants.terms import TwoSided, UpperCap
from grpocheck.verifier.lessons.lesson import Lesson, Page, line
from grpocheck.verifier.lessons.numbers import decimals
from grpocheck.verifier.tic.fits import affine_fit, log_log_slope
from grpocheck.verifier.tic.growth import (
    CAPPED,
    FITTED_FROM,
    LEVELS,
    LONGEST,
    TWO_SIDED,
    Growth,
    growth,
    identities_hold,
    least_ratio,
    lies_within_bounds,
)
from grpocheck.verifier.tic.lengths import enumerated_splits
from grpocheck.verifier.tic.search import Worst, worst_case
from grpocheck.verifier.tic.vocabulary import Vocabulary

SHOWN = (1, 2, 4, 8, 16, 32, 64)
HALF, FIFTHS = Fraction(1, 2), Fraction(2, 5)
TOKEN = CAPPED[Level.TOKEN, Reading.SURROGATE]
TRAJECTORY = CAPPED[Level.SEQUENCE, Reading.SURROGATE]
PLACES = 5


def at(worst: Worst) -> str:
    """The (p, q) of a worst case."""
    return f"({decimals(worst.current, 4)}, {decimals(worst.old, 5)})"


def size(value: Fraction) -> str:
    """A positive number that may be very large, as a power of ten with three digits."""
    if value < 10**6:
        return decimals(value, PLACES)
    power = int(log10(value.numerator) - log10(value.denominator))
    return f"{decimals(value / 10**power, 2)}e{power}"


def tell(page: Page) -> None:
    """The class, the identities, the worst cases and their growth, and what moves with everything else."""
    page.say(
        """Should the importance ratio be one per token, or one for the whole trajectory? TIC-GRPO [001] takes the whole
        trajectory's, capped from above, and says that this makes the variance smaller by a factor of the horizon. Here
        its statements are numbers, on the class I_H: the first token is a fair coin that no parameter moves, the reward
        is that coin, and so A is 1 or -1 whatever comes after; then come H independent binary tokens, 1 with
        probability q under the old policy and p under the current one, both in [1/10, 9/10]. The score of a response
        is S = (the number of ones) - H p, and what a response adds to the gradient is divided by H. V is its variance
        under the old policy. A response of 64 tokens is one of 2^64; since only the number of ones counts, prefixes
        are counted in its place, and every number below is exact at the (p, q) beside it."""
    )
    page.say(
        """The abstract leaves two readings open. In the surrogate form min(rho, 1.2) A is differentiated, so a response
        whose ratio is capped adds nothing. In the score form min(rho, 1.2) is a weight on A times the score that is not
        differentiated. There are two conventions for the clip as well: the upper cap of TIC-GRPO, whatever the sign of
        A, and the two-sided clip of PPO and of section 1, which for A < 0 is max(rho, 0.8) and has no cap above. A
        ratio that is exactly at its bound counts as clipped; there the surrogate has no derivative."""
    )
    identities(page)
    with page.progress("worst cases, horizons 1 to 64", len(CAPPED) * LONGEST) as advance:
        found = growth(range(1, LONGEST + 1), advance)
    worst_cases(page, found)
    laws(page, found)
    two_sided(page)
    with_an_end(page)
    batches(page)
    page.command(
        "grpocheck estimator tic-surrogate examples/autoregressive.toml --at 0.7,0.25,0.25,0.5 --group-size 2 "
        "--compare tic-score"
    )
    page.exercise(
        """p = 1/2, q = 2/5, epsilon = 0.2, surrogate form, one ratio per token, H = 2. What is V? (The ratio of a 1 is
        5/4 and capped, that of a 0 is 5/6, and the score of a 0 is -1/2.)""",
        response_moments(TOKEN, independent_bits(2, HALF, FIFTHS)).variance,
        "One token has mean -1/4 and second moment 5/48; V = 5/48/H + (1 - 1/H)/16 = 1/16 + 1/(24 H).",
    )
    page.exercise(
        """The token level's worst V stays near 1/16, the trajectory level's near 1/(4H). By which power of H do the two
        square roots part?""",
        Fraction(1, 2),
        "V differs by a factor of order H, the sampling term goes with the square root of V, so by the power 1/2.",
    )


def identities(page: Page) -> None:
    """What holds exactly, at one point of the class."""
    page.heading("What holds exactly: p = 1/2, q = 2/5, H = 64")
    tokens = independent_bits(LONGEST, HALF, FIFTHS)
    page.fact("change-of-measure", "E_old[rho S^2], which is H p (1 - p)", change_of_measure(tokens))
    page.fact("capped", "E_old[min(rho, 1.2)^2 S^2], at most 1.2 H p (1 - p) = 19.2", capped_second_moment(tokens))
    page.fact(
        "token-variance", "token level, surrogate: V = 1/16 + 1/(24 H)", response_moments(TOKEN, tokens).variance
    )
    page.fact("trajectory-variance", "trajectory level, surrogate: V", response_moments(TRAJECTORY, tokens).variance)
    page.say(
        """The first line is the change of measure (claim G1), and it is all that the second needs: min(rho, 1.2)^2 is
        at most 1.2 rho, for every response. So V is at most 1.2 p (1 - p) / H at the trajectory level, both readings,
        for every p and q: at most 1.2/(4H). At p = q = 1/2 every ratio is 1 and V = 1/(4H). One ratio per token has no
        such identity: a capped token takes its share out of the mean, the mean of a token is then not 0, and the square
        of H such means does not shrink when it is divided by H^2."""
    )


def worst_cases(page: Page, found: Growth) -> None:
    """The worst cases of the capped methods, beside the bounds."""
    page.heading("Worst cases, each method at its own p and q")
    page.say(
        """The (p, q) were found by search: the value is exact there, and is the largest found, which no search proves
        to be the largest there is. In the surrogate form it is approached at a ratio that is just below the cap, beyond
        which that response falls out. What is proved is that the trajectory level's worst case is at most 1.2/(4H),
        so that the ratio of the two is at least the token level's V, as found, times 4H/1.2. With V at p = 1/2, q = 2/5
        that is 5H/24 + 5/36, the last column of the surrogate form."""
    )
    for reading in Reading:
        columns = ["H", "4H V, trajectory", "at (p, q)", "V, token", "at (p, q) ", "ratio of worst cases"]
        columns += ["5H/24 + 5/36"] if reading is Reading.SURROGATE else ["proved ratio"]
        rows = []
        for horizon in SHOWN:
            trajectory, token = (found.worst[level, reading][horizon - 1] for level in LEVELS)
            proved = token.variance * 4 * horizon / (1 + EPSILON)
            row = (4 * horizon * trajectory.variance, at(trajectory), token.variance, at(token))
            least = least_ratio(horizon) if reading is Reading.SURROGATE else proved
            rows.append((str(horizon), *row, token.variance / trajectory.variance, least))
        page.say(f"{reading.value.capitalize()} form:")
        page.table(columns, rows, right=[column for column in columns if "(p" not in column], places=PLACES)
    trajectories = [worst for reading in Reading for worst in found.worst[Level.SEQUENCE, reading]]
    everything = [worst for cases in found.worst.values() for worst in cases]
    page.finding(
        "within-bounds",
        "1/(4H) <= worst V <= 1.2/(4H), trajectory level, both readings, H = 1 to 64",
        all(map(lies_within_bounds, trajectories)),
    )
    page.finding(
        "identities",
        "the identity and the capped bound of E_old, at every (p, q) found",
        all(map(identities_hold, everything)),
    )
    page.finding(
        "least-ratio",
        "surrogate ratio at least 5H/24 + 5/36, H = 1 to 64",
        all(ratio >= least_ratio(horizon) for horizon, ratio in found.ratios(Reading.SURROGATE)),
    )
    for reading in Reading:
        page.fact(
            f"ratio-{reading.value}",
            f"ratio of worst cases at H = {LONGEST}, {reading.value} form",
            found.ratios(reading)[-1][1],
            places=4,
        )
    page.plot(
        "ratio",
        "Token level over trajectory level: the ratio of worst cases",
        "horizon H",
        "ratio",
        *(line(f"{reading.value} form", found.ratios(reading)) for reading in Reading),
        line("5H/24 + 5/36", [(horizon, least_ratio(horizon)) for horizon, _ in found.ratios(Reading.SURROGATE)], True),
    )


def laws(page: Page, found: Growth) -> None:
    """The law of growth, fitted."""
    page.heading("How the ratio grows")
    rows = []
    for reading in Reading:
        slope, intercept = affine_fit(found.fitted(reading))
        every, late = log_log_slope(found.ratios(reading)), log_log_slope(found.fitted(reading))
        rows.append((reading.value, slope, intercept, f"{every:.3f}", f"{late:.3f}"))
    columns = ("form", "slope", "intercept", "log-log slope from H = 1", f"from H = {FITTED_FROM}")
    page.table(columns, rows, right=columns[1:], places=PLACES)
    page.say(
        f"""Slope and intercept are those of the line of least squares through H = {FITTED_FROM} to {LONGEST}, in exact
        numbers. The law is a + b H, not a power: for small H the constant a counts, and there is a first stretch where
        the two levels are nearly the same (at H = 1 they are the same method). A line through the logarithms from H = 1
        on takes all this for a smaller exponent; from H = {FITTED_FROM} on it is near 1."""
    )
    sampling_term(page, found)


def sampling_term(page: Page, found: Growth) -> None:
    """What a variance is worth once the step is chosen for it."""
    page.say(
        """With a constant step eta the bound on stationarity has the form D/eta + C V eta. The best eta is
        sqrt(D/(C V)), and then the sampling term is 2 sqrt(C D V): it goes with the square root of the variance. So a
        factor of order H between the variances is one of order sqrt(H) between the sampling terms, whatever power of H
        the two have in common: the abstract's linear order against three halves."""
    )
    rows = []
    for horizon in SHOWN:
        ratios = [found.ratios(reading)[horizon - 1][1] for reading in Reading]
        surrogate, score = (isqrt(ratio.numerator * 10**12 // ratio.denominator) for ratio in ratios)
        rows.append((str(horizon), Fraction(surrogate, 10**6), Fraction(score, 10**6)))
    columns = ("H", "sqrt of the ratio, surrogate", "score")
    page.table(columns, rows, right=columns, places=4)


def two_sided(page: Page) -> None:
    """The other convention: no cap above for A < 0."""
    page.heading("The two-sided clip is another method")
    minus, rho = Fraction(-1), Fraction(9)
    arithmetic = page.arithmetic
    for name, term in (("two-sided-term", TwoSided()), ("capped-term", UpperCap())):
        value, slope = term.value(rho, minus, EPSILON, arithmetic), term.slopes(rho, minus, EPSILON, arithmetic)[0]
        page.fact(name, f"A = -1, rho = 9: the term under the {term.word}, with the slope {decimals(slope)}", value)
    page.say(
        """One response tells the two apart. Section 1's objective has rho A there, whatever rho is; the capped
        trajectory method has 1.2 A, and in the surrogate form no gradient. Over a whole response rho is a product, and
        without a cap E_old[rho^2] grows exponentially in H: it is b^H."""
    )
    corner = independent_bits(1, Fraction(9, 10), Fraction(1, 10))
    base = page.fact("base", "the base at p = 9/10, q = 1/10: E_old[rho^2] = b^H", growth_base(corner))
    rows = []
    for horizon in SHOWN:
        cells: list[str] = []
        for level in LEVELS:
            for reading in Reading:
                worst = worst_case(TWO_SIDED[level, reading], horizon)
                cells += [f"{size(worst.variance)} at {at(worst)}"]
        rows.append((str(horizon), *cells))
    columns = ("H", *(f"{level}, {reading.value}" for level in ("trajectory", "token") for reading in Reading))
    page.table(columns, rows, right=("H",))
    page.say(
        f"""Largest V found under the two-sided clip. At the trajectory level it is multiplied by about {base.decimals}
        for each further token once responses are long. At the token level a single ratio is at most 9, so that V stays
        of constant order."""
    )


def with_an_end(page: Page) -> None:
    """What the division by the own length adds, with an end token in play."""
    page.heading("Dividing by the response's own length")
    policy = TokenMasses(Fraction(3, 8), Fraction(3, 8), Fraction(1, 4))
    page.say(
        """Now each token ends the response with probability 1/4, and is a 1 or a 0 with 3/8 each; L is the length, the
        end token counted, at most H. Dividing by L in place of H splits every moment in two: E[X/L] = E[X] E[1/L] +
        Cov(X, 1/L). The common normalisation has no covariance term. Twice: for the squared score S^2 of the choice
        between 1 and 0, with 1/L^2 (by the change of measure this is E_old[rho S^2/L^2] for whatever old policy), and
        for R N, the reward R = 1 of a response that ends times the score N of the logit of ending."""
    )
    rows = []
    agree = True
    for horizon in (1, 2, 4, 6, 64):
        tokens = IndependentTokens(horizon, policy, policy)
        square, ending = squared_score_split(tokens), ending_split(tokens)
        if horizon <= 6:
            agree = agree and (square, ending) == enumerated_splits(tokens)
        rows.append(
            (str(horizon), square.total, square.product, square.covariance, ending.total, ending.product,
             ending.covariance)
        )
    columns = ("H", "E[S^2/L^2]", "product", "covariance", "E[R N/L]", "product ", "covariance ")
    page.table(columns, rows, right=columns, places=PLACES)
    page.finding("lengths-agree", "H = 1, 2, 4, 6: the same response by response, written out, exactly", agree)
    page.say(
        """E[R N] is the gradient of the probability of an end. With the common normalisation the expected step is
        exactly a multiple of it. With the own length, short responses weigh more, and since R, N and L move together
        a part of the step is not the gradient's: the covariance."""
    )


def batches(page: Page) -> None:
    """What moves with M, G, the rule of advantages, the scale of the rewards and the vocabulary."""
    page.heading("Prompts, groups, reward scale, vocabulary")
    page.say(
        """A batch has M prompts with groups of G; the rewards are coins, 0 or c, and the advantages come from the
        group's own mean, with or without its population deviation. The variance of the whole gradient, upper cap,
        surrogate form, H = 16, p = 1/2, q = 2/5:"""
    )
    tokens = independent_bits(16, HALF, FIFTHS)
    rows = []
    for prompts, group, scale in ((1, 2, 1), (2, 2, 1), (1, 4, 1), (1, 8, 1), (4, 8, 1), (1, 8, 3), (1, 8, 10)):
        cells = []
        for rule in (CENTRED, AdvantageRule()):
            groups = Groups(rule, prompts, group, Fraction(scale))
            cells += [groups.advantage_square]
            cells += [batch_variance(method, tokens, groups) for method in (TRAJECTORY, TOKEN)]
        rows.append((str(prompts), str(group), str(scale), *cells))
    columns = ("M", "G", "c", "centred: E[A^2]", "trajectory", "token", "by std: E[A^2]", "trajectory ", "token ")
    page.table(columns, rows, right=columns, places=6)
    page.say(
        """E[A^2] is c^2/4 (G-1)/G without the deviation, and 1 - 2^(1-G) with it, whatever c. The variance is
        E[A^2] Var(N) / (H^2 M G): it falls with M G, and only centred advantages feel the scale."""
    )
    own_baseline(page, tokens)
    vocabularies(page)


def own_baseline(page: Page, tokens: IndependentTokens) -> None:
    """What is left of one response's variance in that of a group."""
    constant = response_moments(TOKEN, tokens).variance
    left = batch_variance(TOKEN, tokens, Groups(AdvantageRule(), 1, 8))
    page.fact("response-level", "token level: V of one response with A = 1 or -1", constant)
    page.fact("group-level", "8 times the variance of a group of 8, std-normalised", 8 * left)
    page.say(
        """Look at the two: the constant order of the token level is gone. Advantages over the group's own mean sum to
        0, so what all responses have in common cancels within the group, and on I_H the part of constant order is the
        mean of N, which is the same for all. The response-level variances are as far apart as [001] says; on this
        class the group's own baseline takes the difference out again. Where the weights depend on the sign of A, as
        under the two-sided clip, or where rewards and tokens depend on one another, it does not cancel."""
    )
    rows = []
    for level in LEVELS:
        for clip in (UpperCap(), TwoSided()):
            method = Method(level, Reading.SURROGATE, clip)
            single = response_moments(method, tokens).variance
            rows.append((method.name, single, 8 * batch_variance(method, tokens, Groups(AdvantageRule(), 1, 8))))
    columns = ("method", "V of one response", "8 Var of a group of 8, by std")
    page.table(columns, rows, right=columns[1:], places=6)


def vocabularies(page: Page) -> None:
    """The second moments by the number of tokens to choose from."""
    page.say(
        """And the vocabulary: v tokens with a logit each, uniform now, the first one of mass 4/(5v) before; H = 4. The
        score then has v entries, and E_old[rho |S|^2] = H (1 - 1/v)."""
    )
    rows = []
    for tokens in (2, 3, 4, 8):
        words = Vocabulary(tokens, 4)
        plain, capped, uncapped = words.moments()
        limit = (1 + EPSILON) * words.on_policy
        held = plain == words.on_policy and capped <= limit
        rows.append((str(tokens), plain, capped, limit, uncapped, "yes" if held else "no"))
    columns = ("v", "E[rho |S|^2]", "E[min(rho, 1.2)^2 |S|^2]", "its bound", "E[rho^2 |S|^2]", "both hold")
    page.table(columns, rows, right=columns[:-1], places=PLACES)


LESSON = Lesson("tic", "A ratio per token, or one per trajectory: TIC-GRPO on real numbers", 10, tell)
