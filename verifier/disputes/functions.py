"""The functions of formulas: on lists, on groups, and on policies; each takes the system of numbers first."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, islice
from typing import Any

from grpocheck.core.invalid import InvalidProblem, shortened
from grpocheck.verifier.disputes.numbers import ONE, ZERO, Reals, value_of

Function = Callable[..., Any]
MOST_ENTRIES = 10_000
"""The most entries of a list that a function makes."""
MOST_CHOICES = 5_000
"""The most choices of k entries that a function goes through."""


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """A function of every number of a nested list."""
    return [mapped(function, entry) for entry in value] if isinstance(value, list) else function(value)


def elementwise(function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """A function of two numbers, entry by entry; a number goes with every entry of a list."""
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            raise InvalidProblem("formula", f"lists of {len(a)} and {len(b)}", "lists of one length")
        return [elementwise(function, x, y) for x, y in zip(a, b, strict=True)]
    if isinstance(a, list):
        return [elementwise(function, x, b) for x in a]
    if isinstance(b, list):
        return [elementwise(function, a, y) for y in b]
    return function(a, b)


def whole(key: str, number: Any) -> int:
    """An integer that a number is; raises InvalidProblem for any other."""
    number = value_of(number)
    if not isinstance(number, int | Fraction) or number != int(number):
        raise InvalidProblem(key, shortened(str(number)), "a whole number")
    return int(number)


def counted(key: str, number: Any) -> int:
    """A count of entries; raises InvalidProblem for one that is no count, or too large."""
    count = whole(key, number)
    if not 0 <= count <= MOST_ENTRIES:
        raise InvalidProblem(key, str(count), f"a count from 0 to {MOST_ENTRIES}")
    return count


def listed(name: str, value: Any) -> list[Any]:
    """A list with an entry at least; raises InvalidProblem for what is none."""
    if not isinstance(value, list) or not value:
        raise InvalidProblem("formula", f"{name} of {shortened(str(value))}", "a list with an entry at least")
    return value


def total(numbers: Reals, values: Any) -> Any:
    """The sum of the entries; entries that are lists are added entry by entry."""
    entries = listed("sum", values)
    if not any(isinstance(entry, list) for entry in entries):
        return numbers.total(entries)
    found = entries[0]
    for entry in entries[1:]:
        found = elementwise(lambda x, y: numbers.combined("+", x, y), found, entry)
    return found


def divided(numbers: Reals, a: Any, b: Any) -> Any:
    """a / b, entry by entry."""
    return elementwise(lambda x, y: numbers.combined("/", x, y), a, b)


def mean(numbers: Reals, values: Any) -> Any:
    """The mean of the entries."""
    return divided(numbers, total(numbers, values), Fraction(len(listed("mean", values))))


def variance(numbers: Reals, values: Any, lost: Any = ZERO) -> Any:
    """The mean squared deviation, over the number of entries less the lost degrees of freedom."""
    centre = mean(numbers, values)
    deviations = [numbers.combined("-", value, centre) for value in values]
    squares = numbers.total([numbers.combined("*", d, d) for d in deviations])
    return numbers.combined("/", squares, numbers.number(Fraction(len(values)) - value_of(lost)))


def deviation(numbers: Reals, values: Any, lost: Any = ZERO) -> Any:
    """The square root of the variance."""
    return numbers.function("sqrt", variance(numbers, values, lost))


def product(numbers: Reals, values: Any) -> Any:
    """The product of the entries."""
    found = listed("prod", values)[0]
    for value in values[1:]:
        found = numbers.combined("*", found, value)
    return found


def others(numbers: Reals, values: Any) -> Any:
    """For each entry the mean of the others."""
    entries = listed("others", values)
    count = numbers.number(Fraction(len(entries) - 1))
    everything = numbers.total(entries)
    return [numbers.combined("/", numbers.combined("-", everything, entry), count) for entry in entries]


def without(numbers: Reals, values: Any) -> Any:
    """For each entry the list of the others."""
    return [values[:place] + values[place + 1 :] for place in range(len(listed("without", values)))]


def best_of(numbers: Reals, values: Any, count: Any) -> Any:
    """The mean of the largest of so many entries, over every choice of them: pass@k where they are 0 and 1."""
    size = counted("best_of", count)
    groups = list(islice(combinations(listed("best_of", values), size), MOST_CHOICES + 1)) if size else []
    if not 1 <= len(groups) <= MOST_CHOICES:
        raise InvalidProblem("formula", f"best_of({len(values)} entries, {size})", f"1 to {MOST_CHOICES} choices")
    return mean(numbers, [extreme(False)(numbers, list(group)) for group in groups])


def from_here(numbers: Reals, values: Any) -> Any:
    """For each entry the sum of it and all that follow: a reward to go."""
    return [numbers.total(values[place:]) for place in range(len(listed("to_go", values)))]


def extreme(lesser: bool) -> Function:
    """min or max: of a list, or entry by entry of several arguments."""

    def found(numbers: Reals, first: Any, *rest: Any) -> Any:
        arguments = list(rest) if rest else listed("min or max", first)[1:]
        result = first if rest else first[0]
        for argument in arguments:
            result = elementwise(lambda x, y: numbers.extreme(lesser, x, y), result, argument)
        return result

    return found


def clipped(numbers: Reals, values: Any, lower: Any, upper: Any) -> Any:
    """The values held between two bounds."""
    held = elementwise(lambda x, y: numbers.extreme(False, x, y), values, lower)
    return elementwise(lambda x, y: numbers.extreme(True, x, y), held, upper)


def chosen(numbers: Reals, test: Any, a: Any, b: Any) -> Any:
    """a where a test holds and b where it does not, entry by entry."""
    if isinstance(test, list):
        sides = [side if isinstance(side, list) else [side] * len(test) for side in (a, b)]
        return [chosen(numbers, *entry) for entry in zipped(numbers, test, *sides)]
    taken, other = (b, a) if numbers.equal(test, ZERO) else (a, b)
    return elementwise(lambda x, _: x, taken, other) if isinstance(other, list) else taken


def magnitude(numbers: Reals, values: Any) -> Any:
    """The absolute values."""
    negated = elementwise(lambda x, y: numbers.combined("-", x, y), ZERO, values)
    return elementwise(lambda x, y: numbers.extreme(False, x, y), values, negated)


def detached(numbers: Reals, values: Any) -> Any:
    """The values without their derivatives."""
    return mapped(value_of, values)


def function(name: str) -> Function:
    """log, exp or sqrt, entry by entry."""
    return lambda numbers, values: mapped(lambda x: numbers.function(name, x), values)


def flattened(numbers: Reals, values: Any) -> Any:
    """The numbers of a nested list in one list."""
    found: list[Any] = []
    for entry in values if isinstance(values, list) else [values]:
        found += flattened(numbers, entry) if isinstance(entry, list) else [entry]
    return found


def joined(numbers: Reals, values: Any) -> Any:
    """The entries of several lists in one list."""
    return [entry for entries in listed("join", values) for entry in listed("join", entries)]


def parted(numbers: Reals, values: Any, size: Any) -> Any:
    """The list in parts of a size, the last one perhaps shorter."""
    step = max(1, whole("parted", size))
    return [values[place : place + step] for place in range(0, len(listed("parted", values)), step)]


def only(numbers: Reals, values: Any, flags: Any) -> Any:
    """The entries whose flag is not 0."""
    return [value for value, flag in zipped(numbers, values, flags) if not numbers.equal(flag, ZERO)]


def present(numbers: Reals, values: Any) -> Any:
    """The entries that are there."""
    return [value for value in values if value is not None]


def total_present(numbers: Reals, values: Any) -> Any:
    """The sum of the entries that are there; none where none is."""
    there = present(numbers, listed("sum_present", values))
    return numbers.total(there) if there else None


def filled(numbers: Reals, values: Any, filler: Any) -> Any:
    """The entries, those that are missing by another number."""
    return mapped(lambda x: filler if x is None else x, values)


def zipped(numbers: Reals, *lists: Any) -> Any:
    """Tuples of the entries of several lists."""
    if len({len(listed("zip", entries)) for entries in lists}) != 1:
        raise InvalidProblem("formula", "zip", "lists of one length")
    return [list(entries) for entries in zip(*lists, strict=True)]


def repeated(numbers: Reals, values: Any, counts: Any) -> Any:
    """Each entry as often as its count says, as a list of its own."""
    return elementwise(lambda x, n: [x] * counted("repeat", n), values, counts)


def length(numbers: Reals, values: Any) -> Any:
    """The number of entries."""
    return Fraction(len(listed("len", values)))


def scores(numbers: Reals, masses: Any) -> Any:
    """For each response of a support the gradient of log pi by the softmax logits."""
    return [
        [numbers.combined("-", ONE if j == k else ZERO, mass) for k, mass in enumerate(masses)]
        for j in range(len(listed("score", masses)))
    ]


def normalised(numbers: Reals, masses: Any) -> Any:
    """The entries over their sum."""
    return divided(numbers, masses, total(numbers, masses))


def softmax(numbers: Reals, logits: Any, temperature: Any = ONE) -> Any:
    """exp(z / T) over its sum."""
    return normalised(numbers, function("exp")(numbers, divided(numbers, logits, temperature)))


def tempered(numbers: Reals, masses: Any, temperature: Any) -> Any:
    """Masses at a temperature: p ** (1/T) over its sum."""
    power = ONE / value_of(temperature)
    return normalised(numbers, mapped(lambda x: numbers.combined("**", x, power), masses))


def kept(numbers: Reals, masses: Any, keeps: Sequence[int]) -> Any:
    """The masses of some places over their sum, 0 elsewhere."""
    return normalised(numbers, [mass if place in keeps else ZERO for place, mass in enumerate(masses)])


def descending(numbers: Reals, masses: Any) -> list[int]:
    """The places of the masses from the largest on, the earlier first among equals."""
    order: list[int] = []
    for place, mass in enumerate(listed("masses", masses)):
        before = next((at for at, other in enumerate(order) if numbers.less(masses[other], mass)), len(order))
        order.insert(before, place)
    return order


def top_k(numbers: Reals, masses: Any, count: Any) -> Any:
    """The k largest masses, normalised."""
    return kept(numbers, masses, descending(numbers, masses)[: whole("k", count)])


def top_p(numbers: Reals, masses: Any, share: Any) -> Any:
    """The fewest largest masses that come to a share at least, normalised."""
    found: list[int] = []
    reached: Any = ZERO
    for place in descending(numbers, masses):
        if found and not numbers.less(reached, share):
            break
        found.append(place)
        reached = numbers.combined("+", reached, masses[place])
    return kept(numbers, masses, found)


def places(numbers: Reals, count: Any) -> Any:
    """0, 1, ... up to a count."""
    return [Fraction(place) for place in range(counted("range", count))]


FUNCTIONS: dict[str, tuple[Function, int, int]] = {
    "sum": (total, 1, 1),
    "mean": (mean, 1, 1),
    "var": (variance, 1, 2),
    "std": (deviation, 1, 2),
    "prod": (product, 1, 1),
    "others": (others, 1, 1),
    "without": (without, 1, 1),
    "to_go": (from_here, 1, 1),
    "best_of": (best_of, 2, 2),
    "min": (extreme(True), 1, 8),
    "max": (extreme(False), 1, 8),
    "clip": (clipped, 3, 3),
    "where": (chosen, 3, 3),
    "abs": (magnitude, 1, 1),
    "sg": (detached, 1, 1),
    "log": (function("log"), 1, 1),
    "ln": (function("log"), 1, 1),
    "exp": (function("exp"), 1, 1),
    "sqrt": (function("sqrt"), 1, 1),
    "flat": (flattened, 1, 1),
    "join": (joined, 1, 1),
    "parted": (parted, 2, 2),
    "only": (only, 2, 2),
    "present": (present, 1, 1),
    "filled": (filled, 2, 2),
    "sum_present": (total_present, 1, 1),
    "zip": (zipped, 1, 8),
    "repeat": (repeated, 2, 2),
    "len": (length, 1, 1),
    "range": (places, 1, 1),
    "score": (scores, 1, 1),
    "softmax": (softmax, 1, 2),
    "tempered": (tempered, 2, 2),
    "top_k": (top_k, 2, 2),
    "top_p": (top_p, 2, 2),
}
"""Each function of a formula, with the fewest and the most arguments."""
