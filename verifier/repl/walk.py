"""A run that is walked: its attempts one after the other, and what there is to see at each."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.arithmetic.choice import arithmetic_named
from grpocheck.core.gradient import Vector, is_active
from grpocheck.core.oracles import Undefined
from grpocheck.core.outcome import InnerStep, Outcome, OuterIteration, Status
from grpocheck.core.problem import Problem
from grpocheck.core.procedure import run
from grpocheck.core.ratio import active_bound
from grpocheck.verifier.outcomes import in_cell
from grpocheck.verifier.properties.moments import At, Element, Masses, Moment, ending
from grpocheck.verifier.properties.quantities import QUANTITIES, Sort
from grpocheck.verifier.properties.runs import family_of, setting_of
from grpocheck.verifier.tables import abbreviated


@dataclass
class Walk:
    """A finished run, and how many of its attempts have been walked."""

    problem: Problem
    outcome: Outcome
    place: int = 0

    @property
    def attempts(self) -> list[tuple[OuterIteration, InnerStep]]:
        """Every inner step that was attempted, in order."""
        return [(iteration, step) for iteration in self.outcome.iterations for step in iteration.steps]

    def move(self, by: int) -> bool:
        """Go forward or back; False at an end."""
        wanted = self.place + by
        self.place = min(max(wanted, 0), len(self.attempts))
        return self.place == wanted

    def iteration(self) -> OuterIteration:
        """The outer iteration that is being walked."""
        return self.attempts[max(self.place - 1, 0)][0]

    def text(self, value: Scalar) -> str:
        """A number, or its bounds."""
        text = self.outcome.arithmetic.text(value)
        return abbreviated(text if isinstance(text, str) else f"[{', '.join(text)}]")

    def vector(self, values: tuple[Scalar, ...]) -> str:
        """Several numbers."""
        shown = ", ".join(map(self.text, values))
        return shown if len(values) == 1 else f"({shown})"

    def short(self, values: tuple[Scalar, ...]) -> str:
        """Several numbers on a line with others: of an enclosure the digits that a table has, widened so as to hold."""
        texts = map(self.outcome.arithmetic.text, values)
        shown = ", ".join(abbreviated(text) if isinstance(text, str) else in_cell(text) for text in texts)
        return shown if len(values) == 1 else f"({shown})"

    def more(self, *values: Scalar) -> str:
        """How to see all digits, where a line leaves some of them out."""
        cut = any(not isinstance(self.outcome.arithmetic.text(value), str) for value in values)
        return " (all digits: show theta, show F)" if cut else ""

    def here(self) -> str:
        """Where the walk stands, on one line."""
        if self.place == 0:
            theta = self.attempts[0][1].theta_before
            return f"at the start: theta = {self.vector(theta)}; {len(self.attempts)} attempts ahead"
        iteration, step = self.attempts[self.place - 1]
        return f"t = {iteration.frozen.outer_iteration}, k = {step.number}: {self.step(step)}{self.ending()}"

    def step(self, step: InnerStep) -> str:
        """What became of an attempt."""
        if isinstance(step.gradient, Undefined):
            return f"no gradient at theta = {self.vector(step.theta)}"
        gradient, theta = self.short(step.gradient), self.short(step.theta)
        if step.proposal is None or not step.is_member:
            proposal = "" if step.proposal is None else self.short(step.proposal)
            return f"gradient {gradient}, proposal {proposal} outside U; theta stays {theta}{self.more(*step.theta)}"
        more = self.more(*step.gradient, *step.theta, step.objective)
        return f"gradient {gradient}, theta = {theta}, F = {self.short((step.objective,))}{more}"

    def ending(self) -> str:
        """How the run ends, at its last attempt."""
        return f"; the run is {self.outcome.status}" if self.place == len(self.attempts) else ""

    def theta(self) -> str:
        """The parameter where the walk stands."""
        here = self.attempts[0][1].theta_before if self.place == 0 else self.attempts[self.place - 1][1].theta
        return f"theta = {self.vector(here)}"

    def moment(self) -> Moment:
        """The parameter where the walk stands, with the groups of its outer iteration, as properties look at it."""
        frozen, arithmetic = self.iteration().frozen, self.outcome.arithmetic
        family = family_of(self.problem)
        here = frozen.theta_old if self.place == 0 else self.attempts[self.place - 1][1].theta

        def masses(theta: Vector) -> Masses:
            return [family.masses(theta, prompt, arithmetic) for prompt in self.problem.prompts]

        setting = setting_of(self.problem, arithmetic)
        end = ending(self.outcome.status, self.outcome.ledger.to_mapping())
        return Moment(setting, end, frozen, self.applied(), At(frozen.theta_old, masses), At(here, masses))

    def applied(self) -> int:
        """The steps that the outer iteration has applied where the walk stands."""
        if self.place == 0:
            return 0
        _, step = self.attempts[self.place - 1]
        return step.number if step.is_member else step.number - 1

    def quantity(self, name: str) -> Iterator[str]:
        """A quantity of the property language where the walk stands: of each thing that it belongs to, a line."""
        known, moment = QUANTITIES[name], self.moment()
        if name == "status":
            yield f"status = {self.outcome.status}"
            return
        if not known.sorts or known.alone:
            yield f"{name} = {self.text(moment.value(name, None))}"
        for element in moment.elements(known.sorts[0], None) if known.sorts else ():
            place = element.place if element.sort is Sort.COORDINATE else element.prompt
            index, named = str(place + 1), ""
            if element.sort in (Sort.RESPONSE, Sort.SUPPORT):
                index, named = f"{element.prompt + 1},{element.place + 1}", f" ({moment.response(element)})"
            yield f"{name}[{index}] = {self.text(moment.value(name, element))}{named}"

    def groups(self) -> Iterator[str]:
        """The drawn groups of the outer iteration, response by response, at the parameter where the walk stands."""
        moment = self.moment()
        frozen, arithmetic = self.iteration().frozen, self.outcome.arithmetic
        yield f"t = {frozen.outer_iteration}: F = {self.text(moment.value('F', None))}"
        for group in frozen.groups:
            name, mean, deviation = group.prompt.name, self.text(group.average), self.text(group.deviation)
            yield f"prompt {name}: mean reward {mean}, deviation {deviation}"
            for i in range(self.problem.group_size):
                element = Element(Sort.RESPONSE, group.prompt.position, i)
                values = {name: moment.value(name, element) for name in ("reward", "advantage", "ratio", "term")}
                shown = ", ".join(f"{name} {self.text(value)}" for name, value in values.items())
                state = gradient_state(values["ratio"], values["advantage"], frozen.epsilon, arithmetic)
                yield f"  {i + 1} {moment.response(element)}: {shown}, gradient {state}"

    def ledger(self) -> Iterator[str]:
        """The calls of the whole run, those with a budget beside it."""
        bounds = self.outcome.ledger.bounds.to_mapping()
        for line, count in self.outcome.ledger.to_mapping().items():
            yield f"{line} {count}" + (f" of {bounds[line]}" if line in bounds else "")


def gradient_state(ratio: Scalar, advantage: Scalar, epsilon: Scalar, arithmetic: Arithmetic) -> str:
    """Whether a response's term has a gradient: alive, dead past the clip, or none where the ratio is on the bound."""
    if is_active(ratio, advantage, epsilon, arithmetic):
        return "alive"
    if arithmetic.equal(advantage, 0) or not arithmetic.equal(ratio, active_bound(advantage, epsilon, arithmetic)):
        return "dead"
    return "on the bound of the clip"


def walked(problem: Problem) -> Walk:
    """The run of a problem, at its start; a problem without draws is run with a fresh seed, which is kept."""
    family_of(problem)
    outcome = run(problem, arithmetic=arithmetic_named("auto"))
    if problem.recorded is None and problem.seed is None:
        problem = replace(problem, seed=outcome.draw_source["seed"])  # type: ignore[arg-type]
    return Walk(problem, outcome)


def summary(walk: Walk) -> str:
    """The outcome on one line."""
    ledger = walk.outcome.ledger
    counts = (
        f"draws {ledger.draws} of {ledger.bounds.draws}, "
        f"attempts {ledger.gradient_attempts} of {ledger.bounds.gradient_attempts}, steps {ledger.steps_applied}"
    )
    stop = "" if walk.outcome.status is Status.COMPLETE else f" at {where(walk)}"
    theta = walk.short(walk.outcome.theta)
    return f"{walk.outcome.status}{stop}: theta = {theta}; {counts}{walk.more(*walk.outcome.theta)}"


def where(walk: Walk) -> str:
    """The last attempt."""
    iteration, step = walk.attempts[-1]
    return f"t = {iteration.frozen.outer_iteration}, k = {step.number}"
