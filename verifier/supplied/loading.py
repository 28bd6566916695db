"""``--supply MODULE:ATTRIBUTE``: the user's own oracles, found by name."""

from grpocheck.core import Supply
from grpocheck.core.received import error_in_words
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.importing import named_object

EXPECTED = "MODULE:ATTRIBUTE naming a grpocheck.core.Supply, or a function without arguments that returns one"


def load_supply(name: str) -> Supply:
    """The supply that a name stands for; the module is looked for in the working folder too.

    Raises BadOption where there is no such module or attribute, where importing it raises, or where it is no Supply.
    """
    value = named_object("--supply", name, EXPECTED)
    if callable(value) and not isinstance(value, Supply):
        try:
            value = value()
        except (Exception, SystemExit) as error:
            raise BadOption("--supply", name, f"calling it raised {error_in_words(error)}", EXPECTED) from error
    if not isinstance(value, Supply):
        raise BadOption("--supply", name, f"it is a {type(value).__name__}", EXPECTED)
    return value
