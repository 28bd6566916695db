"""What a variant makes of a batch before any current mass is moved: advantages, weights and masks.

Claim D1: responses, rewards and advantages are held fixed while the policy moves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, invariant, require
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.variants.advantages import Rows, normalised, total_rewards
from grpocheck.core.variants.batch import Batch, SampledGroup
from grpocheck.core.variants.masks import Selection, entropies_of, is_mixed
from grpocheck.core.variants.normalisation import term_weights
from grpocheck.core.variants.penalties import Divergence, Place, response_penalty
from grpocheck.core.variants.variant import Variant

Nested = tuple[tuple[Scalar, ...], ...]
"""[group][response]"""
Marks = tuple[tuple[tuple[bool, ...], ...], ...]
"""[group][response][token], of active tokens."""


@require(lambda groups: len(groups) >= 1, "a batch has a group")
@ensure(lambda marks, groups, result: not result or len(marks) == len(groups), "marks for each group")
def has_shape(marks: Marks, groups: Sequence[SampledGroup]) -> bool:
    """Whether there is a mark for each active token of each response."""
    return [[len(line) for line in lines] for lines in marks] == [[r.length for r in g.responses] for g in groups]


@require(lambda marks: len(marks) >= 1, "a batch has a group")
@ensure(lambda marks, result: result or any(False in line for lines in marks for line in lines), "one is not marked")
def all_marked(marks: Marks) -> bool:
    """Whether every active token is marked."""
    return all(mark for lines in marks for line in lines for mark in line)


@invariant(
    lambda self: [len(row) for row in self.advantages] == [len(group.responses) for group in self.groups],
    "D1: one advantage for each response of the kept groups",
)
@dataclass(frozen=True)
class Frozen:
    """What a variant makes of a batch before any current mass is moved.

    ``places`` are the kept groups' places in the batch; ``weights`` are those of each token term of a response;
    ``kept`` says of each active token [group][response][token] whether its term counts, ``marked`` whether its entropy
    does, which the off-policy mask does not touch.
    """

    variant: Variant
    batch: Batch
    places: tuple[int, ...]
    groups: tuple[SampledGroup, ...]
    advantages: Nested
    weights: tuple[tuple[Fraction, ...], ...]
    kept: Marks
    marked: Marks


@require(lambda batch: len(batch.groups) >= 1, "a batch has a group")
@ensure(
    lambda variant, batch, result: variant.selection is Selection.MEAN_OVER_KEPT
    or len(result.groups) == len(batch.groups),
    "only a mean over kept groups leaves groups out",
)
def freeze_batch(variant: Variant, batch: Batch, arithmetic: Arithmetic) -> Frozen:
    """The kept groups, their advantages, the weights and the masks; raises InvalidProblem for what is not known."""
    rewards = total_rewards(batch.groups, variant.advantage, arithmetic)
    places = tuple(range(len(batch.groups)))
    if variant.selection is not Selection.ALL:
        mixed = tuple(place for place in places if is_mixed(rewards[place], arithmetic))
        if variant.selection is Selection.UNTIL_MIXED and mixed != places:
            raise InvalidProblem("rewards", None, "groups of mixed rewards: the others are drawn again")
        places = mixed
    groups = tuple(batch.groups[place] for place in places)
    if not groups:
        return Frozen(variant, batch, (), (), (), (), (), ())
    if groups != batch.groups:
        rewards = total_rewards(groups, variant.advantage, arithmetic)
    advantages = advantages_of(variant, groups, rewards, batch.beta, arithmetic)
    lengths = [[response.length for response in group.responses] for group in groups]
    weights = term_weights(lengths, variant.normalisation, batch.maximum_length)
    marked = entropy_marks(variant, groups, arithmetic)
    kept = kept_tokens(variant, groups, advantages, marked, arithmetic)
    return Frozen(variant, batch, places, groups, advantages, weights, kept, marked)


@require(
    lambda groups, rows: [len(row) for row in rows] == [len(group.responses) for group in groups],
    "one reward for each response, or a place where it is missing",
)
@ensure(
    lambda groups, result: [len(row) for row in result] == [len(group.responses) for group in groups],
    "one advantage for each response",
)
def advantages_of(
    variant: Variant, groups: Sequence[SampledGroup], rows: Rows, beta: Scalar, arithmetic: Arithmetic
) -> tuple[tuple[Scalar, ...], ...]:
    """The advantages, with a KL term of the reward taken off before the baseline or after it."""
    in_reward = variant.kl.divergence is not Divergence.NONE and variant.kl.place is not Place.LOSS
    if not in_reward or not arithmetic.less(0, beta):
        return normalised(rows, variant.advantage, arithmetic)
    penalties = [[beta * response_penalty(r.tokens, variant.kl, arithmetic) for r in g.responses] for g in groups]
    if variant.kl.place is Place.REWARD_BEFORE:
        rows = tuple(
            tuple(None if reward is None else reward - penalty for reward, penalty in zip(row, line, strict=True))
            for row, line in zip(rows, penalties, strict=True)
        )
        return normalised(rows, variant.advantage, arithmetic)
    return tuple(
        tuple(
            advantage if reward is None else advantage - penalty
            for advantage, reward, penalty in zip(advantages, row, line, strict=True)
        )
        for advantages, row, line in zip(normalised(rows, variant.advantage, arithmetic), rows, penalties, strict=True)
    )


@require(lambda groups: len(groups) >= 1, "a batch has a group")
@ensure(lambda groups, result: has_shape(result, groups), "every active token is marked or not")
@ensure(lambda variant, result: variant.entropy_mask or all_marked(result), "without an entropy mask every token is")
def entropy_marks(variant: Variant, groups: Sequence[SampledGroup], arithmetic: Arithmetic) -> Marks:
    """Which active tokens the entropy mask keeps: those whose entropy is at least its quantile of the batch."""
    counting = [response for group in groups for response in group.responses if response.length]
    if variant.entropy_mask is None or not counting:
        return tuple(tuple((True,) * response.length for response in group.responses) for group in groups)
    bound = variant.entropy_mask.bound([h for response in counting for h in entropies_of(response)], arithmetic)
    return tuple(
        tuple(
            tuple(not arithmetic.less(entropy, bound) for entropy in entropies_of(response)) if response.length else ()
            for response in group.responses
        )
        for group in groups
    )


@require(lambda groups, marked: has_shape(marked, groups), "a mark for each active token")
@ensure(lambda groups, result: has_shape(result, groups), "every active token is kept or not")
@ensure(lambda variant, marked, result: variant.off_policy_mask or result == marked, "only a mask leaves tokens out")
def kept_tokens(
    variant: Variant, groups: Sequence[SampledGroup], advantages: Nested, marked: Marks, arithmetic: Arithmetic
) -> Marks:
    """Which of the marked tokens the off-policy mask keeps: all or none of a response."""
    mask = variant.off_policy_mask
    if mask is None:
        return marked
    return tuple(
        tuple(
            line if not line or mask.keeps(response, advantage, arithmetic) else (False,) * len(line)
            for response, advantage, line in zip(group.responses, row, lines, strict=True)
        )
        for group, row, lines in zip(groups, advantages, marked, strict=True)
    )
