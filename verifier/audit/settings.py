"""What is known of a run's settings, under TRL's names, and where each came from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.files import json_of, read_whole

NUMBERS = frozenset(
    {
        "num_iterations",
        "steps_per_generation",
        "gradient_accumulation_steps",
        "per_device_train_batch_size",
        "num_generations",
        "max_steps",
        "max_completion_length",
        "world_size",
        "generation_batch_size",
        "epsilon",
        "epsilon_high",
        "delta",
        "beta",
        "temperature",
        "top_p",
        "top_k",
        "min_p",
        "repetition_penalty",
        "max_grad_norm",
        "entropy_coef",
        "top_entropy_quantile",
        "logging_steps",
        "off_policy_mask_threshold",
    }
)
WORDS: Mapping[str, tuple[str, ...]] = {
    "scale_rewards": ("group", "batch", "none"),
    "multi_objective_aggregation": ("sum_then_normalize", "normalize_then_sum"),
    "importance_sampling_level": ("token", "sequence"),
}
MOST = 2**1023
SCALE_WORDS = {True: "group", False: "none", "True": "group", "False": "none"}


@dataclass(frozen=True)
class Settings:
    """Settings by name; what is not there is not known."""

    values: Mapping[str, Any] = field(default_factory=dict)
    source: str | None = None

    def number(self, name: str) -> float | None:
        """A numeric setting; None where it is not known, or is stated to be none."""
        value = self.values.get(name)
        return None if value is None or isinstance(value, bool) else float(value)

    def count(self, name: str) -> int | None:
        """A setting that counts something; None where it is not known or no positive whole number."""
        value = self.number(name)
        return int(value) if value is not None and 1 <= value < MOST and value == int(value) else None

    def word(self, name: str) -> str | None:
        """A setting that is one of a few words; None where it is not known."""
        value = self.values.get(name)
        return None if value is None else str(value)

    @property
    def weights(self) -> tuple[float, ...] | None:
        """The weights of the reward functions; None where they are not known."""
        found = self.values.get("reward_weights")
        return None if found is None else tuple(float(weight) for weight in found)

    def joined(self, other: "Settings") -> "Settings":
        """These settings, and those of the other that are not known here."""
        return Settings({**other.values, **self.values}, self.source or other.source)


def checked(values: Mapping[str, Any], path: Path | str) -> Settings:
    """Settings out of a mapping that somebody wrote; raises Unreadable where one cannot be used."""
    kept: dict[str, Any] = {}
    for key, value in values.items():
        if key in NUMBERS and value is not None:
            if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
                raise Unreadable(path, key, value, "a number")
            if isinstance(value, int) and abs(value) > MOST:
                raise Unreadable(path, key, value, "a number that a float holds")
            kept[key] = value
        elif key in WORDS and value is not None:
            word = SCALE_WORDS.get(value, value) if isinstance(value, bool | str) else value
            if word not in WORDS[key]:
                raise Unreadable(path, key, value, "one of " + ", ".join(WORDS[key]))
            kept[key] = word
        elif key == "reward_weights" and value is not None:
            numbers = isinstance(value, list) and all(
                isinstance(weight, int | float) and not isinstance(weight, bool) and abs(weight) <= MOST
                for weight in value
            )
            if not numbers:
                raise Unreadable(path, key, value, "a list of numbers, one for each reward function")
            kept[key] = value
        elif value is not None:
            kept[key] = value
    return Settings(kept, str(path))


def read_json(path: Path) -> Any:
    """The content of a JSON file (nan and inf as tokens are let in); raises Unreadable where it is none."""
    try:
        return json_of(read_whole(path))
    except ValueError as error:
        raise Unreadable(path, "content", str(error), "a JSON file in UTF-8") from error


def read_settings(path: Path) -> Settings:
    """A JSON file of settings: GRPOConfig.to_dict(), or an object with args_effective, args_given and processes."""
    found = read_json(path)
    if not isinstance(found, dict):
        raise Unreadable(path, "content", found, "an object with the trainer's settings by name")
    values: dict[str, Any] = {}
    for key in ("args_given", "args_effective"):
        part = found.get(key)
        if part is None:
            continue
        if not isinstance(part, dict):
            raise Unreadable(path, key, part, "an object with the trainer's settings by name")
        values.update({name: value for name, value in part.items() if value is not None})
    if "args_given" in found or "args_effective" in found:
        if isinstance(found.get("processes"), int):
            values.setdefault("world_size", found["processes"])
    else:
        values = found
    return checked(values, path)
