"""``--arithmetic`` and the options that go with it."""

from collections.abc import Callable

from grpocheck.core.arithmetic import Arithmetic
from grpocheck.core.arithmetic.automatic import AutomaticArithmetic
from grpocheck.core.arithmetic.choice import NAMES, arithmetic_named
from grpocheck.verifier.failures import BadOption

NAMES_WITH = {
    "digits": ("auto", "enclosure", "mp"),
    "max_digits": ("auto", "exact", "enclosure"),
    "max_bits": ("auto", "enclosure"),
}
"""For each option the arithmetics with which it has a meaning."""


def chosen_arithmetic(name: str, notice: Callable[[str], None], **options: int | None) -> Arithmetic:
    """The arithmetic of a name; ``notice`` is told when an automatic one goes over from exact to enclosures.

    Raises BadOption for a name that is none, and for an option that would have no effect.
    """
    if name not in NAMES:
        raise BadOption("--arithmetic", name, "there is no such arithmetic", f"one of {', '.join(NAMES)}")
    given = {option: value for option, value in options.items() if value is not None}
    for option, value in given.items():
        if name not in NAMES_WITH[option]:
            expected = f"--arithmetic {' or '.join(NAMES_WITH[option])}"
            raise BadOption(f"--{option.replace('_', '-')}", value, f"no effect with --arithmetic {name}", expected)
    arithmetic = arithmetic_named(name, **given)
    if isinstance(arithmetic, AutomaticArithmetic):
        arithmetic.notice = notice
    return arithmetic
