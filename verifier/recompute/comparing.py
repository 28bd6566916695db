"""What a trainer returned against what was recomputed: departures beyond the certified bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from grpocheck.verifier.recompute.bounded import Array
from grpocheck.verifier.recompute.call import LossCall
from grpocheck.verifier.recompute.formulas import Recomputed


@dataclass(frozen=True)
class Departure:
    """One number that lies outside its bound: ``quantity`` is loss, gradient or entropy-gradient.

    ``where`` is (response, token), empty for the loss. ``kind`` is outside (beyond the bound), swallowed (recorded as
    finite, the formula gives no finite number) or not-finite (the other way round). ``count`` numbers of the quantity
    depart; this is the one that lies farthest out.
    """

    quantity: str
    where: tuple[int, ...]
    kind: str
    found: float
    expected: float
    bound: float
    count: int

    def __str__(self) -> str:
        """In words."""
        place = "" if not self.where else f"[{', '.join(map(str, self.where))}]"
        more = "" if self.count == 1 else f" (and {self.count - 1} more)"
        return (
            f"{self.quantity}{place}: {self.found:.9g}, the formula gives {self.expected:.9g} within {self.bound:.3g}"
            f"; {self.kind}{more}"
        )


def compare(call: LossCall, recomputed: Recomputed) -> list[Departure]:
    """The quantities of the call that were recorded and that depart, each once, at its worst place.

    An empty list says that loss and gradients are the formula's, within what the trainer's float format explains.
    """
    found: list[Departure | None] = []
    if call.loss is not None:
        found.append(
            departure(
                "loss", np.asarray(call.loss), np.asarray(recomputed.loss), np.asarray(recomputed.loss_bound)
            )
        )
    if call.grad_logps is not None:
        found.append(departure("gradient", call.grad_logps, recomputed.gradient, recomputed.gradient_bound))
    slope, bound = recomputed.entropy_gradient, recomputed.entropy_gradient_bound
    if call.grad_entropies is not None:
        nothing = np.zeros(call.grad_entropies.shape)
        expected, within = (nothing, nothing) if slope is None or bound is None else (slope, bound)
        found.append(departure("entropy-gradient", call.grad_entropies, expected, within))
    return [entry for entry in found if entry is not None]


def departure(quantity: str, found: Array, expected: Array, bound: Array) -> Departure | None:
    """The number that lies farthest outside its bound, in units of the bound; None where none does."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        unknown = np.isinf(bound) & ~np.isnan(bound)
        here, there = np.isfinite(found), np.isfinite(expected)
        distance = np.abs(found - expected)
        beyond = here & there & (distance > bound)
        swallowed = here & ~there
        lost = ~here & there
        wrong = (beyond | swallowed | lost) & ~unknown  # of two numbers that are not finite either is as good
        if not wrong.any():
            return None
        far = np.where(beyond, distance / np.maximum(bound, np.finfo(np.float64).tiny), np.inf)
        place = np.unravel_index(int(np.argmax(np.where(wrong, far, -1.0))), found.shape) if found.ndim else ()
    kind = "outside" if beyond[place] else "swallowed" if swallowed[place] else "not-finite"
    return Departure(
        quantity,
        tuple(int(index) for index in place),
        kind,
        float(found[place]),
        float(expected[place]),
        float(bound[place]),
        int(np.sum(wrong)),
    )
