"""From a dispute to its numbers by formulas: what a name means, what that comes to, and what the stated number is of.

A right number has to be what its name, the input and the declared words come to. A wrong one is only wrong in a known
way: of the formulas of the kind it is looked up by its value, and the formula that gives it is named. Where a name is
not understood, or more than the words has to be known, the number stays undecided, with what it would be the value of.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from types import MappingProxyType
from typing import Any

from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.disputes.aliases import FORMATS
from grpocheck.verifier.disputes.askable import KINDS, kinds_in_words
from grpocheck.verifier.disputes.catalogue import Entry
from grpocheck.verifier.disputes.catalogue_tokens import misset
from grpocheck.verifier.disputes.evidence import evidence_of, methods_in
from grpocheck.verifier.disputes.formulas import Definition, evaluator, flat, parsed
from grpocheck.verifier.disputes.inputs import Given, read_input
from grpocheck.verifier.disputes.labels import PLACE, group_alone
from grpocheck.verifier.disputes.lines import Line, Verdict
from grpocheck.verifier.disputes.numbers import SHORT
from grpocheck.verifier.disputes.relations import granted, none_differs_alone, premises, related
from grpocheck.verifier.disputes.roles import assignments, text_for_a_number
from grpocheck.verifier.disputes.stating import IN_WORDS, stated_numbers
from grpocheck.verifier.disputes.structural import Structure
from grpocheck.verifier.disputes.unstated import with_what_is_missing
from grpocheck.verifier.disputes.values import MOST_NAMED, Values, supplied
from grpocheck.verifier.disputes.vocabulary import QUANTITIES, SPECIFIC, is_of
from grpocheck.verifier.disputes.words import Read, words_in, words_of

COMPONENT = re.compile(r"logits?[ _\[]*([0-9]+)")
MOST_UNNAMED, MOST_READINGS = 4, 40
"""So many keys that say nothing are tried as what their values can be, in so many ways at most."""
BY_METHOD = "not what it is at first, but as the method that is named has it"
AGAINST_METHOD = "called right, but the wrong one is as the method that is named has it"
BOTH_WAYS = "open which key is which: one reading has the sides as they are, another the other way round"


class Settler:
    """Settles the numbers of one case by formulas."""

    def __init__(self, case: Mapping[str, Any], assigned: Mapping[str, str] = MappingProxyType({})) -> None:
        """Reads the input of the case, with names assigned to some keys; raises InvalidProblem for what is no input."""
        self.case = case
        self.arithmetic = supplied()
        self.given: Given = read_input(case["input"], self.arithmetic, assigned)
        stated = {name: Definition(text) for name, text in case.get("define", {}).items()}
        self.names: dict[str, Any] = {**self.own_keys(), **self.given.names, **stated}
        self.definitions = {name for name, value in self.names.items() if isinstance(value, Definition)}
        self.subjects: list[Entry] = []
        self.key_words = {piece for key in case["input"] for piece in key.lower().split("_")}
        self.entries: list[Entry] = list(dict.fromkeys(self.listed()))
        self.values = Values(self.names, self.arithmetic)
        told = {key: text for key, text in self.given.texts.items() if text != self.given.names.get("dtype")}
        self.declared = evidence_of(case, told)

    def own_keys(self) -> dict[str, Any]:
        """The input's own keys, which formulas of a case may use."""
        return {**{key: self.given.names[name] for name, key in self.given.keys.items()}, **self.given.own}

    def listed(self) -> Iterator[Entry]:
        """The entries of every kind whose needs the input meets."""
        word = str(self.names.get("dtype", ""))
        short = word.lower().removeprefix("torch.")
        for kind in KINDS:
            if any(all(name in self.given.names for name in way) for way in kind.needs):
                for found in misset(kind.entries(self.given.names), self.given.names):
                    words = frozenset(SHORT.get(short, short) if w == "{dtype}" else w for w in found.words)
                    yield Entry(words, found.formula, kind.name)

    def line(self, side: str, name: str, stated: Any) -> Line:
        """The line of one number."""
        stated_formulas = self.case.get("compute", {})
        asked = stated_formulas.get(f"{side}.{name}")
        if isinstance(asked, str):
            try:
                found = evaluator(self.names, self.arithmetic).evaluate(asked)
            except ArithmeticError as error:
                return Line(side, name, stated, None, Verdict.UNDECIDED, asked, str(error))
            return self.compared(side, name, stated, found, asked)
        read = words_of(str(asked["words"]) if isinstance(asked, Mapping) else name)
        if isinstance(asked, Mapping) and read.unknown:
            raise InvalidProblem(f"compute.{side}.{name}", ", ".join(read.unknown), "words of the vocabulary")
        line = self.by_words(side, name, stated, read)
        return line if line.agrees or asked is not None else self.of_one_group(line) or line

    def of_one_group(self, line: Line) -> Line | None:
        """A number of one group or response, which its name counts from 0: ``std_prompt_1``; None for any other."""
        match = PLACE.search(line.name)
        if match is None or not isinstance(self.names.get("R"), list):
            return None
        place, name, whole = int(match[1]), line.name[: match.start()], self.entries
        of_one = [Entry(e.words, text, e.kind) for e in whole if (text := group_alone(e.formula, place))]
        self.entries = of_one + [Entry(e.words, f"({e.formula})[{place}]", e.kind) for e in whole]
        try:
            found = self.by_words(line.side, name, line.stated, words_of(name))
        finally:
            self.entries = whole
        return replace(found, name=line.name) if found.agrees else None

    def compared(self, side: str, name: str, stated: Any, found: Any, how: str) -> Line:
        """A line whose number is known beforehand."""
        try:
            verdict = Verdict.AGREES if self.values.same(stated, found) else Verdict.DIFFERS
            return Line(side, name, stated, self.values.shown(found), verdict, how)
        except ArithmeticError as error:
            return Line(side, name, stated, None, Verdict.UNDECIDED, how, str(error))

    def by_words(self, side: str, name: str, stated: Any, read: Read) -> Line:
        """A line whose number is that of the words of its name, of the declared words, or of its value."""
        size = read.group_size
        stray = [number for number in read.numbers if not self.is_stated(number)]
        stray += [word for word in read.unknown if word not in self.key_words]
        told = words_in(str(text) for key, text in self.case.get(side, {}).items() if key in IN_WORDS)
        understood = bool(read.words or told) and not stray
        fitting = self.fitting(read.words, told, stated, size) if understood else iter(())
        first = next(fitting, None)
        if first is None:
            return self.unnamed(side, name, stated, size, stray)
        line = self.compared(side, name, stated, self.values.value(first.formula, size), first.formula)
        if line.verdict is not Verdict.DIFFERS:
            if side == "right" and line.agrees and self.is_against_method(name, stated, read, first, fitting):
                return replace(line, verdict=Verdict.UNDECIDED, note=AGAINST_METHOD)
            self.seen(first)
            return line
        others = list(fitting)
        same = self.values.with_value(others, stated, size)
        named = self.by_method(first, others)
        if side == "right" and named in same:
            self.seen(named)
            found = self.values.shown(self.values.value(named.formula, size))
            return Line(side, name, stated, found, Verdict.AGREES, named.formula, BY_METHOD)
        if not same and side == "wrong":
            same = self.alike(stated, size, read.words)
        if same:
            self.seen(same[0])
            return self.reproduced(side, name, stated, same, size, "not what it is named, but ")
        whole = not self.unused(first) and not self.values.open_formulas and not self.given.unknown
        whole = whole and all(is_read(key, text) for key, text in self.given.texts.items())
        note = f"none of the {len(others) + 1} conventions that fit the name gives the number"
        verdict = Verdict.DIFFERS if whole and side == "right" else Verdict.UNDECIDED
        return Line(side, name, stated, line.found, verdict, first.formula, note)

    def is_against_method(self, name: str, stated: Any, read: Read, first: Entry, rest: Iterator[Entry]) -> bool:
        """Whether a method that is named gives the wrong number of a name, and not the stated one."""
        said = len(first.words & self.declared)
        more = any(read.words <= entry.words and len(entry.words & self.declared) > said for entry in self.entries)
        if not more or name not in self.case.get("wrong", {}):
            return False
        value = self.values.value(self.by_method(first, list(rest)).formula, read.group_size)
        try:
            return self.values.same(self.case["wrong"][name], value) and not self.values.same(stated, value)
        except ArithmeticError:
            return False

    def by_method(self, first: Entry, others: Sequence[Entry]) -> Entry:
        """The entry of which the methods that a case names say most, where they say more of it than of the first."""
        return max([first, *others], key=lambda entry: len(entry.words & self.declared))

    def seen(self, entry: Entry) -> None:
        """Remember what the numbers of this case are of: a fault is looked for among the like."""
        self.subjects.append(entry)

    def alike(self, stated: Any, size: int | None, said: frozenset[str] = frozenset()) -> list[Entry]:
        """The entries with a value among those of a kind and of a quantity that a right number is of.

        Where the number's name says what it is of itself (``said``), a slope is no term that it happens to equal.
        """
        subjects = [(entry.kind, entry.words & QUANTITIES) for entry in self.subjects]
        like = [e for e in self.entries if any(e.kind == kind and e.words & words for kind, words in subjects)]
        return self.values.with_value([e for e in like if is_of(e, said)], stated, size)

    def unnamed(self, side: str, name: str, stated: Any, size: int | None, stray: Sequence[str]) -> Line:
        """A line whose name is not understood: a fault is known by its value, of what the right numbers are of."""
        same = self.alike(stated, size) if side == "wrong" else []
        if same:
            return self.reproduced(side, name, stated, same, size)
        note = f"not understood: {', '.join(stray)}" if stray else "no formula of this kind of input"
        same = self.values.with_value(self.entries, stated, size)
        if same:
            note += f"; it is the value of: {'; '.join(' '.join(sorted(e.words)) for e in same[:MOST_NAMED])}"
        return Line(side, name, stated, None, Verdict.UNDECIDED, "", note)

    def reproduced(
        self, side: str, name: str, stated: Any, same: Sequence[Entry], size: int | None, less: str = ""
    ) -> Line:
        """A line whose number is that of a convention other than the declared one: what a fault is, and no right.

        ``less`` is said before it, of a name that is understood.
        """
        value = self.values.shown(self.values.value(same[0].formula, size))
        named = "; ".join(" ".join(sorted(entry.words)) for entry in same[:MOST_NAMED])
        if side == "wrong":
            return Line(side, name, stated, value, Verdict.AGREES, same[0].formula, f"{less}by its value: {named}")
        note = f"not what the words come to, but by its value: {named}"
        return Line(side, name, stated, value, Verdict.UNDECIDED, same[0].formula, note)

    def unused(self, entry: Entry) -> set[str]:
        """The numbers of the input that a formula does not use, the definitions that it uses followed.

        A group size that the rewards have, a choice that the words of an entry name, and a zero are used by themselves.
        """
        used = names_of(entry.formula)
        for _ in range(len(self.definitions)):
            used |= {n for name in used & self.definitions for n in names_of(str(self.names[name]))}
        return {name for name in self.given.keys if name not in used and not self.is_idle(name)}

    def is_idle(self, name: str) -> bool:
        """Whether a name says nothing that a formula has to use."""
        value = self.names[name]
        if name in ("ddof", "dtype") or (isinstance(value, Fraction) and value == 0):
            return True
        if name == "eps":
            return {"low", "high"} <= self.given.keys.keys()
        counts = {len(v) for n, v in self.given.names.items() if isinstance(v, list) and n != name}
        return name in ("G", "K") and isinstance(value, Fraction) and value in counts

    def is_stated(self, number: str) -> bool:
        """Whether a number of a name is one of the input, or a length there."""
        numbers = [n for value in self.given.names.values() if not isinstance(value, str) for n in flat(value)]
        return any(isinstance(n, Fraction) and n == Fraction(number) for n in numbers)

    def fitting(self, words: frozenset[str], told: frozenset[str], stated: Any, size: int | None) -> Iterator[Entry]:
        """The entries that have the words and as many numbers as are stated, or one that is a component of theirs.

        Those come first that have the words that the side tells, then those that say least beside the name.
        """
        candidates = [entry for entry in self.entries if words <= entry.words]
        candidates.sort(
            key=lambda entry: (
                -len(entry.words & told),
                len((entry.words - words) & SPECIFIC),
                -len(entry.words & self.declared),
            )
        )
        for entry in candidates:
            value = self.values.value(entry.formula, size)
            if value is not None and len(flat(value)) == len(flat(stated)):
                yield entry
            elif isinstance(value, list) and not isinstance(stated, list) and "gradient" in entry.words:
                yield from self.components(entry, len(value))

    def components(self, entry: Entry, size: int) -> list[Entry]:
        """A gradient as one number: its component by a logit that the input names, or by the mass of two."""
        named = [int(match[1]) for text in self.given.texts.values() if (match := COMPONENT.search(text))]
        place = next((at for at in named if at < size), 0)
        one = Entry(entry.words, f"({entry.formula})[{place}]", entry.kind)
        if size != 2:
            return [one] if named else []
        power = 2 if "variance" in entry.words else 1
        by_mass = Entry(entry.words | {"by-mass"}, f"({entry.formula})[0] / (pi[0] * pi[1])**{power}", entry.kind)
        theta = any("theta" in text or "mass" in text for text in self.given.texts.values())
        return [by_mass, one] if theta else [one, by_mass]


