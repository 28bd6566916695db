"""Problems written as problem files: canonical, with every number as an exact text."""

import json
from collections.abc import Mapping
from typing import Any

from grpocheck.contracts.clauses import ensure, total
from grpocheck.core.families.autoregressive import Autoregressive
from grpocheck.core.families.log_linear import LogLinear
from grpocheck.core.generation import key_of
from grpocheck.core.problem import Problem
from grpocheck.core.prompt import Prompt
from grpocheck.core.reading import parsed, problem_from_mapping
from grpocheck.core.values import rational_text


@total("every problem can be written, unless a number is too long for a file: that raises InvalidProblem")
@ensure(lambda problem, result: problem_from_mapping(result) == problem, "the mapping is read back as the same problem")
def problem_to_mapping(problem: Problem) -> dict[str, Any]:
    """The problem as nested tables with the keys of a problem file."""
    mapping: dict[str, Any] = {
        "group_size": problem.group_size,
        "outer_iterations": problem.outer_iterations,
        "inner_steps": problem.inner_steps,
        "epsilon": rational_text(problem.epsilon),
        "beta": rational_text(problem.beta),
    }
    steps = {step for row in problem.step_sizes for step in row}
    if len(steps) == 1:
        mapping["step_size"] = rational_text(min(steps))
    else:
        mapping["step_sizes"] = [[rational_text(step) for step in row] for row in problem.step_sizes]
    mapping["theta"] = [rational_text(coordinate) for coordinate in problem.theta]
    mapping["family"] = problem.family.name
    if isinstance(problem.family, Autoregressive):
        mapping["generation"] = generation_to_mapping(problem.family)
    if problem.domain is not None:
        mapping["domain"] = problem.domain.describe()
    mapping["prompts"] = [prompt_to_mapping(prompt, problem) for prompt in problem.prompts]
    if problem.recorded is not None:
        mapping["draws"] = {"recorded": [[list(group) for group in groups] for groups in problem.recorded]}
    if problem.seed is not None:
        mapping["draws"] = {"seed": problem.seed}
    return mapping


@total("every generated family can be written")
@ensure(
    lambda family, result: (
        {tuple(prefix.split()) for prefix in result.get("forbidden", {})}
        == {prefix for prefix, _ in family.generation.forbidden}
    ),
    "the forbidden tokens are kept",
)
def generation_to_mapping(family: Autoregressive) -> dict[str, Any]:
    """The [generation] table."""
    generation = family.generation
    mapping: dict[str, Any] = {
        "vocabulary": list(generation.vocabulary),
        "end": generation.end,
        "horizon": generation.horizon,
        "parameterisation": family.parameterisation,
    }
    if generation.forbidden:
        mapping["forbidden"] = {key_of(prefix): list(tokens) for prefix, tokens in generation.forbidden}
    return mapping


@total("every prompt can be written, unless a number is too long for a file: that raises InvalidProblem")
@ensure(lambda prompt, result: len(result["rewards"]) == len(prompt.responses), "a reward for each response")
def prompt_to_mapping(prompt: Prompt, problem: Problem) -> dict[str, Any]:
    """One [[prompts]] table."""
    rewards = [rational_text(reward) for reward in prompt.rewards]
    reference = [rational_text(mass) for mass in prompt.reference]
    if isinstance(problem.family, Autoregressive):
        return {
            "name": prompt.name,
            "rewards": dict(zip(prompt.responses, rewards, strict=True)),
            "reference": dict(zip(prompt.responses, reference, strict=True)),
        }
    mapping = {"name": prompt.name, "responses": list(prompt.responses), "rewards": rewards, "reference": reference}
    if prompt.response_set != prompt.responses:
        mapping["response_set"] = list(prompt.response_set)
    if isinstance(problem.family, LogLinear):
        rows = problem.family.features[prompt.position]
        return {**mapping, "features": [[rational_text(entry) for entry in row] for row in rows]}
    return mapping


@total("every problem can be written, unless a number is too long for a file: that raises InvalidProblem")
@ensure(lambda problem, result: problem_from_mapping(parsed(result)) == problem, "the file is read back as the same")
def problem_to_toml(problem: Problem) -> str:
    """The problem as the text of a problem file.

    >>> from grpocheck.core import read_problem
    >>> print(problem_to_toml(read_problem("examples/undefined_gradient.toml")).partition("\\n")[0])
    group_size = 2
    """
    mapping = problem_to_mapping(problem)
    tables = {key: mapping.pop(key) for key in ("generation", "domain", "draws") if key in mapping}
    prompts = mapping.pop("prompts")
    blocks = ["".join(assignments(mapping))]
    blocks += ["".join([f"[{key}]\n", *assignments(value)]) for key, value in tables.items()]
    blocks += ["".join(["[[prompts]]\n", *assignments(prompt)]) for prompt in prompts]
    return "\n".join(blocks)


@total("every table of texts, integers, lists and tables can be written")
@ensure(lambda mapping, result: len(result) == len(mapping), "one line for each key")
def assignments(mapping: Mapping[str, Any]) -> list[str]:
    """The lines of a table."""
    return [f"{key} = {toml_value(value)}\n" for key, value in mapping.items()]


@total("texts, integers, lists and tables can be written")
@ensure(lambda value, result: parsed(f"value = {result}")["value"] == value, "TOML reads the same value")
def toml_value(value: Any) -> str:
    """A value on one line of TOML."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_value(key)} = {toml_value(entry)}" for key, entry in value.items()) + " }"
    return "[" + ", ".join(toml_value(entry) for entry in value) + "]"
