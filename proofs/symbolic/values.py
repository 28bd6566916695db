"""The arguments of a harness: which types they may have, and how a counterexample writes them.

Only arguments whose symbolic forms CrossHair exhausts are allowed: numbers, None, and tuples of fixed length of them. A
symbolic list never ends, a dictionary or set realises its members, and a symbolic callable is no function: asked twice
for the same argument it may answer differently.
"""

import inspect
import types
import typing
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A rational as text such as "1/3", an int, a bool or None as they are, a tuple as a list."""

_SCALARS = (Fraction, int, bool, types.NoneType)


def unfit_argument(function: Callable[..., Any]) -> str | None:
    """What is wrong with the annotations of a function's parameters, or None."""
    hints = typing.get_type_hints(function)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name not in hints:
            return f"{parameter.name} has no annotation"
        if not _is_fit(hints[parameter.name]):
            return (
                f"{parameter.name}: {hints[parameter.name]} is not made of Fraction, int, bool, None and fixed tuples"
            )
    return None


def _is_fit(annotation: Any) -> bool:
    if annotation in _SCALARS:
        return True
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin not in (tuple, typing.Union, types.UnionType) or not parts:
        return False
    return all(_is_fit(part) for part in parts)


def to_json(value: Any) -> Json:
    """An argument as a counterexample writes it; TypeError for a value that no harness takes."""
    if isinstance(value, tuple):
        return [to_json(entry) for entry in value]
    if isinstance(value, Fraction):
        return str(value)
    if value is None or isinstance(value, int):
        return value
    raise TypeError(f"argument: {value!r}: expected a Fraction, int, bool, None or a tuple of them")


def from_json(written: Json) -> Any:
    """The argument that a counterexample writes."""
    if isinstance(written, list):
        return tuple(from_json(entry) for entry in written)
    return Fraction(written) if isinstance(written, str) else written
