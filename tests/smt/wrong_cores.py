"""Cores with one mistake each, run with contracts off, so that it is the evidence that finds them and nothing else.

``python -m tests.smt.wrong_cores`` prints what the tie, the terms and the fold say of each, as JSON.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest.mock import patch

from grpocheck.contracts.clauses import ENABLED
from grpocheck.core import procedure, update
from grpocheck.core import ratio as ratio_module
from grpocheck.core.events import Kind
from grpocheck.core.frozen import FrozenIteration
from grpocheck.core.guard import Guard
from grpocheck.core.ledger import Ledger
from grpocheck.core.oracles import Undefined
from grpocheck.core.outcome import InnerStep, Outcome, OuterIteration, Status
from grpocheck.core.problem import Problem
from grpocheck.proofs.smt import terms
from grpocheck.proofs.smt.folds import NotTheFold, check_core_is_the_fold
from grpocheck.proofs.smt.induction import System
from grpocheck.proofs.smt.obligations import Decision, discharge
from grpocheck.proofs.smt.scripts import Ending, Script
from grpocheck.proofs.smt.terms import group_obligations, term_obligations
from grpocheck.proofs.smt.tie import Untied, follow
from grpocheck.proofs.smt.transition import LEDGER

LONG = Script(2, 2, 2, 2, Ending.COMPLETE, (0, 0), seed=1)
REFUSED = Script(2, 1, 2, 2, Ending.REFUSED, (1, 2), seed=2)


def applied_before_the_answer(guard: Guard, frozen: FrozenIteration, number: int, theta: Any, step: Any) -> InnerStep:
    """The step is applied, and M_U asked afterwards."""
    t = frozen.outer_iteration
    gradient = guard.gradient_at(frozen, number, theta)
    assert not isinstance(gradient, Undefined)
    proposal = update.proposed(theta, step, gradient, guard)
    guard.ledger.count("steps_applied")
    guard.tell(Kind.APPLY, t=t, k=number, theta=proposal, objective=0)
    member = guard.is_member(t, number, proposal)
    return InnerStep(number, theta, gradient, proposal, member, proposal, 0)


def not_asked(guard: Guard, frozen: FrozenIteration, number: int, theta: Any, step: Any) -> InnerStep:
    """The step is applied, and M_U never asked."""
    gradient = guard.gradient_at(frozen, number, theta)
    assert not isinstance(gradient, Undefined)
    proposal = update.proposed(theta, step, gradient, guard)
    guard.ledger.count("steps_applied")
    guard.tell(Kind.APPLY, t=frozen.outer_iteration, k=number, theta=proposal, objective=0)
    return InnerStep(number, theta, gradient, proposal, True, proposal, 0)


def iteration(change: Callable[[FrozenIteration, Any], FrozenIteration], extra_steps: int = 0) -> Any:
    """An outer iteration that changes the frozen data between its inner steps, or makes some steps more."""

    def outer_iteration(problem: Problem, guard: Guard, t: int, theta: Any) -> OuterIteration:
        frozen = update.freeze(problem, guard, t, theta)
        steps: list[InnerStep] = []
        row = problem.step_sizes[t - 1]
        for number, size in enumerate((*row, *row[:extra_steps]), start=1):
            steps.append(update.inner_step(guard, frozen, number, theta, size))
            theta = steps[-1].theta
            frozen = change(frozen, theta)
            if steps[-1].status is not Status.COMPLETE:
                break
        return OuterIteration(frozen, 0, tuple(steps))

    return outer_iteration


def same(frozen: FrozenIteration, theta: Any) -> FrozenIteration:
    """No mistake."""
    return frozen


def refreshed(frozen: FrozenIteration, theta: Any) -> FrozenIteration:
    """theta_old follows theta."""
    return replace(frozen, theta_old=theta)


def recomputed(frozen: FrozenIteration, theta: Any) -> FrozenIteration:
    """Advantages of the rewards in reverse order."""
    groups = tuple(replace(group, advantages=tuple(reversed(group.advantages))) for group in frozen.groups)
    return replace(frozen, groups=groups)


def following(frozen: FrozenIteration, theta: Any) -> FrozenIteration:
    """A reference that does not stay as it was; the script's own is uniform."""
    groups = []
    for group in frozen.groups:
        size = len(group.prompt.reference)
        uneven = (Fraction(1, 2 * size), *(Fraction(2 * size - 1, 2 * size * (size - 1)) for _ in range(size - 1)))
        groups.append(replace(group, prompt=replace(group.prompt, reference=uneven)))
    return replace(frozen, groups=tuple(groups))


