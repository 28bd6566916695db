"""Truncated response sets: what a finite vocabulary, an end token and a horizon generate.

Section 1 of the specification, "Generation protocol": a response is a token sequence that contains the end token only
as its last token, and has length H if it does not contain it (truncated). Tokens may be forbidden after a prefix, so
that the support B_q can be a proper part of the truncated response set Y_q. Both are in shortlex order of the
vocabulary's own order: shorter first, and of one length by the earliest token that differs.

In a problem file a prefix or a response is its tokens joined by one space, and the empty prefix is the empty text;
tokens hold no white space, so this names each response once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from grpocheck.contracts.clauses import ensure, invariant, require, total
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.values import count, distinct_texts, entries, table, text

Tokens: TypeAlias = tuple[str, ...]

MOST_RESPONSES = 200_000
"""The most responses of a truncated response set, all of which are listed."""
MOST_TOKENS = 2_000_000
"""The most tokens in all of them together, and the longest horizon."""


@require(lambda tokens: all(tokens), "tokens are not empty")
@ensure(lambda tokens, result: tuple(result.split()) == tokens, "the key names one token sequence")
def key_of(tokens: Tokens) -> str:
    """The text that stands for a prefix or a response: its tokens joined by one space."""
    return " ".join(tokens)


@require(lambda horizon: horizon >= 1, "H >= 1")
@ensure(lambda responses, result: result or len(responses) > 0, "no response is no counterexample")
def is_truncated(responses: tuple[Tokens, ...], end: str, horizon: int) -> bool:
    """Whether each response has the end token only as its last one, and length H if it has none."""
    return all(
        end not in response[:-1] and 1 <= len(response) <= horizon and (response[-1] == end or len(response) == horizon)
        for response in responses
    )


@invariant(lambda self: self.end in self.vocabulary and self.horizon >= 1, "an end token of the vocabulary, H >= 1")
@dataclass(frozen=True)
class Generation:
    """What generates the responses of every prompt.

    ``forbidden`` pairs a prefix with the tokens that may not follow it. Raises InvalidProblem for what generates
    nothing, or more than a computer holds.
    """

    vocabulary: tuple[str, ...]
    end: str
    horizon: int
    forbidden: tuple[tuple[Tokens, Tokens], ...] = ()

    @ensure(lambda self: self.size() <= MOST_RESPONSES, "the truncated response set can be listed")
    @ensure(
        lambda self: all(len(tokens) < len(self.vocabulary) for _, tokens in self.forbidden),
        "after every prefix some token is allowed",
    )
    def __post_init__(self) -> None:
        """Check vocabulary, end token, horizon, size and forbidden tokens."""
        key = "generation"
        vocabulary = distinct_texts(f"{key}.vocabulary", self.vocabulary, "token")
        for i, token in enumerate(vocabulary):
            if token.split() != [token]:
                raise InvalidProblem(f"{key}.vocabulary[{i}]", token, "a token that is not empty, without white space")
        if text(f"{key}.end", self.end, "a token of the vocabulary") not in vocabulary:
            raise InvalidProblem(f"{key}.end", self.end, "a token of the vocabulary")
        count(f"{key}.horizon", self.horizon, 1, MOST_TOKENS)
        object.__setattr__(self, "vocabulary", vocabulary)
        check_size(len(vocabulary) - 1, self.horizon)
        pairs = entries(f"{key}.forbidden", self.forbidden, "pairs of a prefix and the tokens forbidden after it")
        merged: dict[Tokens, Tokens] = {}
        for pair in pairs:
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise InvalidProblem(f"{key}.forbidden", pair, "a pair of a prefix and the tokens forbidden after it")
            prefix = self.checked_prefix(pair[0])
            if prefix in merged:
                raise InvalidProblem(f"{key}.forbidden", key_of(prefix), "each prefix once")
            merged[prefix] = self.checked_tokens(prefix, pair[1])
        ordered = sorted(merged.items(), key=lambda item: self.shortlex(item[0]))
        object.__setattr__(self, "forbidden", tuple((prefix, tokens) for prefix, tokens in ordered if tokens))

    @total("bad input raises InvalidProblem")
    @ensure(lambda self, result: len(result) < self.horizon and self.end not in result, "a token can follow the prefix")
    def checked_prefix(self, prefix: object) -> Tokens:
        """A prefix after which a token can follow: below the horizon and without the end token."""
        key = "generation.forbidden"
        tokens = tuple(text(key, token, "a token") for token in entries(key, prefix, "a prefix: a list of tokens"))
        for token in tokens:
            if token not in self.vocabulary or token == self.end:
                raise InvalidProblem(
                    key, " ".join(tokens), "a prefix of tokens of the vocabulary, none of them the end"
                )
        if len(tokens) >= self.horizon:
            raise InvalidProblem(key, " ".join(tokens), f"a prefix shorter than the horizon {self.horizon}")
        return tokens

    @total("bad input raises InvalidProblem")
    @ensure(lambda self, result: set(result) < set(self.vocabulary), "some token stays allowed")
    def checked_tokens(self, prefix: Tokens, tokens: object) -> Tokens:
        """The tokens forbidden after a prefix, in the vocabulary's order; not all of them."""
        key = f'generation.forbidden."{key_of(prefix)}"'
        listed = distinct_texts(key, tokens, "token") if entries(key, tokens, "a list of tokens") else ()
        for i, token in enumerate(listed):
            if token not in self.vocabulary:
                raise InvalidProblem(f"{key}[{i}]", token, "a token of the vocabulary")
        if len(listed) == len(self.vocabulary):
            raise InvalidProblem(key, tokens, "a token that stays allowed after this prefix")
        return tuple(token for token in self.vocabulary if token in set(listed))

    @ensure(lambda self, result: result > self.horizon or len(self.vocabulary) == 1, "a response of every length")
    def size(self) -> int:
        """The number of responses in the truncated response set Y_q."""
        words = len(self.vocabulary) - 1
        ending, responses = 1, 0
        for _ in range(self.horizon):
            responses += ending
            ending *= words
        return responses + ending

    @require(lambda self, tokens: set(tokens) <= set(self.vocabulary), "tokens of the vocabulary")
    @ensure(lambda tokens, result: result[0] == len(tokens), "shorter sequences come first")
    def shortlex(self, tokens: Tokens) -> tuple[int, tuple[int, ...]]:
        """What shortlex order sorts by: the length, then the places of the tokens in the vocabulary."""
        return (len(tokens), tuple(self.places[token] for token in tokens))

    @cached_property
    @ensure(lambda self, result: [self.vocabulary[place] for place in result.values()] == list(result), "its own order")
    def places(self) -> Mapping[str, int]:
        """The place of each token in the vocabulary."""
        return {token: place for place, token in enumerate(self.vocabulary)}

    @cached_property
    @ensure(lambda self, result: set(result) == {prefix for prefix, _ in self.forbidden}, "a set for each prefix")
    def forbidden_after(self) -> Mapping[Tokens, frozenset[str]]:
        """The tokens forbidden after a prefix, for the prefixes that have some."""
        return {prefix: frozenset(tokens) for prefix, tokens in self.forbidden}

    @require(
        lambda self, prefix: len(prefix) < self.horizon and self.end not in prefix, "a token can follow the prefix"
    )
    @ensure(lambda result: len(result) >= 1, "after every prefix some token is allowed")
    def allowed(self, prefix: Tokens) -> Tokens:
        """The tokens that may follow a prefix, in the vocabulary's order."""
        barred = self.forbidden_after.get(prefix, frozenset())
        return tuple(token for token in self.vocabulary if token not in barred)

    @cached_property
    @ensure(lambda self, result: len(result) == self.size(), "every response of Y_q is listed once")
    @ensure(lambda self, result: is_truncated(result, self.end, self.horizon), "the end token only last, or length H")
    def response_set(self) -> tuple[Tokens, ...]:
        """The truncated response set Y_q, in shortlex order."""
        words = tuple(token for token in self.vocabulary if token != self.end)
        prefixes: list[Tokens] = [()]
        listed: list[Tokens] = []
        for _ in range(self.horizon - 1):
            listed.extend((*prefix, self.end) for prefix in prefixes)
            prefixes = [(*prefix, word) for prefix in prefixes for word in words]
        listed.extend((*prefix, token) for prefix in prefixes for token in self.vocabulary)
        return tuple(listed)

    @cached_property
    @ensure(lambda self, result: is_truncated(result, self.end, self.horizon), "the end token only last, or length H")
    @ensure(lambda self, result: 1 <= len(result) <= self.size(), "a nonempty part of Y_q")
    def support(self) -> tuple[Tokens, ...]:
        """The responses of positive mass, in shortlex order: each of their tokens is allowed after what precedes it."""
        listed: list[Tokens] = []
        for prefix in self.prefixes:
            last = len(prefix) == self.horizon - 1
            listed.extend((*prefix, token) for token in self.allowed(prefix) if last or token == self.end)
        return tuple(listed)

    @cached_property
    @ensure(lambda result: result[0] == () and len(set(result)) == len(result), "each prefix once, the empty one first")
    def prefixes(self) -> tuple[Tokens, ...]:
        """The prefixes of positive mass after which a token follows, in shortlex order."""
        of_one_length: list[Tokens] = [()]
        listed: list[Tokens] = [()]
        for _ in range(self.horizon - 1):
            of_one_length = [
                (*prefix, token) for prefix in of_one_length for token in self.allowed(prefix) if token != self.end
            ]
            listed.extend(of_one_length)
        return tuple(listed)


