"""What formulas come to on the numbers of a case, and whether that is what the case states."""

import ast
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from grpocheck.core.arithmetic import Arithmetic, EnclosureArithmetic, enclose
from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.disputes.catalogue import Entry
from grpocheck.verifier.disputes.floating import Floats
from grpocheck.verifier.disputes.formulas import MOST_DRAWS, Evaluator, evaluator, flat, parsed
from grpocheck.verifier.disputes.numbers import approximate
from grpocheck.verifier.disputes.written import number_in
from grpocheck.verifier.prime_logs import PrimeLogs

CLOSENESS = Fraction(1, 10**12)
"""How far a float of a case may lie from the number it rounds, by so much of itself."""
RESIDUE = Fraction(1, 10**14)
"""As far it may lie in any case: so much is left where somebody's floats of about 1 cancel."""
DIGITS = 30
MOST_SEARCHED = 500
"""A formula over more draws than these is not looked through for the value of a number."""
MOST_NAMED = 3
"""So many formulas with the value of a number are named at most."""
ROUGHLY = 1e-6
"""A float so near, in proportion, may be the stated number; whether it is, exact numbers say."""


def supplied() -> Arithmetic:
    """The arithmetic of formulas: exact numbers, enclosures beside, logarithms of rationals in primes."""
    return PrimeLogs(EnclosureArithmetic(digits=DIGITS))


def close(number: Fraction, stated: float) -> bool:
    """Whether a float that a case states is a number, to twelve digits."""
    return abs(number - Fraction(stated)) <= max(CLOSENESS * abs(Fraction(stated)), RESIDUE)


class Values:
    """The values of formulas over the names of a case."""

    def __init__(self, names: Mapping[str, Any], arithmetic: Arithmetic) -> None:
        """The names, and the arithmetic of the exact numbers."""
        self.names = names
        self.arithmetic = arithmetic
        self.known: dict[tuple[str, int | None, int], Any] = {}
        self.rough: dict[tuple[str, int | None], Any] = {}
        self.open_formulas: set[str] = set()

    def sized(self, group_size: int | None) -> Mapping[str, Any]:
        """The names, with another group size where one is said."""
        return self.names if group_size is None else {**self.names, "G": Fraction(group_size)}

    def value(self, formula: str, group_size: int | None = None, most_draws: int = MOST_DRAWS) -> Any:
        """The value of a formula, perhaps with another group size; None where it has none on this input.

        ``open_formulas`` remembers those of which a comparison stayed open, or that are at a kink.
        """
        key = (formula, group_size, most_draws)
        if key not in self.known:
            self.known[key] = None
            try:
                self.known[key] = evaluator(self.sized(group_size), self.arithmetic, most_draws).evaluate(formula)
            except ArithmeticError:
                self.open_formulas.add(formula)  # a comparison that stays open, or a kink
            except InvalidProblem:
                self.known[key] = None  # the formula is of lists of another shape than this input's
        return self.known[key]

    def roughly_found(self, formula: str, group_size: int | None) -> Any:
        """The value of a formula in floats; None where it has none."""
        key = (formula, group_size)
        if key not in self.rough:
            numbers = Floats(self.arithmetic)
            try:
                self.rough[key] = Evaluator(self.sized(group_size), numbers, MOST_SEARCHED).evaluate(formula)
            except (ArithmeticError, InvalidProblem, ValueError):
                self.rough[key] = None
        return self.rough[key]

    def may_have_count(self, stated: Any, formula: str, group_size: int | None) -> bool:
        """Whether a formula can give as many numbers as are stated: slopes, which take long, are counted beforehand."""
        node = parsed(formula)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "derivative":
            by = self.roughly_found(ast.unparse(node.args[-1]), group_size)
            return not isinstance(by, list) or len(flat(stated)) % max(1, len(flat(by))) == 0
        return True

    def has_count(self, stated: Any, formula: str, group_size: int | None) -> bool:
        """Whether a formula gives as many numbers as are stated."""
        if not self.may_have_count(stated, formula, group_size):
            return False
        found = self.roughly_found(formula, group_size)
        return found is not None and len(flat(found)) == len(flat(stated))

    def may_be(self, stated: Any, formula: str, group_size: int | None) -> bool:
        """Whether floats leave it possible that a formula has the stated value."""
        if not self.may_have_count(stated, formula, group_size):
            return False
        found = self.roughly_found(formula, group_size)
        if found is None and stated is not None:
            return "in_format" in formula  # rounded numbers are not those of floats
        left, right = flat(stated), flat(found)
        return len(left) == len(right) and all(self.roughly(a, b) for a, b in zip(left, right, strict=True))

    def roughly(self, stated: Any, found: Any) -> bool:
        """Whether a stated number can be that of a float."""
        if stated is None or found is None:
            return found is None or (isinstance(found, float) and math.isnan(found))
        try:
            number = float(stated) if isinstance(stated, int | float) else approximate(self.read(stated))
        except (InvalidProblem, ValueError, OverflowError, AttributeError):
            return False
        there = approximate(found)
        if not math.isfinite(number) or not math.isfinite(there):
            return str(number) == str(there)
        size = max(abs(number), abs(there))
        return abs(number - there) <= ROUGHLY * max(1e-9, size) or size < 1e-12

    def read(self, stated: Any) -> Any:
        """A number that a case states in a text."""
        if str(stated).strip().lower().lstrip("+-") in ("inf", "infinity", "nan"):
            return float(stated)
        return number_in(str(stated), self.arithmetic)

    def with_value(
        self, entries: Sequence[Entry], stated: Any, size: int | None, most: int = MOST_NAMED
    ) -> list[Entry]:
        """The first entries whose value is the stated one."""
        found = []
        for entry in entries:
            if not self.may_be(stated, entry.formula, size):
                continue
            value = self.value(entry.formula, size, MOST_SEARCHED)
            try:
                if value is not None and self.same(stated, value):
                    found.append(entry)
            except ArithmeticError:
                continue  # open whether it is the number
            if len(found) == most:
                break
        return found

    def same(self, stated: Any, found: Any) -> bool:
        """Whether the numbers are the same, in one order: exactly, or to twelve digits where the case has a float."""
        left, right = flat(stated), flat(found)
        return len(left) == len(right) and all(self.same_number(a, b) for a, b in zip(left, right, strict=True))

    def same_number(self, stated: Any, found: Any) -> bool:
        """Whether one number is the stated one; a null is what is not a number, or missing."""
        if isinstance(stated, str) and stated.strip().lower().lstrip("+-") in ("inf", "infinity", "nan"):
            stated = float(stated)
        if stated is None or (isinstance(stated, float) and math.isnan(stated)):
            return found is None or (isinstance(found, float) and math.isnan(found))
        if isinstance(stated, float) and math.isfinite(stated) and found is not None and not isinstance(found, float):
            return all(close(Fraction(end), stated) for end in enclose(found, DIGITS))
        number = stated
        if isinstance(stated, int | str):
            try:
                number = number_in(str(int(stated) if isinstance(stated, bool) else stated), self.arithmetic)
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
