"""``grpocheck lesson`` as typer sees it; what it runs is imported only when it runs."""

from pathlib import Path
from typing import Annotated, Optional

import typer
from grpocheck.verifier.command_line.completing import lessons
from grpocheck.verifier.command_line.options import Json


def lesson_command(
    name: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation
        typer.Argument(
            metavar="NAME", help="A lesson; the course is listed when none is named.", autocompletion=lessons
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Tell every lesson of the course, in order.")] = False,
    answer: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="VALUE", help="Check an answer to the lesson's exercise instead of telling the lesson."),
    ] = None,
    exercise: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=1, metavar="N", help="Which exercise is answered; the first if not said."),
    ] = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FOLDER", help="Write the lesson's plots there, as SVG files."),
    ] = None,
    json: Json = False,
) -> int:
    """A short lesson with numbers computed as it is printed, and an exercise whose answer is checked.

    On a terminal the exercises are asked at the end.
    """
    from grpocheck.verifier.lessons.command import LessonRequest, lesson

    return lesson(LessonRequest(name, every, json, out, answer, exercise))