@require(lambda words, horizon: words >= 0 and horizon >= 1, "a number of tokens beside the end token, H >= 1")
@ensure(lambda words, horizon: words**horizon <= MOST_RESPONSES, "no more than a computer holds")
def check_size(words: int, horizon: int) -> None:
    """Raise InvalidProblem for a horizon with too many responses, or tokens in them; nothing is generated for that."""
    key, ending, responses, tokens = "generation.horizon", 1, 0, 0
    for length in range(1, horizon + 1):
        responses += ending
        tokens += ending * length
        ending *= words
        if responses + ending > MOST_RESPONSES:
            raise InvalidProblem(key, horizon, f"at most {MOST_RESPONSES} responses to generate")
        if tokens + ending * length > MOST_TOKENS:
            raise InvalidProblem(key, horizon, f"at most {MOST_TOKENS} tokens to generate in all responses")


@total("bad input raises InvalidProblem")
@ensure(lambda result: all(tokens for _, tokens in result.forbidden), "only prefixes with forbidden tokens are kept")
def generation_from_mapping(mapping: object) -> Generation:
    """What a [generation] table states, the parameterisation aside."""
    keys = ("vocabulary", "end", "horizon", "parameterisation", "forbidden")
    stated = table("generation", mapping, keys, keys[:4])
    forbidden = stated.get("forbidden", {})
    if not isinstance(forbidden, Mapping) or not all(isinstance(prefix, str) for prefix in forbidden):
        raise InvalidProblem("generation.forbidden", forbidden, "a table: the tokens forbidden after each prefix")
    pairs = tuple((tuple(prefix.split()), tokens) for prefix, tokens in forbidden.items())
    return Generation(stated["vocabulary"], stated["end"], stated["horizon"], pairs)  # type: ignore[arg-type]
