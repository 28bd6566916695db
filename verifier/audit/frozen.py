"""Rows of recorded calls against those of their generation batches: what was frozen, and whose advantages they have."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.findings import Findings, counted
from grpocheck.verifier.audit.metrics import where_of
from grpocheck.verifier.audit.model import Call, Generation
from grpocheck.verifier.audit.readers.recorded import read_generation
from grpocheck.verifier.audit.rules import seen

FROZEN = (
    ("old_logps", "old_per_token_logps"),
    ("ref_logps", "ref_per_token_logps"),
    ("sampling_logps", "sampling_per_token_logps"),
    ("completion_ids", "completion_ids"),
    ("mask", "completion_mask"),
)


class Frozen:
    """The generation batches that calls are of, read when they are needed; a few are kept."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """The files; they are found by their names."""
        self.paths = {path.stem: path for path in paths}
        self.kept: dict[str, Generation] = {}

    def path_of(self, meta: Mapping[str, Any]) -> Path | None:
        """The file of the generation batch that a call is of; None where it was not recorded."""
        number, rank = meta.get("gen"), meta.get("rank", 0)
        if not isinstance(number, int):
            return None
        names = (f"gen_{number:03d}", f"gen_{number:03d}_rank{rank}")
        return next((self.paths[name] for name in names if name in self.paths), None)

    def of(self, call: Call) -> Generation | None:
        """The generation batch of a call; None where it was not recorded."""
        path = self.path_of(call.meta)
        if path is None:
            return None
        if path.stem not in self.kept:
            while len(self.kept) >= 4:
                self.kept.pop(next(iter(self.kept)))
            self.kept[path.stem] = read_generation(path)
        return self.kept[path.stem]


def check_frozen(call: Call, mask: Any, generation: Generation, findings: Findings) -> None:
    """Rows of the call against the rows of its generation batch."""
    rows, everyone = call.arrays.get("row"), generation.table.advantages
    if rows is None:
        return
    assert everyone is not None
    if rows.min() < 0 or rows.max() >= len(everyone):
        raise Unreadable(call.file, "row", int(rows.max()), f"rows of {generation.file}, 0 to {len(everyone) - 1}")
    given = call.arrays["advantages"].astype(np.float64)
    if given.ndim == 1:
        wrong = ~((given == everyone[rows]) | (np.isnan(given) & np.isnan(everyone[rows])))
        for row in np.nonzero(wrong)[0]:
            findings.add(
                seen(
                    "advantage-misplaced",
                    where_of(call, int(row)),
                    f"{float(everyone[rows[row]]):.9g}, as row {int(rows[row])} of {generation.file}",
                    f"{float(given[row]):.9g}",
                    distance=abs(float(given[row]) - float(everyone[rows[row]])),
                )
            )
    own = len(generation.arrays.get("advantages_local", everyone))
    local = rows - generation.rank * own
    if local.min() < 0 or local.max() >= own:
        return
    for ours, theirs in FROZEN:
        if ours not in call.arrays or theirs not in generation.arrays:
            continue
        if ours == "old_logps" and not call.meta.get("old_logps_came_from_trainer", True):
            continue
        drawn = frozen_of(generation, theirs, own)
        if ours == "mask" and "tool_mask" in generation.arrays:
            tools = frozen_of(generation, "tool_mask", own)
            width = min(drawn.shape[1], tools.shape[1])
            drawn = np.where(drawn[:, :width] == 1, tools[:, :width], 0)
        now, then = call.arrays[ours], drawn[local]
        width = min(now.shape[1], then.shape[1])
        changed = now[:, :width] != then[:, :width]
        changed &= mask[:, :width] | (ours == "mask")
        changed &= ~(np.isnan(now[:, :width].astype(np.float64)) & np.isnan(then[:, :width].astype(np.float64)))
        if changed.any():
            row, token = np.argwhere(changed)[0]
            findings.add(
                seen(
                    "frozen-data",
                    where_of(call, int(row)),
                    f"{ours} as at generation: {float(then[row, token]):.9g} at token {int(token)}",
                    f"{float(now[row, token]):.9g}; {counted(int(changed.sum()), 'token')} changed",
                    distance=float(changed.sum()),
                    apart=ours,
                )
            )


def frozen_of(generation: Generation, name: str, rows: int) -> Any:
    """An array of a generation batch with a row for each response of a process."""
    drawn = generation.arrays[name]
    if drawn.ndim != 2 or len(drawn) != rows:
        raise Unreadable(generation.file, name, list(drawn.shape), f"a row for each of {rows} responses")
    return drawn
