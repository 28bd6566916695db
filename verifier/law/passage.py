"""Outer iterations gone through from some parameters for some combinations of groups, and what they add up to.

Here or by helpers: the combinations of an outer iteration are gone through in stretches, whose findings are added in
their order. A stretch can be written as JSON: for another process, or to be kept.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from secrets import token_hex
from typing import Any

from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.gradient import Vector
from grpocheck.core.outcome import Status
from grpocheck.core.problem import Problem
from grpocheck.verifier.counts import Counts
from grpocheck.verifier.law.branches import balanced_sum, combinations, family_of, scripted_guard
from grpocheck.verifier.law.parts import Found
from grpocheck.verifier.law.register import Own, Owns, Register, Value, is_exact, whole
from grpocheck.verifier.law.sending import Writer, read_numbers
from grpocheck.verifier.law.shared import CHECKED, SharedIterations, compare, unpacked

ZERO = Fraction(0)

Advance = Callable[[int], None]
Objectives = dict[Value | None, list[Scalar]]
"""Values of F with the probabilities that add up to theirs; None where no step is applied."""


@dataclass
class Node:
    """A parameter from which an outer iteration begins, with its probability and F after the last applied step."""

    owns: Owns
    weight: Scalar
    objectives: Objectives = field(default_factory=dict)


@dataclass
class Passage:
    """What some combinations from some nodes add up to: runs that ended, nodes that go on, oracle calls, packed."""

    statuses: dict[Status, list[Scalar]] = field(default_factory=lambda: {status: [] for status in Status})
    parameters: dict[Owns, dict[Status, list[Scalar]]] = field(default_factory=dict)
    objectives: Objectives = field(default_factory=dict)
    following: dict[Owns, Objectives] = field(default_factory=dict)
    weights: dict[Owns, list[Scalar]] = field(default_factory=dict)
    calls: dict[int, list[Scalar]] = field(default_factory=dict)

    def add(self, other: Passage) -> None:
        """Add what comes after, in its order."""
        extend(self.statuses, other.statuses)
        for owns, by_status in other.parameters.items():
            extend(self.parameters.setdefault(owns, {}), by_status)
        extend(self.objectives, other.objectives)
        for owns, objectives in other.following.items():
            extend(self.following.setdefault(owns, {}), objectives)
        extend(self.weights, other.weights)
        extend(self.calls, other.calls)

    def counts(self, lines: Iterable[str]) -> dict[str, dict[int, list[Scalar]]]:
        """The calls of each line of the ledger, by how many they were."""
        found: dict[str, dict[int, list[Scalar]]] = {}
        for calls, weights in self.calls.items():
            for line, count in unpacked(calls, lines).items():
                found.setdefault(line, {}).setdefault(count, []).extend(weights)
        return found


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no garbage meanwhile: what a law is made of has no cycles and stays, and looking takes a fifth of it."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def extend(lists: dict[Any, list[Scalar]], others: Mapping[Any, list[Scalar]]) -> None:
    """Add what stands under each key."""
    for key, weights in others.items():
        mine = lists.get(key)
        if mine is None:
            lists[key] = weights
        else:
            mine.extend(weights)


def condensed(weights: list[Scalar]) -> list[Scalar]:
    """The weights added up where they are exact; enclosed ones apart, since their number matters to ``shares``."""
    return [balanced_sum(weights)] if len(weights) > 1 and all(map(is_exact, weights)) else weights


class Making:
    """One law in the making, in one process: what was met, and what core answered so far."""

    def __init__(self, problem: Problem, arithmetic: Arithmetic) -> None:
        """Nothing is made yet."""
        self.problem, self.arithmetic = problem, arithmetic
        self.token = token_hex(8)
        """By which other processes know it."""
        self.family = family_of(problem)
        self.lines = tuple(scripted_guard(problem, {}, arithmetic).ledger.to_mapping())
        self.register = Register(self.family)
        self.shared: dict[tuple[int, int], SharedIterations] = {}

    @cached_property
    def every(self) -> Sequence[tuple[Counts, ...]]:
        """Every combination of groups."""
        return combinations(self.problem.prompts, self.problem.group_size)

    def start(self) -> Node:
        """theta_0, with probability 1."""
        theta = tuple(self.arithmetic.number(entry) for entry in self.problem.theta)
        return Node(self.register.owns(theta, len(self.problem.prompts)), Fraction(1), {None: [Fraction(1)]})

    def theta(self, owns: Owns) -> Vector:
        """The parameter itself."""
        return whole(self.family, owns)

    def iterations(self, t: int, number: int, node: Node) -> SharedIterations:
        """The outer iterations t from a node, whose number among the nodes of t is given."""
        found = self.shared.get((t, number))
        if found is None:
            found = SharedIterations(self.problem, t, node.owns, self.arithmetic, self.register)
            self.shared[t, number] = found
        return found

    def passage(self, t: int, nodes: Mapping[int, Node], part: range, size: int, advance: Advance) -> Passage:
        """Outer iteration t through a part of the ``size`` combinations of all nodes: those of node 0 first.

        Every so many combinations one is compared with what core makes of it; raises PartsDisagree.
        """
        passage = Passage()
        stride = max(1, size // CHECKED)
        length = len(self.every)
        for number in range(part.start // length, -(-part.stop // length)):
            own_part = range(max(part.start, number * length), min(part.stop, (number + 1) * length))
            iterations = self.iterations(t, number, nodes[number])
            before = {value: balanced_sum(parts) for value, parts in nodes[number].objectives.items()}
            for index in own_part:
                counts = self.every[index - number * length]
                found = iterations.iteration(counts)
                if index % stride == 0:
                    compare(iterations, found, counts)
                self.enter(passage, t, nodes[number].weight, before, found)
                advance(1)
        return passage

    def enter(
        self, passage: Passage, t: int, started: Scalar, before: Mapping[Value | None, Scalar], found: Found
    ) -> None:
        """Add one outer iteration to a passage: it began with a probability, and with these of values of F."""
        chance = found.probability
        weight = started * chance
        status, owns, last = found.status, found.owns, found.last
        passage.calls.setdefault(found.calls, []).append(weight)
        if status is Status.COMPLETE and t < self.problem.outer_iterations:
            objectives = passage.following.setdefault(owns, {})
            passage.weights.setdefault(owns, []).append(weight)
        else:
            passage.statuses[status].append(weight)
            passage.parameters.setdefault(owns, {}).setdefault(status, []).append(weight)
            objectives = passage.objectives
        if last is not None:
            objectives.setdefault(last, []).append(weight)
            return
        for value, share in before.items():
            objectives.setdefault(value, []).append(share * chance)

    def written(self, passage: Passage) -> dict[str, Any]:
        """A passage as JSON can hold it."""
        writing = Writing()
        return {
            "statuses": {status.value: writing.weights(weights) for status, weights in passage.statuses.items()},
            "parameters": [
                [writing.owns(owns), {status.value: writing.weights(weights) for status, weights in ways.items()}]
                for owns, ways in passage.parameters.items()
            ],
            "objectives": writing.objectives(passage.objectives),
            "following": [
                [writing.owns(owns), writing.weights(passage.weights[owns]), writing.objectives(objectives)]
                for owns, objectives in passage.following.items()
            ],
            "calls": [[hex(calls), writing.weights(weights)] for calls, weights in passage.calls.items()],
            **writing.met(),
        }

    def read(self, written: Mapping[str, Any]) -> Passage:
        """The passage that was written."""
        reading = Reading(self, written)
        passage = Passage()
        for status, weights in written["statuses"].items():
            passage.statuses[Status(status)] = reading.numbers_at(weights)
        for owns, ways in written["parameters"]:
            by_status = {Status(status): reading.numbers_at(weights) for status, weights in ways.items()}
            passage.parameters[reading.owns(owns)] = by_status
        passage.objectives = reading.objectives(written["objectives"])
        for owns, weights, objectives in written["following"]:
            passage.weights[reading.owns(owns)] = reading.numbers_at(weights)
            passage.following[reading.owns(owns)] = reading.objectives(objectives)
        passage.calls = {int(calls, 16): reading.numbers_at(weights) for calls, weights in written["calls"]}
        return passage

    def written_nodes(self, nodes: Mapping[int, Node]) -> dict[str, Any]:
        """Nodes as JSON can hold them, each with its number."""
        writing = Writing()
        return {
            "nodes": [
                [number, writing.owns(node.owns), writing.numbers.put(node.weight), writing.objectives(node.objectives)]
                for number, node in nodes.items()
            ],
            **writing.met(),
        }

    def read_nodes(self, written: Mapping[str, Any]) -> dict[int, Node]:
        """The nodes that were written."""
        reading = Reading(self, written)
        return {
            number: Node(reading.owns(owns), reading.numbers[weight], reading.objectives(objectives))
            for number, owns, weight, objectives in written["nodes"]
        }


class Writing:
    """Parameters, values of F and weights on their way to JSON: each is written once, and has its place."""

    def __init__(self) -> None:
        """Nothing is written yet."""
        self.numbers = Writer()
        self.own_places: dict[Own, int] = {}
        self.value_places: dict[Value | None, int | None] = {None: None}

    def owns(self, owns: Owns) -> list[int]:
        """A parameter, prompt by prompt."""
        return [self.own_places.setdefault(own, len(self.own_places)) for own in owns]

    def weights(self, weights: list[Scalar]) -> list[int]:
        """Weights, added up where they are exact."""
        return self.numbers.put_all(condensed(weights))

    def objectives(self, objectives: Objectives) -> list[Any]:
        """Values of F with their probabilities."""
        places = self.value_places
        return [
            [places.setdefault(value, len(places) - 1), self.weights(weights)] for value, weights in objectives.items()
        ]

    def met(self) -> dict[str, Any]:
        """What the places stand for."""
        return {
            "owns": [[own.place, self.numbers.put_all(own.vector)] for own in self.own_places],
            "values": [self.numbers.put(value.number) for value in self.value_places if value is not None],
            "numbers": self.numbers.lines,
        }


class Reading:
    """What the places of something written stand for, in a law in the making."""

    def __init__(self, making: Making, written: Mapping[str, Any]) -> None:
        """Find it, in the register where it was met before."""
        self.numbers = read_numbers(written["numbers"], making.arithmetic)
        register = making.register
        self.own_list = [register.own(place, tuple(self.numbers_at(vector))) for place, vector in written["owns"]]
        self.values = [register.value(self.numbers[place]) for place in written["values"]]

    def numbers_at(self, places: Sequence[int]) -> list[Scalar]:
        """Several numbers."""
        return [self.numbers[place] for place in places]

    def owns(self, places: Sequence[int]) -> Owns:
        """A parameter, prompt by prompt."""
        return tuple([self.own_list[place] for place in places])

    def objectives(self, written: Sequence[Any]) -> Objectives:
        """Values of F with their probabilities."""
        return {
            None if value is None else self.values[value]: self.numbers_at(weights) for value, weights in written
        }
