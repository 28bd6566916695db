"""How a function's clauses are evaluated at a call: by position, and icontract's own way where that is not enough.

icontract resolves the arguments of every condition by name at every call, which costs more than most conditions of core
do. Here the positions are found once for each function. What this leaves out is done by icontract as ever: functions
with snapshots, with starred parameters or with alternatives among their preconditions, and calls that do not fit the
function. The message of a violation is icontract's.
"""

import inspect
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

from icontract._checkers import _create_violation_error

Values = tuple[Any, ...]
Step = tuple[Any, Callable[[Values], Values]]
"""A contract, and what its condition takes of the values of a call."""

RESULT = "result"
STARRED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class Plan:
    """The clauses of one function in the order of their evaluation, each with the positions of its arguments."""

    __slots__ = ("after", "before", "count", "defaults", "names")

    def __init__(self, parameters: Mapping[str, inspect.Parameter], before: list[Any], after: list[Any]) -> None:
        """For a function of these parameters; raises KeyError for a condition that asks for something else."""
        self.names = tuple(parameters)
        self.count = len(self.names)
        self.defaults = {
            name: parameter.default
            for name, parameter in parameters.items()
            if parameter.default is not inspect.Parameter.empty
        }
        places = {name: place for place, name in enumerate(self.names)}
        self.before: list[Step] = [(contract, picked(contract, places)) for contract in before]
        places[RESULT] = self.count
        self.after: list[Step] = [(contract, picked(contract, places)) for contract in after]

    def values(self, args: Values, kwargs: Mapping[str, Any]) -> Values | None:
        """The values of the parameters in a call, in their order; None for a call that the function refuses."""
        given = {**self.defaults, **dict(zip(self.names, args, strict=False)), **kwargs}
        if len(args) > self.count or len(given) != self.count or not kwargs.keys().isdisjoint(self.names[: len(args)]):
            return None
        return tuple([given[name] for name in self.names]) if given.keys() == set(self.names) else None

    def violation(self, contract: Any, values: Values) -> BaseException:
        """The error for a contract that does not hold of these values, with icontract's message."""
        names = (*self.names, RESULT)
        return _create_violation_error(contract, dict(zip(names, values, strict=False)))


def picked(contract: Any, places: Mapping[str, int]) -> Callable[[Values], Values]:
    """What picks the arguments of a contract's condition; raises KeyError for an argument that is not there.

    Arguments of a condition that have a default keep it where the function has no parameter of that name.
    """
    wanted = [name for name in contract.condition_args if name in places or name in contract.mandatory_args]
    if wanted != contract.condition_args[: len(wanted)]:
        raise KeyError(f"{contract.description}: a condition with a default before what it asks for")
    indices = [places[name] for name in wanted]
    if len(indices) > 1:
        return itemgetter(*indices)
    return itemgetter(slice(indices[0], indices[0] + 1) if indices else slice(0))


def plan_of(checked: Any) -> Plan | None:
    """The plan of a function that icontract checks; None where icontract is to do it."""
    parameters = inspect.signature(checked.__wrapped__).parameters
    groups = checked.__preconditions__
    if len(groups) > 1 or checked.__postcondition_snapshots__ or RESULT in parameters:
        return None
    if any(parameter.kind in STARRED for parameter in parameters.values()):
        return None
    try:
        return Plan(parameters, [*groups[0]] if groups else [], [*checked.__postconditions__])
    except KeyError:
        return None
