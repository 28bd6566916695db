"""The tie between the transition system and core: each event of core's run is a transition of the system.

Core's run follows scripted oracles and tells its events. What an event shows of the state (the ledger as it stands,
the parameter, the frozen data that the gradient oracle was given, t, l, i, k, the reference) is compared with the
state to which the one transition leads that the event allows. Every invariant is evaluated on every state on the way,
every claim on the last, and the measure of what remains has to fall.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grpocheck.core import Event, FrozenIteration, Group, Kind, Outcome, run
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.oracles import Undefined
from grpocheck.core.outcome import Status as CoreStatus
from grpocheck.proofs.smt.induction import System
from grpocheck.proofs.smt.invariants import Invariant, Property, bounded_below, decreases, remaining
from grpocheck.proofs.smt.logic import every
from grpocheck.proofs.smt.scripts import Script, ScriptedSupply
from grpocheck.proofs.smt.transition import LEDGER, Answer, Phase, Plan, State, Status, exactly_on_u, initial

STATUS = {
    CoreStatus.COMPLETE: Status.COMPLETE,
    CoreStatus.UNDEFINED_GRADIENT: Status.UNDEFINED_GRADIENT,
    CoreStatus.INVALID_UPDATE: Status.INVALID_UPDATE,
}


class Untied(Exception):  # noqa: N818 - named for what it says
    """Core's run does what the transition system does not."""


@dataclass(frozen=True)
class Shown:
    """What an event shows: entries of the state before it, of the state after it, and the answer of the supply."""

    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)
    answer: Answer = field(default_factory=Answer)


def frozen_items(frozen: FrozenIteration) -> tuple[Any, ...]:
    """The frozen data as the answers from which they were made, in the order in which those were given."""
    return tuple(item for group in frozen.groups for item in group_items(group))


def group_items(group: Group) -> tuple[Any, ...]:
    """Responses, rewards, and what was computed from them."""
    responses = tuple(("response", group.prompt.responses[position]) for position in group.positions)
    rewards = tuple(("reward", reward) for reward in group.rewards)
    return (*responses, *rewards, ("group", group.advantages, group.old_masses))


