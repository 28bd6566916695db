"""The inputs of the test vectors: small batches and policies, with the corners that break implementations.

Every number is exact. A token is (current, old, reference) masses; what it is about stands with each case.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

F = Fraction
EPSILON, BETA = F(1, 5), F(1, 25)
TENTH, SEVENTH = F(1, 10), F(1, 7)
Masses = tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class Token:
    """The conditional masses of a sampled token under the three policies; one that is not active counts nowhere."""

    current: Fraction
    old: Fraction
    reference: Fraction
    active: bool = True


@dataclass(frozen=True)
class Response:
    """The rewards of a response, one for each reward function (None: missing), and its tokens."""

    rewards: tuple[Fraction | None, ...]
    tokens: tuple[Token, ...]


@dataclass(frozen=True)
class Group:
    """The responses to one prompt, and the exact KL(current || reference) there, in nats."""

    responses: tuple[Response, ...]
    divergence: Fraction


@dataclass(frozen=True)
class ObjectiveCase:
    """A batch."""

    id: str
    about: str
    groups: tuple[Group, ...]
    maximum_length: int
    epsilon: Fraction = EPSILON
    beta: Fraction = BETA


@dataclass(frozen=True)
class DivergenceCase:
    """Two policies on one support, by their masses, or by logits; ``least`` is a floor for the divergence alone."""

    id: str
    about: str
    current: tuple[Fraction, ...]
    reference: tuple[Fraction, ...]
    by_logits: bool
    least: Fraction | None = None


def tokens(*masses: Masses) -> tuple[Token, ...]:
    """Tokens that all count."""
    return tuple(Token(*entry) for entry in masses)


def with_ratio(ratio: Fraction, old: Fraction = TENTH) -> Token:
    """A token whose ratio is this."""
    return Token(ratio * old, old, F(1, 8))


def group(
    rewards: Sequence[Fraction | int], rows: Sequence[tuple[Token, ...]], divergence: Fraction = SEVENTH
) -> Group:
    """A group with one reward function."""
    return Group(
        tuple(Response((F(reward),), row) for reward, row in zip(rewards, rows, strict=True)), divergence
    )


A, B, C = (F(1, 2), F(1, 2), F(1, 3)), (F(3, 10), F(1, 4), F(1, 2)), (F(1, 5), F(2, 5), F(1, 5))
D, E = (F(9, 10), F(3, 4), F(9, 10)), (F(1, 8), F(1, 10), F(1, 6))
LINES = (tokens(A, B), tokens(C), tokens(D, E, A), tokens(B, C))


def objective_cases() -> Iterator[ObjectiveCase]:
    """The batches."""
    yield ObjectiveCase(
        "plain",
        "two groups, responses of one to three tokens, some ratios inside the clip and some outside",
        (group([1, 0, 0, 1], LINES), group([F(1, 2), -2, 3, F(1, 4)], LINES[::-1], F(2, 9))),
        4,
    )
    yield ObjectiveCase(
        "on-policy",
        "the first step: the current policy is the old one, every ratio is exactly 1, and there is a gradient",
        (group([2, 1, 0, 0], [tuple(Token(t.old, t.old, t.reference) for t in line) for line in LINES]),),
        3,
    )
    yield ObjectiveCase(
        "zero-variance-thirds",
        "eleven rewards of 1/3: a float mean of them is not 1/3, so the deviation has to be 0 because they are equal",
        (group([F(1, 3)] * 11, [(with_ratio(F(11 + i, 12)),) for i in range(11)]),),
        1,
    )
    yield ObjectiveCase(
        "zero-variance-tenths",
        "a group of three rewards of 1/10 (their float mean is above 1/10) beside one whose rewards differ",
        (group([F(1, 10)] * 3, LINES[:3]), group([F(1, 10), F(1, 10), F(2, 5)], LINES[1:])),
        3,
    )
    corners = [F(6, 5), F(4, 5), F(32, 25), F(3, 2), F(3), F(5), F(1)]
    yield ObjectiveCase(
        "boundary-ratios",
        "ratios exactly on the bounds, for both signs of A: there the gradient is anything between two values",
        (group([1] * 7 + [0] * 7, [(with_ratio(ratio),) for ratio in corners * 2]),),
        1,
    )
    yield ObjectiveCase(
        "negative-advantages",
        "ratios far above and below the clip where A < 0: the two-sided clip has no cap above, others have",
        (group([0, 0, 0, 1], [(with_ratio(ratio, F(1, 20)),) for ratio in (F(10), F(1, 10), F(2), F(1, 2))]),),
        1,
    )
    yield ObjectiveCase(
        "pair",
        "G = 2: the population deviation of 1 and 0 is 1/2 and A = 1, -1; a sample deviation gives 0.7071",
        (group([1, 0], LINES[:2]), group([5, -3], LINES[2:])),
        3,
    )
    yield ObjectiveCase(
        "missing-reward",
        "a reward is missing: an error, not a 0 and not a smaller group",
        (Group((Response((F(1),), LINES[0]), Response((None,), LINES[1]), Response((F(0),), LINES[3])), F(0)),),
        2,
    )
    padding = Token(F(1, 3), F(1, 9), F(1, 2), active=False)
    yield ObjectiveCase(
        "masked-tokens",
        "padding between and after tokens, and a response that is masked altogether: lengths count active tokens",
        (
            group([1, 0, 2], [(*LINES[0], padding), (padding, *LINES[1], padding), (padding, padding)]),
            group([0, 1, 1], [LINES[2], (*LINES[1], padding), LINES[3]]),
        ),
        3,
    )
    tiny = F(1, 10**30)
    yield ObjectiveCase(
        "tiny-masses",
        "masses of 1e-30: ratios and estimates of the divergence are of ordinary size",
        (group([1, 0, 0], [tokens((2 * tiny, tiny, 3 * tiny)), tokens((tiny, 2 * tiny, tiny)), LINES[0]]),),
        2,
    )
    long = tokens(*[(F(11, 10) * tiny, tiny, tiny)] * 12)
    yield ObjectiveCase(
        "underflow",
        "twelve tokens of mass 1e-30: products of masses are 0 in floats, sums of logarithms are not",
        (group([1, 0], [long, tokens(*[(tiny, F(11, 10) * tiny, tiny)] * 12)]),),
        12,
    )
    yield ObjectiveCase(
        "large-offset",
        "rewards of a billion that differ by 1: mean of squares minus square of mean loses the variance",
        (group([10**9, 10**9 + 1, 10**9 + 1, 10**9 + 3], LINES),),
        3,
    )
    yield ObjectiveCase(
        "huge-ratios",
        "ratios of 2000 and 1/2000: nothing overflows",
        (group([0, 1, 1, 0], [tokens((F(1, 2), F(1, 4000), F(1, 2)), A), tokens((F(1, 4000), F(1, 2), F(1, 2)))] * 2),),
        2,
    )
    pairs = [(F(1), F(10)), (F(0), F(40)), (F(0), F(10)), (F(1), F(20))]
    yield ObjectiveCase(
        "two-rewards",
        "two reward functions of different scale: their sum is normalised, or each is before the sum (gdpo)",
        (Group(tuple(Response(rewards, line) for rewards, line in zip(pairs, LINES, strict=True)), F(1, 9)),),
        3,
    )


def divergence_cases() -> Iterator[DivergenceCase]:
    """The pairs of policies."""
    yield DivergenceCase(
        "masses", "p = (4/5, 1/5), q = (1/2, 1/2): KL = 0.192745", (F(4, 5), F(1, 5)), (F(1, 2), F(1, 2)), False
    )
    yield DivergenceCase("equal-masses", "equal policies: exactly 0", (F(1, 3),) * 3, (F(1, 3),) * 3, False)
    tiny = F(1, 10**30)
    yield DivergenceCase(
        "masses-of-1e-30",
        "KL is 3.07e-31, and sum p log(p/q) in floats is -6.9e-31: add q - p to each term",
        (tiny, 1 - tiny),
        (2 * tiny, 1 - 2 * tiny),
        False,
        least=F(1, 10**40),
    )
    yield DivergenceCase(
        "logits", "logits of ordinary size", (F(1), F(0), F(-1, 2)), (F(0), F(1, 4), F(0)), True
    )
    yield DivergenceCase(
        "logits-of-10000",
        "logits of 1e4: exponentials overflow unless the largest is taken off first; log masses are about -1e4",
        (F(10_000), F(0), F(-10_000)),
        (F(0), F(0), F(0)),
        True,
    )
    yield DivergenceCase(
        "large-equal-logits",
        "only differences of logits count",
        (F(10_001), F(10_000)),
        (F(-9_999), F(-10_000)),
        True,
    )
