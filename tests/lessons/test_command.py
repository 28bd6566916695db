"""The command lesson: the list, a page for people and for programs, answers right, wrong and none, plots, bad input."""

import json
from fractions import Fraction as F
from itertools import pairwise
from xml.etree import ElementTree

import mpmath
import pytest
from grpocheck.core.arithmetic import EnclosureArithmetic
from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.cli import app
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.lessons import COURSE, course, lesson_named
from grpocheck.verifier.lessons.blocks import Exercise, Plot
from grpocheck.verifier.lessons.command import ask
from grpocheck.verifier.lessons.lesson import Lesson, Page, line, told
from grpocheck.verifier.lessons.plot import svg, ticks
from grpocheck.verifier.lessons.rendering import lesson_mapping, page_text
from typer.testing import CliRunner


def called(*arguments):
    return CliRunner().invoke(app, ["lesson", *map(str, arguments)])


def sample(page):
    page.heading("A part")
    page.say("One  line\n    and another.")
    page.fact("third", "a third", F(1, 3))
    page.fact("root", "a root", page.arithmetic.sqrt(F(2)), 4)
    page.finding("stopped", "did it stop?", False)
    page.table(("what", "number"), [("a", F(-1, 4)), ("b", F(1, 3))], right=("number",), places=3)
    page.plot("curve", "A curve < 1", "step", "value", line("one", [(F(0), F(0)), (F(1), F(1, 2))]))
    page.command("grpocheck claims")
    page.exercise("How much is 1/3 + 1/3?", F(2, 3), "Two thirds.", places=2)
    page.exercise("Is it more than 1/2?", "yes", "2/3 is.", choices=("yes", "no"))


SAMPLE = Lesson("sample", "A sample", 1, sample)


def test_the_list_names_every_lesson_in_the_order_of_the_course():
    done = called()
    names = [row.split()[0] for row in done.stdout.splitlines()[2:] if row.strip()][:-1]
    assert names == [lesson.name for lesson in course()]
    places = [COURSE.index(name) for name in names if name in COURSE]
    assert places == sorted(places)
    assert [row["name"] for row in json.loads(called("--json").stdout)] == names


def test_a_page_has_its_blocks_in_order_and_its_facts_as_exact_texts_and_decimals():
    found = lesson_mapping(SAMPLE, told(SAMPLE))
    assert [block["kind"] for block in found["blocks"]] == [
        *("heading", "text", "fact", "fact", "fact", "table", "plot", "command", "exercise", "exercise")
    ]
    assert found["blocks"][1]["text"] == "One line and another."
    third, root, stopped = (block for block in found["blocks"] if block["kind"] == "fact")
    assert (third["number"], third["exact"], third["decimals"], third["in_full"]) == (1, "1/3", "0.33333333", False)
    assert (root["number"], root["exact"], root["decimals"], root["certainty"]) == (2, "sqrt(2)", "1.4142", "exact")
    assert (stopped["exact"], stopped["decimals"], stopped["certainty"]) == ("no", None, "word")
    assert found["blocks"][5]["rows"] == (("a", "-0.25"), ("b", "0.333"))
    assert "answer" not in found["blocks"][8]
    assert json.loads(json.dumps(found))["blocks"][6]["series"][0]["points"] == [[0, 0], [1, 0.5]]


def test_an_enclosed_fact_has_certified_bounds_for_programs():
    blocks = json.loads(called("kl-directions", "--json").stdout)["blocks"]
    (kl,) = (block for block in blocks if block.get("name") == "kl-p-q")
    lower, upper = map(F, kl["bounds"])
    with mpmath.workdps(60):
        exact = mpmath.mpf(13) / 5 * mpmath.log(2) - mpmath.log(5)
        assert mpmath.mpf(lower.numerator) / lower.denominator < exact < mpmath.mpf(upper.numerator) / upper.denominator
    assert upper - lower < F(1, 10**28)
    assert [block["bounds"] for block in blocks if block.get("name") == "objective-at-q"] == [None]


def test_a_page_for_people_shows_every_block():
    text = page_text(SAMPLE, told(SAMPLE))
    for shown in (
        "A sample  (sample, 1 minutes)",
        "One line and another.",
        "[1]  a third",
        "1/3, about 0.33333333",
        "sqrt(2), about 1.4142",
        "[3]  did it stop?  no",
        "-0.25",
        "$ grpocheck claims",
        "Exercise 1. How much is 1/3 + 1/3? (a number with at least 2 decimals)",
        "$ grpocheck lesson sample --exercise 2 --answer ...",
    ):
        assert shown in text
    assert "Two thirds" not in text, "the answer is not given away"


@pytest.mark.parametrize(
    ("answer", "right"),
    [("2/3", True), ("0.67", True), ("0.66", True), ("0.6667", True), ("0.6", None), ("0.68", False), ("1/3", False)],
)
def test_an_answer_is_exact_or_good_to_its_own_last_decimal(answer, right):
    exercise = told(SAMPLE).exercises[0]
    if right is None:
        with pytest.raises(BadOption, match="at least 2 decimals"):
            exercise.is_right(answer)
    else:
        assert exercise.is_right(answer) is right


def test_an_answer_to_a_number_that_is_not_rational_is_compared_with_certainty():
    exercise = Exercise(1, "log 3?", EnclosureArithmetic().log(F(3)), "", places=4)
    assert exercise.is_right("1.0986")
    assert exercise.is_right("1.0987")
    assert not exercise.is_right("1.0985")
    assert not exercise.is_right("-1.0986")
    with pytest.raises(BadOption, match="no fraction"):
        exercise.is_right("10986/10000")


