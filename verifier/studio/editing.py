"""Change anything about a problem, share it as the end of an address, and write it as a problem file again."""

import base64
import binascii
import zlib
from collections.abc import Mapping
from typing import Any

from grpocheck.core import Problem, problem_from_mapping, problem_to_mapping, problem_to_toml
from grpocheck.core.families.autoregressive import Autoregressive
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.values import known_keys
from grpocheck.verifier.studio.security import MOST_PROBLEM

MOST_SHARED = 8_000
"""Characters of a shared problem: as long an address as every browser keeps."""
MOST_PROMPTS, MOST_RESPONSES, MOST_THETA, MOST_RECORDED = 6, 12, 12, 96
"""What still fits into a form; larger problems are changed as text."""

COUNTS = ("group_size", "outer_iterations", "inner_steps")
NUMBERS = ("epsilon", "beta", "step_size")


def form(problem: Problem) -> dict[str, Any]:
    """The parts of a problem that the page offers to change, as texts."""
    mapping = problem_to_mapping(problem)
    fields: dict[str, Any] = {key: mapping.get(key) for key in (*COUNTS, *NUMBERS)}
    fields["step_sizes"] = mapping.get("step_sizes")
    fields["family"] = mapping["family"]
    fields["theta"] = mapping["theta"] if len(mapping["theta"]) <= MOST_THETA else None
    fields["seed"] = problem.seed
    small = len(problem.prompts) <= MOST_PROMPTS and all(
        len(prompt.responses) <= MOST_RESPONSES for prompt in problem.prompts
    )
    fields["prompts"] = (
        [
            {
                "name": prompt.name,
                "responses": list(prompt.responses),
                "rewards": [str(reward) for reward in prompt.rewards],
                "reference": [str(mass) for mass in prompt.reference],
            }
            for prompt in problem.prompts
        ]
        if small
        else None
    )
    recorded = mapping.get("draws", {}).get("recorded")
    drawn = 0 if recorded is None else sum(len(group) for groups in recorded for group in groups)
    fields["recorded"] = recorded if small and drawn <= MOST_RECORDED else None
    fields["draws"] = "recorded" if recorded is not None else "seed" if problem.seed is not None else "fresh"
    return fields


def changed(problem: Problem, changes: Mapping[str, Any]) -> str:
    """The problem file with changes put in: keys of the form, with texts or counts as values.

    A change of the counts keeps what still fits: step sizes that were all equal stay so, and recorded draws are cut or
    filled up with the last response of their group. Raises InvalidProblem for a change that makes no problem.
    """
    mapping = problem_to_mapping(problem)
    for key, value in changes.items():
        if key not in CHANGES:
            raise InvalidProblem(key, value, known_keys(key, list(CHANGES)))
        CHANGES[key](mapping, problem, value)
    fit_draws(mapping)
    fit_steps(mapping)
    return problem_to_toml(problem_from_mapping(mapping))


def change_count(key: str) -> Any:
    """A change of one of the counts."""

    def put(mapping: dict[str, Any], problem: Problem, value: object) -> None:
        text = str(value).strip()
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise InvalidProblem(key, value, "a count")
        mapping[key] = int(text)

    return put


def change_number(key: str) -> Any:
    """A change of a number; a step size goes for every step."""

    def put(mapping: dict[str, Any], problem: Problem, value: object) -> None:
        mapping[key] = str(value).strip()
        if key == "step_size":
            mapping.pop("step_sizes", None)

    return put


def change_theta(mapping: dict[str, Any], problem: Problem, value: Any) -> None:
    """Another starting parameter."""
    mapping["theta"] = [str(entry).strip() for entry in listed("theta", value)]


def change_rows(key: str) -> Any:
    """Rewards or reference masses: a list of texts for each prompt."""

    def put(mapping: dict[str, Any], problem: Problem, value: Any) -> None:
        rows = listed(key, value)
        if len(rows) != len(problem.prompts):
            raise InvalidProblem(key, rows, f"{len(problem.prompts)} lists, one for each prompt")
        for place, (prompt, row) in enumerate(zip(problem.prompts, rows, strict=True)):
            numbers = [str(entry).strip() for entry in listed(f"{key}[{place}]", row)]
            if len(numbers) != len(prompt.responses):
                raise InvalidProblem(f"{key}[{place}]", numbers, f"{len(prompt.responses)} numbers")
            if isinstance(problem.family, Autoregressive):
                mapping["prompts"][place][key] = dict(zip(prompt.responses, numbers, strict=True))
            else:
                mapping["prompts"][place][key] = numbers

    return put


