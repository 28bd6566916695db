"""Scripted bits: what core's sampler draws from them, and what the sampler that is proved about draws."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.draws import decided_position
from grpocheck.proofs.extraction.model import words
from grpocheck.proofs.extraction.runs import Vector, random_masses


@dataclass(frozen=True)
class Bits:
    """A mass function and a string of bits, which may be too short to decide."""

    masses: Vector
    bits: tuple[int, ...]

    def line(self) -> str:
        """The bits as the model reads them."""
        return " ".join(["draw", str(len(self.masses)), *words(self.masses), "".join(map(str, self.bits)) or "-"])


def random_bits(seed: int, count: int) -> Iterator[Bits]:
    """Supports of 1 to 5, strings of 0 to 9 bits; masses in fifteenths and the like, halves and quarters among them."""
    random = Random(seed)
    for _ in range(count):
        masses = random_masses(random, random.randint(1, 5))
        yield Bits(masses, tuple(random.getrandbits(1) for _ in range(random.randint(0, 9))))


def difference(case: Bits, model: int | None) -> str:
    """What core draws where the model draws something else; the empty text where they agree."""
    try:
        found: int | None = decided_position(case.masses, iter(case.bits), ExactArithmetic())
    except StopIteration:
        found = None
    return "" if found == model else f"core draws {found}, the model {model} (None: these bits do not decide)"
