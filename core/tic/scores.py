"""Scores of independent tokens: the derivative of log pi(a) of each token by one logit.

Two parameters are in play: the logit of the token one among one and zero, which is the class I_H's own (a - p), and,
with an end token, the logit of ending, by which the lengths of the responses move.
"""

from dataclasses import dataclass
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require
from grpocheck.core.tic.kinds import Kind, TokenMasses


@dataclass(frozen=True)
class TokenScores:
    """The score of a token one, of a token zero, and of the end token."""

    one: Fraction
    zero: Fraction
    end: Fraction = Fraction(0)

    @require(lambda kind: kind.length >= 1, "a response has a token")
    @ensure(
        lambda self, kind, result: not (self.one == self.zero == self.end) or result == kind.length * self.one,
        "a score that all tokens share is had once for each token",
    )
    def of(self, kind: Kind) -> Fraction:
        """S = sum_h grad log pi(a_h|s_h) of a response of a kind."""
        return kind.ones * self.one + kind.zeros * self.zero + int(kind.ended) * self.end

    @require(lambda tokens: tokens.one > 0 and tokens.zero > 0, "A3: tokens one and zero are in play")
    @ensure(lambda self, tokens, result: result >= 0, "a second moment is not negative")
    def square(self, tokens: TokenMasses) -> Fraction:
        """The second moment of one token's score under these masses."""
        return tokens.one * self.one**2 + tokens.zero * self.zero**2 + tokens.end * self.end**2


@require(lambda tokens: tokens.one > 0 and tokens.zero > 0, "A3: tokens one and zero are in play")
@ensure(lambda tokens, result: tokens.one * result.one + tokens.zero * result.zero == 0, "a score has expectation 0")
def choice_scores(tokens: TokenMasses) -> TokenScores:
    """a - p, with p the share of the token one among one and zero; the end token does not move with it."""
    share = tokens.one / (tokens.one + tokens.zero)
    return TokenScores(1 - share, -share)


@require(lambda tokens: tokens.end > 0, "A3: the end token is in play")
@ensure(
    lambda tokens, result: (1 - tokens.end) * result.one + tokens.end * result.end == 0, "a score has expectation 0"
)
def ending_scores(tokens: TokenMasses) -> TokenScores:
    """1{a is the end token} - its mass."""
    return TokenScores(-tokens.end, -tokens.end, 1 - tokens.end)
