"""The ledger: how often each supplied operation was called, against the budget of the procedure.

Seed [000] supplies the operations with finite per-call costs; claims C1 to C3 bound the calls. A call is logical: an
answer that is looked up again, or an enclosure that is refined, is not a further call. theta_0 in U is checked before
the run and is no membership call; the comparisons inside a draw belong to the draw.
"""

from dataclasses import dataclass, fields

from grpocheck.contracts.clauses import ensure, invariant, require, snapshot


@invariant(lambda self: self.draws >= 1 and self.gradient_attempts >= 1, "C4: the budget is finite and not empty")
@dataclass(frozen=True)
class Bounds:
    """The budget: T*M*G draws and T*K gradient attempts."""

    draws: int
    gradient_attempts: int

    @ensure(lambda self, result: result["draws"] == self.draws, "the bounds by name")
    def to_mapping(self) -> dict[str, int]:
        """The bounds by name."""
        return {"draws": self.draws, "gradient_attempts": self.gradient_attempts}


@invariant(
    lambda self: self.draws <= self.outer_iterations_started * self.draws_per_iteration,
    "C1: at most M*G draws for each started outer iteration",
)
@invariant(lambda self: self.draws <= self.bounds.draws, "C1: never more than T*M*G draws")
@invariant(lambda self: self.gradient_attempts <= self.bounds.gradient_attempts, "C2: at most T*K gradient attempts")
@invariant(lambda self: self.membership_calls <= self.gradient_attempts, "C3: membership calls <= gradient attempts")
@invariant(lambda self: self.steps_applied <= self.membership_calls, "A1: no step is applied without a membership call")
@dataclass
class Ledger:
    """The counts of one run."""

    bounds: Bounds
    draws_per_iteration: int
    draws: int = 0
    gradient_attempts: int = 0
    membership_calls: int = 0
    steps_applied: int = 0
    outer_iterations_started: int = 0
    reward_evaluations: int = 0
    mass_evaluations: int = 0
    square_roots: int = 0
    logarithms: int = 0
    exponentials: int = 0
    comparisons: int = 0

    @require(lambda self, operation: operation in vars(self), "the operation has a line in the ledger")
    @require(lambda times: times >= 1, "a call counts at least once")
    @snapshot(lambda self, operation: getattr(self, operation), name="before")
    @ensure(
        lambda self, operation, times, OLD: getattr(self, operation) == OLD.before + times,
        "a call enters its line as often as it was made",
    )
    def count(self, operation: str, times: int = 1) -> None:
        """Enter a call, or several of one kind."""
        setattr(self, operation, getattr(self, operation) + times)

    @ensure(lambda result: all(count >= 0 for count in result.values()), "C4: counts are finite and not negative")
    def to_mapping(self) -> dict[str, int]:
        """The counts by name, in the order of the outcome format."""
        names = [field.name for field in fields(self) if field.name not in ("bounds", "draws_per_iteration")]
        return {name: getattr(self, name) for name in names}
