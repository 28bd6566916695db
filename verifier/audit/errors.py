"""What is said of input that cannot be read, and of a library that is not there."""

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.failures import BadOption, installed_with
from grpocheck.verifier.printing import printable


class Unreadable(InvalidProblem):
    """Input that cannot be read: names the file and the key in it, shows the value, says what was expected there."""

    def __init__(self, path: Path | str, key: str, value: object, expected: str) -> None:
        """The file, the key (a column, a field, a line), the value as found, what was expected."""
        super().__init__(f"{printable(path)}: {key}", value, expected)
        self.path = str(path)
        self.within = key
        """The key within the file."""

    def at(self, place: str) -> "Unreadable":
        """The same error, with the line of the file that it is of before its key."""
        if self.within.startswith(place):
            return self
        return Unreadable(self.path, f"{place}, {self.within}", self.value, self.expected)

    def __reduce__(self) -> tuple[Any, ...]:
        """How another process hands it back."""
        return (Unreadable, (self.path, self.within, self.value, self.expected))


def needed(name: str, extra: str = "audit") -> ModuleType:
    """A library of an extra; a clear error where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        what = "a library that this needs is not installed"
        raise BadOption("audit", name, what, installed_with(extra)) from error
