"""Open domains U inside R^d, each given by finitely many strict inequalities.

Seed [000]: theta moves in an open set, and the domain oracle M_U answers 1 exactly on it. U is the stated domain
intersected with the family's natural domain. Every inequality here is left < right with rational coefficients, so on
exact numbers membership is always decided, the boundary included (a boundary point lies outside).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any, TypeAlias

from grpocheck.contracts.clauses import ensure, invariant, require, total
from grpocheck.contracts.comparisons import below
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.values import DecimalLiteral, choice, count, entries, rational, rational_text, rationals, table

Inequality: TypeAlias = tuple[Scalar, Scalar]


class Domain(ABC):
    """An open subset of R^d."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The number d of coordinates."""

    @abstractmethod
    def inequalities(self, theta: Sequence[Scalar]) -> tuple[Inequality, ...]:
        """The pairs (left, right) such that theta is in the domain exactly when left < right for all of them."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The domain as the problem file writes it: a kind and exact numbers as texts."""

    @require(lambda self, theta: len(theta) == self.dimension, "a point of R^d has d coordinates")
    @ensure(
        lambda self, theta, result: not result or all(below(left, right) for left, right in self.inequalities(theta)),
        "A1: a member satisfies every strict inequality of U",
    )
    def contains(self, theta: Sequence[Scalar], arithmetic: Arithmetic) -> bool:
        """Whether theta is in the domain; decided, or the arithmetic raises UndecidedComparison."""
        return all(arithmetic.less(left, right) for left, right in self.inequalities(theta))


@total("bad input raises InvalidProblem")
@ensure(lambda values, result: len(result) == len(values), "one bound for each coordinate")
def bounds(key: str, values: object) -> tuple[Fraction | None, ...]:
    """The bounds of a box: numbers, with None, "inf" and "-inf" for no bound on the side of its key."""
    infinite = (None, "-inf") if key.endswith("lower") else (None, "inf", "+inf")
    listed = entries(key, values, "a list of bounds")
    return tuple(
        None
        if (value.text if isinstance(value, DecimalLiteral) else value) in infinite
        else rational(f"{key}[{i}]", value)
        for i, value in enumerate(listed)
    )


@invariant(lambda self: self.coordinates >= 1, "d >= 1")
@dataclass(frozen=True)
class WholeSpace(Domain):
    """R^d itself."""

    coordinates: int

    @ensure(lambda self: self.dimension == self.coordinates, "d is the number of coordinates")
    def __post_init__(self) -> None:
        """Refuse a space without coordinates."""
        count("domain.dimension", self.coordinates, 1)

    @property
    @ensure(lambda result: result >= 1, "d >= 1")
    def dimension(self) -> int:
        """The number d of coordinates."""
        return self.coordinates

    @require(lambda self, theta: len(theta) == self.dimension, "a point of R^d has d coordinates")
    @ensure(lambda result: not result, "no inequality excludes a point of R^d")
    def inequalities(self, theta: Sequence[Scalar]) -> tuple[Inequality, ...]:
        """No inequality."""
        return ()

    @ensure(lambda self, result: result["dimension"] == self.dimension, "the description keeps d")
    def describe(self) -> dict[str, Any]:
        """Kind and dimension."""
        return {"kind": "whole-space", "dimension": self.coordinates}


