"""Problem files: TOML to Problem, every number exact; writing.py is the way back.

A decimal in the file is the rational that it writes (0.2 is 1/5), a text may hold a fraction ("1/3"). What cannot be a
problem raises InvalidProblem, which names the key, shows the value and says what was expected.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.core.domains import domain_from_mapping
from grpocheck.core.families.autoregressive import Autoregressive, AutoregressiveLogits, AutoregressiveMasses
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.families.family import Family
from grpocheck.core.families.log_linear import LogLinear
from grpocheck.core.families.simplex import Simplex
from grpocheck.core.families.softmax import Softmax
from grpocheck.core.families.supplied import Supplied
from grpocheck.core.generation import generation_from_mapping
from grpocheck.core.invalid import MISSING, InvalidProblem
from grpocheck.core.problem import Problem, check_budget
from grpocheck.core.prompt import Prompt
from grpocheck.core.values import MAX_DIGITS, DecimalLiteral, choice, count, entries, rational, table

MOST_BYTES = 4_000_000
"""A problem file has at most this many bytes."""

MOST_KEY_PARTS = 64
"""A dotted key of more parts than these is refused before the file is parsed."""

FAMILIES = ("bernoulli", "simplex", "softmax", "log-linear", "autoregressive", "supplied")
PARAMETERISATIONS = ("logits", "masses")

NEEDED = ("group_size", "outer_iterations", "inner_steps", "epsilon", "beta", "theta", "family", "prompts")
OTHER_FILES = {
    "groups": "a problem: this is a file of groups, which grpocheck estimator takes",
    "iterations": "a problem: this is a task, which grpocheck training-free takes",
}
"""Keys that files of other kinds have, and a problem has not."""
OTHER_OBJECTIVES = {
    "epsilon_high": "epsilon alone: section 1 clips alike on both sides (a method with another clip: grpocheck "
    "estimator VARIANT PROBLEM --with term=two-sided,high=0.28)",
    "loss_type": "no method: run, law and prove have section 1's (others: grpocheck estimator --methods)",
}
"""Settings of trainers that section 1 does not have, and where to go with them."""

KEYS = (*NEEDED, "step_size", "step_sizes", "domain", "generation", "draws")

PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
LONG_KEY = re.compile(rf"""(?<![\w"'-]){PART}(?:[ \t]*+\.[ \t]*+{PART}){{{MOST_KEY_PARTS},}}""", re.ASCII)
PLACE = re.compile(r" \(at line ([0-9]+), column ([0-9]+)\)\Z")
FRACTION = re.compile(r"""[^#"']*?(?<![\w./])([+-]?[0-9]+[ \t]*/[ \t]*[0-9]+)(?![\w./])""", re.ASCII)
"""A fraction on a line, with no comment and no text before it."""
LONG_NUMBER = re.compile(rf"[0-9][0-9_]{{{MAX_DIGITS}}}")


@total("bad input raises InvalidProblem")
@ensure(lambda result: len(result) <= MOST_BYTES, "a file of bounded size")
def file_text(path: Path) -> str:
    """The text of a file; its size is looked at before it is read, and no more than the limit is ever read."""
    key, limit = "problem file", f"a file of at most {MOST_BYTES} bytes"
    try:
        if path.is_dir():
            raise InvalidProblem(key, str(path), "a file: this is a directory")
        if path.is_fifo() and path.parts[:2] != ("/", "dev"):
            raise InvalidProblem(key, str(path), "a regular file: this pipe may wait for its writer forever")
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise InvalidProblem(key, str(path), f"{limit}, not of {size}")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, InvalidProblem):
            raise
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InvalidProblem(key, str(path), f"a file that can be read ({reason})") from None
    if len(content) > MOST_BYTES:
        raise InvalidProblem(key, str(path), limit)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidProblem(key, str(path), f"a text in UTF-8: line {line} holds other bytes") from None


