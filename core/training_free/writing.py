"""Task files written: the mapping that a trace carries, and the text of a file."""

from collections.abc import Mapping
from typing import Any

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.training_free.oracles import TabledAnswers
from grpocheck.core.training_free.reading import NAMES_THE_BETTER
from grpocheck.core.training_free.responses import ResponseTable, Row, Shape, TokenTable
from grpocheck.core.training_free.task import Task
from grpocheck.core.values import rational_text
from grpocheck.core.writing import assignments


@require(lambda task: task.group_size >= 2, "a task that can run")
@ensure(lambda task, result: result["tests"] == list(task.tests) and "group_size" in result, "its data")
def task_to_mapping(task: Task) -> dict[str, Any]:
    """The task with the keys of a task file, numbers as exact texts; InvalidProblem for one too long for a file."""
    stated: dict[str, Any] = {
        "prompt": task.prompt,
        "group_size": task.group_size,
        "iterations": task.iterations,
        "kappa": rational_text(task.kappa),
        "delta": "none" if task.delta is None else rational_text(task.delta),
        "tests": list(task.tests),
        "failing": list(task.failing),
        "weights": task.weights.to_mapping(),
    }
    if task.introspection is not None:
        stated["introspection"] = {"kind": NAMES_THE_BETTER, "confidence": rational_text(task.introspection.confidence)}
    if task.recorded is not None:
        stated["draws"] = {"recorded": [list(group) for group in task.recorded]}
    if task.seed is not None:
        stated["draws"] = {"seed": task.seed}
    if isinstance(task.model, ResponseTable):
        stated["responses"] = responses_to_list(task.model, task.answers)
    if isinstance(task.model, TokenTable):
        rows = {"positions": [row_to_mapping(row) for row in task.model.positions]}
        after = [{"prefix": list(prefix), **row_to_mapping(row)} for prefix, row in task.model.after]
        stated["tokens"] = {**shape_to_mapping(task.model.shape), **rows, **({"after": after} if after else {})}
    if isinstance(task.model, Shape):
        stated["tokens"] = shape_to_mapping(task.model)
    if task.bank:
        stated["bank"] = [pattern.to_mapping() for pattern in task.bank]
    return stated


@require(
    lambda model, answers: answers is None or all(response.text in answers.passes for response, _ in model.listed),
    "answers for every response, or none at all",
)
@ensure(lambda result: len({entry["text"] for entry in result}) == len(result), "each response once")
def responses_to_list(model: ResponseTable, answers: TabledAnswers | None) -> list[dict[str, Any]]:
    """The [[responses]] of a task."""
    listed = []
    for response, mass in model.listed:
        entry: dict[str, Any] = {"text": response.text, "mass": rational_text(mass), "tokens": list(response.tokens)}
        if answers is not None:
            entry["passes"] = list(answers.passes[response.text])
            entry["quality"] = rational_text(answers.qualities[response.text])
        listed.append(entry)
    return listed


@require(lambda row: len(row) >= 1, "a row has a token")
@ensure(lambda row, result: len(result["tokens"]) == len(result["masses"]) == len(row), "a mass for each token")
def row_to_mapping(row: Row) -> dict[str, Any]:
    """A row of next tokens."""
    return {"tokens": [token for token, _ in row], "masses": [rational_text(mass) for _, mass in row]}


@require(lambda shape: shape.horizon >= 1, "a response has a token")
@ensure(lambda shape, result: ("end" in result) == (shape.end is not None), "an end token, where there is one")
def shape_to_mapping(shape: Shape) -> dict[str, Any]:
    """How responses end."""
    ending = {} if shape.end is None else {"end": shape.end}
    return {"horizon": shape.horizon, "separator": shape.separator, **ending}


@require(lambda task: task.group_size >= 2, "a task that can run")
@ensure(lambda result: result.endswith("\n") and "prompt = " in result, "a whole file")
def task_to_toml(task: Task) -> str:
    """The task file that states a task; InvalidProblem for a number too long for a file."""
    return toml_text(task_to_mapping(task))


@total("a table may be empty")
@ensure(lambda mapping, result: all(f"{key}" in result for key in mapping), "every key is written")
def toml_text(mapping: Mapping[str, Any], within: str = "") -> str:
    """A table as TOML: plain values first, then tables and lists of tables under their headings."""
    lines: list[str] = []
    below: list[str] = []
    for key, value in mapping.items():
        name = f"{within}.{key}" if within else key
        if isinstance(value, Mapping):
            below.append(f"\n[{name}]\n{toml_text(value, name)}")
        elif isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value):
            below += [f"\n[[{name}]]\n{toml_text(entry, name)}" for entry in value]
        else:
            lines += assignments({key: value})
    return "".join(lines + below)
