"""The three stopping rules of seed [003], in their order: all tests pass, the budget K, improvement below delta."""

from enum import StrEnum
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require
from grpocheck.contracts.comparisons import decided_sign
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar


class Stop(StrEnum):
    """Why a run ended; there is no fourth reason."""

    SOLVED = "all-tests-pass"
    BUDGET = "iteration-budget"
    STALLED = "improvement-below-delta"


@require(lambda iteration, budget: 1 <= iteration <= budget, "iterations are counted from 1 to K")
@require(lambda iteration, improvement: (improvement is None) == (iteration == 1), "the first improves on nothing")
@ensure(lambda iteration, budget, result: result is not None or iteration < budget, "iteration K is the last")
@ensure(lambda solved, result: (result is Stop.SOLVED) == solved, "all tests pass: that, before any other reason")
@ensure(
    lambda improvement, delta, result: result is not Stop.STALLED
    or (delta is not None and decided_sign(improvement - delta) in (-1, None)),
    "the improvement is below delta, which is not none",
)
def stopping_reason(
    solved: bool,
    iteration: int,
    budget: int,
    improvement: Scalar | None,
    delta: Fraction | None,
    arithmetic: Arithmetic,
) -> Stop | None:
    """The first of the three rules that holds after an iteration, None where it goes on.

    ``improvement`` is the best reward less that of the iteration before, in reward units. Raises UndecidedComparison
    where its enclosures do not tell it from delta.
    """
    if solved:
        return Stop.SOLVED
    if iteration == budget:
        return Stop.BUDGET
    if delta is not None and improvement is not None and arithmetic.less(improvement, arithmetic.number(delta)):
        return Stop.STALLED
    return None