@total("bad input raises InvalidProblem")
@ensure(lambda document, result: not result or "=" in document or "[" in document, "keys are assigned or headed")
def parsed(document: str) -> dict[str, Any]:
    """A TOML document with its decimals kept as they are written."""
    long_key = LONG_KEY.search(document)
    if long_key is not None:
        raise InvalidProblem(f"line {line_of(document, long_key.start())}", long_key[0], "a key of a few parts")
    try:
        return tomllib.loads(document, parse_float=DecimalLiteral)
    except tomllib.TOMLDecodeError as error:
        if document.lstrip().startswith("{"):
            expected = "TOML; this begins as JSON does (a trace is for grpocheck replay and check, a log for audit)"
            raise InvalidProblem("problem file", first_line(document), expected) from None
        place = PLACE.search(str(error))
        if place is None:
            raise InvalidProblem("problem file", first_line(document), f"TOML ({error})") from None
        line = document.split("\n")[int(place[1]) - 1].strip()
        expected = f"TOML ({str(error)[: place.start()]}, at column {place[2]})"
        fraction = FRACTION.match(line)
        if fraction is not None:
            expected += f'; a fraction is a text, in quotes: "{"".join(fraction[1].split())}"'
        raise InvalidProblem(f"line {place[1]}", line, expected) from None
    except RecursionError:
        raise InvalidProblem("problem file", first_line(document), "lists and tables a few levels deep") from None
    except ValueError:
        long = LONG_NUMBER.search(document)
        key = "problem file" if long is None else f"line {line_of(document, long.start())}"
        value = first_line(document) if long is None else long[0]
        raise InvalidProblem(key, value, f"numbers of at most {MAX_DIGITS} digits") from None


@require(lambda document, offset: 0 <= offset <= len(document), "a place in the document")
@ensure(lambda document, result: 1 <= result <= document.count("\n") + 1, "lines are counted from 1")
def line_of(document: str, offset: int) -> int:
    """The line of a place in a document."""
    return document.count("\n", 0, offset) + 1


@total("a document may be empty")
@ensure(lambda document, result: result in document and "\n" not in result, "a line of the document")
def first_line(document: str) -> str:
    """The first line that is not blank, as a sign of what the document is."""
    return document.lstrip().partition("\n")[0]


@total("bad input raises InvalidProblem")
@ensure(lambda result: result.dimension == len(result.theta), "a problem that can run")
def problem_from_mapping(mapping: Mapping[str, object]) -> Problem:
    """The problem that a mapping with the keys of a problem file states.

    Raises InvalidProblem, which names the key, shows the value and says what was expected there.
    """
    other = next((key for key in OTHER_FILES if isinstance(mapping, Mapping) and key in mapping), None)
    if other is not None and "family" not in mapping:
        raise InvalidProblem(other, mapping[other], OTHER_FILES[other])
    for key in (key for key in OTHER_OBJECTIVES if isinstance(mapping, Mapping) and key in mapping):
        raise InvalidProblem(key, mapping[key], OTHER_OBJECTIVES[key])
    stated = table("", mapping, KEYS, NEEDED)
    generated = generated_family(stated)
    prompts = read_prompts(stated, generated)
    outer_iterations = count("outer_iterations", stated["outer_iterations"], 1)
    inner_steps = count("inner_steps", stated["inner_steps"], 1)
    group_size = count("group_size", stated["group_size"], 2)
    check_budget(outer_iterations, max(1, len(prompts)), group_size, inner_steps)
    draws = table("draws", stated.get("draws", {}), ("recorded", "seed"))
    return Problem(
        prompts=prompts,
        family=generated or listed_family(stated, prompts),
        theta=stated["theta"],  # type: ignore[arg-type]
        group_size=group_size,
        outer_iterations=outer_iterations,
        inner_steps=inner_steps,
        epsilon=rational("epsilon", stated["epsilon"]),
        beta=rational("beta", stated["beta"]),
        step_sizes=stated_step_sizes(stated, outer_iterations, inner_steps),
        domain=domain_from_mapping(stated["domain"]) if "domain" in stated else None,
        recorded=draws.get("recorded"),  # type: ignore[arg-type]
        seed=draws.get("seed"),  # type: ignore[arg-type]
    )


@require(lambda outer_iterations, inner_steps: min(outer_iterations, inner_steps) >= 1, "T >= 1 and K >= 1")
@ensure(lambda stated, result: "step_sizes" not in stated or result is stated["step_sizes"], "stated rows stay")
@ensure(
    lambda stated, result, outer_iterations: "step_size" not in stated or len(result) == outer_iterations,
    "one step size serves every inner step",
)
def stated_step_sizes(stated: Mapping[str, Any], outer_iterations: int, inner_steps: int) -> Any:
    """The rows of step_sizes as stated, or T rows of K times the one step_size; InvalidProblem for both or neither."""
    if "step_size" in stated and "step_sizes" in stated:
        raise InvalidProblem("step_size", stated["step_size"], "step_size or step_sizes, not both")
    if "step_sizes" in stated:
        return stated["step_sizes"]
    if "step_size" not in stated:
        raise InvalidProblem("step_size", None, f"{MISSING}, and step_sizes is too")
    step = rational("step_size", stated["step_size"])
    if step <= 0:
        raise InvalidProblem("step_size", step, "a step size above 0")
    return ((step,) * inner_steps,) * outer_iterations


