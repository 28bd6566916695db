"""Every call of a supplied oracle: asked once, its answer checked against the oracle's clause, counted, and told.

No answer is trusted: a wrong type, a wrong length, an unsupported response, a membership that is no boolean, a number
that is not one, an answer that differs from the one before, or an exception ends the run with SupplyViolation, which
names the clause that was broken. A supplied oracle is given copies, and what it answers is read past its own class.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from fractions import Fraction
from types import MethodType

from grpocheck.contracts.clauses import ContractViolation, ensure, invariant, require, snapshot, total
from grpocheck.contracts.comparisons import equal
from grpocheck.contracts.predicates import is_mass_function, sums_to_zero_vector
from grpocheck.core.arithmetic.errors import DigitBudgetExceeded, NotExact, UndecidedComparison
from grpocheck.core.arithmetic.supply import Scalar
from grpocheck.core.counting import CountedArithmetic
from grpocheck.core.domains import Domain
from grpocheck.core.events import Event, Kind, Observer
from grpocheck.core.frozen import FrozenIteration
from grpocheck.core.gradient import Vector, objective_gradient
from grpocheck.core.handed_out import handed_out
from grpocheck.core.ledger import Ledger
from grpocheck.core.oracles import (
    UNDEFINED_GRADIENT,
    DomainOracle,
    DrawOracle,
    GradientOracle,
    Policy,
    RewardOracle,
    Supply,
    Undefined,
)
from grpocheck.core.prompt import Prompt
from grpocheck.core.received import class_name, described, entries, error_in_words, integer, number, text
from grpocheck.core.recollection import Recollection
from grpocheck.core.surroundings import surroundings
from grpocheck.core.trace_errors import TraceError, TraceMismatch
from grpocheck.core.violations import Clause, ClauseBroken, RunEnded, SupplyViolation
from grpocheck.core.watched_arithmetic import WatchedArithmetic

PASSED_ON = (KeyboardInterrupt, RunEnded, DigitBudgetExceeded, NotExact, UndecidedComparison)
"""What an oracle may raise without breaking its clause: limits of the arithmetic, and what is not its own."""

WITHIN_A_POLICY = ("square_roots", "logarithms", "exponentials", "comparisons")
"""The counted operations that a supplied policy may make with the arithmetic that it is lent."""


@dataclass
class Kept:
    """The parameter asked last, with its masses and, once asked, their gradients."""

    theta: Vector
    masses: tuple[Vector, ...]
    mass_gradients: tuple[tuple[Vector, ...], ...] = field(default=())


@invariant(lambda self: len(self.prompts) >= 1, "a problem has at least one prompt")
@dataclass
class Guard:
    """The oracles of one run behind their clauses, with the run's arithmetic, ledger and observer.

    ``gradient`` is None for the built-in oracle, which decides differentiability by claim F2. ``positive_on`` is where
    a built-in family is positive: no domain oracle may say that U reaches beyond it. None leaves that to the masses.
    ``supplied`` names the oracles that are the user's own; the others are the problem's and are trusted.
    ``one_answer`` holds their functions to one answer to one question. Every method that asks raises SupplyViolation
    for an answer that breaks its clause.
    """

    prompts: tuple[Prompt, ...]
    arithmetic: CountedArithmetic
    policy: Policy
    draws: DrawOracle
    reward: RewardOracle
    domain: DomainOracle
    gradient: GradientOracle | None
    positive_on: Domain | None
    observer: Observer
    supplied: frozenset[str] = frozenset(oracle.name for oracle in fields(Supply))
    kept: Kept | None = None
    one_answer: bool = True
    recollection: Recollection = field(default_factory=Recollection)
    prompts_given: dict[int, Prompt] = field(default_factory=dict)

    @property
    @ensure(lambda self, result: result is self.arithmetic.ledger, "one ledger for the whole run")
    def ledger(self) -> Ledger:
        """The ledger of the run."""
        return self.arithmetic.ledger

    @require(lambda kind: kind in Kind, "an event has one of the kinds of a trace")
    @ensure(lambda result: result is None, "telling changes nothing")
    def tell(self, kind: Kind, **values: object) -> None:
        """Tell the observer."""
        self.observer(Event(kind, values))

    @require(lambda call: bool(call), "a call has a name for its violation")
    @ensure(lambda result: not issubclass(type(result), float), "no float enters a run")
    def ask(self, name: str, call: str, oracle: Callable[..., object], *arguments: object) -> object:
        """The answer of an oracle; an exception, and a change of what the run stands on, is a broken clause."""
        if name not in self.supplied:
            return self.ask_the_problem(call, oracle, *arguments)
        given = [self.prompt_given(each) if type(each) is Prompt else handed_out(each) for each in arguments]
        before = surroundings()
        limit = before.recursion_limit
        try:
            try:
                answer = oracle(*given)
            finally:  # before any call, which a lowered limit would not allow
                limit = sys.getrecursionlimit()
                sys.setrecursionlimit(before.recursion_limit)
        except PASSED_ON:
            raise
        except ClauseBroken as broken:
            raise self.violation(broken.clause, call, str(broken)) from broken
        except BaseException as error:
            if isinstance(error, TraceError | TraceMismatch) and self.reads_what_it_observes(oracle):
                raise
            raise self.violation(Clause.ANSWERS, call, f"raised {error_in_words(error)}") from error
        finally:
            changed = surroundings(limit).changed_since(before)
            if changed is not None:
                before.restore()
        if changed is not None:
            raise self.violation(Clause.SURROUNDINGS, call, changed)
        if issubclass(type(answer), float):
            said = described(answer)
            no_number = said.strip("-") in ("nan", "inf")
            instead = "which is no number" if no_number else f"where Fraction({said!r}) is an exact number"
            raise self.violation(Clause.NUMBER, call, f"answered the float {said}, {instead}")
        return answer

    @total("any oracle may be asked about")
    @ensure(lambda oracle, result: not result or type(oracle) is MethodType, "only the observer's own methods")
    def reads_what_it_observes(self, oracle: object) -> bool:
        """Whether an oracle is the observer's own: a replay answers from the trace with which it compares the run."""
        methods = type(oracle) is MethodType and type(self.observer) is MethodType
        return methods and oracle.__self__ is self.observer.__self__  # type: ignore[attr-defined]

    @require(lambda call: bool(call), "a call has a name for its violation")
    @ensure(lambda result: not isinstance(result, float), "no float enters a run")
    def ask_the_problem(self, call: str, oracle: Callable[..., object], *arguments: object) -> object:
        """The answer of an oracle of the problem's own, which may come to an end too: of memory, or of mpmath."""
        try:
            return oracle(*arguments)
        except (ContractViolation, *PASSED_ON):
            raise
        except Exception as error:
            raise self.violation(Clause.ANSWERS, call, f"raised {error_in_words(error)}") from error

    @require(lambda self, prompt: prompt.position < len(self.prompts), "a prompt of the problem")
    @ensure(lambda prompt, result: result is not prompt, "D2: the run's own prompt, with its reference, is not given")
    def prompt_given(self, prompt: Prompt) -> Prompt:
        """The copy of a prompt that supplied oracles are given, one for the whole run."""
        if prompt.position not in self.prompts_given:
            self.prompts_given[prompt.position] = handed_out(prompt)
        return self.prompts_given[prompt.position]

    @require(lambda call: bool(call), "a call has a name for its violation")
    @snapshot(lambda self: (self.ledger.draws, self.ledger.gradient_attempts), name="calls")
    @ensure(
        lambda self, OLD: (self.ledger.draws, self.ledger.gradient_attempts) == OLD.calls,
        "C1, C2: no policy enters a draw or an attempt",
    )
    def ask_policy(self, call: str, method: Callable[..., object], theta: Vector, prompt: Prompt) -> object:
        """The policy's answer; a supplied one is lent an arithmetic whose counts are entered in the ledger later."""
        if "policy" not in self.supplied:
            return self.ask("policy", call, method, theta, prompt, self.arithmetic)
        lent = Ledger(self.ledger.bounds, self.ledger.draws_per_iteration)
        answer = self.ask("policy", call, method, theta, prompt, CountedArithmetic(self.arithmetic.supplied, lent))
        for operation in WITHIN_A_POLICY:
            made = integer(vars(lent).get(operation))
            if made is not None and made > 0:
                self.ledger.count(operation, made)
        return answer

    @require(lambda name: bool(name), "the oracle is named")
    @snapshot(lambda self: len(self.recollection.answers), name="kept")
    @ensure(lambda self, OLD: len(self.recollection.answers) - OLD.kept in (0, 1), "at most one answer more is kept")
    def remember(self, name: str, call: str, question: tuple[object, ...], answer: object) -> None:
        """Keep the answer of a supplied function; another one to the same question is a broken clause."""
        if not self.one_answer or name.split()[0] not in self.supplied:
            return
        known = self.recollection.contradicted(name, question, answer)
        if known is not None:
            found = f"answered {described(answer)}, and {described(known)} to the same question before"
            raise self.violation(Clause.SAME_ANSWER, call, found)

    @require(lambda call: bool(call), "the violation names the call")
    @ensure(lambda self, result: result.ledger is self.ledger, "a violation carries the ledger up to its call")
    def violation(self, clause: Clause, call: str, found: str) -> SupplyViolation:
        """The error of a broken clause, with the ledger so far."""
        return SupplyViolation(clause, call, found, self.ledger)

    @require(lambda call: bool(call), "the violation names the call")
    @ensure(lambda self, result: self.arithmetic.holds(result), "a supplied number is a scalar of the arithmetic")
    def scalar(self, name: str, clause: Clause, call: str, value: object) -> Scalar:
        """A supplied number, as a scalar of the run's arithmetic."""
        if name not in self.supplied:
            return self.arithmetic.number(Fraction(value)) if isinstance(value, int | Fraction) else value
        read = number(value, self.arithmetic, isinstance(self.arithmetic.supplied, WatchedArithmetic))
        if read is None:
            raise self.violation(clause, call, f"answered {described(value)} of type {class_name(value)}")
        return read

    @require(lambda length: length >= 1, "a supplied vector has entries")
    @ensure(lambda length, result: len(result) == length, "a supplied vector has the length of its clause")
    def vector(self, name: str, clause: Clause, call: str, values: object, length: int) -> Vector:
        """A supplied sequence of numbers of a given length."""
        read = entries(values)
        if read is None:
            found = f"answered {described(values)} of type {class_name(values)}, not a tuple or list"
            raise self.violation(clause, call, found)
        if len(read) != length:
            raise self.violation(clause, call, f"answered {len(read)} entries, expected {length}")
        return tuple(self.scalar(name, Clause.NUMBER, call, value) for value in read)

    @require(lambda theta: len(theta) >= 1, "a parameter has d >= 1 entries")
    @ensure(lambda result: all(is_mass_function(masses) for masses in result), "A3: masses are positive with sum 1")
    @ensure(lambda self, theta: self.kept is not None and self.kept.theta is theta, "masses are asked once a parameter")
    def masses(self, theta: Vector) -> tuple[Vector, ...]:
        """pi_theta(b_j | q) of every prompt; asked once for each parameter object."""
        if self.kept is None or self.kept.theta is not theta:
            self.kept = Kept(theta, tuple(self.prompt_masses(theta, prompt) for prompt in self.prompts))
        return self.kept.masses

    @require(lambda prompt: len(prompt.responses) >= 1, "a support is not empty")
    @ensure(lambda result: is_mass_function(result), "A3: masses are positive with sum 1")
    @ensure(lambda prompt, result: len(result) == len(prompt.responses), "one mass for each response of the support")
    def prompt_masses(self, theta: Vector, prompt: Prompt) -> Vector:
        """The masses of one prompt, checked against the policy's clauses and counted."""
        call = f"policy masses of prompt {prompt.name!r}"
        self.ledger.count("mass_evaluations", len(prompt.responses))
        answer = self.ask_policy(call, lambda *asked: self.policy.masses(*asked), theta, prompt)
        masses = self.vector("policy", Clause.MASSES_LENGTH, call, answer, len(prompt.responses))
        order = self.arithmetic.supplied
        for response, mass in zip(prompt.responses, masses, strict=True):
            if not order.less(self.arithmetic.number(Fraction(0)), mass):
                found = f"mass {described(mass)} of response {response!r}, expected above 0"
                raise self.violation(Clause.MASSES_POSITIVE, call, found)
        if not equal(sum(masses), 1):
            raise self.violation(Clause.MASSES_SUM, call, f"masses with sum {described(sum(masses))}, expected 1")
        self.remember("policy masses", call, (theta, prompt.position), masses)
        return masses

    @require(lambda theta: len(theta) >= 1, "a parameter has d >= 1 entries")
    @ensure(
        lambda theta, result: all(len(row) == len(theta) for rows in result for row in rows),
        "every mass has a gradient of d entries",
    )
    def mass_gradients(self, theta: Vector) -> tuple[tuple[Vector, ...], ...]:
        """grad pi_theta(b_j | q) of every prompt; asked once for each parameter object."""
        self.masses(theta)
        assert self.kept is not None
        if not self.kept.mass_gradients:
            self.kept.mass_gradients = tuple(self.prompt_mass_gradients(theta, prompt) for prompt in self.prompts)
        return self.kept.mass_gradients

    @require(lambda prompt: len(prompt.responses) >= 1, "a support is not empty")
    @ensure(lambda result: sums_to_zero_vector(result), "A3: the mass gradients sum to 0, as the masses sum to 1")
    def prompt_mass_gradients(self, theta: Vector, prompt: Prompt) -> tuple[Vector, ...]:
        """The mass gradients of one prompt, checked against the policy's clauses."""
        call = f"policy mass gradients of prompt {prompt.name!r}"
        answer = self.ask_policy(call, lambda *asked: self.policy.mass_gradients(*asked), theta, prompt)
        read = entries(answer)
        if read is None or len(read) != len(prompt.responses):
            found = f"answered {described(answer)}, expected {len(prompt.responses)} rows"
            raise self.violation(Clause.MASS_GRADIENTS_SHAPE, call, found)
        rows = tuple(self.vector("policy", Clause.MASS_GRADIENTS_SHAPE, call, row, len(theta)) for row in read)
        for axis, column in enumerate(zip(*rows, strict=True), start=1):
            if not equal(sum(column), 0):
                found = f"column {axis} of {len(theta)} has sum {described(sum(column))}, expected 0"
                raise self.violation(Clause.MASS_GRADIENTS_SUM, call, found)
        self.remember("policy mass gradients", call, (theta, prompt.position), rows)
        return rows

    @require(lambda prompt, masses: len(masses) == len(prompt.responses), "one mass for each response of the support")
    @snapshot(lambda self: self.ledger.draws, name="draws")
    @ensure(lambda prompt, result: 0 <= result < len(prompt.responses), "G3: a draw returns a supported response")
    @ensure(lambda self, OLD: self.ledger.draws == OLD.draws + 1, "C1: a draw is counted once")
    def draw(self, masses: Vector, prompt: Prompt, outer_iteration: int, number: int) -> int:
        """The position in the support of one drawn response."""
        call = f"draw {number} of prompt {prompt.name!r} in outer iteration {outer_iteration}"
        self.ledger.count("draws")
        answer = self.ask("draws", call, self.draws, masses, prompt, outer_iteration, number)
        response = text(answer)
        if response is None or response not in prompt.responses:
            found = f"answered {described(answer)}, expected one of {described(prompt.responses)}"
            raise self.violation(Clause.DRAW_SUPPORTED, call, found)
        self.tell(Kind.DRAW, t=outer_iteration, prompt=prompt.name, i=number, response=response)
        return prompt.responses.index(response)

    @require(lambda prompt, position: 0 <= position < len(prompt.responses), "a reward is that of a supported response")
    @ensure(lambda self, result: self.arithmetic.holds(result), "a reward is a finite scalar")
    def reward_of(self, prompt: Prompt, position: int, outer_iteration: int, number: int) -> Scalar:
        """R = r_q(y) of one drawn response."""
        response = prompt.responses[position]
        call = f"reward of response {response!r} of prompt {prompt.name!r}"
        self.ledger.count("reward_evaluations")
        answer = self.ask("reward", call, self.reward, prompt, response)
        reward = self.scalar("reward", Clause.REWARD_FINITE, call, answer)
        self.remember("reward", call, (prompt.position, position), reward)
        self.tell(Kind.REWARD, t=outer_iteration, prompt=prompt.name, i=number, reward=reward)
        return reward

    @require(lambda inner_step: inner_step >= 1, "inner steps are counted from 1")
    @snapshot(lambda self: self.ledger.gradient_attempts, name="attempts")
    @ensure(lambda theta, result: isinstance(result, Undefined) or len(result) == len(theta), "d entries, or undefined")
    @ensure(lambda self, OLD: self.ledger.gradient_attempts == OLD.attempts + 1, "C2: an attempt is counted once")
    def gradient_at(self, frozen: FrozenIteration, inner_step: int, theta: Vector) -> Vector | Undefined:
        """The gradient of F_t at theta, or UNDEFINED_GRADIENT."""
        call = f"gradient attempt {inner_step} of outer iteration {frozen.outer_iteration}"
        self.ledger.count("gradient_attempts")
        answer: Vector | Undefined
        if self.gradient is None:
            answer = objective_gradient(frozen, self.masses(theta), self.mass_gradients(theta), self.arithmetic)
        else:
            supplied = self.ask("gradient", call, self.gradient, frozen, theta)
            if supplied is UNDEFINED_GRADIENT:
                answer = UNDEFINED_GRADIENT
            else:
                answer = self.vector("gradient", Clause.GRADIENT_SHAPE, call, supplied, len(theta))
            self.remember("gradient", call, (frozen.outer_iteration, theta), answer)
        self.tell(Kind.GRADIENT, t=frozen.outer_iteration, k=inner_step, theta=theta, answer=answer)
        return answer

    @require(lambda inner_step: inner_step >= 1, "inner steps are counted from 1")
    @snapshot(lambda self: self.ledger.membership_calls, name="calls")
    @ensure(lambda result: result is True or result is False, "M_U answers 0 or 1")
    @ensure(lambda self, OLD: self.ledger.membership_calls == OLD.calls + 1, "C3: a membership call is counted once")
    def is_member(self, outer_iteration: int, inner_step: int, proposal: Vector) -> bool:
        """M_U(proposal)."""
        call = f"membership call of inner step {inner_step} of outer iteration {outer_iteration}"
        self.ledger.count("membership_calls")
        answer = self.membership(call, proposal)
        self.tell(Kind.MEMBERSHIP, t=outer_iteration, k=inner_step, proposal=proposal, answer=answer)
        return answer

    @require(lambda call: bool(call), "a call has a name for its violation")
    @ensure(
        lambda self, theta, result: not result
        or self.positive_on is None
        or self.positive_on.contains(theta, self.arithmetic.supplied),
        "A3: U is inside the region where the family is positive",
    )
    def membership(self, call: str, theta: Vector) -> bool:
        """The domain oracle's answer, not entered in the ledger."""
        answer = self.ask("domain", call, self.domain, theta)
        if answer is not True and answer is not False:
            found = f"answered {described(answer)} of type {class_name(answer)}"
            raise self.violation(Clause.DOMAIN_BOOLEAN, call, found)
        self.remember("domain", call, (theta,), answer)
        positive_on = self.positive_on
        if answer and positive_on is not None and not positive_on.contains(theta, self.arithmetic.supplied):
            found = "answered True where the family's masses are not all positive"
            raise self.violation(Clause.DOMAIN_WITHIN, call, found)
        return answer
