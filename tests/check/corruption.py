"""Ways to corrupt a trace, one at a time: every field; events dropped, doubled, swapped, moved, renamed, taken from
another trace; and what JSON and Python let pass, keys said twice and numbers written in other words."""

import copy
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

Event = dict[str, Any]
Lines = list[str]


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


def at(value: Any, path: tuple[Any, ...]) -> Any:
    """What stands at a path."""
    for step in path:
        value = value[step]
    return value


def put(value: Any, path: tuple[Any, ...], entry: Any) -> None:
    """Put something else at a path."""
    at(value, path[:-1])[path[-1]] = entry


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


def reworded_leaf(value: Any, random: Random) -> Any:
    """The same value in a form that a lenient reader takes for it."""
    if isinstance(value, bool):
        return int(value)
    if value is None:
        return random.choice(("", "null", False))
    if isinstance(value, int):
        return random.choice((float(value), str(value), *([bool(value)] if value in (0, 1) else [])))
    if not value or not value[-1].isdigit():
        return random.choice((value + " ", " " + value, [value]))
    arabic = value.translate({ord(digit): 0x660 + int(digit) for digit in "0123456789"})
    scaled = f"{2 * int(value)}/2" if value.lstrip("-").isdigit() else value + "0/10"
    return random.choice((f"+{value}", f" {value}", f"{value} ", f"{value}\n", f"0{value}", arabic, scaled, [value]))


def field(events: list[Event], random: Random) -> str:
    """Another value in one field of one event."""
    line = random.randrange(len(events))
    path = random.choice(list(leaves(events[line])))
    before = at(events[line], path)
    put(events[line], path, changed_leaf(before, random))
    return f"line {line + 1}: {path}: {before!r} -> {at(events[line], path)!r}"


def reworded(events: list[Event], random: Random) -> str:
    """The same value in other words."""
    line = random.randrange(len(events))
    path = random.choice(list(leaves(events[line])))
    before = at(events[line], path)
    put(events[line], path, reworded_leaf(before, random))
    return f"line {line + 1}: {path}: {before!r} -> {at(events[line], path)!r}"


def drop(events: list[Event], random: Random) -> str:
    """An event left out."""
    line = random.randrange(len(events))
    del events[line]
    return f"line {line + 1} dropped"


def double(events: list[Event], random: Random) -> str:
    """An event twice."""
    line = random.randrange(len(events))
    events.insert(line, copy.deepcopy(events[line]))
    return f"line {line + 1} doubled"


def swap(events: list[Event], random: Random) -> str:
    """Two events exchanged, neighbours or not."""
    line = random.randrange(len(events))
    other = random.choice((min(line + 1, len(events) - 1), random.randrange(len(events))))
    events[line], events[other] = events[other], events[line]
    return f"lines {line + 1} and {other + 1} swapped"


def move(events: list[Event], random: Random) -> str:
    """An event somewhere else."""
    line, other = random.randrange(len(events)), random.randrange(len(events))
    events.insert(other, events.pop(line))
    return f"line {line + 1} moved to {other + 1}"


def key(events: list[Event], random: Random) -> str:
    """One key more, in an event or in a table inside it."""
    line = random.randrange(len(events))
    tables = [events[line], *(entry for entry in events[line].values() if isinstance(entry, dict))]
    random.choice(tables)["remark"] = random.choice(("nothing", 1, None))
    return f"line {line + 1}: a key more"


def lose(events: list[Event], random: Random) -> str:
    """One key less."""
    line = random.randrange(len(events))
    lost = random.choice(list(events[line]))
    del events[line][lost]
    return f"line {line + 1}: {lost} lost"


def rename(events: list[Event], random: Random) -> str:
    """Another name of an event."""
    line = random.randrange(len(events))
    events[line]["event"] = random.choice(("draw", "reward", "apply", "stop", "outcome", "gradient", "group", "error"))
    return f"line {line + 1}: event {events[line]['event']}"


def append(events: list[Event], random: Random) -> str:
    """An event after the last one."""
    events.append(copy.deepcopy(random.choice(events)))
    return "one event more at the end"


def turn(events: list[Event], random: Random) -> str:
    """A list the other way round."""
    lists = [
        (line, path[:-1])
        for line, event in enumerate(events)
        for path in leaves(event)
        if isinstance(path[-1], int) and path[-1] == 1
    ]
    if not lists:
        return append(events, random)
    line, path = random.choice(lists)
    put(events[line], path, at(events[line], path)[::-1])
    return f"line {line + 1}: {path} turned round"


def reorder(events: list[Event], random: Random) -> str:
    """The keys of an event in another order, which says the same."""
    line = random.randrange(len(events))
    events[line] = dict(reversed(events[line].items()))
    return f"line {line + 1}: keys in another order"


EVENTS: dict[str, tuple[int, Callable[[list[Event], Random], str]]] = {
    "field": (24, field),
    "reworded": (6, reworded),
    "drop": (2, drop),
    "double": (2, double),
    "swap": (2, swap),
    "move": (2, move),
    "key": (2, key),
    "lose": (2, lose),
    "rename": (2, rename),
    "append": (1, append),
    "turn": (1, turn),
    "reorder": (1, reorder),
}


def twice(text: str, random: Random) -> str:
    """A key said twice, with the same value or with another one."""
    lines = text.splitlines(keepends=True)
    line = random.randrange(len(lines))
    names = [name for name in json.loads(lines[line]) if name != "event"] or ["event"]
    said = random.choice(names)
    lines[line] = lines[line].replace("{", f'{{"{said}": 0, ', 1)
    return "".join(lines)


def literal(text: str, random: Random) -> str:
    """NaN, Infinity or a float in the place of a number."""
    lines = text.splitlines(keepends=True)
    line = random.randrange(len(lines))
    event = json.loads(lines[line])
    put(event, random.choice(list(leaves(event))), random.choice((float("nan"), float("inf"), -0.0, 1e400, 0.5)))
    lines[line] = json.dumps(event, ensure_ascii=False) + "\n"
    return "".join(lines)


BYTES: dict[str, Callable[[str, Random], str | bytes]] = {
    "twice": twice,
    "literal": literal,
    "mark": lambda text, random: b"\xef\xbb\xbf" + text.encode(),
    "cut": lambda text, random: text[: random.randrange(len(text))],
    "again": lambda text, random: text + text,
    "blank": lambda text, random: text + random.choice(("\n", " ", "\0", "{}\n")),
    "header": lambda text, random: text.replace('"epsilon": "1/', '"epsilon": "1/1', 1),
}


def change(events: list[Event], random: Random) -> tuple[str, bytes]:
    """A corrupted copy of a trace, with words for what was done to it."""
    if random.random() < 0.12:
        kind = random.choice(list(BYTES))
        changed = BYTES[kind](text_of(events), random)
        return kind, changed if isinstance(changed, bytes) else changed.encode()
    events = copy.deepcopy(events)
    kind = random.choices(list(EVENTS), [weight for weight, _ in EVENTS.values()])[0]
    return f"{kind}: {EVENTS[kind][1](events, random)}", text_of(events).encode()


def text_of(events: list[Event]) -> str:
    """The events as the lines of a trace."""
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
