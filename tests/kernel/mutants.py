"""Mistakes planted in core, each with the comparison that has to notice it.

    GRPOCHECK_CONTRACTS=off python -m tests.kernel.mutants BUILD_FOLDER

Core's contracts are off, so that what notices is the comparison with the extracted model and nothing else. Prints a
JSON object: for each mistake the first difference, or the empty text; under "none" what core itself does.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

from grpocheck.core import advantage, divergence, draws, gradient, guard, objective, ratio, update
from grpocheck.core.events import Kind
from grpocheck.core.oracles import Undefined
from grpocheck.core.outcome import InnerStep, Status
from grpocheck.proofs.extraction import definitions, runs
from grpocheck.proofs.extraction import draws as bits
from grpocheck.proofs.extraction.model import ask_model

SCRIPTS = list(runs.random_scripts(7, 200))
DATA = list(definitions.random_data(7, 200))
STRINGS = list(bits.random_bits(7, 200))


def applied_before_membership(guard: Any, frozen: Any, number: int, theta: Any, step_size: Any) -> InnerStep:
    """The proposal is taken over before M_U answers."""
    t = frozen.outer_iteration
    answer = guard.gradient_at(frozen, number, theta)
    if isinstance(answer, Undefined):
        return InnerStep(number, theta, answer, None, None, theta, None)
    proposal = update.proposed(theta, step_size, answer, guard)
    guard.ledger.count("steps_applied")
    guard.tell(Kind.APPLY, t=t, k=number, theta=proposal, objective=None)
    if not guard.is_member(t, number, proposal):
        return InnerStep(number, theta, answer, proposal, False, proposal, None)
    return InnerStep(number, theta, answer, proposal, True, proposal, None)


def refused_proposal_returned(original: Callable[..., InnerStep]) -> Callable[..., InnerStep]:
    """A refused step returns the proposal instead of the last valid parameter."""

    def mutant(*arguments: Any) -> InnerStep:
        step = original(*arguments)
        return replace(step, theta=step.proposal) if step.status is Status.INVALID_UPDATE else step

    return mutant


def undefined_not_counted(original: Callable[..., Any]) -> Callable[..., Any]:
    """The ledger is off by one: an attempt without an answer is not counted."""

    def mutant(self: Any, *arguments: Any) -> Any:
        answer = original(self, *arguments)
        if isinstance(answer, Undefined):
            self.ledger.gradient_attempts -= 1
        return answer

    return mutant


def frozen_refreshed(original: Callable[..., InnerStep]) -> Callable[..., InnerStep]:
    """The old policy is refreshed inside the inner loop."""

    def mutant(guard: Any, frozen: Any, number: int, theta: Any, step_size: Any) -> InnerStep:
        return original(guard, replace(frozen, theta_old=theta), number, theta, step_size)

    return mutant


def draws_repeated(original: Callable[..., InnerStep]) -> Callable[..., InnerStep]:
    """A response is drawn again inside the inner loop."""

    def mutant(guard: Any, frozen: Any, number: int, theta: Any, step_size: Any) -> InnerStep:
        group = frozen.groups[0]
        guard.draw(guard.masses(theta)[0], group.prompt, frozen.outer_iteration, 1)
        return original(guard, frozen, number, theta, step_size)

    return mutant


def sample_deviation(values: Sequence[Any], arithmetic: Any) -> Any:
    """Divisor G - 1 instead of G."""
    centre = advantage.mean(values)
    return arithmetic.sqrt(sum((value - centre) ** 2 for value in values) / (len(values) - 1))


def clip_without_minimum(value: Any, advantage: Any, epsilon: Any, arithmetic: Any) -> Any:
    """clip(rho) A, without the minimum with rho A."""
    return ratio.clip(value, epsilon, arithmetic) * advantage


def reversed_divergence(masses: Sequence[Any], reference: Sequence[Any], arithmetic: Any) -> Any:
    """KL(pi_ref || pi_theta)."""
    return sum(base * arithmetic.log(base / mass) for mass, base in zip(masses, reference, strict=True))


def penalty_added(original: Callable[..., Any]) -> Callable[..., Any]:
    """F_t with the sign of the penalty turned."""
    return lambda frozen, masses, arithmetic: original(replace(frozen, beta=-frozen.beta), masses, arithmetic)


def kink_without_gradient(group: Any, masses: Any, mass_gradients: Any, epsilon: Any, arithmetic: Any) -> Any:
    """A ratio on its bound counts as a kink even where it does not move."""
    moving = [[Fraction(1)] for _ in mass_gradients]
    return ORIGINAL_KINKED(group, masses, moving, epsilon, arithmetic)


def rounded_draw(masses: Any, string: Iterator[int], arithmetic: Any) -> int:
    """Three bits always decide: the law is a rounding of the policy's."""
    first, second, third = next(string), next(string), next(string)
    uniform = Fraction(4 * first + 2 * second + third, 8)
    return sum(uniform >= edge for edge in accumulate(masses[:-1]))


