"""The command ``diff``: two traces side by side, and the first event at which they part."""

import json
from itertools import zip_longest
from pathlib import Path
from typing import Any

from grpocheck.core.trace import read_trace
from grpocheck.verifier.failures import REFUTED, emit
from grpocheck.verifier.printing import printable

END: tuple[int, dict[str, Any]] = (0, {"event": "the end of the trace"})


def alike(ours: Any, theirs: Any) -> bool:
    """Whether two values are the same in JSON, where true is not 1 and 1 is not 1.0; the order of keys says nothing."""
    return json.dumps(ours, sort_keys=True) == json.dumps(theirs, sort_keys=True)


def parted(left: dict[str, Any], right: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """The fields in which two events differ, with both values; one level down where both are tables."""
    found = []
    for name in [*left, *(name for name in right if name not in left)]:
        ours, theirs = left.get(name), right.get(name)
        if alike(ours, theirs) and (name in left) == (name in right):
            continue
        if isinstance(ours, dict) and isinstance(theirs, dict):
            found += [(f"{name}.{key}", a, b) for key, a, b in parted(ours, theirs)]
        else:
            found.append((name, ours, theirs))
    return found


def diff_traces(left: Path, right: Path, as_json: bool) -> int:
    """Compare two traces event by event; 1 at the first one that differs."""
    count = 0
    for (number, ours), (other, theirs) in zip_longest(read_trace(left), read_trace(right), fillvalue=END):
        if alike(ours, theirs):
            count += 1
            continue
        fields = parted(ours, theirs)
        if as_json:
            listed = [{"field": name, "left": a, "right": b} for name, a, b in fields]
            told = {"same": False, "line": number or other, "event": ours["event"], "fields": listed}
            emit(json.dumps(told, indent=2))
        else:
            emit(f"line {number or other}, event {ours['event']}: the traces part here")
            for name, a, b in fields:
                emit(f"  {name}\n    {printable(left)}: {json.dumps(a)}\n    {printable(right)}: {json.dumps(b)}")
        return REFUTED
    emit(json.dumps({"same": True, "events": count}) if as_json else f"the same: {count} events")
    return 0
