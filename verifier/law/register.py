"""One object for each parameter and each value of F that a law comes to, so that equal ones are found by identity.

A parameter is told from others by what each prompt's masses are made of: its own block of it where the family has
blocks (simplex, softmax), all of it elsewhere.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from grpocheck.core.arithmetic import Real, Scalar
from grpocheck.core.families.family import Family
from grpocheck.core.families.sized import SizedFamily
from grpocheck.core.gradient import Vector
from grpocheck.verifier.law.branches import Key, key_of, key_of_vector, own_parameters

Known: TypeAlias = dict[Any, tuple[Any, int]]
"""What core answered, by name, each answer with the calls that it took."""


class Own:
    """The parameters that one prompt's masses are made of, and what core answered of them."""

    __slots__ = ("known", "place", "vector")

    def __init__(self, place: int, vector: Vector) -> None:
        """Of the prompt at a place."""
        self.place, self.vector = place, vector
        self.known: Known = {}

    @property
    def masses(self) -> Vector:
        """The masses, once they were asked for."""
        answer: Vector = self.known["masses"][0]
        return answer


Owns: TypeAlias = tuple[Own, ...]
"""A parameter, prompt by prompt."""


class Value:
    """A value of F."""

    __slots__ = ("number",)

    def __init__(self, number: Scalar) -> None:
        """The number that it is."""
        self.number = number


def whole(family: Family, owns: Sequence[Own]) -> Vector:
    """The parameter itself."""
    if isinstance(family, SizedFamily):
        return tuple(entry for own in owns for entry in own.vector)
    return owns[0].vector


class Register:
    """What was met so far: of equal things the first one."""

    def __init__(self, family: Family) -> None:
        """Nothing yet."""
        self.family = family
        self.owned: dict[Key, Own] = {}
        self.met: dict[Key, Value] = {}
        self.terms: dict[Key, int] = {}
        self.sums: dict[tuple[int, ...], Value] = {}

    def own(self, place: int, vector: Vector) -> Own:
        """A prompt's own parameters."""
        key = place, key_of_vector(vector)
        found = self.owned.get(key)
        if found is None:
            found = self.owned[key] = Own(place, vector)
        return found

    def owns(self, theta: Vector, prompts: int) -> Owns:
        """A parameter, prompt by prompt."""
        return tuple(self.own(place, own_parameters(self.family, place, theta)) for place in range(prompts))

    def value(self, number: Scalar) -> Value:
        """A value of F."""
        return self.met.setdefault(key_of(number), Value(number))

    def term(self, number: Scalar) -> int:
        """The number under which a term of F is known here."""
        return self.terms.setdefault(key_of(number), len(self.terms))


def is_exact(value: Scalar) -> bool:
    """Whether a number is exact, and no enclosed one."""
    return not isinstance(value, Real)
