"""What supplied functions answered before, so that a function that answers the same question otherwise is found out.

Rewards, masses, memberships and gradients are functions (seed [000]); a run asks some questions more than once: a
response that is drawn again, a parameter that is reached again.
"""

from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.contracts.comparisons import equal
from grpocheck.core.arithmetic.reals import Real
from grpocheck.core.arithmetic.surd import Surd
from grpocheck.core.oracles import Undefined


@total("answers of one oracle are compared")
@ensure(lambda first, second, result: result or first is not second, "an answer agrees with itself")
def agree(first: object, second: object) -> bool:
    """Whether two answers are the same, as far as enclosures tell."""
    if type(first) is tuple and type(second) is tuple:
        return len(first) == len(second) and all(agree(a, b) for a, b in zip(first, second, strict=True))
    if type(first) in (bool, Undefined, tuple) or type(second) in (bool, Undefined, tuple):
        return first is second
    return equal(first, second)


class Recollection:
    """The first answer to every question that has a writing of its own."""

    @ensure(lambda self: not self.answers, "nothing was asked yet")
    def __init__(self) -> None:
        """Begin without any answers."""
        self.answers: dict[object, object] = {}

    @require(lambda oracle: bool(oracle), "the oracle is named")
    @ensure(lambda answer, result: result is None or not agree(result, answer), "an answer is contradicted by another")
    def contradicted(self, oracle: str, question: tuple[object, ...], answer: object) -> object | None:
        """The earlier answer to the same question where it differs; None where it does not, or there is none."""
        key = tuple(written(part) for part in question)
        if None in key:
            return None
        known = self.answers.setdefault((oracle, *key), answer)
        return None if agree(known, answer) else known


@total("what has no writing of its own is never asked about again")
@ensure(lambda value, result: result is not None or type(value) not in (int, Fraction), "rationals have one")
def written(value: object) -> object | None:
    """A hashable value that is the same for the same integers, exact numbers and tuples of them; None for others.

    Enclosed numbers are the same where they are written the same in one run.
    """
    if type(value) is tuple:
        parts = tuple(written(part) for part in value)
        return None if None in parts else parts
    if type(value) is Real:
        return frozenset(value.terms.items())
    return value if type(value) in (int, Fraction, Surd) else None
