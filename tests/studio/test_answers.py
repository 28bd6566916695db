"""Every question is answered, whatever it holds: an error that says so is an answer, a traceback is none."""

import pytest
from grpocheck.core import problem_to_toml
from grpocheck.verifier.studio import answers

from tests.studio.problems import bernoulli

TEXT = problem_to_toml(bernoulli())
FIELDS = ("text", "at", "first", "count", "t", "changes", "property", "scope", "answers", "names", "name", "number",
          "answer", "shared")  # fmt: skip
WITHOUT_FIELDS = {"examples", "example", "shelf", "variants", "lessons", "evidence"}
"""Those that read nothing of a request that may be wrong, or little: any name of an example may be missing."""


@pytest.mark.parametrize("question", sorted(set(answers.QUESTIONS) - WITHOUT_FIELDS))
@pytest.mark.parametrize("value", [None, 5, "x", [None], {"x": None}], ids=repr)
def test_fields_of_a_wrong_kind_are_an_error_that_says_what_was_expected(question: str, value: object) -> None:
    for request in ({}, dict.fromkeys(FIELDS, value)):
        error = answers.answer(question, request)["error"]
        assert error["kind"] != "defect", error
        assert "expected" in error["message"]


def test_what_fills_the_memory_is_undecided_and_leaves_room_for_the_next_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "error" not in answers.answer("run", {"text": TEXT})
    assert answers._steppers

    def fills(request: answers.Request) -> answers.Answer:
        raise MemoryError

    monkeypatch.setitem(answers.QUESTIONS, "run", fills)  # type: ignore[arg-type]
    assert answers.answer("run", {"text": TEXT})["error"]["kind"] == "budget"
    assert not answers._steppers


def test_a_defect_says_that_it_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(answers.QUESTIONS, "run", lambda request: {}["nothing"])  # type: ignore[arg-type]
    error = answers.answer("run", {"text": TEXT})["error"]
    assert error["kind"] == "defect"
    assert "KeyError" in error["message"]


def test_only_the_last_few_problems_are_kept() -> None:
    texts = [problem_to_toml(bernoulli(epsilon=f"1/{k}")) for k in range(3, 9)]
    for text in texts:
        answers.answer("run", {"text": text})
    assert list(answers._steppers) == texts[-answers.MOST_KEPT :]