ORIGINAL_KINKED = gradient.kinked_draws

RUN_MUTANTS: dict[str, tuple[Any, str, Any]] = {
    "applied before membership": (update, "inner_step", applied_before_membership),
    "refused proposal returned": (update, "inner_step", refused_proposal_returned(update.inner_step)),
    "ledger off by one": (guard.Guard, "gradient_at", undefined_not_counted(guard.Guard.gradient_at)),
    "frozen data refreshed": (update, "inner_step", frozen_refreshed(update.inner_step)),
    "draws repeated": (update, "inner_step", draws_repeated(update.inner_step)),
}
DEFINITION_MUTANTS: dict[str, tuple[Any, str, Any]] = {
    "advantage: sample deviation": (advantage, "population_standard_deviation", sample_deviation),
    "term: clip without minimum": (ratio, "clipped_term", clip_without_minimum),
    "divergence: reversed": (divergence, "kl_divergence", reversed_divergence),
    "objective: penalty added": (objective, "objective", penalty_added(objective.objective)),
    "gradient: kink without gradient": (gradient, "kinked_draws", kink_without_gradient),
}

DRAW_MUTANTS: dict[str, tuple[Any, str, Any]] = {"draw: rounded": (draws, "decided_position", rounded_draw)}


@contextmanager
def planted(owner: Any, name: str, mutant: Any) -> Iterator[None]:
    """The mutant in place of an attribute, wherever a module of grpocheck took it over by name."""
    original = getattr(owner, name)
    holders = [owner, *(module for key, module in sys.modules.items() if key.startswith("grpocheck."))]
    places = [holder for holder in holders if vars(holder).get(name) is original]
    for place in places:
        setattr(place, name, mutant)
    try:
        yield
    finally:
        for place in places:
            setattr(place, name, original)


def first_difference(cases: Sequence[Any], answers: Sequence[Any], difference: Callable[[Any, Any], str]) -> str:
    """The first difference between core and the model's answers; an error of core's is one too."""
    for case, answer in zip(cases, answers, strict=True):
        try:
            found = difference(case, answer)
        except Exception as error:
            found = f"core raises {type(error).__name__}: {error}"
        if found:
            return found
    return ""


def main(folder: Path) -> dict[str, str]:
    """Every mistake and what noticed it."""
    found = {}
    for cases, difference, mutants in (
        (SCRIPTS, runs.difference, RUN_MUTANTS),
        (DATA, definitions.difference, DEFINITION_MUTANTS),
        (STRINGS, bits.difference, DRAW_MUTANTS),
    ):
        answers = ask_model(folder, [case.line() for case in cases], 60)
        found["none"] = found.get("none", "") + first_difference(cases, answers, difference)
        for name, mutant in mutants.items():
            with planted(*mutant):
                found[name] = first_difference(cases, answers, difference)
        found["none"] += first_difference(cases, answers, difference)
    return found


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1])), indent=1))
