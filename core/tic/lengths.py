"""What a division by the response's own length does to the moments, with an end token in play.

With N a sum over the L tokens of a response, E[N/L] = E[N] E[1/L] + Cov(N, 1/L): the common normalisation divides by H
and has no such covariance. Both closed forms are sums over the H possible lengths; the moments that they are compared
with are sums over kinds of responses.
"""

from dataclasses import dataclass
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.core.tic.kinds import IndependentTokens, Kind, TokenMasses
from grpocheck.core.tic.scores import choice_scores, ending_scores


@invariant(lambda self: self.total == self.product + self.covariance, "E[a b] = E[a] E[b] + Cov(a, b)")
@dataclass(frozen=True)
class Split:
    """An expectation of a product: the product of the expectations, and the covariance that it has beside it."""

    total: Fraction
    product: Fraction
    covariance: Fraction


@require(lambda horizon: horizon >= 1, "H >= 1")
@require(lambda end: 0 < end < 1, "A3: the end token is in play, and is not all there is")
@ensure(lambda horizon, result: len(result) == horizon + 1, "an end after 1 to H tokens, or none")
@ensure(lambda result: sum(probability for *_, probability in result) == 1, "G2: every response has one length")
def lengths(horizon: int, end: Fraction) -> tuple[tuple[int, bool, Fraction], ...]:
    """Each length of a response, whether it ended there, and the probability of that."""
    ended = tuple((length, True, (1 - end) ** (length - 1) * end) for length in range(1, horizon + 1))
    return (*ended, (horizon, False, (1 - end) ** horizon))


@require(lambda horizon: horizon >= 1, "H >= 1")
@require(lambda masses: masses.end > 0, "A3: the end token is in play")
@ensure(lambda result: result[1] < result[0], "the covariance is a part of the whole")
def squared_score_closed_form(horizon: int, masses: TokenMasses) -> tuple[Fraction, Fraction]:
    """E[S^2 / L^2] and Cov(S^2, 1 / L^2) of one policy, as sums over lengths.

    Given the length, S is a sum of n independent centred choices, n the tokens that are no end.
    """
    share = masses.one / (masses.one + masses.zero)
    every = lengths(horizon, masses.end)
    whole = sum((p * Fraction(length - ended, length**2) for length, ended, p in every), start=Fraction(0))
    choices = (1 - masses.end) * (1 - (1 - masses.end) ** horizon) / masses.end
    inverse = sum((p / length**2 for length, _, p in every), start=Fraction(0))
    variance = share * (1 - share)
    return variance * whole, variance * (whole - choices * inverse)


@require(lambda tokens: tokens.old.end > 0, "A3: the end token is in play")
@ensure(
    lambda tokens, result: (result.total, result.covariance)
    == squared_score_closed_form(tokens.horizon, tokens.current),
    "E_old[rho S^2 / L^2] = p (1 - p) E_theta[n / L^2], n the tokens that are no end",
)
def squared_score_split(tokens: IndependentTokens) -> Split:
    """E_old[rho S^2 / L^2] with S the score of the choice between one and zero, split at the length.

    By the change of measure (G1) the three numbers are those of the current policy.
    """
    scores = choice_scores(tokens.current)
    total = tokens.expectation(lambda kind: tokens.ratio(kind) * (scores.of(kind) / kind.length) ** 2)
    squares = tokens.expectation(lambda kind: tokens.ratio(kind) * scores.of(kind) ** 2)
    product = squares * tokens.expectation(lambda kind: tokens.ratio(kind) / kind.length**2)
    return Split(total, product, total - product)


@require(lambda horizon: horizon >= 1, "H >= 1")
@require(lambda masses: masses.end > 0, "A3: the end token is in play")
@ensure(lambda horizon, result: horizon > 1 or result[1] == 0, "with one length there is no covariance")
def ending_closed_form(horizon: int, masses: TokenMasses) -> tuple[Fraction, Fraction]:
    """E[R N / L] and Cov(R N, 1 / L), from N = R - e L and d P(R = 1) / d logit = H e (1 - e)^H."""
    end = masses.end
    every = lengths(horizon, end)
    ending = 1 - (1 - end) ** horizon
    whole = sum((p / length for length, ended, p in every if ended), start=Fraction(0)) - end * ending
    inverse = sum((p / length for length, _, p in every), start=Fraction(0))
    return whole, whole - horizon * end * (1 - end) ** horizon * inverse


@require(lambda tokens: tokens.old.end > 0, "A3: the end token is in play")
@ensure(
    lambda tokens, result: (result.total, result.covariance) == ending_closed_form(tokens.horizon, tokens.current),
    "E[R N / L] = E[R / L] - e P(R = 1)",
)
def ending_split(tokens: IndependentTokens) -> Split:
    """E_old[rho R N / L], split at the length: R = 1 for a response that ends, N the score of the logit of ending.

    The first factor E[R N] is the gradient of the probability of an end; the covariance is what the division by the
    own length adds to a multiple of it.
    """
    scores = ending_scores(tokens.current)

    @require(lambda kind: kind.length >= 1, "a response has a token")
    @ensure(lambda kind, result: kind.ended or result == 0, "R = 0 where nothing ended")
    def rewarded(kind: Kind) -> Fraction:
        """rho R N."""
        return tokens.ratio(kind) * scores.of(kind) if kind.ended else Fraction(0)

    total = tokens.expectation(lambda kind: rewarded(kind) / kind.length)
    inverse = tokens.expectation(lambda kind: tokens.ratio(kind) / kind.length)
    product = tokens.expectation(rewarded) * inverse
    return Split(total, product, total - product)
