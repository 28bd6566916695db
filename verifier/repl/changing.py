"""Change one value of a problem, named as in its file: ``epsilon``, ``prompts[1].rewards``, ``draws.seed``.

Lists are counted from 1, as prompts and draws are everywhere. What does not fit any more because of a change of counts
(recorded draws, a table of step sizes) is dropped or carried over, and the change says so.
"""

import re
from typing import Any

from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.problem import Problem
from grpocheck.core.reading import KEYS, parsed, problem_from_mapping
from grpocheck.core.writing import problem_to_mapping
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.files import PLACE

SHORT = {"G": "group_size", "T": "outer_iterations", "K": "inner_steps", "eta": "step_size"}
"""The field's letters for keys of a problem file."""
PART = re.compile(r"([A-Za-z_][A-Za-z0-9_-]{0,60})((?:\[[0-9]{1,6}\])*)")
INDEX = re.compile(r"\[([0-9]+)\]")
COUNTS = ("group_size", "outer_iterations")
SEED = 0
LONGEST = 4000


def changed(problem: Problem, path: str, written: str) -> tuple[Problem, str]:
    """The problem with a value replaced, and what else had to go with it. Raises BadOption, InvalidProblem."""
    mapping = problem_to_mapping(problem)
    value = value_of(path, written)
    steps = places(path)
    also = ""
    if steps[0] == "step_size":
        mapping.pop("step_sizes", None)
    if steps[0] == "step_sizes":
        mapping.pop("step_size", None)
    if steps[0] == "draws":
        mapping["draws"] = {}
    if steps[0] == "theta" and len(steps) == 1 and not isinstance(value, list):
        value = [value]
    if steps[0] in COUNTS and "recorded" in mapping.get("draws", {}):
        mapping["draws"] = {"seed": SEED}
        also = f"the recorded draws do not fit any more; seed {SEED} instead"
    if steps[0] in ("outer_iterations", "inner_steps") and "step_sizes" in mapping:
        mapping["step_size"] = mapping.pop("step_sizes")[0][0]
        also = "; ".join(filter(None, [also, f"step_size {mapping['step_size']} for every step"]))
    put(mapping, steps, value, path)
    try:
        return problem_from_mapping(mapping), also
    except InvalidProblem as error:
        raise InvalidProblem(from_one(error.key), error.value, from_one(error.expected)) from None


def from_one(text: str) -> str:
    """A message of a problem file, whose places in lists are counted from 0, with places as they are typed here."""
    return PLACE.sub(lambda found: f"[{int(found[1]) + 1}]", text)


def without(problem: Problem, key: str) -> Problem:
    """The problem without a table that may be left out."""
    if key not in ("domain", "draws"):
        raise BadOption("unset", key, "it cannot be left out", "domain or draws")
    mapping = problem_to_mapping(problem)
    mapping.pop(key, None)
    return problem_from_mapping(mapping)


def value_of(path: str, written: str) -> Any:
    """A value as a problem file would write it; a fraction or a word may stand without its quotes."""
    if len(written) > LONGEST:
        raise BadOption(path, f"{written[:20]}...", f"it has {len(written)} characters", f"at most {LONGEST}")
    text = written.strip()
    if re.fullmatch(r"[+-]?[0-9]+/[0-9]+|[A-Za-z][A-Za-z0-9_ -]*", text, re.ASCII):
        return text
    bare = re.sub(r'(?<![\w."/])([+-]?[0-9]+/[0-9]+)(?![\w."/])', r'"\1"', text)
    if "\n" in text or not text:
        raise BadOption(path, text, "it is no value", 'a value such as 0.3, 1/3, [1, 0] or "name"')
    try:
        found = parsed(f"value = {bare}")
    except InvalidProblem:
        raise BadOption(path, text, "it is no value", 'a value such as 0.3, 1/3, [1, 0] or "name"') from None
    return found["value"]


def places(path: str) -> list[str | int]:
    """The keys and indices (from 1) on the way to a value."""
    found: list[str | int] = []
    for part in path.split("."):
        match = PART.fullmatch(part)
        if match is None:
            raise BadOption("set", path, "it names no value", "a key such as epsilon, theta[1] or prompts[1].rewards")
        found += [match[1], *(int(number) for number in INDEX.findall(match[2]))]
    first = found[0]
    found[0] = SHORT.get(str(first), first)
    if found[0] not in KEYS:
        expected = f"one of {', '.join((*SHORT, *KEYS))}"
        raise BadOption("set", path, "there is no such key", expected)
    return found


def put(mapping: Any, steps: list[str | int], value: Any, path: str) -> None:
    """Replace the value at the end of a way through tables and lists."""
    here = mapping
    for step in steps[:-1]:
        here = here[key_in(here, step, path)] if not is_new(here, step) else here.setdefault(step, {})
    last = steps[-1]
    if isinstance(here, dict) and isinstance(last, str):
        here[last] = value
    else:
        here[key_in(here, last, path)] = value


def is_new(here: Any, step: str | int) -> bool:
    """Whether a table is not there yet."""
    return isinstance(here, dict) and isinstance(step, str) and step not in here


def key_in(here: Any, step: str | int, path: str) -> Any:
    """A key of a table, or a place of a list from the number that counts from 1."""
    if isinstance(here, dict) and isinstance(step, str) and step in here:
        return step
    if isinstance(here, list) and isinstance(step, int) and 1 <= step <= len(here):
        return step - 1
    held = f"a list of {len(here)}, counted from 1" if isinstance(here, list) else "one value"
    raise BadOption("set", path, f"there is no {step!r} there", held)
