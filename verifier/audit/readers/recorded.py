"""Recorded runs: generation batches (gens/gen_NNN.npz) and loss calls (calls/call_NNN.npz), each with its .json."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.model import Call, Floats, Generation, Table
from grpocheck.verifier.audit.settings import Settings, checked, read_json

CALL_TENSORS = ("new_logps", "old_logps", "mask", "advantages")
OPTIONAL_TENSORS = ("ref_logps", "sampling_logps", "entropies", "grad_logps", "grad_entropies")


MOST_BYTES = 2**28
"""The most bytes that the arrays of one file may take."""


def read_arrays(path: Path) -> dict[str, Any]:
    """The arrays of an .npz file by name; raises Unreadable where it is damaged or holds what are no numbers.

    A member that is encrypted, packed in an unknown way or cut makes zipfile, zlib and numpy raise whatever they like,
    so every exception of reading means the same here. How large the arrays are is looked at before any is unpacked.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > MOST_BYTES:
            raise Unreadable(path, "content", f"{size} bytes", f"at most {MOST_BYTES} bytes when unpacked")
        with np.load(path, allow_pickle=False) as file:
            found = {name: file[name] for name in file.files}
    except (FileNotFoundError, PermissionError, Unreadable):
        raise
    except Exception as error:
        raise Unreadable(path, "content", str(error), "a whole .npz file of arrays") from error
    for name, array in found.items():
        if array.dtype.kind not in "fiub":
            raise Unreadable(path, name, str(array.dtype), "an array of numbers")
    return found


def read_beside(path: Path) -> dict[str, Any]:
    """The .json beside an .npz file."""
    found = read_json(path.with_suffix(".json"))
    if not isinstance(found, dict):
        raise Unreadable(path.with_suffix(".json"), "content", found, "an object")
    return found


def whole(path: Path | str, found: Mapping[str, Any], key: str, default: int | None = None) -> int:
    """A whole number of at least 0 under a key."""
    value = found.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Unreadable(path, key, value, "a whole number of at least 0")
    return value


def read_call(path: Path) -> Call:
    """A recorded call of the loss; raises Unreadable for missing tensors and shapes that do not go together."""
    return checked_call(path, read_arrays(path), read_beside(path))


def checked_call(path: Path | str, arrays: dict[str, Any], meta: dict[str, Any]) -> Call:
    """A call whose tensors are there and of one shape."""
    for name in CALL_TENSORS:
        if name not in arrays:
            raise Unreadable(path, name, sorted(arrays), "the tensors " + ", ".join(CALL_TENSORS))
    shape = arrays["new_logps"].shape
    if len(shape) != 2 or 0 in shape:
        raise Unreadable(path, "new_logps", list(shape), "two dimensions: responses and positions")
    for name in (*CALL_TENSORS[1:3], *OPTIONAL_TENSORS, "completion_ids"):
        if name in arrays and arrays[name].shape != shape:
            raise Unreadable(path, name, list(arrays[name].shape), f"the shape of new_logps, {list(shape)}")
    if arrays["advantages"].shape not in ((shape[0],), shape, (shape[0], 1)):
        raise Unreadable(path, "advantages", list(arrays["advantages"].shape), f"one for each of {shape[0]} responses")
    if not ((arrays["mask"] == 0) | (arrays["mask"] == 1)).all():
        raise Unreadable(path, "mask", "other numbers", "zeros and ones")
    if arrays["advantages"].shape == (shape[0], 1):
        arrays = {**arrays, "advantages": arrays["advantages"][:, 0]}
    if "loss" in arrays:
        if arrays["loss"].size != 1:
            raise Unreadable(path, "loss", list(arrays["loss"].shape), "one number")
        arrays = {**arrays, "loss": arrays["loss"].reshape(())}
    if "row" in arrays and arrays["row"].shape != (shape[0],):
        raise Unreadable(path, "row", list(arrays["row"].shape), f"one for each of {shape[0]} responses")
    if "row" in arrays:
        if not ((arrays["row"] >= 0) & (arrays["row"] == np.floor(arrays["row"]))).all():
            raise Unreadable(path, "row", arrays["row"].tolist(), "whole numbers of at least 0")
        arrays = {**arrays, "row": arrays["row"].astype(np.int64)}
    for key in ("rank", "session"):
        whole(path, meta, key, 0)
    if not isinstance(meta.get("config"), dict):
        raise Unreadable(path, "config", meta.get("config"), "an object with the settings of the loss")
    return Call(str(path), arrays, meta)


def read_generation(path: Path) -> Generation:
    """A recorded generation batch."""
    arrays, meta = read_arrays(path), read_beside(path)
    for name in ("rewards_per_func", "advantages"):
        if name not in arrays:
            raise Unreadable(path, name, sorted(arrays), "the arrays rewards_per_func and advantages")
    rewards: Floats = arrays["rewards_per_func"].astype(np.float64)
    advantages: Floats = arrays["advantages"].astype(np.float64)
    if rewards.ndim != 2 or advantages.shape != rewards.shape[:1]:
        raise Unreadable(path, "rewards_per_func", list(rewards.shape), "a row of rewards for each advantage")
    names = meta.get("reward_func_names")
    if not isinstance(names, list) or len(names) != rewards.shape[1]:
        raise Unreadable(path.with_suffix(".json"), "reward_func_names", names, f"{rewards.shape[1]} names")
    keys = ("scale_rewards", "multi_objective_aggregation", "num_generations")
    values = {key: meta[key] for key in keys if key in meta}
    if "reward_weights" in arrays:
        values["reward_weights"] = [float(weight) for weight in arrays["reward_weights"]]
    settings = checked(values, path.with_suffix(".json"))
    rank = path.stem.partition("_rank")[2]
    table = Table(
        str(path),
        whole(path, meta, "global_step_at_generation", 0),
        tuple(str(name) for name in names),
        rewards,
        advantages,
    )
    return Generation(
        str(path),
        whole(path, meta, "gen"),
        str(meta.get("mode", "train")),
        whole(path, meta, "global_step_at_generation", 0),
        int(rank) if rank.isdigit() else 0,
        table,
        arrays,
        settings.count("num_generations"),
        settings,
    )


def settings_beside(path: Path) -> Settings:
    """The settings that stand in the .json beside a call."""
    meta = read_beside(path)
    config = meta.get("config")
    return settings_in({**meta, "config": config if isinstance(config, dict) else {}}, str(path))


def call_settings(call: Call) -> Settings:
    """The settings that stand beside a call."""
    return settings_in(call.meta, call.file)


def settings_in(meta: Mapping[str, Any], file: str) -> Settings:
    """The settings of the loss and those of the loop around it, of what is said of a call."""
    values = dict(meta.get("stated", meta["config"]))
    for key, name in (
        ("world_size", "world_size"),
        ("current_gradient_accumulation_steps", "gradient_accumulation_steps"),
        ("steps_per_generation", "steps_per_generation"),
    ):
        if isinstance(meta.get(key), int):
            values[name] = meta[key]
    return checked(values, file)
