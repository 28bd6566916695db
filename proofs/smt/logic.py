"""Connectives for formulas that are read twice: by z3 on symbols, and by Python on the values of a run."""

from typing import Any, TypeAlias

import z3

Truth: TypeAlias = Any
"""A bool, or a z3 formula."""


def every(*parts: Truth) -> Truth:
    """Whether all the parts hold."""
    open_parts = []
    for part in parts:
        if part is False:
            return False
        if part is not True:
            open_parts.append(part)
    return z3.And(open_parts) if open_parts else True


def some(*parts: Truth) -> Truth:
    """Whether at least one of the parts holds."""
    open_parts = []
    for part in parts:
        if part is True:
            return True
        if part is not False:
            open_parts.append(part)
    return z3.Or(open_parts) if open_parts else False


def negation(part: Truth) -> Truth:
    """Whether the part does not hold."""
    return not part if isinstance(part, bool) else z3.Not(part)


def implies(condition: Truth, consequence: Truth) -> Truth:
    """Whether the consequence holds where the condition does."""
    return some(negation(condition), consequence)


def choose(condition: Truth, chosen: Any, other: Any) -> Any:
    """``chosen`` where the condition holds, ``other`` elsewhere."""
    if isinstance(condition, bool):
        return chosen if condition else other
    return z3.If(condition, chosen, other)
