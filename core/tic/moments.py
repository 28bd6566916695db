"""The moments of one response's gradient, under the old policy, exactly.

A response contributes X = A N / H, with N = sum_h w_h S_h at the token level and N = w(rho) sum_h S_h at the trajectory
level, where the weights w are those of a method. On the class I_H the advantage is 1 or -1 with probability 1/2 each,
independently of the tokens, so that V = 1/2 (E[N_+^2] + E[N_-^2]) / H^2 - (1/2 (E[N_+] - E[N_-]) / H)^2.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.core.tic.kinds import IndependentTokens, Kind
from grpocheck.core.tic.methods import EPSILON, Method
from grpocheck.core.tic.scores import TokenScores, choice_scores
from grpocheck.core.variants.ratios import Level


@invariant(lambda self: self.second >= self.mean**2, "a second moment is at least the square of the mean")
@dataclass(frozen=True)
class Moments:
    """The mean and the second moment of a number."""

    mean: Fraction
    second: Fraction

    @property
    @ensure(lambda self, result: 0 <= result <= self.second, "0 <= variance <= second moment")
    def variance(self) -> Fraction:
        """The variance."""
        return self.second - self.mean**2


@require(lambda advantage: advantage in (1, -1), "on the class I_H an advantage is 1 or -1")
@ensure(lambda tokens, result: result(next(iter(tokens.kinds))) is not None, "a number for each kind of response")
def weighted_score(
    method: Method, tokens: IndependentTokens, scores: TokenScores, advantage: int, epsilon: Fraction
) -> Callable[[Kind], Fraction]:
    """N, as a function of the kind of the response."""
    if method.level is Level.SEQUENCE:
        return lambda kind: method.weight(tokens.ratio(kind), advantage, epsilon) * scores.of(kind)
    weighted = [
        score * method.weight(now / old, advantage, epsilon) if old else Fraction(0)
        for score, now, old in (
            (scores.one, tokens.current.one, tokens.old.one),
            (scores.zero, tokens.current.zero, tokens.old.zero),
            (scores.end, tokens.current.end, tokens.old.end),
        )
    ]
    return TokenScores(*weighted).of


@require(lambda method: method.level is Level.TOKEN, "a ratio per token")
@ensure(lambda result: result.second >= 0, "a second moment is not negative")
def single_token(
    method: Method, tokens: IndependentTokens, scores: TokenScores, advantage: int, epsilon: Fraction = EPSILON
) -> Moments:
    """The moments of w S of one token at the token level."""
    found = weighted_score(method, tokens, scores, advantage, epsilon)
    one, zero = found(Kind(1, 0, False)), found(Kind(0, 1, False))
    return Moments(
        tokens.old.one * one + tokens.old.zero * zero, tokens.old.one * one**2 + tokens.old.zero * zero**2
    )


@require(lambda horizon: horizon >= 1, "H >= 1")
@ensure(lambda single, horizon, result: result.variance == horizon * single.variance, "variances add up")
def sum_of_independent(single: Moments, horizon: int) -> Moments:
    """The moments of a sum of H independent terms with these moments."""
    return Moments(horizon * single.mean, horizon * single.variance + (horizon * single.mean) ** 2)


@require(lambda advantage: advantage in (1, -1), "on the class I_H an advantage is 1 or -1")
@ensure(
    lambda method, tokens, scores, advantage, epsilon, result: method.level is Level.SEQUENCE
    or tokens.old.end > 0
    or result == sum_of_independent(single_token(method, tokens, scores, advantage, epsilon), tokens.horizon),
    "at the token level N is a sum of H independent terms",
)
def moments_given(
    method: Method, tokens: IndependentTokens, scores: TokenScores, advantage: int, epsilon: Fraction = EPSILON
) -> Moments:
    """The moments of N, the sum of the weighted scores of one response, for an advantage of this sign."""
    value = weighted_score(method, tokens, scores, advantage, epsilon)
    known = {kind: value(kind) for kind in tokens.kinds}
    return Moments(tokens.expectation(lambda kind: known[kind]), tokens.expectation(lambda kind: known[kind] ** 2))


@require(lambda tokens: tokens.old.end == 0, "the class I_H has no end token")
@ensure(
    lambda tokens, method, result: method.clip.word != "upper-cap" or result.mean == 0,
    "where the weight does not depend on the sign of A, positive and negative responses cancel in the mean",
)
def response_moments(method: Method, tokens: IndependentTokens, epsilon: Fraction = EPSILON) -> Moments:
    """The moments of X on the class I_H; its variance is section 3's V.

    >>> from grpocheck.core.tic.kinds import independent_bits
    >>> from grpocheck.core.tic.methods import Reading
    >>> token_level = Method(Level.TOKEN, Reading.SURROGATE)
    >>> response_moments(token_level, independent_bits(4, Fraction(1, 2), Fraction(2, 5))).variance
    Fraction(7, 96)
    """
    scores = choice_scores(tokens.current)
    plus, minus = (moments_given(method, tokens, scores, sign, epsilon) for sign in (1, -1))
    return Moments(
        (plus.mean - minus.mean) / (2 * tokens.horizon), (plus.second + minus.second) / (2 * tokens.horizon**2)
    )


@require(lambda tokens: tokens.old.end == 0, "the class I_H has no end token")
@ensure(
    lambda tokens, result: result == tokens.horizon * tokens.current.one * tokens.current.zero,
    "G1: E_old[rho S^2] = E_theta[S^2] = H p (1 - p)",
)
def change_of_measure(tokens: IndependentTokens) -> Fraction:
    """E_old[rho S^2]."""
    scores = choice_scores(tokens.current)
    return tokens.expectation(lambda kind: tokens.ratio(kind) * scores.of(kind) ** 2)


@require(lambda tokens: tokens.old.end == 0, "the class I_H has no end token")
@ensure(
    lambda tokens, epsilon, result: result
    <= (1 + epsilon) * tokens.horizon * tokens.current.one * tokens.current.zero,
    "E_old[min(rho, 1+epsilon)^2 S^2] <= (1 + epsilon) H p (1 - p)",
)
def capped_second_moment(tokens: IndependentTokens, epsilon: Fraction = EPSILON) -> Fraction:
    """E_old[min(rho, 1+epsilon)^2 S^2]."""
    scores = choice_scores(tokens.current)
    return tokens.expectation(lambda kind: (min(tokens.ratio(kind), 1 + epsilon) * scores.of(kind)) ** 2)


@require(lambda tokens: tokens.old.end == 0, "the class I_H has no end token")
@ensure(lambda tokens, result: (result == 1) == (tokens.current == tokens.old), "B3: on policy nothing grows")
@ensure(lambda result: result >= 1, "a squared ratio has expectation at least 1")
def growth_base(tokens: IndependentTokens) -> Fraction:
    """b = E_old[w_h^2] of one token: without a cap E_old[rho^2] = b^H."""
    return tokens.current.one**2 / tokens.old.one + tokens.current.zero**2 / tokens.old.zero


@require(lambda tokens: tokens.old.end == 0, "the class I_H has no end token")
@ensure(lambda result: result >= 0, "a second moment is not negative")
def uncapped_closed_form(tokens: IndependentTokens) -> Fraction:
    """b^H (H t (1 - t) + H^2 (t - p)^2): squaring the ratio tilts each token to t = p^2 / (q b)."""
    base, horizon = growth_base(tokens), tokens.horizon
    tilted = tokens.current.one**2 / (tokens.old.one * base)
    return base**horizon * (horizon * tilted * (1 - tilted) + horizon**2 * (tilted - tokens.current.one) ** 2)


@require(lambda tokens: tokens.old.end == 0, "the class I_H has no end token")
@ensure(
    lambda tokens, result: result == uncapped_closed_form(tokens), "E_old[rho^2 S^2] = b^H E_t[S^2], t = p^2 / (q b)"
)
def uncapped_second_moment(tokens: IndependentTokens) -> Fraction:
    """E_old[rho^2 S^2], which nothing caps."""
    scores = choice_scores(tokens.current)
    return tokens.expectation(lambda kind: (tokens.ratio(kind) * scores.of(kind)) ** 2)
