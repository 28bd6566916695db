"""Transition systems with one mistake each, of the kind that people make, for the induction and the tie to find."""

from collections.abc import Callable
from dataclasses import replace

from grpocheck.proofs.smt.induction import System
from grpocheck.proofs.smt.transition import TRANSITIONS, Answer, Phase, Plan, State, Step, Transition

Mistake = Callable[[Plan, State, Answer, Step], Step]


def planted(mistakes: dict[str, Mistake]) -> System:
    """The protocol with some of its transitions changed."""
    assert set(mistakes) <= {transition.name for transition in TRANSITIONS}
    return System(tuple(changed(transition, mistakes.get(transition.name)) for transition in TRANSITIONS))


def changed(transition: Transition, mistake: Mistake | None) -> Transition:
    """A transition with a mistake."""
    if mistake is None:
        return transition

    def step(plan: Plan, s: State, answer: Answer) -> Step:
        return mistake(plan, s, answer, transition.step(plan, s, answer))

    return replace(transition, step=step)


def draws_again(plan: Plan, s: State, answer: Answer, step: Step) -> Step:
    """The inner loop draws M*G fresh responses."""
    data = plan.extended(s.data, answer.item)
    return replace(step, after=replace(step.after, data=data, draws=s.draws + plan.prompts * plan.group_size))


def applies_at_once(plan: Plan, s: State, answer: Answer, step: Step) -> Step:
    """The proposal is applied before M_U is asked about it."""
    return replace(step, after=replace(step.after, theta=plan.moved(s.theta, s.t, s.k, answer.gradient)))


def one_step_more(plan: Plan, s: State, answer: Answer, step: Step) -> Step:
    """Another step follows while k <= K."""
    return replace(step, when=(s.phase == Phase.APPLYING, s.k <= plan.inner_steps))


def after_one_step_more(plan: Plan, s: State, answer: Answer, step: Step) -> Step:
    """The last step is number K + 1."""
    return replace(step, when=(s.phase == Phase.APPLYING, s.k == plan.inner_steps + 1))


def one_iteration_more(plan: Plan, s: State, answer: Answer, step: Step) -> Step:
    """Another outer iteration begins while t <= T."""
    return replace(step, when=(step.when[0], s.t <= plan.outer_iterations))


def after_one_iteration_more(plan: Plan, s: State, answer: Answer, step: Step) -> Step:
    """The last outer iteration is number T + 1."""
    return replace(step, when=(s.phase == Phase.STEPPED, s.t == plan.outer_iterations + 1))


def refreshes_old_policy(plan: Plan, s: State, answer: Answer, step: Step) -> Step:
    """theta_old follows theta inside the inner loop."""
    return replace(step, after=replace(step.after, theta_old=s.proposal))


def forgets_to_ask(plan: Plan, s: State, answer: Answer, step: Step) -> Step:
    """A gradient is applied without a membership call."""
    proposal = plan.moved(s.theta, s.t, s.k, answer.gradient)
    return replace(step, after=replace(step.after, phase=Phase.APPLYING, proposal=proposal))


def returns_the_proposal(plan: Plan, s: State, answer: Answer, step: Step) -> Step:
    """The refused proposal is returned."""
    return replace(step, after=replace(step.after, returned=s.proposal))


def tries_again(plan: Plan, s: State, answer: Answer, step: Step) -> Step:
    """An undefined gradient is asked for again and again."""
    return replace(step, after=replace(step.after, phase=Phase.ASKING_GRADIENT))


def stops_without_status(plan: Plan, s: State, answer: Answer, step: Step) -> Step:
    """A stop leaves the status as it was."""
    return replace(step, after=replace(step.after, status=s.status))


MISTAKES: dict[str, tuple[System, set[str]]] = {
    "draws repeated inside the inner loop": (
        planted({"apply a step": draws_again}),
        {"data stay frozen", "draws by place"},
    ),
    "update applied before the membership answer": (
        planted({"get a gradient": applies_at_once}),
        {"parameters in U", "theta is the last valid"},
    ),
    "off by one in K": (
        planted({"apply a step": one_step_more, "apply the last step": after_one_step_more}),
        {"counters in range"},
    ),
    "off by one in T": (
        planted({"begin an outer iteration": one_iteration_more, "return complete": after_one_iteration_more}),
        {"counters in range"},
    ),
    "old policy refreshed": (planted({"apply a step": refreshes_old_policy}), {"data stay frozen"}),
    "membership not asked": (
        planted({"get a gradient": forgets_to_ask}),
        {"theta is the last valid", "membership by gradients"},
    ),
    "refused proposal returned": (
        planted({"return after a stop": returns_the_proposal}),
        {"theta is the last valid"},
    ),
    "undefined gradient asked for again": (
        planted({"find the gradient undefined": tries_again}),
        {"what remains of a run", "attempts by steps", "membership by gradients"},
    ),
    "stop without a status": (
        planted({"stop at an invalid update": stops_without_status}),
        {"status fits phase", "attempts by steps"},
    ),
}
"""Each mistake with what it breaks, worked out by hand from the statements of the invariants."""
