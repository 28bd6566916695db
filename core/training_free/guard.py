"""Every call of a training-free run's oracles: asked once, its answer checked against its clause, counted, and told.

No answer is trusted: a wrong type or shape, a number that is not exact, or an exception ends the run with
SupplyViolation, which names the clause that was broken; the trace up to that call stands. A recorded answer of a trace
that is resumed is checked like a fresh one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from grpocheck.contracts.clauses import ContractViolation, ensure, require, snapshot, total
from grpocheck.contracts.predicates import is_mass_function
from grpocheck.core import received
from grpocheck.core.handed_out import handed_out
from grpocheck.core.invalid import InvalidProblem, shown
from grpocheck.core.received import class_name, described, entries, error_in_words
from grpocheck.core.training_free.clauses import Clause
from grpocheck.core.training_free.decoding import Decoded, ResponseLevel, TokenLevel
from grpocheck.core.training_free.ledger import Ledger
from grpocheck.core.training_free.oracles import (
    DistributionModel,
    Group,
    Introspection,
    Quality,
    TestRunner,
    TokenModel,
)
from grpocheck.core.training_free.patterns import Pattern, read_pattern
from grpocheck.core.training_free.responses import Response, Row, Shape, Tokens
from grpocheck.core.training_free.task import Task
from grpocheck.core.training_free.trace import Kind, Record
from grpocheck.core.values import rational, rational_text
from grpocheck.core.violations import SupplyViolation

MOST_LISTED = 20_000
"""The most responses, or prefixes, of a base model."""


@dataclass
class Guard:
    """The oracles of one run behind their clauses, with its ledger and its record.

    Every method that asks raises SupplyViolation for an answer that breaks its clause.
    """

    task: Task
    ledger: Ledger
    record: Record
    distribution: DistributionModel | None
    next_tokens: TokenModel | None
    shape: Shape | None
    tests: TestRunner
    quality: Quality
    introspection: Introspection
    answered: dict[Response, tuple[Mapping[str, bool], Fraction]] = field(default_factory=dict)

    @require(lambda call, found: bool(call) and bool(found), "a violation names the call and what was found")
    @ensure(lambda self, result: result.ledger is self.ledger, "a violation carries the ledger up to its call")
    def violation(self, clause: Clause, call: str, found: str) -> SupplyViolation:
        """The error of a broken clause."""
        return SupplyViolation(clause, call, found, self.ledger)

    @require(lambda call: bool(call), "a call has a name for its violation")
    @ensure(lambda result: not issubclass(type(result), float), "no float enters a run")
    def ask(self, kind: Kind, clause: Clause, call: str, oracle: Callable[[], object]) -> object:
        """The answer of an oracle, or the recorded one; an exception is a broken clause."""
        recalled = self.record.recalled(kind)
        if recalled is not None:
            return recalled
        try:
            answer = oracle()
        except (ContractViolation, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise self.violation(Clause.ANSWERS, call, f"raised {error_in_words(error)}") from error
        if issubclass(type(answer), float):
            raise self.violation(clause, call, f"answered the float {described(answer)}")
        return answer

    @require(lambda call: bool(call), "a call has a name for its violation")
    @ensure(lambda answer, result: result == entries(answer), "the answer's entries, in their order")
    def listed(self, clause: Clause, call: str, answer: object) -> Sequence[object]:
        """An answer that has to be a list or tuple."""
        read = entries(answer)
        if read is None:
            raise self.violation(clause, call, f"answered {described(answer)} of type {class_name(answer)}, not a list")
        return read

    @require(lambda call: bool(call), "a call has a name for its violation")
    @ensure(lambda value, result: received.rational(value) in (None, result), "the number itself")
    def number(self, clause: Clause, call: str, value: object) -> Fraction:
        """A supplied number, short enough for a trace; a text is one only in a trace."""
        exact = received.rational(value)
        if exact is None and not (self.record.recalls and type(value) is str):
            raise self.violation(clause, call, f"answered {described(value)} of type {class_name(value)} for a number")
        try:
            read = rational("number", value if exact is None else exact)
            rational_text(read)
        except InvalidProblem as error:
            raise self.violation(clause, call, str(error)) from error
        return read

    @require(lambda call: bool(call), "a call has a name for its violation")
    @ensure(lambda result: is_mass_function([mass for _, mass in result]), "masses are positive with sum 1")
    def with_masses(self, clause: Clause, call: str, answer: object) -> tuple[tuple[object, Fraction], ...]:
        """Pairs of something and its mass."""
        read: list[tuple[object, Fraction]] = []
        for pair in self.listed(clause, call, answer):
            both = entries(pair)
            if both is None or len(both) != 2:
                raise self.violation(clause, call, f"answered {described(pair)} in place of a pair with its mass")
            read.append((both[0], self.number(clause, call, both[1])))
        if not all(mass > 0 for _, mass in read) or sum(mass for _, mass in read) != 1:
            masses = [mass for _, mass in read]
            found = f"answered masses {shown(masses)} with sum {shown(sum(masses))}, expected masses above 0 of sum 1"
            raise self.violation(clause, call, found)
        return tuple(read)

    @require(lambda self: self.ledger.generations == 0, "the base model is asked before anything is generated")
    @ensure(lambda self: self.ledger.model_calls >= 1, "the base model is asked at least once")
    @ensure(lambda self, result: isinstance(result, TokenLevel) == (self.next_tokens is not None), "on its own level")
    def base_model(self) -> Decoded:
        """The base model's distribution: asked once, since its parameters never move."""
        if self.next_tokens is not None:
            return self.token_level(self.next_tokens)
        assert self.distribution is not None
        return self.response_level(self.distribution)

    @require(lambda self: self.ledger.model_calls == 0, "the distribution is asked once")
    @ensure(lambda result: len(set(result.responses)) == len(result.responses), "the responses are distinct")
    def response_level(self, model: DistributionModel) -> ResponseLevel:
        """A distribution over whole responses."""
        call, clause = "distribution of the base model", Clause.DISTRIBUTION
        self.ledger.count("model_calls")
        answer = self.ask(Kind.MODEL, clause, call, lambda: model(self.task.prompt))
        listed = []
        for value, mass in self.with_masses(clause, call, answer):
            listed.append((self.response(clause, call, value), mass))
        responses = tuple(response for response, _ in listed)
        if len(set(responses)) != len(responses):
            raise self.violation(clause, call, "answered a response twice")
        if len(responses) > MOST_LISTED:
            raise self.violation(Clause.FINITE, call, f"answered more than {MOST_LISTED} responses")
        told = [[[list(response.tokens), response.text], str(mass)] for response, mass in listed]
        self.record.tell(Kind.MODEL, answer=told)
        return ResponseLevel(responses, tuple(mass for _, mass in listed))

    @require(lambda call: bool(call), "a call has a name for its violation")
    @ensure(lambda value, result: type(value) is not Response or result == value, "a response stands for itself")
    def response(self, clause: Clause, call: str, value: object) -> Response:
        """A response, or the [tokens, text] of one in a trace."""
        if type(value) is Response:
            tokens, spoken = entries(vars(value).get("tokens")), vars(value).get("text")
        elif self.record.recalls and type(value) is list and len(value) == 2:
            tokens, spoken = entries(value[0]), value[1]
        else:
            raise self.violation(clause, call, f"answered {described(value)} in place of a response")
        read = [received.text(token) for token in tokens or () if is_text(token)]
        if tokens is None or len(read) != len(tokens) or not all(read):
            raise self.violation(clause, call, f"answered a response with tokens {described(tokens)}")
        if not is_text(spoken):
            raise self.violation(clause, call, f"answered a response with the text {described(spoken)}")
        return Response(tuple(filter(None, read)), received.text(spoken) or "")

    @require(lambda self: self.shape is not None and self.ledger.model_calls == 0, "rows are asked once")
    @ensure(lambda self, result: self.ledger.model_calls == len(result.rows), "one call for each prefix")
    def token_level(self, model: TokenModel) -> TokenLevel:
        """A row of next tokens after every prefix of positive mass that goes on."""
        assert self.shape is not None
        rows: dict[Tokens, Row] = {}
        waiting: list[Tokens] = [()]
        while waiting:
            prefix = waiting.pop()
            rows[prefix] = self.row(model, prefix)
            whole = self.shape.is_whole
            waiting += [(*prefix, token) for token, _ in reversed(rows[prefix]) if not whole((*prefix, token))]
            if len(rows) + len(waiting) > MOST_LISTED:
                raise self.violation(Clause.FINITE, "rows of the base model", f"gave more than {MOST_LISTED} prefixes")
        return TokenLevel(self.shape, rows)

    @require(lambda self, prefix: self.shape is not None and not self.shape.is_whole(prefix), "the prefix goes on")
    @snapshot(lambda self: self.ledger.model_calls, name="calls")
    @ensure(lambda self, OLD: self.ledger.model_calls == OLD.calls + 1, "a row is one call")
    def row(self, model: TokenModel, prefix: Tokens) -> Row:
        """The next tokens after one prefix."""
        call, clause = f"next tokens of the base model after {shown(list(prefix))}", Clause.NEXT_TOKENS
        self.ledger.count("model_calls")
        answer = self.ask(Kind.MODEL, clause, call, lambda: model(self.task.prompt, prefix))
        row: list[tuple[str, Fraction]] = []
        for token, mass in self.with_masses(clause, call, answer):
            spoken = received.text(token) if is_text(token) else None
            if not spoken or spoken in [known for known, _ in row]:
                raise self.violation(clause, call, f"answered {described(token)} in place of a further token")
            row.append((spoken, mass))
        self.record.tell(Kind.MODEL, prefix=list(prefix), answer=[[token, str(mass)] for token, mass in row])
        return tuple(row)

    @require(lambda self: self.ledger.generations >= 1, "a response that was generated")
    @ensure(lambda self, result: set(result[0]) == set(self.task.tests), "an outcome for every test of the task")
    @ensure(lambda result: 0 <= result[1] <= 1, "quality lies in [0, 1]")
    @ensure(lambda self, response, result: self.answered[response] is result, "recorded, and never asked again")
    def assessed(self, response: Response, iteration: int, number: int) -> tuple[Mapping[str, bool], Fraction]:
        """Which tests a response passes, and its quality; looked up where it was generated before."""
        if response not in self.answered:
            passed = self.outcomes(response, iteration, number)
            self.answered[response] = (passed, self.quality_of(response, iteration, number))
        return self.answered[response]

    @require(lambda number: number >= 1, "responses of a group are counted from 1")
    @snapshot(lambda self: self.ledger.test_calls, name="calls")
    @ensure(lambda self, result: list(result) == list(self.task.tests), "an outcome for every test, in order")
    @ensure(lambda self, OLD: self.ledger.test_calls == OLD.calls + 1, "a call of the test runner is counted once")
    def outcomes(self, response: Response, iteration: int, number: int) -> Mapping[str, bool]:
        """Which tests a response passes."""
        call, clause = f"tests of response {number} of iteration {iteration}", Clause.TESTS
        self.ledger.count("test_calls")
        answer = self.ask(
            Kind.TESTS, clause, call, lambda: self.tests(self.task.prompt, handed_out(response), self.task.tests)
        )
        passed = self.listed(clause, call, answer)
        if len(passed) != len(self.task.tests) or not all(outcome is True or outcome is False for outcome in passed):
            raise self.violation(clause, call, f"answered {described(passed)} for {len(self.task.tests)} tests")
        self.record.tell(Kind.TESTS, t=iteration, i=number, answer=list(passed))
        return {test: bool(outcome) for test, outcome in zip(self.task.tests, passed, strict=True)}

    @require(lambda number: number >= 1, "responses of a group are counted from 1")
    @snapshot(lambda self: self.ledger.quality_calls, name="calls")
    @ensure(lambda self, OLD: self.ledger.quality_calls == OLD.calls + 1, "a call for the quality is counted once")
    def quality_of(self, response: Response, iteration: int, number: int) -> Fraction:
        """The quality of a response."""
        call, clause = f"quality of response {number} of iteration {iteration}", Clause.QUALITY
        self.ledger.count("quality_calls")
        answer = self.ask(Kind.QUALITY, clause, call, lambda: self.quality(self.task.prompt, handed_out(response)))
        quality = self.number(clause, call, answer)
        if not 0 <= quality <= 1:
            raise self.violation(clause, call, f"answered {shown(quality)}, expected a number between 0 and 1")
        self.record.tell(Kind.QUALITY, t=iteration, i=number, answer=str(quality))
        return quality

    @require(lambda self, group: self.ledger.iterations_started == group.iteration, "the group of this iteration")
    @snapshot(lambda self: self.ledger.introspections, name="calls")
    @ensure(lambda self, OLD: self.ledger.introspections == OLD.calls + 1, "an introspection is counted once")
    @ensure(
        lambda group, result: all(set(pattern.tokens) <= set(group.vocabulary) for pattern in result),
        "patterns affect tokens of the vocabulary",
    )
    def introspected(self, group: Group) -> tuple[Pattern, ...]:
        """The patterns that comparing a group gives."""
        call, clause = f"introspection of iteration {group.iteration}", Clause.PATTERNS
        self.ledger.count("introspections")
        answer = self.ask(Kind.PATTERNS, clause, call, lambda: self.introspection(handed_out(group)))
        listed = self.listed(clause, call, answer)
        found = tuple(self.pattern(call, group, number, value) for number, value in enumerate(listed, start=1))
        self.record.tell(Kind.PATTERNS, t=group.iteration, answer=[pattern.to_mapping() for pattern in found])
        return found

    @require(lambda number: number >= 1, "patterns are counted from 1")
    @ensure(lambda result: 0 <= result.confidence <= 1, "a confidence lies in [0, 1]")
    def pattern(self, call: str, group: Group, number: int, value: object) -> Pattern:
        """One pattern, or the mapping of one in a trace."""
        call = f"pattern {number} of the {call}"
        if self.record.recalls and isinstance(value, dict):
            try:
                value = read_pattern("pattern", value)
            except InvalidProblem as error:
                raise self.violation(Clause.PATTERNS, call, str(error)) from error
        if type(value) is not Pattern or not is_text(vars(value).get("description")):
            raise self.violation(Clause.PATTERNS, call, f"answered {described(value)} in place of a pattern")
        confidence = self.number(Clause.CONFIDENCE, call, value.confidence)
        if not 0 <= confidence <= 1:
            found = f"answered {shown(confidence)}, expected a number between 0 and 1"
            raise self.violation(Clause.CONFIDENCE, call, found)
        tokens = self.listed(Clause.VOCABULARY, call, value.tokens)
        read = tuple(spoken for spoken in map(received.text, tokens) if spoken and spoken in group.vocabulary)
        if len(set(read)) != len(tokens):
            raise self.violation(Clause.VOCABULARY, call, f"affects {described(tokens)}")
        return Pattern(received.text(value.description) or "", confidence, read)


@total("anything may be asked about")
@ensure(lambda value, result: not result or received.text(value) is not None, "a text that can be written to a trace")
def is_text(value: object) -> bool:
    """Whether a value is a text without lone surrogates."""
    spoken = received.text(value)
    if spoken is None:
        return False
    try:
        spoken.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
