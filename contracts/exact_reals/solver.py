"""Satisfiability with a second opinion: where z3's general solver does not know, its solver for nonlinear reals may."""

from time import process_time
from typing import Any

import z3
from crosshair.statespace import StateSpace
from crosshair.util import UnknownSatisfiability

_FIRST_MILLISECONDS = 200
_SECOND_WITHOUT_LIMIT = 10_000
_NONLINEAR = ("simplify", "propagate-values", "elim-uncnstr", "purify-arith", "qfnra-nlsat")
_OVER = ("timeout", "canceled")


def witness(space: StateSpace, *conditions: Any) -> z3.ModelRef | None:
    """A model of the path and the conditions, or None when there is none (in place of StateSpace.witness).

    Raises UnknownSatisfiability when neither solver decides in the path's time.
    """
    model = space._known_model()
    if model is not None and all(space._model_satisfies(model, condition) for condition in conditions):
        return model
    answer, model = _ask(space, conditions)
    if answer == z3.unknown:
        raise UnknownSatisfiability
    if model is not None:
        space._remember_model(model)
    return model


def is_possible(space: StateSpace, condition: Any) -> bool:
    """Whether the path allows a condition (in place of StateSpace.is_possible)."""
    condition = getattr(condition, "var", condition)
    if isinstance(condition, bool):
        return condition
    return witness(space, condition) is not None


def _ask(space: StateSpace, conditions: tuple[Any, ...]) -> tuple[Any, z3.ModelRef | None]:
    first, limit = space.solver, space.smt_timeout or _SECOND_WITHOUT_LIMIT
    asserted = first.assertions()
    milliseconds = min(limit, _FIRST_MILLISECONDS)
    while True:
        started = process_time()
        answer = _answer_of(first, milliseconds, asserted, conditions)
        if answer != z3.unknown:
            return answer, first.model() if answer == z3.sat else None
        # z3 counts by the clock, and on a busy machine a process gets little of that time: it has more of it then.
        if 1000 * (process_time() - started) >= _FIRST_MILLISECONDS / 2 or milliseconds >= limit or not _late(first):
            break
        milliseconds = min(2 * milliseconds, limit)
    second = z3.Then(*_NONLINEAR).solver()
    second.set("timeout", limit)
    second.add(*asserted, *conditions)
    answer = second.check()
    if answer == z3.unknown and _late(first):  # what it would have known a moment later is not left open
        answer = _answer_of(first, limit, asserted, conditions)
        return answer, first.model() if answer == z3.sat else None
    return answer, second.model() if answer == z3.sat else None


def _answer_of(solver: z3.Solver, milliseconds: int, asserted: Any, conditions: tuple[Any, ...]) -> Any:
    """What a solver says within so much time by the clock, its assertions in place afterwards."""
    solver.set("timeout", milliseconds)
    answer = solver.check(*conditions)
    if answer == z3.unknown:
        if solver.reason_unknown() == "interrupted from keyboard":
            raise KeyboardInterrupt
        if len(solver.assertions()) < len(asserted):
            solver.add(*asserted)  # z3 forgets the assertions of a solver whose time ran out
    return answer


def _late(solver: z3.Solver) -> bool:
    """Whether a solver did not know because its time was over."""
    return solver.reason_unknown() in _OVER
