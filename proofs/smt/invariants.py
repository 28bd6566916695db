"""What holds in every state of the protocol: inductive invariants by name, and the claims that follow from them.

An invariant is kept by every transition from states in which it and the invariants that it names hold. A property is
a claim of the specification, said of a state; it follows from the invariants that it names.
"""

from collections.abc import Callable
from dataclasses import dataclass

from grpocheck.proofs.smt.logic import Truth, choose, every, implies, negation, some
from grpocheck.proofs.smt.transition import Number, Phase, Plan, State, Status


@dataclass(frozen=True)
class Invariant:
    """A statement about every reachable state, and the other invariants that its induction step needs."""

    name: str
    statement: str
    holds: Callable[[Plan, State], Truth]
    uses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Property:
    """A claim, said of a state, and the invariants from which it follows."""

    claim: str
    statement: str
    holds: Callable[[Plan, State], Truth]
    uses: tuple[str, ...]


def within(s: State, *phases: Phase) -> Truth:
    """Whether the procedure stands in one of the phases."""
    return some(*[s.phase == phase for phase in phases])


def ended(s: State, *statuses: Status) -> Truth:
    """Whether the run has one of the statuses."""
    return some(*[s.status == status for status in statuses])


def stepping(s: State) -> Truth:
    """From the complete data of an outer iteration to the end of the run: draws are over, inner steps go on."""
    return negation(within(s, Phase.START, Phase.DRAWING))


def per_iteration(plan: Plan) -> Number:
    """M*G, the draws of one outer iteration."""
    return plan.prompts * plan.group_size


def counters_in_range(plan: Plan, s: State) -> Truth:
    """0 <= t <= T, l <= M, i, j <= G, k <= K, and each is where its phase has it."""
    return every(
        s.phase >= Phase.START,
        s.phase <= Phase.RETURNED,
        s.t <= plan.outer_iterations,
        choose(s.phase == Phase.START, s.t == 0, s.t >= 1),
        choose(s.phase == Phase.START, s.l == 0, s.l >= 1),
        s.l <= plan.prompts,
        s.i >= 0,
        s.i <= plan.group_size,
        s.j >= 0,
        s.j <= plan.group_size,
        some(s.j == 0, s.i == plan.group_size),
        choose(within(s, Phase.START, Phase.DRAWING), s.k == 0, s.k >= 1),
        s.k <= plan.inner_steps,
        implies(within(s, Phase.STEPPED), s.k == plan.inner_steps),
    )


def status_fits_phase(plan: Plan, s: State) -> Truth:
    """The run has no status before it stops or returns; complete only after K steps of outer iteration T."""
    return every(
        implies(negation(within(s, Phase.STOPPED, Phase.RETURNED)), ended(s, Status.RUNNING)),
        implies(within(s, Phase.STOPPED), ended(s, Status.UNDEFINED_GRADIENT, Status.INVALID_UPDATE)),
        implies(within(s, Phase.RETURNED), ended(s, Status.COMPLETE, Status.UNDEFINED_GRADIENT, Status.INVALID_UPDATE)),
        implies(ended(s, Status.COMPLETE), every(s.t == plan.outer_iterations, s.k == plan.inner_steps)),
    )


def parameters_in_u(plan: Plan, s: State) -> Truth:
    """theta, theta_old and the last valid parameter are in U."""
    return every(plan.membership(s.theta) == 1, plan.membership(s.theta_old) == 1, plan.membership(s.last_valid) == 1)


def theta_is_last_valid(plan: Plan, s: State) -> Truth:
    """theta is the last valid parameter, but for a proposal that is admitted and about to be applied."""
    return every(
        choose(within(s, Phase.APPLYING), s.proposal == s.last_valid, s.theta == s.last_valid),
        implies(within(s, Phase.RETURNED), s.returned == s.last_valid),
    )


def started_iterations_counted(plan: Plan, s: State) -> Truth:
    """The ledger's started outer iterations are t."""
    return s.outer_iterations_started == s.t