@invariant(
    lambda self: all(
        lower is None or upper is None or lower < upper for lower, upper in zip(self.lower, self.upper, strict=True)
    ),
    "an open box has room in every coordinate",
)
@dataclass(frozen=True)
class OpenBox(Domain):
    """lower < theta < upper in every coordinate; None stands for an infinite bound."""

    lower: tuple[Fraction | None, ...]
    upper: tuple[Fraction | None, ...]

    @ensure(lambda self: len(self.lower) == len(self.upper) >= 1, "a box has two bounds for each of d >= 1 coordinates")
    def __post_init__(self) -> None:
        """Read the bounds; refuse different lengths and empty boxes."""
        lower, upper = bounds("domain.lower", self.lower), bounds("domain.upper", self.upper)
        if not lower:
            raise InvalidProblem("domain.lower", self.lower, "at least one bound")
        if len(lower) != len(upper):
            raise InvalidProblem("domain.upper", self.upper, f"{len(lower)} bounds, as many as domain.lower has")
        for i, (low, high) in enumerate(zip(lower, upper, strict=True)):
            if low is not None and high is not None and not low < high:
                raise InvalidProblem(f"domain.upper[{i}]", high, f"a bound above domain.lower[{i}] = {low}")
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    @property
    @ensure(lambda result: result >= 1, "d >= 1")
    def dimension(self) -> int:
        """The number d of coordinates."""
        return len(self.lower)

    @require(lambda self, theta: len(theta) == self.dimension, "a point of R^d has d coordinates")
    @ensure(
        lambda self, result: len(result) == sum(bound is not None for bound in self.lower + self.upper),
        "one inequality for each finite bound",
    )
    def inequalities(self, theta: Sequence[Scalar]) -> tuple[Inequality, ...]:
        """The finite bounds, coordinate by coordinate."""
        pairs = []
        for low, coordinate, high in zip(self.lower, theta, self.upper, strict=True):
            if low is not None:
                pairs.append((low, coordinate))
            if high is not None:
                pairs.append((coordinate, high))
        return tuple(pairs)

    @ensure(lambda self, result: bounds("domain.lower", result["lower"]) == self.lower, "the lower bounds are kept")
    @ensure(lambda self, result: bounds("domain.upper", result["upper"]) == self.upper, "the upper bounds are kept")
    def describe(self) -> dict[str, Any]:
        """Kind and bounds."""
        return {
            "kind": "open-box",
            "lower": ["-inf" if bound is None else rational_text(bound) for bound in self.lower],
            "upper": ["inf" if bound is None else rational_text(bound) for bound in self.upper],
        }


@invariant(lambda self: self.radius > 0, "an open ball has a positive radius")
@dataclass(frozen=True)
class OpenBall(Domain):
    """The points at Euclidean distance below the radius from the centre."""

    centre: tuple[Fraction, ...]
    radius: Fraction

    @ensure(lambda self: len(self.centre) >= 1, "d >= 1")
    def __post_init__(self) -> None:
        """Read centre and radius; refuse a radius that is not positive."""
        centre, radius = rationals("domain.centre", self.centre), rational("domain.radius", self.radius)
        if not centre:
            raise InvalidProblem("domain.centre", self.centre, "at least one coordinate")
        if radius <= 0:
            raise InvalidProblem("domain.radius", radius, "a radius above 0")
        object.__setattr__(self, "centre", centre)
        object.__setattr__(self, "radius", radius)

    @property
    @ensure(lambda result: result >= 1, "d >= 1")
    def dimension(self) -> int:
        """The number d of coordinates."""
        return len(self.centre)

    @require(lambda self, theta: len(theta) == self.dimension, "a point of R^d has d coordinates")
    @ensure(lambda result: not below(result[0][0], 0), "a squared distance is not negative")
    def inequalities(self, theta: Sequence[Scalar]) -> tuple[Inequality, ...]:
        """Squared distance below squared radius: no root is needed."""
        differences = [coordinate - middle for coordinate, middle in zip(theta, self.centre, strict=True)]
        return ((sum(difference * difference for difference in differences), self.radius * self.radius),)

    @ensure(lambda self, result: rationals("domain.centre", result["centre"]) == self.centre, "the centre is kept")
    @ensure(lambda self, result: rational("domain.radius", result["radius"]) == self.radius, "the radius is kept")
    def describe(self) -> dict[str, Any]:
        """Kind, centre and radius."""
        return {
            "kind": "open-ball",
            "centre": [rational_text(middle) for middle in self.centre],
            "radius": rational_text(self.radius),
        }


