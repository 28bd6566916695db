"""What a syntax tree means, checked before anything is evaluated: types, indices, ranges and size.

A checked tree has one variable for each quantifier, a range for each variable, and an index for every quantity that
needs one. A quantity of a response that no quantifier covers means every drawn response, one of a prompt every prompt.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from grpocheck.core.problem import Problem
from grpocheck.verifier.properties.errors import PropertyError
from grpocheck.verifier.properties.parser import parse_syntax
from grpocheck.verifier.properties.quantities import QUANTITIES, Level, Quantity, Sort
from grpocheck.verifier.properties.syntax import (
    TRUTHS,
    Aggregate,
    And,
    Binder,
    Call,
    Chain,
    Comparison,
    Iff,
    Implies,
    Index,
    Literal,
    Name,
    Negative,
    Node,
    Not,
    Or,
    Power,
    Quantified,
    StatusName,
    children,
)

MOST_NUMBERS = 1024
"""A property has at most so many numbers and names, each counted as often as its powers multiply it."""

DRAWN, MEMBER, PROMPT = Sort.RESPONSE, Sort.SUPPORT, Sort.PROMPT


@dataclass(frozen=True)
class Property:
    """A property that is one: its text, its checked tree, and the names it uses."""

    text: str
    tree: Node
    names: frozenset[str]

    def has(self, level: Level) -> bool:
        """Whether a quantity of this level occurs."""
        return any(QUANTITIES[name].level is level for name in self.names)

    @property
    def is_of_outcome(self) -> bool:
        """Whether it speaks of the outcome alone, and so is looked at once for each run."""
        return not self.has(Level.POINT) and not self.has(Level.STEP)

    @property
    def is_of_step(self) -> bool:
        """Whether it speaks of applied steps: some name ends in _next, or is the step size."""
        return self.has(Level.STEP)

    @property
    def minds_order(self) -> bool:
        """Whether the order of a group's draws matters: some draw is named by its number."""
        return any(is_drawn_by_number(node) for node in every(self.tree))


def parse(text: str) -> Property:
    """The property that a text states. Raises PropertyError, which points at the column.

    >>> stated = parse("F_next >= F")
    >>> stated.is_of_step, sorted(stated.names)
    (True, ['F', 'F_next'])
    """
    tree = parse_syntax(text)
    if not isinstance(tree, TRUTHS):
        raise PropertyError(text, tree.column, f"{NUMBER if is_number(tree) else STATUS}; a property is true or false")
    numbers = written_out(tree)
    if numbers > MOST_NUMBERS:
        raise PropertyError(
            text, 1, f"written out, with every power multiplied, it has {size_text(numbers)} numbers; at most "
            f"{MOST_NUMBERS} are allowed"
        )
    checker = Checker(text)
    free = checker.free_names(tree)
    sort = None if free is None else DRAWN if DRAWN in QUANTITIES[free.name].sorts else PROMPT
    if sort is not None:
        tree = Quantified("all", (Binder(None, sort, 1),), tree, 1)
    checked = checker.truth(tree, ())
    return Property(text, checked, frozenset(node.name for node in every(checked) if isinstance(node, Name)))


NUMBER = "this is a number; compare it, as in F > 0"
STATUS = "this is a status; compare it, as in status = complete"


def size_text(numbers: int) -> str:
    """A count, or a power of ten below it."""
    return str(numbers) if numbers < 10**6 else f"more than 10^{len(str(numbers)) - 1}"


def every(node: Node) -> Iterator[Node]:
    """A node and all below it."""
    yield node
    for child in children(node):
        yield from every(child)


def is_drawn_by_number(node: Node) -> bool:
    """Whether a node is a quantity of one draw, named by its number."""
    return isinstance(node, Name) and DRAWN in QUANTITIES[node.name].sorts and isinstance(node.index[-1], int)


def is_number(node: Node) -> bool:
    """Whether a node stands for a number, by its form."""
    return not isinstance(node, StatusName | TRUTHS) and not (isinstance(node, Name) and node.name == "status")


def written_out(node: Node) -> int:
    """How many numbers and names there are, each as often as the powers above it multiply it."""
    below = sum(map(written_out, children(node)))
    return below * max(1, abs(node.exponent)) if isinstance(node, Power) else max(1, below)


Scope = tuple[tuple[str, Sort], ...]
"""The variables that are bound, the innermost last, each with what it ranges over."""


def innermost(scope: Scope, *sorts: Sort) -> str | None:
    """The innermost variable of one of these sorts."""
    return next((name for name, sort in reversed(scope) if sort in sorts), None)


