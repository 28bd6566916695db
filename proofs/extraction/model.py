"""The extracted model as a program: cases go in as lines of words, answers come back as JSON."""

import json
import subprocess
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

DRIVER = Path("extracted") / "driver"


class ModelFailure(Exception):  # noqa: N818 - named for what it says
    """The model's program did not answer every case; the message is its own."""


def word(value: Fraction | int) -> str:
    """A rational number as the model reads and writes it: n/d in binary, so that its size does not matter."""
    exact = Fraction(value)
    return f"{exact.numerator:b}/{exact.denominator:b}"


def words(values: Iterable[Fraction | int]) -> list[str]:
    """Several numbers."""
    return [word(value) for value in values]


def ask_model(folder: Path, lines: Sequence[str], seconds: float) -> list[Any]:
    """The model's answer to each case, in order; ``folder`` is where it was built."""
    done = subprocess.run(
        [str((folder / DRIVER).absolute())],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=max(1.0, seconds),
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or len(answers) != len(lines):
        raise ModelFailure(f"{len(answers)} of {len(lines)} cases answered: {done.stderr.strip()[:300]}")
    return answers
