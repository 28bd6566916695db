"""Task files: TOML to Task, every number exact. What cannot be a task raises InvalidProblem, which names the key."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from grpocheck.contracts.clauses import ensure, total
from grpocheck.contracts.predicates import is_mass_function
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.reading import file_text, parsed
from grpocheck.core.training_free.oracles import NamesTheBetter, TabledAnswers
from grpocheck.core.training_free.patterns import HALF, read_pattern
from grpocheck.core.training_free.responses import Response, ResponseTable, Row, Shape, TokenTable, token_row
from grpocheck.core.training_free.reward import Weights
from grpocheck.core.training_free.task import DELTA, Record, Task
from grpocheck.core.values import choice, distinct_texts, entries, rational, rationals, table, text

NEEDED = ("prompt", "group_size", "iterations", "tests")
KEYS = (
    *NEEDED, "kappa", "delta", "failing", "weights", "introspection", "draws", "responses", "tokens", "bank",
)  # fmt: skip
WEIGHTS = ("external", "epistemic", "passed", "new", "quality")
EMBEDDED = "embedded"
HTTP = "http"
NAMES_THE_BETTER = "names-the-better"


@total("bad input raises InvalidProblem")
@ensure(lambda result: result.group_size >= 2 and len(result.tests) >= 1, "a task that can run")
def task_from_mapping(mapping: Mapping[str, object]) -> Task:
    """The task that a mapping with the keys of a task file states."""
    if isinstance(mapping, Mapping) and "family" in mapping and "iterations" not in mapping:
        raise InvalidProblem("family", mapping["family"], "a task: this is a problem, which grpocheck run takes")
    stated: Mapping[str, Any] = table("", mapping, KEYS, NEEDED)
    model: ResponseTable | TokenTable | Shape | None = None
    answers: TabledAnswers | None = None
    if "responses" in stated and "tokens" in stated:
        raise InvalidProblem("tokens", stated["tokens"], "either [[responses]] or [tokens]")
    tests = distinct_texts("tests", stated["tests"], "test")
    if "responses" in stated:
        model, answers = read_responses(stated["responses"], tests)
    if "tokens" in stated:
        model = read_tokens(stated["tokens"])
    weights = table("weights", stated.get("weights", {}), WEIGHTS)
    draws: Mapping[str, Any] = table("draws", stated.get("draws", {}), ("recorded", "seed"))
    listed = entries("bank", stated.get("bank", []), "a list of patterns: [[bank]] tables")
    return Task(
        prompt=stated["prompt"],
        tests=tests,
        group_size=stated["group_size"],
        iterations=stated["iterations"],
        failing=distinct_or_none("failing", stated.get("failing", list(tests))),
        model=model,
        kappa=rational("kappa", stated.get("kappa", 1)),
        delta=read_delta(stated.get("delta", DELTA)),
        weights=Weights(**{name: rational(f"weights.{name}", value) for name, value in weights.items()}),
        bank=tuple(read_pattern(f"bank[{i}]", entry) for i, entry in enumerate(listed)),
        answers=answers,
        introspection=read_introspection(stated.get("introspection")),
        recorded=read_record(draws["recorded"]) if "recorded" in draws else None,
        seed=draws.get("seed"),
    )


@total("bad input raises InvalidProblem")
@ensure(lambda result: len(set(result)) == len(result), "no test occurs twice")
def distinct_or_none(key: str, values: object) -> tuple[str, ...]:
    """A list of texts without repeats, which may be empty."""
    return distinct_texts(key, values, "test") if entries(key, values, "a list of tests") else ()


@total("bad input raises InvalidProblem")
@ensure(lambda value, result: (result is None) == (value == "none"), "none, or a number")
def read_delta(value: object) -> Fraction | None:
    """The threshold delta in reward units, or none."""
    return None if value == "none" else rational("delta", value)


@total("bad input raises InvalidProblem")
@ensure(lambda result: result is None or HALF < result.confidence <= 1, "a confidence above 1/2")
def read_introspection(value: object) -> NamesTheBetter | None:
    """The introspection that a task states itself; embedded and http ones are supplied when it runs."""
    if value is None:
        return None
    stated: Mapping[str, Any] = table("introspection", value, ("kind", "confidence"), ("kind",))
    kind = choice("introspection.kind", stated["kind"], (NAMES_THE_BETTER, EMBEDDED, HTTP))
    if kind in (EMBEDDED, HTTP):
        if "confidence" in stated:
            expected = f"no confidence beside the kind {kind!r}"
            raise InvalidProblem("introspection.confidence", stated["confidence"], expected)
        return None
    confidence = rational("introspection.confidence", stated.get("confidence", 1))
    if not HALF < confidence <= 1:
        raise InvalidProblem("introspection.confidence", confidence, "a number above 1/2 and at most 1")
    return NamesTheBetter(confidence)


@total("bad input raises InvalidProblem")
@ensure(lambda values, result: not isinstance(values, list) or len(result) == len(values), "a group for each iteration")
def read_record(values: object) -> Record:
    """Recorded draws: lists of response texts."""
    key = "draws.recorded"
    return tuple(
        tuple(
            text(f"{key}[{t}][{i}]", drawn)
            for i, drawn in enumerate(entries(f"{key}[{t}]", group, "a list of responses"))
        )
        for t, group in enumerate(entries(key, values, "a list [iteration][i] of responses"))
    )


@total("bad input raises InvalidProblem")
@ensure(lambda result: is_mass_function([mass for _, mass in result[0].listed]), "masses are positive with sum 1")
def read_responses(values: object, tests: tuple[str, ...]) -> tuple[ResponseTable, TabledAnswers | None]:
    """The [[responses]] of a task, and their tests and quality where they are listed."""
    fields = ("text", "mass", "tokens", "passes", "quality")
    listed: list[tuple[Response, Fraction]] = []
    passes: dict[str, tuple[str, ...]] = {}
    qualities: dict[str, Fraction] = {}
    for i, value in enumerate(entries("responses", values, "a list of responses: [[responses]] tables")):
        key = f"responses[{i}]"
        entry: Mapping[str, Any] = table(key, value, fields, fields[:2])
        spoken = text(f"{key}.text", entry["text"])
        if spoken in [response.text for response, _ in listed]:
            raise InvalidProblem(f"{key}.text", spoken, "each response once")
        given = entries(f"{key}.tokens", entry.get("tokens", spoken.split()), "a list of tokens")
        tokens = tuple(text(f"{key}.tokens[{j}]", token) for j, token in enumerate(given))
        if not all(tokens):
            raise InvalidProblem(f"{key}.tokens", tokens, "tokens that are not empty")
        listed.append((Response(tokens, spoken), rational(f"{key}.mass", entry["mass"])))
        if "passes" in entry or "quality" in entry:
            passes[spoken] = distinct_or_none(f"{key}.passes", entry.get("passes", []))
            for j, test in enumerate(passes[spoken]):
                if test not in tests:
                    raise InvalidProblem(f"{key}.passes[{j}]", test, "a test of the task")
            qualities[spoken] = rational(f"{key}.quality", entry.get("quality", 0))
            if not 0 <= qualities[spoken] <= 1:
                raise InvalidProblem(f"{key}.quality", qualities[spoken], "a number between 0 and 1")
    masses = rationals("responses mass", [mass for _, mass in listed])
    if not masses or min(masses) <= 0 or sum(masses) != 1:
        raise InvalidProblem("responses", list(masses), "masses above 0 that sum to exactly 1")
    if passes and len(passes) != len(listed):
        raise InvalidProblem("responses", sorted(passes), "passes and quality for every response, or for none")
    return ResponseTable(tuple(listed)), TabledAnswers(passes, qualities) if passes else None


@total("bad input raises InvalidProblem")
@ensure(lambda result: isinstance(result, TokenTable) or result.horizon >= 1, "a table, or the shape for a supply")
def read_tokens(value: object) -> TokenTable | Shape:
    """The [tokens] of a task: rows for every position, others after given prefixes; the shape alone without rows."""
    fields = ("horizon", "end", "separator", "positions", "after")
    stated: Mapping[str, Any] = table("tokens", value, fields, fields[:1])
    shape = Shape(stated["horizon"], stated.get("end"), stated.get("separator", ""))
    if "positions" not in stated:
        if "after" in stated:
            raise InvalidProblem("tokens.positions", None, "a value: the key is missing")
        return shape
    positions = [
        read_row(f"tokens.positions[{i}]", row, ())
        for i, row in enumerate(entries("tokens.positions", stated["positions"], "a list of rows"))
    ]
    after = []
    for i, row in enumerate(entries("tokens.after", stated.get("after", []), "a list of rows")):
        key = f"tokens.after[{i}]"
        read = read_row(key, row, ("prefix",))
        prefix: Any = entries(f"{key}.prefix", row["prefix"], "a list of tokens")  # type: ignore[index]
        after.append((tuple(text(f"{key}.prefix[{j}]", token) for j, token in enumerate(prefix)), read))
    return TokenTable(shape, tuple(positions), tuple(after))


@total("bad input raises InvalidProblem")
@ensure(lambda result: is_mass_function([mass for _, mass in result]), "masses are positive with sum 1")
def read_row(key: str, value: object, more: tuple[str, ...]) -> Row:
    """A row of next tokens; uniform where no masses are given."""
    stated: Mapping[str, Any] = table(key, value, ("tokens", "masses", *more), ("tokens", *more))
    return token_row(key, stated["tokens"], stated.get("masses"))


@total("bad input raises InvalidProblem")
@ensure(lambda result: result.group_size >= 2, "a task that can run")
def read_task(path: str | Path) -> Task:
    """The task in a file.

    Raises InvalidProblem, which names the key, for what is no task, and for a file that cannot be read.
    """
    return task_from_mapping(parsed(file_text(Path(path))))
