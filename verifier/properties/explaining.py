"""Why a property has its value at a moment: the part that decides, where that is, and the numbers in it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from grpocheck.core.arithmetic import Scalar, UndecidedComparison
from grpocheck.verifier.properties.evaluation import Bound, Evaluator, Truth, Undefined, negated
from grpocheck.verifier.properties.moments import Element, Moment
from grpocheck.verifier.properties.quantities import QUANTITIES, Level, Sort
from grpocheck.verifier.properties.syntax import (
    Aggregate,
    Comparison,
    Implies,
    Literal,
    Name,
    Node,
    Not,
    Quantified,
    StatusName,
    children,
)
from grpocheck.verifier.properties.verdicts import Place
from grpocheck.verifier.properties.writing import index_text, written

LONGEST_VALUE = 400
MOST_VALUES = 24


@dataclass
class Explanation:
    """The parts that decide, in words; the numbers in them by name; and where that is."""

    place: Place
    facts: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)


def explained(tree: Node, moment: Moment) -> Explanation:
    """Why a checked tree has its value at a moment."""
    evaluator = Evaluator(moment)
    value = evaluator.truth(tree, {})
    explanation = Explanation(Place())
    for number, (leaf, bound) in enumerate(deciding(evaluator, tree, {}, value)):
        if number == 0:
            explanation.place = place_of(moment, bound)
        if len(explanation.values) >= MOST_VALUES:
            break
        explanation.facts.append(fact(evaluator, leaf, bound, explanation.values))
    return explanation


def deciding(evaluator: Evaluator, node: Node, bound: Bound, value: Truth) -> Iterator[tuple[Comparison, Bound]]:
    """The comparisons that make a node what it is: those of one part where one part decides, else of all."""
    if isinstance(node, Comparison):
        yield node, bound
        return
    if isinstance(node, Not):
        yield from deciding(evaluator, node.operand, bound, negated(value))
        return
    if isinstance(node, Quantified):
        parts = [(node.body, instance, value) for instance in evaluator.instances(node, bound)]
    elif isinstance(node, Implies):
        parts = [(node.left, bound, negated(value)), (node.right, bound, value)]
    else:
        parts = [(child, bound, value) for child in children(node)]
    found = [(part, instance, evaluator.truth(part, instance)) for part, instance, _ in parts]
    sole = [entry for entry, (_, _, wanted) in zip(found, parts, strict=True) if entry[2] is wanted]
    for part, instance, truth in sole[:1] if sole and not every_part_counts(node, value) else found:
        yield from deciding(evaluator, part, instance, truth)


def every_part_counts(node: Node, value: Truth) -> bool:
    """Whether it takes all parts together: those of a conjunction that is true, of a disjunction that is false."""
    name = type(node).__name__
    disjunctive = name in ("Or", "Implies") or (isinstance(node, Quantified) and node.quantifier == "any")
    return name == "Iff" or (value is Truth.FALSE if disjunctive else value is Truth.TRUE)


def place_of(moment: Moment, bound: Bound) -> Place:
    """Where a comparison was made: the step of the moment, and the prompt and draw that the variables stand for."""
    prompt = draw = None
    for element in bound.values():
        if element.sort is not Sort.COORDINATE:
            prompt = element.prompt + 1
        if element.sort is Sort.RESPONSE:
            draw = element.place + 1
    return Place(moment.t, None if moment.frozen is None else moment.k, prompt, draw)


def fact(evaluator: Evaluator, leaf: Comparison, bound: Bound, values: dict[str, str]) -> str:
    """A comparison with what stands on its sides; the numbers are entered under their names."""
    shown = []
    for side in children(leaf):
        for part in named_parts(side):
            values.setdefault(name_of(part, evaluator.moment, bound), value_text(evaluator, part, bound))
        if not isinstance(side, Literal | StatusName):
            shown.append(f"{written(side)} = {value_text(evaluator, side, bound)}")
    return f"{written(leaf)}: {', '.join(dict.fromkeys(shown))}"


def named_parts(node: Node) -> Iterator[Name | Aggregate]:
    """The quantities and aggregates in an expression."""
    if isinstance(node, Name | Aggregate):
        yield node
        return
    for child in children(node):
        yield from named_parts(child)


def name_of(node: Name | Aggregate, moment: Moment, bound: Bound) -> str:
    """A quantity with its index in numbers: ratio[2,1] of the first draw of prompt 2; of one prompt ratio[1]."""
    if isinstance(node, Aggregate):
        return written(node)
    element = Evaluator.element(node, node.index, bound)
    if element is None:
        return node.name
    return f"{node.name}{index_text(numbers_of(element, node, moment))}"


def numbers_of(element: Element, node: Name, moment: Moment) -> tuple[int | str, ...]:
    """The numbers of an element, from 1; of a support response its name."""
    sorts = QUANTITIES[node.name].sorts
    if element.sort is Sort.COORDINATE:
        return (element.place + 1,)
    if Sort.PROMPT in sorts:
        return (element.prompt + 1,)
    inner: int | str = element.place + 1 if element.sort is Sort.RESPONSE else repr(moment.response(element))
    return (inner,) if len(moment.setting.supports) == 1 else (element.prompt + 1, inner)


def value_text(evaluator: Evaluator, node: Node, bound: Bound) -> str:
    """The exact number, the bounds of an enclosed one, a status, or why there is none."""
    if isinstance(node, Name) and QUANTITIES[node.name].level is Level.OUTCOME and node.name == "status":
        return str(evaluator.status(node))
    try:
        return number_text(evaluator, evaluator.number(node, bound))
    except Undefined as undefined:
        return f"undefined ({undefined})"
    except UndecidedComparison as undecided:
        return f"undecided ({undecided})"


def number_text(evaluator: Evaluator, value: Scalar) -> str:
    """A number as text, its middle left out where it is very long."""
    found = evaluator.arithmetic.text(value)
    text = found if isinstance(found, str) else f"[{', '.join(found)}]"
    if len(text) <= LONGEST_VALUE:
        return text
    return f"{text[: LONGEST_VALUE // 2]}...{text[-LONGEST_VALUE // 2 :]} ({len(text)} characters)"
