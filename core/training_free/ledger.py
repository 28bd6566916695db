"""The ledger of a training-free run: how often each supplied operation was called, against the task's budget.

At most K*G generations and K introspections per task. Tests and quality are asked once for a response, however often it
is generated; the base model is asked once for a distribution, or once for a row after each prefix.
"""

from dataclasses import dataclass, fields

from grpocheck.contracts.clauses import ensure, invariant, require, snapshot
from grpocheck.contracts.training_free import at_most_one_each

CALLS = ("model_calls", "iterations_started", "generations", "test_calls", "quality_calls", "introspections")


@invariant(lambda self: self.iterations >= 1 and self.group_size >= 2, "K >= 1 and G >= 2")
@dataclass(frozen=True)
class Bounds:
    """K and G, from which every bound follows."""

    iterations: int
    group_size: int

    @property
    @ensure(lambda self, result: result >= 2 * self.iterations, "a group has at least two responses")
    def generations(self) -> int:
        """K*G."""
        return self.iterations * self.group_size

    @ensure(lambda self, result: result["generations"] == self.iterations * self.group_size, "K*G generations")
    def to_mapping(self) -> dict[str, int]:
        """The bound of every count that has one."""
        return {
            "iterations_started": self.iterations,
            "generations": self.generations,
            "test_calls": self.generations,
            "quality_calls": self.generations,
            "introspections": self.iterations,
        }


@invariant(lambda self: self.generations <= self.iterations_started * self.bounds.group_size, "G for each iteration")
@invariant(lambda self: self.generations <= self.bounds.generations, "at most K*G generations")
@invariant(lambda self: self.introspections <= self.iterations_started, "at most one introspection an iteration")
@invariant(lambda self: self.iterations_started <= self.bounds.iterations, "at most K iterations")
@invariant(lambda self: at_most_one_each(self.test_calls, self.generations), "tests are asked once for a response")
@invariant(lambda self: at_most_one_each(self.quality_calls, self.test_calls), "quality is asked where tests were")
@dataclass
class Ledger:
    """The counts of one run."""

    bounds: Bounds
    model_calls: int = 0
    iterations_started: int = 0
    generations: int = 0
    test_calls: int = 0
    quality_calls: int = 0
    introspections: int = 0

    @require(lambda operation: operation in CALLS, "the operation has a line in the ledger")
    @snapshot(lambda self, operation: getattr(self, operation), name="before")
    @ensure(lambda self, operation, OLD: getattr(self, operation) == OLD.before + 1, "a call is counted once")
    def count(self, operation: str) -> None:
        """Enter a call."""
        setattr(self, operation, getattr(self, operation) + 1)

    @ensure(lambda self, result: result["generations"] == self.generations, "the counts by name")
    @ensure(lambda result: all(count >= 0 for count in result.values()), "counts are not negative")
    def to_mapping(self) -> dict[str, int]:
        """The counts by name."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "bounds"}
