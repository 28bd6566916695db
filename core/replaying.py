"""Replay: a run is a pure function of problem and supply, so a trace can be run again and compared line by line.

Draws come from the trace's seed or record; the answers of oracles that a user supplied are read off the trace, or asked
of the same supply when it is given again.
"""

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.arithmetic.choice import arithmetic_of
from grpocheck.core.arithmetic.errors import DigitBudgetExceeded, NotExact, UndecidedComparison
from grpocheck.core.arithmetic.notation import parse_exact
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.events import Event, Kind
from grpocheck.core.frozen import FrozenIteration
from grpocheck.core.invalid import InvalidProblem, shown
from grpocheck.core.oracles import UNDEFINED_GRADIENT, Supply, Undefined
from grpocheck.core.outcome import Outcome, Status
from grpocheck.core.problem import Problem
from grpocheck.core.procedure import run
from grpocheck.core.prompt import Prompt
from grpocheck.core.reading import problem_from_mapping
from grpocheck.core.trace import event_line, read_trace
from grpocheck.core.trace_errors import TraceError, TraceMismatch, typed
from grpocheck.core.violations import SupplyViolation

READABLE = ("draws", "reward", "domain", "gradient")
"""The oracles whose answers a trace holds."""


class Script:
    """The lines of a trace, read along with the run that is to produce them; also the oracles that answer from them."""

    @require(lambda path: str(path) != "", "a trace has a path")
    @ensure(lambda self: self.number == 1, "the script stands at the start event")
    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open a trace at its first line."""
        self.path = path
        self.lines: Iterator[tuple[int, dict[str, Any]]] = read_trace(path)
        self.number = 0
        self.fields: dict[str, Any] = {}
        self.advance()
        self.arithmetic: Arithmetic | None = None

    @ensure(lambda self: bool(self.fields), "the script stands at an event")
    def advance(self) -> None:
        """Go to the next line; at the end stay at an event that no run produces."""
        self.number, self.fields = next(self.lines, (self.number + 1, {"event": "end of the trace"}))

    @require(lambda key: bool(key), "a field has a name")
    @ensure(lambda result: result is not None, "the field is there")
    def answer(self, kind: Kind, key: str) -> Any:
        """A field of the line at which the script stands, an event of the kind that is asked for.

        Raises TraceError where the script has ended, TraceMismatch for an event of another kind.
        """
        if self.fields["event"] == "error":
            ended = f"the recorded run ended here with {self.fields.get('error')}: {shown(self.fields.get('message'))}"
            raise TraceError(f"{self.path}: line {self.number}: {ended}: expected the supply again (--supply)")
        if self.fields["event"] != kind.value or self.fields.get(key) is None:
            raise TraceMismatch(
                self.number, json.dumps({"event": kind.value, key: "an answer"}), json.dumps(self.fields)
            )
        return self.fields[key]

    @require(lambda event: event.kind in Kind, "an event of a run")
    @ensure(lambda self: self.number >= 2, "the line was compared and passed")
    def compare(self, event: Event) -> None:
        """The observer of a replay: raises TraceMismatch unless the event is the line at which the script stands."""
        if event.kind is Kind.START:
            self.arithmetic = event.values["arithmetic"]  # type: ignore[assignment]
        assert self.arithmetic is not None
        expected, found = event_line(event, self.arithmetic), json.dumps(self.fields, ensure_ascii=False)
        if typed(json.loads(expected)) != typed(self.fields):
            raise TraceMismatch(self.number, expected, found)
        self.advance()

    @require(lambda prompt: len(prompt.responses) >= 1, "a support is not empty")
    @ensure(lambda self, result: result == self.fields.get("response"), "the draw is the one that the trace holds next")
    def draw(self, masses: Sequence[Scalar], prompt: Prompt, outer_iteration: int, draw: int) -> str:
        """The draw that the trace holds next."""
        response: str = self.answer(Kind.DRAW, "response")
        return response

    @require(lambda prompt, response: response in prompt.responses, "a reward is that of a supported response")
    @ensure(lambda result: not isinstance(result, float), "an exact number")
    def reward(self, prompt: Prompt, response: str) -> Scalar:
        """The reward that the trace holds next."""
        return self.exact(self.answer(Kind.REWARD, "reward"))

    @require(lambda theta: len(theta) >= 1, "a parameter has entries")
    @ensure(lambda self, result: self.number == 1 or result == (self.fields["answer"] is True), "the trace's answer")
    def domain(self, theta: Sequence[Scalar]) -> bool:
        """The membership that the trace holds next; theta_0 was inside, or there would be no trace."""
        answer = self.number == 1 or self.answer(Kind.MEMBERSHIP, "answer")
        if not isinstance(answer, bool):
            raise self.unreadable(answer, "true or false")
        return answer

    @require(lambda theta: len(theta) >= 1, "a parameter has entries")
    @ensure(lambda theta, result: isinstance(result, Undefined) or len(result) == len(theta), "undefined, or d numbers")
    def gradient(self, frozen: FrozenIteration, theta: Sequence[Scalar]) -> Sequence[Scalar] | Undefined:
        """The gradient answer that the trace holds next."""
        answer = self.answer(Kind.GRADIENT, "answer")
        if answer == UNDEFINED_GRADIENT.value:
            return UNDEFINED_GRADIENT
        if not isinstance(answer, list) or len(answer) != len(theta):
            raise self.unreadable(answer, f"{UNDEFINED_GRADIENT.value!r}, or a list of {len(theta)} exact numbers")
        return [self.exact(entry) for entry in answer]

    @total("what cannot be read back raises TraceError")
    @ensure(lambda result: not isinstance(result, float), "an exact number")
    def exact(self, text: Any) -> Scalar:
        """An exact number of the trace; for an enclosed answer, which cannot be read back, it raises TraceError."""
        try:
            return parse_exact(text)
        except (AttributeError, TypeError, ValueError):
            raise self.unreadable(text, "an exact number, or the supply again (--supply)") from None

    @require(lambda expected: bool(expected), "an error says what was expected")
    @ensure(lambda self, result: f"line {self.number}: " in str(result), "the error names the line")
    def unreadable(self, found: object, expected: str) -> TraceError:
        """The error of an answer that cannot be read off the line at which the script stands."""
        return TraceError(f"{self.path}: line {self.number}: {shown(found)}: expected {expected}")


@require(lambda start: start["event"] == "start", "the script stands at the start event")
@ensure(
    lambda start, given, result: result is given
    or sorted(set(start["supplied"])) == [name for name in sorted(READABLE) if getattr(result, name) is not None],
    "the given supply, or one that answers for exactly the oracles that the user had supplied",
)
def scripted_supply(script: Script, start: dict[str, Any], given: Supply | None) -> Supply:
    """The given supply, or one that answers from the trace for every oracle that the user had supplied.

    Raises TraceError for a list of oracles that is none, and for one with oracles whose answers no trace holds.
    """
    names = start.get("supplied")
    if not isinstance(names, list):
        raise TraceError(f"{script.path}: line 1: supplied: {shown(names)}: expected a list of oracle names")
    if given is not None:
        return given
    missing = [name for name in names if name not in READABLE]
    if missing:
        raise TraceError(
            f"{script.path}: line 1: supplied: {shown(missing)}: expected the supply again "
            "(--supply module:attribute), since a trace holds no such answers"
        )
    return Supply(
        draws=script.draw if "draws" in names else None,
        reward=script.reward if "reward" in names else None,
        domain=script.domain if "domain" in names else None,
        gradient=script.gradient if "gradient" in names else None,
    )


@require(lambda path: str(path) != "", "a trace has a path")
@ensure(lambda result: result.status in Status, "C4: a replayed run ends in one of exactly three statuses")
def replay(path: str | os.PathLike[str], supply: Supply | None = None) -> Outcome:
    """Run a trace's problem again with its draws and answers, and compare every line.

    Raises TraceError for a file that is no whole trace, TraceMismatch at the first line that the run does not produce,
    and the error that ended the recorded run (SupplyViolation, UndecidedComparison, DigitBudgetExceeded, NotExact) when
    the run ends in it again.
    """
    script = Script(path)
    start = script.fields
    if start["event"] != Kind.START.value:
        raise TraceError(f"{path}: line 1: event: {shown(start['event'])}: expected the event 'start'")
    try:
        problem: Problem = problem_from_mapping(start["problem"])
        names = start["supplied"]
        supplied = isinstance(names, list) and "arithmetic" in names
        arithmetic = None if supplied else arithmetic_of(start["arithmetic"])
        source = start["draws"]["source"]
        seed = start["draws"]["seed"] if source == "seed" else None
    except (KeyError, TypeError) as error:
        raise TraceError(f"{path}: line 1: {error}: expected the start event of {path}") from error
    except InvalidProblem as error:
        raise TraceError(f"{path}: line 1: problem: {error}") from error
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise TraceError(f"{path}: line 1: draws.seed: {shown(seed)}: expected a nonnegative integer")
    try:
        outcome = run(
            problem,
            scripted_supply(script, start, supply),
            arithmetic=arithmetic,
            seed=seed,
            observer=script.compare,
        )
    except (SupplyViolation, DigitBudgetExceeded, NotExact, UndecidedComparison) as error:
        ending = {"event": "error", "error": type(error).__name__, "message": str(error)}
        if script.fields != ending:
            raise TraceMismatch(script.number, json.dumps(ending), json.dumps(script.fields)) from error
        raise
    if script.fields["event"] != "end of the trace":
        raise TraceMismatch(script.number, '{"event": "end of the trace"}', json.dumps(script.fields))
    return outcome
