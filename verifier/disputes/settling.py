"""From a dispute to its numbers by formulas: what a name means, what that comes to, and what the stated number is of.

A right number has to be what its name, the input and the declared words come to. A wrong one is only wrong in a known
way: of the formulas of the kind it is looked up by its value, and the formula that gives it is named. Where a name is
not understood, or more than the words has to be known, the number stays undecided, with what it would be the value of.
"""

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from grpocheck.core.arithmetic import Arithmetic, EnclosureArithmetic, enclose
from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.disputes import catalogue as samples
from grpocheck.verifier.disputes import catalogue_logs as logs
from grpocheck.verifier.disputes import catalogue_policy as policies
from grpocheck.verifier.disputes.catalogue import Entries, Entry
from grpocheck.verifier.disputes.formulas import MOST_DRAWS, Definition, evaluator, flat, parsed
from grpocheck.verifier.disputes.inputs import SHOWN, Given, read_input
from grpocheck.verifier.disputes.numbers import SHORT
from grpocheck.verifier.disputes.words import Read, words_in, words_of
from grpocheck.verifier.prime_logs import PrimeLogs

CLOSENESS = Fraction(1, 10**12)
"""How far a float of a case may lie from the number it rounds; a float above 1 by so much of itself."""
COMPONENT = re.compile(r"logits?[ _\[]*([0-9]+)")
QUANTITIES = frozenset(
    words_of(
        "advantages gradient objective loss slope fraction variance std baseline factor bias ratio kl "
        "mass kept logprob effective optimal each normaliser entropy"
    ).words
    | {"self-normalised", "second-moment"}
)
"""Words for what a number is, beside those for how it is had."""
SPECIFIC = QUANTITIES | {"k1", "k2", "k3", "absolute", "reversed", "clamped", "truncated", "masked", "unweighted"}
SPECIFIC |= {"without-kl", "without-entropy", "in-one"}
"""Words that a name has to say: without them the simpler entry is meant."""
IN_WORDS = ("convention", "rule", "claim", "equals", "closed_form", "note", "because", "reason", "comment", "formula")
"""What a case says in words beside its numbers."""
DIGITS = 30
MOST_SEARCHED = 500
"""A formula over more draws than these is not looked through for the value of a number."""
MOST_NAMED = 3
"""So many formulas with the value of a number are named at most."""


class Verdict(Enum):
    """What became of a number: it agrees, it differs, or it is open what it should be."""

    AGREES = "agrees"
    DIFFERS = "differs"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Line:
    """One number of a case: what the case states, what was found, whether they agree, and how it was found."""

    side: str
    name: str
    stated: Any
    found: Any
    verdict: Verdict
    how: str
    note: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the number is the case's."""
        return self.verdict is Verdict.AGREES


@dataclass(frozen=True)
class Kind:
    """A kind of input: the names that it needs, in one of several ways, and what can be asked of it."""

    name: str
    needs: tuple[tuple[str, ...], ...]
    entries: Entries

    @property
    def needed(self) -> str:
        """What the input needs."""
        return " or ".join(" + ".join(SHOWN.get(name, name) for name in way) for way in self.needs)


KINDS = (
    Kind("sums over tokens", (("L",), ("A", "lengths")), samples.aggregated),
    Kind("clipped terms", (("w", "A"),), samples.clipped),
    Kind("advantages of groups", (("R",),), samples.advantages),
    Kind("sampling at a temperature or truncated", (("pi", "T"), ("z", "T"), ("pi", "top_k"), ("pi", "top_p"),
                                                    ("z", "top_k"), ("z", "top_p")), policies.tempered),
    Kind("surrogates of stated draws", (("pi", "draws", "A"),), policies.recorded),
    Kind("rewards less a divergence", (("pi", "ref", "r", "beta"),), policies.penalised),
    Kind("rewards and an entropy", (("pi", "r", "entropy_coef"),), policies.with_entropy),
    Kind("expected gradients", (("pi", "r"),), policies.rewarded),
    Kind("weights of old samples", (("pi", "old"),), policies.weighed),
    Kind("divergences from a reference", (("pi", "ref"),), policies.divergent),
    Kind("estimates of a divergence by tokens", (("x",),), logs.estimated),
    Kind("ratios of log probabilities", (("new_logp", "old_logp"), ("new_logp", "sampler_logp"),
                                         ("old_logp", "sampler_logp")), logs.log_ratios),
    Kind("numbers in a binary format", (("x",),), logs.rounded),
    Kind("masses in a binary format", (("pi", "dtype"),), logs.rounded_masses),
    Kind("entropies", (("pi",),), policies.entropic),
    Kind("groups of rewards 0 and 1", (("success", "G"),), logs.sampled_groups),
)  # fmt: skip


