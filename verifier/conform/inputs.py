"""The inputs that a loss is tried on: small tensors, ordinary ones and those that break implementations.

Ordinary inputs decide what a loss is. Those at the edge (log ratios beyond 16, responses or batches without a token,
NaN in padding) are where implementations protect themselves, each in its own way: they are reported beside the verdict.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from grpocheck.core.arithmetic.mp import MpArithmetic
from grpocheck.core.variants.advantages import AdvantageRule, normalised
from grpocheck.verifier.recompute.bounded import Array
from grpocheck.verifier.vectors.cases import Group, ObjectiveCase, objective_cases

GROUP_SIZE = 4
ORDINARY_LOG_RATIO = 16.0
"""Log ratios within this are ordinary: implementations clamp them at 20."""


@dataclass(frozen=True)
class Case:
    """Tensors of B responses with T positions; float64 that float32 holds exactly.

    ``rewards`` come in groups of ``group_size``; a target that takes advantages is given ``advantages``.
    """

    name: str
    about: str
    new: Array
    old: Array
    ref: Array
    mask: Array
    advantages: Array
    rewards: Array
    group_size: int
    edge: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """B and T."""
        return self.new.shape[0], self.new.shape[1]

    @property
    def is_ordinary(self) -> bool:
        """Whether every response has a token, every number is finite, and no ratio is out of the way."""
        arrays = (self.new, self.old, self.ref, self.advantages)
        if not all(np.isfinite(array).all() for array in arrays):
            return False
        moved = np.abs(np.where(self.mask > 0, self.new - self.old, 0.0)).max(initial=0.0)
        return bool(self.mask.max(axis=1, initial=0.0).all() and moved <= ORDINARY_LOG_RATIO)


def single(value: Array) -> Array:
    """The numbers rounded to float32, in which every format here holds them but the half ones."""
    return np.asarray(np.asarray(value, dtype=np.float32), dtype=np.float64)


def in_format(case: Case, precision: str) -> Case:
    """A case whose numbers a format holds: of a half-precision one the nearest, of the others themselves."""
    if precision not in ("bfloat16", "float16"):
        return case

    def held(values: Array) -> Array:
        if precision == "float16":
            with np.errstate(over="ignore"):
                return np.asarray(np.asarray(values, dtype=np.float16), dtype=np.float64)
        bits = np.asarray(values, dtype=np.float32).view(np.uint32)
        even = (bits >> 16) & 1  # to nearest, ties to even: the upper half of a float32 is a bfloat16
        rounded = ((bits + 0x7FFF + even) & np.uint32(0xFFFF0000)).view(np.float32)
        return np.where(np.isfinite(values), rounded.astype(np.float64), values)

    for field in ("new", "old", "ref", "advantages", "rewards"):
        case = with_array(case, field, held(getattr(case, field)))
    return case


def case_of(
    name: str,
    about: str,
    new: object,
    old: object,
    advantages: object,
    mask: object = None,
    ref: object = None,
    edge: bool = False,
    group_size: int = GROUP_SIZE,
    rewards: object = None,
) -> Case:
    """A case from nested lists; without a mask every token counts, without a reference it is the old policy."""
    old_array = single(np.asarray(old, dtype=np.float64))
    given = single(np.asarray(advantages, dtype=np.float64))
    return Case(
        name,
        about,
        single(np.asarray(new, dtype=np.float64)),
        old_array,
        old_array if ref is None else single(np.asarray(ref, dtype=np.float64)),
        np.ones(old_array.shape) if mask is None else np.asarray(mask, dtype=np.float64),
        given,
        given if rewards is None else single(np.asarray(rewards, dtype=np.float64)),
        group_size,
        edge,
    )


def with_array(case: Case, field: str, array: Array) -> Case:
    """A case with one of its arrays exchanged."""
    changes: dict[str, Any] = {field: array}
    return replace(case, **changes)


def unit_case(group_size: int = 1) -> Case:
    """One token on policy with A = 1: every variant has the slope 1 there, which makes the scale known."""
    return case_of("unit", "one token on policy, A = 1", [[-1.0]], [[-1.0]], [1.0], group_size=group_size)


def ordinary_cases(group_size: int = GROUP_SIZE) -> Iterator[Case]:
    """The inputs that decide; whole groups of one size."""
    if group_size == 1:
        yield unit_case()
    yield from _boundary_cases(group_size)
    for seed in range(6):
        yield _random_case(seed, group_size, rows=group_size, tokens=3 + seed)
    for seed in range(6, 12):
        yield _random_case(seed, group_size, rows=2 * group_size, tokens=5, spread=0.25 if seed % 2 else 1.0)
    yield from (case for case in vector_cases() if not case.edge)


def _random_case(seed: int, group_size: int, rows: int, tokens: int, spread: float = 0.5) -> Case:
    """Multiples of 1/64; masks with gaps and responses of every length from 1, some ratios inside a clip, some not."""
    draw = np.random.default_rng(1000 + seed)

    def dyadic(scale: float, shape: tuple[int, ...]) -> Array:
        return np.asarray(np.round(draw.normal(0.0, scale, shape) * 64) / 64)

    old = np.minimum(dyadic(1.0, (rows, tokens)) - 2.0, -1 / 64)
    mask = (draw.random((rows, tokens)) < 0.75).astype(np.float64)
    mask[:, 0] = np.maximum(mask[:, 0], (mask.sum(axis=1) == 0).astype(np.float64))
    if seed % 3 == 0:
        mask = np.sort(mask, axis=1)[:, ::-1].copy()
    rewards = np.round(draw.normal(0.0, 1.0, rows) * 8) / 8
    groups = rewards.reshape(-1, group_size)
    centred = groups if group_size == 1 else groups - groups.mean(axis=1, keepdims=True)
    return case_of(
        f"random-{seed}",
        f"{rows} responses of up to {tokens} tokens, {'prefix' if seed % 3 == 0 else 'scattered'} masks",
        old + dyadic(spread, (rows, tokens)),
        old,
        (np.round(centred * 64) / 64).ravel(),
        mask,
        old + dyadic(spread, (rows, tokens)),
        rewards=rewards,
        group_size=group_size,
    )


def _boundary_cases(group_size: int) -> Iterator[Case]:
    """Ratios beside every bound in use, for both signs of A, each in a response of its own."""
    ratios = [0.05, 0.5, 0.79, 0.81, 1.0, 1.19, 1.21, 1.27, 1.29, 1.49, 1.51, 2.9, 3.1, 4.9, 5.1, 20.0]
    rows = [(ratio, sign) for ratio, sign in product(ratios, (1.0, -1.0))]
    rows += [(1.0, 0.0), (3.0, 0.0)]
    while len(rows) % group_size:
        rows.append((1.0, 0.5))
    old = np.full((len(rows), 1), -4.0)
    logs = np.round(np.log(np.array([[ratio] for ratio, _ in rows])) * 4096) / 4096
    signs = np.array([sign for _, sign in rows])
    yield case_of(
        "beside-the-bounds",
        "one token each: ratios beside 0.8, 1.2, 1.28, 1.5, 3 and 5, for A > 0, A < 0 and A = 0",
        old + logs,
        old,
        signs,
        ref=old - logs / 2,
        group_size=group_size,
    )
    yield case_of(
        "long-and-short",
        "responses of six tokens and of one: whose length a term is divided by",
        np.full((2 * group_size, 6), -1.0) + np.arange(6) / 32,
        np.full((2 * group_size, 6), -1.0),
        np.where(np.arange(2 * group_size) % 2 == 0, 1.0, -0.5),
        np.where((np.arange(2 * group_size) % 2 == 0)[:, None], 1.0, (np.arange(6) == 2)[None, :].astype(float)),
        ref=np.full((2 * group_size, 6), -1.25),
        group_size=group_size,
    )
    yield case_of(
        "equal-rewards",
        "rewards that are all equal: every advantage is 0, and nothing moves",
        np.full((group_size, 2), -0.75),
        np.full((group_size, 2), -1.0),
        np.zeros(group_size),
        rewards=np.full(group_size, 0.1),
        ref=np.full((group_size, 2), -1.0),
        group_size=group_size,
    )
    yield case_of(
        "far-apart",
        "log-probabilities of -300 and of -1e-3, ratios of ordinary size",
        [[-300.0 + 1 / 16, -(2.0**-10)]] * group_size,
        [[-300.0, -(2.0**-9)]] * group_size,
        np.where(np.arange(group_size) % 2 == 0, 1.0, -1.0),
        ref=[[-300.5, -(2.0**-8)]] * group_size,
        group_size=group_size,
    )


def edge_cases(group_size: int = GROUP_SIZE) -> Iterator[Case]:
    """The inputs beyond the ordinary range."""
    base = _random_case(0, group_size, group_size, 4)
    whole = replace(base, mask=np.ones(base.shape))

    def named(name: str, about: str, **changes: Array) -> Case:
        made = replace(whole, name=name, about=about, edge=True)
        for field, array in changes.items():
            made = with_array(made, field, array)
        return made

    empty = np.ones(base.shape)
    empty[0] = 0.0
    yield named("empty-response", "one response has no token that counts", mask=empty)
    yield named("empty-batch", "no token counts", mask=np.zeros(base.shape))
    for size in (19.0, 30.0, 100.0):
        for sign, word in ((1.0, "up"), (-1.0, "down")):
            new, old = whole.new.copy(), whole.old.copy()
            new[0, 0], old[0, 0] = (-1.0, -1.0 - size) if sign > 0 else (-1.0 - size, -1.0)
            for direction in (1.0, -1.0):
                advantages = whole.advantages.copy()
                advantages[0] = direction
                yield named(
                    f"log-ratio-{word}-{size:g}-{'gain' if direction > 0 else 'loss'}",
                    f"one log ratio of {sign * size:g} in a response of A = {direction:g}",
                    new=new,
                    old=old,
                    advantages=advantages,
                )
    padded = np.ones(base.shape)
    padded[:, -1] = 0.0
    for field in ("new", "old", "ref"):
        array = getattr(whole, field).copy()
        array[:, -1] = np.nan
        about = f"NaN at padding, in the {field} log-probabilities"
        yield with_array(named(f"nan-in-padding-{field}", about, mask=padded), field, array)
    missing = whole.advantages.copy()
    missing[0] = np.nan
    yield from (case for case in vector_cases() if case.edge)
    yield named("nan-advantage", "an advantage is NaN: the loss is, unless it is swallowed", advantages=missing)


def vector_cases() -> Iterator[Case]:
    """The batches of the test vectors, with section 1's advantages; groups of one size each."""
    for case in objective_cases():
        if any(None in response.rewards for group in case.groups for response in group.responses):
            continue
        if len({len(group.responses) for group in case.groups}) > 1:
            continue
        found = _vector_case(case)
        if found is not None:
            yield found


