"""The lessons for the page: their blocks as data, their plots drawn, their exercises checked."""

from functools import cache
from typing import Any

from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.lessons import course, lesson_named
from grpocheck.verifier.lessons.blocks import Block, Command, Exercise, Fact, Heading, Paragraph, Plot, Table
from grpocheck.verifier.lessons.lesson import Page, told
from grpocheck.verifier.studio import svg

HEIGHT, LEGEND_LINE = 250, 22
MOST_ANSWER = 200


def listing() -> list[dict[str, Any]]:
    """The course: names, titles and minutes."""
    return [{"name": entry.name, "title": entry.title, "minutes": entry.minutes} for entry in course()]


@cache
def page_of(name: str) -> Page:
    """A lesson, told once."""
    return told(lesson_named(name))


def lesson(name: object) -> dict[str, Any]:
    """A lesson's blocks."""
    found = lesson_named(str(name)[:80])
    return {
        "name": found.name,
        "title": found.title,
        "minutes": found.minutes,
        "blocks": [block_mapping(block) for block in page_of(found.name).blocks],
    }


def block_mapping(block: Block) -> dict[str, Any]:
    """A block for the page."""
    match block:
        case Heading(text) | Paragraph(text) | Command(text):
            return {"kind": type(block).__name__.lower(), "text": text}
        case Fact():
            return {"kind": "fact", "number": block.number, "label": block.label, "text": block.text}
        case Table(columns, rows, right):
            return {"kind": "table", "columns": columns, "rows": rows, "right": right}
        case Plot():
            return {"kind": "plot", "title": block.title, "picture": drawn(block)}
        case Exercise():
            return {
                "kind": "exercise",
                "number": block.number,
                "question": block.question,
                "choices": block.choices,
                "expected": block.expected,
            }


def judged(name: object, number: int, answer: object) -> dict[str, Any]:
    """Whether an answer is right, with the explanation; why it is no answer at all where it is none."""
    exercises = {entry.number: entry for entry in page_of(lesson_named(str(name)[:80]).name).exercises}
    if number not in exercises:
        raise InvalidProblem("exercise", number, f"one of {', '.join(map(str, exercises))}")
    if not isinstance(answer, str) or len(answer) > MOST_ANSWER:
        raise InvalidProblem("answer", answer, f"a text of at most {MOST_ANSWER} characters")
    exercise = exercises[number]
    try:
        right = exercise.is_right(answer)
    except (BadOption, InvalidProblem) as error:
        return {"right": None, "says": str(error).removeprefix("--answer: ")}
    says = exercise.explanation if right else f"The answer is {exercise.answer_text}. {exercise.explanation}"
    return {"right": right, "says": says}


def drawn(plot: Plot) -> str:
    """A plot of lines as a picture."""
    points = [point for series in plot.series for point in series.points]
    across = svg.spread([x for x, _ in points], 0.02)
    upward = svg.spread([y for _, y in points])
    legend = LEGEND_LINE * len(plot.series)
    plane = svg.Plane(across, upward, (58, 14 + legend, svg.WIDTH - 14, HEIGHT + legend))
    left, top, right, foot = plane.box
    parts = []
    for value in svg.ticks(*upward):
        parts.append(svg.line((left, plane.y(value)), (right, plane.y(value)), "grid"))
        parts.append(svg.label((left - 6, plane.y(value) + 5), svg.tick_text(value), "tick", "end"))
    for value in svg.ticks(*across):
        parts.append(svg.label((plane.x(value), foot + 19), svg.tick_text(value), "tick"))
    parts.append(svg.line((left, foot), (right, foot), "axis"))
    parts.append(svg.label((right, foot + 38), svg.shortened(plot.across, 48), "tick", "end"))
    parts.append(svg.label((left, top - 4), svg.shortened(plot.upward, 48), "tick", "start"))
    for place, series in enumerate(plot.series):
        kind = f"curve line-{place % 4}" + (" dashed" if series.dashed else "")
        parts.append(svg.path([plane.at(point) for point in series.points], kind))
        y = 12 + LEGEND_LINE * place
        parts.append(svg.line((left, y), (left + 30, y), kind))
        parts.append(svg.label((left + 38, y + 5), svg.shortened(series.label, 42), "", "start"))
    return svg.picture(foot + 46, f"{plot.title}: {plot.upward} against {plot.across}", parts, "lesson-plot")
