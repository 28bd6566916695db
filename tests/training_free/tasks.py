"""Small tasks for tests, as mappings to change before they are read."""

from typing import Any

from grpocheck.core.training_free.reading import task_from_mapping
from grpocheck.core.training_free.task import Task


def three_responses(**changes: Any) -> Task:
    """x, y and z at masses 1/4, 5/12, 1/3 and qualities 1, 1/2, 0; no test ever passes, so nothing is ever solved."""
    mapping: dict[str, Any] = {
        "prompt": "one of three",
        "tests": ["t"],
        "group_size": 2,
        "iterations": 2,
        "delta": "none",
        "responses": [
            {"text": "x", "mass": "1/4", "quality": 1},
            {"text": "y", "mass": "5/12", "quality": "1/2"},
            {"text": "z", "mass": "1/3", "quality": 0},
        ],
        "introspection": {"kind": "names-the-better", "confidence": "3/4"},
        "draws": {"recorded": [["y", "z"], ["x", "x"]]},
    }
    return task_from_mapping({key: value for key, value in {**mapping, **changes}.items() if value is not None})


def two_tokens(**changes: Any) -> Task:
    """A fair first token a or b, then c or d: after b always d, else c with mass 1/3."""
    mapping: dict[str, Any] = {
        "prompt": "two tokens",
        "tests": ["t"],
        "group_size": 2,
        "iterations": 2,
        "delta": "none",
        "tokens": {
            "horizon": 2,
            "positions": [{"tokens": ["a", "b"]}, {"tokens": ["c", "d"], "masses": ["1/3", "2/3"]}],
            "after": [{"prefix": ["b"], "tokens": ["d"]}],
        },
        "introspection": {"kind": "names-the-better", "confidence": 1},
        "draws": {"seed": 1},
    }
    return task_from_mapping({**mapping, **changes})
