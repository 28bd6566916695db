"""What numbers of a case are to one another: stated alike by both sides, the ratio of two, a coefficient times one.

What both sides state alike is not in dispute; the convention that gives it is the one that they share. A ratio of the
two entries of a list needs no formula of its own: it is known as soon as the list is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from grpocheck.verifier.disputes.catalogue import Entry
from grpocheck.verifier.disputes.formulas import flat
from grpocheck.verifier.disputes.lines import Line, Verdict
from grpocheck.verifier.disputes.structural import MOST_FOUND
from grpocheck.verifier.disputes.values import MOST_NAMED, Values
from grpocheck.verifier.disputes.vocabulary import QUANTITIES, is_of
from grpocheck.verifier.disputes.words import words_of

UNKNOWN_METHOD = "no number of either side is of a convention that is known: the method may be another"
Stated = tuple[str, str, Any]
RATIOS = ("ratio", "quotient")
"""How a name begins that is the first entry of a list of two over the second."""
FACTORS = ("factor", "multiplier", "scale", "ratio", "scaled", "inflated", "times", "larger", "too")
"""How a name begins that is what the numbers of one side are times those of the other."""
INVERSE = ("shrunk", "reduced", "smaller", "diluted", "underestimated", "too")
"""How a name begins that is what the numbers of the other side are times those of its own; ``too`` is either."""
TOTALS = {"sum": "sum", "total": "sum", "mean": "mean", "average": "mean", "max": "max", "maximum": "max", "min": "min"}
"""How a name begins, or ends, that is of the list before it; the rest of it is that one's name, or nothing."""
PRODUCTS = {"penalty": ("beta", "kl"), "bonus": ("entropy_coef", "entropy")}
"""How a name begins that is a coefficient of the input times another number, and the quantity of that number."""


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


def related(lines: Sequence[Line], entries: Sequence[Entry], values: Values) -> list[Line]:
    """The lines; an open number is known by others that agree: their ratio, their factor, a coefficient times one."""
    found: list[Line] = []
    for line in lines:
        open_number = not line.agrees and not isinstance(line.stated, list)
        ways = list(formulas_of(line, found, lines, entries, values)) if open_number else []
        known = [compared(line, formula, note, size, values) for formula, note, size in ways]
        chosen = next((one for one in known if one.agrees), None)
        if chosen is None and ways:
            why = f"not {ways[0][1]}"
            chosen = replace(line, note=f"{line.note}; {why}" if line.note else why)
        found.append(chosen or line)
    return found


def formulas_of(
    line: Line, before: Sequence[Line], lines: Sequence[Line], entries: Sequence[Entry], values: Values
) -> Iterator[tuple[str, str, int | None]]:
    """What a number can be of others by how its name begins: the formula, in words, and a group size for it."""
    named = line.name.split(".")[-1].lower().split("_")[0]
    beside = [one for one in before if one.side == line.side and one.agrees and one.how]
    pairs = [one for one in beside if len(flat(one.stated)) == 2]
    if named in RATIOS and pairs:
        formula = f"flat({pairs[-1].how})[0] / flat({pairs[-1].how})[1]"
        yield formula, f"the ratio of the entries of {pairs[-1].name}", words_of(pairs[-1].name).group_size
    yield from totals(line, beside)
    if named in (*FACTORS, *INVERSE):
        yield from of_one_number(line, named, lines)
    if named in FACTORS:
        several = [one for one in lines if one.agrees and one.how and len(flat(one.stated)) > 1]
        for own, other in product(several, several):
            size = words_of(own.name).group_size
            if own.side == line.side != other.side and size == words_of(other.name).group_size:
                yield from quotients(own, other, size, values)
    coefficient, quantity = PRODUCTS.get(named, ("", ""))
    for one in beside if coefficient in values.names else []:
        size = words_of(one.name).group_size
        of_quantity = [entry for entry in entries if quantity in entry.words]
        if not isinstance(one.stated, list) and values.with_value(of_quantity, one.stated, size, 1):
            yield f"{coefficient} * flat({one.how})[0]", f"{coefficient} times {one.name}", size


def totals(line: Line, beside: Sequence[Line]) -> Iterator[tuple[str, str, int | None]]:
    """The sum, the mean or an extreme of the list before, where the rest of the name is the list's, or nothing."""
    pieces = line.name.lower().split("_")
    for word, rest in ((pieces[0], pieces[1:]), (pieces[-1], pieces[:-1])):
        names = "_".join(piece for piece in rest if piece not in ("of", "the"))
        for one in reversed(beside if word in TOTALS else []):
            if isinstance(one.stated, list) and names in ("", one.name.lower(), one.name.lower().removesuffix("s")):
                formula, size = f"{TOTALS[word]}(flat({one.how}))", words_of(one.name).group_size
                yield formula, f"the {TOTALS[word]} of {one.name}", size
                break


def of_one_number(line: Line, named: str, lines: Sequence[Line]) -> Iterator[tuple[str, str, int | None]]:
    """What the number of one side is times that of the other, of one name, or the only one of each side."""
    known = [one for one in lines if one.agrees and one.how and not isinstance(one.stated, list)]
    own = [one for one in known if one.side == line.side]
    other = [one for one in known if one.side != line.side]
    pairs = [(a, b) for a in own for b in other if a.name == b.name or len(own) == len(other) == 1]
    for a, b in pairs:
        ways = [(a, b)] * (named in FACTORS) + [(b, a)] * (named in INVERSE)
        for above, below in ways:
            formula = f"flat({above.how})[0] / flat({below.how})[0]"
            yield formula, f"what {above.name} of the {above.side} side is times the other", words_of(a.name).group_size


def quotients(own: Line, other: Line, size: int | None, values: Values) -> Iterator[tuple[str, str, int | None]]:
    """What the numbers of one line are times those of another, where that is the same for all that are not 0."""
    above, below = f"flat({own.how})", f"flat({other.how})"
    place = next((at for at, number in enumerate(written(other.stated)) if number not in ("0", "0.0")), None)
    if place is None or len(flat(own.stated)) != len(flat(other.stated)):
        return
    quotient = f"{above}[{place}] / {below}[{place}]"
    rest = values.value(f"{above} - {quotient} * {below}", size)
    try:
        if rest is not None and values.same([0] * len(flat(rest)), rest):
            yield quotient, f"what {own.name} is times {other.name}", size
    except ArithmeticError:
        return  # open whether it is the same for all


def compared(line: Line, formula: str, note: str, size: int | None, values: Values) -> Line:
    """A line whose number a formula of others gives; as it is where that is another number, or open."""
    value = values.value(formula, size)
    try:
        same = value is not None and values.same(line.stated, value)
    except ArithmeticError:
        return line
    if not same:
        return line
    return replace(line, found=values.shown(value), verdict=Verdict.AGREES, how=formula, note=note)


def none_differs_alone(lines: Sequence[Line]) -> list[Line]:
    """The lines; where no number of either side is one that is known, the method may be another, and none differs."""
    if any(line.agrees for line in lines) or not any(line.side == "wrong" for line in lines):
        return list(lines)
    return [
        replace(line, verdict=Verdict.UNDECIDED, note=UNKNOWN_METHOD) if line.verdict is Verdict.DIFFERS else line
        for line in lines
    ]