def test_what_is_no_answer_is_refused():
    number, word = told(SAMPLE).exercises
    with pytest.raises(InvalidProblem, match="--answer"):
        number.is_right("a lot")
    with pytest.raises(BadOption, match="yes or no"):
        word.is_right("maybe")
    assert word.is_right(" Yes ")
    assert not word.is_right("no")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("--answer", "-2.4"), 0, "Right: -2.4."),
        (("--answer", "-12/5"), 0, "Right: -2.4."),
        (("--answer", "\N{MINUS SIGN}2.4"), 0, "Right: -2.4."),
        (("--answer", "-1.5"), 1, "Not right, it is -2.4."),
        (("--exercise", "2", "--answer", "-15"), 0, "Right: -15."),
        (("--answer", "many"), 2, "'many'"),
        (("--exercise", "9", "--answer", "1"), 2, "a number from 1 to 2"),
        (("--exercise", "2"), 2, "--answer VALUE with it"),
        (("--all",), 2, "a NAME or --all"),
    ],
)
def test_answers_on_the_command_line(arguments, status, said):
    done = called("clip-by-sign", *arguments)
    assert done.exit_code == status
    assert said in done.output
    assert "Traceback" not in done.output


def test_a_lesson_without_a_plot_says_so(tmp_path):
    done = called("clip-by-sign", "--out", tmp_path)
    assert done.exit_code == 0
    assert done.stderr == "clip-by-sign: there is no plot in it\n"
    assert list(tmp_path.iterdir()) == []


def test_a_verdict_for_programs():
    done = called("clip-by-sign", "--answer", "-1.5", "--json")
    found = json.loads(done.stdout)
    assert (done.exit_code, found["right"], found["answer"], found["exercise"]) == (1, False, "-2.4", 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("clip-by-sing",), "clip-by-sign"),
        (("--answer", "1"), "a NAME"),
        (("--all", "--answer", "1"), "a NAME"),
        (("clip-by-sign", "--out", "/dev/null/plots"), "--out"),
    ],
)
def test_bad_input_is_named(arguments, said):
    done = called(*arguments)
    assert done.exit_code == 2
    assert said in done.output


def answering(*lines):
    given = list(lines)

    def read(prompt):
        if not given:
            raise EOFError
        return given.pop(0)

    return read


@pytest.mark.parametrize(
    ("lines", "status", "said"),
    [
        (("2/3", "yes"), 0, ["Right: 0.66666667", "Right: yes"]),
        (("nonsense", "1/2", "1/3", "yes"), 1, ["Not right, it is 0.66666667", "Right: yes"]),
        (("1/2", "nonsense", "2/3", "yes"), 0, ["Right: 0.66666667", "Right: yes"]),  # a wrong number is mended
        (("1/2", "", "yes"), 1, ["Not right, it is 0.66666667", "Right: yes"]),  # or given up
        (("1/2",), 0, []),  # and told to nobody who has left
        (("", "no"), 1, ["Not right, it is yes"]),
        (("",), 0, []),
    ],
)
def test_exercises_are_asked_one_after_the_other(lines, status, said, capsys):
    assert ask(told(SAMPLE).exercises, answering(*lines)) == status
    printed = capsys.readouterr()
    assert [line.split(". ")[0] for line in printed.out.splitlines() if line] == said
    assert ("nonsense" in printed.err) == ("nonsense" in lines)


def test_a_plot_is_a_file_that_parses_with_every_point_inside(tmp_path):
    (plot,) = (block for block in told(SAMPLE).blocks if isinstance(block, Plot))
    tree = ElementTree.fromstring(svg(plot))
    (drawn,) = tree.iter("{http://www.w3.org/2000/svg}polyline")
    points = [tuple(map(float, point.split(","))) for point in drawn.get("points").split()]
    assert len(points) == 2
    assert points[0][0] < points[1][0], "to the right"
    assert points[0][1] > points[1][1], "upward is less in SVG"
    assert all(0 < x < 720 and 0 < y < 420 for x, y in points)
    assert "A curve < 1" in [node.text for node in tree.iter("{http://www.w3.org/2000/svg}title")]


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (-0.3, 0.2), (5.0, 5.0), (0.0, 0.0), (0.123, 0.124), (0, 4000), (-7e-9, 1e-8)]
)
def test_ticks_cover_what_is_drawn_and_are_few(low, high):
    marks = ticks(low, high)
    assert marks[0] <= low
    assert marks[-1] >= high
    assert 2 <= len(marks) <= 8
    assert len({round(b - a, 15) for a, b in pairwise(marks)}) == 1


def test_mistakes_in_a_lesson_are_refused():
    page = Page()
    page.fact("once", "first", F(1))
    with pytest.raises(ValueError, match="already"):
        page.fact("once", "again", F(2))
    with pytest.raises(ValueError, match="none of the choices"):
        page.exercise("?", "maybe", "", choices=("yes", "no"))
    with pytest.raises(ValueError, match="11 minutes"):
        Lesson("long", "Too long", 11, sample)


def test_an_unknown_lesson_is_named():
    with pytest.raises(InvalidProblem, match="kl-directions"):
        lesson_named("kl-direction")


def test_the_right_answer_is_told_in_a_form_that_is_right():
    exact = Exercise(1, "2 of 7?", F(2, 7), "")
    assert not exact.is_right("0.28571429")
    assert exact.answer_text == "2/7, about 0.28571429"
    assert Exercise(1, "2 of 7?", F(2, 7), "", places=2).answer_text == "0.28571429"
    assert Exercise(1, "1 of 8?", F(1, 8), "").answer_text == "0.125"