def kinds_in_words() -> str:
    """What inputs there are, each with the keys that it needs."""
    return "; ".join(f"{kind.name} ({kind.needed})" for kind in KINDS)


def supplied() -> Arithmetic:
    """The arithmetic of formulas: exact numbers, enclosures beside, logarithms of rationals in primes."""
    return PrimeLogs(EnclosureArithmetic(digits=DIGITS))


class Settler:
    """Settles the numbers of one case by formulas."""

    def __init__(self, case: Mapping[str, Any]) -> None:
        """Reads the input of the case; raises InvalidProblem for what cannot be read."""
        self.case = case
        self.arithmetic = supplied()
        self.given: Given = read_input(case["input"], self.arithmetic)
        stated = {name: Definition(text) for name, text in case.get("define", {}).items()}
        self.names: dict[str, Any] = {**self.own_keys(), **self.given.names, **stated}
        self.definitions = {name for name, value in self.names.items() if isinstance(value, Definition)}
        self.subjects: list[Entry] = []
        self.key_words = {piece for key in case["input"] for piece in key.lower().split("_")}
        self.entries: list[Entry] = list(dict.fromkeys(self.listed()))
        self.values: dict[tuple[str, int | None, int], Any] = {}
        self.open_formulas: set[str] = set()
        told = [text for text in self.given.texts.values() if text != self.given.names.get("dtype")]
        self.declared = words_in([*told, *case.get("declared", [])])

    def own_keys(self) -> dict[str, Any]:
        """The input's own keys, which formulas of a case may use."""
        return {key: self.given.names[name] for name, key in self.given.keys.items()}

    def listed(self) -> Iterator[Entry]:
        """The entries of every kind whose needs the input meets."""
        word = str(self.names.get("dtype", ""))
        short = word.lower().removeprefix("torch.")
        for kind in KINDS:
            if any(all(name in self.given.names for name in way) for way in kind.needs):
                for found in kind.entries(self.given.names):
                    words = frozenset(SHORT.get(short, short) if w == "{dtype}" else w for w in found.words)
                    yield Entry(words, found.formula, kind.name)

    def value(self, formula: str, group_size: int | None = None, most_draws: int = MOST_DRAWS) -> Any:
        """The value of a formula, perhaps with another group size; None where it has none on this input.

        ``open_formulas`` remembers those of which a comparison stayed open, or that are at a kink.
        """
        key = (formula, group_size, most_draws)
        if key not in self.values:
            names = self.names if group_size is None else {**self.names, "G": Fraction(group_size)}
            self.values[key] = None
            try:
                self.values[key] = evaluator(names, self.arithmetic, most_draws).evaluate(formula)
            except ArithmeticError:
                self.open_formulas.add(formula)  # a comparison that stays open, or a kink
            except InvalidProblem:
                self.values[key] = None  # the formula is of lists of another shape than this input's
        return self.values[key]

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
        return self.by_words(side, name, stated, read)

    def compared(self, side: str, name: str, stated: Any, found: Any, how: str) -> Line:
        """A line whose number is known beforehand."""
        try:
            verdict = Verdict.AGREES if self.same(stated, found) else Verdict.DIFFERS
            return Line(side, name, stated, self.shown(found), verdict, how)
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
        line = self.compared(side, name, stated, self.value(first.formula, size), first.formula)
        if line.verdict is not Verdict.DIFFERS:
            self.seen(first)
            return line
        others = list(fitting)
        same = self.with_value(others, stated, size) or (self.alike(stated, size) if side == "wrong" else [])
        if same:
            self.seen(same[0])
            return self.reproduced(side, name, stated, same, size)
        whole = not self.unused(first) and not self.open_formulas and not self.given.unknown
        note = f"none of the {len(others) + 1} conventions that fit the name gives the number"
        verdict = Verdict.DIFFERS if whole and side == "right" else Verdict.UNDECIDED
        return Line(side, name, stated, line.found, verdict, first.formula, note)

    def seen(self, entry: Entry) -> None:
        """Remember what the numbers of this case are of: a fault is looked for among the like."""
        self.subjects.append(entry)

    def alike(self, stated: Any, size: int | None) -> list[Entry]:
        """The entries with a value among those of a kind and of a quantity that a right number is of."""
        subjects = [(entry.kind, entry.words & QUANTITIES) for entry in self.subjects]
        like = [e for e in self.entries if any(e.kind == kind and e.words & words for kind, words in subjects)]
        return self.with_value(like, stated, size)

    def unnamed(self, side: str, name: str, stated: Any, size: int | None, stray: Sequence[str]) -> Line:
        """A line whose name is not understood: a fault is known by its value, of what the right numbers are of."""
        same = self.alike(stated, size) if side == "wrong" else []
        if same:
            return self.reproduced(side, name, stated, same, size)
        note = f"not understood: {', '.join(stray)}" if stray else "no formula of this kind of input"
        same = self.with_value(self.entries, stated, size)
        if same:
            note += f"; it is the value of: {'; '.join(' '.join(sorted(e.words)) for e in same[:MOST_NAMED])}"
        return Line(side, name, stated, None, Verdict.UNDECIDED, "", note)

    def reproduced(self, side: str, name: str, stated: Any, same: Sequence[Entry], size: int | None) -> Line:
        """A line whose number is that of a convention other than the declared one: what a fault is, and no right."""
        value = self.shown(self.value(same[0].formula, size))
        named = "; ".join(" ".join(sorted(entry.words)) for entry in same[:MOST_NAMED])
        if side == "wrong":
            return Line(side, name, stated, value, Verdict.AGREES, same[0].formula, f"by its value: {named}")
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

    def fitting(
        self, words: frozenset[str], told: frozenset[str], stated: Any, size: int | None
    ) -> Iterator[Entry]:
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
            value = self.value(entry.formula, size)
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

    def with_value(self, entries: Sequence[Entry], stated: Any, size: int | None) -> list[Entry]:
        """The entries whose value is the stated one."""
        found = []
        for entry in entries:
            value = self.value(entry.formula, size, MOST_SEARCHED)
            try:
                if value is not None and self.same(stated, value):
                    found.append(entry)
            except ArithmeticError:
                continue  # open whether it is the number
            if len(found) == MOST_NAMED:
                break
        return found

    def same(self, stated: Any, found: Any) -> bool:
        """Whether the numbers are the same, in one order: exactly, or to CLOSENESS where the case has a float."""
        left, right = flat(stated), flat(found)
        return len(left) == len(right) and all(self.same_number(a, b) for a, b in zip(left, right, strict=True))

    def same_number(self, stated: Any, found: Any) -> bool:
        """Whether one number is the stated one; a null is what is not a number, or missing."""
        if isinstance(stated, str) and stated.strip().lower().lstrip("+-") in ("inf", "infinity", "nan"):
            stated = float(stated)
        if stated is None or (isinstance(stated, float) and math.isnan(stated)):
            return found is None or (isinstance(found, float) and math.isnan(found))
        if isinstance(stated, float) and math.isfinite(stated) and found is not None and not isinstance(found, float):
            ends, allowed = enclose(found, DIGITS), CLOSENESS * max(Fraction(1), abs(Fraction(stated)))
            return all(abs(Fraction(end) - Fraction(stated)) <= allowed for end in ends)
        number = stated
        if isinstance(stated, int | str) and not isinstance(stated, bool):
            try:
                number = evaluator({}, self.arithmetic).evaluate(str(stated))
            except InvalidProblem:
                return False
        if isinstance(number, float) or isinstance(found, float):
            return isinstance(number, float) and isinstance(found, float) and str(number) == str(found)
        return self.arithmetic.holds(number) and found is not None and self.arithmetic.equal(number, found)

    def shown(self, value: Any) -> Any:
        """A value as the output has it: texts of exact numbers, enclosures of the others."""
        if isinstance(value, list):
            return [self.shown(entry) for entry in value]
        return value if value is None else str(value) if isinstance(value, float) else self.arithmetic.text(value)