@dataclass
class Checker:
    """The checks of one property."""

    text: str
    unnamed: Iterator[int] = field(default_factory=lambda: iter(range(1, 10_000)))

    def error(self, node: Node | Binder, message: str) -> PropertyError:
        """The error that points at a node."""
        return PropertyError(self.text, node.column, message)

    def free_names(self, node: Node, sorts: tuple[Sort, ...] = ()) -> Name | None:
        """A quantity without an index that no quantifier covers: of a response if there is one, else of a prompt."""
        if isinstance(node, Name):
            needed = QUANTITIES[node.name].sorts
            if node.index or QUANTITIES[node.name].alone:
                return None
            covered = set(needed) | ({DRAWN, MEMBER} if PROMPT in needed else set())
            if not needed or Sort.COORDINATE in needed or covered & set(sorts):
                return None
            if DRAWN in needed and {PROMPT, MEMBER} & set(sorts):
                what = "a drawn response" if MEMBER in sorts else "a response"
                raise self.error(node, f"{node.name} belongs to {what}; write all responses: around it")
            return node
        if isinstance(node, Quantified | Aggregate):
            sorts += tuple(self.sort_of(binder, node.body) for binder in node.binders)
        found = [name for name in (self.free_names(child, sorts) for child in children(node)) if name is not None]
        return next((name for name in found if DRAWN in QUANTITIES[name.name].sorts), found[0] if found else None)

    def sort_of(self, binder: Binder, body: Node) -> Sort:
        """What a variable ranges over: as said, else as its uses tell; a drawn response where they do not."""
        if binder.sort is not None:
            return binder.sort
        needs: list[tuple[Sort, ...]] = []
        for node in every(body):
            if isinstance(node, Name) and binder.name in node.index:
                leads = len(node.index) == 2 and node.index[0] == binder.name
                needs.append((PROMPT,) if leads else QUANTITIES[node.name].sorts)
        for sort in (Sort.COORDINATE, DRAWN, PROMPT):
            if any(sort in sorts for sorts in needs):
                return sort
        return DRAWN

    def truth(self, node: Node, scope: Scope) -> Node:
        """A node that has to be true or false."""
        match node:
            case Comparison(_, _, _):
                return self.comparison(node, scope)
            case Not(operand, column):
                return Not(self.truth(operand, scope), column)
            case And(operands, column) | Or(operands, column):
                return type(node)(tuple(self.truth(operand, scope) for operand in operands), column)
            case Implies(left, right, column) | Iff(left, right, column):
                return type(node)(self.truth(left, scope), self.truth(right, scope), column)
            case Quantified(quantifier, binders, body, column):
                variables = self.variables(binders, body)
                checked = self.truth(body, scope + variables)
                for name, sort in reversed(variables):
                    checked = Quantified(quantifier, (Binder(name, sort, column),), checked, column)
                return checked
        raise self.error(node, NUMBER if is_number(node) else STATUS)

    def number(self, node: Node, scope: Scope) -> Node:
        """A node that has to be a number."""
        match node:
            case Literal(_, _, _):
                return node
            case Name(_, _, _):
                if node.name == "status":
                    raise self.error(node, STATUS)
                return self.quantity(node, scope)
            case Negative(operand, column):
                return Negative(self.number(operand, scope), column)
            case Chain(first, rest, column):
                others = tuple((operator, self.number(operand, scope)) for operator, operand in rest)
                return Chain(self.number(first, scope), others, column)
            case Power(base, exponent, column):
                return Power(self.number(base, scope), exponent, column)
            case Call(function, arguments, column):
                return Call(function, tuple(self.number(argument, scope) for argument in arguments), column)
            case Aggregate(function, binders, body, column):
                variables = self.variables(binders, body)
                checked = self.number(body, scope + variables)
                ranges = tuple(Binder(name, sort, column) for name, sort in variables)
                return Aggregate(function, ranges, checked, column)
        message = STATUS if isinstance(node, StatusName) else "this is true or false; a number is expected here"
        raise self.error(node, message)

    def variables(self, binders: tuple[Binder, ...], body: Node) -> Scope:
        """The variables of binders with what they range over; one without a name gets one that no text can hold."""
        return tuple((binder.name or f"#{next(self.unnamed)}", self.sort_of(binder, body)) for binder in binders)

    def comparison(self, node: Comparison, scope: Scope) -> Comparison:
        """A comparison of numbers, or of the status with its name."""
        operands = children(node)
        of_status = [operand for operand in operands if not is_number(operand) and not isinstance(operand, TRUTHS)]
        for operand in operands:
            if isinstance(operand, TRUTHS):
                raise self.error(operand, "this is true or false, and no number; write iff between two such, not =")
        if of_status:
            names = [operand for operand in operands if isinstance(operand, StatusName)]
            if len(operands) != 2 or len(of_status) != 2 or len(names) != 1:
                raise self.error(of_status[0], "a status is compared with its name alone, as in status = complete")
            if node.rest[0][0] not in ("=", "!="):
                raise self.error(of_status[0], f"a status is = or != another one, and not {node.rest[0][0]}")
            for operand in operands:
                if isinstance(operand, Name) and operand.index:
                    raise self.error(operand, "the status is one; it takes no index")
            return node
        rest = tuple((operator, self.number(operand, scope)) for operator, operand in node.rest)
        return Comparison(self.number(node.first, scope), rest, node.column)

    def quantity(self, node: Name, scope: Scope) -> Name:
        """A quantity with the index that it needs."""
        quantity = QUANTITIES[node.name]
        if not quantity.sorts:
            if node.index:
                raise self.error(node, f"{node.name} is one number; it takes no index")
            return node
        index = node.index or self.implied(quantity, scope)
        sorts = dict(scope)
        if len(index) == 2:
            self.check_pair(node, index, sorts)
        elif index:
            (only,) = index
            if isinstance(only, str) and not self.fits(quantity, sorts[only]):
                owners = " or ".join(quantity.sorts)
                raise self.error(node, f"{only} ranges over {sorts[only]}, and {node.name} belongs to {owners}")
            prompt = innermost(scope, PROMPT)
            if isinstance(only, int) and DRAWN in quantity.sorts and prompt is not None:
                index = (prompt, only)
        return replace(node, index=index)

    def implied(self, quantity: Quantity, scope: Scope) -> tuple[Index, ...]:
        """The index of a quantity that is written without one; empty where it is one number all the same."""
        if quantity.alone:
            name = innermost(scope, PROMPT)
        elif PROMPT in quantity.sorts:
            name = innermost(scope, PROMPT, DRAWN, MEMBER)
        elif DRAWN in quantity.sorts:
            name = innermost(scope, *quantity.sorts)
        else:
            name = innermost(scope, Sort.COORDINATE)
        return () if name is None else (name,)

    def check_pair(self, node: Name, index: tuple[Index, ...], sorts: dict[str, Sort]) -> None:
        """Refuse two indices that are not a prompt and the number of a draw."""
        prompt, draw = index
        if DRAWN not in QUANTITIES[node.name].sorts:
            raise self.error(node, f"{node.name} takes one index")
        if isinstance(draw, str) or (isinstance(prompt, str) and sorts[prompt] is not PROMPT):
            raise self.error(node, "two indices are a prompt (its number or variable) and the number of a draw, as in "
                                   "ratio[1,2]; a variable of a response stands alone")

    @staticmethod
    def fits(quantity: Quantity, sort: Sort) -> bool:
        """Whether something of this sort has the quantity; a response has those of its prompt."""
        return sort in quantity.sorts or (PROMPT in quantity.sorts and sort in (DRAWN, MEMBER))


