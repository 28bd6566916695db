"""The lessons for the page: every block has a form there, and exercises are judged as the command judges them."""

import xml.etree.ElementTree as ElementTree

import pytest
from grpocheck.core import InvalidProblem
from grpocheck.verifier.lessons.blocks import Plot, Series
from grpocheck.verifier.lessons.lesson import Page
from grpocheck.verifier.studio import lessons


@pytest.fixture(autouse=True)
def coins(monkeypatch: pytest.MonkeyPatch) -> None:
    """One lesson with a block of every kind."""
    page = Page()
    page.heading("Two coins")
    page.say("What is  the mean?")
    page.fact("mean", "the mean", 0)
    page.table(("a", "b"), [["x", 1]], right=("b",))
    page.plot("p", "A line", "x", "y", Series("y = x", ((0.0, 0.0), (1.0, 1.0))))
    page.command("grpocheck claims")
    page.exercise("And of two heads?", 1, "Both are 1.")
    page.exercise("Fair?", "yes", "They are.", choices=("yes", "no"))
    monkeypatch.setattr(lessons, "page_of", lambda name: page)


def test_every_block_has_a_form() -> None:
    found = lessons.lesson("budget")["blocks"]
    assert [block["kind"] for block in found] == [
        "heading", "paragraph", "fact", "table", "plot", "command", "exercise", "exercise",
    ]  # fmt: skip
    assert found[1]["text"] == "What is the mean?"
    assert found[3]["rows"] == (("x", "1"),)
    root = ElementTree.fromstring(found[4]["picture"])
    assert root.attrib["aria-label"] == "A line: y against x"
    assert "answer" not in str(found[6])


@pytest.mark.parametrize(
    ("number", "answer", "right"),
    [(1, "1", True), (1, "2", False), (1, "one", None), (2, "Yes", True), (2, "perhaps", None)],
)
def test_an_exercise_is_judged(number: int, answer: str, right: bool | None) -> None:
    found = lessons.judged("budget", number, answer)
    assert found["right"] is right
    assert found["says"]
    assert "--answer" not in found["says"]


@pytest.mark.parametrize(
    ("name", "number", "answer"),
    [("bugdet", 1, "1"), ("budget", 3, "1"), ("budget", 1, None), ("budget", 1, "1" * 300)],
)
def test_what_there_is_not_is_named(name: str, number: int, answer: object) -> None:
    with pytest.raises(InvalidProblem):
        lessons.judged(name, number, answer)


def test_a_plot_of_several_lines_has_each_in_its_legend() -> None:
    line = ((0.0, 1.0), (1.0, 1.0))
    picture = lessons.drawn(Plot("p", "Two", "x", "y", (Series("<one>", line), Series("two", line, dashed=True))))
    texts = [part.text for part in ElementTree.fromstring(picture).iter() if part.tag.endswith("text")]
    assert "<one>" in texts
    assert "two" in texts


def test_the_course_is_listed() -> None:
    assert {"name", "title", "minutes"} == set(lessons.listing()[0])
