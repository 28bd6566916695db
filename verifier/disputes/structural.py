"""Numbers whose names say too little: looked up among all that the input's numbers can feed.

A right number has to be the definition's of a quantity, under what the case says of settings and methods; a wrong one
any other convention's of a quantity that a right number is of. A name that says nothing is enough only where right and
wrong are told apart within one quantity, and no other quantity explains them as well.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from grpocheck.verifier.disputes.catalogue import Entry
from grpocheck.verifier.disputes.formulas import flat
from grpocheck.verifier.disputes.labels import PLACE
from grpocheck.verifier.disputes.lines import Line, Verdict
from grpocheck.verifier.disputes.values import MOST_NAMED, Values
from grpocheck.verifier.disputes.vocabulary import FAULTS, OMITTED, QUANTITIES, SPECIFIC, VAGUE, is_of
from grpocheck.verifier.disputes.words import words_of

Family = tuple[str, frozenset[str]]
MOST_FOUND = 40
"""So many entries with the value of a number are looked at."""


def family_of(entry: Entry) -> Family:
    """What an entry is a convention of: its kind of input, and the quantity."""
    return entry.kind, entry.words & QUANTITIES


def is_fault_of(entry: Entry, other: Entry) -> bool:
    """Whether an entry is another one with a fault in it, and with nothing else changed."""
    more, less = entry.words - other.words, other.words - entry.words
    if entry.kind != other.kind or other.words & (FAULTS | OMITTED) or not more:
        return False
    return more <= (FAULTS | OMITTED) and not less


@dataclass(frozen=True)
class Reading:
    """A right number as the definition of a family has it."""

    line: int
    entry: Entry
    said: int

    @property
    def family(self) -> Family:
        """The quantity that the number is read as."""
        return family_of(self.entry)


class Structure:
    """Reads the open numbers of one case by what they are the values of."""

    def __init__(self, entries: Sequence[Entry], values: Values, evidence: frozenset[str]) -> None:
        """The entries that the input feeds, their values, and the words that decide between conventions."""
        self.entries = entries
        self.values = values
        self.evidence = evidence
        self.families: dict[Family, list[Entry]] = {}
        for entry in entries:
            self.families.setdefault(family_of(entry), []).append(entry)

    def settled(self, lines: Sequence[Line], known: Sequence[Entry]) -> list[Line]:
        """The lines, those that were open settled where they can be; ``known`` are the entries of the others."""
        found = list(lines)
        readings: dict[int, list[Reading]] = {}
        for place, line in enumerate(lines):
            if line.side == "right" and line.verdict is not Verdict.AGREES:
                readings[place] = list(self.readings(place, line))
        subjects = {family_of(entry) for entry in known}
        for _ in range(2):  # what one number is of says what another is of
            for place, possible in readings.items():
                if not found[place].agrees:
                    found[place], chosen = self.right(lines[place], possible, lines, subjects)
                    subjects |= {reading.family for reading in chosen}
        for place, line in enumerate(lines):
            if line.side == "wrong" and line.verdict is not Verdict.AGREES:
                found[place] = self.wrong(line, subjects)
                if not found[place].agrees:
                    found[place] = self.multiple(line, [other for other in found if other.side == "right"])
        for place, line in enumerate(found):
            if line.side == "right" and not line.agrees:
                line = self.spoiled(line, found)
                line = line if line.agrees else self.by_what_both_use(line, found)
                found[place] = line if line.agrees else self.by_names_beside(line, found)
        return found

    def by_names_beside(self, line: Line, lines: Sequence[Line]) -> Line:
        """A right number that is the definition's of the convention that another name of its side says.

        The derivative beside a number named ``geometric`` is that of the geometric mean.
        """
        read = words_of(line.name)
        size = read.group_size
        beside = [words_of(other.name).words for other in lines if other.side == "right" and other.agrees]
        told = frozenset().union(*beside) - QUANTITIES - read.words - FAULTS
        here = self.values.with_value(self.entries, line.stated, size, MOST_FOUND)
        for entry in here if told and not read.unknown and read.words else ():
            plain = self.definition(family_of(entry), line.stated, read.words, size)
            first = self.definition(family_of(entry), line.stated, read.words, size, told=told)
            if first not in here or plain is None or not self.is_declared_no_less(first, plain):
                continue
            if read.words <= first.words and first.words & told and is_of(first, read.words):
                shown = self.values.shown(self.values.value(first.formula, size))
                note = f"by its value, as the names beside it say: {' '.join(sorted(first.words))}"
                return Line(line.side, line.name, line.stated, shown, Verdict.AGREES, first.formula, note)
        return line

    def by_what_both_use(self, line: Line, lines: Sequence[Line]) -> Line:
        """A right number that is the definition's of those conventions that use a key of the input that both sides use.

        A longest length that the wrong number of the name needs as well is stated because the convention needs it.
        """
        read = words_of(line.name)
        size = read.group_size
        same = [other for other in lines if other.side == "wrong" and other.name == line.name and other.agrees]
        here = [e for e in self.values.with_value(self.entries, line.stated, size, MOST_FOUND) if is_of(e, read.words)]
        for other, entry in [(other, entry) for other in same if not read.unknown for entry in here]:
            family = family_of(entry)
            there = self.values.with_value(self.families[family], other.stated, size, MOST_FOUND)
            for name in self.names_of(entry) if there and not self.is_same(other.stated, line.stated) else ():
                plain = self.definition(family, line.stated, read.words, size)
                first = self.definition(family, line.stated, read.words, size, name)
                shared = all(name in self.names_of(e) for e in there)
                if shared and plain is not None and name not in self.names_of(plain) and first in here:
                    shown = self.values.shown(self.values.value(first.formula, size))
                    note = f"by its value, as defined where {name} is used, as by both sides: "
                    note += " ".join(sorted(first.words))
                    return Line(line.side, line.name, line.stated, shown, Verdict.AGREES, first.formula, note)
        return line

    def names_of(self, entry: Entry) -> list[str]:
        """The names of the input in an entry's formula."""
        return [name for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", entry.formula)) if name in self.values.names]

    def spoiled(self, line: Line, lines: Sequence[Line]) -> Line:
        """A right number of a convention that was not declared, where the wrong one is a known fault of that very one.

        Both sides then share the convention, and the fault is all that they dispute; nothing that the case declares
        may speak for another one, and the right number may be no fault of the wrong one's.
        """
        read = words_of(line.name)
        size = read.group_size
        wrong = [other for other in lines if other.side == "wrong"]
        same = [other for other in wrong if other.name == line.name]
        here = [e for e in self.values.with_value(self.entries, line.stated, size, MOST_FOUND) if is_of(e, read.words)]
        for other in same if not read.unknown else []:
            there = self.values.with_value(self.entries, other.stated, size, MOST_FOUND)
            if self.is_same(other.stated, line.stated) or any(is_fault_of(e, f) for e in here for f in there):
                continue
            for entry in here:
                first = self.definition(family_of(entry), line.stated, read.words, size)
                fault = next((f for f in there if is_fault_of(f, entry)), None)
                if fault is not None and first is not None and self.is_declared_no_less(entry, first):
                    shown = self.values.shown(self.values.value(entry.formula, size))
                    lost = " ".join(sorted(fault.words - entry.words))
                    note = f"by its value: {' '.join(sorted(entry.words))}; the wrong number is that, {lost}"
                    return Line(line.side, line.name, line.stated, shown, Verdict.AGREES, entry.formula, note)
        return line

    def is_declared_no_less(self, entry: Entry, first: Entry) -> bool:
        """Whether nothing of the case speaks for the first entry of a family rather than for another: words, numbers.

        Lost degrees of freedom are a number that decides by the order of the catalogue.
        """
        if "ddof" in self.values.names and (entry.words ^ first.words) & {"population", "sample"}:
            return False
        used, wanted = (
            set(re.findall(r"[A-Za-z_]\w*", one.formula)) & self.values.names.keys() for one in (entry, first)
        )
        return wanted <= used and len(entry.words & self.evidence) >= len(first.words & self.evidence)

    def readings(self, place: int, line: Line) -> Iterator[Reading]:
        """The families of which the number is the definition's, with how much of the name each has."""
        read = words_of(line.name)
        size = read.group_size
        known = max(
            (len(read.words & e.words) for e in self.entries if self.values.has_count(line.stated, e.formula, size)),
            default=0,
        )
        same = self.values.with_value(self.entries, line.stated, size, MOST_FOUND)
        for family in dict.fromkeys(map(family_of, same)):
            first = self.definition(family, line.stated, read.words, size)
            if first is None or (PLACE.search(line.name) and not is_of(first, read.words)):
                continue
            try:
                if self.values.same(line.stated, self.values.value(first.formula, size)):
                    said = len(read.words & first.words)
                    if said == known:
                        yield Reading(place, first, said)
            except ArithmeticError:
                continue  # open whether it is the number

    def definition(
        self,
        family: Family,
        stated: Any,
        said: frozenset[str],
        size: int | None,
        using: str = "",
        told: frozenset[str] = frozenset(),
    ) -> Entry | None:
        """The entry of a family that a name, the evidence and the order of the catalogue put first.

        Where a key of the input is named (``using``), only of the entries that use it; ``told`` is further evidence.
        """
        ranked = sorted(
            [entry for entry in self.families[family] if not using or using in self.names_of(entry)],
            key=lambda entry: (
                -len(entry.words & said),
                -len(entry.words & (self.evidence | told)),
                len((entry.words - said) & SPECIFIC),
            ),
        )
        for entry in ranked:
            value = self.values.value(entry.formula, size)
            if value is not None and len(flat(value)) == len(flat(stated)):
                return entry
        return None

    def right(
        self, line: Line, possible: Sequence[Reading], lines: Sequence[Line], subjects: set[Family]
    ) -> tuple[Line, list[Reading]]:
        """A right number by the reading that its name, or the wrong numbers beside it, decide for."""
        if not possible:
            return self.open_again(line), []
        most = max(reading.said for reading in possible)
        best = [reading for reading in possible if reading.said == most]
        among = [reading for reading in best if reading.family in subjects]
        told = [reading for reading in best if self.explains(reading.family, line, lines)]
        chosen = told or among or (best if most else [])
        chosen = [reading for reading in chosen if reading.entry.kind in {kind for kind, _ in subjects}] or chosen
        kinds = {reading.entry.kind for reading in chosen}
        if not chosen or (line.how and not told) or (words_of(line.name).unknown and not told and not among):
            return self.open_again(line), []
        if len(kinds) > 1 and not most:
            return self.noted(line, "open between", [r.entry for r in chosen]), []
        entry = chosen[0].entry
        size = words_of(line.name).group_size
        shown = self.values.shown(self.values.value(entry.formula, size))
        note = f"by its value, as defined: {' '.join(sorted(entry.words))}"
        return Line(line.side, line.name, line.stated, shown, Verdict.AGREES, entry.formula, note), chosen

    def open_again(self, line: Line) -> Line:
        """A line that differs, but whose number another convention of some quantity gives, is open."""
        same = self.values.with_value(self.entries, line.stated, words_of(line.name).group_size)
        if line.verdict is Verdict.DIFFERS and same:
            return self.noted(line, "not what the words come to, but the value of", same)
        return line

    def explains(self, family: Family, line: Line, lines: Sequence[Line]) -> bool:
        """Whether a wrong number of the name, or any where none has it, is another convention's of a family."""
        wrong = [other for other in lines if other.side == "wrong"]
        same = [other for other in wrong if other.name == line.name] or wrong
        entries = self.families[family]
        return any(
            not self.is_same(other.stated, line.stated) and self.values.with_value(entries, other.stated, None)
            for other in same
        )

    def is_same(self, stated: Any, other: Any) -> bool:
        """Whether two numbers of a case are written alike."""
        return [str(n) for n in flat(stated)] == [str(n) for n in flat(other)]

    def like(self, families: set[Family]) -> list[Entry]:
        """The entries of the kind, and with a word of the quantity, of one of the families."""
        return [
            entry
            for entry in self.entries
            if any(entry.kind == kind and (entry.words & words or not words) for kind, words in families)
        ]

    def wrong(self, line: Line, subjects: set[Family]) -> Line:
        """A wrong number as the value of a convention of what the right numbers are of."""
        read = words_of(line.name)
        like = [entry for entry in self.like(subjects) if is_of(entry, read.words)]
        same = self.values.with_value(like, line.stated, read.group_size)
        if not same:
            return line
        shown = self.values.shown(self.values.value(same[0].formula, read.group_size))
        named = "; ".join(" ".join(sorted(entry.words)) for entry in same[:MOST_NAMED])
        note = f"by its value: {named}"
        return Line(line.side, line.name, line.stated, shown, Verdict.AGREES, same[0].formula, note)

    def turned_round(self, lines: Sequence[Line]) -> list[Line]:
        """The lines; a right number is open again that a fault gives, where the definition's is called wrong.

        Where a quantity has a true value, anything else is a fault of it; a wrong number that is named the true one,
        and is it, is open as well.
        """
        found = list(lines)
        wrong = [line for line in lines if line.side == "wrong"]
        for place, line in enumerate(lines):
            if line.side == "wrong" and line.agrees and "true" in words_of(line.name).words:
                true = [entry for entry in self.entries if entry.formula == line.how and "true" in entry.words]
                if true:
                    found[place] = self.noted(line, "called wrong, and named the true value, which it is", true)
            if line.side != "right" or not line.agrees:
                continue
            size = words_of(line.name).group_size
            here = [entry for entry in self.entries if entry.formula == line.how]
            for entry in [entry for entry in here if "phantom" not in entry.words] or here:
                for standard in self.standards(entry, line.stated, size):
                    value = self.values.value(standard.formula, size)
                    if not self.agree(line.stated, value) and any(self.agree(other.stated, value) for other in wrong):
                        found[place] = self.noted(line, "called right, but a wrong one is the definition's", [standard])
        return found

    def standards(self, entry: Entry, stated: Any, size: int | None) -> list[Entry]:
        """The entries beside which an entry is none of a right side: a true value, and of a fault what it spoils."""
        quantity = (entry.words & QUANTITIES) - VAGUE
        alike = [e for e in self.entries if e.kind == entry.kind and (e.words & QUANTITIES) - VAGUE == quantity]
        found = [e for e in alike if "true" in e.words and "true" not in entry.words]
        if entry.words & (FAULTS | OMITTED):
            found += [e for e in alike if e.words == entry.words - FAULTS - OMITTED]
            first = self.definition(family_of(entry), stated, frozenset(), size)
            found += [first] if first is not None else []
        return [e for e in found if self.values.has_count(stated, e.formula, size)]

    def agree(self, stated: Any, value: Any) -> bool:
        """Whether a value is certainly a stated one."""
        try:
            return value is not None and self.values.same(stated, value)
        except ArithmeticError:
            return False

    def multiple(self, line: Line, right: Sequence[Line]) -> Line:
        """A wrong number that is a right one of several entries times a simple factor: a sign, a half, a count."""
        same = [other for other in right if other.name == line.name] or list(right)
        counts = [name for name in self.values.names if self.is_count(name)]
        factors = ["(0 - 1)", "1/2", "2", *counts, *(f"1/{name}" for name in counts)]
        for other in same:
            numbers = {str(number) for number in flat(other.found)} - {"0"}
            if not other.agrees or not other.how or len(numbers) < 2 or not isinstance(other.stated, list):
                continue
            for factor in factors:
                formula = f"{factor} * flat({other.how})"
                if self.values.may_be(line.stated, formula, None):
                    value = self.values.value(formula)
                    if self.agree(line.stated, value):
                        note = f"by its value: {factor} times {other.name} of the right side"
                        shown = self.values.shown(value)
                        return Line(line.side, line.name, line.stated, shown, Verdict.AGREES, formula, note)
        return line

    def is_count(self, name: str) -> bool:
        """Whether a name stands for a whole number above 1."""
        value = self.values.names[name]
        return name.isidentifier() and isinstance(value, Fraction) and value == int(value) and value > 1

    def noted(self, line: Line, why: str, entries: Sequence[Entry]) -> Line:
        """An open line with what its number can be the value of."""
        named = "; ".join(dict.fromkeys(" ".join(sorted(entry.words)) for entry in entries[:MOST_NAMED]))
        return Line(line.side, line.name, line.stated, None, Verdict.UNDECIDED, "", f"{why}: {named}")
