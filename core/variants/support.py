"""A finite support read token by token: conditional masses, and gradients as combinations of mass gradients.

Whatever the family, masses of whole responses factor into conditional token masses: a prefix has the mass of the
responses that begin with it, and a token the mass of the longer prefix over that of the shorter (claim G2 on prefixes),
so that the product is the mass of the response (claim G5). Tokens are the words of a response; one without white space
is one token. A word that ends its response is another token than the same word going on: it carries the end with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.contracts.comparisons import at_most, equal
from grpocheck.contracts.predicates import are_positive, is_mass_function
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar

Members = tuple[int, ...]
"""The responses, by their places in the support, that share a prefix."""


@invariant(lambda self: len(set(self.responses)) == len(self.responses) >= 1, "responses that differ, at least one")
@dataclass(frozen=True)
class TokenSupport:
    """An ordered support whose responses are texts."""

    responses: tuple[str, ...]

    @cached_property
    @ensure(lambda self, result: len(result) == len(self.responses), "one sequence of tokens for each response")
    def tokens(self) -> tuple[tuple[str, ...], ...]:
        """The tokens of each response."""
        return tuple(tuple(response.split()) or (response,) for response in self.responses)

    @cached_property
    @ensure(lambda self, result: result == max(len(tokens) for tokens in self.tokens), "a response has this length")
    def longest(self) -> int:
        """The length of the longest response."""
        return max(len(tokens) for tokens in self.tokens)

    @cached_property
    @ensure(
        lambda result: all(chain[-1] == (place,) for place, chain in enumerate(result)),
        "a whole response is shared with no other",
    )
    @ensure(
        lambda result: all(set(after) <= set(before) for chain in result for before, after in pairwise(chain)),
        "the longer prefix is shared by fewer",
    )
    def chains(self) -> tuple[tuple[Members, ...], ...]:
        """For each response the members of its prefixes, from the empty one to the whole response."""
        sharing: dict[tuple[str, ...], list[int]] = {}
        for place, tokens in enumerate(self.tokens):
            for h in range(len(tokens)):
                sharing.setdefault(tokens[:h], []).append(place)
        return tuple(
            (*(tuple(sharing[tokens[:h]]) for h in range(len(tokens))), (place,))
            for place, tokens in enumerate(self.tokens)
        )

    @require(lambda self, masses: len(masses) == len(self.responses), "one mass for each response of the support")
    @require(lambda masses: are_positive(masses), "A3: the masses are positive")
    @ensure(
        lambda masses, result: all(
            equal(prod(row) * sum(masses), mass) for row, mass in zip(result, masses, strict=True)
        ),
        "G5: the token masses of a response multiply to its mass",
    )
    def token_masses(self, masses: Sequence[Scalar]) -> tuple[tuple[Scalar, ...], ...]:
        """The conditional mass of each token of each response."""
        return tuple(
            tuple(sum(masses[j] for j in after) / sum(masses[j] for j in before) for before, after in pairwise(chain))
            for chain in self.chains
        )

    @require(lambda self, masses: len(masses) == len(self.responses), "one mass for each response of the support")
    @require(lambda self, place, h: 0 <= h < len(self.tokens[place]), "a token of a response of the support")
    @ensure(
        lambda self, masses, result: equal(sum(c * mass for c, mass in zip(result, masses, strict=True)), 0),
        "a common factor of all masses moves no conditional mass",
    )
    def score(self, place: int, h: int, masses: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """grad log mass of a token as coefficients on the mass gradients of the support.

        grad log P(longer prefix) - grad log P(shorter prefix), and grad P(prefix) is the sum over its members.
        """
        before, after = self.chains[place][h], self.chains[place][h + 1]
        longer, shorter = 1 / sum(masses[j] for j in after), 1 / sum(masses[j] for j in before)
        within, around = frozenset(after), frozenset(before)
        zero = longer - longer
        return tuple(
            (longer if j in within else zero) - (shorter if j in around else zero) for j in range(len(masses))
        )

    @require(lambda self, place, h: 0 <= h < len(self.tokens[place]), "a token of a response of the support")
    @ensure(
        lambda self, place, h, result: sorted(j for members in result for j in members)
        == list(self.chains[place][h]),
        "the continuations of a prefix part its members",
    )
    def continuations(self, place: int, h: int) -> tuple[Members, ...]:
        """What may follow the first h tokens of a response: the members of each longer prefix, or of an end there."""
        return tuple(dict.fromkeys(self.chains[j][h + 1] for j in self.chains[place][h]))

    @require(lambda masses: is_mass_function(masses), "A3: the masses are positive with sum 1")
    @ensure(lambda result: at_most(0, result), "an entropy is not negative")
    def entropy(self, place: int, h: int, masses: Sequence[Scalar], arithmetic: Arithmetic) -> Scalar:
        """The entropy, in nats, of what follows the first h tokens of a response."""
        whole = sum(masses[j] for j in self.chains[place][h])
        shares = [sum(masses[j] for j in members) / whole for members in self.continuations(place, h)]
        return -sum(share * arithmetic.log(share) for share in shares)

    @require(lambda masses: is_mass_function(masses), "A3: the masses are positive with sum 1")
    @ensure(
        lambda masses, result: equal(sum(c * mass for c, mass in zip(result, masses, strict=True)), 0),
        "a common factor of all masses moves no entropy",
    )
    def entropy_gradient(
        self, place: int, h: int, masses: Sequence[Scalar], arithmetic: Arithmetic
    ) -> tuple[Scalar, ...]:
        """grad of that entropy as coefficients on the mass gradients: -sum_a grad m_a log m_a."""
        members = self.chains[place][h]
        whole = sum(masses[j] for j in members)
        zero = whole - whole
        coefficients = [zero] * len(masses)
        for following in self.continuations(place, h):
            share = sum(masses[j] for j in following) / whole
            logarithm = arithmetic.log(share)
            for j in members:
                coefficients[j] -= ((1 if j in following else 0) - share) / whole * logarithm
        return tuple(coefficients)
