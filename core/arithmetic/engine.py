"""The library that encloses exp, log, square roots and sums of products: one choice for the whole process.

python-flint (arb) where it is installed, else mpmath; ``GRPOCHECK_ENCLOSURES=mpmath`` or ``flint`` chooses by name.
Either gives intervals that hold the number, and no two the same ones: nothing that is printed depends on them
(``enclosing.py``), and a comparison is decided by whichever interval excludes equality first.
"""

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.arithmetic.intervals import Interval
from grpocheck.core.invalid import InvalidProblem

SWITCH = "GRPOCHECK_ENCLOSURES"
MODULES = {"mpmath": "intervals", "flint": "balls"}

Enclosure: TypeAlias = Any
"""What the library in use holds a number in: an interval of mpmath, or a ball of python-flint."""


class Engine:
    """The functions of the library in use, loaded when the first of them is asked for."""

    name: str
    exact_interval: Callable[[Any, int], Enclosure]
    exp_interval: Callable[[Enclosure, int], Enclosure]
    log_interval: Callable[[Enclosure, int], Enclosure]
    sqrt_interval: Callable[[Enclosure, int], Enclosure]
    power_interval: Callable[[Enclosure, int, int], Enclosure]
    sum_of_products: Callable[[Sequence[Sequence[Enclosure]], int], Enclosure]
    intersection: Callable[[Enclosure, Enclosure], Enclosure]
    sign_of: Callable[[Enclosure], int | None]
    order_of: Callable[[Enclosure, Enclosure], int | None]
    ends: Callable[[Enclosure], Interval]

    @total("what the engine does not have raises AttributeError")
    @ensure(lambda self, attribute: attribute in vars(self), "the library is loaded once")
    def __getattr__(self, attribute: str) -> Any:
        """A function of the library, which is loaded now."""
        if attribute not in type(self).__annotations__:
            raise AttributeError(attribute)
        self.load(named(os.environ.get(SWITCH) or None))
        return vars(self)[attribute]

    @require(lambda name: name in MODULES, "mpmath or flint")
    @ensure(lambda self, name: self.name == name, "the library that was asked for is in use")
    def load(self, name: str) -> None:
        """Use a library from here on; numbers enclosed by another one are not to be met again."""
        module = import_module(f"grpocheck.core.arithmetic.{MODULES[name]}")
        functions = {one: getattr(module, one) for one in type(self).__annotations__ if one != "name"}
        vars(self).update(functions, name=name)


@total("a setting that names no library, or one that is not there, raises InvalidProblem")
@ensure(lambda setting, result: result in MODULES and setting in (None, result), "a setting is followed")
def named(setting: str | None) -> str:
    """The library that a setting names; without one python-flint where it is installed, else mpmath."""
    there = find_spec("flint") is not None
    if setting is None:
        return "flint" if there else "mpmath"
    if setting not in MODULES:
        raise InvalidProblem(SWITCH, setting, "mpmath or flint")
    if setting == "flint" and not there:
        raise InvalidProblem(SWITCH, setting, "mpmath, since python-flint is not installed")
    return setting


engine = Engine()
