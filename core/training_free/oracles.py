"""The supplied oracles of a training-free run, as protocols, and the built-in ones that a task file can state.

Seed [003] supplies a base model, a test runner, a measure of code quality and an introspection. Each call terminates;
each is counted; every answer is recorded at its first call and never asked again. Numbers are exact: an int or a
Fraction, never a float.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.contracts.comparisons import at_most
from grpocheck.contracts.training_free import is_largest
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.training_free.patterns import HALF, Pattern
from grpocheck.core.training_free.responses import Response, Tokens


@dataclass(frozen=True)
class Member:
    """One response of a group with all that is known of it; rewards and advantages are scalars of the run."""

    response: Response
    passed: Mapping[str, bool]
    quality: Fraction
    external: Fraction
    novel: bool
    reward: Scalar
    advantage: Scalar

    @property
    @ensure(lambda self, result: result == (sum(self.passed.values()) == len(self.passed)), "every test passes")
    def solves(self) -> bool:
        """Whether all tests pass."""
        return all(self.passed.values())


@dataclass(frozen=True)
class Group:
    """What an introspection is shown: the members in the order of generation, and the tokens that patterns affect."""

    prompt: str
    iteration: int
    members: tuple[Member, ...]
    vocabulary: Tokens
    arithmetic: Arithmetic


class DistributionModel(Protocol):
    """A base model that lists its distribution over whole responses."""

    def __call__(self, prompt: str) -> Sequence[tuple[Response, Fraction]]:
        """The responses of positive mass, each with its mass; they sum to 1."""
        ...


class TokenModel(Protocol):
    """A base model that is asked token by token."""

    def __call__(self, prompt: str, prefix: Tokens) -> Sequence[tuple[str, Fraction]]:
        """The next tokens of positive mass after a prefix, each with its mass; they sum to 1."""
        ...


class TestRunner(Protocol):
    """Runs the tests of a task on a response."""

    def __call__(self, prompt: str, response: Response, tests: tuple[str, ...]) -> Sequence[bool]:
        """For each test, in order, whether the response passes it."""
        ...


class Quality(Protocol):
    """The measure of code quality of the external reward."""

    def __call__(self, prompt: str, response: Response) -> Fraction:
        """A number between 0 and 1."""
        ...


class Introspection(Protocol):
    """Compares high- with low-reward responses of a group."""

    def __call__(self, group: Group) -> Sequence[Pattern]:
        """The patterns that are found, perhaps none."""
        ...


@dataclass(frozen=True)
class Supply:
    """The oracles that a user supplies in place of those that the task states; None keeps the task's.

    ``settings`` say which ones they are; they are written to the trace, and a trace is only resumed under the same.
    """

    distribution: DistributionModel | None = None
    next_tokens: TokenModel | None = None
    tests: TestRunner | None = None
    quality: Quality | None = None
    introspection: Introspection | None = None
    settings: Mapping[str, str] = field(default_factory=dict)


@invariant(lambda self: set(self.passes) == set(self.qualities), "passes and quality for the same responses")
@dataclass(frozen=True)
class TabledAnswers:
    """Tests and quality that a task lists, by the text of a response."""

    passes: Mapping[str, tuple[str, ...]]
    qualities: Mapping[str, Fraction]

    @require(lambda self, response: response.text in self.passes, "the response is in the table")
    @ensure(lambda self, response, result: sum(result) == len(self.passes[response.text]), "those listed pass")
    def tests(self, prompt: str, response: Response, tests: tuple[str, ...]) -> tuple[bool, ...]:
        """For each test, whether it is listed for the response."""
        return tuple(test in self.passes[response.text] for test in tests)

    @require(lambda self, response: response.text in self.qualities, "the response is in the table")
    @ensure(lambda result: 0 <= result <= 1, "quality lies in [0, 1]")
    def quality(self, prompt: str, response: Response) -> Fraction:
        """The listed quality."""
        return self.qualities[response.text]


@require(lambda group: len(group.members) >= 2, "a group has at least two responses")
@ensure(lambda group, result: any(result is member for member in group.members), "a member of the group")
@ensure(
    lambda group, result: is_largest(result.reward, [member.reward for member in group.members]),
    "no reward of the group is above its reward",
)
def best(group: Group) -> Member:
    """The first member of the largest reward."""
    found = group.members[0]
    for member in group.members[1:]:
        if group.arithmetic.less(found.reward, member.reward):
            found = member
    return found


@require(lambda group: len(group.members) >= 2, "a group has at least two responses")
@ensure(lambda group, result: any(result is member for member in group.members), "a member of the group")
@ensure(
    lambda group, result: all(at_most(result.reward, member.reward) for member in group.members),
    "no reward of the group is below its reward",
)
def worst(group: Group) -> Member:
    """The first member of the least reward."""
    found = group.members[0]
    for member in group.members[1:]:
        if group.arithmetic.less(member.reward, found.reward):
            found = member
    return found


@invariant(lambda self: HALF < self.confidence <= 1, "a premise of the proposition: a confidence above 1/2")
@dataclass(frozen=True)
class NamesTheBetter:
    """The introspection that the proposition of seed [003] assumes: it names what the best response has and the worst
    lacks, and nothing else, always with one confidence above 1/2."""

    confidence: Fraction

    @require(lambda group: len(group.members) >= 2, "a group has at least two responses")
    @ensure(
        lambda group, result: all(
            token in best(group).response.tokens and token not in worst(group).response.tokens
            for pattern in result
            for token in pattern.tokens
        ),
        "every token named occurs in the best response and not in the worst",
    )
    def __call__(self, group: Group) -> tuple[Pattern, ...]:
        """One pattern, or none where the best response has no token of its own."""
        high, low = best(group).response, worst(group).response
        own = tuple(dict.fromkeys(token for token in high.tokens if token not in low.tokens))
        return (Pattern(f"{high.text} did better than {low.text}", self.confidence, own),) if own else ()
