"""The index of the lessons in the documentation: every lesson with its first paragraph.

    python -m grpocheck.verifier.pages.lessons docs/lessons.md
"""

import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from grpocheck.verifier.failures import BAD_INPUT, say
from grpocheck.verifier.files import write_text
from grpocheck.verifier.lessons import course
from grpocheck.verifier.lessons.blocks import Paragraph, Plot
from grpocheck.verifier.lessons.lesson import Lesson, Page, told

WIDTH = 118
HEAD = """# Lessons

Short pages for people who come to learn. Every number on them is computed by core while the page is printed: exactly
where it is rational or made of square roots, in certified decimals where logarithms come in. Each takes at most ten
minutes and asks something at the end.

    grpocheck lesson                                  # this list
    grpocheck lesson clip-by-sign                     # one lesson; on a terminal it asks its exercises
    grpocheck lesson clip-by-sign --answer -2.4       # check an answer: exit status 0 right, 1 wrong
    grpocheck lesson ten-by-ten --out plots           # its plots as SVG files
    grpocheck lesson --all --json                     # the course for programs: facts as exact texts and decimals

In this order, for someone who reads all of them. The index is made by

    python -m grpocheck.verifier.pages.lessons docs/lessons.md
"""


def entry(place: int, lesson: Lesson, page: Page) -> str:
    """One lesson: its title, its first paragraph, and what is on it."""
    first = next(block.text for block in page.blocks if isinstance(block, Paragraph))
    plots = sum(isinstance(block, Plot) for block in page.blocks)
    counts = [
        f"{lesson.minutes} minutes",
        counted(len(page.facts), "fact"),
        *([counted(plots, "plot")] if plots else []),
        counted(len(page.exercises), "exercise"),
    ]
    text = textwrap.fill(first, WIDTH, break_on_hyphens=False)
    return f"## {place}. {lesson.title}\n\n`grpocheck lesson {lesson.name}` ({', '.join(counts)})\n\n{text}\n"


def counted(number: int, what: str) -> str:
    """So many of something."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def index(pages: Iterable[tuple[Lesson, Page]]) -> str:
    """The whole index."""
    return "\n".join([HEAD, *(entry(place, lesson, page) for place, (lesson, page) in enumerate(pages, start=1))])


def main(arguments: Sequence[str]) -> int:
    """Write the index to the path that is given."""
    if len(arguments) != 1:
        say("usage: python -m grpocheck.verifier.pages.lessons FILE")
        return BAD_INPUT
    write_text(Path(arguments[0]), index((lesson, told(lesson)) for lesson in course()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
