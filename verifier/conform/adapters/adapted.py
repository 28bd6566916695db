"""What an adapter makes of a trainer: losses of it as targets, each with the variant that it is documented to be."""

from __future__ import annotations

from dataclasses import dataclass

from grpocheck.verifier.conform.targets import Target
from grpocheck.verifier.conform.wanted import Numbers


@dataclass(frozen=True)
class Adapted:
    """A trainer's loss, and the variant that its names promise, with parts exchanged."""

    target: Target
    variant: str
    parts: tuple[str, ...]
    numbers: Numbers
