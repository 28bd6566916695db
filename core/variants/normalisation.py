"""Normalisation: by what the sum of a response's token terms is divided, before groups and prompts are averaged.

Each response's terms are summed or averaged over its own L active tokens (DeepSeekMath); the sum or mean is divided by
nothing (LUSPO), by the maximum length H (Dr. GRPO, TIC-GRPO) or by a constant and averaged over the G responses and the
M prompts; or all terms are divided by the number of active tokens of their group (the formula of the DAPO paper,
arXiv 2503.14476) or of the batch (what trainers do under that name, and BNPO).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.core.variants.checks import check, check_positive


class Per(Enum):
    """What the terms are divided by, beside their response's own length."""

    NONE = "none"
    MAXIMUM = "maximum-length"
    GROUP_TOKENS = "group-tokens"
    ALL_TOKENS = "all-tokens"
    CONSTANT = "constant"


@invariant(lambda self: (self.per is Per.CONSTANT) == (self.constant is not None), "a constant where it is used")
@invariant(lambda self: self.constant is None or self.constant > 0, "a positive constant")
@dataclass(frozen=True)
class Normalisation:
    """``own_length``: a response's terms are averaged over its own tokens first; then the division ``per``."""

    own_length: bool = True
    per: Per = Per.NONE
    constant: Fraction | None = None

    def __post_init__(self) -> None:
        """Refuse a constant that is not used, and a use of none."""
        stated = (self.per is Per.CONSTANT) == (self.constant is not None)
        check("normalisation,constant", self.constant, stated, "a number with constant, and none elsewhere")
        check_positive("normalisation,constant", self.constant)


@require(lambda lengths: len(lengths) >= 1 and all(len(group) >= 1 for group in lengths), "groups of responses")
@require(
    lambda lengths, maximum_length: all(0 <= length <= maximum_length for group in lengths for length in group),
    "active tokens of responses up to the maximum length",
)
@ensure(
    lambda lengths, normalisation, result: normalisation != Normalisation()
    or sum(w * n for ws, ns in zip(result, lengths, strict=True) for w, n in zip(ws, ns, strict=True)) <= 1,
    "over the own length the weights of all tokens sum to 1, responses without tokens left out",
)
@ensure(
    lambda lengths, normalisation, result: normalisation != Normalisation(False, Per.ALL_TOKENS)
    or len({weight for weights in result for weight in weights}) == 1,
    "over all tokens every token weighs the same",
)
def term_weights(
    lengths: Sequence[Sequence[int]], normalisation: Normalisation, maximum_length: int
) -> tuple[tuple[Fraction, ...], ...]:
    """The weight of each token term of each response, given the lengths [group][response].

    >>> term_weights([[2, 1]], Normalisation(), 2)
    ((Fraction(1, 4), Fraction(1, 2)),)
    """
    every = max(1, sum(length for group in lengths for length in group))
    weights = []
    for group in lengths:
        share = Fraction(1, len(lengths) * len(group))
        if normalisation.per is Per.MAXIMUM:
            share /= maximum_length
        elif normalisation.constant is not None:
            share /= normalisation.constant
        elif normalisation.per is Per.GROUP_TOKENS:
            share = Fraction(1, len(lengths) * max(1, sum(group)))
        elif normalisation.per is Per.ALL_TOKENS:
            share = Fraction(1, every)
        weights.append(tuple(share / max(1, length) if normalisation.own_length else share for length in group))
    return tuple(weights)
