"""The questions that the page may ask, and their answers; each is a function from a mapping to a mapping."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from grpocheck.core import InvalidProblem, Problem, problem_from_mapping
from grpocheck.core.reading import parsed
from grpocheck.core.values import text as checked_text
from grpocheck.verifier.failures import exit_status_of, message_of
from grpocheck.verifier.studio import editing, examples, pictures, side_by_side
from grpocheck.verifier.studio.checked import contracts_checked
from grpocheck.verifier.studio.lanes import failure
from grpocheck.verifier.studio.oracle import play
from grpocheck.verifier.studio.security import MOST_PROBLEM
from grpocheck.verifier.studio.stepping import Stepper

MOST_VIEWS = 24
"""Views in one answer; the page asks for the next ones while a person looks at these."""
MOST_KEPT = 4

Request = Mapping[str, Any]
Answer = dict[str, Any]

_steppers: OrderedDict[str, Stepper] = OrderedDict()


def problem_of(request: Request) -> Problem:
    """The problem that a request carries as text."""
    text = checked_text("text", request.get("text"), "the text of a problem file")
    if len(text) > MOST_PROBLEM:
        raise InvalidProblem("text", text, f"a problem file of at most {MOST_PROBLEM} characters")
    return problem_from_mapping(parsed(text))


def stepper_of(request: Request) -> Stepper:
    """The run of a request's problem, kept from one question to the next."""
    problem = problem_of(request)
    key = str(request["text"])
    if key not in _steppers:
        _steppers[key] = Stepper(problem)
        while len(_steppers) > MOST_KEPT:
            _steppers.popitem(last=False)
    _steppers.move_to_end(key)
    return _steppers[key]


def whole(request: Request, key: str, least: int, most: int) -> int:
    """An integer of a request in its range."""
    value = request.get(key, least)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidProblem(key, value, f"an integer from {least} to {most}")
    return value


def list_examples(request: Request) -> Answer:
    """The problems that can be opened by name, with the first line of their comment."""
    return {
        "examples": [
            {"name": name, "says": text.partition("\n")[0].lstrip("# ")} for name, text in examples.texts().items()
        ]
    }


def example(request: Request) -> Answer:
    """The text of an example."""
    name = request.get("name") or examples.FIRST
    return {"name": name, "text": examples.text_of(str(name))}


def run(request: Request) -> Answer:
    """A problem's run as a whole, its editable parts, and the views around an event."""
    stepper = stepper_of(request)
    at = whole(request, "at", 0, 10**6)
    at = min(at, len(stepper) - 1)
    return {
        **stepper.summary(),
        "form": editing.form(stepper.stage.problem),
        "at": at,
        "views": [stepper.view(at)],
    }


def views(request: Request) -> Answer:
    """Some views of a run."""
    stepper = stepper_of(request)
    first = whole(request, "first", 0, len(stepper) - 1)
    last = min(len(stepper), first + whole(request, "count", 1, MOST_VIEWS))
    return {"views": [stepper.view(place) for place in range(first, last)]}


def contracts(request: Request) -> Answer:
    """The contracts that a run checks, event by event."""
    return contracts_checked(problem_of(request))


def picture(request: Request) -> Answer:
    """The pictures of an outer iteration."""
    stepper = stepper_of(request)
    t = whole(request, "t", 1, stepper.stage.problem.outer_iterations)
    return pictures.of_iteration(stepper.stage, t)


def edit(request: Request) -> Answer:
    """The problem's text with changes, and its form, which the next change goes on from."""
    changes = request.get("changes")
    if not isinstance(changes, dict):
        raise InvalidProblem("changes", changes, "a table of changes")
    text = editing.changed(problem_of(request), changes)
    return {"text": text, "form": editing.form(problem_of({"text": text}))}


def check(request: Request) -> Answer:
    """The verdict on a property."""
    from grpocheck.verifier.studio.proving import checked

    return checked(problem_of(request), request)


def shelf(request: Request) -> Answer:
    """The ready properties."""
    from grpocheck.verifier.studio.proving import shelf

    return {"entries": shelf()}


def oracle(request: Request) -> Answer:
    """The run under a person's answers."""
    return play(problem_of(request), request.get("answers", []))


def variants(request: Request) -> Answer:
    """The variants that can be compared."""
    return {"variants": side_by_side.variants()}


def compare(request: Request) -> Answer:
    """Two variants on the groups of the first outer iteration."""
    names = request.get("names")
    if not isinstance(names, list) or len(names) != 2:
        raise InvalidProblem("names", names, "two names of variants")
    return side_by_side.compared(stepper_of(request).stage, names, request.get("at"))


def evidence(request: Request) -> Answer:
    """Every claim with what is known of it; the path of the report is the server's, whatever the page asks."""
    from grpocheck.verifier.studio.evidence import page

    return page(str(request["report"]))


def source(request: Request) -> Answer:
    """The text of a proof or a check."""
    from grpocheck.verifier.studio.evidence import source

    return dict(source(request.get("name")))


def lessons(request: Request) -> Answer:
    """The course."""
    from grpocheck.verifier.studio.lessons import listing

    return {"lessons": listing()}


def lesson(request: Request) -> Answer:
    """A lesson, told now."""
    from grpocheck.verifier.studio.lessons import lesson

    return lesson(request.get("name"))


def exercise(request: Request) -> Answer:
    """Whether an answer to an exercise is right."""
    from grpocheck.verifier.studio.lessons import judged

    return judged(request.get("name"), whole(request, "number", 1, 100), request.get("answer"))


def share(request: Request) -> Answer:
    """The problem as the end of an address."""
    problem_of(request)
    return {"shared": editing.packed(str(request["text"]))}


def shared(request: Request) -> Answer:
    """The problem that the end of an address holds."""
    return {"text": editing.unpacked(request.get("shared"))}


QUESTIONS: Mapping[str, Callable[[Request], Answer]] = {
    "examples": list_examples,
    "example": example,
    "run": run,
    "views": views,
    "contracts": contracts,
    "picture": picture,
    "edit": edit,
    "check": check,
    "shelf": shelf,
    "oracle": oracle,
    "variants": variants,
    "compare": compare,
    "evidence": evidence,
    "lessons": lessons,
    "lesson": lesson,
    "exercise": exercise,
    "source": source,
    "share": share,
    "shared": shared,
}


def answer(question: str, request: Request) -> Answer:
    """The answer to a question; what a person can act on is an error that says so, never a traceback."""
    if question not in QUESTIONS:
        return failure("question", f"{question[:80]!r}: expected one of {', '.join(QUESTIONS)}")
    try:
        return QUESTIONS[question](request)
    except MemoryError:
        _steppers.clear()  # what is kept of other problems must not take the room of the next question
        return failure("budget", "not answered within the memory that one answer may take: undecided")
    except Exception as error:
        if isinstance(error, InvalidProblem):
            return {"error": {"kind": "problem", "key": error.key, "message": str(error)}}
        if isinstance(error, ValueError) and hasattr(error, "column"):
            return failure("property", str(error))
        if exit_status_of(error) is None:
            return failure("defect", f"a defect of grpocheck itself: {type(error).__name__}: {error}")
        return failure(type(error).__name__, message_of(error))
