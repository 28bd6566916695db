"""Groups with an infinite or nan reward, whose mean is no number: what was logged as their advantages all the same.

And groups whose rewards are finite, but differ by what their float format makes no deviation of.
"""

import numpy as np
from grpocheck.verifier.audit import bounds
from grpocheck.verifier.audit.bounds import DOUBLE, Groups
from grpocheck.verifier.audit.candidates import Candidate
from grpocheck.verifier.audit.findings import Findings
from grpocheck.verifier.audit.grouping import Seats
from grpocheck.verifier.audit.model import Booleans, Floats, Table
from grpocheck.verifier.audit.rules import seen

HUGE = 1e30
"""From here on an advantage stands for infinity: torch's nan_to_num gives 3.4e38."""
ALIKE = 1e-5
"""Of an advantage: by how much a multiple of a reward may miss it, in the float32 of a trainer."""


def numbers_beside_infinity(
    findings: Findings, table: Table, seats: Seats, groups: Groups, logged: Floats, usable: Booleans, best: Candidate
) -> int:
    """Advantages that are numbers, and not 0, where the mean of the group is infinite; how many there are.

    Without a baseline finite rewards have advantages all the same: those that are one multiple of them are passed over.
    Of several reward functions each may have been standardised by itself, and the nan of one left out: it is said of
    them only where settings declare that they are summed first, and no weight of 0 leaves the infinite one out.
    """
    infinite = np.isinf(groups.rewards) & groups.there[:, :, None]
    rows = groups.scored & (np.abs(logged) < HUGE) & (logged != 0)
    if groups.rewards.shape[2] == 1:
        rows &= ~usable[:, None] & (infinite[:, :, 0] | ~multiples(groups, logged)[:, None])
    elif best.declared and best.rule.first is None:
        rows &= (infinite & (np.array(best.weights) != 0)).any(axis=(1, 2))[:, None]
    else:
        return 0
    for group, place in zip(*np.nonzero(rows), strict=True):
        findings.add(
            seen(
                "advantage-rule",
                table.where(int(seats.rows[group, place])),
                "no number: the mean of the group is infinite",
                f"{logged[group, place]:.9g}",
                distance=1.0,
            )
        )
    return int(rows.sum())


@np.errstate(invalid="ignore", over="ignore")  # infinite advantages, and rewards whose squares are
def multiples(groups: Groups, logged: Floats) -> Booleans:
    """The groups whose finite rewards of the only function have advantages that are one positive multiple of them."""
    rewards = groups.rewards[:, :, 0]
    finite = groups.scored & np.isfinite(rewards)
    rewards, advantages = (np.where(finite, numbers, 0.0) for numbers in (rewards, logged))
    weight = (rewards * advantages).sum(axis=1) / np.maximum((rewards * rewards).sum(axis=1), np.finfo(np.float64).tiny)
    near = np.abs(advantages - weight[:, None] * rewards) <= ALIKE * np.abs(advantages)
    return np.asarray((weight > 0) & near.all(axis=1))


def swallowed(
    findings: Findings, table: Table, seats: Seats, groups: Groups, logged: Floats, usable: Booleans, equal: Booleans
) -> Booleans:
    """Advantages of 0 where the definition has no number, as an infinite or nan reward is in the mean; their groups.

    Where deviations are the batch's, one infinite reward takes every other group of the batch along.
    """
    zero = groups.scored & (logged == 0)
    poisoned = usable & with_nan(table, seats, groups) & ~equal & (zero | ~groups.scored).all(axis=1)
    for group, place in zip(*np.nonzero(zero & poisoned[:, None]), strict=True):
        row = int(seats.rows[group, place])
        findings.add(
            seen(
                "advantage-swallowed",
                table.where(row),
                "no number where nan is in the mean of the group, or another than 0 where it is left out",
                f"0 for rewards of {words_of(table, row)}, as for all of the group",
                distance=1.0,
            )
        )
    infinite = ~usable
    if not infinite.any():
        return np.asarray(poisoned)
    taken_along = usable & ~equal & (zero | ~groups.scored).all(axis=1)
    rows = zero & (infinite | taken_along)[:, None]
    for group, place in zip(*np.nonzero(rows), strict=True):
        row = int(seats.rows[group, place])
        findings.add(
            seen(
                "advantage-swallowed",
                table.where(row),
                f"no number: the mean of the {'group' if infinite[group] else 'batch'} is infinite",
                f"0 for rewards of {words_of(table, row)}",
                distance=1.0,
            )
        )
    return np.asarray(rows.any(axis=1) | poisoned)


def words_of(table: Table, row: int) -> str:
    """The rewards of a response that are there."""
    return " + ".join(f"{reward:.9g}" for reward in table.rewards[row].tolist() if reward == reward)


def with_nan(table: Table, seats: Seats, groups: Groups) -> Booleans:
    """The groups, of two responses with a reward at least, in which a reward is nan, and not said to be missing."""
    nans = np.isnan(groups.rewards) if table.stated_nan is None else table.stated_nan[seats.rows]
    found = (nans & groups.there[:, :, None]).any(axis=(1, 2)) & (groups.scored.sum(axis=1) > 1)
    return np.asarray(found)


def out_of_range(
    findings: Findings, table: Table, seats: Seats, groups: Groups, varied: Booleans, best: Candidate
) -> Booleans:
    """Groups, of those whose rewards differ, the squares of whose differences leave the range of the float format.

    What a trainer makes of them depends on how it computes a deviation: they are told, and held against no rule.
    """
    if not varied.any():
        return varied
    scored = groups.scored
    total = bounds.totals(groups, np.array(best.weights), DOUBLE)
    beyond = varied & bounds.beyond_range(total, scored, table.unit_roundoff)
    least, most = bounds.range_of(table.unit_roundoff)
    for group in np.nonzero(beyond)[0]:
        values = total.value[group][scored[group]]
        findings.add(
            seen(
                "reward-float-loss",
                table.group_at(int(seats.rows[group, 0])),
                f"differences whose squares the format holds, from {least:.2g} to {most:.2g}",
                f"rewards from {values.min():.6g} to {values.max():.6g}: no deviation can be relied on, and their "
                "advantages are held against no rule",
                distance=1.0,
                far="beyond the range of the format",
            )
        )
    return beyond
