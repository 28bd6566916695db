"""The contract decorators that every function of core carries: icontract's, behind one switch.

``require``, ``ensure``, ``invariant`` and ``snapshot`` are checked unless ``GRPOCHECK_CONTRACTS=off`` was set when the
package was imported. ``total(why)`` stands in place of a precondition where every argument is fine, and says why.
A description begins with the identifier of the claim it states, where there is one: ``"B2: advantages sum to 0"``.

What a contract itself calls, to say what it says, is not checked again: while a condition is evaluated, the contracts
of the functions it calls rest. Every call that the program makes is checked.
"""

import os
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial, update_wrapper
from typing import Any, TypeVar

import icontract
from grpocheck.contracts.checking import Plan, Values, plan_of

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
DecoratedClass = TypeVar("DecoratedClass", bound=type)

SWITCH = "GRPOCHECK_CONTRACTS"


class ContractViolation(AssertionError):  # noqa: N818 - a violated contract is the field's word
    """A precondition, postcondition or invariant does not hold; the message names the clause and values."""


def read_switch(setting: str | None) -> bool:
    """Whether contracts are checked: unless the setting is off, in capitals or not; ValueError for what is not on.

    An empty setting is none.
    """
    word = (setting or "on").lower()
    if word not in ("on", "off"):
        raise ValueError(f"{SWITCH}: {setting!r}: expected on or off")
    return word != "off"


ENABLED = read_switch(os.environ.get(SWITCH))

_within_condition: ContextVar[bool] = ContextVar("within_condition", default=False)


def resting() -> bool:
    """Whether contracts rest now, because another one's condition is being evaluated."""
    return _within_condition.get()


def _armed(contract: Any) -> None:
    """Let a contract mark the time in which its condition is evaluated, and rest within another's."""
    condition = contract.condition

    def evaluate(*args: Any, **kwargs: Any) -> Any:
        if _within_condition.get():
            return True
        mark = _within_condition.set(True)
        try:
            verdict = condition(*args, **kwargs)
        finally:
            _within_condition.reset(mark)
        if not verdict:
            contract.condition = condition  # icontract writes the message from the condition's own source
        return verdict

    contract.condition = update_wrapper(evaluate, condition)
    # The frames: this function, the decorator's __init__ below, and the line that states the contract.
    place = traceback.extract_stack(limit=3)[0]
    contract.location = f"File {place.filename}, line {place.lineno} in {place.name}"


def _resting(checked: Any) -> Any:
    """A checked function that is called as it is, unchecked, while a condition is evaluated."""
    plain = checked.__wrapped__
    plan: Plan | None = None
    planned = False

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal plan, planned
        if _within_condition.get():
            return plain(*args, **kwargs)
        if not planned:
            plan, planned = plan_of(checked), True  # at the first call every clause is there
        if plan is None:
            return checked(*args, **kwargs)
        values = args if not kwargs and len(args) == plan.count else plan.values(args, kwargs)
        if values is None:
            return checked(*args, **kwargs)
        for contract, pick in plan.before:
            condition = contract.condition
            if not condition(*pick(values)):
                raise _violation(plan, contract, condition, values)
        result = plain(*args, **kwargs)
        if plan.after:
            values = (*values, result)
            for contract, pick in plan.after:
                condition = contract.condition
                if not condition(*pick(values)):
                    raise _violation(plan, contract, condition, values)
        return result

    update_wrapper(call, checked)
    for record in ("__preconditions__", "__postconditions__", "__postcondition_snapshots__"):
        vars(call).pop(record, None)  # further clauses are to find the checker itself
    return call


def _violation(plan: Plan, contract: Any, condition: Any, values: Values) -> BaseException:
    """The error for a contract that does not hold; the contract stays as it was, to be checked again."""
    mark = _within_condition.set(True)
    try:
        return plan.violation(contract, values)
    finally:
        _within_condition.reset(mark)
        contract.condition = condition


class _FunctionClause:
    """A precondition or postcondition, to decorate a function with."""

    def __init__(self, kind: Any, condition: Callable[..., Any], description: str | None = None) -> None:
        """State a condition."""
        self.clause = kind(condition, description, enabled=ENABLED, error=ContractViolation)
        if ENABLED:
            _armed(self.clause._contract)

    def __call__(self, function: Decorated) -> Decorated:
        """The function, checked."""
        checked: Any = self.clause(function)
        known = checked is function or getattr(function, "__wrapped__", None) is checked
        return function if known else _resting(checked)  # type: ignore[no-any-return,unused-ignore]


class _ClassClause:
    """An invariant, to decorate a class with."""

    def __init__(self, condition: Callable[..., Any], description: str | None = None) -> None:
        """State a condition of self."""
        self.clause = icontract.invariant(condition, description, enabled=ENABLED, error=ContractViolation)
        if ENABLED:
            _armed(self.clause._invariant)

    def __call__(self, cls: DecoratedClass) -> DecoratedClass:
        """The class, checked."""
        return self.clause(cls)


require = partial(_FunctionClause, icontract.require)
ensure = partial(_FunctionClause, icontract.ensure)
invariant = _ClassClause
snapshot = partial(icontract.snapshot, enabled=ENABLED)


def total(why: str) -> Callable[[Decorated], Decorated]:
    """Declare that a function accepts every argument of its types, and why; raises ValueError without a reason."""
    if not why.strip():
        raise ValueError("total: say why the function accepts every argument")

    def declare(function: Decorated) -> Decorated:
        return function

    return declare
