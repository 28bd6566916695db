"""What is said of a conformance: for people, for programs, and in a failing test."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from grpocheck.core.variants.words import composition
from grpocheck.verifier.conform.checking import Constants
from grpocheck.verifier.conform.conforming import Conformance, Matched, Witness, constants_text
from grpocheck.verifier.conform.inputs import Case
from grpocheck.verifier.recompute.comparing import Departure

Json = dict[str, Any]
MOST_ROWS = 8


def lines_of(found: Conformance) -> Iterator[str]:
    """The verdict, the variants, and the smallest input where there is a departure."""
    demanded = "" if found.demanded is None else f" {found.demanded}"
    if found.verdict == "conforms" and found.demanded is not None:
        yield f"{found.target} conforms to {matched_text(found.matches[0])} on {found.inputs} inputs"
    elif found.verdict == "conforms":
        yield f"{found.target} is, on {found.inputs} inputs:"
        for matched in found.matches:
            yield f"  {matched_text(matched)}"
    elif found.verdict == "departs":
        yield f"{found.target} departs{' from' + demanded if demanded else ' from every variant'}"
    else:
        yield f"{found.target}: undecided{' whether it is' + demanded if demanded else ''}"
    if found.verdict != "conforms" and found.nearest is not None:
        word = "against" if found.demanded is not None else "nearest:"
        yield f"{word} {matched_text(found.nearest)}"
        wanted = found.nearest.wanted
        if found.demanded is not None and not wanted.numbers.beta and composition(wanted.variant)["kl"] != "none":
            yield "  without a divergence: no --beta was given"
    for matched in found.instead:
        yield f"it is     {matched_text(matched)}"
    if found.witness is not None:
        yield "the smallest input found:"
        yield from (f"  {line}" for line in witness_lines(found.witness))
    for limit in found.limits:
        yield f"beyond the ordinary range: {limit.case.about}"
        yield f"  {departure_text(limit)}"
    for note in found.notes:
        yield f"note: {note}"


def matched_text(matched: Matched) -> str:
    """A variant with what it is made of and the constants before it."""
    variant, numbers, constants = matched.wanted.variant, matched.wanted.numbers, matched.constants
    parts = composition(variant)
    words = [parts["term"], parts["ratio"], parts["normalisation"]]
    if numbers.beta:
        words.append(f"{parts['kl']}, beta {numbers.beta}")
    if "maximum-length" in parts["normalisation"]:
        words.append(f"H {numbers.maximum_length or 'the width of the batch'}")
    if parts["term"] == "two-sided":
        words.append(f"epsilon {numbers.epsilon}")
    known = "" if constants == Constants() else f"{constants_text(constants)} "
    return f"{known}{variant.name} ({'; '.join(words)})"


def witness_lines(witness: Witness) -> Iterator[str]:
    """The input, what the target made of it, and what it should have been."""
    case = witness.case
    yield from case_lines(case)
    if witness.raised is not None:
        yield f"raises {witness.raised}"
    for each in witness.departures:
        yield f"{place_text(each)}: found {each.found:.9g}, expected {each.expected + 0.0:.9g} within {each.bound:.2g}"
    if witness.core is not None:
        loss, gradient = witness.core
        yield f"the definition, in certified enclosures: loss {loss:.12g}, gradient {short(gradient)}"


def case_lines(case: Case) -> Iterator[str]:
    """The tensors of a small case."""
    rows, width = case.shape
    yield f"{rows} response{'s' * (rows > 1)} of {width} token{'s' * (width > 1)}"
    if rows > MOST_ROWS:
        yield f"(the first {MOST_ROWS} are shown)"
    for name, array in (("new", case.new), ("old", case.old), ("ref", case.ref), ("mask", case.mask)):
        yield f"{name:<11} {short(array[:MOST_ROWS].tolist())}"
    given, name = (case.advantages, "advantages")
    if not np.array_equal(case.rewards, given, equal_nan=True):  # of a loss that makes its own advantages
        given, name = case.rewards, "rewards"
    yield f"{name:<11} {short(given[:MOST_ROWS].tolist())}"


def short(values: Any) -> str:
    """Nested numbers without trailing digits."""
    if isinstance(values, list):
        return "[" + ", ".join(short(value) for value in values) + "]"
    return f"{values + 0.0:.9g}"


def place_text(each: Departure) -> str:
    """The quantity and where it stands."""
    return each.quantity + ("" if not each.where else f"[{', '.join(map(str, each.where))}]")


def departure_text(witness: Witness) -> str:
    """What a target makes of an input beyond the ordinary range, in one line."""
    if witness.raised is not None:
        return f"raises {witness.raised}"
    each = witness.departures[0]
    return f"{place_text(each)}: found {each.found:.9g}, the variant {each.expected:.9g}"


def mapping_of(found: Conformance) -> Json:
    """The report for programs; numbers that are not finite are texts."""
    return {
        "target": found.target,
        "verdict": found.verdict,
        "demanded": found.demanded,
        "inputs": found.inputs,
        "matches": [matched_mapping(matched) for matched in found.matches],
        "nearest": None if found.nearest is None else matched_mapping(found.nearest),
        "witness": None if found.witness is None else witness_mapping(found.witness),
        "limits": [{"input": limit.case.name, **witness_mapping(limit)} for limit in found.limits],
        "notes": list(found.notes),
        "instead": [matched_mapping(matched) for matched in found.instead],
    }


def matched_mapping(matched: Matched) -> Json:
    """A variant, its parts and numbers, and the constants."""
    numbers = matched.wanted.numbers
    return {
        "variant": matched.wanted.variant.name,
        "parts": composition(matched.wanted.variant),
        "epsilon": str(numbers.epsilon),
        "beta": str(numbers.beta),
        "maximum_length": numbers.maximum_length,
        "scale": str(matched.constants.scale),
        "offset": str(matched.constants.offset),
    }


def witness_mapping(witness: Witness) -> Json:
    """An input with what was found and expected."""
    case = witness.case
    return {
        "about": case.about,
        "new_logps": plain(case.new.tolist()),
        "old_logps": plain(case.old.tolist()),
        "ref_logps": plain(case.ref.tolist()),
        "mask": case.mask.tolist(),
        "advantages": plain(case.advantages.tolist()),
        "rewards": plain(case.rewards.tolist()),
        "raised": witness.raised,
        "departures": [
            {
                "quantity": each.quantity,
                "where": list(each.where),
                "kind": each.kind,
                "found": plain(each.found),
                "expected": plain(each.expected),
                "bound": plain(each.bound),
            }
            for each in witness.departures
        ],
        "definition": None
        if witness.core is None
        else {"loss": plain(witness.core[0]), "gradient": plain(witness.core[1])},
    }


def plain(values: Any) -> Any:
    """Numbers as JSON has them."""
    if isinstance(values, list | tuple):
        return [plain(value) for value in values]
    return values if math.isfinite(values) else str(values)
