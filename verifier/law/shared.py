"""Outer iterations of core put together from parts that several of them share.

F_t, its gradient and the divergence are means over prompts, and what one prompt adds is a function of its own group
and of the parameters that its masses are made of. So a group's advantages, and its part of F_t and of the gradient at
a parameter, are asked of core once, with the oracle calls that this takes, for all combinations that have this group;
where each prompt has parameters of its own (simplex, softmax), so is where they move to. n = 4, G = 8, M = 2 has 330
groups of one prompt in 27,225 combinations. What is put together is an outer iteration as core makes one, its ledger
included: CHECKED of the combinations, spread over all of them, are made by core as well, and compared.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.domains import OpenSimplices
from grpocheck.core.families.simplex import Simplex
from grpocheck.core.families.sized import SizedFamily
from grpocheck.core.gradient import MassGradients, Vector, divergence_gradient, group_surrogate_gradient, kinked_draws
from grpocheck.core.guard import Guard, Kept
from grpocheck.core.ledger import Ledger
from grpocheck.core.objective import group_surrogate
from grpocheck.core.outcome import Status
from grpocheck.core.problem import Problem
from grpocheck.core.update import draw_group, proposed
from grpocheck.verifier.counts import Counts, probability
from grpocheck.verifier.law.branches import Branch, branch, family_of, key_of, key_of_vector, scripted_guard
from grpocheck.verifier.law.parts import Drawn, Found, Place, Step
from grpocheck.verifier.law.register import Known, Own, Owns, Register, Value, whole

CHECKED = 8
"""So many combinations of an outer iteration are made by core as well."""
LINE_BITS = 64

Part = TypeVar("Part")


class PartsDisagree(AssertionError):  # noqa: N818 - named for what it says
    """An outer iteration put together from its parts is not the one that core makes: a fault of this module."""


def packed(ledger: Ledger) -> int:
    """The counts of a ledger as one integer, LINE_BITS for each line, so that adding two adds every line."""
    return sum(count << LINE_BITS * place for place, count in enumerate(ledger.to_mapping().values()))


def unpacked(calls: int, lines: Iterable[str]) -> dict[str, int]:
    """The counts, line by line."""
    return {line: calls >> LINE_BITS * place & (1 << LINE_BITS) - 1 for place, line in enumerate(lines)}


class SharedIterations:
    """The outer iterations t that begin from one parameter, by the counts of their groups."""

    def __init__(self, problem: Problem, t: int, start: Owns, arithmetic: Arithmetic, register: Register) -> None:
        """In outer iterations after the first the run has asked for the masses of its first parameter already."""
        self.problem, self.t, self.start, self.arithmetic, self.register = problem, t, start, arithmetic, register
        self.family = family_of(problem)
        family, prompts = self.family, range(len(problem.prompts))
        self.blocks = [family.block(place) for place in prompts] if isinstance(family, SizedFamily) else []
        self.apart = bool(self.blocks)
        """Whether each prompt has parameters of its own."""
        self.simplices = isinstance(self.family, Simplex)
        self.theta = whole(self.family, start)
        self.guard = scripted_guard(problem, {}, arithmetic)
        self.lines = tuple(self.guard.ledger.to_mapping())
        self.one = {line: 1 << LINE_BITS * place for place, line in enumerate(self.lines)}
        self.share = arithmetic.number(Fraction(1, len(problem.prompts)))
        self.calls = 0
        self.known: Known = {}
        self.drawn: dict[tuple[int, Counts], Drawn] = {}
        self.old_masses = tuple(self.masses(own) for own in start)
        self.asked_first = self.calls

    def ask(self, known: Known, name: object, compute: Callable[[Guard], Part]) -> Part:
        """What core answers, from memory where it was asked the same before; its calls are counted either way."""
        found = known.get(name)
        if found is None:
            before = packed(self.guard.ledger)
            answer = compute(self.guard)
            found = known[name] = answer, packed(self.guard.ledger) - before
        self.calls += found[1]
        part: Part = found[0]
        return part

    def group(self, place: int, counts: Counts) -> Drawn:
        """A group with these counts, drawn from the first parameter."""
        found = self.drawn.get((place, counts))
        if found is None:
            guard = scripted_guard(self.problem, {place: counts}, self.arithmetic)
            guard.ledger.count("outer_iterations_started")
            before, masses = packed(guard.ledger), self.old_masses[place]
            group = draw_group(self.problem, guard, self.t, self.problem.prompts[place], masses)
            took = packed(guard.ledger) - before
            found = self.drawn[place, counts] = Drawn(group, took, probability(counts, masses))
        self.calls += found.calls
        return found

    def masses(self, own: Own) -> Vector:
        """The masses of a prompt, asked for the first time in this iteration."""
        prompt = self.problem.prompts[own.place]
        return self.ask(own.known, "masses", lambda asked: asked.prompt_masses(self.vector_with(own), prompt))

    def vector_with(self, own: Own) -> Vector:
        """A parameter in which a prompt's own ones are these; the others do not matter to its masses."""
        if not self.apart:
            return own.vector
        return whole(self.family, [own if each.place == own.place else each for each in self.start])

    def penalised(self) -> bool:
        """Whether beta > 0, which core asks once for each value and each gradient."""
        return self.ask(self.known, "penalised", lambda asked: asked.arithmetic.less(0, self.problem.beta))

    def surrogate(self, at: Place) -> Scalar:
        """What one group adds to F_t."""
        return self.ask(
            at.known,
            "surrogate",
            lambda asked: group_surrogate(
                at.group, at.own.masses, self.problem.epsilon, asked.arithmetic
            ),
        )

    def divergence(self, own: Own) -> Scalar:
        """KL_l."""
        reference = self.problem.prompts[own.place].reference
        return self.ask(
            own.known,
            "divergence",
            lambda asked: kl_divergence(own.masses, reference, asked.arithmetic),
        )

    def together(self, known: Known, name: object, compute: Callable[[], Part]) -> Part:
        """What several answers come to, with all their calls, from memory where it was made before."""
        found = known.get(name)
        if found is None:
            outside, self.calls = self.calls, 0
            answer = compute()
            found = known[name] = answer, self.calls
            self.calls = outside
        self.calls += found[1]
        part: Part = found[0]
        return part

    def term(self, at: Place, penalised: bool) -> tuple[int, Scalar]:
        """What one prompt adds to M F_t: its group's surrogate, less its penalty; its number in the register first."""

        def compute() -> tuple[int, Scalar]:
            number = self.surrogate(at)
            if penalised:
                number = number - self.problem.beta * self.divergence(at.own)
            return self.register.term(number), number

        return self.together(at.known, "term", compute)

    def objective(self, places: Sequence[Place]) -> Value:
        """F_t at a parameter: grpocheck.core.objective.objective, prompt by prompt."""
        penalised = self.penalised()
        terms = [self.term(at, penalised) for at in places]
        sums, key = self.register.sums, tuple([number for number, _ in terms])
        if key not in sums:
            value: Scalar = 0
            for _, term in terms:
                value = value + term
            sums[key] = self.register.value(value / len(places))
        return sums[key]

    def rows(self, own: Own) -> MassGradients:
        """The mass gradients of one prompt."""
        prompt = self.problem.prompts[own.place]
        return self.ask(own.known, "rows", lambda asked: asked.prompt_mass_gradients(self.vector_with(own), prompt))

    def is_kinked(self, at: Place) -> bool:
        """Whether one of the group's terms has a kink."""
        return self.ask(
            at.known,
            "kinked",
            lambda asked: bool(
                kinked_draws(
                    at.group, at.own.masses, at.own.known["rows"][0], self.problem.epsilon, asked.arithmetic
                )
            ),
        )

    def slope(self, at: Place) -> Vector:
        """What one group adds to the gradient."""
        rows: MassGradients = at.own.known["rows"][0]
        return self.ask(
            at.known,
            "slope",
            lambda asked: scaled(
                self.share,
                group_surrogate_gradient(at.group, at.own.masses, rows, self.problem.epsilon, asked.arithmetic),
            ),
        )

    def pull(self, own: Own) -> Vector:
        """What one prompt's divergence adds to the gradient."""
        reference = self.problem.prompts[own.place].reference
        return self.ask(
            own.known,
            "pull",
            lambda asked: scaled(
                -self.problem.beta * self.share,
                divergence_gradient(own.masses, reference, own.known["rows"][0], asked.arithmetic),
            ),
        )

    def gradient(self, places: Sequence[Place], penalised: bool) -> Vector:
        """grad F_t at a parameter: grpocheck.core.gradient.objective_gradient, prompt by prompt."""
        parts: list[Vector] = []
        for at in places:
            parts.append(self.slope(at))
            if penalised:
                parts.append(self.pull(at.own))
        return tuple(total(column) for column in zip(*parts, strict=True))

    def proposal(self, places: Sequence[Place], step_size: Scalar) -> Owns:
        """theta + eta * grad F_t(theta); prompt by prompt where each has parameters of its own."""
        penalised = self.penalised()
        if self.apart:
            return tuple([self.moved(at, step_size, penalised) for at in places])
        theta = whole(self.family, [at.own for at in places])
        gradient = self.gradient(places, penalised)
        vector = self.ask(
            self.known,
            ("moved", key_of_vector(theta), step_size, key_of_vector(gradient)),
            lambda asked: proposed(theta, step_size, gradient, asked),
        )
        return self.register.owns(vector, len(places))

    def moved(self, at: Place, step_size: Scalar, penalised: bool) -> Own:
        """Where a prompt's own parameters are moved to."""

        def compute() -> Own:
            block = self.blocks[at.own.place]
            gradient = self.gradient([at], penalised)[block.start : block.stop]
            vector = proposed(at.own.vector, step_size, gradient, self.guard) if gradient else ()
            return self.register.own(at.own.place, vector)

        return self.together(at.known, ("moved", step_size), compute)

    def is_member(self, owns: Owns) -> bool:
        """M_U of a proposal: simplices prompt by prompt, every other domain as a whole."""
        if not self.simplices:
            return self.counted(lambda: self.guard.membership("membership call", whole(self.family, owns)))
        stated = self.problem.domain
        return all(self.is_mass_function(own) for own in owns) and (
            stated is None or self.counted(lambda: stated.contains(whole(self.family, owns), self.guard.arithmetic))
        )

    def is_mass_function(self, own: Own) -> bool:
        """Whether a prompt's own parameters are inside its simplex."""
        vector = own.vector
        return not vector or self.ask(
            own.known, "simplex", lambda asked: OpenSimplices((len(vector),)).contains(vector, asked.arithmetic)
        )

    def counted(self, compute: Callable[[], bool]) -> bool:
        """An answer that is asked for anew, its comparisons counted."""
        before = self.guard.ledger.comparisons
        answer = compute()
        self.calls += self.one["comparisons"] * (self.guard.ledger.comparisons - before)
        return answer

    def iteration(self, counts: Sequence[Counts]) -> Found:
        """grpocheck.core.update.outer_iteration for groups with these counts."""
        one, owns, steps = self.one, self.start, list[Step]()
        self.calls = one["outer_iterations_started"] + (self.asked_first if self.t == 1 else 0)
        drawn = [self.group(place, count) for place, count in enumerate(counts)]
        places = [group.place(own) for group, own in zip(drawn, owns, strict=True)]
        at_start = self.objective(places)
        for step_size in self.problem.step_sizes[self.t - 1]:
            self.calls += one["gradient_attempts"]
            for own in owns:
                self.rows(own)
            if any(self.is_kinked(at) for at in places):
                steps.append(Step(Status.UNDEFINED_GRADIENT, owns, None))
                break
            proposal = self.proposal(places, step_size)
            self.calls += one["membership_calls"]
            if not self.is_member(proposal):
                steps.append(Step(Status.INVALID_UPDATE, owns, None))
                break
            self.calls += one["steps_applied"]
            owns = proposal
            for own in owns:
                self.masses(own)
            places = [group.place(own) for group, own in zip(drawn, owns, strict=True)]
            steps.append(Step(Status.COMPLETE, owns, self.objective(places)))
        return Found(drawn, at_start, steps, self.calls)

    def made_by_core(self, counts: Sequence[Counts]) -> Branch:
        """The same outer iteration, by core as a whole."""
        kept = None if self.t == 1 else Kept(self.theta, self.old_masses)
        return branch(self.problem, self.t, self.theta, kept, self.old_masses, counts, self.arithmetic)

    def summary(self, found: Found) -> Mapping[str, object]:
        """All that it comes to, in keys that equal numbers share."""
        thetas = [whole(self.family, step.owns) for step in found.steps]
        return {
            "probability": key_of(found.probability),
            "calls": unpacked(found.calls, self.lines),
            "objective at theta_old": key_of(found.at_start.number),
            "steps": [
                (step.status, key_of_vector(theta), key_of(None if step.value is None else step.value.number))
                for step, theta in zip(found.steps, thetas, strict=True)
            ],
            "masses": [key_of_vector(own.masses) for own in found.owns],
        }