class Follower:
    """An observer of core's run that takes the transition system along."""

    def __init__(self, supply: ScriptedSupply, system: System) -> None:
        """Follow a run of a scripted supply, from the state before its first event."""
        problem = supply.problem
        self.supply = supply
        self.system = system
        self.plan = Plan(
            outer_iterations=problem.outer_iterations,
            prompts=len(problem.prompts),
            group_size=problem.group_size,
            inner_steps=problem.inner_steps,
            theta=problem.theta,
            reference=tuple(prompt.reference for prompt in problem.prompts),
            no_data=(),
            extended=lambda data, item: (*data, item),
            moved=self.moved,
            membership=lambda theta: int(theta in supply.valid),
        )
        self.state = initial(self.plan)
        self.taken: Counter[str] = Counter()
        self.counts: Any = None

    def moved(self, theta: tuple[Any, ...], t: int, k: int, gradient: tuple[Any, ...]) -> tuple[Any, ...]:
        """theta + eta[t][k] gradient, with the problem's step sizes."""
        step_size = self.supply.problem.step_sizes[t - 1][k - 1]
        return tuple(entry + step_size * slope for entry, slope in zip(theta, gradient, strict=True))

    def __call__(self, event: Event) -> None:
        """Follow one event."""
        if event.kind is Kind.START:
            self.counts = event.values["ledger"]
            self.compare({"theta": event.values["theta"]}, self.state, "start")
            self.check_state(self.state, "start")
            return
        shown = SHOWN[event.kind](self, event)
        where = f"after {sum(self.taken.values())} events, at the event {self.place(event)}"
        steps = {
            transition.name: transition.step(self.plan, self.state, shown.answer)
            for transition in self.system.transitions
            if transition.event is event.kind
        }
        enabled = {name: step.after for name, step in steps.items() if step.enabled}
        if len(enabled) != 1:
            phase = self.state.phase.name.lower().replace("_", " ")
            allowed = f"{len(enabled)} transitions of the system are possible while it is {phase}"
            raise Untied(f"{where}: {allowed}, expected one")
        ((name, after),) = enabled.items()
        self.compare(shown.before, self.state, f"before {where}")
        self.compare({**shown.after, **self.ledger()}, after, where)
        if event.kind is Kind.MEMBERSHIP and not exactly_on_u(self.plan, self.state, shown.answer):
            raise Untied(f"{where}: the answer is not that of the script's U")
        if not decreases(remaining(self.plan, self.state), remaining(self.plan, after)):
            raise Untied(f"{where}: what remains of the run does not fall")
        self.check_state(after, where)
        self.state = after
        self.taken[name] += 1

    @staticmethod
    def place(event: Event) -> str:
        """Which event it is, by its counters."""
        counters = [f"{name} = {event.values[name]}" for name in ("t", "prompt", "i", "k") if name in event.values]
        return f"{event.kind} {', '.join(counters)}".rstrip()

    def ledger(self) -> dict[str, int]:
        """The counters of core's ledger as they stand."""
        counts = self.counts.to_mapping()
        return {name: counts[name] for name in LEDGER}

    def position(self, event: Event) -> int:
        """l, the number of the prompt that an event names."""
        return [prompt.name for prompt in self.supply.problem.prompts].index(str(event.values["prompt"])) + 1

    def reference(self) -> tuple[Any, ...]:
        """The reference as the inner steps have it."""
        frozen = self.supply.frozen
        prompts = self.supply.problem.prompts if frozen is None else [group.prompt for group in frozen.groups]
        return tuple(prompt.reference for prompt in prompts)

    def compare(self, shown: Mapping[str, Any], state: State, where: str) -> None:
        """Every entry that the run shows is that of the system's state."""
        for name, value in shown.items():
            if getattr(state, name) != value:
                raise Untied(f"{where}: core shows {name} = {value}, the system has {getattr(state, name)}")

    def check_state(self, state: State, where: str) -> None:
        """Every invariant holds in the state, every claim in the last one, and the measure is not below 0."""
        statements: list[Invariant | Property] = [*self.system.invariants]
        if state.phase is Phase.RETURNED:
            statements += self.system.properties
        for entry in statements:
            if not entry.holds(self.plan, state):
                raise Untied(f"{where}: {entry.statement} does not hold in {state}")
        if not every(*self.plan.assumptions(), bounded_below(remaining(self.plan, state))):
            raise Untied(f"{where}: the measure of what remains is below 0 in {state}")


def show_iteration(follower: Follower, event: Event) -> Shown:
    """An outer iteration begins at theta_old."""
    theta = event.values["theta_old"]
    return Shown(before={"theta": theta}, after={"t": event.values["t"], "theta_old": theta})


def show_draw(follower: Follower, event: Event) -> Shown:
    """A response was drawn."""
    after = {"t": event.values["t"], "l": follower.position(event), "i": event.values["i"]}
    return Shown(after=after, answer=Answer(item=("response", event.values["response"])))


def show_reward(follower: Follower, event: Event) -> Shown:
    """A reward was evaluated."""
    after = {"t": event.values["t"], "l": follower.position(event), "j": event.values["i"]}
    return Shown(after=after, answer=Answer(item=("reward", event.values["reward"])))


def show_group(follower: Follower, event: Event) -> Shown:
    """The advantages and old masses of a group were computed."""
    before = {"t": event.values["t"], "l": follower.position(event)}
    item = ("group", event.values["advantages"], event.values["old_masses"])
    return Shown(before=before, answer=Answer(item=item))