def with_first_step_size(problem: Problem, guard: Guard, t: int, theta: Any) -> OuterIteration:
    """Every inner step uses eta[t][1]."""
    row = problem.step_sizes[t - 1]
    return iteration(same)(replace_steps(problem, t, (row[0],) * len(row)), guard, t, theta)  # type: ignore[no-any-return]


def replace_steps(problem: Problem, t: int, row: tuple[Any, ...]) -> Problem:
    """The problem with another row of step sizes."""
    rows = tuple(row if number == t else kept for number, kept in enumerate(problem.step_sizes, start=1))
    return replace(problem, step_sizes=rows)


def drawing_again(problem: Problem, guard: Guard, t: int, theta: Any) -> OuterIteration:
    """Fresh responses for every inner step."""
    frozen = update.freeze(problem, guard, t, theta)
    steps: list[InnerStep] = []
    for number, size in enumerate(problem.step_sizes[t - 1], start=1):
        steps.append(update.inner_step(guard, frozen, number, theta, size))
        theta = steps[-1].theta
        masses = guard.masses(theta)
        groups = tuple(
            update.draw_group(problem, guard, t, prompt, pmf)
            for prompt, pmf in zip(problem.prompts, masses, strict=True)
        )
        frozen = replace(frozen, groups=groups)
    return OuterIteration(frozen, 0, tuple(steps))


def ending_early(problem: Problem, guard: Guard, t: int, theta: Any) -> OuterIteration:
    """The run ends after outer iteration T - 1."""
    last = t == problem.outer_iterations - 1
    result = update.outer_iteration(problem, guard, t, theta)
    if last:
        guard.tell(
            Kind.OUTCOME,
            outcome=Outcome(result.status, result.theta, guard.ledger, (result,), guard.arithmetic, {}),
        )
    return result


def returning_the_proposal(guard: Guard, frozen: FrozenIteration, number: int, theta: Any, step: Any) -> InnerStep:
    """A stop returns the refused proposal."""
    result = INNER_STEP(guard, frozen, number, theta, step)
    return result if result.proposal is None else replace(result, theta=result.proposal)


INNER_STEP = update.inner_step


def forgetting(line: str) -> Any:
    """A ledger that counts one kind of call only once."""
    count = Ledger.count

    def forgetful(self: Ledger, operation: str, times: int = 1) -> None:
        if operation != line or getattr(self, line) == 0:
            count(self, operation, times)

    return patch.object(Ledger, "count", forgetful)


def in_iterations(replacement: Any) -> Any:
    """Core with another outer iteration."""
    return patch.object(procedure, "outer_iteration", replacement)


def in_steps(replacement: Any) -> Any:
    """Core with another inner step."""
    return patch.object(update, "inner_step", replacement)


PROTOCOL = {
    "none, with the replacement": in_iterations(iteration(same)),
    "draws repeated inside the inner loop": in_iterations(drawing_again),
    "old policy refreshed": in_iterations(iteration(refreshed)),
    "advantages recomputed inside the loop": in_iterations(iteration(recomputed)),
    "a reference that follows the policy": in_iterations(iteration(following)),
    "off by one in K": in_iterations(iteration(same, extra_steps=1)),
    "off by one in T": in_iterations(ending_early),
    "one step size for all steps": in_iterations(with_first_step_size),
    "update applied before the membership answer": in_steps(applied_before_the_answer),
    "membership not asked": in_steps(not_asked),
    "refused proposal returned": in_steps(returning_the_proposal),
    **{f"{line} not counted": forgetting(line) for line in LEDGER if line != "reward_evaluations"},
}


