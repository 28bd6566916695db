"""Outer iterations gone through from some parameters for some combinations of groups, and what they add up to.

Here or by helpers: a law's combinations can be shared out in stretches, whose findings are added in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.gradient import Vector
from grpocheck.core.guard import Kept
from grpocheck.core.outcome import InnerStep, Status
from grpocheck.core.problem import Problem
from grpocheck.verifier.law.branches import Branch, Key, balanced_sum, combinations, key_of, key_of_vector
from grpocheck.verifier.law.elsewhere import Helpers, in_order, is_exact, stretches
from grpocheck.verifier.law.shared import branches

ZERO = Fraction(0)

Advance = Callable[[int], None]
Objectives = dict[Key, tuple[Scalar | None, list[Scalar]]]
"""Values of F with the probabilities that add up to theirs."""


@dataclass
class Node:
    """A parameter from which an outer iteration begins, with its probability and F after the last applied step."""

    theta: Vector
    kept: Kept | None
    weight: Scalar
    objectives: Objectives = field(default_factory=dict)


@dataclass
class Gathered:
    """What the branches add up to, before it is summed: of runs that ended, and of the oracle calls so far."""

    statuses: dict[Status, list[Scalar]] = field(default_factory=lambda: {status: [] for status in Status})
    parameters: dict[Key, tuple[Vector, dict[Status, list[Scalar]]]] = field(default_factory=dict)
    objectives: Objectives = field(default_factory=dict)
    calls: dict[str, list[Scalar]] = field(default_factory=dict)


@dataclass
class Passage:
    """What some combinations from some nodes add up to: runs that ended, nodes that go on, oracle calls by count."""

    ended: Gathered = field(default_factory=Gathered)
    following: dict[Key, Node] = field(default_factory=dict)
    weights: dict[Key, list[Scalar]] = field(default_factory=dict)
    calls: dict[str, dict[int, list[Scalar]]] = field(default_factory=dict)

    def add(self, other: Passage) -> None:
        """Add what comes after, in its order."""
        for status, weights in other.ended.statuses.items():
            self.ended.statuses[status].extend(weights)
        for key, (theta, by_status) in other.ended.parameters.items():
            ways = self.ended.parameters.setdefault(key, (theta, {}))[1]
            for status, weights in by_status.items():
                ways.setdefault(status, []).extend(weights)
        add_objectives(self.ended.objectives, other.ended.objectives)
        for key, node in other.following.items():
            mine = self.following.setdefault(key, Node(node.theta, node.kept, ZERO))
            add_objectives(mine.objectives, node.objectives)
            self.weights.setdefault(key, []).extend(other.weights[key])
        for line, by_count in other.calls.items():
            for count, weights in by_count.items():
                self.calls.setdefault(line, {}).setdefault(count, []).extend(weights)

    def lists(self) -> Iterator[list[Scalar]]:
        """Every list of weights."""
        yield from self.ended.statuses.values()
        for _, by_status in self.ended.parameters.values():
            yield from by_status.values()
        for objectives in (self.ended.objectives, *(node.objectives for node in self.following.values())):
            yield from (weights for _, weights in objectives.values())
        yield from self.weights.values()
        for by_count in self.calls.values():
            yield from by_count.values()

    def condensed(self) -> Passage | None:
        """The same with every list of weights added up; None where not all numbers are exact."""
        values = [value for value, _ in self.ended.objectives.values()]
        values += [theta for theta, _ in self.ended.parameters.values()]
        values += [value for node in self.following.values() for value, _ in node.objectives.values()]
        values += [node.theta for node in self.following.values()]
        if not is_exact(values) or not all(is_exact(weights) for weights in self.lists()):
            return None
        for weights in self.lists():
            weights[:] = [balanced_sum(weights)] if weights else []
        return self


def add_objectives(objectives: Objectives, others: Objectives) -> None:
    """Add the probabilities of other values of F."""
    for value, weights in others.values():
        add_objective(objectives, value, weights)


def add_objective(objectives: Objectives, value: Scalar | None, weights: Iterable[Scalar]) -> None:
    """Add the probabilities of a value of F to those that it has already."""
    objectives.setdefault(key_of(value), (value, []))[1].extend(weights)


def passages(
    problem: Problem, t: int, nodes: Sequence[Node], arithmetic: Arithmetic, advance: Advance, helpers: Helpers | None
) -> Iterator[Passage]:
    """Outer iteration t from every node, in the order of the nodes and of their combinations.

    Helpers get stretches of the nodes, or of each node's combinations where the nodes are fewer than they.
    """
    every = combinations(problem.prompts, problem.group_size)
    exact = is_exact([node.theta for node in nodes]) and all(
        is_exact([node.weight, *(value for value, _ in node.objectives.values())]) for node in nodes
    )
    if helpers is None or not exact:
        yield passage_of(problem, t, nodes, every, arithmetic, advance)
        return
    if len(nodes) >= helpers.workers:
        shares = stretches(len(nodes), helpers.workers)
        parts = [([*nodes[part.start : part.stop]], range(len(every))) for part in shares]
    else:
        parts = [([node], part) for node in nodes for part in stretches(len(every), helpers.workers)]
    tasks = [(problem, t, own, part, arithmetic) for own, part in parts]

    def here(number: int) -> Passage:
        own, part = parts[number]
        return passage_of(problem, t, own, every[part.start : part.stop], arithmetic, lambda amount: None)

    for passage, (own, part) in zip(in_order(helpers, passage_elsewhere, tasks, here), parts, strict=True):
        yield passage
        advance(len(own) * len(part))


def passage_elsewhere(
    problem: Problem, t: int, nodes: Sequence[Node], part: range, arithmetic: Arithmetic
) -> Passage | None:
    """passage_of for a stretch of the combinations, condensed to be sent; None where not all its numbers are exact."""
    every = combinations(problem.prompts, problem.group_size)[part.start : part.stop]
    return passage_of(problem, t, nodes, every, arithmetic, lambda amount: None).condensed()


def passage_of(
    problem: Problem, t: int, nodes: Sequence[Node], every: Sequence[Any], arithmetic: Arithmetic, advance: Advance
) -> Passage:
    """Outer iteration t from some nodes, through some combinations of groups."""
    passage = Passage()
    gathered, following, weights, calls = passage.ended, passage.following, passage.weights, passage.calls
    for node in nodes:
        before = [(value, balanced_sum(parts)) for value, parts in node.objectives.values()]
        for found in branches(problem, t, node.theta, node.kept, every, arithmetic):
            weight = node.weight * found.probability
            for line, count in found.calls.items():
                calls.setdefault(line, {}).setdefault(count, []).append(weight)
            status, theta = found.iteration.status, found.iteration.theta
            key = key_of_vector(theta)
            if status is Status.COMPLETE and t < problem.outer_iterations:
                objectives = following.setdefault(key, Node(theta, found.kept, ZERO)).objectives
                weights.setdefault(key, []).append(weight)
            else:
                gathered.statuses[status].append(weight)
                by_status = gathered.parameters.setdefault(key, (theta, {}))[1]
                by_status.setdefault(status, []).append(weight)
                objectives = gathered.objectives
            applied = last_applied(found)
            if applied is not None:
                add_objective(objectives, applied.objective, [weight])
            else:
                for value, share in before:
                    add_objective(objectives, value, [share * found.probability])
            advance(1)
    return passage


def last_applied(found: Branch) -> InnerStep | None:
    """The last applied step of an outer iteration, if there is one."""
    applied = [step for step in found.iteration.steps if step.is_member]
    return applied[-1] if applied else None
