"""MODULE:ATTRIBUTE, the way in which user code is named: a supply, a loss function."""

import importlib
import sys
from pathlib import Path

from grpocheck.core.received import error_in_words
from grpocheck.verifier.failures import BadOption


def named_object(option: str, name: str, expected: str) -> object:
    """What MODULE:ATTRIBUTE names, the module looked for in the working folder first; the attribute may have dots.

    Raises BadOption, for the option, where it names no attribute, where there is none, and where importing it raises.
    """
    module, _, attribute = name.partition(":")
    if module.endswith(".py"):
        meant = f"{module.removesuffix('.py').replace('/', '.')}:{attribute or 'ATTRIBUTE'}"
        raise BadOption(option, name, "it is a file, and a module is named without .py", f"{meant} ({expected})")
    if not module or not attribute:
        raise BadOption(option, name, "it names no attribute of a module", expected)
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found: object = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise BadOption(option, name, str(error), expected) from error
    except (Exception, SystemExit) as error:
        raise BadOption(option, name, f"importing it raised {error_in_words(error)}", expected) from error
    return found
