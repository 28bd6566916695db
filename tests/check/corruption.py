"""Ways to corrupt a trace, one at a time: every field, and events dropped, doubled, swapped, renamed."""

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

Event = dict[str, Any]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of everything in a JSON value that is no list and no table."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from leaves(entry, (*path, key))
    elif isinstance(value, list):
        for place, entry in enumerate(value):
            yield from leaves(entry, (*path, place))
    else:
        yield path


def changed_leaf(value: Any, random: Random) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool) or value is None:
        return value is None or not value
    if isinstance(value, int):
        return value + random.choice((-1, 1, 10))
    digits = [place for place, letter in enumerate(value) if letter.isdigit()]
    if digits and random.random() < 0.8:
        place = random.choice(digits)
        return value[:place] + random.choice([d for d in "123456789" if d != value[place]]) + value[place + 1 :]
    if digits and random.random() < 0.5:
        return value[1:] if value.startswith("-") else f"-{value}"
    return value + "x"


def change(events: list[Event], random: Random, counted: bool = True) -> tuple[str, list[Event]]:
    """A corrupted copy of a trace, with words for what was done to it."""
    events = copy.deepcopy(events)
    kind = random.choices(("field", "drop", "double", "swap", "key", "lose", "event"), (12, 1, 1, 1, 1, 1, 1))[0]
    line = random.randrange(len(events))
    event = events[line]
    if kind == "field":
        path = random.choice(list(leaves(event)))
        target: Any = event
        for step in path[:-1]:
            target = target[step]
        before, target[path[-1]] = target[path[-1]], changed_leaf(target[path[-1]], random)
        return f"line {line + 1}: {path}: {before!r} -> {target[path[-1]]!r}", events
    if kind == "drop":
        del events[line]
    elif kind == "double":
        events.insert(line, copy.deepcopy(event))
    elif kind == "swap":
        other = min(line + 1, len(events) - 1)
        events[line], events[other] = events[other], events[line]
    elif kind == "key":
        event["remark"] = "nothing"
    elif kind == "lose":
        del event[random.choice(list(event))]
    else:
        event["event"] = random.choice(("draw", "reward", "apply", "stop", "outcome", "gradient"))
    return f"line {line + 1}: {kind}", events


def text_of(events: list[Event]) -> str:
    """The events as the lines of a trace."""
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
