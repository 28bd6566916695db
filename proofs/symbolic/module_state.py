"""A fingerprint of what modules hold, to see whether a check left something behind.

CrossHair runs the checked function once per path in one process. A counter or a cache at module level then carries
values from one path to the next, and a wrong function can be confirmed. A fingerprint is taken before the first path,
after some of them and after the last.
"""

import functools
import sys
import types
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from fractions import Fraction
from typing import Any

_PLAIN = (types.NoneType, bool, int, float, complex, str, bytes, Fraction)
_CONTAINERS = (list, tuple, set, frozenset, dict, types.MappingProxyType)
_CODE = (types.CodeType, types.ModuleType, types.BuiltinFunctionType)

_NOT_STATE = ("__builtins__", "__loader__", "__spec__", "__cached__", "__warningregistry__")
"""What Python itself puts into a module; the last, the first time that something there is warned of."""

_COPYING = "__slotnames__"
"""What Python's own copying notes on a class."""


def fingerprint(packages: Iterable[str]) -> dict[str, object]:
    """By dotted name, a hashable description of every value in the loaded modules of some packages."""
    roots = tuple(packages)
    described: dict[str, object] = {}
    description = _Description(roots)
    for name, module in sorted(sys.modules.items()):
        if any(name == root or name.startswith(f"{root}.") for root in roots):
            for key, value in list(vars(module).items()):
                if key not in _NOT_STATE:
                    described[f"{name}.{key}"] = description.of(value)
    return described


def changed(before: dict[str, object], after: dict[str, object]) -> str | None:
    """The name of the first value that differs between two fingerprints, or None."""
    return next((name for name in {**before, **after} if before.get(name) != after.get(name)), None)


class _Description:
    """Descriptions of values; one that is met a second time is named by the order of the meeting."""

    def __init__(self, roots: tuple[str, ...]) -> None:
        self.roots = roots
        self.met: dict[int, int] = {}
        self.kept: list[Any] = []

    def of(self, value: Any) -> object:
        """A value's contents, with what was met before named and not followed again."""
        kind = type(value)
        if kind in _PLAIN:
            return kind.__name__, value
        if id(value) in self.met:
            return "again", self.met[id(value)]
        self.met[id(value)] = len(self.met)
        self.kept.append(value)  # as long as it lives, no other value has its id
        if kind in _CODE:
            return kind.__name__, id(value)
        if isinstance(value, type):
            own = {name: entry for name, entry in vars(value).items() if name != _COPYING}
            return "class", id(value), self.of(own) if self._belongs(value, self.roots) else None
        return kind.__name__, self._members(value), self._state(value)

    def _members(self, value: Any) -> object:
        if isinstance(value, (list, tuple, deque)):
            return tuple(self.of(entry) for entry in list(value))
        if isinstance(value, (set, frozenset)):
            return frozenset(self.of(entry) for entry in list(value))
        if isinstance(value, (dict, types.MappingProxyType)):
            return tuple((self.of(key), self.of(entry)) for key, entry in list(value.items()))
        return id(value) if self._belongs(type(value), self.roots) else None

    def _state(self, value: Any) -> object:
        """What an object holds beside its members, as far as it can be seen; nothing of a third party's objects."""
        if isinstance(value, types.FunctionType):
            cells = [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
            return id(value.__code__), *map(self.of, (value.__defaults__, value.__kwdefaults__, cells, value.__dict__))
        if isinstance(value, (staticmethod, classmethod)):
            return self.of(value.__func__)
        if isinstance(value, property):
            return self.of((value.fget, value.fset, value.fdel))
        if isinstance(value, types.GeneratorType):
            return None if value.gi_frame is None else value.gi_frame.f_lasti
        if isinstance(value, ContextVar):
            return self.of(value.get(None))
        if isinstance(value, functools._lru_cache_wrapper):
            return tuple(value.cache_info()), self.of(value.__wrapped__)
        if isinstance(value, Iterator):
            return self.of(_position(value))
        kind = type(value)
        standard = kind.__module__.partition(".")[0] in sys.stdlib_module_names
        if kind in _CONTAINERS or not (standard or self._belongs(kind, self.roots)):
            return None
        slots = [name for base in type(value).__mro__ for name in _slots(base) if hasattr(value, name)]
        return self.of(getattr(value, "__dict__", None)), self.of([getattr(value, name) for name in slots])

    @staticmethod
    def _belongs(kind: type, packages: tuple[str, ...]) -> bool:
        return any(kind.__module__ == package or kind.__module__.startswith(f"{package}.") for package in packages)


def _position(iterator: Iterator[Any]) -> object:
    """Where an iterator such as itertools.count stands."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # from Python 3.12 on, of those of itertools
        try:
            return iterator.__reduce_ex__(4)[1:3]
        except TypeError:
            return repr(iterator)


def _is_filled(cell: types.CellType) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def _slots(base: type) -> list[str]:
    slots = vars(base).get("__slots__", ())
    return [slots] if isinstance(slots, str) else [name for name in slots if not name.startswith("__")]
