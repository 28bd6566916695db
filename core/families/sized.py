"""Families that hold a block of parameters for each prompt, prompt after prompt."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.families.family import Family
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.prompt import Prompt
from grpocheck.core.values import count, entries


@dataclass(frozen=True)
class SizedFamily(Family):
    """A family with ``sizes[l]`` responses in the support of prompt l and as many parameters, or ``spared`` fewer."""

    sizes: tuple[int, ...]

    spared: ClassVar[int]
    """How many of a prompt's responses have no parameter of their own."""

    @ensure(lambda self: len(self.sizes) >= 1 and min(self.sizes) >= 1, "every support has n >= 1 responses")
    def __post_init__(self) -> None:
        """Refuse sizes that are no counts."""
        listed = entries("family.sizes", self.sizes, "the sizes of the supports")
        if not listed:
            raise InvalidProblem("family.sizes", listed, "at least one size")
        object.__setattr__(self, "sizes", tuple(count(f"family.sizes[{i}]", size, 1) for i, size in enumerate(listed)))

    @property
    @ensure(lambda self, result: result == self.block(len(self.sizes) - 1).stop, "the last block ends at d")
    def dimension(self) -> int:
        """The number d of parameters, over all prompts."""
        return sum(self.sizes) - self.spared * len(self.sizes)

    @require(lambda self, position: 0 <= position < len(self.sizes), "the position of a prompt")
    @ensure(lambda self, position, result: len(result) == self.sizes[position] - self.spared, "its own parameters")
    def block(self, position: int) -> range:
        """Which parameters belong to a prompt."""
        start = sum(self.sizes[:position]) - self.spared * position
        return range(start, start + self.sizes[position] - self.spared)

    @require(lambda prompt: prompt.position >= 0, "the position of a prompt")
    @ensure(lambda self, prompt, result: not result or prompt.position < len(self.sizes), "a prompt of the family")
    def serves(self, prompt: Prompt) -> bool:
        """Whether a prompt is one of those that the family holds parameters for."""
        return prompt.position < len(self.sizes) and len(prompt.responses) == self.sizes[prompt.position]

    @total("prompts that do not fit raise InvalidProblem")
    @ensure(lambda self, prompts: self.sizes == tuple(len(prompt.responses) for prompt in prompts), "sizes are of B_q")
    def fit(self, prompts: Sequence[Prompt]) -> None:
        """Refuse prompts whose supports have other sizes."""
        if len(prompts) != len(self.sizes):
            raise InvalidProblem("prompts", f"{len(prompts)} prompts", f"{len(self.sizes)}, as the family has")
        for prompt, size in zip(prompts, self.sizes, strict=True):
            if len(prompt.responses) != size:
                key = f"prompts[{prompt.position}].responses"
                raise InvalidProblem(key, prompt.responses, f"{size} responses, as the family has")
