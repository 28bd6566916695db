"""What a number would need that the input does not state: such a number stays open, and it is said why."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from grpocheck.verifier.disputes.lines import Line, Verdict

MEANS = ("mean", "avg", "average")
"""Parts of a key whose number is a mean over tokens."""
NUMBER_OF_TOKENS = "not stated: over how many tokens the mean is, which a ratio of the whole response needs"


NO_RIGHT_NUMBER = "no number of the right side is stated: what is called wrong is compared with nothing"


def with_what_is_missing(lines: Sequence[Line], names: Mapping[str, Any], keys: Mapping[str, str]) -> list[Line]:
    """The lines; those that are open say what is not stated, where that is known; wrong numbers alone are open."""
    if lines and all(line.side == "wrong" and line.agrees for line in lines):
        return [replace(line, verdict=Verdict.UNDECIDED, note=NO_RIGHT_NUMBER) for line in lines]
    parts = keys.get("x", "").lower().split("_")
    one_mean = not isinstance(names.get("x"), list | str | None) and any(part in MEANS for part in parts)
    if not one_mean or {"items", "lengths"} & names.keys():
        return list(lines)
    return [
        replace(line, note=f"{NUMBER_OF_TOKENS}; {line.note}") if line.verdict is Verdict.UNDECIDED else line
        for line in lines
    ]
