"""The weights of reward functions, where no settings say them: from the log's reward, or from the advantages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from grpocheck.verifier.audit.grouping import seats_of_size
from grpocheck.verifier.audit.model import Floats, Log, Table

DENOMINATOR = 1000
ROUGH = 0.01
MOST_BLOCKS = 64
EPSILON = 1e-4
"""What is added to the deviation of each reward that is normalised by itself."""


@dataclass(frozen=True)
class Equation:
    """One logged mean reward: the sum over functions of weight times ``shares`` is ``reward``, up to ``error``."""

    shares: Floats
    reward: float
    error: float


def equation_of(table: Table, log: Log | None) -> Equation | None:
    """What a table and the log's row of its step say of the weights; None where there is no such row."""
    if log is None or table.step is None or not table.rewards.shape[1]:
        return None
    row = next((one for one in log.rows if one.step == table.step and "reward" in one.numbers), None)
    there = ~np.isnan(table.rewards)
    scored = int(there.any(axis=1).sum())
    if row is None or scored == 0 or not np.isfinite(table.rewards[there]).all():
        return None
    for place, name in enumerate(table.names):
        column = table.rewards[there[:, place], place]
        logged = row.numbers.get(f"rewards/{name}/mean")
        if logged is None or not len(column):
            continue
        if not abs(logged - column.mean()) <= 4 * table.unit_roundoff * (len(column) + 2) * np.abs(column).mean():
            return None  # the log's row is not of these rows alone
    filled = np.where(there, table.rewards, 0.0)
    size = float(np.abs(filled).sum() / scored)
    error = 4 * (len(filled) + 4) * table.unit_roundoff * size
    return Equation(filled.sum(axis=0) / scored, row.numbers["reward"], error)


def weights_from_log(equations: Sequence[Equation], functions: int) -> tuple[float, ...] | None:
    """The weights that every equation holds for, as simple fractions; None where there are none, or more than one."""
    usable = [equation for equation in equations if len(equation.shares) == functions and np.isfinite(equation.reward)]
    ones = np.ones(functions)
    if usable and all(holds(equation, ones) for equation in usable):
        return (1.0,) * functions
    if len(usable) < functions:
        return None
    shares = np.stack([equation.shares for equation in usable])
    found, _, rank, _ = np.linalg.lstsq(shares, np.array([equation.reward for equation in usable]), rcond=1e-6)
    if rank < functions:
        return None
    simple = np.array([simplest(float(weight)) for weight in found])
    return tuple(map(float, simple)) if all(holds(equation, simple) for equation in usable) else None


def holds(equation: Equation, weights: Floats) -> bool:
    """Whether weights give the logged reward."""
    room = equation.error * max(1.0, float(np.abs(weights).max()))
    return bool(abs(float(equation.shares @ weights) - equation.reward) <= room)


def simplest(value: float) -> float:
    """A number as the simple fraction that it is close to."""
    return float(Fraction(value).limit_denominator(DENOMINATOR))


@dataclass(frozen=True)
class Share:
    """One response: its rewards as its advantage has them, up to a divisor that the responses of one block share."""

    block: int
    rewards: Floats
    advantage: float


def weights_from_advantages(tables: Sequence[Table], size: int, functions: int) -> list[tuple[float, ...]]:
    """Weights under which advantages are proportional, block by block, to sums of rewards; up to their size.

    Two readings: rewards summed, and centred and divided in each group (a block is a group); and each reward
    normalised in its group before the sum, which is divided by the deviation of the batch (a block is a batch).
    """
    found = {
        weights
        for shares in (summed(tables, size, functions), normalised_first(tables, size, functions))
        for weights in weights_of_shares(shares, functions)
    }
    return sorted(found, reverse=True)


