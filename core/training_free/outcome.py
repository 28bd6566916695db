"""What a training-free run leaves: why it stopped, every group, the bank, and the ledger."""

from dataclasses import dataclass
from typing import Any

from grpocheck.contracts.clauses import ensure, invariant, total
from grpocheck.contracts.training_free import continues, is_largest
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.training_free.decoding import Decoded
from grpocheck.core.training_free.ledger import Ledger
from grpocheck.core.training_free.oracles import Member
from grpocheck.core.training_free.patterns import Bank, Pattern
from grpocheck.core.training_free.stopping import Stop
from grpocheck.core.training_free.task import Task


@dataclass(frozen=True)
class Iteration:
    """One iteration: the distribution that its group was drawn from, the group, and the patterns found in it."""

    number: int
    distribution: Decoded
    entropy: Scalar
    members: tuple[Member, ...]
    deviation: Scalar
    best: Scalar
    patterns: tuple[Pattern, ...]

    @property
    @ensure(
        lambda self, result: result
        == (max(sum(member.passed.values()) for member in self.members) == len(self.members[0].passed)),
        "some response passes all tests",
    )
    def solved(self) -> bool:
        """Whether a response of the group passes all tests."""
        return any(member.solves for member in self.members)

    @ensure(lambda self, result: len(result) == len(self.members), "one pair for each response")
    @ensure(lambda self: is_largest(self.best, [m.reward for m in self.members]), "no reward is above the best")
    def objective(self) -> tuple[tuple[Scalar, str], ...]:
        """The group's objective: the pairs (advantage, descriptor).

        Seed [003] writes 1/G sum A_i S_i with a text for S_i. A number times a text is no number, so the pairs stay
        pairs; the descriptor joins the descriptions of the iteration's patterns that occur in the response.
        """
        return tuple((member.advantage, descriptor(member, self.patterns)) for member in self.members)


@total("a response may match no pattern")
@ensure(lambda patterns, result: result == "" or any(p.description in result for p in patterns), "in their own words")
def descriptor(member: Member, patterns: tuple[Pattern, ...]) -> str:
    """The descriptions of the patterns that occur in a response."""
    return "; ".join(pattern.description for pattern in patterns if member.response.contains_any(pattern.tokens))


@invariant(lambda self: self.ledger.iterations_started == len(self.iterations) >= 1, "every iteration is here")
@invariant(lambda self: continues(self.bank.patterns, self.task.bank), "the bank is append-only")
@dataclass(frozen=True)
class Outcome:
    """The end of a run."""

    task: Task
    stop: Stop
    iterations: tuple[Iteration, ...]
    bank: Bank
    ledger: Ledger
    seed: int | None
    arithmetic: Arithmetic

    @property
    @ensure(lambda self, result: (result is None) == (self.stop is not Stop.SOLVED), "solved: by a response")
    def solution(self) -> Member | None:
        """The first response that passes all tests, None where there is none."""
        return next((member for member in self.iterations[-1].members if member.solves), None)

    @ensure(lambda self, result: result["stop"] == self.stop.value, "why it stopped")
    @ensure(lambda self, result: len(result["bank"]) == len(self.bank.patterns), "the whole bank")
    def to_mapping(self) -> dict[str, Any]:
        """The outcome for programs, and the last line of a trace."""
        solution = self.solution
        return {
            "stop": self.stop.value,
            "iterations": len(self.iterations),
            "seed": self.seed,
            "solution": None if solution is None else solution.response.text,
            "ledger": self.ledger.to_mapping(),
            "bounds": self.ledger.bounds.to_mapping(),
            "bank": [pattern.to_mapping() for pattern in self.bank.patterns],
        }
