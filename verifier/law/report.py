"""What the law of a run says, for programs and for people."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from json.encoder import encode_basestring
from typing import Any

from grpocheck.core.arithmetic import Arithmetic, Scalar
from grpocheck.core.arithmetic.enclosing import decimal
from grpocheck.core.gradient import Vector
from grpocheck.verifier.estimator.plot import approximate
from grpocheck.verifier.estimator.report import short, texts, vector_text
from grpocheck.verifier.law.branches import Size, balanced_sum, count_text
from grpocheck.verifier.law.exact import ExpectedGradient, Law, TooLarge
from grpocheck.verifier.law.samples import SampledLaw
from grpocheck.verifier.law.telling import not_told_apart
from grpocheck.verifier.outcomes import CALLS
from grpocheck.verifier.tables import table
from rich.console import RenderableType
from rich.text import Text

Json = dict[str, Any]

MOST_ATOMS = 12
"""Parameters and values of F that are listed for people, from the most probable on; --json has all of them."""

INTERVAL_DIGITS = 8


def json_text(value: Any, margin: str = "\n") -> str:
    """``json.dumps(value, indent=2, ensure_ascii=False)``, in a third of the time."""
    inner = margin + "  "
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, dict) and value:
        entries = [f"{encode_basestring(key)}: {json_text(entry, inner)}" for key, entry in value.items()]
        return "{" + inner + ("," + inner).join(entries) + margin + "}"
    if isinstance(value, list) and value:
        return "[" + inner + ("," + inner).join([json_text(entry, inner) for entry in value]) + margin + "]"
    return json.dumps(value)


def size_mapping(size: Size) -> Json:
    """How many ordered draws there are, as a power and, where that is short, as a number."""
    return {"ordered_draws": size.ordered_powers, "ordered_draws_count": size.ordered}


def gradient_mapping(found: ExpectedGradient, arithmetic: Arithmetic) -> Json:
    """The expected gradient of the first attempt, with the cases that it took."""
    return {"gradient": texts(found.gradient, arithmetic), "single_prompt_cases": found.cases}


def too_large_mapping(error: TooLarge) -> Json:
    """An enumeration that was not begun, or not gone on with."""
    return {"kind": "too-large", "cases": count_text(error.cases), "limit": error.limit, **size_mapping(error.size)}


class Texts:
    """Numbers as texts; of an object that was met before the same text."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        """None yet."""
        self.arithmetic = arithmetic
        self.met: dict[int, tuple[Scalar, Any]] = {}

    def __call__(self, value: Scalar) -> Any:
        """A number as a text."""
        found = self.met.get(id(value))
        if found is None:
            found = self.met[id(value)] = value, self.arithmetic.text(value)
        return found[1]


def law_mapping(law: Law, arithmetic: Arithmetic) -> Json:
    """An exact law for programs; parameters and values of F from the most probable on."""
    text = Texts(arithmetic)
    parameters = sorted(law.parameters, key=lambda atom: -approximate(atom.probability))
    objectives = sorted(law.objectives, key=lambda atom: -approximate(atom.probability))
    return {
        "kind": "law",
        "cases": law.cases,
        **size_mapping(law.size),
        "statuses": {status.value: text(probability) for status, probability in law.statuses.items()},
        "probabilities_sum_to": text(balanced_sum(list(law.statuses.values()))),
        "parameters": [
            {
                "theta": [text(entry) for entry in atom.theta],
                "probability": text(atom.probability),
                "by_status": {status.value: text(share) for status, share in atom.by_status.items()},
            }
            for atom in parameters
        ],
        "objective_after_the_last_applied_step": [
            {"value": None if atom.value is None else text(atom.value), "probability": text(atom.probability)}
            for atom in objectives
        ],
        "told_apart": told_apart_mapping([atom.theta for atom in parameters], [atom.value for atom in objectives]),
        "expected_first_gradient": gradient_mapping(law.gradient, arithmetic),
        "true_objective": {
            "at_theta_0": text(law.true_objective.at_start),
            "expected_at_the_returned_theta": text(law.true_objective.expected),
        },
        "expected_calls": {line: text(calls) for line, calls in law.calls.items()},
    }


def sampled_mapping(law: SampledLaw, gradient: ExpectedGradient | None, arithmetic: Arithmetic) -> Json:
    """A sampled law for programs; what is exact in it, the expected gradient and the value at theta_0, says so."""
    text = arithmetic.text
    parameters, objectives = most_frequent(law.parameters), most_frequent(law.objectives)
    return {
        "kind": "sampled-law",
        "runs": law.runs,
        "seeds": [law.first_seed, law.first_seed + law.runs - 1],
        "confidence": str(law.confidence),
        **size_mapping(law.size),
        "statuses": {
            status.value: {
                "runs": found.runs,
                "share": str(Fraction(found.runs, law.runs)),
                "interval": [decimal(found.lower, INTERVAL_DIGITS, False), decimal(found.upper, INTERVAL_DIGITS, True)],
            }
            for status, found in law.statuses.items()
        },
        "parameters": [
            {"theta": texts(theta, arithmetic), "runs": runs} for theta, runs in parameters
        ],
        "objective_after_the_last_applied_step": [
            {"value": None if value is None else text(value), "runs": runs}
            for value, runs in objectives
        ],
        "told_apart": told_apart_mapping([theta for theta, _ in parameters], [value for value, _ in objectives]),
        "expected_first_gradient": None if gradient is None else gradient_mapping(gradient, arithmetic),
        "true_objective": {
            "at_theta_0": text(law.true_objective_at_start),
            "mean_at_the_returned_theta": text(law.mean_true_objective),
        },
        "mean_calls": {line: str(calls) for line, calls in law.mean_calls.items()},
    }


def told_apart_mapping(thetas: Sequence[Vector], values: Sequence[Scalar | None]) -> Json:
    """How many different rows each list has, and which of its rows, counted from 0, are not told apart.

    No step, in place of a value of F, is told apart from every value, and is none.
    """
    stepped = [row for row, value in enumerate(values) if value is not None]
    return {
        "parameters": counts_mapping(thetas, range(len(thetas))),
        "objective_after_the_last_applied_step": counts_mapping([(values[row],) for row in stepped], stepped),
    }


def counts_mapping(vectors: Sequence[Vector], rows: Sequence[int]) -> Json:
    """Of one list, whose vectors stand in these rows."""
    groups = not_told_apart(vectors)
    return {
        "at_least": len(vectors) - sum(len(group.rows) - 1 for group in groups),
        "at_most": len(vectors),
        "not_told_apart": [
            {"rows": [rows[place] for place in group.rows], "agreeing_decimals": group.decimals} for group in groups
        ],
    }


def most_frequent(found: Sequence[tuple[Any, int]]) -> list[tuple[Any, int]]:
    """What was found, from the most frequent on."""
    return sorted(found, key=lambda entry: -entry[1])


def law_parts(mapping: Json, title: str) -> Iterator[RenderableType]:
    """An exact law for people."""
    yield Text(title, style="bold")
    yield Text(
        f"exact: {mapping['cases']} cases up to the order of the draws, for {ordered(mapping)} ordered draws; "
        f"contracts {mapping['contracts']}"
    )
    yield Text("")
    statuses = table("status", "probability", "about")
    for status, probability in mapping["statuses"].items():
        statuses.add_row(status, short(probability), about(probability))
    statuses.add_row("together", short(mapping["probabilities_sum_to"]), "")
    yield statuses
    yield Text("")
    yield from listed(
        "theta returned",
        [
            (vector_text(atom["theta"]), short(atom["probability"]), ", ".join(atom["by_status"]))
            for atom in mapping["parameters"]
        ],
        ("probability", "with status"),
        ("theta", mapping["told_apart"]["parameters"]),
    )
    yield Text("")
    yield from listed(
        "F after the last applied step",
        [
            (no_step(atom["value"]), short(atom["probability"]))
            for atom in mapping["objective_after_the_last_applied_step"]
        ],
        ("probability",),
        ("F", mapping["told_apart"]["objective_after_the_last_applied_step"]),
    )
    yield Text("")
    yield gradient_line(mapping["expected_first_gradient"])
    values = mapping["true_objective"]
    yield Text(
        f"E[R] - beta KL: {short(values['at_theta_0'])} at theta_0, expected "
        f"{short(values['expected_at_the_returned_theta'])} at the theta returned"
    )
    yield Text("")
    yield calls_table("expected", mapping["expected_calls"], short)


def sampled_parts(mapping: Json, title: str) -> Iterator[RenderableType]:
    """A sampled law for people."""
    first, last = mapping["seeds"]
    yield Text(title, style="bold")
    yield Text(
        f"SAMPLED, not enumerated: {mapping['runs']} exact runs, seeds {first} to {last} (grpocheck run --seed gives "
        f"any of them again), of {ordered(mapping)} ordered draws; contracts {mapping['contracts']}"
    )
    yield Text("")
    statuses = table("status", "runs", f"probability, with confidence {mapping['confidence']} each", right=("runs",))
    for status, found in mapping["statuses"].items():
        statuses.add_row(status, str(found["runs"]), f"[{', '.join(found['interval'])}]")
    yield statuses
    yield Text("")
    parameters = [(vector_text(atom["theta"]), str(atom["runs"])) for atom in mapping["parameters"]]
    told = mapping["told_apart"]
    heading = "theta returned (as sampled: rarer ones may be missing)"
    yield from listed(heading, parameters, ("runs",), ("theta", told["parameters"]))
    yield Text("")
    values = mapping["objective_after_the_last_applied_step"]
    objectives = [(no_step(atom["value"]), str(atom["runs"])) for atom in values]
    found = told["objective_after_the_last_applied_step"]
    yield from listed("F after the last applied step (as sampled)", objectives, ("runs",), ("F", found))
    yield Text("")
    if mapping["expected_first_gradient"] is not None:
        yield gradient_line(mapping["expected_first_gradient"])
    found = mapping["true_objective"]
    yield Text(
        f"E[R] - beta KL: {short(found['at_theta_0'])} at theta_0 (exact), mean over the runs "
        f"{short(found['mean_at_the_returned_theta'])} at the theta returned"
    )
    yield Text("")
    yield calls_table("mean over the runs", mapping["mean_calls"], str)


def ordered(mapping: Json) -> str:
    """The ordered draws, as a power and in full where that is short."""
    powers, count = mapping["ordered_draws"], mapping["ordered_draws_count"]
    return f"{powers}" if count is None else f"{powers} = {count:,}"


def about(probability: Any) -> str:
    """A probability in a few digits, where it is not written in a few already."""
    if not isinstance(probability, str) or len(probability) <= 6:
        return ""
    shown = short(probability)
    return shown if shown != probability else f"{float(Fraction(probability)):.6g}" if "sqrt" not in probability else ""


def no_step(value: Any) -> str:
    """A value of F, or that there is none."""
    return "none: no step was applied" if value is None else short(value)


def gradient_line(found: Json) -> Text:
    """The expected gradient of the first attempt."""
    return Text(
        f"expected gradient of the first attempt, exact, from {found['single_prompt_cases']} groups of one prompt: "
        f"{vector_text(found['gradient'])}"
    )


def listed(
    heading: str, rows: Sequence[tuple[str, ...]], headings: tuple[str, ...], told: tuple[str, Json]
) -> Iterator[RenderableType]:
    """The most probable rows, how many more there are, and which of them all are not told apart."""
    what, found = told
    groups = found["not_told_apart"]
    letters = {row: letter(place) for place, group in enumerate(groups) for row in group["rows"]}
    marked = any(row in letters for row in range(min(len(rows), MOST_ATOMS)))
    drawn = table(heading, *headings, *(["not told apart"] if marked else []))
    for place, row in enumerate(rows[:MOST_ATOMS]):
        drawn.add_row(*row, *([letters.get(place, "")] if marked else []))
    yield drawn
    if len(rows) > MOST_ATOMS:
        yield Text(f"... and {len(rows) - MOST_ATOMS} more (--json lists all {len(rows)})")
    if groups:
        decimals = min(group["agreeing_decimals"] for group in groups)
        yield Text(
            f"at least {found['at_least']} and at most {found['at_most']} values of {what}: "
            f"{sum(len(group['rows']) for group in groups)} rows, in {len(groups)} "
            f"{'group' if len(groups) == 1 else 'groups'}, are equal as far as {decimals} decimals decide "
            "(--json lists the groups)"
        )


def letter(place: int) -> str:
    """a, b, ..., z, a1, b1, ...: the name of a group."""
    turn, position = divmod(place, 26)
    return chr(ord("a") + position) + (str(turn) if turn else "")


def calls_table(heading: str, calls: Mapping[str, Any], written: Callable[[Any], str]) -> RenderableType:
    """Lines of the ledger that are not 0."""
    rows = table("oracle calls", heading)
    for line, label in CALLS:
        if calls[line] != "0":
            rows.add_row(label, written(calls[line]))
    return rows