def names_of(formula: str) -> set[str]:
    """The names in a formula."""
    return {node.id for node in ast.walk(parsed(formula)) if isinstance(node, ast.Name)}


def stated_numbers(case: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    """The numbers of a case: side, name (``table.key`` for one in a table) and what is stated; words are left out.

    A table with the labels of one in the input holds a number for each of its entries, in their order.
    """
    labels = [list(value) for value in case["input"].values() if isinstance(value, Mapping)]

    def numbers(side: str, values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str, Any]]:
        for key, value in values.items():
            if isinstance(value, Mapping) and list(value) in labels:
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
    if not isinstance(value, str) or value.strip().lower().lstrip("+-") in ("inf", "infinity", "nan"):
        return False
    try:
        evaluator({}, supplied()).evaluate(value)
    except InvalidProblem:
        return True
    return False


def settle_by_formulas(case: Mapping[str, Any]) -> tuple[Line, ...]:
    """The lines of a case; raises InvalidProblem where the input is of no kind and no formulas are given."""
    settler = Settler(case)
    if not settler.entries and not case.get("compute"):
        unknown = ", ".join(settler.given.unknown) or ", ".join(case["input"])
        raise InvalidProblem(f"{case['id']}.input", unknown, f"keys of a kind: {kinds_in_words()}; or a compute table")
    return tuple(settler.line(*number) for number in stated_numbers(case))
