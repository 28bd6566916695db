"""What a property may say, how it is read, and what is said of a text that is none."""

import time

import pytest
from grpocheck.verifier.properties import PropertyError, parse
from grpocheck.verifier.properties.checking import check_sizes
from grpocheck.verifier.properties.errors import pointed
from grpocheck.verifier.properties.writing import written

from tests.properties.problems import kink, simplex

READINGS = {
    "F_next >= F": "F_next >= F",
    "ratio <= 1 + epsilon": "all responses: ratio <= 1 + epsilon",
    "all i: ratio[i] <= 1 + epsilon": "all i in responses: ratio[i] <= 1 + epsilon",
    "deviation >= 0": "all prompts: deviation >= 0",
    "deviation = 0 implies advantage = 0": "all responses: deviation = 0 implies advantage = 0",
    "kl >= 0": "kl >= 0",
    "all j: theta_next[j] > 0": "all j in theta: theta_next[j] > 0",
    "all p: kl[p] >= 0": "all p in prompts: kl[p] >= 0",
    "all i, j: ratio[i] = ratio[j]": "all i in responses: all j in responses: ratio[i] = ratio[j]",
    "not F > 1 and F < 2 or F = 3": "not F > 1 and F < 2 or F = 3",
    "F > 1 implies F > 2 implies F > 3": "F > 1 implies F > 2 implies F > 3",
    "(F > 1 implies F > 2) implies F > 3": "(F > 1 implies F > 2) implies F > 3",
    "F - (epsilon - beta) - 1 > 0": "F - (epsilon - beta) - 1 > 0",
    "F / (epsilon * 2) / 3 > 0": "F / (epsilon * 2) / 3 > 0",
    "-F^2 < (-F)^2": "-F^2 < (-F)^2",
    "status == undefined_gradient": "status = undefined_gradient",
    "steps-1 = undefined-gradient-1 or F>0": None,
    "mean(responses: advantage^2) = 1": "mean(responses: advantage^2) = 1",
    "all prompts: sum(i: advantage[i]) = 0": "all prompts: sum(i in responses: advantage[i]) = 0",
    "max(ratio, 1) < max(responses: ratio)": "all responses: max(ratio, 1) < max(responses: ratio)",
    "F\n  >\t0": "F > 0",
}


@pytest.mark.parametrize(("text", "reading"), READINGS.items())
def test_a_property_is_read_as_documented(text: str, reading: str | None) -> None:
    if reading is None:
        with pytest.raises(PropertyError):
            parse(text)
        return
    assert written(parse(text).tree) == reading
    assert written(parse(reading).tree) == reading