def change_recorded(mapping: dict[str, Any], problem: Problem, value: Any) -> None:
    """Other recorded draws: [outer iteration][prompt][i]."""
    for groups in listed("recorded", value):
        for group in listed("recorded", groups):
            if not all(isinstance(response, str) for response in listed("recorded", group)):
                raise InvalidProblem("recorded", group, "a list of responses")
    mapping["draws"] = {"recorded": value}


def change_seed(mapping: dict[str, Any], problem: Problem, value: object) -> None:
    """Draws from a seed in place of a record."""
    text = str(value).strip()
    if not (text.isascii() and text.isdigit() and len(text) <= 78):
        raise InvalidProblem("seed", value, "an integer of at least 0")
    mapping["draws"] = {"seed": int(text)}


CHANGES: Mapping[str, Any] = {
    **{key: change_count(key) for key in COUNTS},
    **{key: change_number(key) for key in NUMBERS},
    "theta": change_theta,
    "rewards": change_rows("rewards"),
    "reference": change_rows("reference"),
    "recorded": change_recorded,
    "seed": change_seed,
}


def listed(key: str, value: object) -> list[Any]:
    """A list of a change."""
    if not isinstance(value, list):
        raise InvalidProblem(key, value, "a list")
    return value


def fit_draws(mapping: dict[str, Any]) -> None:
    """Recorded draws cut to the counts, or filled up with what was recorded last."""
    recorded = mapping.get("draws", {}).get("recorded")
    if not isinstance(recorded, list) or not recorded:
        return
    size, outer = mapping["group_size"], mapping["outer_iterations"]
    if size > MOST_RECORDED or outer > MOST_RECORDED:
        return
    iterations = [*recorded[:outer], *([recorded[-1]] * (outer - len(recorded)))]
    mapping["draws"] = {
        "recorded": [
            [[*group[:size], *([group[-1]] * (size - len(group)))] if group else group for group in groups]
            for groups in iterations
        ]
    }


def fit_steps(mapping: dict[str, Any]) -> None:
    """A table of step sizes cut to the counts, or filled up with the last of its row and the last row."""
    rows = mapping.get("step_sizes")
    if rows is None:
        return
    outer, inner = mapping["outer_iterations"], mapping["inner_steps"]
    if max(outer, inner) > MOST_RECORDED:
        return
    kept = [*rows[:outer], *([rows[-1]] * (outer - len(rows)))]
    mapping["step_sizes"] = [[*row[:inner], *([row[-1]] * (inner - len(row)))] for row in kept]


def packed(text: str) -> str:
    """A problem file as the end of an address; InvalidProblem where it would be too long for one."""
    shared = base64.urlsafe_b64encode(zlib.compress(text.encode("utf-8"), 9)).decode("ascii").rstrip("=")
    if len(shared) > MOST_SHARED:
        raise InvalidProblem(
            "problem", text, f"a problem of at most {MOST_SHARED} packed characters to share by address; save the file"
        )
    return shared


def unpacked(shared: object) -> str:
    """The problem file that an address holds; no more is unpacked than a problem may have."""
    if not isinstance(shared, str) or not shared or len(shared) > MOST_SHARED:
        raise InvalidProblem("address", shared, f"a shared problem of at most {MOST_SHARED} characters")
    unpacker = zlib.decompressobj()
    try:
        raw = base64.b64decode(shared + "=" * (-len(shared) % 4), altchars=b"-_", validate=True)
        text = unpacker.decompress(raw, MOST_PROBLEM).decode("utf-8")
    except (binascii.Error, zlib.error, ValueError):
        raise InvalidProblem("address", shared, "a problem as this page shares it: the address was cut") from None
    if not unpacker.eof:
        whole = f"a whole problem file of at most {MOST_PROBLEM} characters"
        raise InvalidProblem("address", shared, f"{whole}: the address was cut, or holds more")
    return text
