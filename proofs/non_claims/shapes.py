"""In which order witnesses are small: by their shape, then by the height of their numbers."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from typing import NamedTuple


class Shape(NamedTuple):
    """How many prompts M, responses of each support n, draws of a group G, inner steps K and outer iterations T."""

    prompts: int
    responses: int
    group_size: int
    inner_steps: int
    outer_iterations: int

    @property
    def size(self) -> int:
        """M + n + G + K + T."""
        return sum(self)

    @property
    def order(self) -> tuple[int, ...]:
        """Smaller sizes first; among equals the fewest outer iterations, inner steps, draws, responses, prompts."""
        return (self.size, *reversed(self))

    def __str__(self) -> str:
        """Such as ``M=1, n=2, G=2, K=1, T=1``."""
        return ", ".join(f"{letter}={count}" for letter, count in zip("MnGKT", self, strict=True))


SMALLEST = Shape(1, 2, 2, 1, 1)
"""No shape is smaller: one response leaves nothing to learn, and one draw is no group."""


def shapes(most: int) -> list[Shape]:
    """Every shape of size at most ``most``, in order."""
    spare = range(most - SMALLEST.size + 1)
    every = (Shape(*map(sum, zip(SMALLEST, more, strict=True))) for more in product(spare, repeat=len(SMALLEST)))
    return sorted((shape for shape in every if shape.size <= most), key=lambda shape: shape.order)


def height(numbers: Iterable[Fraction]) -> int:
    """The sum of |numerator| + denominator."""
    return sum(abs(number.numerator) + number.denominator for number in numbers)


def fractions_below_1(denominator: int) -> tuple[Fraction, ...]:
    """The rationals between 0 and 1 with denominators up to ``denominator``."""
    return tuple(sorted({Fraction(over, under) for under in range(2, denominator + 1) for over in range(1, under)}))


def mass_functions(responses: int, denominator: int) -> tuple[tuple[Fraction, ...], ...]:
    """The positive masses with sum 1 over a common denominator up to ``denominator``."""
    found = {
        tuple(Fraction(part, under) for part in parts)
        for under in range(responses, denominator + 1)
        for parts in product(range(1, under), repeat=responses)
        if sum(parts) == under
    }
    return tuple(sorted(found))
