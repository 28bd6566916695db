"""Patterns, the expert factors that they become, and the append-only bank of them.

Seed [003]: a pattern s_k = (description, confidence c_k in [0, 1], affected tokens V_k). Its factor is
w_k = 1 + kappa max(0, 2 c_k - 1): at c_k = 1/2 and below the weight max(0, 2 c_k - 1) is 0 and the factor is 1.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from grpocheck.contracts.clauses import ensure, invariant, require, total
from grpocheck.contracts.training_free import continues
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.training_free.responses import Response, Tokens
from grpocheck.core.values import entries, rational, rational_text, text

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Pattern:
    """A pattern s_k: what to prefer, how sure the introspection is, and which tokens it affects (perhaps none).

    Whether the confidence lies in [0, 1] is checked where a pattern enters: of an introspection's answer, of a file.
    """

    description: str
    confidence: Fraction
    tokens: Tokens

    @property
    @ensure(lambda self, result: (result == 0) == (self.confidence <= HALF), "no more than even odds have weight 0")
    @ensure(lambda result: 0 <= result <= 1, "a weight lies in [0, 1]")
    def weight(self) -> Fraction:
        """max(0, 2 c - 1)."""
        return max(Fraction(0), 2 * self.confidence - 1)

    @require(lambda kappa: kappa > 0, "kappa > 0")
    @ensure(lambda kappa, result: 1 <= result <= 1 + kappa, "a factor lies in [1, 1 + kappa]")
    @ensure(lambda self, result: (result == 1) == (self.weight == 0), "a factor of weight 0 changes nothing")
    def factor(self, kappa: Fraction) -> Fraction:
        """w = 1 + kappa max(0, 2 c - 1)."""
        return 1 + kappa * self.weight

    @ensure(lambda self, result: Fraction(str(result["confidence"])) == self.confidence, "the exact confidence")
    def to_mapping(self) -> dict[str, object]:
        """The pattern as a task file or a trace writes it."""
        confidence = rational_text(self.confidence)
        return {"description": self.description, "confidence": confidence, "tokens": list(self.tokens)}


@total("bad input raises InvalidProblem")
@ensure(lambda result: 0 <= result.confidence <= 1, "a confidence lies in [0, 1]")
def read_pattern(key: str, value: object) -> Pattern:
    """A pattern out of a mapping with description, confidence and tokens; an error names the key."""
    fields = ("description", "confidence", "tokens")
    if not isinstance(value, dict) or set(value) != set(fields):
        raise InvalidProblem(key, value, f"a table with {', '.join(fields)}")
    confidence = rational(f"{key}.confidence", value["confidence"])
    if not 0 <= confidence <= 1:
        raise InvalidProblem(f"{key}.confidence", confidence, "a number between 0 and 1")
    listed = entries(f"{key}.tokens", value["tokens"], "a list of tokens")
    tokens = tuple(text(f"{key}.tokens[{i}]", token) for i, token in enumerate(listed))
    if len(set(tokens)) != len(tokens):
        raise InvalidProblem(f"{key}.tokens", tokens, "each token once")
    return Pattern(text(f"{key}.description", value["description"]), confidence, tokens)


@invariant(lambda self: self.kappa > 0, "kappa > 0")
@invariant(lambda self: all(0 <= pattern.confidence <= 1 for pattern in self.patterns), "confidences lie in [0, 1]")
@dataclass(frozen=True)
class Bank:
    """The bank of expert factors: patterns in the order in which they were found; it only ever grows."""

    kappa: Fraction
    patterns: tuple[Pattern, ...] = ()

    @total("an introspection may find nothing")
    @ensure(lambda self, result: continues(result.patterns, self.patterns), "the bank is append-only")
    @ensure(
        lambda self, found, result: len(result.patterns) == len(self.patterns) + len(found), "nothing found is left out"
    )
    def extended(self, found: tuple[Pattern, ...]) -> "Bank":
        """The bank with further patterns at its end."""
        return Bank(self.kappa, self.patterns + found)

    @total("a response may match no pattern")
    @ensure(lambda self, result: result >= 1 and (self.patterns != () or result == 1), "an empty bank changes nothing")
    def response_factor(self, response: Response) -> Fraction:
        """The product of w_k over the patterns of which at least one token occurs in the response."""
        return self.product(pattern for pattern in self.patterns if response.contains_any(pattern.tokens))

    @require(lambda token: bool(token), "a token has a text")
    @ensure(lambda self, result: result >= 1 and (self.patterns != () or result == 1), "an empty bank changes nothing")
    def token_factor(self, token: str) -> Fraction:
        """The product of w_k over the patterns that affect a token."""
        return self.product(pattern for pattern in self.patterns if token in pattern.tokens)

    @total("an empty product is 1")
    @ensure(lambda self, result: 1 <= result <= (1 + self.kappa) ** len(self.patterns), "at most (1 + kappa)^k")
    def product(self, patterns: Iterable[Pattern]) -> Fraction:
        """The product of the factors of some of the bank's patterns."""
        return prod((pattern.factor(self.kappa) for pattern in patterns), start=Fraction(1))