def draws_by_place(plan: Plan, s: State) -> Truth:
    """draws = M*G for each earlier outer iteration, G for each earlier prompt, and i; M*G*t after the last group."""
    before = per_iteration(plan) * (s.t - 1)
    return every(
        implies(within(s, Phase.START), s.draws == 0),
        implies(within(s, Phase.DRAWING), s.draws == before + plan.group_size * (s.l - 1) + s.i),
        implies(stepping(s), s.draws == per_iteration(plan) * s.t),
    )


def unapplied(s: State) -> Number:
    """1 where the current attempt is made and its step not applied, or never will be."""
    waiting = within(s, Phase.ASKING_MEMBERSHIP, Phase.APPLYING, Phase.UNDEFINED, Phase.REFUSED)
    stopped = ended(s, Status.UNDEFINED_GRADIENT, Status.INVALID_UPDATE)
    return choose(some(waiting, stopped), 1, 0)


def attempts_by_steps(plan: Plan, s: State) -> Truth:
    """gradient attempts = steps applied, and the one attempt whose step is not applied."""
    return s.gradient_attempts == s.steps_applied + unapplied(s)


def steps_by_place(plan: Plan, s: State) -> Truth:
    """steps applied = K for each earlier outer iteration, and k - 1 in this one; K once the last step is applied."""
    before = plan.inner_steps * (s.t - 1)
    done = some(within(s, Phase.STEPPED), ended(s, Status.COMPLETE))
    return every(
        implies(within(s, Phase.START), s.steps_applied == 0),
        implies(within(s, Phase.DRAWING), s.steps_applied == before),
        implies(every(stepping(s), negation(done)), s.steps_applied == before + s.k - 1),
        implies(done, s.steps_applied == plan.inner_steps * s.t),
    )


def membership_by_gradients(plan: Plan, s: State) -> Truth:
    """M_U is asked once for each gradient that was returned; at most the current gradient still waits."""
    waits = choose(within(s, Phase.ASKING_MEMBERSHIP), 1, 0)
    undefined = choose(some(within(s, Phase.UNDEFINED), ended(s, Status.UNDEFINED_GRADIENT)), 1, 0)
    return every(
        s.membership_calls + waits == s.gradients_returned, s.gradients_returned + undefined == s.gradient_attempts
    )


def data_stay_frozen(plan: Plan, s: State) -> Truth:
    """From the last group to the end of the inner steps the data are those frozen; theta_old is theta at the start."""
    return every(implies(stepping(s), s.data == s.data_at_freeze), s.theta_old == s.theta_at_start)


def reference_stays(plan: Plan, s: State) -> Truth:
    """The reference is the problem's own."""
    return s.reference == plan.reference


INVARIANTS = (
    Invariant("counters in range", "every counter is where its phase has it", counters_in_range),
    Invariant(
        "status fits phase",
        "the run has a status exactly when it has stopped or returned",
        status_fits_phase,
        uses=("counters in range",),
    ),
    Invariant(
        "parameters in U",
        "theta, theta_old and the last valid parameter are in U",
        parameters_in_u,
        uses=("theta is the last valid",),
    ),
    Invariant("theta is the last valid", "theta is the last parameter known to be in U", theta_is_last_valid),
    Invariant("started iterations counted", "outer iterations started = t", started_iterations_counted),
    Invariant(
        "draws by place",
        "draws = MG(t-1) + G(l-1) + i",
        draws_by_place,
        uses=("counters in range", "status fits phase"),
    ),
    Invariant(
        "attempts by steps",
        "gradient attempts = steps applied + the one not applied",
        attempts_by_steps,
        uses=("status fits phase",),
    ),
    Invariant(
        "steps by place",
        "steps applied = K(t-1) + k - 1",
        steps_by_place,
        uses=("counters in range", "status fits phase"),
    ),
    Invariant(
        "membership by gradients",
        "membership calls = gradients returned",
        membership_by_gradients,
        uses=("status fits phase",),
    ),
    Invariant("data stay frozen", "data and theta_old stay through the inner steps", data_stay_frozen),
    Invariant("reference stays", "the reference is the problem's own", reference_stays),
)


