"""Replay a counterexample on concrete numbers: ``python -m grpocheck.proofs.symbolic.replay MODULE FUNCTION N``.

An ordinary process, without CrossHair. The arguments come on the input as JSON; the harness's preconditions, the
function and its N-th postcondition are evaluated as plain Python, with the square root, logarithm and exponential of
reals.py in the place of math's. The answer is one line of JSON: whether the postcondition is broken, by which exception
if by one, and what was found.
"""

import importlib
import inspect
import json
import math
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from operator import attrgetter
from typing import Any

from grpocheck.proofs.symbolic import reals
from grpocheck.proofs.symbolic.harness import postconditions_of
from grpocheck.proofs.symbolic.values import from_json


def holds(contract: Any, values: Mapping[str, Any]) -> bool:
    """Evaluate a contract's condition on the values that it names."""
    names = inspect.signature(contract.condition).parameters
    return bool(contract.condition(**{name: values[name] for name in names}))


def replay(function: Callable[..., Any], position: int, arguments: Mapping[str, Any]) -> dict[str, object]:
    """Whether the arguments break the postcondition, the name of the exception that does, and what was found."""
    alternatives = getattr(function, "__preconditions__", [])
    if alternatives and not any(all(holds(entry, arguments) for entry in group) for group in alternatives):
        return {"broken": False, "raised": None, "found": "the precondition does not hold"}
    try:
        result = inspect.unwrap(function)(**arguments)
    except Exception as error:
        name = type(error).__name__
        return {"broken": True, "raised": name, "found": f"raises {name}: {error}"}
    try:
        kept = holds(postconditions_of(function)[position], {**arguments, "result": result})
    except Exception as error:
        name = type(error).__name__
        found = f"returns {result!r}, on which the postcondition raises {name}: {error}"
        return {"broken": True, "raised": name, "found": found}
    return {"broken": not kept, "raised": None, "found": f"returns {result!r}"}


def exact_on_rationals(real: Callable[[Any], Any], usual: Callable[..., Any]) -> Callable[..., Any]:
    """A function of math that is real on rationals, and as ever on other numbers (mpmath itself calls math)."""

    def function(value: Any, *others: Any) -> Any:
        return real(value) if isinstance(value, (Fraction, reals.Real)) else usual(value, *others)

    return function


def main(module: str, name: str, position: str) -> None:
    """Print whether the arguments on the input break the postcondition."""
    for real in (reals.sqrt, reals.log, reals.exp):
        setattr(math, real.__name__, exact_on_rationals(real, getattr(math, real.__name__)))
    function = attrgetter(name)(importlib.import_module(module))
    arguments = {key: from_json(value) for key, value in json.loads(sys.stdin.read()).items()}
    print(json.dumps(replay(function, int(position), arguments)))


if __name__ == "__main__":
    main(*sys.argv[1:])
