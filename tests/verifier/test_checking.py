"""Clauses are evaluated by position, whatever way a function is called; violations say what they said before."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import icontract
import pytest
from grpocheck.contracts.checking import plan_of
from grpocheck.contracts.clauses import ENABLED, ContractViolation, ensure, require, snapshot, total

pytestmark = pytest.mark.skipif(not ENABLED, reason="contracts are switched off")

asked: list[str] = []


def seen(name: str, verdict: bool = True) -> bool:
    asked.append(name)
    return verdict


@require(lambda low, high: seen("low <= high") and low <= high, "C1: an interval")
@ensure(lambda share, low, result: seen("at least low") and result >= low and share >= 0, "B1: at least low")
def between(low: int, high: int, *, share: Fraction = Fraction(1, 2)) -> Fraction:
    return low + (high - low) * share


@pytest.mark.parametrize(
    "call",
    [
        lambda: between(2, 4),
        lambda: between(2, high=4),
        lambda: between(high=4, low=2),
        lambda: between(2, 4, share=Fraction(1, 2)),
    ],
)
def test_every_way_of_calling_is_checked_with_its_own_values(call: Callable[[], Fraction]) -> None:
    asked.clear()
    assert call() == 3
    assert asked == ["low <= high", "at least low"]


def test_violations_name_clause_condition_and_values_again_and_again() -> None:
    for _ in range(2):
        with pytest.raises(ContractViolation, match=r"(?s)line \d+.*C1: an interval.*low was 4") as raised:
            between(4, 2)
        assert "high was 2" in str(raised.value)
        assert "test_checking.py" in str(raised.value)
        with pytest.raises(ContractViolation, match=r"(?s)B1: at least low.*result was Fraction\(0, 1\)"):
            between(2, 4, share=Fraction(-1))


@pytest.mark.parametrize(
    "call", [lambda: between(1), lambda: between(1, 2, 3), lambda: between(1, 2, low=1), lambda: between(1, 2, other=3)]
)
def test_a_call_that_does_not_fit_is_a_type_error(call: Callable[[], Any]) -> None:
    with pytest.raises(TypeError):
        call()


def test_messages_are_those_of_icontract_alone() -> None:
    @ensure(lambda value, result: result + value == 1, "B2: they add up")
    def ours(value: int) -> int:
        return -value

    @icontract.ensure(lambda value, result: result + value == 1, "B2: they add up", error=ContractViolation)
    def theirs(value: int) -> int:
        return -value

    texts = []
    for function in (ours, theirs):
        with pytest.raises(ContractViolation) as raised:
            function(3)
        texts.append(str(raised.value).splitlines()[1:])  # the first line says where the clause is stated
    assert texts[0] == texts[1]
    assert texts[0]


def test_a_recursive_call_is_checked_too() -> None:
    @require(lambda depth: depth != 1, "one is refused")
    @ensure(lambda result: result >= 0, "not negative")
    def down(depth: int) -> int:
        return 0 if depth == 0 else 1 + down(depth - 1)

    with pytest.raises(ContractViolation, match="one is refused"):
        down(3)


def test_what_a_condition_calls_is_not_checked_again() -> None:
    asked.clear()

    @total("any number")
    @ensure(lambda result: between(2, 1) == 1 + result / 2, "a condition may call what its own contract refuses")
    def one() -> int:
        return 1

    assert one() == 1
    assert asked == []


def test_snapshots_and_starred_parameters_are_left_to_icontract() -> None:
    @snapshot(lambda items: len(items), name="length")
    @ensure(lambda items, OLD: len(items) == OLD.length + 1, "one more")
    def grow(items: list[int], by: int = 1) -> None:
        items.extend([0] * by)

    @ensure(lambda _ARGS, result: result == len(_ARGS), "as many as there are")  # noqa: N803 - icontract's name
    def count(*values: int) -> int:
        return len(values) if values != (7,) else 0

    grow([])
    with pytest.raises(ContractViolation, match="one more"):
        grow([], 2)
    assert count(1, 2) == 2
    with pytest.raises(ContractViolation, match="as many"):
        count(7)
    assert plan_of(grow.__wrapped__) is None  # type: ignore[attr-defined]
    assert plan_of(count.__wrapped__) is None  # type: ignore[attr-defined]


def test_a_condition_that_asks_for_what_is_not_there_is_refused_when_called() -> None:
    @ensure(lambda missing: missing, "no such argument")
    def nothing(value: int) -> int:
        return value

    with pytest.raises(TypeError, match="missing"):
        nothing(1)


def test_methods_and_defaults() -> None:
    class Box:
        @require(lambda self, size: self.size >= size, "it fits")
        @ensure(lambda self, size, result: result == self.size - size, "what is left")
        def put(self, size: int = 1) -> int:
            return self.size - size if size != 2 else 0

        size = 3

    assert Box().put() == 2
    assert Box().put(size=3) == 0
    with pytest.raises(ContractViolation, match="it fits"):
        Box().put(4)
    with pytest.raises(ContractViolation, match="what is left"):
        Box().put(2)