def _c1(plan: Plan, s: State) -> Truth:
    """Draws = M*G*(outer iterations started), except while a group is drawn; T*M*G on complete; never more."""
    budget = plan.outer_iterations * per_iteration(plan)
    return every(
        implies(negation(within(s, Phase.DRAWING)), s.draws == per_iteration(plan) * s.outer_iterations_started),
        implies(ended(s, Status.COMPLETE), s.draws == budget),
        s.draws <= budget,
    )


def _c2(plan: Plan, s: State) -> Truth:
    """Attempts <= T*K always; at the end steps applied + (1 if stopped)."""
    stopped = choose(ended(s, Status.COMPLETE), 0, 1)
    return every(
        s.gradient_attempts <= plan.outer_iterations * plan.inner_steps,
        implies(within(s, Phase.RETURNED), s.gradient_attempts == s.steps_applied + stopped),
    )


def _c3(plan: Plan, s: State) -> Truth:
    """Membership calls <= attempts always; at the end exactly the attempts that returned a gradient."""
    return every(
        s.membership_calls <= s.gradient_attempts,
        implies(within(s, Phase.RETURNED), s.membership_calls == s.gradients_returned),
    )


def _c4(plan: Plan, s: State) -> Truth:
    """A run that returned has one of exactly three statuses."""
    three = ended(s, Status.COMPLETE, Status.UNDEFINED_GRADIENT, Status.INVALID_UPDATE)
    return implies(within(s, Phase.RETURNED), three)


PROPERTIES = (
    Property("A1", "theta is in U", lambda plan, s: plan.membership(s.theta) == 1, ("parameters in U",)),
    Property(
        "A2",
        "what is returned is the last valid parameter",
        lambda plan, s: implies(within(s, Phase.RETURNED), s.returned == s.last_valid),
        ("theta is the last valid",),
    ),
    Property(
        "C1",
        "draws = M*G*(outer iterations started), T*M*G on complete, never more",
        _c1,
        ("draws by place", "started iterations counted", "counters in range", "status fits phase"),
    ),
    Property(
        "C2",
        "attempts <= T*K, and = steps applied + (1 if stopped)",
        _c2,
        ("attempts by steps", "steps by place", "counters in range", "status fits phase"),
    ),
    Property(
        "C3",
        "membership calls <= attempts, and = attempts that returned a gradient",
        _c3,
        ("membership by gradients",),
    ),
    Property("C4", "a run returns with one of exactly three statuses", _c4, ("status fits phase",)),
    Property("D1", "the data and theta_old are those frozen", data_stay_frozen, ("data stay frozen",)),
    Property("D2", "the reference is the problem's own", reference_stays, ("reference stays",)),
)


def remaining(plan: Plan, s: State) -> tuple[Number, ...]:
    """The measure of claim C4: what is left of the run, compared entry by entry from the left.

    Outer iterations to begin, the part of the iteration (groups, steps, none), prompts, draws, rewards, inner steps,
    and calls of the current inner step.
    """
    part = choose(within(s, Phase.START, Phase.DRAWING), 2, choose(within(s, Phase.RETURNED), 0, 1))
    calls = choose(
        within(s, Phase.ASKING_GRADIENT),
        3,
        choose(
            within(s, Phase.ASKING_MEMBERSHIP),
            2,
            choose(within(s, Phase.APPLYING, Phase.UNDEFINED, Phase.REFUSED), 1, 0),
        ),
    )
    return (
        plan.outer_iterations - s.t,
        part,
        plan.prompts - s.l,
        plan.group_size - s.i,
        plan.group_size - s.j,
        plan.inner_steps - s.k,
        calls,
    )


def decreases(before: tuple[Number, ...], after: tuple[Number, ...]) -> Truth:
    """Whether a measure falls: the first entry in which the two differ is smaller after."""
    fallen: Truth = False
    for old, new in reversed(list(zip(before, after, strict=True))):
        fallen = some(new < old, every(new == old, fallen))
    return fallen


def bounded_below(measure: tuple[Number, ...]) -> Truth:
    """Whether no entry of a measure is below 0; then it cannot fall for ever."""
    return every(*(entry >= 0 for entry in measure))
