"""trainer_state.json: what transformers writes of a run; its log_history is the trainer's log."""

from pathlib import Path
from typing import Any

from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.model import Log, LogRow
from grpocheck.verifier.audit.settings import read_json


def read_log(path: Path) -> Log:
    """The log of a trainer_state.json; raises Unreadable for what is none."""
    found = read_json(path)
    if not isinstance(found, dict) or not isinstance(found.get("log_history"), list):
        raise Unreadable(path, "log_history", found, "an object with a list log_history")
    rows = []
    for place, row in enumerate(found["log_history"]):
        if not isinstance(row, dict):
            raise Unreadable(path, f"log_history[{place}]", row, "an object of numbers by name")
        rows.append(log_row(path, place, f"log_history[{place}]", row))
    counts: dict[str, int | None] = {}
    for key in ("max_steps", "global_step"):
        value = found.get(key)
        counts[key] = value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
    logging = found.get("logging_steps")
    steps = float(logging) if isinstance(logging, int | float) and not isinstance(logging, bool) else None
    return Log(str(path), tuple(rows), steps, counts["max_steps"], counts["global_step"])


def log_row(path: Path, place: int, where: str, row: dict[str, Any]) -> LogRow:
    """One row, ``where`` in words: the numbers by name; null (TRL's mean over nothing) and texts are left out."""
    numbers = {}
    for key, value in row.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                numbers[key] = float(value)
            except OverflowError as error:
                raise Unreadable(path, f"{where}.{key}", value, "a number that a float holds") from error
    step = row.get("step")
    if step is not None and (isinstance(step, bool) or not isinstance(step, int) or step < 0):
        raise Unreadable(path, f"{where}.step", step, "a whole number of at least 0")
    return LogRow(place, step, numbers)


def reward_names(log: Log) -> tuple[str, ...]:
    """The reward functions that a log names, in the order in which they come."""
    names: dict[str, None] = {}
    for row in log.rows:
        for key in row.numbers:
            if key.startswith("rewards/") and key.endswith("/mean"):
                names[key.removeprefix("rewards/").removesuffix("/mean")] = None
    return tuple(names)
