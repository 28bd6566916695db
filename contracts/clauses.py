"""The contract decorators that every function of core carries: icontract's, behind one switch.

``require``, ``ensure``, ``invariant`` and ``snapshot`` are checked unless ``GRPOCHECK_CONTRACTS=off`` was set when the
package was imported. ``total(why)`` stands in place of a precondition where every argument is fine, and says why.
A description begins with the identifier of the claim it states, where there is one: ``"B2: advantages sum to 0"``.
"""

import os
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import icontract

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

SWITCH = "GRPOCHECK_CONTRACTS"


class ContractViolation(AssertionError):  # noqa: N818 - a violated contract is the field's word
    """A precondition, postcondition or invariant does not hold; the message names the clause and values."""


def read_switch(setting: str | None) -> bool:
    """Whether contracts are checked: on unless the setting is the word off."""
    if setting not in (None, "on", "off"):
        raise ValueError(f"{SWITCH}: {setting!r}: expected on or off")
    return setting != "off"


ENABLED = read_switch(os.environ.get(SWITCH))

# partial and not def: icontract reads the file and line of a clause from its caller's frame.
require = partial(icontract.require, enabled=ENABLED, error=ContractViolation)
ensure = partial(icontract.ensure, enabled=ENABLED, error=ContractViolation)
invariant = partial(icontract.invariant, enabled=ENABLED, error=ContractViolation)
snapshot = partial(icontract.snapshot, enabled=ENABLED)


def total(why: str) -> Callable[[Decorated], Decorated]:
    """Declare that a function accepts every argument of its types, and why."""
    if not why.strip():
        raise ValueError("total: say why the function accepts every argument")

    def declare(function: Decorated) -> Decorated:
        return function

    return declare
