"""The expressions behind a lazily evaluated real number, and how their enclosures are refined.

An expression is a sum of terms ``coefficient * product of atoms to integer powers``. An atom is exp, log or sqrt of a
number, an exact number that has grown too long to compute with, or a sum with leading coefficient 1. Every expression
and every atom remembers its best enclosure, so that refining one expression touches only what it is made of, and never
the run around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Any

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.arithmetic.engine import Enclosure, engine
from grpocheck.core.arithmetic.surd import Surd

FIRST_BITS = 64
"""The precision of the first enclosure; each further one doubles it."""


class Kind(Enum):
    """What an atom is of its argument."""

    EXP = "exp"
    LOG = "log"
    SQRT = "sqrt"
    EXACT = "exact"
    SUM = "sum"


class Expression:
    """A sum of terms, ``{((atom, power), ...): coefficient}``, with its best enclosure so far.

    The factors of a term are in order of their atoms' serial numbers; the term without factors is the exact part.
    """

    __slots__ = ("bits", "interval", "parts", "table", "terms")

    @total("terms without atoms are caught below")
    @ensure(lambda self: self.parts, "an expression without atoms is a plain exact number")
    def __init__(self, table: Table, terms: Terms) -> None:
        """The sum of these terms, whose coefficients are not 0; ``parts`` are the atoms it is computed from."""
        self.table = table
        self.terms = terms
        self.parts: list[Node] = [atom for factors in terms for atom, _ in factors]
        self.bits = 0
        self.interval: Enclosure = None  # until it is first evaluated

    @require(lambda self, bits: bits > self.bits and all(atom.bits >= bits for atom in self.parts), "atoms first")
    @ensure(lambda self, bits: self.bits == bits, "the precision is reached")
    def evaluate(self, bits: int) -> None:
        """Enclose the sum at a precision, its atoms being enclosed at that precision already."""
        products = []
        for factors, coefficient in self.terms.items():
            product = [] if coefficient == 1 and factors else [engine.exact_interval(coefficient, bits)]
            for atom, power in factors:
                factor = atom.interval if power == 1 else atom.powers.get((power, bits))
                if factor is None:
                    factor = atom.powers[power, bits] = engine.power_interval(atom.interval, power, bits)
                product.append(factor)
            products.append(product)
        whole = engine.sum_of_products(products, bits)
        self.interval = engine.intersection(self.interval, whole) if self.bits else whole
        self.bits = bits


class Atom:
    """A factor that is not computed with: a function of a number, with its best enclosure so far."""

    __slots__ = ("argument", "bits", "interval", "kind", "parts", "powers", "serial")

    @require(lambda kind, argument: kind is not Kind.EXACT or not isinstance(argument, Expression), "EXACT is exact")
    @ensure(lambda self: self.bits == 0, "nothing is evaluated before it is asked for")
    def __init__(self, kind: Kind, argument: Any, serial: int) -> None:
        """The function ``kind`` of an exact number or an expression; the serial number puts atoms in order."""
        self.kind = kind
        self.argument = argument
        self.serial = serial
        self.parts: list[Node] = [argument] if isinstance(argument, Expression) else []
        self.powers: dict[tuple[int, int], Enclosure] = {}  # of this enclosure, by power and precision
        self.bits = 0
        self.interval: Enclosure = None  # until it is first evaluated

    @require(lambda self, bits: bits > self.bits and all(part.bits >= bits for part in self.parts), "argument first")
    @ensure(lambda self, bits: self.bits == bits, "the precision is reached")
    def evaluate(self, bits: int) -> None:
        """Enclose the atom at a precision, its argument being enclosed at that precision already.

        log and sqrt are only made of arguments whose enclosure is above 0 already, and enclosures only shrink.
        """
        argument = self.argument
        exact = not isinstance(argument, Expression)
        inner = engine.exact_interval(argument, bits) if exact else argument.interval
        if self.kind is Kind.EXP:
            inner = engine.exp_interval(inner, bits)
        elif self.kind is Kind.LOG:
            inner = engine.log_interval(inner, bits)
        elif self.kind is Kind.SQRT:
            inner = engine.sqrt_interval(inner, bits)
        self.interval = engine.intersection(self.interval, inner) if self.bits else inner
        self.powers.clear()
        self.bits = bits


Factors = tuple[tuple[Atom, int], ...]
Coefficient = Fraction | Surd
Terms = Mapping[Factors, Coefficient]
Node = Expression | Atom


@require(lambda bits: bits > 0, "a positive precision")
@ensure(lambda node, bits: node.bits >= bits, "the precision is reached")
def refine(node: Node, bits: int) -> None:
    """Enclose a node at a precision, the parts of each node first; without recursion, since nests are deep."""
    waiting: list[Node] = [node]
    while waiting:
        current = waiting[-1]
        pending = [part for part in current.parts if part.bits < bits] if current.bits < bits else []
        if pending:
            waiting += pending
            continue
        waiting.pop()
        if current.bits < bits:
            current.evaluate(bits)


@require(lambda bits: bits > 0, "a positive precision")
@ensure(lambda node, result: result == engine.sign_of(node.interval), "the sign is that of the enclosure")
def decided_sign(node: Node, bits: int) -> int | None:
    """The sign once the enclosure has only one, refined to ``bits`` at most; None when it has several by then."""
    precision = FIRST_BITS
    while True:
        refine(node, min(precision, bits))
        sign = engine.sign_of(node.interval)
        if sign is not None or precision >= bits:
            return sign
        precision *= 2


class Table:
    """The atoms of one arithmetic: equal functions of equal arguments are one atom."""

    __slots__ = ("atoms", "max_bits")

    @require(lambda max_bits: max_bits > 0, "a positive precision")
    @ensure(lambda self: not self.atoms, "a new table is empty")
    def __init__(self, max_bits: int) -> None:
        """An empty table, for expressions that are refined to ``max_bits`` bits at most."""
        self.atoms: dict[tuple[Kind, object], Atom] = {}
        self.max_bits = max_bits

    @ensure(lambda self, result: result == (Table, (self.max_bits,)), "the precision is what is kept")
    def __reduce__(self) -> tuple[type[Table], tuple[int]]:
        """A table for another process: empty, since atoms are those of one process."""
        return Table, (self.max_bits,)

    @total("any kind of any argument has an atom")
    @ensure(lambda kind, argument, result: result.kind is kind and (result.argument.terms == argument.terms
            if isinstance(argument, Expression) else result.argument == argument), "the function of this argument")
    def atom(self, kind: Kind, argument: Any) -> Atom:
        """The atom for a function of an argument."""
        key = (kind, frozenset(argument.terms.items()) if isinstance(argument, Expression) else argument)
        found = self.atoms.get(key)
        if found is None:
            found = self.atoms[key] = Atom(kind, argument, len(self.atoms))
        return found


@require(lambda value: not isinstance(value, float), "a number of the arithmetic")
@ensure(lambda value, result: result is None or isinstance(value, Expression) or result is value, "exact numbers stay")
def exact_value(value: Any) -> Any:
    """The exact number that a value is or stands for, or None."""
    if not isinstance(value, Expression):
        return value
    for factors, coefficient in value.terms.items() if len(value.terms) == 1 else ():
        ((atom, power), *others) = factors
        if atom.kind is Kind.EXACT and power == 1 and coefficient == 1 and not others:
            return atom.argument
    return None
