"""You are the oracle: a run whose domain and gradient calls a person answers, truthfully or not.

Every answer given so far is put into the run from its start, which then asks the next question or ends. What may be
concluded is said after each answer: what holds whatever is answered, what rests on the answers being true, and what a
wrong one takes away. A wrong answer that is well formed is not noticed by the procedure: it has no other source.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from grpocheck.core import Problem, Supply, SupplyViolation, UndecidedComparison
from grpocheck.core.arithmetic import EnclosureArithmetic, Scalar, parse_exact
from grpocheck.core.arithmetic.automatic import AutomaticArithmetic
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.frozen import FrozenIteration
from grpocheck.core.gradient import Vector, objective_gradient
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.oracles import UNDEFINED_GRADIENT, Undefined
from grpocheck.core.procedure import run
from grpocheck.core.violations import RunEnded
from grpocheck.verifier.studio.conclusions import conclusions
from grpocheck.verifier.studio.responses import policies_at, response_rows
from grpocheck.verifier.studio.scenes import point
from grpocheck.verifier.studio.shown import shown, vector
from grpocheck.verifier.studio.stage import SEED, Calls, Cut, Recorder, Situation, situations_of

MOST_ANSWERS = 400
MOST_ANSWER = 400
"""Characters of one answer."""

TRUTH = "truth"
"""The answer of a person who leaves it to the built-in oracle."""

DOMAIN_CLAUSE = "domain oracle: 1 exactly on U, 0 elsewhere"
GRADIENT_CLAUSE = "gradient oracle: the Euclidean gradient of F_t where it exists, undefined where it does not"


class Ask(StrEnum):
    """Which oracle is asked."""

    DOMAIN = "domain"
    GRADIENT = "gradient"


class Question(RunEnded):
    """Ends a run where no answer is given yet."""


@dataclass(frozen=True)
class Asked:
    """A call with its answer: the parameter, the text given, the true answer, and whether they agree (None: undecided).

    An answer that is no answer at all agrees with nothing.
    """

    ask: Ask
    theta: Vector
    given: str
    truth: bool | Vector | Undefined | None
    agrees: bool | None

    @property
    def clause(self) -> str:
        """The clause that a wrong answer breaks."""
        return DOMAIN_CLAUSE if self.ask is Ask.DOMAIN else GRADIENT_CLAUSE


@dataclass
class Player:
    """The oracles of a person: answers in the order in which they are asked for."""

    problem: Problem
    answers: Sequence[str]
    arithmetic: EnclosureArithmetic = field(default_factory=EnclosureArithmetic)
    asked: list[Asked] = field(default_factory=list)
    pending: tuple[Ask, Vector, bool | Vector | Undefined | None] | None = None
    begun: bool = False

    def domain(self, theta: Sequence[Scalar]) -> Any:
        """M_U. That theta_0 is in U is part of the problem and not asked."""
        truth: bool | None
        try:
            truth = self.problem.admissible_domain.contains(theta, self.arithmetic)
        except UndecidedComparison:
            truth = None
        if not self.begun:
            self.begun = True
            return truth
        given = self.next_answer(Ask.DOMAIN, tuple(theta), truth)
        answer: Any = {"yes": True, "no": False}.get(given.lower(), given)
        if given == TRUTH and truth is not None:
            given, answer = truth_text(truth), truth
        agrees = None if truth is None else answer is truth
        self.asked.append(Asked(Ask.DOMAIN, tuple(theta), given, truth, agrees))
        return answer

    def gradient(self, frozen: FrozenIteration, theta: Sequence[Scalar]) -> Any:
        """The gradient of F_t at theta, or undefined."""
        truth = self.true_gradient(frozen, tuple(theta))
        given = self.next_answer(Ask.GRADIENT, tuple(theta), truth)
        answer = read_gradient(given)
        if given == TRUTH and truth is not None:
            given, answer = truth_text(truth), truth
        self.asked.append(Asked(Ask.GRADIENT, tuple(theta), given, truth, self.same(answer, truth)))
        return answer

    def true_gradient(self, frozen: FrozenIteration, theta: Vector) -> Vector | Undefined | None:
        """What the built-in oracle would answer; None where that is not decided."""
        policies = policies_at(self.problem, theta, self.arithmetic)
        try:
            return objective_gradient(frozen, policies.masses, policies.mass_gradients, self.arithmetic)
        except UndecidedComparison:
            return None

    def same(self, answer: Any, truth: Vector | Undefined | None) -> bool | None:
        """Whether an answer is the true one; None where that is not decided."""
        if truth is None:
            return None
        if isinstance(answer, str | Undefined) or isinstance(truth, Undefined):
            return answer is truth
        if len(answer) != len(truth):
            return False
        try:
            return all(self.arithmetic.equal(a, b) for a, b in zip(answer, truth, strict=True))
        except UndecidedComparison:
            return None

    def next_answer(self, ask: Ask, theta: Vector, truth: bool | Vector | Undefined | None) -> str:
        """The next answer that was given; Question where there is none yet."""
        place = len(self.asked)
        if place >= len(self.answers):
            self.pending = (ask, theta, truth)
            raise Question
        return self.answers[place]


def read_gradient(given: str) -> Any:
    """A person's gradient: undefined, or exact numbers parted by commas; whatever else is passed on as it stands."""
    if given.strip().lower() == "undefined":
        return UNDEFINED_GRADIENT
    try:
        return tuple(parse_exact(entry.strip()) for entry in given.strip().strip("()[]").split(","))
    except ValueError:
        return given