def is_read(key: str, text: str) -> bool:
    """Whether what an input states in words says something that is known."""
    if text in ("True", "False"):
        return bool(words_of(key).words)
    return bool(words_in([text]) or methods_in(text)) or text in FORMATS


def names_of(formula: str) -> set[str]:
    """The names in a formula."""
    return {node.id for node in ast.walk(parsed(formula)) if isinstance(node, ast.Name)}


def settle_by_formulas(case: Mapping[str, Any]) -> tuple[Line, ...]:
    """The lines of a case; raises InvalidProblem where the input is of no kind and no formulas are given.

    Keys that say nothing are tried as all that their values can be; a case that is then settled one way only is.
    """
    settler = Settler(case)
    refused = not settler.entries and not case.get("compute")
    lines = () if refused else attempted(case, settler)
    if not case.get("compute") and not (lines and agreed(lines)):
        lines = by_other_readings(case, settler) or lines
        refused = refused and not lines
    if refused and (text := text_for_a_number(case["input"])):
        raise InvalidProblem(f"{case['id']}.input.{text[0]}", text[1], "a number, as all of a list of them")
    if refused:
        unknown = ", ".join(settler.given.unknown) or ", ".join(case["input"])
        raise InvalidProblem(f"{case['id']}.input", unknown, f"keys of a kind: {kinds_in_words()}; or a compute table")
    return lines


