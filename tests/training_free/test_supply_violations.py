"""No answer of a supply is trusted: each broken clause is named, and the trace up to it stands."""

import json
from collections.abc import Callable
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest
from grpocheck.core import SupplyViolation
from grpocheck.core.training_free import guard
from grpocheck.core.training_free.clauses import Clause
from grpocheck.core.training_free.oracles import Supply
from grpocheck.core.training_free.patterns import Pattern
from grpocheck.core.training_free.procedure import run
from grpocheck.core.training_free.responses import Response
from grpocheck.core.training_free.trace import Record

from tests.training_free.tasks import three_responses, two_tokens

X, Y = Response(("x",), "x"), Response(("y",), "y")


def raises(error: Exception) -> Callable[..., Any]:
    def oracle(*arguments: object) -> Any:
        raise error

    return oracle


def answers(value: Any) -> Callable[..., Any]:
    return lambda *arguments: value


CASES = [
    ("tests", raises(KeyError("t")), Clause.ANSWERS, "raised KeyError"),
    ("tests", answers(True), Clause.TESTS, "not a list"),
    ("tests", answers([]), Clause.TESTS, "for 1 tests"),
    ("tests", answers([True, False]), Clause.TESTS, "for 1 tests"),
    ("tests", answers([1]), Clause.TESTS, "for 1 tests"),
    ("quality", raises(ZeroDivisionError("by 0")), Clause.ANSWERS, "raised ZeroDivisionError: by 0"),
    ("quality", answers(0.5), Clause.QUALITY, "the float 0.5"),
    ("quality", answers("1/2"), Clause.QUALITY, "of type str"),
    ("quality", answers(True), Clause.QUALITY, "of type bool"),
    ("quality", answers(F(3, 2)), Clause.QUALITY, "answered 3/2"),
    ("quality", answers(F(1, 10**5000)), Clause.QUALITY, "expected a number of at most 4000 digits"),
    ("quality", answers(F(10**5000)), Clause.QUALITY, "expected a number of at most 4000 digits"),
    ("introspection", raises(TimeoutError("late")), Clause.ANSWERS, "raised TimeoutError: late"),
    ("introspection", answers(None), Clause.PATTERNS, "not a list"),
    ("introspection", answers(["prefer y"]), Clause.PATTERNS, "in place of a pattern"),
    ("introspection", answers([{"description": "d", "confidence": "1", "tokens": []}]), Clause.PATTERNS, "a pattern"),
    ("introspection", answers([Pattern("d", F(9, 8), ())]), Clause.CONFIDENCE, "answered 9/8"),
    ("introspection", answers([Pattern("d", F(1, 10**5000), ())]), Clause.CONFIDENCE, "at most 4000 digits"),
    ("introspection", answers([Pattern("d", 0.9, ())]), Clause.CONFIDENCE, "of type float"),  # type: ignore[arg-type]
    ("introspection", answers([Pattern("d", F(1), ("w",))]), Clause.VOCABULARY, "affects ['w']"),
    ("introspection", answers([Pattern("d", F(1), ("y", "y"))]), Clause.VOCABULARY, "affects"),
    ("introspection", answers([Pattern("\ud800", F(1), ())]), Clause.PATTERNS, "in place of a pattern"),
    ("distribution", answers([]), Clause.DISTRIBUTION, "sum 0"),
    ("distribution", answers([(X, F(1, 2)), (Y, F(1, 3))]), Clause.DISTRIBUTION, "sum 5/6"),
    ("distribution", answers([(X, F(3, 2)), (Y, F(-1, 2))]), Clause.DISTRIBUTION, "masses"),
    ("distribution", answers([(X, F(1, 2)), (X, F(1, 2))]), Clause.DISTRIBUTION, "twice"),
    ("distribution", answers([(X, F(1, 10**5000)), (Y, 1 - F(1, 10**5000))]), Clause.DISTRIBUTION, "4000 digits"),
    ("distribution", answers([(X, F(1, 10**3000)), (Y, F(1, 7**3000))]), Clause.DISTRIBUTION, "with sum a number of"),
    ("distribution", answers([(X, 0.5), (Y, 0.5)]), Clause.DISTRIBUTION, "of type float"),
    ("distribution", answers([("x", F(1))]), Clause.DISTRIBUTION, "in place of a response"),
    ("distribution", answers([X]), Clause.DISTRIBUTION, "a pair with its mass"),
    ("distribution", answers([(Response((), 7), F(1))]), Clause.DISTRIBUTION, "the text 7"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("oracle", "supplied", "clause", "found"), CASES)
def test_a_broken_clause_is_named(
    oracle: str, supplied: Callable[..., Any], clause: Clause, found: str, tmp_path: Path
) -> None:
    path = tmp_path / "trace.jsonl"
    with pytest.raises(SupplyViolation) as caught, Record(path) as record:
        run(three_responses(), Supply(**{oracle: supplied}), record=record)
    assert caught.value.clause is clause
    assert clause.value in str(caught.value)
    assert found in caught.value.found
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert lines[0]["event"] == "start"
    assert (lines[-1]["event"], lines[-1]["error"]) == ("error", "SupplyViolation")
    assert lines[-1]["message"] == str(caught.value)


def test_a_reward_of_more_digits_than_python_writes_is_told(tmp_path: Path) -> None:
    path, small, smaller = tmp_path / "trace.jsonl", F(1, 10**3000), F(1, 3**5000)
    task = three_responses(weights={"external": 1, "epistemic": 0, "passed": 0, "new": 0, "quality": str(small)})
    with Record(path) as record:
        run(task, Supply(quality=answers(smaller)), record=record)
    groups = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if '"group"' in line]
    digits = groups[0]["external"][0].removeprefix("1/").rstrip("0")
    assert len(groups[0]["external"][0]) == len("1/") + 3000 + 2386  # 3^5000 has 5000 log10(3) = 2385.6.. digits
    assert digits[-9:] == str(3**5000)[-9:]


