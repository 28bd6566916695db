"""What the procedure may conclude from answers that a person gave: always, if they are true, or no longer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grpocheck.core import Status, SupplyViolation
from grpocheck.verifier.studio.scenes import point
from grpocheck.verifier.studio.stage import Calls, Situation

if TYPE_CHECKING:
    from grpocheck.verifier.studio.oracle import Asked

ALWAYS, GIVEN, BROKEN = "always", "given", "broken"


@dataclass(frozen=True)
class Conclusion:
    """One conclusion: the claim it is, what it says now, and whether it stands always, given true answers, or not."""

    claim: str
    says: str
    stands: str


def conclusions(
    asked: Sequence["Asked"],
    now: Situation,
    calls: Calls,
    bounds: Mapping[str, int],
    status: str | None,
    violation: SupplyViolation | None,
) -> list[Conclusion]:
    """Every conclusion, as it stands after these answers."""
    left = bounds["gradient_attempts"] - calls.gradient_attempts
    taken = asked if violation is None else asked[:-1]  # what was noticed led to no step
    attempts = f"{calls.gradient_attempts} of at most {bounds['gradient_attempts']} gradient attempts were made."
    asks = f"{calls.membership_calls} membership calls, no more than the {calls.gradient_attempts} attempts."
    returns = "It returned" if status is not None else "If it ended now it would return"
    return [
        Conclusion("C1", f"{calls.draws} of at most {bounds['draws']} draws were made.", ALWAYS),
        Conclusion("C2", attempts, ALWAYS),
        Conclusion("C3", asks, ALWAYS),
        termination(status, violation, left),
        Conclusion("A2", f"{returns} θ = {point(now.theta)}, the last one that you accepted.", ALWAYS),
        admissible(taken, now),
        along_the_gradient(taken),
        *stopped(taken, status),
    ]


def termination(status: str | None, violation: SupplyViolation | None, left: int) -> Conclusion:
    """C4: the run ends, in one of three statuses; a broken supply that is noticed is an error and no status."""
    if violation is not None:
        says = "It ended with an error: a supply that breaks its clause lies outside the model and has no status."
    elif status is not None:
        says = f"It ended, with status {status}."
    else:
        says = f"It will end: at most {left} more gradient attempts, whatever you answer."
    return Conclusion("C4", says, ALWAYS)


def admissible(asked: Sequence["Asked"], now: Situation) -> Conclusion:
    """A1: theta is in U, as far as each yes was true."""
    wrong = [entry for entry in asked if entry.truth is False and entry.given.lower() == "yes"]
    if wrong:
        says = f"θ in U no longer follows: you accepted {point(wrong[0].theta)}, which is not in U."
        return Conclusion("A1", says, BROKEN)
    accepted = [entry for entry in asked if entry.ask == "domain" and entry.given.lower() == "yes"]
    if not accepted:
        return Conclusion("A1", f"θ = {point(now.theta)} is in U: it is the one the problem starts from.", ALWAYS)
    if any(entry.truth is None for entry in accepted):
        says = f"θ = {point(now.theta)} is in U if your yes was true, which is not decided here."
        return Conclusion("A1", says, GIVEN)
    return Conclusion("A1", f"θ = {point(now.theta)} is in U, because each yes of yours was true.", GIVEN)


def along_the_gradient(asked: Sequence["Asked"]) -> Conclusion:
    """Each step goes along the gradient, as far as each gradient was true."""
    gradients = [entry for entry in asked if entry.ask == "gradient" and entry.given.strip().lower() != "undefined"]
    wrong = [entry for entry in gradients if entry.agrees is False]
    if wrong:
        says = f"A step along the gradient of F no longer follows: at {point(wrong[0].theta)} you gave another vector."
        return Conclusion("F2", says, BROKEN)
    if any(entry.agrees is None for entry in gradients):
        return Conclusion("F2", "Whether your gradients are those of F is not decided here.", GIVEN)
    return Conclusion("F2", "Each step goes along the gradient of F, as long as your gradients are true.", GIVEN)


def stopped(asked: Sequence["Asked"], status: str | None) -> list[Conclusion]:
    """What a stop says of the problem."""
    if not asked or status in (None, Status.COMPLETE.value):
        return []
    last = asked[-1]
    if status == Status.INVALID_UPDATE.value:
        if last.agrees is False:
            says = f"That the proposal {point(last.theta)} is outside U does not follow: it is in U."
            return [Conclusion("C4", says, BROKEN)]
        because = "because your no was true" if last.agrees else "if your no was true"
        return [Conclusion("C4", f"The proposal {point(last.theta)} is outside U, {because}.", GIVEN)]
    if last.agrees is False:
        says = f"That F has no gradient at {point(last.theta)} does not follow: it has one."
        return [Conclusion("F2", says, BROKEN)]
    because = "because your answer was true" if last.agrees else "if your answer was true"
    return [Conclusion("F2", f"F has no gradient at {point(last.theta)}, {because}.", GIVEN)]
