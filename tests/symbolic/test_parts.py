"""The parts of the symbolic stage on their own: fingerprints of modules, arguments as text, 60-digit reals."""

import collections
import functools
import itertools
import math
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from grpocheck.proofs.symbolic import reals
from grpocheck.proofs.symbolic.module_state import changed, fingerprint
from grpocheck.proofs.symbolic.values import from_json, to_json, unfit_argument


class Held:
    """An object that a module holds."""

    kept = 0


def with_default(x: int, seen: list[int] = []) -> None:  # noqa: B006 - the mistake that is planted
    seen.append(x)


def numbers() -> Iterator[int]:
    yield 1
    yield 2


def closing_over(kept: list[int]) -> Callable[[int], None]:
    return lambda x: kept.append(x)


@functools.lru_cache
def remembered(x: int) -> int:
    return x


CHANGES: dict[str, tuple[Any, Callable[[types.ModuleType], object]]] = {
    "number": (3, lambda module: setattr(module, "value", 4)),
    "list": ([1], lambda module: module.value.append(2)),
    "inner list": ({"a": [1]}, lambda module: module.value["a"].append(2)),
    "dictionary": ({}, lambda module: module.value.setdefault("x", 1)),
    "default dictionary": (collections.defaultdict(list), lambda module: module.value["x"]),
    "counter": (collections.Counter(), lambda module: module.value.update("a")),
    "queue": (collections.deque(), lambda module: module.value.append(1)),
    "set": (set(), lambda module: module.value.add(1)),
    "count": (itertools.count(), lambda module: next(module.value)),
    "iterator": (iter([1, 2]), lambda module: next(module.value)),
    "generator": (numbers(), lambda module: next(module.value)),
    "default argument": (with_default, lambda module: module.value(1)),
    "closure": (closing_over([]), lambda module: module.value(1)),
    "function attribute": (numbers, lambda module: vars(module.value).update(calls=1)),
    "cache": (remembered, lambda module: module.value(1)),
    "object": (Held(), lambda module: setattr(module.value, "found", 1)),
    "class": (Held, lambda module: setattr(module.value, "kept", module.value.kept + 1)),
    "new name": (None, lambda module: setattr(module, "other", 1)),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_of_state_is_seen_and_named(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value, change = CHANGES[kind]
    module = types.ModuleType("planted_state")
    module.value = value  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "planted_state", module)
    packages = ("planted_state", __name__)
    before = fingerprint(packages)
    assert changed(before, fingerprint(packages)) is None
    change(module)
    seen = changed(before, fingerprint(packages))
    assert seen is not None
    assert seen.startswith(("planted_state.", f"{__name__}."))


def test_a_warning_is_no_state_and_looking_warns_of_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("planted_state")
    module.value, module.warn = itertools.cycle([1, 2]), warnings.warn  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "planted_state", module)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        before = fingerprint(["planted_state"])
    with pytest.warns(UserWarning, match="planted"):
        exec("warn('planted')", vars(module))
    assert "__warningregistry__" in vars(module)
    assert changed(before, fingerprint(["planted_state"])) is None


def test_looking_at_the_whole_package_finds_it_at_rest() -> None:
    assert changed(fingerprint(["grpocheck"]), fingerprint(["grpocheck"])) is None


@pytest.mark.parametrize(
    ("value", "written"),
    [(Fraction(-1, 3), "-1/3"), (4, 4), (None, None), (True, True), ((Fraction(2), (None, 1)), ["2", [None, 1]])],
)
def test_arguments_are_written_and_read_back(value: Any, written: Any) -> None:
    assert to_json(value) == written
    assert from_json(written) == value


def test_a_float_is_no_argument() -> None:
    with pytest.raises(TypeError, match=r"0\.5"):
        to_json((0.5,))


@pytest.mark.parametrize(
    ("annotation", "fit"),
    [
        (Fraction, True),
        (Fraction | None, True),
        (tuple[Fraction, tuple[int, bool]], True),
        (float, False),
        (list[Fraction], False),
        (tuple[Fraction, ...], False),
        (Callable[[Fraction], Fraction], False),
    ],
)
def test_only_arguments_that_can_be_exhausted_are_fit(annotation: Any, fit: bool) -> None:
    def function(x: Any) -> None: ...

    function.__annotations__["x"] = annotation
    assert (unfit_argument(function) is None) == fit


ROOT_TWO = Fraction("1.41421356237309504880168872420969807856967187537694")
LOG_TWO = Fraction("0.69314718055994530941723212145817656807550013436026")
EULER = Fraction("2.71828182845904523536028747135266249775724709369996")


def test_reals_have_the_published_digits() -> None:
    for value, digits in (
        (reals.sqrt(Fraction(2)), ROOT_TWO),
        (reals.log(Fraction(2)), LOG_TWO),
        (reals.exp(Fraction(1)), EULER),
    ):
        assert isinstance(value, reals.Real)
        assert value == digits
        assert digits == value
        assert value < digits + Fraction(1, 10**30) and value > digits - Fraction(1, 10**30)  # noqa: PT018
        assert value != digits + Fraction(1, 10**30)


def test_rational_values_stay_rational() -> None:
    assert type(reals.sqrt(Fraction(4, 9))) is Fraction
    assert reals.sqrt(Fraction(4, 9)) == Fraction(2, 3)
    assert reals.log(Fraction(1)) == 0
    assert reals.exp(Fraction(0)) == 1


def test_reals_calculate_with_rationals_on_either_side() -> None:
    root = reals.sqrt(Fraction(2))
    assert root * root == 2
    assert Fraction(1, 2) * root * root == 1
    assert 1 / root == root / 2
    assert (1 - root) * (1 + root) == -1
    assert abs(-root) == root
    assert root**2 == 2
    assert not root - root
    assert 1 < root <= Fraction(3, 2)


def test_reals_refuse_what_math_refuses() -> None:
    for function in (reals.sqrt, reals.log):
        with pytest.raises(ValueError, match="math domain error"):
            function(Fraction(-1))
    with pytest.raises(ZeroDivisionError):
        1 / (reals.sqrt(Fraction(2)) - reals.sqrt(Fraction(2)))
    with pytest.raises(TypeError):
        reals.sqrt(Fraction(2)) + math.pi
