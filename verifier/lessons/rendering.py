"""The blocks of a page as text for a terminal and as data for programs."""

import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from grpocheck.core.arithmetic import enclose
from grpocheck.verifier.lessons.blocks import Block, Command, Exercise, Fact, Heading, Paragraph, Plot, Table
from grpocheck.verifier.lessons.lesson import Lesson, Page
from grpocheck.verifier.printing import Drawn
from grpocheck.verifier.tables import drawn, table
from rich.console import RenderableType
from rich.table import Table as RichTable
from rich.text import Text

MEASURE = 92
"""Characters of a line of prose."""
STEPS = "▁▂▃▄▅▆▇█"
MOST_STEPS = 60
BOUND_DIGITS = 30
"""Digits of the bounds that programs get of a number that is enclosed."""


def measure() -> int:
    """The width of a line here."""
    return min(MEASURE, shutil.get_terminal_size().columns) if sys.stdout.isatty() else MEASURE


def page_text(lesson: Lesson, page: Page) -> Drawn:
    """A whole page for a person."""
    heading = Text(f"{lesson.title}  ({lesson.name}, {lesson.minutes} minutes)", style="bold")
    parts: list[RenderableType] = [heading, Text("")]
    for kind, run in groupby(page.blocks, type):
        blocks = list(run)
        if kind is Fact:
            parts += [fact_rows([block for block in blocks if isinstance(block, Fact)]), Text("")]
        else:
            for block in blocks:
                parts += [*shown(lesson, block), Text("")]
    return Drawn(drawn(parts).rstrip("\n"))


def fact_rows(facts: Sequence[Fact]) -> RenderableType:
    """Facts one below the other: number, what it is, what it comes to."""
    grid = RichTable.grid(padding=(0, 2))
    grid.add_column(justify="right")
    grid.add_column(ratio=None, overflow="fold")
    grid.add_column(overflow="fold")
    for fact in facts:
        grid.add_row(Text(f"[{fact.number}]"), Text(fact.label), Text(fact.text, style="bold"))
    return grid


def shown(lesson: Lesson, block: Block) -> list[RenderableType]:
    """One block that is no fact."""
    if isinstance(block, Heading):
        return [Text(block.text, style="bold")]
    if isinstance(block, Paragraph):
        return [Text(textwrap.fill(block.text, measure(), break_on_hyphens=False))]
    if isinstance(block, Command):
        return [Text(f"    $ {block.text}")]
    if isinstance(block, Table):
        grid = table(*block.columns, right=[block.columns[place] for place in block.right])
        for row in block.rows:
            grid.add_row(*(Text(cell) for cell in row))
        return [grid]
    if isinstance(block, Plot):
        return plot_rows(lesson, block)
    assert isinstance(block, Exercise)
    return [Text(exercise_text(lesson, block))]


def exercise_text(lesson: Lesson, exercise: Exercise) -> str:
    """The question, and how to answer it."""
    number = "" if exercise.number == 1 else f" --exercise {exercise.number}"
    question = f"Exercise {exercise.number}. {exercise.question} ({exercise.expected})"
    asked = textwrap.fill(question, measure(), break_on_hyphens=False)
    return f"{asked}\n    $ grpocheck lesson {lesson.name}{number} --answer ..."


def plot_rows(lesson: Lesson, plot: Plot) -> list[RenderableType]:
    """A plot as far as text goes: every line as a row of steps between the least and the greatest value."""
    values = [y for line in plot.series for _, y in line.points]
    low, high = min(values), max(values)
    grid = RichTable.grid(padding=(0, 2))
    for line in plot.series:
        points = [y for _, y in line.points]
        stride = max(1, -(-len(points) // MOST_STEPS))
        marks = "".join(
            STEPS[round((y - low) / (high - low) * (len(STEPS) - 1)) if high > low else 0] for y in points[::stride]
        )
        grid.add_row(Text(line.label), Text(marks))
    axes = f"({plot.upward} from {low:.4g} to {high:.4g}, by {plot.across}; --out FOLDER draws it)"
    return [Text(plot.title, style="bold"), grid, Text(axes)]


def plot_file(lesson: Lesson, plot: Plot) -> str:
    """The name of a plot's file."""
    return f"{lesson.name}-{plot.name}.svg"


def lesson_mapping(lesson: Lesson, page: Page) -> dict[str, Any]:
    """A whole page for a program."""
    return {
        "name": lesson.name,
        "title": lesson.title,
        "minutes": lesson.minutes,
        "blocks": [block_mapping(lesson, block) for block in page.blocks],
    }


def block_mapping(lesson: Lesson, block: Block) -> dict[str, Any]:
    """One block; exact numbers are texts, and so are decimals."""
    if isinstance(block, Heading):
        return {"kind": "heading", "text": block.text}
    if isinstance(block, Paragraph):
        return {"kind": "text", "text": block.text}
    if isinstance(block, Command):
        return {"kind": "command", "text": block.text}
    if isinstance(block, Fact):
        return {
            "kind": "fact",
            "number": block.number,
            "name": block.name,
            "label": block.label,
            "exact": block.exact,
            "decimals": block.decimals,
            "in_full": block.in_full,
            "certainty": block.certainty,
            "bounds": list(enclose(block.value, BOUND_DIGITS)) if block.certainty == "enclosure" else None,
        }
    if isinstance(block, Table):
        return {"kind": "table", "columns": block.columns, "rows": block.rows, "right": block.right}
    if isinstance(block, Plot):
        series = [{"label": line.label, "dashed": line.dashed, "points": line.points} for line in block.series]
        return {
            "kind": "plot",
            "name": block.name,
            "title": block.title,
            "across": block.across,
            "upward": block.upward,
            "series": series,
            "file": plot_file(lesson, block),
        }
    return {
        "kind": "exercise",
        "number": block.number,
        "question": block.question,
        "choices": block.choices,
        "expected": block.expected,
    }


def listing(lessons: Iterable[Lesson]) -> str:
    """The course as a table."""
    rows = table("lesson", "what it is about", "minutes", right=["minutes"])
    for lesson in lessons:
        rows.add_row(lesson.name, Text(lesson.title), str(lesson.minutes))
    return drawn([rows, Text(""), Text("grpocheck lesson NAME tells one; every number is computed as it is printed.")])
