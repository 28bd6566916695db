"""The protocol as a transition system, to be read next to core/update.py and core/procedure.py.

A transition is what happens between two events that core's run tells its observer. It has a condition and the state
that it leads to; both are written once, for z3's symbols and for the values of a run alike. Sizes are integers of any
size, parameters, frozen data and the reference are abstract, and what an oracle answers is arbitrary at every call,
but for one clause of the supply: M_U answers 1 exactly on U.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from grpocheck.core.events import Kind
from grpocheck.proofs.smt.logic import Truth, every, some

Number = Any
"""An int, or a z3 integer."""


class Phase(IntEnum):
    """Where the procedure stands: what it is about to do."""

    START = 0
    DRAWING = 1
    ASKING_GRADIENT = 2
    ASKING_MEMBERSHIP = 3
    APPLYING = 4
    UNDEFINED = 5
    REFUSED = 6
    STEPPED = 7
    STOPPED = 8
    RETURNED = 9


class Status(IntEnum):
    """The status of the run; RUNNING until it has one of the three."""

    RUNNING = 0
    COMPLETE = 1
    UNDEFINED_GRADIENT = 2
    INVALID_UPDATE = 3


@dataclass(frozen=True)
class Plan:
    """What is fixed before a run: T, M, G, K, theta_0 in U, the reference, U, and how data and proposals are formed."""

    outer_iterations: Number
    prompts: Number
    group_size: Number
    inner_steps: Number
    theta: Any
    reference: Any
    no_data: Any
    extended: Callable[[Any, Any], Any]
    """The data with one more answer: a response drawn, its reward, or what was computed from a group."""
    moved: Callable[[Any, Number, Number, Any], Any]
    """The proposal theta + eta[t][k] gradient."""
    membership: Callable[[Any], Number]
    """1 on U and 0 elsewhere."""

    def assumptions(self) -> tuple[Truth, ...]:
        """T, M, K >= 1, G >= 2, and theta_0 in U."""
        return (
            self.outer_iterations >= 1,
            self.prompts >= 1,
            self.group_size >= 2,
            self.inner_steps >= 1,
            self.membership(self.theta) == 1,
        )


@dataclass(frozen=True)
class Answer:
    """What the supply answers at one event; of its entries a transition uses those of the oracle that was asked."""

    item: Any = None
    defined: Number = 0
    """1 for a gradient, 0 for undefined."""
    gradient: Any = None
    member: Number = 0


@dataclass(frozen=True)
class State:
    """The state between two events: the program's own variables, the ledger, and the history that claims speak of."""

    phase: Number
    t: Number
    l: Number  # noqa: E741 - the prompt's index in the definition
    i: Number
    j: Number
    k: Number
    theta: Any
    theta_old: Any
    data: Any
    reference: Any
    gradient: Any
    proposal: Any
    status: Number
    returned: Any

    outer_iterations_started: Number
    draws: Number
    reward_evaluations: Number
    gradient_attempts: Number
    membership_calls: Number
    steps_applied: Number

    theta_at_start: Any
    """History: theta when the outer iteration began."""
    data_at_freeze: Any
    """History: the data when the last group was complete."""
    last_valid: Any
    """History: theta_0, or the last proposal for which M_U answered 1."""
    gradients_returned: Number
    """History: how many attempts returned a gradient."""


LEDGER = (
    "outer_iterations_started",
    "draws",
    "reward_evaluations",
    "gradient_attempts",
    "membership_calls",
    "steps_applied",
)
"""The counters that the system shares with core's ledger, by their names there."""


@dataclass(frozen=True)
class Step:
    """The conditions under which a transition is taken, and the state after it."""

    when: tuple[Truth, ...]
    after: State

    @property
    def enabled(self) -> Truth:
        """Whether all the conditions hold."""
        return every(*self.when)


@dataclass(frozen=True)
class Transition:
    """A named transition and the event with which core's run shows it."""

    name: str
    event: Kind
    step: Callable[[Plan, State, Answer], Step]


