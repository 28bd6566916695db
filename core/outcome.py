"""What a run returns: its status, the last valid parameter, the ledger, and every step on the way.

Seed [000]: a run ends complete, undefined-gradient or invalid-update, and returns the last valid parameter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from grpocheck.contracts.clauses import ensure, invariant
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.frozen import FrozenIteration
from grpocheck.core.gradient import Vector
from grpocheck.core.ledger import Ledger
from grpocheck.core.oracles import Undefined


class Status(StrEnum):
    """The three ways in which the procedure ends (claim C4)."""

    COMPLETE = "complete"
    UNDEFINED_GRADIENT = "undefined-gradient"
    INVALID_UPDATE = "invalid-update"


@invariant(
    lambda self: isinstance(self.gradient, Undefined) == (self.proposal is None),
    "a proposal is formed exactly when the gradient oracle returned a gradient",
)
@invariant(
    lambda self: (self.proposal is None) == (self.is_member is None),
    "C3: membership is asked exactly for the attempts that returned a gradient",
)
@invariant(
    lambda self: self.theta is self.proposal if self.is_member else self.theta is self.theta_before,
    "A1, A2: theta is the proposal when it is in U, and stays the last valid parameter otherwise",
)
@dataclass(frozen=True)
class InnerStep:
    """Inner step k (from 1): theta before, the oracles' answers, and theta and F_t after.

    Parameters, gradient and proposal have d entries. ``proposal`` and ``is_member`` are None where the gradient is
    undefined, ``objective`` where no step is applied.
    """

    number: int
    theta_before: Vector
    gradient: Vector | Undefined
    proposal: Vector | None
    is_member: bool | None
    theta: Vector
    objective: Scalar | None

    @property
    @ensure(
        lambda self, result: (result is Status.COMPLETE) == (self.is_member is True),
        "C4: complete for a step that was applied, and one of the two other statuses for a stop",
    )
    def status(self) -> Status:
        """COMPLETE for an applied step, else the status it stops with."""
        if isinstance(self.gradient, Undefined):
            return Status.UNDEFINED_GRADIENT
        return Status.COMPLETE if self.is_member else Status.INVALID_UPDATE


@invariant(lambda self: len(self.steps) >= 1, "K >= 1: an outer iteration attempts at least one step")
@invariant(
    lambda self: all(step.status is Status.COMPLETE for step in self.steps[:-1]),
    "A2: nothing follows a stop",
)
@invariant(
    lambda self: self.steps[0].theta_before is self.frozen.theta_old
    and all(a.theta is b.theta_before for a, b in zip(self.steps, self.steps[1:], strict=False)),
    "D1: the inner steps start from the frozen theta_old and follow on from one another",
)
@dataclass(frozen=True)
class OuterIteration:
    """Outer iteration t: its frozen data, F_t at theta_old, and its inner steps."""

    frozen: FrozenIteration
    objective: Scalar
    steps: tuple[InnerStep, ...]

    @property
    @ensure(lambda self, result: result is self.steps[-1].status, "the last step decides")
    def status(self) -> Status:
        """COMPLETE when every step was applied, else the status of the stop."""
        return self.steps[-1].status

    @property
    @ensure(lambda self, result: len(result) == len(self.frozen.theta_old), "a parameter keeps its d entries")
    def theta(self) -> Vector:
        """theta_t: the parameter after the last applied step."""
        return self.steps[-1].theta


@invariant(lambda self: self.theta is self.iterations[-1].theta, "A2: the last valid parameter is returned")
@invariant(lambda self: self.status is self.iterations[-1].status, "C4: the status is that of the last iteration")
@invariant(
    lambda self: len(self.iterations) == self.ledger.outer_iterations_started, "every started iteration is recorded"
)
@invariant(
    lambda self: self.ledger.draws == self.ledger.draws_per_iteration * len(self.iterations),
    "C1: draws = M*G*(outer iterations started)",
)
@invariant(
    lambda self: self.status is not Status.COMPLETE or self.ledger.draws == self.ledger.bounds.draws,
    "C1: exactly T*M*G draws on status complete",
)
@invariant(
    lambda self: self.ledger.gradient_attempts == self.ledger.steps_applied + (self.status is not Status.COMPLETE),
    "C2: gradient attempts = steps applied + 1 if stopped",
)
@invariant(
    lambda self: self.ledger.membership_calls
    == sum(step.proposal is not None for iteration in self.iterations for step in iteration.steps),
    "C3: membership calls = attempts that returned a gradient",
)
@dataclass(frozen=True)
class Outcome:
    """The outcome of a run. ``arithmetic`` says how its numbers are held: exact, enclosure or mp; ``draw_source``
    says where its draws came from, with the seed if there is one."""

    status: Status
    theta: Vector
    ledger: Ledger
    iterations: tuple[OuterIteration, ...]
    arithmetic: Arithmetic
    draw_source: Mapping[str, object]

    @ensure(lambda self, result: result["ledger"]["draws"] == self.ledger.draws, "the ledger is in the outcome")
    @ensure(lambda self, result: len(result["theta"]) == len(self.theta), "theta has d entries")
    def to_mapping(self) -> dict[str, Any]:
        """The outcome format: numbers as exact strings, or [lower, upper] where they are enclosed."""
        text = self.arithmetic.text
        return {
            "status": str(self.status),
            "theta": [text(entry) for entry in self.theta],
            "arithmetic": self.arithmetic.name,
            "arithmetic_reason": getattr(self.arithmetic, "reason", None),
            "draws": dict(self.draw_source),
            "ledger": self.ledger.to_mapping(),
            "bounds": self.ledger.bounds.to_mapping(),
            "steps": [
                {
                    "t": iteration.frozen.outer_iteration,
                    "k": step.number,
                    "theta": [text(entry) for entry in step.theta],
                    "objective": text(step.objective),
                }
                for iteration in self.iterations
                for step in iteration.steps
                if step.is_member
            ],
        }