@pytest.mark.parametrize(("row", "found"), [
    ([("a", F(1, 2)), ("b", F(1, 3))], "sum 5/6"),
    ([("a", F(1, 2)), ("a", F(1, 2))], "a further token"),
    ([("", F(1))], "a further token"),
    ([(1, F(1))], "a further token"),
    ({"a": F(1)}, "not a list"),
])  # fmt: skip
def test_a_row_of_next_tokens_is_checked(row: Any, found: str) -> None:
    supply = Supply(next_tokens=answers(row), tests=answers([False]), quality=answers(F(0)))
    with pytest.raises(SupplyViolation) as caught:
        run(two_tokens(), supply)
    assert caught.value.clause is Clause.NEXT_TOKENS
    assert found in caught.value.found


def test_a_base_model_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MOST_LISTED", 300)
    letters = [(letter, F(1, 26)) for letter in "abcdefghijklmnopqrstuvwxyz"]
    task = two_tokens(tokens={"horizon": 12})
    with pytest.raises(SupplyViolation) as caught:
        run(task, Supply(next_tokens=answers(letters), tests=answers([False]), quality=answers(F(0))))
    assert caught.value.clause is Clause.FINITE


def test_a_violation_carries_the_ledger_up_to_its_call() -> None:
    with pytest.raises(SupplyViolation) as caught:
        run(three_responses(), Supply(quality=answers(2)))
    assert caught.value.ledger.to_mapping() == {  # type: ignore[attr-defined]
        "model_calls": 1, "iterations_started": 1, "generations": 1, "test_calls": 1, "quality_calls": 1,
        "introspections": 0,
    }  # fmt: skip


def test_an_answer_is_recorded_and_never_asked_again() -> None:
    asked: list[str] = []

    def fickle(prompt: str, response: Response, tests: tuple[str, ...]) -> list[bool]:
        asked.append(response.text)
        return [len(asked) > 1]

    outcome = run(three_responses(draws={"recorded": [["y", "y"], ["y", "y"]]}), Supply(tests=fickle))
    assert asked == ["y"]
    assert not any(member.solves for entry in outcome.iterations for member in entry.members)
