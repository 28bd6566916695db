"""What an input says beside its numbers of how they belong together: labels of rows, and a number stated twice.

A list of labels as long as the rewards says which rows are of one prompt; ``hardcoded_divisor`` beside ``max_length``
is the number that the code in question has in the other's place.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from grpocheck.verifier.disputes.aliases import MEANINGS, ONE_NUMBER
from grpocheck.verifier.disputes.formulas import Definition
from grpocheck.verifier.disputes.roles import role_of

OTHERWISE = "_otherwise"
"""The end of a name for a number that stands in another's place."""
BESIDE = re.compile(
    r"^(wrong|buggy|bug|used|actual|applied|hard_?coded|fixed|faulty|mistaken|misread|implemented)_"
    r"|_(wrong|buggy|bug|used|actual|applied|hard_?coded|faulty|mistaken|implemented|in_code)$",
    re.IGNORECASE,
)
LABELS = re.compile(
    r"(^|_)(uids?|gids?|idx|ids?|index|indexes|indices|labels?|groups?|prompts?|questions?|queries|problems?)"
    r"(_?(of|per)_?\w+)?$",
    re.IGNORECASE,
)
NUMBERED = re.compile(r"(prompt|group|question|query|problem).*(ids?|idx|index|indexes|indices|labels?)$|^[ug]ids?$")

PLACE = re.compile(r"_(?:prompt|group|question|query|response|completion|sequence|rollout)_?([0-9]+)$")
"""The end of a name that says of which group, or of which response, a number is; the first is 0."""


def stated_otherwise(key: str) -> str | None:
    """What a key would be that says that its number is the code's, without that; None for any other key."""
    stem = BESIDE.sub("", key)
    return stem if stem and stem != key else None


def labels_in(stated: Mapping[str, Any]) -> tuple[str, list[str]] | None:
    """The key of labels of rows, and the labels; of several keys the first. Numbers are labels if the key says so."""
    for key, value in stated.items():
        if not isinstance(value, list) or len(value) < 2 or not LABELS.search(key):
            continue
        texts = all(isinstance(entry, str) and not re.fullmatch(r"[-+0-9./e]+", entry) for entry in value)
        counts = all(isinstance(entry, int) and not isinstance(entry, bool) for entry in value)
        if texts or (counts and NUMBERED.search(key.lower())):
            return key, [str(entry) for entry in value]
    return None


def grouped(names: dict[str, Any], labels: list[str]) -> bool:
    """Put rewards in the groups that labels say; ``rows`` stays as it was, ``order`` leads back to it where it has to.

    Whether that could be done: it needs a reward for each label, none of them a list.
    """
    rewards = names.get("R")
    if not isinstance(rewards, list) or len(rewards) != len(labels) or any(isinstance(r, list) for r in rewards):
        return False
    kinds = list(dict.fromkeys(labels))
    places = [[at for at, label in enumerate(labels) if label == kind] for kind in kinds]
    together = [at for group in places for at in group]
    names["rows"] = rewards
    names["R"] = [[rewards[at] for at in group] for group in places]
    if together != sorted(together):
        names["order"] = [Fraction(together.index(at)) for at in range(len(labels))]
    return True


def is_beside(key: str, found: Mapping[str, Any]) -> bool:
    """Whether a key states, as what the code has, a number that another key states as well."""
    stem = stated_otherwise(key)
    if stem is None or not isinstance(found[key], Fraction):
        return False
    name = name_of(stem, found[key])
    return name in ONE_NUMBER and any(
        other != key and isinstance(value, Fraction) and name_of(other, value) == name for other, value in found.items()
    )


def name_of(key: str, value: Fraction) -> str | None:
    """The name that a key of one number has by itself."""
    return MEANINGS.get(key.lower()) or role_of(key, value, {})


def placed_beside(beside: Mapping[str, Any], names: dict[str, Any], keys: dict[str, str]) -> list[str]:
    """Names for numbers that stand in another's place; the keys are returned that no name is left for."""
    unknown = []
    for key, value in beside.items():
        stem = str(stated_otherwise(key))
        name = f"{name_of(stem, value)}{OTHERWISE}"
        if name in names:
            unknown.append(key)
            name = key
        names[name], keys[name] = value, key
        if name == f"eps{OTHERWISE}":
            names.update({f"{side}{OTHERWISE}": Definition(name) for side in ("low", "high")})
    return unknown


def group_alone(formula: str, place: int) -> str:
    """A formula of every group as that of one of them; empty for any other formula."""
    start, found, groups = formula.rpartition(" for g in ")
    if not found or not formula.startswith("flat([") or not groups.endswith("])"):
        return ""
    return f"{start} for g in [({groups.removesuffix('])')})[{place}]]])"