def scaled(factor: Scalar, vector: Vector) -> Vector:
    """A vector times a number; zeros stay as they are."""
    return tuple(factor * entry for entry in vector)


def total(column: Sequence[Scalar]) -> Scalar:
    """The sum, without the rational zeros that most parts have in most coordinates."""
    parts = [entry for entry in column if not isinstance(entry, Fraction) or entry]
    return sum(parts[1:], parts[0]) if parts else Fraction(0)


def summary_of_core(made: Branch) -> Mapping[str, object]:
    """What ``SharedIterations.summary`` says, of an outer iteration that core made."""
    return {
        "probability": key_of(made.probability),
        "calls": made.calls,
        "objective at theta_old": key_of(made.iteration.objective),
        "steps": [
            (step.status, key_of_vector(step.theta), key_of(step.objective)) for step in made.iteration.steps
        ],
        "masses": [] if made.kept is None else [key_of_vector(row) for row in made.kept.masses],
    }


def compare(shared: SharedIterations, found: Found, counts: Sequence[Counts]) -> None:
    """Raise PartsDisagree unless an outer iteration put together is the one that core makes."""
    ours, cores = shared.summary(found), summary_of_core(shared.made_by_core(counts))
    for what, value in cores.items():
        if ours[what] != value:
            raise PartsDisagree(f"groups with counts {counts}: {what} is {ours[what]!r}, of core {value!r}")
