"""A task file with all that it supplies outside core: the code of its tests, and the introspection that is asked."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from grpocheck.core import InvalidProblem
from grpocheck.core.reading import file_text, parsed
from grpocheck.core.training_free.oracles import Introspection, Supply
from grpocheck.core.training_free.reading import EMBEDDED, HTTP, NAMES_THE_BETTER, task_from_mapping
from grpocheck.core.training_free.task import Task
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.files import in_file
from grpocheck.verifier.training_free.embedded import Contrast
from grpocheck.verifier.training_free.http_introspection import ATTEMPTS, from_environment
from grpocheck.verifier.training_free.runner import python_quality, read_runner


def load_task(path: Path, introspect: str | None) -> tuple[Task, Supply]:
    """The task in a file and its supply; ``introspect`` goes before the file's own introspection."""
    tests, quality = None, None
    settings: dict[str, str] = {}
    with in_file(path):
        stated = parsed(file_text(path))
        runner = stated.pop("runner", None)
        task = task_from_mapping(stated)
        if runner is not None:
            if task.answers is not None:
                raise InvalidProblem("runner", runner, "either tests that run, or passes and quality for each response")
            tests, quality = read_runner(runner, task.tests), python_quality
            settings["runner"] = json.dumps({**vars(tests.limits), "tests": dict(tests.code)}, sort_keys=True)
    kind = introspect if introspect is not None else stated_kind(stated)
    introspection, more = INTROSPECTIONS[kind](task)
    return task, Supply(tests=tests, quality=quality, introspection=introspection, settings={**settings, **more})


def stated_kind(stated: Mapping[str, Any]) -> str:
    """The kind of introspection that a file states; embedded where it states none."""
    introspection = stated.get("introspection", {})
    return str(introspection.get("kind", EMBEDDED))


Supplied = tuple[Introspection | None, dict[str, str]]


def embedded(task: Task) -> Supplied:
    """The embedded introspection."""
    return Contrast(), {"introspection": EMBEDDED}


def over_http(task: Task) -> Supplied:
    """The one that asks a model, with a request budget that K introspections cannot exceed."""
    introspection = from_environment(task.iterations * ATTEMPTS)
    return introspection, {"introspection": HTTP, "model": introspection.endpoint.model}


def own(task: Task) -> Supplied:
    """The task's own."""
    return None, {}


INTROSPECTIONS: Mapping[str, Callable[[Task], Supplied]] = {EMBEDDED: embedded, HTTP: over_http, NAMES_THE_BETTER: own}


def check_introspection(name: str | None) -> None:
    """Raise BadOption for an introspection that there is none of."""
    if name is not None and name not in (EMBEDDED, HTTP):
        raise BadOption("--introspect", name, "there is no such introspection", f"{EMBEDDED} or {HTTP}")