@total("bad input raises InvalidProblem")
@ensure(
    lambda stated, result: (result is not None) == (stated["family"] == "autoregressive"), "who generates, and who not"
)
def generated_family(stated: Mapping[str, Any]) -> Autoregressive | None:
    """The autoregressive family of a [generation] table; None where the family lists its responses."""
    name = choice("family", stated["family"], FAMILIES)
    if name != "autoregressive":
        if "generation" in stated:
            raise InvalidProblem("generation", stated["generation"], f"no such table: the family is {name}")
        return None
    if "generation" not in stated:
        raise InvalidProblem("generation", None, "a table: the family is autoregressive")
    generation = generation_from_mapping(stated["generation"])
    parameterisation = stated["generation"]["parameterisation"]
    if choice("generation.parameterisation", parameterisation, PARAMETERISATIONS) == "logits":
        return AutoregressiveLogits(generation)
    return AutoregressiveMasses(generation)


@total("bad input raises InvalidProblem")
@ensure(lambda stated, result: result.name == stated["family"], "the family that is named")
def listed_family(stated: Mapping[str, Any], prompts: tuple[Prompt, ...]) -> Family | Supplied:
    """A family whose prompts list their responses."""
    name = stated["family"]
    sizes = tuple(len(prompt.responses) for prompt in prompts)
    if not sizes:
        raise InvalidProblem("prompts", stated["prompts"], "at least one prompt")
    if name == "bernoulli":
        return Bernoulli()
    if name == "simplex":
        return Simplex(sizes)
    if name == "softmax":
        return Softmax(sizes)
    if name == "log-linear":
        return LogLinear(tuple(prompt["features"] for prompt in stated["prompts"]))
    return Supplied(len(entries("theta", stated["theta"], "a list of numbers")))


@total("bad input raises InvalidProblem")
@ensure(
    lambda result: [prompt.position for prompt in result] == list(range(len(result))), "q_1..q_M in the file's order"
)
def read_prompts(stated: Mapping[str, Any], generated: Autoregressive | None) -> tuple[Prompt, ...]:
    """The [[prompts]] of a file."""
    listed = entries("prompts", stated["prompts"], "a list of prompts: [[prompts]] tables")
    if generated is not None:
        return tuple(generated_prompt(place, prompt, generated) for place, prompt in enumerate(listed))
    features = ("features",) if stated["family"] == "log-linear" else ()
    required = ("name", "responses", "rewards", "reference", *features)
    prompts = []
    for place, prompt in enumerate(listed):
        fields: Mapping[str, Any] = table(f"prompts[{place}]", prompt, (*required, "response_set"), required)
        response_set = fields.get("response_set", ())
        prompts.append(
            Prompt(place, fields["name"], fields["responses"], fields["rewards"], fields["reference"], response_set)
        )
    return tuple(prompts)


@total("bad input raises InvalidProblem")
@ensure(lambda generated, result: generated.serves(result), "the prompt has the generated support")
def generated_prompt(place: int, prompt: object, generated: Autoregressive) -> Prompt:
    """A prompt whose rewards and reference masses are keyed by the responses that are generated."""
    key, required = f"prompts[{place}]", ("name", "rewards", "reference")
    fields: Mapping[str, Any] = table(key, prompt, required, required)
    support = generated.support_keys
    rewards, reference = (table(f"{key}.{name}", fields[name], support, support) for name in required[1:])
    return Prompt(
        place,
        fields["name"],
        support,
        tuple(rational(f'{key}.rewards."{response}"', rewards[response]) for response in support),
        tuple(rational(f'{key}.reference."{response}"', reference[response]) for response in support),
        generated.response_keys,
    )


@total("bad input raises InvalidProblem")
@ensure(lambda result: result.dimension == len(result.theta), "a problem that can run")
def read_problem(path: str | Path) -> Problem:
    """The problem in a file.

    Raises InvalidProblem, which names the key, for what is no problem, and for a file that cannot be read.

    >>> problem = read_problem("examples/undefined_gradient.toml")
    >>> problem.group_size, problem.epsilon, problem.prompts[0].responses
    (2, Fraction(1, 5), ('good', 'bad'))
    """
    return problem_from_mapping(parsed(file_text(Path(path))))
