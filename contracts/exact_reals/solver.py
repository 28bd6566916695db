"""Satisfiability with a second opinion: where z3's general solver does not know, its solver for nonlinear reals may."""

from typing import Any

import z3
from crosshair.statespace import StateSpace
from crosshair.util import UnknownSatisfiability

_FIRST_MILLISECONDS = 200
_SECOND_WITHOUT_LIMIT = 10_000
_NONLINEAR = ("simplify", "propagate-values", "elim-uncnstr", "purify-arith", "qfnra-nlsat")


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
    first, limit = space.solver, space.smt_timeout
    asserted = first.assertions()
    first.set("timeout", min(limit or _FIRST_MILLISECONDS, _FIRST_MILLISECONDS))
    answer = first.check(*conditions)
    if answer != z3.unknown:
        return answer, first.model() if answer == z3.sat else None
    if first.reason_unknown() == "interrupted from keyboard":
        raise KeyboardInterrupt
    if len(first.assertions()) < len(asserted):
        first.add(*asserted)  # z3 forgets the assertions of a solver whose time ran out
    second = z3.Then(*_NONLINEAR).solver()
    second.set("timeout", limit or _SECOND_WITHOUT_LIMIT)
    second.add(*asserted, *conditions)
    answer = second.check()
    return answer, second.model() if answer == z3.sat else None
