"""How far log-probabilities of one policy may be apart, as batch shapes and float formats make them."""

from typing import Any

import numpy as np
from grpocheck.verifier.audit.findings import Findings
from grpocheck.verifier.audit.metrics import where_of
from grpocheck.verifier.audit.model import Call
from grpocheck.verifier.audit.rules import seen

FIRST_PASS_ROOM = {"float32": 1e-3, "float64": 1e-6}
HALF_ROOM = 0.15
"""Nats of a token by which two passes over one policy may differ, as their batch shapes do; by precision."""


def room_of(call: Call) -> float:
    """Nats by which log-probabilities of one token under one policy may differ."""
    half = call.meta["config"].get("bf16") or call.meta["config"].get("fp16")
    precision = str(call.meta.get("logps_dtype", "float32")).removeprefix("torch.")
    return HALF_ROOM if half else FIRST_PASS_ROOM.get(precision, HALF_ROOM)


def check_above_zero(call: Call, mask: Any, findings: Findings) -> None:
    """Log-probabilities of probabilities over 1, by more than two passes over one policy may be apart."""
    for name in ("new_logps", "old_logps", "ref_logps", "sampling_logps"):
        array = call.arrays.get(name)
        if array is None or (name == "old_logps" and not call.meta.get("old_logps_came_from_trainer", True)):
            continue
        above = np.where(mask & np.isfinite(array), array.astype(np.float64), 0.0)
        count = int((above > room_of(call)).sum())
        if count:
            row, token = np.unravel_index(int(np.argmax(above)), above.shape)
            most = float(above[row, token])
            findings.add(
                seen(
                    "logps-above-zero",
                    where_of(call, int(row)),
                    f"{name} of at most 0",
                    f"{most:.6g} for token {int(token)}, the log of a probability of {np.exp(min(most, 700.0)):.6g}; "
                    f"{count} of {name} are above 0",
                    distance=most,
                    far=f"{most:.3g} nats",
                    apart=name,
                )
            )