@invariant(lambda self: len(self.normals) == len(self.offsets) >= 1, "one offset for each normal")
@dataclass(frozen=True)
class HalfSpaces(Domain):
    """normal . theta < offset for every normal."""

    normals: tuple[tuple[Fraction, ...], ...]
    offsets: tuple[Fraction, ...]

    @ensure(lambda self: all(any(normal) for normal in self.normals), "no normal is the zero vector")
    def __post_init__(self) -> None:
        """Read normals and offsets; refuse zero normals and different lengths."""
        listed = entries("domain.normals", self.normals, "a list of normals, each a list of numbers")
        normals = tuple(rationals(f"domain.normals[{i}]", normal) for i, normal in enumerate(listed))
        offsets = rationals("domain.offsets", self.offsets)
        if not normals:
            raise InvalidProblem("domain.normals", self.normals, "at least one normal")
        if len(offsets) != len(normals):
            raise InvalidProblem("domain.offsets", self.offsets, f"{len(normals)} offsets, one for each normal")
        for i, normal in enumerate(normals):
            if len(normal) != len(normals[0]):
                raise InvalidProblem(f"domain.normals[{i}]", normal, f"{len(normals[0])} coordinates, as in normals[0]")
            if not any(normal):
                raise InvalidProblem(f"domain.normals[{i}]", normal, "a normal that is not the zero vector")
        object.__setattr__(self, "normals", normals)
        object.__setattr__(self, "offsets", offsets)

    @property
    @ensure(lambda result: result >= 1, "d >= 1")
    def dimension(self) -> int:
        """The number d of coordinates."""
        return len(self.normals[0])

    @require(lambda self, theta: len(theta) == self.dimension, "a point of R^d has d coordinates")
    @ensure(
        lambda self, result: tuple(right for _, right in result) == self.offsets, "one inequality for each half-space"
    )
    def inequalities(self, theta: Sequence[Scalar]) -> tuple[Inequality, ...]:
        """Each normal . theta against its offset; coordinates with entry 0 do not take part."""
        return tuple(
            (sum(entry * theta[i] for i, entry in normal), offset)
            for normal, offset in zip(self.nonzero_entries, self.offsets, strict=True)
        )

    @cached_property
    @ensure(lambda self, result: len(result) == len(self.normals) and all(result), "no normal is the zero vector")
    def nonzero_entries(self) -> tuple[tuple[tuple[int, Fraction], ...], ...]:
        """The nonzero entries of each normal, with their places."""
        return tuple(tuple((i, entry) for i, entry in enumerate(normal) if entry) for normal in self.normals)

    @ensure(lambda self, result: rationals("domain.offsets", result["offsets"]) == self.offsets, "offsets are kept")
    @ensure(
        lambda self, result: tuple(rationals("domain.normals", n) for n in result["normals"]) == self.normals,
        "normals are kept",
    )
    def describe(self) -> dict[str, Any]:
        """Kind, normals and offsets."""
        return {
            "kind": "half-spaces",
            "normals": [[rational_text(entry) for entry in normal] for normal in self.normals],
            "offsets": [rational_text(offset) for offset in self.offsets],
        }


@invariant(lambda self: all(size >= 0 for size in self.sizes), "a simplex has a number of coordinates")
@dataclass(frozen=True)
class OpenSimplices(Domain):
    """The points whose coordinates, block after block of these sizes, are above 0 with sum below 1 in each block.

    It is where masses, given by all but the last one, are all positive: the natural domain of the families whose
    parameters are masses.
    """

    sizes: tuple[int, ...]

    @ensure(lambda self: self.dimension >= 1, "d >= 1")
    def __post_init__(self) -> None:
        """Read the sizes; refuse a domain without coordinates."""
        listed = entries("domain.sizes", self.sizes, "a list of numbers of coordinates")
        sizes = tuple(count(f"domain.sizes[{i}]", size, 0) for i, size in enumerate(listed))
        if not any(sizes):
            raise InvalidProblem("domain.sizes", self.sizes, "at least one coordinate")
        object.__setattr__(self, "sizes", sizes)

    @property
    @ensure(lambda result: result >= 1, "d >= 1")
    def dimension(self) -> int:
        """The number d of coordinates."""
        return sum(self.sizes)

    @require(lambda self, theta: len(theta) == self.dimension, "a point of R^d has d coordinates")
    @ensure(
        lambda self, result: len(result) == sum(size + 1 for size in self.sizes if size),
        "one inequality for each mass",
    )
    def inequalities(self, theta: Sequence[Scalar]) -> tuple[Inequality, ...]:
        """Every coordinate above 0 and the sum of each block below 1."""
        zero, one = Fraction(0), Fraction(1)
        pairs: list[Inequality] = []
        start = 0
        for size in self.sizes:
            block = theta[start : start + size]
            start += size
            pairs.extend((zero, coordinate) for coordinate in block)
            if block:
                pairs.append((sum(block), one))
        return tuple(pairs)

    @ensure(lambda self, result: tuple(result["sizes"]) == self.sizes, "the sizes are kept")
    def describe(self) -> dict[str, Any]:
        """Kind and sizes."""
        return {"kind": "open-simplices", "sizes": list(self.sizes)}


