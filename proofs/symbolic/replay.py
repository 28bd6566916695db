"""Replay a counterexample on concrete numbers: ``python -m grpocheck.proofs.symbolic.replay MODULE FUNCTION N``.

An ordinary process, without CrossHair. The arguments come on the input as JSON; the harness's preconditions, the
function and its N-th postcondition are evaluated as plain Python, with the square root, logarithm and exponential of
reals.py in the place of math's. Where it is broken, simpler arguments that break it in the same way are looked for. The
answer is one line of JSON: whether it is broken, by which exception if by one, what was found, and the arguments.
"""

import importlib
import inspect
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from operator import attrgetter
from typing import Any

from grpocheck.proofs.symbolic import reals
from grpocheck.proofs.symbolic.harness import postconditions_of
from grpocheck.proofs.symbolic.values import from_json, to_json

MOST_SHOWN = 300


def shortened(value: object) -> str:
    """A value as text, its end left out where it is long."""
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


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
        found = f"returns {shortened(result)}, on which the postcondition raises {name}: {error}"
        return {"broken": True, "raised": name, "found": found}
    return {"broken": not kept, "raised": None, "found": f"returns {shortened(result)}"}


def complexity(value: Fraction) -> int:
    """How much there is to read."""
    return value.denominator + abs(value.numerator)


SIMPLE = sorted(
    {Fraction(sign * top, bottom) for bottom in range(1, 6) for top in range(6 - bottom) for sign in (1, -1)},
    key=lambda value: (complexity(value), -value),
)
ROUNDED = (2, 3, 4, 5, 8, 10, 100)
SIMPLIFICATION_SECONDS = 10.0


def simpler(value: Any) -> Iterator[Any]:
    """Values like this one that are simpler to read, the simplest first; of a tuple, with one entry simpler."""
    if isinstance(value, tuple):
        for place, entry in enumerate(value):
            for candidate in simpler(entry):
                yield (*value[:place], candidate, *value[place + 1 :])
    elif isinstance(value, Fraction):
        candidates = [*SIMPLE, *(value.limit_denominator(bottom) for bottom in ROUNDED)]
        yield from (candidate for candidate in candidates if complexity(candidate) < complexity(value))


def simplified(function: Callable[..., Any], position: int, arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments that break the postcondition in the same way, each as simple as can be found in a few seconds."""
    raised = replay(function, position, arguments)["raised"]
    deadline = time.monotonic() + SIMPLIFICATION_SECONDS
    names = list(arguments)
    while names:
        for candidate in simpler(arguments[names[0]]):
            if time.monotonic() > deadline:
                return arguments
            tried = replay(function, position, {**arguments, names[0]: candidate})
            if tried["broken"] and tried["raised"] == raised:
                arguments = {**arguments, names[0]: candidate}
                break
        else:
            names.pop(0)
    return arguments


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
    answer = replay(function, int(position), arguments)
    if answer["broken"]:
        arguments = simplified(function, int(position), arguments)
        answer = replay(function, int(position), arguments)
    print(json.dumps({**answer, "arguments": {name: to_json(value) for name, value in arguments.items()}}))


if __name__ == "__main__":
    main(*sys.argv[1:])
