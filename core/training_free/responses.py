"""Responses of a base model, and the base models that a task file can state.

Seed [003] has a base model pi_theta whose parameters never move. Two kinds are supplied: one that lists a finite
distribution over whole responses, and one that gives the next token's masses after each prefix.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, invariant, require, total
from grpocheck.contracts.predicates import is_mass_function
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.prompt import mass_function
from grpocheck.core.values import count, distinct_texts, entries, text

Tokens = tuple[str, ...]
Row = tuple[tuple[str, Fraction], ...]
"""Next tokens with their masses, in the order in which a draw goes through them."""

LONGEST_RESPONSE = 1_000
"""The longest horizon of a token-level base model."""


@invariant(lambda self: all(self.tokens), "every token has a text")
@dataclass(frozen=True)
class Response:
    """A response y: its tokens, in which patterns occur, and its text, which tests are run on."""

    tokens: Tokens
    text: str

    @total("any pattern's tokens may be looked for")
    @ensure(lambda tokens, result: not result or len(tokens) > 0, "a pattern with no tokens occurs nowhere")
    def contains_any(self, tokens: Sequence[str]) -> bool:
        """Whether one of these tokens occurs in the response."""
        return not set(tokens).isdisjoint(self.tokens)


Listed = tuple[tuple[Response, Fraction], ...]
"""Responses with their masses."""


@invariant(lambda self: is_mass_function([mass for _, mass in self.listed]), "masses are positive with sum 1")
@dataclass(frozen=True)
class ResponseTable:
    """A base model that a task lists: every response with its mass, whatever the prompt."""

    listed: Listed

    @require(lambda prompt: bool(prompt), "a base model is asked about a prompt")
    @ensure(lambda self, result: result is self.listed, "no parameter moves: the same distribution at every call")
    def distribution(self, prompt: str) -> Listed:
        """pi(y | x) for every response of positive mass."""
        return self.listed


@dataclass(frozen=True)
class Shape:
    """How token-level responses end: after ``horizon`` tokens or with the end token; ``separator`` joins the text."""

    horizon: int
    end: str | None = None
    separator: str = ""

    @ensure(lambda self: self.horizon >= 1, "a response has at least one token")
    def __post_init__(self) -> None:
        """Refuse what is no shape."""
        count("tokens.horizon", self.horizon, 1, LONGEST_RESPONSE)
        if self.end is not None and not text("tokens.end", self.end):
            raise InvalidProblem("tokens.end", self.end, "a token that is not empty")
        text("tokens.separator", self.separator)

    @require(lambda self, prefix: len(prefix) <= self.horizon, "no prefix is longer than the horizon")
    @ensure(lambda self, prefix, result: result or len(prefix) < self.horizon, "at the horizon a response is whole")
    def is_whole(self, prefix: Tokens) -> bool:
        """Whether these tokens are a response, and not a prefix that goes on."""
        return len(prefix) == self.horizon or (bool(prefix) and prefix[-1] == self.end)

    @require(lambda self, tokens: self.is_whole(tokens), "a response that has ended")
    @ensure(lambda tokens, result: result.tokens == tokens, "the end token is a token, but no part of the text")
    def response(self, tokens: Tokens) -> Response:
        """The response of these tokens."""
        spoken = tokens[:-1] if tokens[-1] == self.end else tokens
        return Response(tokens, self.separator.join(spoken))


@dataclass(frozen=True)
class TokenTable:
    """An autoregressive base model that a task lists: a row of masses after a prefix, else the row of its position."""

    shape: Shape
    positions: tuple[Row, ...]
    after: tuple[tuple[Tokens, Row], ...] = ()

    @ensure(lambda self: len(self.positions) == self.shape.horizon, "a row for every position up to the horizon")
    @ensure(lambda self: len({prefix for prefix, _ in self.after}) == len(self.after), "one row for each prefix")
    def __post_init__(self) -> None:
        """Refuse positions without a row, and prefixes with two."""
        if len(self.positions) != self.shape.horizon:
            raise InvalidProblem("tokens.positions", self.positions, f"{self.shape.horizon} rows, one a position")
        prefixes = [prefix for prefix, _ in self.after]
        for prefix in prefixes:
            if prefixes.count(prefix) > 1:
                raise InvalidProblem("tokens.after", prefix, "each prefix once")

    @require(lambda self, prefix: not self.shape.is_whole(prefix), "a token can follow the prefix")
    @ensure(lambda self, prefix, result: result in [*self.positions, *(row for _, row in self.after)], "a listed row")
    def next_tokens(self, prompt: str, prefix: Tokens) -> Row:
        """pi(a | x, prefix) for every token of positive mass."""
        return dict(self.after).get(prefix, self.positions[len(prefix)])


@total("bad input raises InvalidProblem")
@ensure(lambda result: is_mass_function([mass for _, mass in result]), "masses are positive with sum 1")
def token_row(key: str, tokens: object, masses: object) -> Row:
    """Next tokens and their masses; uniform where no masses are given."""
    names = distinct_texts(f"{key}.tokens", tokens, "token")
    if not all(names):
        raise InvalidProblem(f"{key}.tokens", tokens, "tokens that are not empty")
    if masses is None:
        return tuple((name, Fraction(1, len(names))) for name in names)
    if len(entries(f"{key}.masses", masses, "a list of numbers")) != len(names):
        raise InvalidProblem(f"{key}.masses", masses, f"{len(names)} masses, one for each token")
    return tuple(zip(names, mass_function(f"{key}.masses", masses, len(names)), strict=True))
