"""The input of a dispute: from the keys that people use to the names that formulas are written in.

A key is known by any of its aliases, in any nesting: a list of records gives a list for each of their keys. Which name
a short key such as r, p or eps stands for is decided by what else there is.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from types import MappingProxyType
from typing import Any

from grpocheck.core.arithmetic import Arithmetic
from grpocheck.core.invalid import InvalidProblem, shortened
from grpocheck.core.values import rational
from grpocheck.verifier.disputes.aliases import ALIASES, COUNTS, FORMATS, MEANINGS, NEEDS_LIST, ONE_NUMBER, WORLD
from grpocheck.verifier.disputes.formulas import Definition, flat
from grpocheck.verifier.disputes.functions import mapped
from grpocheck.verifier.disputes.labels import grouped, is_beside, labels_in, placed_beside
from grpocheck.verifier.disputes.opening import flattened
from grpocheck.verifier.disputes.roles import is_negated, named_by, numbers_in, role_of
from grpocheck.verifier.disputes.written import number_in


@dataclass(frozen=True)
class Given:
    """An input: names for formulas, the key of each, words, keys not understood, and the values by their own keys."""

    names: Mapping[str, Any]
    keys: Mapping[str, str]
    texts: Mapping[str, str]
    unknown: tuple[str, ...]
    own: Mapping[str, Any]


def read_input(
    stated: Mapping[str, Any], arithmetic: Arithmetic, assigned: Mapping[str, str] = MappingProxyType({})
) -> Given:
    """The names of an input, some perhaps assigned; raises InvalidProblem for a value that is no number or text."""
    found: dict[str, Any] = {}
    texts: dict[str, str] = {}
    for key, value in flattened(stated):
        read = str(value) if isinstance(value, bool) else read_value(key, value, arithmetic)
        if isinstance(read, str):
            texts[key] = read
        else:
            found[key] = read
    names: dict[str, Any] = {}
    keys: dict[str, str] = {}
    left = []
    spread_over_tokens(found)
    labels = labels_in(stated)
    numbered = found.pop(labels[0], None) if labels else None
    beside = {key: found.pop(key) for key in list(found) if is_beside(key, found)}
    sizes = {len(value) for value in found.values() if isinstance(value, list)}
    for key, value in found.items():
        name = assigned.get(key) or meaning(key, found, texts)
        if key not in assigned and is_count(key, value, sizes, found):
            continue
        if name is None or name in names or not admits(name, value):
            left.append(key)
            continue
        names[name], keys[name] = checked(name, key, value), key
    unknown = placed(left, found, names, keys)
    unknown += placed_beside(beside, names, keys)
    if labels and grouped(names, labels[1]):
        texts.pop(labels[0], None)
    elif labels and numbered is not None:
        names[labels[0]], keys[labels[0]] = numbered, labels[0]
        found[labels[0]] = numbered
        unknown.append(labels[0])
    described(texts, names, keys)
    for key in [key for key, text in texts.items() if MEANINGS.get(key.lower()) == "dtype" or text in FORMATS]:
        names["dtype"], keys["dtype"] = texts[key], key
    return Given(prepared(names, keys), keys, texts, tuple(unknown), found)


def spread_over_tokens(found: dict[str, Any]) -> None:
    """A loss of every token of a response, stated once beside the response's length: a list of its tokens' losses."""
    named = {key: MEANINGS.get(key.lower()) or named_by(key, ("L", "lengths")) for key in found}
    lengths = next((key for key, name in named.items() if name == "lengths"), "")
    losses = next((key for key, name in named.items() if name == "L" and "token" in key.lower()), "")
    if not lengths or not losses or not isinstance(found[losses], list):
        return
    counts, per_token = flat(found[lengths]), flat(found[losses])
    alike = mapped(lambda _: 0, found[lengths]) == mapped(lambda _: 0, found[losses])
    if not alike or not all(isinstance(n, Fraction) and n == int(n) and 1 <= n <= MOST_COUNTED for n in counts):
        return
    if nesting(found[losses]) == 1:
        found[losses] = [[loss] * int(count) for loss, count in zip(per_token, counts, strict=True)]
    elif nesting(found[losses]) == 2:
        rows = zip(found[losses], found.pop(lengths), strict=True)
        found[losses] = [[[loss] * int(n) for loss, n in zip(*row, strict=True)] for row in rows]


def is_count(key: str, value: Any, sizes: set[int], found: Mapping[str, Any]) -> bool:
    """Whether a key only repeats how many there are of something; n is the size of a group where nothing else is."""
    if key.lower() == "n" and is_support(found) and not any(MEANINGS.get(other.lower()) == "G" for other in found):
        return False
    if key.lower() in WORLD:
        return isinstance(value, Fraction)
    return key.lower() in COUNTS and isinstance(value, Fraction) and value in sizes


def placed(left: list[str], found: Mapping[str, Any], names: dict[str, Any], keys: dict[str, str]) -> list[str]:
    """Names for keys that are no aliases: by their parts, else by their values; the keys that have none are returned.

    Several lists of one length, as many as there are weights, are the rewards of so many functions.
    """
    lists = [key for key in left if isinstance(found[key], list) and role_of(key, found[key], names) in (None, "R")]
    weights = names.get("weights", names.get("w"))
    several = isinstance(weights, list) and len(lists) == len(weights) > 1 and "R" not in names
    if several and len({len(found[key]) for key in lists}) == 1:
        names["weights"], names["R"] = weights, [found[key] for key in lists]
        keys["weights"] = keys.pop("weights", keys.pop("w", "weights"))
        keys["R"] = lists[0]
        names.pop("w", None)
        left = [key for key in left if key not in lists]
    unknown = []
    for key in left:
        value = found[key]
        name = role_of(key, value, names)
        if name in ("least", "most") and not has_bounds(found):
            name = {"least": "low", "most": "high"}[name]
        if name == "eps" and "R" in names and not {"w", "A", "new_logp", "x", "pi"} & names.keys():
            name = "eps_std"
        meant = meaning(key, found, {})
        if name is None and meant is not None and meant not in names and admits(meant, value):
            name = meant  # a name that its value cannot have: checked says so
        if name is None:
            unknown.append(key)
            name = key
        if is_negated(key):
            value = mapped(lambda number: None if number is None else -number, value)
        names[name], keys[name] = checked(name, key, value), key
    return unknown


def has_bounds(found: Mapping[str, Any]) -> bool:
    """Whether an upper bound is stated for a ratio itself, and not a distance from 1."""
    return any(
        isinstance(value, Fraction) and value > 1 and role_of(key, value, {}) == "most" for key, value in found.items()
    )


def admits(name: str, value: Any) -> bool:
    """Whether a value is of the shape that a name has."""
    if name in ONE_NUMBER or name == "dtype":
        return name != "dtype" and not isinstance(value, list)
    if name in ("pi", "old", "ref", "sampler") and any(not 0 <= number <= 1 for number in numbers_in(value)):
        return False
    return name not in NEEDS_LIST or isinstance(value, list)


SMALL_COUNTS = ("G", "micro_size", "top_k")
MOST_COUNTED = 1_000


def checked(name: str, key: str, value: Any) -> Any:
    """The value of a name; raises InvalidProblem where the name cannot have it: a list for a number, a null, a nan."""
    numbers = flat(value)
    if isinstance(value, list) and (not numbers or [] in value):
        raise InvalidProblem(f"input.{key}", shortened(str(value)), "an entry in every list")
    if name in ONE_NUMBER and (not isinstance(value, Fraction) or (name != "ddof" and name != "beta" and value < 0)):
        raise InvalidProblem(f"input.{key}", shortened(str(value)), "a finite number, not below 0")
    if name in SMALL_COUNTS and not (value == int(value) and 1 <= value <= MOST_COUNTED):
        raise InvalidProblem(f"input.{key}", str(value), f"a count from 1 to {MOST_COUNTED}")
    if name in NEEDS_LIST and nesting(value) != 1 and not (name == "lengths" and nesting(value) == 2):
        raise InvalidProblem(f"input.{key}", shortened(str(value)), "a list of numbers")
    if name == "R" and isinstance(value, list) and len({isinstance(entry, list) for entry in value}) > 1:
        raise InvalidProblem(f"input.{key}", shortened(str(value)), "rewards, or a list of them for each group")
    if name == "R" and (None in numbers and len(numbers) == numbers.count(None)):
        raise InvalidProblem(f"input.{key}", shortened(str(value)), "a reward that is there")
    if name in ALIASES and any(isinstance(n, float) or (n is None and name != "R") for n in numbers):
        raise InvalidProblem(f"input.{key}", shortened(str(value)), "finite numbers (null for a missing reward)")
    return value


RATIO = re.compile(r"ratio|diff|delta|logr|rho")
"""A key of log ratios of a policy to the one that sampled, where there is a bound for the ratio."""
INDEPENDENT = re.compile(r"(?:iid|i\.i\.d\.)?\s*P\(1\)\s*=\s*(\S+)")
BERNOULLI = re.compile(r"Bernoulli\s*\(?\s*([0-9./]+)\s*\)?")
ON_ONE_WORD = re.compile(r"1 (?:on|for|at|if) \(?([01](?:,\s*[01])*)\)?,? (?:else|otherwise) 0")
MOST_TOKENS = 6


def described(texts: Mapping[str, str], names: dict[str, Any], keys: dict[str, str]) -> None:
    """Names for what texts describe: independent tokens of two kinds, Bernoulli questions, a reward on one word."""
    lengths = [names[key] for key in ("T", "H", "horizon", "lengths") if isinstance(names.get(key), Fraction)]
    words = list(product((0, 1), repeat=int(lengths[0]))) if lengths and 1 <= lengths[0] <= MOST_TOKENS else []
    chances = {}
    for key, text in texts.items():
        name = MEANINGS.get(key.lower())
        if words and name in ("pi", "old", "ref") and (match := INDEPENDENT.fullmatch(text.strip())):
            chances[name] = rational(key, match[1])
            chance = (1 - chances[name], chances[name])
            names[name], keys[name] = [prod(chance[token] for token in word) for word in words], key
        elif found := BERNOULLI.findall(text):
            names["success"], keys["success"] = [rational(key, chance) for chance in found], key
        elif words and (match := ON_ONE_WORD.fullmatch(text.strip())):
            best = tuple(int(token) for token in match[1].split(","))
            names["r"], keys["r"] = [Fraction(int(word == best)) for word in words], key
    if {"pi", "old"} <= chances.keys():
        pair = [(1 - chances["pi"]) / (1 - chances["old"]), chances["pi"] / chances["old"]]
        names["tokens"] = [[pair[token] for token in word] for word in words]
        for taken in ("T", "H"):
            names.pop(taken, None)
            keys.pop(taken, None)


def read_value(key: str, value: Any, arithmetic: Arithmetic) -> Any:
    """A number, a nested list of numbers, None, or a text that is no number."""
    if isinstance(value, list):
        entries = [read_value(key, entry, arithmetic) for entry in value]
        return ", ".join(map(str, value)) if any(isinstance(entry, str) for entry in entries) else entries
    if value is None:
        return None
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        return value
    if isinstance(value, bool | int | float):
        return rational(key, int(value) if isinstance(value, bool | int) else str(value))
    if not isinstance(value, str):
        raise InvalidProblem(key, value, "a number, a text, a list or a table")
    if value.strip().lower().lstrip("+-") in ("inf", "infinity", "nan"):
        return float(value)
    try:
        number = number_in(value, arithmetic)
    except InvalidProblem:
        return value
    return value if isinstance(number, list) else number


def meaning(key: str, found: Mapping[str, Any], texts: Mapping[str, str]) -> str | None:
    """The name that a key stands for beside the others."""
    name = MEANINGS.get(key.lower())
    others = {MEANINGS.get(other.lower()) for other in found if other != key}
    support = is_support(found)
    if key.lower() in ("low", "high") and isinstance(found.get("high"), Fraction) and found["high"] >= 1:
        return {"low": "least", "high": "most"}[key.lower()]
    if key.lower() == "n" and isinstance(found[key], Fraction):
        return "G"
    if name in ("w", "weights") and isinstance(found[key], list) and "A" not in others:
        rows = next((value for other, value in found.items() if other in ("R", "rewards", "r")), None)
        if isinstance(rows, list) and nesting(rows) == 2 and len(found[key]) in (len(rows), len(rows[0])):
            return "weights"
    if name == "weights" and isinstance(found[key], list) and not others & {"R", "L"}:
        return "w"
    if name == "delta" and ("R" in others or "R" in found) and not others & {"w", "A"}:
        return "eps_std"
    if key in ("r", "rewards", "reward", "R"):
        coins = "success" in others or any(BERNOULLI.search(text) for text in texts.values())
        if len(flat(found[key])) == (support or 2 * coins):
            return "r"
        return "w" if key == "r" and "A" in others else "R"
    if key == "C" or (name == "c" and "A" not in others):
        return "cap"
    if name == "eps" and ("R" in others or "rewards" in found) and not others & {"w", "A", "new_logp", "x", "pi"}:
        return "eps_std"
    return name


def is_support(found: Mapping[str, Any]) -> int:
    """The size of the support where a policy is listed over it."""
    for key, value in found.items():
        if MEANINGS.get(key.lower()) in ("pi", "old", "z") and isinstance(value, list):
            return len(value)
    return 0


def is_by_response(rows: list[Any], size: Any, key: str) -> bool:
    """Whether a table has a row for each response of one group, with its rewards by several functions."""
    equal = len({len(row) for row in rows}) == 1
    return equal and size == len(rows) != len(rows[0]) > 1 and "group" not in key.lower()


def prepared(names: dict[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """The names with what follows from others: single masses completed, log ratios, groups, ratios, clip widths."""
    for name in ("pi", "old", "ref", "sampler"):
        if isinstance(names.get(name), Fraction) and 0 < names[name] < 1:
            names[name] = [names[name], 1 - names[name]]
            if name == "pi" and "G" in names and not {"r", "R"} & names.keys():
                names["r"] = [Fraction(1), Fraction(0)]
    if nesting(names.get("parts")) > 1 and "L" not in names:
        names["L"] = names["parts"]
    if "T" in names and "R" in names and not {"pi", "z"} & names.keys() and nesting(names["R"]) == 1:
        names["z"] = names["R"]
    if {"pi", "old", "A"} <= names.keys() and "draws" not in names and "w" not in names:
        names["w"] = Definition("pi / old")
    drawn = all(nesting(names.get(name)) and sum(flat(names[name])) != 1 for name in ("pi", "old"))
    if drawn and "w" not in names:  # masses of tokens that were drawn, and no policy over a support
        names["w"] = Definition("pi / old")
    if {"pi", "ref"} <= names.keys() and "x" not in names and nesting(names["pi"]) and sum(flat(names["pi"])) != 1:
        names["x"] = Definition("log(pi / ref)")
    if "old" in names and "pi" not in names and "new_logp" not in names and isinstance(names["old"], list):
        names["pi"] = Definition("old")
    rewards, weights = names.get("R"), names.get("weights")
    rows = rewards if isinstance(rewards, list) and nesting(rewards) == 2 else []
    if weights is None and is_by_response(rows, names.get("G"), keys.get("R", "")):
        names["weights"] = weights = [Fraction(1)] * len(rows[0])
    if isinstance(weights, list) and rows and len(weights) == len(rows[0]) != len(rows):
        names["R"] = [list(column) for column in zip(*rows, strict=True)]
    derived = {
        "low": ("eps",),
        "high": ("eps",),
        "w": ("new_logp", "old_logp"),
        "x": ("new_logp", "ref_logp"),
    }
    formulas = {"low": "eps", "high": "eps", "w": "exp(new_logp - old_logp)", "x": "new_logp - ref_logp"}
    if "sampler_logp" in names and "old_logp" not in names and "w" not in names:
        derived["w"], formulas["w"] = ("new_logp", "sampler_logp"), "exp(new_logp - sampler_logp)"
    bounded = bool({"cap", "least"} & names.keys()) and not {"R", "ref_logp", "beta"} & names.keys()
    if "x" in names and ("A" in names or (bounded and nesting(names["x"]) and RATIO.search(keys.get("x", "").lower()))):
        derived["w"], formulas["w"] = ("x",), "exp(x)"
    for name, needed in derived.items():
        if name not in names and all(other in names for other in needed):
            names[name] = Definition(formulas[name])
    return names


def nesting(value: Any) -> int:
    """How deep a list is nested; 0 for a number."""
    if not isinstance(value, list):
        return 0
    return 1 + max((nesting(entry) for entry in value), default=0)
