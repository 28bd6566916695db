"""What numbers of a case are to one another: stated alike by both sides, or the ratio of two others.

What both sides state alike is not in dispute; the convention that gives it is the one that they share. A ratio of the
two entries of a list needs no formula of its own: it is known as soon as the list is.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from grpocheck.verifier.disputes.catalogue import Entry
from grpocheck.verifier.disputes.formulas import flat
from grpocheck.verifier.disputes.lines import Line, Verdict
from grpocheck.verifier.disputes.values import MOST_NAMED, Values
from grpocheck.verifier.disputes.vocabulary import QUANTITIES, is_of
from grpocheck.verifier.disputes.words import words_of

MOST_FOUND = 40
"""So many entries with the value of a number are looked at."""
UNKNOWN_METHOD = "no number of either side is of a convention that is known: the method may be another"
Stated = tuple[str, str, Any]
RATIOS = ("ratio", "quotient")
"""How a name begins that is the first entry of a list of two over the second."""


def undisputed(numbers: Sequence[Stated]) -> list[tuple[str, Any]]:
    """The names with the same numbers, not all of them alike, on both sides, where the sides differ in another."""
    sides = [{name: value for side, name, value in numbers if side == one} for one in ("right", "wrong")]
    common = [name for name in sides[0] if name in sides[1]]
    same = [name for name in common if written(sides[0][name]) == written(sides[1][name])]
    if len(same) == len(common) and len(common) == len(sides[0]) == len(sides[1]):
        return []
    return [(name, sides[0][name]) for name in same if len(set(written(sides[0][name]))) > 1]


def written(value: Any) -> list[str]:
    """The numbers of a value as texts."""
    return [str(number) for number in flat(value)]


def given_by(name: str, value: Any, entries: Sequence[Entry], values: Values) -> list[Entry]:
    """The entries of the quantity that a name says, none where it says none, that give a value."""
    said = words_of(name)
    named = [entry for entry in entries if said.words & QUANTITIES and is_of(entry, said.words)]
    return values.with_value(named, value, said.group_size, MOST_FOUND) if not said.unknown else []


def premises(numbers: Sequence[Stated], entries: Sequence[Entry], values: Values) -> frozenset[str]:
    """The words of every convention that gives what both sides state alike: which one it is, they agree upon."""
    found: frozenset[str] = frozenset()
    for name, value in undisputed(numbers):
        same = given_by(name, value, entries, values)
        if same:
            found |= frozenset.intersection(*(entry.words for entry in same)) - QUANTITIES
    return found


def granted(lines: Sequence[Line], entries: Sequence[Entry], values: Values) -> list[Line]:
    """The lines; a number that both sides state alike agrees where some convention of what it is named gives it."""
    shared = dict(undisputed([(line.side, line.name, line.stated) for line in lines]))
    found = []
    for line in lines:
        same = given_by(line.name, line.stated, entries, values) if line.name in shared and not line.agrees else []
        if same:
            shown = values.shown(values.value(same[0].formula, words_of(line.name).group_size))
            named = "; ".join(" ".join(sorted(entry.words)) for entry in same[:MOST_NAMED])
            note = f"stated alike by both sides; by its value: {named}"
            line = Line(line.side, line.name, line.stated, shown, Verdict.AGREES, same[0].formula, note)
        found.append(line)
    return found


def related(lines: Sequence[Line], values: Values) -> list[Line]:
    """The lines; an open number that is named a ratio is that of the two entries of the list before it on its side."""
    found: list[Line] = []
    for line in lines:
        pairs = [one for one in found if one.side == line.side and one.agrees and len(flat(one.stated)) == 2]
        named = line.name.split(".")[-1].lower().split("_")[0]
        if named in RATIOS and not line.agrees and not isinstance(line.stated, list) and pairs and pairs[-1].how:
            formula = f"flat({pairs[-1].how})[0] / flat({pairs[-1].how})[1]"
            value = values.value(formula, words_of(pairs[-1].name).group_size)
            line = compared(line, value, formula, pairs[-1].name, values)
        found.append(line)
    return found


def compared(line: Line, value: Any, formula: str, of: str, values: Values) -> Line:
    """A line as the ratio of the entries of another, where it is that."""
    try:
        same = value is not None and values.same(line.stated, value)
    except ArithmeticError:
        return line
    if not same:
        return replace(line, note=f"{line.note}; not the ratio of the entries of {of}".removeprefix("; "))
    return replace(
        line, found=values.shown(value), verdict=Verdict.AGREES, how=formula, note=f"the ratio of the entries of {of}"
    )


def none_differs_alone(lines: Sequence[Line]) -> list[Line]:
    """The lines; where no number of either side is one that is known, the method may be another, and none differs."""
    if any(line.agrees for line in lines) or not any(line.side == "wrong" for line in lines):
        return list(lines)
    return [
        replace(line, verdict=Verdict.UNDECIDED, note=UNKNOWN_METHOD) if line.verdict is Verdict.DIFFERS else line
        for line in lines
    ]
