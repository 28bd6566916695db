"""One call of a trainer's loss: its tensors, its settings, and what it returned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from grpocheck.verifier.recompute.bounded import PRECISIONS, Array, Bounded, Precision
from grpocheck.verifier.recompute.settings import BadSetting, LossSettings

_TOKENS = ("old_logps", "ref_logps", "sampling_logps", "mask", "entropies", "grad_logps", "grad_entropies")


def _numbers(name: str, values: Any) -> Array:
    """Values in float64; raises BadSetting for what is no array of real numbers, and for a masked one."""
    if isinstance(values, np.ma.MaskedArray):
        raise BadSetting(name, "a masked array", "an array without a mask")
    try:
        found = np.asarray(values)
        if found.dtype.kind not in "cSU":
            return np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise BadSetting(name, values, "an array of real numbers")


@dataclass(frozen=True)
class LossCall:
    """A micro-batch of B responses with T positions, and what the trainer made of it.

    Log-probabilities, entropies and gradients are (B, T), in nats; ``mask`` is 1 at tokens that count; ``advantages``
    are (B,) or (B, T). ``loss`` and its gradients are None where they were not recorded. ``advantage_errors`` bound how
    far the trainer's advantages lie from these, where it computes them itself. ``importance_ratio`` is the
    old policy's ratio to the sampler's as the trainer had it, (B, T) or (B, 1); where it is None it is computed.
    ``gathered_entropies`` are those of the active tokens of all processes, which the entropy quantile is one of.
    ``maximum_length`` of the settings, ``num_items_in_batch``, ``world_size``, ``gradient_accumulation_steps`` and
    ``steps_per_generation`` are what normalisers are made of; ``training`` is False in evaluation, where nothing is
    accumulated. ``precision`` names the format in which the trainer computed. Raises BadSetting for tensors that do not
    go together, and for a mask that is none.
    """

    new_logps: Array
    old_logps: Array
    mask: Array
    advantages: Array
    ref_logps: Array | None = None
    sampling_logps: Array | None = None
    entropies: Array | None = None
    loss: float | None = None
    grad_logps: Array | None = None
    grad_entropies: Array | None = None
    advantage_errors: Array | None = None
    importance_ratio: Array | None = None
    gathered_entropies: Array | None = None
    settings: LossSettings = field(default_factory=LossSettings)
    num_items_in_batch: float | None = None
    world_size: int = 1
    gradient_accumulation_steps: int = 1
    steps_per_generation: int = 1
    training: bool = True
    precision: str = "float32"

    def __post_init__(self) -> None:
        """Hold every array in float64, and refuse arrays of different shapes and a mask that is no mask."""
        new = _numbers("new_logps", self.new_logps)
        if new.ndim != 2:
            raise BadSetting("new_logps", new.shape, "two dimensions: responses and positions")
        object.__setattr__(self, "new_logps", new)
        for name in _TOKENS:
            found = getattr(self, name)
            if found is None:
                continue
            array = _numbers(name, found)
            if array.shape != new.shape:
                raise BadSetting(name, array.shape, f"the shape of new_logps, {new.shape}")
            object.__setattr__(self, name, array)
        advantages = _numbers("advantages", self.advantages)
        if advantages.shape not in ((new.shape[0],), (new.shape[0], 1), new.shape):
            raise BadSetting("advantages", advantages.shape, f"one for each of {new.shape[0]} responses, or tokens")
        column = advantages.reshape(new.shape[0], 1) if advantages.ndim == 1 else advantages
        object.__setattr__(self, "advantages", column)
        if self.advantage_errors is not None:
            errors = _numbers("advantage_errors", self.advantage_errors)
            if not (errors >= 0).all():
                raise BadSetting("advantage_errors", errors.tolist(), "bounds, none of them below 0")
            if errors.size != column.size:
                raise BadSetting("advantage_errors", errors.shape, f"one for each of {column.size} advantages")
            object.__setattr__(self, "advantage_errors", errors.reshape(column.shape))
        if not np.isin(self.mask, (0.0, 1.0)).all():
            raise BadSetting("mask", "other numbers", "zeros and ones")
        for name in ("importance_ratio", "gathered_entropies"):
            found = getattr(self, name)
            if found is not None:
                object.__setattr__(self, name, _numbers(name, found))
        if self.loss is not None:
            loss = _numbers("loss", self.loss)
            if loss.size != 1:
                raise BadSetting("loss", loss.shape, "one number")
            object.__setattr__(self, "loss", float(loss.reshape(())))
        ratio = self.importance_ratio
        if ratio is not None and np.shape(ratio) not in ((new.shape[0], 1), new.shape):
            expected = f"one for each token, or a column with one for each of {new.shape[0]} responses"
            raise BadSetting("importance_ratio", np.shape(ratio), expected)
        if self.precision not in PRECISIONS:
            raise BadSetting("precision", self.precision, "one of " + ", ".join(PRECISIONS))
        for name in ("world_size", "gradient_accumulation_steps", "steps_per_generation"):
            if not getattr(self, name) >= 1:
                raise BadSetting(name, getattr(self, name), "a count of at least 1")

    @property
    def format(self) -> Precision:
        """The floating-point format in which the trainer computed."""
        return PRECISIONS[self.precision]

    @property
    def bounded_advantages(self) -> Bounded:
        """The advantages, exact unless the trainer computes them itself."""
        exact = Bounded.exact(self.advantages, self.format)
        return exact if self.advantage_errors is None else Bounded(exact.value, self.advantage_errors, self.format)

    @property
    def lengths(self) -> Array:
        """The number of active tokens of each response, (B, 1)."""
        return np.asarray(np.sum(self.mask, axis=1, keepdims=True))

    @staticmethod
    def from_trl(meta: Mapping[str, Any], arrays: Mapping[str, Any]) -> LossCall:
        """A recorded call: the mapping of its .json file and the arrays of its .npz file.

        Raises BadSetting where they do not fit.
        """

        def optional(name: str) -> Any:
            return arrays[name] if name in arrays else None  # noqa: SIM401 - an NpzFile has no get that is typed

        def scalar(name: str) -> float | None:
            value = optional(name)
            if value is not None and np.size(value) != 1:
                raise BadSetting(name, list(np.shape(value)), "one number")
            return None if value is None else float(np.reshape(value, ()))

        def count(name: str) -> int:
            value = meta.get(name, 1)
            if isinstance(value, bool) or not isinstance(value, int):
                raise BadSetting(name, value, "a count of at least 1")
            return value

        return LossCall(
            new_logps=arrays["new_logps"],
            old_logps=arrays["old_logps"],
            mask=arrays["mask"],
            advantages=arrays["advantages"],
            ref_logps=optional("ref_logps"),
            sampling_logps=optional("sampling_logps"),
            entropies=optional("entropies"),
            loss=scalar("loss"),
            grad_logps=optional("grad_logps"),
            grad_entropies=optional("grad_entropies"),
            importance_ratio=optional("importance_ratio"),
            gathered_entropies=optional("gathered_entropies"),
            settings=LossSettings.from_trl(meta["config"]),
            num_items_in_batch=scalar("num_items_in_batch"),
            world_size=count("world_size"),
            gradient_accumulation_steps=count("current_gradient_accumulation_steps"),
            steps_per_generation=count("steps_per_generation"),
            training=meta.get("mode", "train") == "train",
            precision=str(meta.get("logps_dtype", "torch.float32")).removeprefix("torch."),
        )
