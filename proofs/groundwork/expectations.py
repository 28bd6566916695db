"""How a check of the groundwork is written: expectations, each compared, the first that is not met being the finding.

    @groundwork("W1", scope="integers of up to 9000 digits")
    def integers_are_written_as_they_are(expect):
        expect.same("123 as text", integer_text(123), "123")

A check that comes to its end is held, with as many comparisons as it made.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from grpocheck.contracts.claims import Kind
from grpocheck.contracts.clauses import ContractViolation
from grpocheck.proofs.evidence import Budget, Finding, OutOfBudget, evidence, held, refuted

Errors = type[BaseException] | tuple[type[BaseException], ...]


class Surprise(AssertionError):  # noqa: N818 - named for what it is
    """Something is not as expected."""


class Expectations:
    """Compares what core gives with what is expected, and counts the comparisons."""

    def __init__(self, budget: Budget) -> None:
        """Nothing is compared yet."""
        self.budget = budget
        self.comparisons = 0

    def true(self, what: str, condition: object) -> None:
        """A condition holds."""
        self.comparisons += 1
        if self.comparisons % 64 == 0:
            self.budget.step(0, 1)
        if condition is not True:
            raise Surprise(f"{what}: {condition!r}: expected True")

    def same(self, what: str, found: object, expected: object) -> None:
        """A value is the expected one, and of the same kind where that is a truth value or None."""
        kind_matters = isinstance(expected, bool) or expected is None
        equal = found is expected if kind_matters else bool(found == expected)
        if not equal:
            raise Surprise(f"{what}: {shown(found)}: expected {shown(expected)}")
        self.true(what, True)

    def refused(
        self, what: str, kind: Errors, call: Callable[[], object], *mentioned: str
    ) -> BaseException:
        """A call raises an error of a kind, and its message holds some words."""
        try:
            answer = call()
        except kind as error:
            for words in mentioned:
                if words not in str(error):
                    raise Surprise(f"{what}: {error}: expected {words!r} in the message") from error
            self.true(what, True)
            return error
        raise Surprise(f"{what}: {shown(answer)}: expected {kind}")


def shown(value: object) -> str:
    """A value in a message."""
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:300]}..."


Body = Callable[[Expectations], None]


def groundwork(
    *claims: str, scope: str, kind: Kind = Kind.PROPERTY, seconds: float = 60, files: tuple[str, ...] = ()
) -> Callable[[Body], Callable[[Budget], Finding]]:
    """Declare a function of expectations as evidence; what it does not expect, an error included, refutes."""

    def declare(body: Body) -> Callable[[Budget], Finding]:
        @wraps(body)
        def check(budget: Budget) -> Finding:
            expect = Expectations(budget)
            try:
                body(expect)
            except Surprise as surprise:
                return refuted(str(surprise), comparisons=max(1, expect.comparisons))
            except (ContractViolation, OutOfBudget):
                raise
            except Exception as error:
                return refuted(f"raises {type(error).__name__}: {error}", comparisons=max(1, expect.comparisons))
            return held(comparisons=expect.comparisons)

        evidence(*claims, kind=kind, scope=scope, seconds=seconds, files=files)(check)
        return check

    return declare


def attempt(call: Callable[[], Any]) -> Any:
    """The answer of a call, or the class of the error that it raises."""
    try:
        return call()
    except Exception as error:
        return type(error)
