"""The induction over the protocol: which obligations make an invariant and a claim hold at every size."""

from collections.abc import Iterator
from dataclasses import dataclass

from grpocheck.proofs.smt.invariants import (
    INVARIANTS,
    PROPERTIES,
    Invariant,
    Property,
    bounded_below,
    decreases,
    remaining,
    within,
)
from grpocheck.proofs.smt.logic import Truth, negation, some
from grpocheck.proofs.smt.obligations import Obligation
from grpocheck.proofs.smt.symbols import show_step, size_of, symbolic_answer, symbolic_plan, symbolic_state
from grpocheck.proofs.smt.transition import (
    TRANSITIONS,
    Answer,
    Phase,
    Plan,
    State,
    Transition,
    exactly_on_u,
    initial,
)

MEASURE = "what remains of a run"
PROGRESS = "something follows until the run returns"
MEASURED_WITH = ("counters in range", "status fits phase")
"""The invariants with which the measure of what remains falls and the procedure never stands still."""


@dataclass(frozen=True)
class System:
    """A transition system with its invariants and the claims that are to follow."""

    transitions: tuple[Transition, ...] = TRANSITIONS
    invariants: tuple[Invariant, ...] = INVARIANTS
    properties: tuple[Property, ...] = PROPERTIES

    def invariant(self, name: str) -> Invariant:
        """The invariant with a name."""
        return next(invariant for invariant in self.invariants if invariant.name == name)

    def foundation(self, claim: str) -> tuple[str, ...]:
        """What a claim's obligations are about: itself and all the invariants that it rests on.

        The invariants are closed under what they use, so that they are inductive together.
        """
        waiting = [name for entry in self.properties if entry.claim == claim for name in entry.uses]
        found = [claim]
        if claim == "C4":
            waiting.extend(MEASURED_WITH)
            found += [MEASURE, PROGRESS]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.append(name)
                waiting.extend(self.invariant(name).uses)
        return tuple(found)


class Induction:
    """The obligations of a system, over symbols for every plan, state and answer."""

    def __init__(self, system: System | None = None) -> None:
        """The induction over a system; over the protocol itself unless one is given."""
        self.system = system or System()
        self.plan: Plan = symbolic_plan()
        self.state: State = symbolic_state()
        self.answer: Answer = symbolic_answer()

    def obligations(self) -> Iterator[Obligation]:
        """Every obligation: start and steps of each invariant, each claim, and the end of every run."""
        for invariant in self.system.invariants:
            yield self.holds_at_start(invariant)
            for transition in self.system.transitions:
                yield self.kept_by(invariant, transition)
        for claim in self.system.properties:
            yield Obligation(
                claim.claim,
                f"{claim.claim}, {claim.statement}: in every state",
                (*self.plan.assumptions(), *self.assumed(*claim.uses)),
                claim.holds(self.plan, self.state),
                show=lambda model, names: show_step(self.plan, None, self.state, model, names),
                size=lambda: size_of(self.plan, self.state),
            )
        yield from self.end_of_every_run()

    def assumed(self, *names: str) -> tuple[Truth, ...]:
        """The named invariants, of the state before."""
        return tuple(self.system.invariant(name).holds(self.plan, self.state) for name in names)

    def holds_at_start(self, invariant: Invariant) -> Obligation:
        """The invariant holds before the first outer iteration."""
        state = initial(self.plan)
        return Obligation(
            invariant.name,
            f"{invariant.name}: at the start",
            self.plan.assumptions(),
            invariant.holds(self.plan, state),
            show=lambda model, names: show_step(self.plan, None, state, model, names),
            size=lambda: size_of(self.plan, state),
        )

    def kept_by(self, invariant: Invariant, transition: Transition) -> Obligation:
        """The invariant holds after a transition from a state in which it and those that it uses hold."""
        step = transition.step(self.plan, self.state, self.answer)
        return Obligation(
            invariant.name,
            f"{invariant.name}: kept when the procedure is to {transition.name}",
            (*self.before(transition), *self.assumed(invariant.name, *invariant.uses)),
            invariant.holds(self.plan, step.after),
            show=lambda model, names: show_step(self.plan, self.state, step.after, model, names),
            size=lambda: size_of(self.plan, self.state),
        )

    def before(self, transition: Transition) -> tuple[Truth, ...]:
        """The assumptions of the plan, the supply's clauses, and the conditions of a transition."""
        step = transition.step(self.plan, self.state, self.answer)
        return (*self.plan.assumptions(), *self.supplied(), *step.when)

    def supplied(self) -> tuple[Truth, ...]:
        """What the supply promises of its answers: M_U is exact when it is asked."""
        asked = within(self.state, Phase.ASKING_MEMBERSHIP)
        return (some(negation(asked), exactly_on_u(self.plan, self.state, self.answer)),)

    def end_of_every_run(self) -> Iterator[Obligation]:
        """C4: what remains falls with every transition and never below 0; only a run that returned stands still."""
        measure = remaining(self.plan, self.state)
        yield self.about_termination(MEASURE, "never below 0", (), bounded_below(measure), self.state)
        for transition in self.system.transitions:
            step = transition.step(self.plan, self.state, self.answer)
            yield self.about_termination(
                MEASURE,
                f"falls when the procedure is to {transition.name}",
                step.when,
                decreases(measure, remaining(self.plan, step.after)),
                step.after,
            )
        enabled = some(
            *(transition.step(self.plan, self.state, self.answer).enabled for transition in self.system.transitions)
        )
        for phase in Phase:
            ends = phase == Phase.RETURNED
            yield self.about_termination(
                PROGRESS,
                f"{'nothing' if ends else 'something'} follows when it is {phase.name.lower().replace('_', ' ')}",
                (self.state.phase == phase,),
                negation(enabled) if ends else enabled,
                self.state,
            )

    def about_termination(
        self, about: str, statement: str, hypotheses: tuple[Truth, ...], conclusion: Truth, after: State
    ) -> Obligation:
        """An obligation of claim C4."""
        before = None if after is self.state else self.state
        return Obligation(
            about,
            f"C4, {about}: {statement}",
            (*self.plan.assumptions(), *self.supplied(), *self.assumed(*MEASURED_WITH), *hypotheses),
            conclusion,
            show=lambda model, names: show_step(self.plan, before, after, model, names),
            size=lambda: size_of(self.plan, self.state),
        )