def read_answers(answers: object) -> list[str]:
    """The answers of a request."""
    if not isinstance(answers, list) or len(answers) > MOST_ANSWERS:
        raise InvalidProblem("answers", answers, f"a list of at most {MOST_ANSWERS} answers")
    for answer in answers:
        if not isinstance(answer, str) or len(answer) > MOST_ANSWER:
            raise InvalidProblem("answers", answer, f"a text of at most {MOST_ANSWER} characters")
    return answers


def play(problem: Problem, answers: object) -> dict[str, Any]:
    """The run under these answers: the next question or how it ended, and what may be concluded.

    Raises InvalidProblem for what are no answers, and for a run that is longer than what is kept of one.
    """
    player = Player(problem, read_answers(answers))
    recorder = Recorder()
    supply = Supply(domain=player.domain, gradient=player.gradient)
    fixed = problem.recorded is not None or problem.seed is not None
    arithmetic = AutomaticArithmetic(ExactArithmetic(), player.arithmetic)
    status: str | None = None
    violation: SupplyViolation | None = None
    try:
        outcome = run(problem, supply, arithmetic=arithmetic, seed=None if fixed else SEED, observer=recorder)
        status = outcome.status.value
    except Question:
        pass
    except SupplyViolation as error:
        violation = error
    except Cut as cut:
        raise InvalidProblem("problem", None, f"a run that comes to its questions sooner: {cut}") from None
    now = situations_of(problem, recorder.events)[-1]
    # the call of a pending or refused answer is made, and told only when it is answered
    calls = now.calls
    ledger: Any = None if violation is None else violation.ledger
    if ledger is not None:
        made = ledger.to_mapping()
        calls = Calls(**{name: made[name] for name in vars(calls)})
    return {
        "asked": [asked_mapping(entry) for entry in player.asked],
        "question": None if player.pending is None else question_mapping(problem, player, now),
        "status": status,
        "violation": None
        if violation is None
        else {"clause": violation.clause.value, "call": violation.call, "found": violation.found},
        "theta": vector(now.theta),
        "calls": vars(calls),
        "bounds": bounds_of(problem),
        "conclusions": [
            vars(entry) for entry in conclusions(player.asked, now, calls, bounds_of(problem), status, violation)
        ],
        "broken": [
            broken_mapping(entry, violation if entry is player.asked[-1] else None)
            for entry in player.asked
            if entry.agrees is False
        ],
    }


def bounds_of(problem: Problem) -> dict[str, int]:
    """The budget: T M G draws, T K gradient attempts, and no more membership calls or steps than attempts."""
    attempts = problem.outer_iterations * problem.inner_steps
    return {
        "draws": problem.outer_iterations * len(problem.prompts) * problem.group_size,
        "gradient_attempts": attempts,
        "membership_calls": attempts,
        "steps_applied": attempts,
        "outer_iterations_started": problem.outer_iterations,
    }


def truth_text(truth: bool | Vector | Undefined | None) -> str:
    """The true answer as a person would give it."""
    if truth is None:
        return "not decided"
    if isinstance(truth, Undefined):
        return "undefined"
    if isinstance(truth, bool):
        return "yes" if truth else "no"
    return ", ".join(shown(entry).exact for entry in truth)


def asked_mapping(entry: Asked) -> dict[str, Any]:
    """An answered call for the page."""
    return {
        "ask": entry.ask.value,
        "theta": point(entry.theta),
        "given": entry.given,
        "truth": truth_text(entry.truth),
        "agrees": entry.agrees,
    }


def broken_mapping(entry: Asked, violation: SupplyViolation | None) -> dict[str, Any]:
    """A wrong answer, the clause it breaks, and whether the procedure noticed: then the violation is given."""
    call = f"{'M_U' if entry.ask is Ask.DOMAIN else 'gradient'} at {point(entry.theta)}"
    return {
        "call": call,
        "given": entry.given,
        "truth": truth_text(entry.truth),
        "clause": entry.clause if violation is None else violation.clause.value,
        "noticed": violation is not None,
    }


def question_mapping(problem: Problem, player: Player, now: Situation) -> dict[str, Any]:
    """The question that is open, with what a person needs to answer it by hand."""
    assert player.pending is not None
    ask, theta, truth = player.pending
    # the event of a gradient is told only once it is answered: k is then the next step
    k = now.k if ask is Ask.DOMAIN else now.applied + 1
    mapping: dict[str, Any] = {
        "ask": ask.value,
        "t": now.t,
        "k": k,
        "theta": vector(theta),
        "point": point(theta),
        "truth": truth_text(truth),
    }
    if ask is Ask.GRADIENT:
        policies = policies_at(problem, theta, player.arithmetic)
        rows = response_rows(problem, now, policies, player.arithmetic)
        slopes = [
            point(policies.mass_gradients[prompt.position][draw.position])
            for prompt, drawn in zip(problem.prompts, now.draws, strict=True)
            for draw in drawn
        ]
        mapping["rows"] = [{**row, "slope": slope} for row, slope in zip(rows, slopes, strict=True)]
        mapping["beta"] = shown(problem.beta).to_mapping()
    else:
        pairs = problem.admissible_domain.inequalities(theta)
        listed = dict.fromkeys(f"{point([left])} < {point([right])}" for left, right in pairs)
        mapping["inequalities"] = list(listed)[:12]
    return mapping
