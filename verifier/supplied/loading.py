"""``--supply MODULE:ATTRIBUTE``: the user's own oracles, found by name."""

import importlib
import sys
from pathlib import Path

from grpocheck.core import Supply
from grpocheck.verifier.failures import BadOption

EXPECTED = "MODULE:ATTRIBUTE naming a grpocheck.core.Supply, or a function without arguments that returns one"


def load_supply(name: str) -> Supply:
    """The supply that a name stands for; the module is looked for in the working folder too.

    Raises BadOption where there is no such module or attribute, where importing it raises, or where it is no Supply.
    """
    module_name, separator, attribute = name.partition(":")
    if not separator or not module_name or not attribute:
        raise BadOption("--supply", name, "it does not name a module and an attribute", EXPECTED)
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        value: object = importlib.import_module(module_name)
        for part in attribute.split("."):
            value = getattr(value, part)
        if callable(value) and not isinstance(value, Supply):
            value = value()
    except (Exception, SystemExit) as error:
        problem = f"{type(error).__name__}: {error}"
        raise BadOption("--supply", name, problem, EXPECTED) from error
    if not isinstance(value, Supply):
        raise BadOption("--supply", name, f"it is a {type(value).__name__}", EXPECTED)
    return value