def initial(plan: Plan) -> State:
    """Before the first outer iteration: theta = theta_0, an empty ledger, nothing drawn, nothing returned."""
    return State(
        phase=Phase.START,
        t=0,
        l=0,
        i=0,
        j=0,
        k=0,
        theta=plan.theta,
        theta_old=plan.theta,
        data=plan.no_data,
        reference=plan.reference,
        gradient=None,
        proposal=plan.theta,
        status=Status.RUNNING,
        returned=None,
        outer_iterations_started=0,
        draws=0,
        reward_evaluations=0,
        gradient_attempts=0,
        membership_calls=0,
        steps_applied=0,
        theta_at_start=plan.theta,
        data_at_freeze=plan.no_data,
        last_valid=plan.theta,
        gradients_returned=0,
    )


def exactly_on_u(plan: Plan, s: State, answer: Answer) -> Truth:
    """The clause of the domain oracle: asked about the proposal, it answers as U has it."""
    return answer.member == plan.membership(plan.moved(s.theta, s.t, s.k, s.gradient))


def begin_iteration(plan: Plan, s: State, answer: Answer) -> Step:
    """Outer iteration t + 1 begins: freeze theta as theta_old, with no data yet."""
    return Step(
        (some(s.phase == Phase.START, s.phase == Phase.STEPPED), s.t < plan.outer_iterations),
        replace(
            s,
            phase=Phase.DRAWING,
            t=s.t + 1,
            l=1,
            i=0,
            j=0,
            k=0,
            theta_old=s.theta,
            theta_at_start=s.theta,
            data=plan.no_data,
            outer_iterations_started=s.outer_iterations_started + 1,
        ),
    )


def draw(plan: Plan, s: State, answer: Answer) -> Step:
    """Draw response i + 1 of prompt l."""
    return Step(
        (s.phase == Phase.DRAWING, s.i < plan.group_size),
        replace(s, i=s.i + 1, draws=s.draws + 1, data=plan.extended(s.data, answer.item)),
    )


def evaluate_reward(plan: Plan, s: State, answer: Answer) -> Step:
    """Evaluate the reward of response j + 1, once the group is drawn."""
    return Step(
        (s.phase == Phase.DRAWING, s.i == plan.group_size, s.j < plan.group_size),
        replace(s, j=s.j + 1, reward_evaluations=s.reward_evaluations + 1, data=plan.extended(s.data, answer.item)),
    )


def close_group(plan: Plan, s: State, answer: Answer) -> Step:
    """Advantages and old masses of a group that is not the last; go on to the next prompt."""
    return Step(
        (s.phase == Phase.DRAWING, s.j == plan.group_size, s.l < plan.prompts),
        replace(s, l=s.l + 1, i=0, j=0, data=plan.extended(s.data, answer.item)),
    )


def freeze(plan: Plan, s: State, answer: Answer) -> Step:
    """Advantages and old masses of the last group: the data are complete, and the inner steps begin."""
    data = plan.extended(s.data, answer.item)
    return Step(
        (s.phase == Phase.DRAWING, s.j == plan.group_size, s.l == plan.prompts),
        replace(s, phase=Phase.ASKING_GRADIENT, k=1, data=data, data_at_freeze=data),
    )


def get_gradient(plan: Plan, s: State, answer: Answer) -> Step:
    """The gradient oracle answers with a gradient."""
    return Step(
        (s.phase == Phase.ASKING_GRADIENT, answer.defined == 1),
        replace(
            s,
            phase=Phase.ASKING_MEMBERSHIP,
            gradient=answer.gradient,
            gradient_attempts=s.gradient_attempts + 1,
            gradients_returned=s.gradients_returned + 1,
        ),
    )


def find_no_gradient(plan: Plan, s: State, answer: Answer) -> Step:
    """The gradient oracle answers undefined."""
    return Step(
        (s.phase == Phase.ASKING_GRADIENT, answer.defined == 0),
        replace(s, phase=Phase.UNDEFINED, gradient_attempts=s.gradient_attempts + 1),
    )