def _vector_case(case: ObjectiveCase) -> Case | None:
    """The logarithms of the masses; padding where a response is shorter."""
    responses = [response for group in case.groups for response in group.responses]
    width = max(len(response.tokens) for response in responses)

    def logs(which: str) -> list[list[float]]:
        return [
            [float(np.log(float(getattr(token, which)))) for token in response.tokens]
            + [0.0] * (width - len(response.tokens))
            for response in responses
        ]

    rewards = [_total(group) for group in case.groups]
    advantages = [advantage for row in normalised(tuple(map(tuple, rewards)), AdvantageRule(), MpArithmetic(30))
                  for advantage in row]  # fmt: skip
    return case_of(
        f"vector-{case.id}",
        case.about,
        logs("current"),
        logs("old"),
        [float(advantage) for advantage in advantages],
        [
            [float(token.active) for token in response.tokens] + [0.0] * (width - len(response.tokens))
            for response in responses
        ],
        logs("reference"),
        group_size=len(case.groups[0].responses),
        rewards=[float(reward) for row in rewards for reward in row],
        edge=any(not any(token.active for token in response.tokens) for response in responses)
        or case.id == "underflow",
    )


def _total(group: Group) -> Sequence[Fraction]:
    """The sum of the rewards of each response."""
    return [
        sum((reward for reward in response.rewards if reward is not None), Fraction(0)) for response in group.responses
    ]