@invariant(lambda self: len(self.parts) >= 1, "an intersection has parts")
@dataclass(frozen=True)
class Intersection(Domain):
    """The points that lie in every part; the parts of a part that is an intersection are parts of this one."""

    parts: tuple[Domain, ...]

    @ensure(lambda self: len({part.dimension for part in self.parts}) == 1, "all parts live in the same R^d")
    def __post_init__(self) -> None:
        """Refuse parts of different dimension."""
        listed = tuple(entries("domain.parts", self.parts, "a list of domains"))
        if not listed or not all(isinstance(part, Domain) for part in listed):
            raise InvalidProblem("domain.parts", self.parts, "a nonempty list of domains")
        for i, part in enumerate(self.parts):
            if part.dimension != self.parts[0].dimension:
                expected = f"a domain of dimension {self.parts[0].dimension}, as parts[0] is"
                raise InvalidProblem(f"domain.parts[{i}]", part.dimension, expected)
        flat = chain.from_iterable(part.parts if isinstance(part, Intersection) else (part,) for part in listed)
        object.__setattr__(self, "parts", tuple(flat))

    @property
    @ensure(lambda result: result >= 1, "d >= 1")
    def dimension(self) -> int:
        """The number d of coordinates."""
        return self.parts[0].dimension

    @require(lambda self, theta: len(theta) == self.dimension, "a point of R^d has d coordinates")
    @ensure(
        lambda self, theta, result: len(result) == sum(len(part.inequalities(theta)) for part in self.parts),
        "an intersection asks for what each of its parts asks",
    )
    def inequalities(self, theta: Sequence[Scalar]) -> tuple[Inequality, ...]:
        """The inequalities of all parts, in order."""
        return tuple(chain.from_iterable(part.inequalities(theta) for part in self.parts))

    @ensure(lambda self, result: result["parts"] == [part.describe() for part in self.parts], "every part is kept")
    def describe(self) -> dict[str, Any]:
        """Kind and parts."""
        return {"kind": "intersection", "parts": [part.describe() for part in self.parts]}


KEYS: Mapping[str, tuple[str, ...]] = {
    "whole-space": ("dimension",),
    "open-box": ("lower", "upper"),
    "open-ball": ("centre", "radius"),
    "half-spaces": ("normals", "offsets"),
    "open-simplices": ("sizes",),
    "intersection": ("parts",),
}


@total("bad input raises InvalidProblem")
@ensure(lambda mapping, result: result.describe()["kind"] == mapping["kind"], "the domain is of the kind it says")
def domain_from_mapping(mapping: object) -> Domain:
    """The domain that a [domain] table states."""
    allowed = ("kind", *dict.fromkeys(chain.from_iterable(KEYS.values())))
    kind = choice("domain.kind", table("domain", mapping, allowed, ("kind",))["kind"], list(KEYS))
    stated: Mapping[str, Any] = table("domain", mapping, ("kind", *KEYS[kind]), KEYS[kind])
    if kind == "whole-space":
        return WholeSpace(stated["dimension"])
    if kind == "open-box":
        return OpenBox(stated["lower"], stated["upper"])
    if kind == "open-ball":
        return OpenBall(stated["centre"], stated["radius"])
    if kind == "half-spaces":
        return HalfSpaces(stated["normals"], stated["offsets"])
    if kind == "open-simplices":
        return OpenSimplices(stated["sizes"])
    parts = entries("domain.parts", stated["parts"], "a list of domains")
    return Intersection(tuple(domain_part(i, part) for i, part in enumerate(parts)))


@total("bad input raises InvalidProblem")
@ensure(lambda result: not isinstance(result, Intersection), "an intersection has no intersection among its parts")
def domain_part(index: int, part: object) -> Domain:
    """One part of an intersection; an error names its place in the list."""
    key = f"domain.parts[{index}]"
    if isinstance(part, Mapping) and part.get("kind") == "intersection":
        raise InvalidProblem(f"{key}.kind", "intersection", "another kind: list the parts of a part in its place")
    try:
        return domain_from_mapping(part)
    except InvalidProblem as error:
        raise InvalidProblem(key + error.key.removeprefix("domain"), error.value, error.expected) from None
