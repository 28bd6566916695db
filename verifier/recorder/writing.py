"""The lines of a recording, each written whole and flushed, so that a crash costs at most the last one."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from grpocheck import __version__
from grpocheck.core.whole_files import Lines

FORMAT, VERSION = "grpocheck-groups", 1
DTYPES = ("float64", "float32", "bfloat16", "float16")
CHUNK = 1 << 16
LONGEST_HEADER = 1 << 24
"""The most bytes of a first line that is looked at; no header of a recording is nearly as long."""


class CannotRecord(Exception):  # noqa: N818 - named for what it says
    """A recording that cannot begin: says where and what was expected."""


class Recorder:
    """Writes a recording. It keeps nothing but the open file; ``seconds`` is the time that it took so far.

    A file that is there is gone on with, if it is a recording that no other process writes: a last line that a crash
    cut off is taken away, and the settings are written again. A failure to write while training goes on is warned of
    once, and ends the recording and not the training. Raises CannotRecord where a recording cannot begin.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     recorder = Recorder(Path(folder, "run.jsonl"), {"num_generations": 2}, ["exact"])
    ...     recorder.group({"exact": [1.0, 0.0]}, [1.0, -1.0], batch=0, step=1)
    ...     recorder.close()
    ...     recorder.lines
    2
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        settings: Mapping[str, Any] | None = None,
        functions: Sequence[str] | None = None,
        dtype: str = "float32",
    ) -> None:
        """Begin, or go on with, a recording; ``settings`` are under TRL's names, ``functions`` those of the rewards."""
        if dtype not in DTYPES:
            raise CannotRecord(f"dtype: {dtype!r}: expected one of {', '.join(DTYPES)}")
        self.path = Path(path)
        self.seconds = 0.0
        self.lines = 0
        try:
            self._file = Lines(self.path)
            try:
                if self._file.size:
                    _mend(self.path)
            except BaseException:
                self._file.close()
                raise
        except OSError as error:
            raise CannotRecord(f"{str(path)!r}: {error.strerror}; expected a file that can be written") from error
        self._failed = False
        header: dict[str, Any] = {"format": FORMAT, "version": VERSION, "writer": f"grpocheck {__version__}"}
        header.update({"dtype": dtype, "settings": dict(settings or {})})
        if functions is not None:
            header["functions"] = list(functions)
        self._write(header)

    def group(
        self,
        rewards: Mapping[str, Sequence[float | None]] | Sequence[float | None],
        advantages: Sequence[float] | None = None,
        *,
        batch: int | str | None = None,
        step: int | None = None,
        prompt: str | None = None,
        responses: Sequence[str] | None = None,
        tokens: Mapping[str, Any] | None = None,
        clip: Mapping[str, float] | None = None,
        **others: Any,
    ) -> None:
        """One group: rewards by function (None where one is missing), and what else is known of its responses.

        Every list has an entry for each of the G responses; ``tokens`` are lists of log-probabilities in nats for each
        (new_logps, old_logps, ref_logps), ``clip`` has epsilon and epsilon_high.
        """
        columns: Any = {name: list(column) for name, column in rewards.items()} if isinstance(rewards, Mapping) else (
            list(rewards)
        )
        line = {
            "kind": "group", "batch": batch, "step": step, "prompt": prompt, "rewards": columns,
            "advantages": advantages, "responses": responses, "tokens": tokens, "clip": clip, **others,
        }  # fmt: skip
        self._write({key: value for key, value in line.items() if value is not None})

    def call(self, arrays: Mapping[str, Any], meta: Mapping[str, Any]) -> None:
        """One call of the loss: its tensors by name, and what is said of it; ``meta`` has a "config".

        Log-probabilities are [B responses, T positions], in nats; docs/recording.schema.json has the names.
        """
        self._write({"kind": "call", "meta": dict(meta), "arrays": dict(arrays)})

    def log(self, numbers: Mapping[str, float], step: int | None = None) -> None:
        """One row of a trainer's log."""
        self._write({"kind": "log", "step": step, "numbers": dict(numbers)})

    def close(self) -> None:
        """End the recording; writing after it is an error."""
        self._file.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        """A line in one piece, handed to the operating system before this returns."""
        began = time.perf_counter()
        text = json.dumps(line, default=_as_json, separators=(",", ":"), ensure_ascii=False)
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")  # lone surrogates, as JSON escapes them
        if not self._failed:
            try:
                self._file.write(text)
                self.lines += 1
            except OSError as error:
                self._failed = True
                warnings.warn(
                    f"grpocheck: {str(self.path)!r}: {error.strerror}; the recording ends here, the training goes on",
                    RuntimeWarning,
                    stacklevel=3,
                )
        self.seconds += time.perf_counter() - began


def _as_json(value: Any) -> Any:
    """Arrays and numbers of numpy and torch; every float32 is written so that it is read back bit for bit."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.float().numpy() if value.is_floating_point() else value.numpy()
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} in a recording: expected numbers, texts, lists or arrays")


def _mend(path: Path) -> None:
    """Take away what a crash left of a last line; raises CannotRecord for a file that is no recording."""
    with path.open("rb+") as file:
        try:
            header = json.loads(file.readline(LONGEST_HEADER))
        except (ValueError, RecursionError):
            header = None
        if not isinstance(header, dict) or header.get("format") != FORMAT or header.get("version") != VERSION:
            raise CannotRecord(f"{str(path)!r}: it is there and no recording of version {VERSION}; expected a new file")
        end = file.seek(0, os.SEEK_END)
        keep = end
        while keep:
            start = max(0, keep - CHUNK)
            file.seek(start)
            place = file.read(keep - start).rfind(b"\n")
            if place >= 0:
                keep = start + place + 1
                break
            keep = start
        if keep < end:
            file.truncate(keep)
            warnings.warn(
                f"grpocheck: {str(path)!r}: the last line was cut off and is taken away ({end - keep} bytes)",
                RuntimeWarning,
                stacklevel=4,
            )