def usable_groups(tables: Sequence[Table], size: int, functions: int) -> Iterator[tuple[int, Floats, Floats]]:
    """The number of a table, rewards (G, K) and advantages (G,) of its groups: finite ones, some rewards missing.

    Groups with a response that no function rewarded are left out.
    """
    for number, table in enumerate(tables):
        if table.advantages is None or table.rewards.shape[1] != functions:
            continue
        for seats in seats_of_size(table, size).rows:
            rewards, advantages = table.rewards[seats], table.advantages[seats]
            if np.isfinite(rewards).any(axis=1).all() and not np.isinf(rewards).any() and np.isfinite(advantages).all():
                yield number, rewards, advantages


def summed(tables: Sequence[Table], size: int, functions: int) -> list[Share]:
    """The centred rewards of groups, each a block; a missing one counts as 0 in a sum."""
    found: list[Share] = []
    blocks = 0
    for _, rewards, advantages in usable_groups(tables, size, functions):
        if np.ptp(advantages) > 1e-3 and blocks < MOST_BLOCKS:
            filled = np.nan_to_num(rewards)
            centred = filled - filled.mean(axis=0)
            found += [Share(blocks, centred[i], float(advantages[i])) for i in range(size)]
            blocks += 1
    return found


def normalised_first(tables: Sequence[Table], size: int, functions: int) -> list[Share]:
    """The rewards of groups over the sample deviation of each function, each batch a block."""
    found = []
    blocks: dict[int, int] = {}
    for number, rewards, advantages in usable_groups(tables, size, functions):
        block = blocks.setdefault(number, len(blocks))
        if block < MOST_BLOCKS and np.isfinite(rewards).all():
            own = (rewards - rewards.mean(axis=0)) / (rewards.std(axis=0, ddof=1) + EPSILON)
            found += [Share(block, own[i], float(advantages[i])) for i in range(size)]
    return found


def weights_of_shares(rows: Sequence[Share], functions: int) -> list[tuple[float, ...]]:
    """The kernel of the system sum over k of w_k d_ik = s_b A_i, scaled in the ways in which people write weights."""
    groups = 1 + max((share.block for share in rows), default=-1)
    if groups < 1:
        return []
    system = np.zeros((len(rows), functions + groups))
    for place, share in enumerate(rows):
        system[place, :functions] = share.rewards
        system[place, functions + share.block] = -share.advantage
    _, values, basis = np.linalg.svd(system)
    if len(values) < functions + groups or values[-1] > 1e-4 * values[0] or values[-2] < 1e-3 * values[0]:
        return []
    kernel = basis[-1][:functions]
    if not np.abs(kernel).max() > 0:
        return []
    kernel = kernel * np.sign(np.median(basis[-1][functions:]) or 1.0)
    nonzero = np.abs(kernel[np.abs(kernel) > 1e-4 * np.abs(kernel).max()])
    divisors = basis[-1][functions:] * np.sign(np.median(basis[-1][functions:]) or 1.0)
    scales = [1 / nonzero.max(), 1 / nonzero.min(), 1 / np.abs(kernel).sum(), 1 / nonzero[0]]
    scales += scale_of_epsilon(rows, kernel, divisors)
    return sorted({tuple(roughly(float(weight) * scale) for weight in kernel) for scale in scales}, reverse=True)


def scale_of_epsilon(rows: Sequence[Share], kernel: Floats, divisors: Floats) -> list[float]:
    """The size of the weights, from the epsilon beside a deviation: divisor = deviation + epsilon / size."""
    squares = np.zeros(len(divisors))
    counts = np.zeros(len(divisors))
    for share in rows:
        squares[share.block] += float(share.rewards @ kernel) ** 2
        counts[share.block] += 1
    found = []
    for lost in (1, 0):
        gaps = divisors - np.sqrt(squares / np.maximum(counts - lost, 1))
        gap = float(np.median(gaps))
        found += [epsilon / gap for epsilon in (1e-4, 1e-6) if gap > 0]
    return found


def roughly(value: float) -> float:
    """The simplest fraction within one percent of a number."""
    for denominator in range(1, DENOMINATOR):
        near = round(value * denominator) / denominator
        if abs(near - value) <= ROUGH * abs(value):
            return near
    return value
