"""Which contracts were really evaluated, and decided, while a block ran.

Every condition that icontract holds on the functions and classes of a package is replaced by one that counts. An
evaluation counts as decided only when none of the comparisons inside it was left open (see comparisons): an equality
that is merely consistent with its enclosures is no evidence.
"""

import importlib
import inspect
import pkgutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from grpocheck.contracts.claims import claims_named_in
from grpocheck.contracts.clauses import resting
from grpocheck.contracts.comparisons import tally


@dataclass(frozen=True)
class Clause:
    """One contract of the code: on which function or class, and its description."""

    subject: str
    description: str

    @property
    def claims(self) -> tuple[str, ...]:
        """The claims that the description starts with."""
        return claims_named_in(self.description)


@dataclass(frozen=True)
class Observation:
    """How often each clause was evaluated and decided, and how often it was left open."""

    decided: Counter[Clause]
    open: Counter[Clause]


@contextmanager
def observed_clauses(package: str) -> Iterator[Observation]:
    """Count the evaluations of every contract in the modules of a package while the block runs."""
    seen = Observation(Counter(), Counter())
    originals: list[tuple[Any, Callable[..., Any]]] = []
    for clause, contract in clauses_of(package):
        originals.append((contract, contract.condition))
        contract.condition = _counting(clause, contract, contract.condition, seen)
    try:
        yield seen
    finally:
        for contract, condition in originals:
            contract.condition = condition


def _counting(
    clause: Clause, contract: Any, condition: Callable[..., Any], seen: Observation
) -> Callable[..., Any]:
    """The condition, counted; a violated contract gets its own condition back, so that its message shows it."""

    def counted(*args: Any, **kwargs: Any) -> Any:
        if resting():
            return True
        with tally() as counts:
            verdict = condition(*args, **kwargs)
        if not verdict and contract.condition is counted:
            contract.condition = condition
        (seen.open if counts.consistent or counts.not_evaluated else seen.decided)[clause] += 1
        return verdict

    return counted


def clauses_of(package: str) -> Iterator[tuple[Clause, Any]]:
    """Every contract in a package, all its modules loaded: the clause and icontract's own object."""
    root = importlib.import_module(package)
    for found in pkgutil.walk_packages(getattr(root, "__path__", ()), f"{package}."):
        importlib.import_module(found.name)
    listed: set[int] = set()
    for name in sorted(sys.modules):
        if name == package or name.startswith(f"{package}."):
            for subject, contract in _contracts_in(sys.modules[name]):
                if id(contract) not in listed:
                    listed.add(id(contract))
                    yield Clause(f"{name}.{subject}", contract.description or ""), contract


def _contracts_in(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The contracts of the functions and classes that a module defines."""
    for member in list(vars(module).values()):
        if inspect.isclass(member) and member.__module__ == module.__name__:
            for contract in getattr(member, "__invariants__", ()):
                yield member.__qualname__, contract
            for attribute in list(vars(member).values()):
                yield from _contracts_on(attribute)
        elif inspect.isfunction(member) and member.__module__ == module.__name__:
            yield from _contracts_on(member)


def _contracts_on(attribute: Any) -> Iterator[tuple[str, Any]]:
    """The contracts of a function, method, property, class method or static method."""
    functions = (
        [attribute.fget, attribute.fset, attribute.fdel]
        if isinstance(attribute, property)
        else [getattr(attribute, "__func__", attribute)]
    )
    for function in functions:
        while function is not None:
            groups = [*getattr(function, "__preconditions__", ()), getattr(function, "__postconditions__", ())]
            for group in groups:
                for contract in group:
                    yield function.__qualname__, contract
            function = getattr(function, "__wrapped__", None)
