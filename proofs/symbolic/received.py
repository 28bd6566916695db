"""How CrossHair's numbers come through the door at which core reads supplied ones.

Core reads the numerator and the denominator that a supplied Fraction holds (core.received). A symbolic number holds
neither: it stands for every rational at once. It is let through as it is; concrete numbers are read as ever.
"""

from fractions import Fraction

from crosshair.core import register_patch
from crosshair.tracers import NoTracing
from grpocheck.contracts.exact_reals.symbolic_fraction import SymbolicFraction
from grpocheck.core import received


def rational(value: object) -> Fraction | None:
    """core.received.rational, to which a symbolic number is a rational."""
    with NoTracing():
        if isinstance(value, SymbolicFraction):
            return value
    return received.rational(value)


def let_symbolic_numbers_in() -> None:
    """Have CrossHair call the function above in place of core's, in this process, while it traces."""
    register_patch(received.rational, rational)