def be_admitted(plan: Plan, s: State, answer: Answer) -> Step:
    """M_U answers 1 for the proposal, which is from now on the last valid parameter."""
    proposal = plan.moved(s.theta, s.t, s.k, s.gradient)
    return Step(
        (s.phase == Phase.ASKING_MEMBERSHIP, answer.member == 1),
        replace(
            s,
            phase=Phase.APPLYING,
            proposal=proposal,
            last_valid=proposal,
            membership_calls=s.membership_calls + 1,
        ),
    )


def be_refused(plan: Plan, s: State, answer: Answer) -> Step:
    """M_U answers 0 for the proposal."""
    return Step(
        (s.phase == Phase.ASKING_MEMBERSHIP, answer.member == 0),
        replace(
            s,
            phase=Phase.REFUSED,
            proposal=plan.moved(s.theta, s.t, s.k, s.gradient),
            membership_calls=s.membership_calls + 1,
        ),
    )


def apply(plan: Plan, s: State, answer: Answer) -> Step:
    """Apply the proposal and go on to inner step k + 1."""
    return Step(
        (s.phase == Phase.APPLYING, s.k < plan.inner_steps),
        replace(s, phase=Phase.ASKING_GRADIENT, k=s.k + 1, theta=s.proposal, steps_applied=s.steps_applied + 1),
    )


def apply_last(plan: Plan, s: State, answer: Answer) -> Step:
    """Apply the proposal of inner step K."""
    return Step(
        (s.phase == Phase.APPLYING, s.k == plan.inner_steps),
        replace(s, phase=Phase.STEPPED, theta=s.proposal, steps_applied=s.steps_applied + 1),
    )


def stop_undefined(plan: Plan, s: State, answer: Answer) -> Step:
    """Stop with status undefined-gradient."""
    return Step(
        (s.phase == Phase.UNDEFINED,),
        replace(s, phase=Phase.STOPPED, status=Status.UNDEFINED_GRADIENT),
    )


def stop_invalid(plan: Plan, s: State, answer: Answer) -> Step:
    """Stop with status invalid-update."""
    return Step(
        (s.phase == Phase.REFUSED,),
        replace(s, phase=Phase.STOPPED, status=Status.INVALID_UPDATE),
    )


def return_stopped(plan: Plan, s: State, answer: Answer) -> Step:
    """Return theta after a stop."""
    return Step((s.phase == Phase.STOPPED,), replace(s, phase=Phase.RETURNED, returned=s.theta))


def return_complete(plan: Plan, s: State, answer: Answer) -> Step:
    """Return theta after the last of T outer iterations, with status complete."""
    return Step(
        (s.phase == Phase.STEPPED, s.t == plan.outer_iterations),
        replace(s, phase=Phase.RETURNED, status=Status.COMPLETE, returned=s.theta),
    )


TRANSITIONS = (
    Transition("begin an outer iteration", Kind.OUTER_ITERATION, begin_iteration),
    Transition("draw a response", Kind.DRAW, draw),
    Transition("evaluate a reward", Kind.REWARD, evaluate_reward),
    Transition("close a group", Kind.GROUP, close_group),
    Transition("close the last group", Kind.GROUP, freeze),
    Transition("get a gradient", Kind.GRADIENT, get_gradient),
    Transition("find the gradient undefined", Kind.GRADIENT, find_no_gradient),
    Transition("be admitted by M_U", Kind.MEMBERSHIP, be_admitted),
    Transition("be refused by M_U", Kind.MEMBERSHIP, be_refused),
    Transition("apply a step", Kind.APPLY, apply),
    Transition("apply the last step", Kind.APPLY, apply_last),
    Transition("stop at an undefined gradient", Kind.STOP, stop_undefined),
    Transition("stop at an invalid update", Kind.STOP, stop_invalid),
    Transition("return after a stop", Kind.OUTCOME, return_stopped),
    Transition("return complete", Kind.OUTCOME, return_complete),
)