def product_with_clip(ratio: Any, advantage: Any, epsilon: Any, arithmetic: Any) -> Any:
    """clip(rho) A without the minimum."""
    return ratio_module.clip(ratio, epsilon, arithmetic) * advantage


def larger_product(ratio: Any, advantage: Any, epsilon: Any, arithmetic: Any) -> Any:
    """The maximum in place of the minimum."""
    return arithmetic.maximum(ratio * advantage, ratio_module.clip(ratio, epsilon, arithmetic) * advantage)


def clip_above_only(ratio: Any, epsilon: Any, arithmetic: Any) -> Any:
    """min(1 + epsilon, rho)."""
    return arithmetic.minimum(1 + epsilon, ratio)


def sample_deviation(values: Any, arithmetic: Any) -> Any:
    """Divisor G - 1."""
    centre = sum(values) / len(values)
    return arithmetic.sqrt(sum((value - centre) * (value - centre) for value in values) / (len(values) - 1))


def padded(rewards: Any, average: Any, deviation: Any, arithmetic: Any) -> Any:
    """s + 1/10000 as the divisor."""
    return tuple((reward - average) / (deviation + Fraction(1, 10000)) for reward in rewards)


def always_divided(rewards: Any, average: Any, deviation: Any, arithmetic: Any) -> Any:
    """A group of equal rewards is divided by 0."""
    return tuple((reward - average) / deviation for reward in rewards)


def not_centred(rewards: Any, average: Any, deviation: Any, arithmetic: Any) -> Any:
    """R / s."""
    if arithmetic.less(0, deviation):
        return tuple(reward / deviation for reward in rewards)
    return tuple(reward - reward for reward in rewards)


TERMS = {
    "none": (terms, "clipped_term", terms.clipped_term),
    "clip without the min": (terms, "clipped_term", product_with_clip),
    "max for the min": (terms, "clipped_term", larger_product),
    "clip above only": (ratio_module, "clip", clip_above_only),
    "sample deviation": (terms, "population_standard_deviation", sample_deviation),
    "deviation padded": (terms, "standardised", padded),
    "divided anyway": (terms, "standardised", always_divided),
    "not centred": (terms, "standardised", not_centred),
}


def answer_of_tie(mistake: Any) -> str:
    """Where a core with a mistake leaves the protocol; empty where it does not."""
    with mistake:
        for script in (LONG, replace(LONG, seed=2), replace(LONG, seed=3), REFUSED):
            try:
                follow(script, System())
            except Untied as difference:
                return str(difference)
    return ""


def answer_of_terms(module: Any, name: str, replacement: Any) -> dict[str, Any]:
    """What is not proved of a core with another function, by claim, and whether it is still the fold."""
    with patch.object(module, name, replacement):
        results = [discharge(obligation) for obligation in (*term_obligations(), *group_obligations())]
        try:
            fold = check_core_is_the_fold(3) > 0
        except NotTheFold:
            fold = False
    refuted = [result for result in results if result.decision is Decision.REFUTED]
    return {"refuted": [(result.about, result.name, result.detail) for result in refuted], "fold": fold}


def answers() -> Iterator[tuple[str, Any]]:
    """All the answers, by mistake."""
    yield "protocol", {name: answer_of_tie(mistake) for name, mistake in PROTOCOL.items()}
    yield "terms", {name: answer_of_terms(*mistake) for name, mistake in TERMS.items()}


if __name__ == "__main__":
    if ENABLED:
        raise SystemExit("expected GRPOCHECK_CONTRACTS=off")
    print(json.dumps(dict(answers())))
