"""Hostile oracles of the training-free optimisation: the same answers, read past their own classes."""

from fractions import Fraction as F

import pytest
from grpocheck.core import SupplyViolation
from grpocheck.core.training_free.clauses import Clause
from grpocheck.core.training_free.oracles import Supply
from grpocheck.core.training_free.patterns import Pattern
from grpocheck.core.training_free.procedure import run
from grpocheck.core.training_free.responses import Response

from tests.hostile.answers import Disguised, LyingFraction, LyingText, LyingTuple, SilentError, Unspeakable
from tests.hostile.test_table import answers, raises
from tests.training_free.tasks import three_responses

VIOLATIONS = {
    "leaves": ({"tests": raises(SystemExit(0))}, Clause.ANSWERS, "raised SystemExit: 0"),
    "an error without a text": ({"tests": raises(SilentError())}, Clause.ANSWERS, "its text cannot be had"),
    "a disguise": ({"quality": answers(Disguised())}, Clause.QUALITY, "answered a Disguised of type Disguised"),
    "what cannot be shown": ({"introspection": answers(Unspeakable())}, Clause.PATTERNS, "answered a Unspeakable"),
    "a lying quality": ({"quality": answers(LyingFraction(2))}, Clause.QUALITY, "answered 2"),
    "a lying length": ({"tests": answers(LyingTuple((True, False)))}, Clause.TESTS, "for 1 tests"),
    "a lying token": (
        {"introspection": answers([Pattern("d", F(1), (LyingText("w"),))])},
        Clause.VOCABULARY,
        "affects ['w']",
    ),
    "lying masses": (
        {"distribution": answers([(Response((y,), y), LyingFraction(n)) for y, n in (("x", 5), ("y", 7))])},
        Clause.DISTRIBUTION,
        "sum 12",
    ),
}


@pytest.mark.parametrize(("oracles", "clause", "said"), VIOLATIONS.values(), ids=VIOLATIONS)
def test_what_is_detected_is_named(oracles, clause, said):
    with pytest.raises(SupplyViolation) as caught:
        run(three_responses(), Supply(**oracles))
    assert caught.value.clause is clause
    assert said in str(caught.value)


def overwriting(prompt, response):
    """The task's own qualities, after the response is overwritten."""
    quality = {"x": F(1), "y": F(1, 2), "z": F(0)}[response.text]
    vars(response).update(text="x", tokens=("x",))
    return LyingFraction(quality)


def test_what_has_no_effect_has_none():
    found, plain = run(three_responses(), Supply(quality=overwriting)), run(three_responses(), Supply())
    assert found.to_mapping() == plain.to_mapping()
    assert {type(member.quality) for entry in found.iterations for member in entry.members} == {F}
