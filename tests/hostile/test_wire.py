"""What goes between a run and an oracle's process: values come back as they were, and garbage states no value."""

import time
from contextlib import suppress
from fractions import Fraction as F

import pytest
from grpocheck.core import run
from grpocheck.core.arithmetic.enclosing import enclose
from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.arithmetic.reals import Real
from grpocheck.core.oracles import UNDEFINED_GRADIENT
from grpocheck.verifier.isolation.wire import NotSent, Wire
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hostile.answers import LyingFraction, LyingText, LyingTuple
from tests.hostile.test_table import problem

ROOT = ExactArithmetic().sqrt(F(2, 3))
NUMBERS = [0, -(10**5000), F(-1, 3), F(7, 10**3000), 0.5, ROOT, 1 + ROOT / 7]
PLAIN = [None, True, "a\u00e4", "", (F(1), [2, ()]), [], *NUMBERS]


@pytest.mark.parametrize("value", PLAIN, ids=lambda value: type(value).__name__)
def test_a_value_comes_back_as_it_was(value):
    found = Wire().read(Wire().written(value))
    assert (found, type(found)) == (value, type(value))


def test_what_lies_comes_back_plain():
    found = Wire().read(Wire().written([LyingFraction(2, 3), LyingText("ugly"), LyingTuple((1, 2))]))
    assert [type(each) for each in found] == [F, str, tuple]
    assert found == [F(2, 3), "ugly", (1, 2)]
    assert Wire().read(Wire().written(UNDEFINED_GRADIENT)) is UNDEFINED_GRADIENT
    assert type(Wire().read(Wire().written(object()))).__name__ == "object"


def test_frozen_data_come_back_as_they_were():
    frozen = run(problem()).iterations[1].frozen
    ours, theirs = Wire(), Wire()
    for _ in range(2):  # prompts go over once
        assert theirs.read(ours.written(frozen)) == frozen


def test_an_enclosed_number_comes_back_into_the_same_atoms():
    arithmetic = EnclosureArithmetic()
    grown = arithmetic.exp(F(1, 3))
    numbers = [
        grown / (grown + 1),
        arithmetic.log(grown + 2) * ROOT - F(1, 7),
        arithmetic.sqrt(arithmetic.log(F(5))),
        arithmetic.exp(arithmetic.log(F(2)) / 3 + grown / (grown + 1) ** 2),
    ]
    for value in numbers:
        back = Wire(arithmetic).read(Wire().written(value))
        assert type(back) is Real
        assert back.terms == value.terms  # the same atoms, so that no evaluation is needed to see it
        lower, upper = map(F, enclose(value, 40))
        other_lower, other_upper = map(F, enclose(Wire().read(Wire().written(value)), 40))
        assert max(lower, other_lower) <= min(upper, other_upper)


TAGS = ["constant", "undefined", "integer", "rational", "text", "float", "tuple", "list", "surd", "real", "prompt",
        "Group", "FrozenIteration", "other", "none such"]  # fmt: skip
WORDS = st.text(max_size=5) | st.sampled_from(["ff", "-1", "0", "exp", "log", "exact", "sum"])
SCRAPS = st.none() | st.booleans() | st.integers(-5, 10**7) | WORDS
GARBAGE = st.recursive(
    SCRAPS,
    lambda inner: st.builds(lambda tag, parts: [tag, *parts], st.sampled_from(TAGS), st.lists(inner, max_size=3))
    | st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(GARBAGE)
def test_garbage_states_a_value_or_none(stated):
    with suppress(NotSent):
        Wire().read(stated)


def nested(depth):
    """Lists within lists."""
    return ["list", [nested(depth - 1)]] if depth else ["list", []]


BOMBS = {
    "a power": ["real", [["exact", ["rational", "2", "1"]]], [[[[0, 10**6]], ["rational", "1", "1"]]]],
    "digits": ["rational", "f" * 10**6, "1"],
    "depth": nested(90),
    "an atom before its argument": ["real", [["exp", [[[[3, 1]], ["rational", "1", "1"]]]]], []],
    "the logarithm of 0": ["real", [["log", []]], [[[[0, 1]], ["rational", "1", "1"]]]],
    "powers of powers": [
        "real",
        [["exact", ["rational", "3", "1"]], *(["sum", [[[[i, 64]], ["rational", "1", "1"]]]] for i in range(6))],
        [[[[6, 1]], ["rational", "1", "1"]]],
    ],
    "many powers": ["real", [["exact", ["rational", "f" * 999, "1"]]], [[[[0, 64]] * 999, ["rational", "1", "1"]]]],
    "radicals": ["surd", [[["f" * 100] * 20_000, "1", "1"]]],
    "the root of -1": ["real", [["sqrt", [[[], ["rational", "-1", "1"]]]]], [[[[0, 1]], ["rational", "1", "1"]]]],
}


def test_nothing_is_read_beyond_the_time():
    number = 1 + ROOT + ExactArithmetic().sqrt(F(5))
    wire = Wire()
    assert wire.read(Wire().written(number)) == number
    wire.until = time.monotonic() - 1
    with pytest.raises(NotSent, match="in time"):
        wire.read(Wire().written(number))
    with pytest.raises(NotSent, match="in time"):
        wire.read(Wire().written(EnclosureArithmetic().exp(F(1, 3))))


@pytest.mark.parametrize("stated", BOMBS.values(), ids=BOMBS)
def test_what_would_take_too_much_is_refused(stated):
    with pytest.raises(NotSent):
        Wire().read(["list", [stated]])
