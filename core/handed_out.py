"""What a supplied oracle is given: copies, so that an oracle that changes what it was given changes nothing of the run.

D1 and D2 say that the frozen data and the reference do not change. A tuple cannot be changed, but a Fraction can, past
its own class, and so can a frozen dataclass; the copies keep such changes to themselves.
"""

from copy import copy
from dataclasses import is_dataclass
from fractions import Fraction
from typing import Any, TypeVar

from grpocheck.contracts.clauses import ensure, total
from grpocheck.core.arithmetic.surd import Surd

Given = TypeVar("Given")


@total("what is no number, tuple or dataclass of them is immutable, or shared on purpose: enclosures are")
@ensure(lambda value, result: type(result) is type(value), "a copy is of the same class")
@ensure(lambda value, result: not isinstance(value, Fraction) or (result is not value and result == value), "a new one")
def handed_out(value: Given) -> Given:
    """A copy of rationals, sums of square roots, tuples, prompts, groups and frozen iterations, all the way down."""
    given: Any = value
    if type(given) is Fraction:
        given = Fraction(given)
    elif type(given) is tuple:
        given = tuple(handed_out(entry) for entry in given)
    elif type(given) is Surd:
        given = Surd({key: Fraction(coefficient) for key, coefficient in given.terms.items()})
    elif is_dataclass(given):
        given = copy(given)
        vars(given).update({name: handed_out(part) for name, part in vars(given).items()})
    made: Given = given
    return made
