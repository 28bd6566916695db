"""The course: short lessons whose every number is computed by core while the page is made.

A lesson is a module of this package that holds a ``LESSON``; putting one here is all there is to adding it. COURSE
gives the order in which a newcomer reads them, and what it does not name comes after, by name.
"""

from importlib import import_module
from pkgutil import iter_modules

from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.values import known_keys
from grpocheck.verifier.lessons.lesson import Lesson
from grpocheck.verifier.names import COURSE

FEWEST_LETTERS = 2
"""The letters that a name has at least of which the lessons are suggested that have it in theirs."""


def course() -> tuple[Lesson, ...]:
    """Every lesson there is, in the order of the course."""
    found = {}
    for module in iter_modules(__path__):
        lesson = getattr(import_module(f"{__name__}.{module.name}"), "LESSON", None)
        if isinstance(lesson, Lesson):
            found[lesson.name] = lesson
    listed = [found.pop(name) for name in COURSE if name in found]
    return (*listed, *(found[name] for name in sorted(found)))


def lesson_named(name: str) -> Lesson:
    """The lesson of a name; raises InvalidProblem, with the nearest name there is, for any other."""
    lessons = {lesson.name: lesson for lesson in course()}
    if name.isascii() and name.isdigit() and 1 <= int(name[:9]) <= len(lessons):
        raise InvalidProblem("lesson", name, f"a name: {list(lessons)[int(name) - 1]} is the lesson of that number")
    if name not in lessons:
        like = [known for known in lessons if len(name) >= FEWEST_LETTERS and name.lower() in known]
        near = f"{' or '.join(like)} (did you mean that?)" if like else known_keys(name, list(lessons))
        raise InvalidProblem("lesson", name, near)
    return lessons[name]
