"""An input opened: a list of records as a list for each of their keys, tables in it as keys of the input.

A key of a table in the input is read by itself, or with the table's key before it where alone it says too little:
``old.logps`` and ``new.logps`` are two, and the ``len`` of an ``overlong_buffer`` is no list of lengths.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grpocheck.verifier.disputes.aliases import MEANINGS, NEEDS_LIST, ONE_NUMBER
from grpocheck.verifier.disputes.formulas import flat
from grpocheck.verifier.disputes.functions import mapped
from grpocheck.verifier.disputes.roles import named_by, names_by_parts

LABELLED = ("R", "w", "L", "A", "new_logp", "old_logp", "ref_logp", "sampler_logp", "x", "mask", "parts")
"""Names of which a table has an entry for each response."""
QUESTION = re.compile(r"(q|p|prompt|question|group)[ _]?[0-9a-z]?$", re.IGNORECASE)
FUNCTION = re.compile(r"(r|rewards?)_?[0-9]+$")
PART = re.compile(r"(rank|device|worker|micro_?batch|shard|step|gpu|process)_?[0-9]+$", re.IGNORECASE)
ENDS = re.compile(r"finish|stop|end|status|reason|truncat", re.IGNORECASE)
CUT_OFF = ("length", "max_length", "max_tokens", "max_new_tokens", "truncated", "overlong", "limit", "timeout")
ENDED = ("stop", "eos", "eos_token", "eot", "end_turn", "stop_sequence", "completed", "complete", "finished", "done")
"""How a response ended, in the words of the engines: cut off, or by itself."""


def functions(rewards: list[Any], stated: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The rewards of several functions, with weights of 1 where none are stated."""
    yield "rewards", rewards
    if not any(
        MEANINGS.get(key.lower()) in ("weights", "w") and isinstance(value, list) and len(value) == len(rewards)
        for key, value in stated.items()
    ):
        yield "weights", [1] * len(rewards)


def flattened(stated: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Keys and values, with records opened: a table's own keys, or a list for each key of a list of tables."""
    several = [key for key, value in stated.items() if FUNCTION.match(key) and isinstance(value, list)]
    if len(several) > 1:
        yield from functions([stated[key] for key in several], stated)
        stated = {key: value for key, value in stated.items() if key not in several}
    pieces = [key for key, value in stated.items() if PART.match(key) and isinstance(value, list)]
    if len(pieces) > 1:
        yield "ranks", [stated[key] for key in pieces]
        stated = {key: value for key, value in stated.items() if key not in pieces}
    stated = dict(in_numbers(key, value, stated) for key, value in stated.items() if value is not None)
    for key, value in stated.items():
        if isinstance(value, Mapping):
            known = any(label.lower() in MEANINGS for label in value) and "reward" not in key.lower()
            name = "R" if key == "R" else MEANINGS.get(key.lower(), None if known else named_by(key, LABELLED))
            single = not any(isinstance(entry, list | Mapping) for entry in value.values())
            if name == "R" and not single and not all(QUESTION.match(label) for label in value):
                yield from functions(list(value.values()), stated)
            elif (name in LABELLED or (name is not None and single)) and not (single and of_settings(key, value)):
                yield key, list(value.values())
            else:
                yield from flattened(within(key, value, stated))
        elif isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value):
            yield from flattened(columns_of(value))
        else:
            yield key, value


def within(key: str, table: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    """A table of the input with keys that say enough: its own, or that of the table before its own."""
    others = [other for name, other in stated.items() if name != key and isinstance(other, Mapping)]
    found = {}
    for label, value in table.items():
        whole = f"{key}_{label}"
        name = MEANINGS.get(label.lower())
        one = not isinstance(value, list | Mapping | str)
        again = label in stated or any(label in other for other in others)
        little = name is None and not names_by_parts(label)
        if (again or little or (one and name in NEEDS_LIST)) and (whole.lower() in MEANINGS or names_by_parts(whole)):
            label = whole
        found[label] = value
    return found


def of_settings(key: str, table: Mapping[str, Any]) -> bool:
    """Whether a table of numbers holds settings, as ``kl`` with ``coef``, and no entry for each response."""
    if MEANINGS.get(key.lower()) in ONE_NUMBER:
        return True
    wholes = [f"{key}_{label}" for label in table]
    return all(MEANINGS.get(whole.lower()) in ONE_NUMBER or named_by(whole, ONE_NUMBER) for whole in wholes)


def in_numbers(key: str, value: Any, stated: Mapping[str, Any]) -> tuple[str, Any]:
    """A list of texts as numbers: how responses ended as flags of those cut off, labels of a table as their places.

    What is drawn from a table is drawn whatever its key says.
    """
    texts = flat(value) if isinstance(value, list) else []
    if not texts or not all(isinstance(text, str) for text in texts):
        return key, value
    ends = {text.lower() for text in texts}
    if ENDS.search(key) and ends <= {*CUT_OFF, *ENDED}:
        return key, mapped(lambda text: int(text.lower() in CUT_OFF), value)
    for table in stated.values():
        if isinstance(table, Mapping) and len(table) > 1 and set(texts) <= table.keys():
            drawn = key if named_by(key, ("draws",)) else f"sampled_{key}"
            return drawn, mapped(list(table).index, value)
    return key, value


def columns_of(records: list[Mapping[str, Any]]) -> dict[str, Any]:
    """A list for each key of a list of records; in groups, where a text that comes again says what belongs together."""
    fields = list(dict.fromkeys(field for record in records for field in record))
    columns = {field: [record.get(field) for record in records] for field in fields}
    for field, values in columns.items():
        texts = [str(value) for value in values]
        labels = list(dict.fromkeys(texts))
        together = [text for place, text in enumerate(texts) if place == 0 or texts[place - 1] != text]
        is_label = all(isinstance(value, str) and not re.fullmatch(r"[-+0-9./e]+", value) for value in values)
        is_label = is_label and in_numbers(field, values, {})[1] is values
        if is_label and 1 < len(labels) < len(values) and together == labels:
            places = [[at for at, value in enumerate(values) if str(value) == label] for label in labels]
            return {key: [[column[at] for at in group] for group in places] for key, column in columns.items()
                    if key != field}  # fmt: skip
    return columns


