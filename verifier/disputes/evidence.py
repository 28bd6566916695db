"""What a case says beside its numbers about which convention is meant: settings, methods by name, declared words.

A topic often names the fault, so that of topic and question only the names of methods are taken: who disputes GSPO's
ratio means the geometric mean, whatever the code in question has.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grpocheck.verifier.disputes.stating import DECLARING
from grpocheck.verifier.disputes.words import words_in, words_of

METHODS: tuple[tuple[tuple[str, str], ...], ...] = (
    ((r"\bgspo\b", "geometric"), (r"\bgmpo\b", "geometric log"), (r"\bcispo\b", "detached truncated scored")),
    ((r"\brloo\b|leave[- ]one[- ]out", "leave-one-out"), (r"\bmaxrl\b", "divided-by-mean"),
     (r"reinforce\+\+", "batch recentred")),
    ((r"\bdapo\b|\bbnpo\b|token[- ]mean", "token-mean"), (r"\bdr\.? ?grpo\b", "dr-grpo"),
     (r"seq-mean-token-sum", "token-sum")),
    ((r"\bk1\b", "k1"), (r"\bk2\b", "k2"), (r"\bk3\b|low_var_kl", "k3")),
    ((r"\bicepop\b", "masked over-all"), (r"\bmis\b|masked importance|\breject(ed|ion|s)?\b", "masked"),
     (r"\btis\b|truncated importance", "truncated")),
    ((r"(unbiased|corrected|weighted|reweighted)[- ]kl\b|\bkl\b.{0,5}(bias[- ])?correct", "weighted"),),
    ((r"\bdual[- ]clip", "dual"),),
    ((r"\bdecoupled (ppo|loss|objective|clip|surrogate)", "weighted"),),
    ((r"\bgdpo\b", "normalise-first"),),
    ((r"\bpass@?_?k\b|\bpassk\b|_passk\b", "best-only"),),
)  # fmt: skip
"""Methods by what they decide, each with the words for it; where a text names two that exclude each other, neither."""

BY_DEVIATION = re.compile(r"(norm|scale|divide|whiten).*(std|reward|adv)|std.*(norm|scale)", re.IGNORECASE)
"""A setting that is whether advantages are divided by a deviation."""


def methods_in(text: str) -> frozenset[str]:
    """The words of the methods that a text names."""
    found: set[str] = set()
    for exclusive in METHODS:
        named = [words for pattern, words in exclusive if re.search(pattern, text, re.IGNORECASE)]
        if len(named) == 1:
            found.update(named[0].split())
    return frozenset(found)


def settings(stated: Mapping[str, Any]) -> Iterator[str]:
    """What an input states in words: its texts, alone and with their keys, and the keys that are set to true."""
    for key, value in stated.items():
        if value is True:
            yield key
        elif value is False and BY_DEVIATION.search(key):
            yield "without std"
        elif isinstance(value, str):
            yield from (value, f"{value} {key}", f"{key} {value}")
        elif isinstance(value, Mapping):
            yield from settings(value)


def evidence_of(case: Mapping[str, Any], texts: Mapping[str, str]) -> frozenset[str]:
    """The words that the settings of a case, the methods that it names and what it declares come to."""
    own = [str(case.get("right", {}).get(key, "")) for key in DECLARING]
    found = words_in([*texts.values(), *case.get("declared", []), *own])
    for text in settings({key: value for key, value in case["input"].items() if value is True or key in texts}):
        found |= words_of(text).words if len(text.split("_")) > 1 or " " in text else frozenset()
        found |= methods_in(text)
    for text in (str(case.get("topic", "")), str(case.get("question", ""))):
        found |= methods_in(text)
    return found