def by_other_readings(case: Mapping[str, Any], settler: Settler) -> tuple[Line, ...]:
    """The lines of the first reading of keys that say nothing under which the case is settled; none where none is.

    Where another reading has the sides the other way round, and not as they are, the lines are open.
    """
    unnamed = {key: settler.given.own[key] for key in settler.given.unknown}
    if not 1 <= len(unnamed) <= MOST_UNNAMED:
        return ()
    turned = {**case, "right": case.get("wrong", {}), "wrong": case.get("right", {})}
    known = {name: value for name, value in settler.given.names.items() if name not in unnamed}
    found: tuple[Line, ...] = ()
    others = []
    for assigned in islice(assignments(unnamed, known), MOST_READINGS):
        lines = read_as(case, assigned)
        found = found or lines
        if not lines:
            others.append(assigned)
    if found and any(read_as(turned, assigned) for assigned in others):
        return tuple(replace(line, verdict=Verdict.UNDECIDED, note=BOTH_WAYS) for line in found)
    return found


def read_as(case: Mapping[str, Any], assigned: Mapping[str, str]) -> tuple[Line, ...]:
    """The lines of a case that a reading of its keys settles; none where it does not."""
    try:
        settler = Settler(case, assigned)
    except InvalidProblem:
        return ()  # a name that the value cannot have beside the others
    for side, name, stated in stated_numbers(case):
        size = words_of(name).group_size
        if side == "right" and not settler.values.with_value(settler.entries, stated, size, 1):
            return ()
    lines = attempted(case, settler)
    return lines if agreed(lines) else ()


def agreed(lines: Sequence[Line]) -> bool:
    """Whether every number is the case's."""
    return all(line.agrees for line in lines)


def attempted(case: Mapping[str, Any], settler: Settler) -> tuple[Line, ...]:
    """The lines of a case under one reading of its keys."""
    numbers = stated_numbers(case)
    if not case.get("compute"):
        settler.declared |= premises(numbers, settler.entries, settler.values)
    lines = [settler.line(*number) for number in numbers]
    if case.get("compute"):
        return tuple(lines)
    lines = granted(lines, settler.entries, settler.values)
    structure = Structure(settler.entries, settler.values, settler.declared)
    if not agreed(lines):
        lines = structure.settled(lines, settler.subjects)
    lines = none_differs_alone(related(structure.turned_round(lines), settler.entries, settler.values))
    return tuple(with_what_is_missing(lines, settler.given.names, settler.given.keys))