def check_sizes(stated: Property, problem: Problem) -> None:
    """Refuse numbered indices that the problem does not have, and theta without an index where d > 1."""
    for node in every(stated.tree):
        if isinstance(node, Name) and QUANTITIES[node.name].sorts:
            fault = size_fault(node, problem)
            if fault is not None:
                raise PropertyError(stated.text, node.column, fault)


def size_fault(node: Name, problem: Problem) -> str | None:
    """What a problem has not got that a quantity asks for, or None."""
    sorts = QUANTITIES[node.name].sorts
    prompts, group, d = len(problem.prompts), problem.group_size, problem.dimension
    if Sort.COORDINATE in sorts and not node.index and d > 1:
        return f"{node.name} has {d} coordinates here; write {node.name}[1], or all j: {node.name}[j] ..."
    numbers = [part for part in node.index if isinstance(part, int)]
    if not numbers:
        return None
    if Sort.COORDINATE in sorts:
        return f"{node.name} has {counted(d, 'coordinate')} here" if numbers[0] > d else None
    if PROMPT in sorts:
        return f"the problem has {counted(prompts, 'prompt')}" if numbers[0] > prompts else None
    if len(node.index) == 1 and prompts > 1:
        return f"the problem has {prompts} prompts; write the prompt's number, too, as in {node.name}[1,{numbers[0]}]"
    if numbers[-1] > group:
        return f"a group has {counted(group, 'draw')} here"
    if isinstance(node.index[0], int) and len(node.index) == 2 and node.index[0] > prompts:
        return f"the problem has {counted(prompts, 'prompt')}"
    return None


def counted(number: int, noun: str) -> str:
    """A number of things."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
