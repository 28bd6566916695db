"""The length covariance by enumeration: every truncated response on its own, with its length and its score."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from grpocheck.core.tic.kinds import IndependentTokens
from grpocheck.core.tic.lengths import Split
from grpocheck.core.tic.scores import choice_scores, ending_scores


def written_out(horizon: int) -> Iterator[tuple[str, ...]]:
    """Every truncated response of the tokens one, zero and end, token by token."""
    for length in range(1, horizon + 1):
        for tokens in product(("one", "zero"), repeat=length - 1):
            yield (*tokens, "end")
    yield from product(("one", "zero"), repeat=horizon)


def enumerated_splits(tokens: IndependentTokens) -> tuple[Split, Split]:
    """What grpocheck.core.tic.lengths has in closed form, response by response: of S^2 / L^2, and of R N / L."""
    policy, choice, ending = tokens.current, choice_scores(tokens.current), ending_scores(tokens.current)
    rows = []
    for response in written_out(tokens.horizon):
        mass = Fraction(1)
        for token in response:
            mass *= getattr(policy, token)
        score = sum((getattr(choice, token) for token in response), start=Fraction(0))
        last = response[-1] == "end"
        gain = sum((getattr(ending, token) for token in response), start=Fraction(0)) if last else Fraction(0)
        rows.append((mass, score**2, gain, len(response)))
    square = split([(m, value, Fraction(1, length**2)) for m, value, _, length in rows])
    return square, split([(m, value, Fraction(1, length)) for m, _, value, length in rows])


def split(rows: list[tuple[Fraction, Fraction, Fraction]]) -> Split:
    """E[a b], E[a] E[b] and their difference, from rows of probability, a and b."""
    zero = Fraction(0)
    total = sum((mass * a * b for mass, a, b in rows), start=zero)
    first, second = (sum((row[0] * row[place] for row in rows), start=zero) for place in (1, 2))
    return Split(total, first * second, total - first * second)

