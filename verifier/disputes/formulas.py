"""Formulas of disputes: arithmetic on numbers and lists, means over all draws, derivatives, and binary formats.

Python's notation for arithmetic, comparisons, indices and list comprehensions, over the names of a case. An operation
of two lists goes entry by entry; one of a list and a number takes the number for every entry. docs/own_disputes.md
lists the functions.
"""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod
from typing import Any

from grpocheck.core.arithmetic import Arithmetic
from grpocheck.core.invalid import InvalidProblem, shortened
from grpocheck.core.values import known_keys, rational
from grpocheck.verifier.disputes.functions import FUNCTIONS, elementwise, mapped, whole
from grpocheck.verifier.disputes.numbers import ONE, ZERO, Dual, Reals, Rounded, format_named

MOST_DRAWS = 20_000
"""So many ordered draws of a group are run through at most."""
LONGEST = 4_000
REMEMBERED = 4_096
"""So many formulas, and numbers in them, are remembered as they were read."""
SIGNS: Mapping[type[ast.AST], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
MOMENTS = ("expected", "variance", "expected_unordered", "variance_unordered")
LAZY = (*MOMENTS, "gradient", "derivative", "in_format")
"""Functions that evaluate an argument themselves, under other names or numbers."""


class Definition(str):
    """A name that stands for a formula; it is evaluated where it is used."""


class Evaluator:
    """Evaluates formulas over names, in a system of numbers."""

    def __init__(self, names: Mapping[str, Any], numbers: Reals, most_draws: int = MOST_DRAWS) -> None:
        """The names, each with a number, a nested list of numbers, or a Definition."""
        self.names = names
        self.numbers = numbers
        self.most_draws = most_draws

    def with_names(self, names: Mapping[str, Any]) -> "Evaluator":
        """An evaluator that knows these names as well, before its own."""
        return Evaluator({**self.names, **names}, self.numbers, self.most_draws)

    def evaluate(self, formula: str) -> Any:
        """The value of a formula; raises InvalidProblem for what is none."""
        try:
            return self.value(parsed(formula))
        except (RecursionError, OverflowError) as error:
            expected = "a formula that is less deep, and of smaller numbers"
            raise InvalidProblem("formula", shortened(formula), expected) from error

    def value(self, node: ast.AST) -> Any:
        """The value of a part of a formula."""
        if isinstance(node, ast.Constant):
            return self.constant(node)
        if isinstance(node, ast.Name):
            return self.named(node.id)
        if isinstance(node, ast.List | ast.Tuple):
            return [self.value(entry) for entry in node.elts]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self.operation("-", ZERO, self.value(node.operand))
        if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
            return self.operation(SIGNS[type(node.op)], self.value(node.left), self.value(node.right))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self.compared(node.ops[0], self.value(node.left), self.value(node.comparators[0]))
        if isinstance(node, ast.Subscript):
            return self.indexed(self.value(node.value), self.value(node.slice))
        if isinstance(node, ast.ListComp):
            return self.comprehension(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            if node.func.id in LAZY:
                return self.lazy(node.func.id, node.args)
            return self.call(node.func.id, [self.value(argument) for argument in node.args])
        raise InvalidProblem("formula", ast.unparse(node), "numbers, names, + - * / **, comparisons, lists, functions")

    def constant(self, node: ast.Constant) -> Any:
        """A number as it is written, so that 0.2 is 1/5."""
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            raise InvalidProblem("formula", node.value, "a number")
        return self.numbers.number(literal(getattr(node, "written", str(node.value))))

    def named(self, name: str) -> Any:
        """The value of a name."""
        if name not in self.names:
            raise InvalidProblem("formula", name, known_keys(name, sorted(self.names)))
        stated = self.names[name]
        if isinstance(stated, Definition):
            return self.evaluate(stated)
        return mapped(self.numbers.number, stated)

    def operation(self, sign: str, a: Any, b: Any) -> Any:
        """An operation, entry by entry."""
        return elementwise(lambda x, y: self.numbers.combined(sign, x, y), a, b)

    def compared(self, comparison: ast.cmpop, a: Any, b: Any) -> Any:
        """1 where a comparison holds and 0 where it does not, entry by entry."""
        less, equal = self.numbers.less, self.numbers.equal
        tests: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
            ast.Lt: less,
            ast.Gt: lambda x, y: less(y, x),
            ast.LtE: lambda x, y: not less(y, x),
            ast.GtE: lambda x, y: not less(x, y),
            ast.Eq: equal,
            ast.NotEq: lambda x, y: not equal(x, y),
        }
        if type(comparison) not in tests:
            raise InvalidProblem("formula", type(comparison).__name__, "<, <=, >, >=, == or !=")
        test = tests[type(comparison)]

        def told(x: Any, y: Any) -> Any:
            self.numbers.check_apart(x, y)
            return ONE if test(x, y) else ZERO

        return elementwise(told, a, b)

    def indexed(self, values: Any, index: Any) -> Any:
        """An entry of a list, or the entries that a list of places names."""
        if not isinstance(values, list):
            raise InvalidProblem("formula", "an index", "a list before it")
        if isinstance(index, list):
            return [self.indexed(values, place) for place in index]
        place = whole("index", index)
        if not -len(values) <= place < len(values):
            raise InvalidProblem("formula", f"index {place}", f"a place in a list of {len(values)}")
        return values[place]

    def comprehension(self, node: ast.ListComp) -> Any:
        """``[expression for name in list]``, with several names over ``zip(...)``."""
        if len(node.generators) != 1 or node.generators[0].ifs:
            raise InvalidProblem("formula", ast.unparse(node), "one for, without an if")
        generator = node.generators[0]
        targets = generator.target.elts if isinstance(generator.target, ast.Tuple) else [generator.target]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        entries = self.value(generator.iter)
        if not isinstance(entries, list) or len(names) != len(targets):
            raise InvalidProblem("formula", ast.unparse(generator), "names in a list")
        found = []
        for entry in entries:
            values = entry if len(names) > 1 else [entry]
            if not isinstance(values, list) or len(values) != len(names):
                raise InvalidProblem("formula", ast.unparse(generator), f"{len(names)} values for each entry")
            found.append(self.with_names(dict(zip(names, values, strict=True))).value(node.elt))
        return found

    def call(self, name: str, arguments: Sequence[Any]) -> Any:
        """The value of a function of values."""
        if name not in FUNCTIONS:
            raise InvalidProblem("formula", name, known_keys(name, [*FUNCTIONS, *LAZY]))
        function, fewest, most = FUNCTIONS[name]
        if not fewest <= len(arguments) <= most:
            raise InvalidProblem("formula", f"{name} of {len(arguments)}", f"{fewest} to {most} arguments")
        return function(self.numbers, *arguments)

    def lazy(self, name: str, arguments: Sequence[ast.AST]) -> Any:
        """A function that evaluates its last, or its first, argument itself."""
        if name in MOMENTS and len(arguments) == 3:
            return self.moment(name, self.value(arguments[0]), self.value(arguments[1]), arguments[2])
        if name == "gradient" and len(arguments) == 1:
            return self.gradient(arguments[0])
        if name == "derivative" and len(arguments) == 2 and isinstance(arguments[1], ast.Name):
            return self.derivative(arguments[0], arguments[1].id)
        if name == "in_format" and len(arguments) == 2 and isinstance(arguments[0], ast.Constant | ast.Name):
            word = arguments[0].value if isinstance(arguments[0], ast.Constant) else self.names.get(arguments[0].id)
            rounded = Rounded(self.numbers.arithmetic, format_named(str(word)))
            return Evaluator(self.names, rounded, self.most_draws).value(arguments[1])
        moments = " or ".join(f"{moment}(masses, G, f)" for moment in MOMENTS)
        usage = f"{moments}, gradient(f), derivative(f, name), in_format(name, f)"
        raise InvalidProblem("formula", name, usage)

    def moment(self, name: str, masses: Any, size: Any, node: ast.AST) -> Any:
        """The mean, or the variance entry by entry, of a formula over G independent draws; ``y`` holds their places."""
        if not isinstance(masses, list):
            raise InvalidProblem("formula", f"{name}(...)", "a list of masses first")
        count = whole("G", size)
        cases = 0 if count < 1 else number_of_draws(len(masses), count, name.endswith("_unordered"))
        if not 1 <= cases <= self.most_draws:
            found = f"{cases} draws: {len(masses)} responses, groups of {count}"
            raise InvalidProblem("formula", found, f"at least one and at most {self.most_draws}")
        if not self.numbers.equal(self.numbers.total(masses), ONE):
            raise InvalidProblem("formula", f"{name} over {shortened(str(masses))}", "masses with sum 1")
        first: Any = ZERO
        second: Any = ZERO
        for draws, orders in drawn(len(masses), count, name.endswith("_unordered")):
            mass: Any = Fraction(orders)
            for place in draws:
                mass = self.numbers.combined("*", mass, masses[place])
            value = self.with_names({"y": [Fraction(place) for place in draws]}).value(node)
            first = self.operation("+", first, self.operation("*", mass, value))
            if name.startswith("variance"):
                second = self.operation("+", second, self.operation("*", mass, self.operation("*", value, value)))
        return self.operation("-", second, self.operation("*", first, first)) if second is not ZERO else first

    def gradient(self, node: ast.AST) -> Any:
        """The derivatives of a number by the softmax logits of ``pi``."""
        masses = self.named("pi")
        if not isinstance(masses, list) or any(isinstance(mass, list | Dual) for mass in masses):
            raise InvalidProblem("pi", shortened(str(masses)), "a list of masses, once differentiated")
        pi = [
            Dual(mass, tuple(mass * ((ONE if j == k else ZERO) - other) for k, other in enumerate(masses)))
            for j, mass in enumerate(masses)
        ]
        return self.slopes(node, {"pi": pi}, len(masses))

    def derivative(self, node: ast.AST, name: str) -> Any:
        """The partial derivatives of a number by the entries of a name, in order."""
        stated = self.named(name)
        size, places = len(flat(stated)), iter(range(len(flat(stated))))

        def numbered(number: Any) -> Dual:
            place = next(places)
            return Dual(number, tuple(ONE if k == place else ZERO for k in range(size)))

        return self.slopes(node, {name: mapped(numbered, stated)}, size)

    def slopes(self, node: ast.AST, names: Mapping[str, Any], size: int) -> Any:
        """The derivatives that a formula has under names that carry them, entry by entry."""
        found = self.with_names(names).value(node)
        return mapped(lambda number: list(number.parts) if isinstance(number, Dual) else [ZERO] * size, found)


def flat(value: Any) -> list[Any]:
    """The numbers of a nested list in order."""
    return [number for entry in value for number in flat(entry)] if isinstance(value, list) else [value]


@lru_cache(REMEMBERED)
def literal(text: str) -> Fraction:
    """The number that a text writes, so that 0.2 is 1/5."""
    return rational("formula", text)


@lru_cache(REMEMBERED)
def parsed(formula: str) -> ast.AST:
    """A formula as a tree; raises InvalidProblem for what is none."""
    if len(formula) > LONGEST:
        raise InvalidProblem("formula", f"{len(formula)} characters", f"at most {LONGEST}")
    written = formula.strip().replace("^", "**")
    try:
        tree = ast.parse(written, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InvalidProblem("formula", formula, "a formula such as mean(r) or (r - mean(r)) / std(r)") from error
    for node in ast.walk(tree) if written.isascii() else ():
        if isinstance(node, ast.Constant) and node.lineno == node.end_lineno == 1:
            node.written = written[node.col_offset : node.end_col_offset].replace("_", "")  # type: ignore[attr-defined]
    return tree


def number_of_draws(size: int, count: int, unordered: bool) -> int:
    """How many groups of so many draws there are, in order or up to it."""
    return comb(size + count - 1, count) if unordered else size**count


def drawn(size: int, count: int, unordered: bool) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every group of so many draws, with the number of orders that it stands for."""
    if not unordered:
        yield from ((draws, 1) for draws in product(range(size), repeat=count))
        return
    for draws in combinations_with_replacement(range(size), count):
        yield draws, factorial(count) // prod(factorial(draws.count(place)) for place in set(draws))


def evaluator(names: Mapping[str, Any], arithmetic: Arithmetic, most_draws: int = MOST_DRAWS) -> Evaluator:
    """An evaluator of exact numbers."""
    return Evaluator(names, Reals(arithmetic), most_draws)
