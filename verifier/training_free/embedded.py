"""The embedded introspection: it contrasts token statistics of the high- and the low-reward responses of a group.

Seed [003] asks a language model to compare them; this one needs nothing but the group. A token's share among the
responses of positive advantage, less its share among those of negative advantage, is its contrast d; where d > 0 the
token becomes a pattern of confidence (1 + d)/2: above 1/2, and 1 where every high response has it and no low one.
"""

from dataclasses import dataclass
from fractions import Fraction

from grpocheck.core.training_free.oracles import Group, Member
from grpocheck.core.training_free.patterns import Pattern

MOST_PATTERNS = 4


@dataclass(frozen=True)
class Contrast:
    """An introspection; ``most`` is the number of patterns that it returns at most, the largest contrasts first."""

    most: int = MOST_PATTERNS

    def __call__(self, group: Group) -> list[Pattern]:
        """The tokens that set the better responses apart; among equal contrasts in the vocabulary's order."""
        zero = group.arithmetic.number(Fraction(0))
        high = [member for member in group.members if group.arithmetic.less(zero, member.advantage)]
        low = [member for member in group.members if group.arithmetic.less(member.advantage, zero)]
        if not high or not low:
            return []
        contrasts = [(share(token, high) - share(token, low), token) for token in group.vocabulary]
        rising = sorted((entry for entry in contrasts if entry[0] > 0), key=lambda entry: -entry[0])
        return [
            Pattern(f"prefer {token!r}: {counted(token, high)} of the better, {counted(token, low)} of the worse",
                    (1 + contrast) / 2, (token,))
            for contrast, token in rising[: self.most]
        ]  # fmt: skip


def share(token: str, members: list[Member]) -> Fraction:
    """The share of the responses in which a token occurs."""
    return Fraction(sum(token in member.response.tokens for member in members), len(members))


def counted(token: str, members: list[Member]) -> str:
    """In how many of the responses a token occurs: ``2/3`` without cancelling."""
    return f"{sum(token in member.response.tokens for member in members)}/{len(members)}"
