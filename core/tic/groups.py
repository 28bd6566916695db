"""From one response to the gradient of a whole batch: M prompts, groups of G, and the group's own baseline.

On the class I_H the rewards of a group are fair coins of a scale c, independent of the tokens, and the advantages are
those of a rule of grpocheck.core.variants. A response then contributes A_i N_i / H, N_i with the moments of the sign
of A_i. Where the weights do not depend on that sign, advantages that sum to 0 take the mean of N out:
Var = E[mean A^2] Var(N) / (H^2 M G), so the constant order that E[N]^2 has at the token level is not in it.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import comb

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.contracts.comparisons import equal
from grpocheck.core.arithmetic.supply import Scalar
from grpocheck.core.tic.kinds import IndependentTokens
from grpocheck.core.tic.methods import EPSILON, EXACT, Method
from grpocheck.core.tic.moments import moments_given
from grpocheck.core.tic.scores import choice_scores
from grpocheck.core.variants.advantages import AdvantageRule, normalised


@invariant(lambda self: self.prompts >= 1 and self.group_size >= 2, "M >= 1 and G >= 2")
@invariant(lambda self: self.scale > 0, "a positive scale of the rewards")
@dataclass(frozen=True)
class Groups:
    """M prompts with groups of G, rewards 0 or c with probability 1/2 each, and a rule of advantages."""

    rule: AdvantageRule
    prompts: int = 1
    group_size: int = 2
    scale: Fraction = Fraction(1)

    @require(lambda self, heads: 0 <= heads <= self.group_size, "so many of the G coins")
    @ensure(lambda self, result: len(result) == self.group_size, "one advantage for each response")
    def advantages(self, heads: int) -> tuple[Scalar, ...]:
        """The advantages of a group with so many rewards c, these first."""
        rewards = (self.scale,) * heads + (Fraction(0),) * (self.group_size - heads)
        return normalised((rewards,), self.rule, EXACT)[0]

    @require(lambda self, heads: 0 <= heads <= self.group_size, "so many of the G coins")
    @ensure(lambda result: 0 < result < 1, "every number of heads is possible")
    def probability(self, heads: int) -> Fraction:
        """The probability of so many rewards c."""
        return Fraction(comb(self.group_size, heads), 2**self.group_size)

    @property
    @ensure(lambda result: result >= 0, "a second moment is not negative")
    def advantage_square(self) -> Scalar:
        """E[mean A^2]."""
        squares = (
            self.probability(heads) * sum(a * a for a in self.advantages(heads))
            for heads in range(self.group_size + 1)
        )
        return sum(squares) / self.group_size


@require(lambda tokens: tokens.old.end == 0, "the class I_H has no end token")
@ensure(
    lambda method, tokens, groups, epsilon, result: method.clip.word != "upper-cap"
    or any(not equal(sum(groups.advantages(heads)), 0) for heads in range(groups.group_size + 1))
    or equal(
        result * groups.prompts * groups.group_size * tokens.horizon**2,
        groups.advantage_square
        * moments_given(method, tokens, choice_scores(tokens.current), 1, epsilon).variance,
    ),
    "B2: advantages that sum to 0 leave the variance of N alone, and no E[N]^2",
)
def batch_variance(
    method: Method, tokens: IndependentTokens, groups: Groups, epsilon: Fraction = EPSILON
) -> Scalar:
    """The variance of the gradient of a whole batch: 1/(M G) sum over prompts and draws of A_i N_i / H."""
    scores = choice_scores(tokens.current)
    plus, minus = (moments_given(method, tokens, scores, sign, epsilon) for sign in (1, -1))
    spread: Scalar = Fraction(0)
    mean: Scalar = Fraction(0)
    square: Scalar = Fraction(0)
    for heads in range(groups.group_size + 1):
        weight, advantages = groups.probability(heads), groups.advantages(heads)
        signed = [(a, plus if EXACT.less(0, a) else minus) for a in advantages]
        centre = sum(a * of_sign.mean for a, of_sign in signed)
        spread = spread + weight * sum(a * a * of_sign.variance for a, of_sign in signed)
        mean, square = mean + weight * centre, square + weight * centre * centre
    return (spread + square - mean * mean) / (groups.prompts * groups.group_size**2 * tokens.horizon**2)
