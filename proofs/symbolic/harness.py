"""Harnesses: small functions over core whose postconditions are claims, each checked on its own by CrossHair.

    @harness(size="any rho > 0, A and 0 < epsilon < 1")
    @require(lambda rho: rho > 0)
    @ensure(lambda rho, advantage, result: result <= rho * advantage, "E2: the term is at most rho A")
    def term(rho: Fraction, advantage: Fraction, epsilon: Fraction) -> Fraction: ...

The decorators are icontract's own and not those of contracts.clauses: in a symbolic process those of core are switched
off, so that a function is explored once and not its contracts at every call within, and the harness's own are to stay.
"""

import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from grpocheck.contracts.claims import claims_named_in
from grpocheck.proofs.symbolic.values import unfit_argument

Function = TypeVar("Function", bound=Callable[..., Any])

MODULES = tuple(
    f"grpocheck.proofs.symbolic.harnesses.{name}"
    for name in ("procedure", "gradient", "any_domain", "objective", "advantage", "term", "divergence", "families")
)
"""Where the project's harnesses are; the longest first, so that the last ones to run are short."""

RAISES = re.compile(r":raises?\b")


class HarnessError(ValueError):
    """A harness that could not be trusted; the message names it and what was expected."""


@dataclass(frozen=True)
class Harness:
    """A checked function: where it is, the sizes that it speaks for, and its postconditions from top to bottom."""

    module: str
    function: str
    size: str
    postconditions: tuple[str, ...]

    @property
    def name(self) -> str:
        """Module and function, as in a callee's name."""
        return f"{self.module}:{self.function}"


def postconditions_of(function: Any) -> list[Any]:
    """icontract's postconditions of a function, in the order of the source (icontract keeps the last one first)."""
    return list(reversed(getattr(function, "__postconditions__", [])))


def fault(function: Any) -> str | None:
    """Why a function cannot be checked, or None."""
    texts = [contract.description or "" for contract in postconditions_of(function)]
    if not texts:
        return "it has no postcondition: decorate it with icontract.ensure, below @harness"
    unnamed = [text for text in texts if not claims_named_in(text)]
    if unnamed:
        return f"postcondition {unnamed[0]!r} does not start with the claims that it states, as in 'E2: ...'"
    if len(set(texts)) < len(texts):
        return "two postconditions have the same description"
    if RAISES.search(inspect.getdoc(function) or ""):
        return "its docstring has a ':raises' line: CrossHair would accept every run that raises"
    return unfit_argument(inspect.unwrap(function))


def harness(size: str) -> Callable[[Function], Function]:
    """Declare a function with icontract contracts as a harness that speaks for these sizes."""
    if not size.strip():
        raise HarnessError("harness: size: expected the sizes that it speaks for")

    def declare(function: Function) -> Function:
        found = fault(function)
        if found is not None:
            raise HarnessError(f"harness {function.__module__}:{function.__qualname__}: {found}")
        texts = tuple(contract.description for contract in postconditions_of(function))
        declared: Any = function
        declared.__harness__ = Harness(function.__module__, function.__qualname__, size, texts)
        return function

    return declare


def harnesses_in(module: str) -> Iterator[Harness]:
    """The harnesses that a module defines, in order."""
    for member in vars(importlib.import_module(module)).values():
        declared = getattr(member, "__harness__", None)
        if isinstance(declared, Harness) and declared.module == module:
            yield declared


def all_harnesses(modules: Sequence[str] = MODULES) -> list[Harness]:
    """The project's harnesses."""
    return [entry for module in modules for entry in harnesses_in(module)]
