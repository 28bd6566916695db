"""What a case states: the numbers of its sides, told from what it says in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.disputes.formulas import flat
from grpocheck.verifier.disputes.values import supplied
from grpocheck.verifier.disputes.written import number_in

DECLARING = ("reduction", "aggregation", "method", "loss_type", "estimator", "filter_metric")
"""What a side says in words of its own setting."""
IN_WORDS = ("convention", "rule", "claim", "equals", "closed_form", "note", "because", "reason", "comment", "formula",
            *DECLARING)  # fmt: skip
"""What a case says in words beside its numbers."""


def stated_numbers(case: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    """The numbers of a case: side, name (``table.key`` for one in a table) and what is stated; words are left out.

    A table with the labels of one in the input holds a number for each of its entries, in their order.
    """
    labels = [list(value) for value in case["input"].values() if isinstance(value, Mapping)]

    def numbers(side: str, values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str, Any]]:
        for key, value in values.items():
            flags = isinstance(value, Mapping) and value and all(isinstance(flag, bool) for flag in value.values())
            if isinstance(value, Mapping) and (flags or list(value) in labels):
                yield side, prefix + key, list(value.values())
            elif isinstance(value, Mapping):
                yield from numbers(side, value, f"{prefix}{key}.")
            elif key not in IN_WORDS and not key.endswith("_equals") and not in_words(value):
                yield side, prefix + key, value

    return [found for side in ("right", "wrong") for found in numbers(side, case.get(side, {}))]


def in_words(value: Any) -> bool:
    """Whether a value is a sentence, or a truth value, and no number."""
    if isinstance(value, bool):
        return True
    if isinstance(value, list) and value:
        return all(isinstance(entry, str) and in_words(entry) for entry in flat(value))
    if not isinstance(value, str) or value.strip().lower().lstrip("+-") in ("inf", "infinity", "nan"):
        return False
    try:
        number_in(value, supplied())
    except InvalidProblem:
        return True
    return False
