"""The command ``lesson``: list the course, tell a lesson, check an answer."""

import json
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.failures import REFUTED, BadOption, emit, say
from grpocheck.verifier.files import check_folder, write_text
from grpocheck.verifier.lessons import course, lesson_named
from grpocheck.verifier.lessons.blocks import Exercise, Plot
from grpocheck.verifier.lessons.lesson import Lesson, Page, told
from grpocheck.verifier.lessons.plot import svg
from grpocheck.verifier.lessons.rendering import (
    MEASURE,
    lesson_mapping,
    listing,
    measure,
    page_text,
    plot_file,
)
from grpocheck.verifier.printing import Drawn, printable
from grpocheck.verifier.progress import progress_bar

RULE = "\n" + "─" * MEASURE + "\n"


@dataclass(frozen=True)
class LessonRequest:
    """What was asked of ``lesson``."""

    name: str | None = None
    every: bool = False
    json: bool = False
    out: Path | None = None
    answer: str | None = None
    exercise: int | None = None


def lesson(request: LessonRequest) -> int:
    """List, tell or check; 0, or 1 for a wrong answer."""
    if request.name is not None and request.every:
        raise BadOption("--all", request.name, "a lesson is named as well", "a NAME or --all")
    if request.exercise is not None and request.answer is None:
        raise BadOption("--exercise", request.exercise, "there is no answer to it", "--answer VALUE with it")
    if request.name is None and not request.every:
        for option, value in (("--answer", request.answer), ("--out", request.out)):
            if value is not None:
                raise BadOption(option, value, "no lesson is named", "a NAME")
        list_course(request.json)
        return 0
    if request.answer is not None and request.name is None:
        raise BadOption("--answer", request.answer, "no lesson is named", "a NAME")
    if request.out is not None:
        check_folder("--out", request.out)
    if request.name is not None:
        return one_lesson(lesson_named(request.name), request)
    pages = [(entry, told(entry, progress_bar)) for entry in course()]
    for entry, page in pages:
        write_plots(entry, page, request.out)
    if request.json:
        emit(json.dumps([lesson_mapping(entry, page) for entry, page in pages], indent=2, ensure_ascii=False))
    else:
        emit(Drawn(RULE.join(page_text(entry, page) for entry, page in pages)))
    return 0


def list_course(as_json: bool) -> None:
    """The lessons there are."""
    lessons = course()
    if as_json:
        rows = [{"name": entry.name, "title": entry.title, "minutes": entry.minutes} for entry in lessons]
        emit(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        emit(listing(lessons))


def one_lesson(entry: Lesson, request: LessonRequest) -> int:
    """Tell a lesson, or check an answer to one of its exercises; on a terminal the exercises are then asked."""
    page = told(entry, progress_bar)
    write_plots(entry, page, request.out)
    if request.answer is not None:
        return check_answer(page.exercises, request.exercise or 1, request.answer, request.json)
    if request.json:
        emit(json.dumps(lesson_mapping(entry, page), indent=2, ensure_ascii=False))
        return 0
    emit(page_text(entry, page))
    if sys.stdin.isatty() and sys.stdout.isatty():
        return ask(page.exercises, input)
    return 0


def write_plots(entry: Lesson, page: Page, folder: Path | None) -> None:
    """Write every plot of a page into a folder, and say where."""
    if folder is None:
        return
    plots = [block for block in page.blocks if isinstance(block, Plot)]
    for plot in plots:
        path = folder / plot_file(entry, plot)
        write_text(path, svg(plot))
        say(f"wrote {printable(path)}")
    if not plots:
        say(f"{entry.name}: there is no plot in it")


def check_answer(exercises: Sequence[Exercise], number: int, answer: str, as_json: bool) -> int:
    """Say whether an answer is right, and why; 0 or 1."""
    if number > len(exercises):
        raise BadOption("--exercise", number, "there is no such exercise", f"a number from 1 to {len(exercises)}")
    exercise = exercises[number - 1]
    right = exercise.is_right(answer)
    if as_json:
        verdict = {"exercise": number, "right": right, "answer": exercise.answer_text, "why": exercise.explanation}
        emit(json.dumps(verdict, indent=2, ensure_ascii=False))
    else:
        emit(verdict_text(exercise, right))
    return 0 if right else REFUTED


def verdict_text(exercise: Exercise, right: bool) -> str:
    """Right or not, and the explanation."""
    said = "Right:" if right else "Not right, it is"
    text = f"{said} {exercise.answer_text}. {exercise.explanation}"
    return textwrap.fill(text, measure(), break_on_hyphens=False)


def ask(exercises: Sequence[Exercise], read: Callable[[str], str]) -> int:
    """Ask every exercise in turn; 1 if one was answered wrong to the end."""
    status = 0
    for exercise in exercises:
        try:
            right = answered(exercise, read)
        except EOFError:
            return status
        if right is not None:
            emit(verdict_text(exercise, right))
            status = status if right else REFUTED
    return status


def answered(exercise: Exercise, read: Callable[[str], str]) -> bool | None:
    """Whether an exercise is answered right; None if it is skipped. A wrong number may be mended once, a choice not."""
    wrong = False
    while True:
        asked = "Not right. Once more (empty" if wrong else f"\nYour answer to exercise {exercise.number} (empty"
        given = read(f"{asked} {'for the answer' if wrong else 'to skip'}): ")
        if not given.strip():
            return False if wrong else None
        try:
            right = exercise.is_right(given)
        except (BadOption, InvalidProblem) as error:
            say(str(error))
            continue
        if right or wrong or exercise.choices:
            return right
        wrong = True