HOSTILE = {
    "x" * 100_000: "100000 characters",
    "F > 0 and " * 250 + "F > 0": "2505 characters",
    "(" * 900 + "F" + ")" * 900 + " > 0": "nested more than 32 deep",
    "not " * 400 + "F > 0": "nested more than 32 deep",
    "-" * 900 + "F > 0": "nested more than 32 deep",
    "F > 0 implies " * 100 + "F > 0": "nested more than 32 deep",
    "abs(" * 300 + "F" + ")" * 300 + " > 0": "nested more than 32 deep",
    "all i: " * 200 + "F > 0": "nested more than 32 deep",
    "[" * 1000: "expected a number",
    "F.__class__ > 0": "no attributes",
    "theta.__class__.__mro__[1] = 0": "no attributes",
    "__import__('os').system('ls') = 0": "a name begins with a letter",
    "eval(F) > 0": "there is no 'eval'",
    "lambda: 0": "there is no 'lambda'",
    "import os": "there is no 'import'",
    "F if F > 0 else G": "unexpected 'if'",
    "advantag > 0": "did you mean advantage?",
    "rato <= 1": "did you mean ratio?",
    "F_nxt >= F": "did you mean F_next?",
    "eps > 0": "did you mean epsilon?",
    "adv > 0": "did you mean advantage?",
    "F^1000000 > 0": "an exponent is at most 64",
    "9^9^9 > 0": "a power of a power",
    "(((F^64)^64)^64)^64 > 0": "numbers; at most 1024",
    "1e999999999 > 0": "beyond 60",
    "9" * 500 + " > F": "at most 60",
    "F^F > 0": "whole number",
    "F^0.5 > 0": "whole number",
    "F ≥ 0": "U+2265 (GREATER-THAN OR EQUAL TO): write >=",
    "\U0001d405 > 0": "MATHEMATICAL BOLD CAPITAL F",
    "F > ٣": "written in ASCII",
    "F\u200b > 0": "ZERO WIDTH SPACE",
    "\u202eF > 0": "RIGHT-TO-LEFT OVERRIDE",
    "F > 0\x00": "U+0000",
    "Ғ > 0": "written in ASCII",
    "((F > 0)": "expected ')' to close the ( of column 1",
    "F > 0))": "an opening ( or [ before it",
    "ratio[1 > 0": "expected ']' to close the [ of column 6",
    "all": "ranges over something",
    "all i ratio[i] > 0": "expected ':'",
    "and F > 0": "expected a number, a name",
    "F > 0 or": "found the end",
    "": "an empty property",
    "F": "a property is true or false",
    "complete": "a property is true or false",
    "ratio[0] > 1": "counted from 1",
    "ratio[i] > 1": "no quantifier binds 'i'",
    "all theta_next: F > 0": "theta_next is taken",
    "status > complete": "a status is = or !=",
    "F = complete": "compared with its name alone",
    "(F > 0) = (F > 1)": "write iff",
    "F > 0 + (F > 1)": "true or false; a number is expected",
    "F = 1; F = 2": "one property at a time",
    "all support: advantage > 0": "belongs to a drawn response",
    "all prompts: ratio > 0": "belongs to a response",
    "F > 0 iff F > 1 iff F > 2": "put parentheses",
    "sqrt(F, F) > 0": "at most 1 argument",
    "sum(F) > 0": "F is taken",
    "1 < F 2": "an operator before it",
}


@pytest.mark.parametrize(("text", "said"), HOSTILE.items(), ids=[text[:24] for text in HOSTILE])
def test_a_hostile_text_gets_a_clear_error_within_a_second(text: str, said: str) -> None:
    began = time.thread_time()  # of this thread alone: others may keep the machine busy
    with pytest.raises(PropertyError) as error:
        parse(text)
    assert time.thread_time() - began < 1
    assert said in error.value.message
    first, shown, caret = str(error.value).split("\n")
    assert first.startswith(f"property, column {error.value.column}: ")
    assert 1 <= error.value.column <= len(text) + 1
    assert shown.isascii()
    assert shown.isprintable()
    assert caret.strip() == "^"


def test_the_caret_stands_under_the_column() -> None:
    assert pointed("F_nxt >= F", 1) == "    F_nxt >= F\n    ^"
    with pytest.raises(PropertyError) as error:
        parse("F >= advantag")
    _, shown, caret = str(error.value).split("\n")
    assert shown[caret.index("^") :] == "advantag"
    with pytest.raises(PropertyError) as error:
        parse("F > 0 and " * 150 + "advantag > 0")
    _, shown, caret = str(error.value).split("\n")
    assert len(shown) < 120
    assert shown[caret.index("^") :].startswith("advantag")


SIZES = {
    "ratio[3] > 0": "a group has 2 draws",
    "ratio[2,1] > 0": "the problem has 1 prompt",
    "kl[2] > 0": "the problem has 1 prompt",
    "theta[2] > 0": "theta has 1 coordinate",
    "all prompts: ratio[3] > 0": "a group has 2 draws",
}


@pytest.mark.parametrize(("text", "said"), SIZES.items())
def test_a_number_that_the_problem_has_not_got_is_refused(text: str, said: str) -> None:
    with pytest.raises(PropertyError, match=said):
        check_sizes(parse(text), kink())


def test_theta_of_several_coordinates_needs_an_index() -> None:
    with pytest.raises(PropertyError, match=r"write theta\[1\], or all j: theta\[j\]"):
        check_sizes(parse("theta > 0"), simplex())
    check_sizes(parse("all j: theta[j] > 0"), simplex())
    with pytest.raises(PropertyError, match="write the prompt's number, too"):
        check_sizes(parse("ratio[1] > 0"), simplex())
    check_sizes(parse("ratio[2,1] > 0"), simplex())
