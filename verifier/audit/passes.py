"""What the calls of one generation batch have to have in common, where no recorded batch says it.

The first call that uses a row shows what was frozen when it was drawn; later passes, and the group that was logged,
are held against it. The last few batches of each process are kept.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from grpocheck.verifier.audit.findings import Findings, Where, counted
from grpocheck.verifier.audit.metrics import where_of
from grpocheck.verifier.audit.model import Call, Table
from grpocheck.verifier.audit.rules import seen

FROZEN = ("old_logps", "ref_logps", "sampling_logps")
MOST_BATCHES = 4

Row = Mapping[str, Any]


class Passes:
    """The rows of the last generation batches, as the first pass over each had them."""

    def __init__(self) -> None:
        """None yet."""
        self.kept: dict[tuple[int, int], dict[int, Row]] = {}

    def take(self, call: Call, findings: Findings) -> None:
        """Hold a call's rows against those of the passes before it."""
        number, rows = call.meta.get("gen"), call.arrays.get("row")
        if not isinstance(number, int) or rows is None or not call.trains or call.arrays["advantages"].ndim != 1:
            return
        mask = call.arrays["mask"].astype(bool)
        key = (call.meta.get("session", 0), number)
        while len(self.kept) >= MOST_BATCHES and key not in self.kept:
            self.kept.pop(next(iter(self.kept)))
        known = self.kept.setdefault(key, {})
        drawn = call.meta.get("old_logps_came_from_trainer", True)
        for place, row in enumerate(map(int, rows)):
            counts = mask[place]
            now: dict[str, Any] = {
                name: call.arrays[name][place][counts].astype(np.float64)
                for name in FROZEN
                if name in call.arrays and (drawn or name != "old_logps")
            }
            now["advantages"] = float(call.arrays["advantages"][place])
            now["mask"] = np.trim_zeros(call.arrays["mask"][place], "b")  # batches are padded to widths of their own
            if row in known:
                compare(call, place, known[row], now, findings)
            else:
                known[row] = {**now, "where": where_of(call, place)}

    def hold(self, table: Table, findings: Findings) -> None:
        """Hold the advantages of a logged batch against those that the calls had."""
        if table.batch is None or table.advantages is None:
            return
        for row, kept in self.kept.get((table.session, table.batch), {}).items():
            if row >= len(table.advantages):
                continue
            logged = float(table.advantages[row])
            if not same(logged, kept["advantages"], table.unit_roundoff):
                findings.add(misplaced(kept["where"], logged, str(table.where(row)), kept["advantages"]))


def compare(call: Call, place: int, then: Row, now: Row, findings: Findings) -> None:
    """One row in a later pass against its first."""
    if not np.array_equal(now["mask"], then["mask"]):
        counts = [counted(int(mask.sum()), "token") for mask in (then["mask"], now["mask"])]
        findings.add(
            seen(
                "frozen-data",
                where_of(call, place),
                f"the mask as in the first pass ({then['where']}), under which {counts[0]} count",
                f"another, under which {counts[1]} count",
                distance=float(abs(now["mask"].sum() - then["mask"].sum())),
                apart="mask",
            )
        )
    for name in FROZEN:
        before, after = then.get(name), now.get(name)
        if before is None or after is None or len(before) != len(after):
            continue
        changed = (before != after) & ~(np.isnan(before) & np.isnan(after))
        if changed.any():
            token = int(np.argmax(changed))
            findings.add(
                seen(
                    "frozen-data",
                    where_of(call, place),
                    f"{name} as in the first pass ({then['where']}): {float(before[token]):.9g} at token {token}",
                    f"{float(after[token]):.9g}; {counted(int(changed.sum()), 'token')} changed",
                    distance=float(np.nanmax(np.abs(before - after), initial=0.0)),
                    apart=name,
                )
            )
    if not same(now["advantages"], then["advantages"], 0.0):
        findings.add(
            misplaced(where_of(call, place), then["advantages"], f"the first pass ({then['where']})", now["advantages"])
        )


def same(one: float, other: float, roundoff: float) -> bool:
    """Whether two numbers are one, up to half a unit in the last place of a format."""
    return one == other or (one != one and other != other) or abs(one - other) <= roundoff * abs(one)


def misplaced(where: Where, expected: float, source: str, found: float) -> Any:
    """An advantage that is not its response's."""
    return seen(
        "advantage-misplaced", where, f"{expected:.9g}, as in {source}", f"{found:.9g}", distance=abs(found - expected)
    )