def show_gradient(follower: Follower, event: Event) -> Shown:
    """The gradient oracle was asked, and given the frozen data."""
    frozen = follower.supply.frozen
    if frozen is None:
        raise Untied("a gradient is told that the oracle was never asked for")
    after = {
        "t": event.values["t"],
        "k": event.values["k"],
        "theta": event.values["theta"],
        "theta_old": frozen.theta_old,
        "data": frozen_items(frozen),
        "reference": follower.reference(),
    }
    found = event.values["answer"]
    answer = Answer(defined=0) if isinstance(found, Undefined) else Answer(defined=1, gradient=found)
    return Shown(after=after, answer=answer)


def show_membership(follower: Follower, event: Event) -> Shown:
    """M_U was asked about the proposal."""
    after = {"t": event.values["t"], "k": event.values["k"], "proposal": event.values["proposal"]}
    return Shown(after=after, answer=Answer(member=int(bool(event.values["answer"]))))


def show_apply(follower: Follower, event: Event) -> Shown:
    """A step was applied."""
    before = {"t": event.values["t"], "k": event.values["k"]}
    return Shown(before=before, after={"theta": event.values["theta"], "reference": follower.reference()})


def show_stop(follower: Follower, event: Event) -> Shown:
    """The run stops with a status."""
    status = STATUS[CoreStatus(str(event.values["status"]))]
    return Shown(after={"t": event.values["t"], "k": event.values["k"], "status": status})


def show_outcome(follower: Follower, event: Event) -> Shown:
    """The run returns its outcome."""
    outcome = event.values["outcome"]
    if not isinstance(outcome, Outcome):
        raise Untied(f"the outcome is a {type(outcome).__name__}")
    after = {"returned": outcome.theta, "status": STATUS[outcome.status], "reference": follower.reference()}
    return Shown(after={**after, **{name: outcome.ledger.to_mapping()[name] for name in LEDGER}})


SHOWN: Mapping[Kind, Callable[[Follower, Event], Shown]] = {
    Kind.OUTER_ITERATION: show_iteration,
    Kind.DRAW: show_draw,
    Kind.REWARD: show_reward,
    Kind.GROUP: show_group,
    Kind.GRADIENT: show_gradient,
    Kind.MEMBERSHIP: show_membership,
    Kind.APPLY: show_apply,
    Kind.STOP: show_stop,
    Kind.OUTCOME: show_outcome,
}
"""What each kind of event shows."""


@dataclass(frozen=True)
class Tie:
    """How much of core's behaviour was followed: runs, transitions, each transition's name and each status."""

    runs: int
    transitions: int
    taken: Mapping[str, int]
    statuses: Mapping[str, int]


def follow(script: Script, system: System) -> Follower:
    """Run core along a script and follow it; raises Untied where it leaves the system."""
    supply = ScriptedSupply(script)
    follower = Follower(supply, system)
    try:
        outcome = run(
            supply.problem, supply.supply(), arithmetic=ExactArithmetic(), observer=follower, one_answer=False
        )
    except Untied as difference:
        raise Untied(f"{script}: {difference}") from None
    if follower.state.phase is not Phase.RETURNED or outcome.theta != follower.state.returned:
        raise Untied(f"{script}: core returned while the system is {follower.state.phase.name.lower()}")
    if str(outcome.status) != script.ending:
        raise Untied(f"{script}: core ended with status {outcome.status}")
    return follower


def tie(system: System, scripts: Iterable[Script]) -> Tie:
    """Follow core's run along the scripts; raises Untied at the first that leaves the system."""
    taken: Counter[str] = Counter()
    statuses: Counter[str] = Counter()
    for script in scripts:
        follower = follow(script, system)
        taken.update(follower.taken)
        statuses[follower.state.status.name] += 1
    unused = [transition.name for transition in system.transitions if not taken[transition.name]]
    if unused or len(statuses) != len(STATUS):
        raise Untied(f"no run took the transitions {unused} or some status: what is said of them is empty")
    return Tie(sum(statuses.values()), sum(taken.values()), dict(taken), dict(statuses))
