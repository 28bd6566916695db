"""What an estimation says, for programs and for people."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grpocheck.core.arithmetic import Arithmetic, Scalar, UndecidedComparison, enclose, parse_exact
from grpocheck.core.gradient import Vector
from grpocheck.core.variants.words import PARTS, composition
from grpocheck.verifier.estimator.exact import Estimation, Verdict, multiple_of_truth
from grpocheck.verifier.estimator.groups import Realised
from grpocheck.verifier.estimator.search import SearchResult
from grpocheck.verifier.tables import table
from rich.console import RenderableType
from rich.text import Text

Json = dict[str, Any]

MOST_SHOWN = 24
"""An exact number up to this length stands in a table as it is; a longer one by its first digits."""
CERTAIN_DIGITS = 12
FEWEST_DIGITS = 6
MOST_WRITTEN = 80
FEW = 3


def texts(vector: Sequence[Scalar] | None, arithmetic: Arithmetic) -> list[Any] | None:
    """The entries of a vector as texts."""
    return None if vector is None else [arithmetic.text(entry) for entry in vector]


def text(value: Scalar | None, arithmetic: Arithmetic) -> Any:
    """A number as a text, None where there is none."""
    return None if value is None else arithmetic.text(value)


def estimation_mapping(estimation: Estimation, names: Sequence[str], arithmetic: Arithmetic) -> Json:
    """An estimation for programs; ``names`` are those of the prompts."""
    moments = estimation.moments
    expected, truth = moments.expected, estimation.true_gradient
    return {
        "variant": estimation.variant.name,
        "parts": composition(estimation.variant),
        "group_size": estimation.group_size,
        "verdict": estimation.verdict.value,
        "sentence": sentence(estimation, arithmetic),
        "expected_gradient": texts(expected, arithmetic),
        "true_gradient": texts(truth, arithmetic),
        "bias": texts(estimation.bias, arithmetic),
        "multiple_of_true_gradient": multiple(expected, truth, arithmetic),
        "covariance": moments.covariance and [texts(row, arithmetic) for row in moments.covariance],
        "total_variance": text(moments.total_variance, arithmetic),
        "second_moment": text(moments.second_moment, arithmetic),
        "expected_objective": text(moments.value, arithmetic),
        "objective_variance": text(moments.value_variance, arithmetic),
        "true_objective": text(estimation.true_objective, arithmetic),
        "probability_undefined": text(moments.undefined, arithmetic),
        "prompts": [
            {
                "prompt": name,
                "expected_share": texts(share, arithmetic),
                "own_gradient": texts(own, arithmetic),
                "multiplier": multiple(share, own, arithmetic),
            }
            for name, share, own in zip(names, moments.by_prompt or (), estimation.true_by_prompt, strict=False)
        ],
        "cases": moments.cases,
        "ordered_draws": moments.ordered,
    }


def multiple(expected: Vector | None, truth: Vector, arithmetic: Arithmetic) -> Any:
    """c with expected = c * truth as a text, where there is one and comparisons show it."""
    if expected is None:
        return None
    try:
        return text(multiple_of_truth(expected, truth, arithmetic), arithmetic)
    except UndecidedComparison:
        return None


def sentence(estimation: Estimation, arithmetic: Arithmetic) -> str:
    """The verdict in words."""
    if estimation.verdict is Verdict.UNBIASED:
        return "unbiased on this problem: equal exactly"
    if estimation.verdict is Verdict.UNDEFINED:
        probability = in_full(estimation.moments.undefined, arithmetic)
        return f"no expected gradient: with probability {probability} the draws leave a kink, where there is none"
    assert estimation.bias is not None
    bias = f"({', '.join(in_full(entry, arithmetic) for entry in estimation.bias)})"
    if estimation.verdict is Verdict.UNDECIDED:
        return f"undecided: the bias {bias} may be 0 or not; {estimation.undecided}"
    cut = "..." in bias or "[" in bias
    return f"biased by {bias} (certified digits)" if cut else f"biased by exactly {bias}"


def in_full(value: Scalar, arithmetic: Arithmetic) -> str:
    """A number exactly, as its expression where it is no exact number; digits alone where that is too long."""
    written = arithmetic.text(value)
    if isinstance(written, str):
        return written
    expression = str(value)
    return short(written) if len(expression) > MOST_WRITTEN or "..." in expression else expression


def short(entry: Any) -> str:
    """A number of the output in a table: exactly where that is short, else the digits that are certain."""
    if entry is None:
        return "-"
    if isinstance(entry, str):
        if len(entry) <= MOST_SHOWN:
            return entry
        entry = enclose(parse_exact(entry), CERTAIN_DIGITS)
    lower, upper = entry
    if lower == upper:
        return str(lower)
    (digits, _, power), (others, _, other_power) = lower.partition("e"), upper.partition("e")
    same = next((place for place, (a, b) in enumerate(zip(digits, others, strict=False)) if a != b), len(digits))
    if power != other_power or same < FEWEST_DIGITS:
        return f"[{lower}, {upper}]"
    return f"{digits[: min(same, CERTAIN_DIGITS + 3)]}..." + (f" e{power}" if power else "")


def vector_text(entries: Sequence[Any] | None) -> str:
    """A vector in brackets; one number many times is written once, and so are many that begin alike, which is said."""
    if entries is None:
        return "-"
    shown = [short(entry) for entry in entries]
    if len(shown) > FEW and len(set(shown)) == 1:
        exactly = all(isinstance(entry, str) and entry == entries[0] for entry in entries)
        return f"({shown[0]}, {len(shown)} times)" if exactly else f"({shown[0]}, {len(shown)} numbers that begin so)"
    return f"({', '.join(shown)})"


def search_mapping(result: SearchResult, arithmetic: Arithmetic) -> Json:
    """A search over neighbours for programs."""
    found = result.estimation
    return {
        "searched": result.searched,
        "verdicts": {verdict.value: count for verdict, count in result.verdicts.items() if count},
        "smallest_with_a_bias": None if result.smallest is None else str(result.smallest),
        "expected_gradient": None if found is None else texts(found.moments.expected, arithmetic),
        "true_gradient": None if found is None else texts(found.true_gradient, arithmetic),
        "sentence": search_sentence(result, arithmetic),
    }


def search_sentence(result: SearchResult, arithmetic: Arithmetic) -> str:
    """What the search lets one say of the variant in general."""
    found = result.estimation
    if found is None:
        counts = ", ".join(f"{count} {verdict.value}" for verdict, count in result.verdicts.items() if count)
        return (
            f"no bias on any of {result.searched} neighbouring problems, supports of 2 and 3, G from 2 to 4 "
            f"({counts}): a search, not a proof"
        )
    expected, truth = (
        vector_text(texts(entries, arithmetic)) for entries in (found.moments.expected, found.true_gradient)
    )
    return f"biased in general: the smallest problem found has {result.smallest}; E = {expected}, true {truth}"


def realised_mapping(found: Realised, arithmetic: Arithmetic) -> Json:
    """What a variant makes of one batch, for programs."""

    def deep(values: Any) -> Any:
        return [deep(entry) for entry in values] if isinstance(values, tuple) else text(values, arithmetic)

    return {
        "advantages": deep(found.advantages),
        "ratios": deep(found.ratios),
        "terms": deep(found.terms),
        "ratio_slopes": deep(found.ratio_slopes),
        "objective": text(found.objective, arithmetic),
        "log_mass_slopes": deep(found.slopes),
        "kinks": found.kinks,
        "clipped_share": found.clipped and {test: str(share) for test, share in found.clipped.items()},
    }


def estimation_parts(mappings: Sequence[Json], title: str) -> Iterator[RenderableType]:
    """One estimation, or two beside each other, for people."""
    yield Text(title, style="bold")
    for mapping in mappings:
        yield Text(f"{mapping['variant']}: {mapping['sentence']}")
        if "neighbours" in mapping:
            yield Text(f"  {mapping['neighbours']['sentence']}")
    yield Text("")
    rows = table("", *[mapping["variant"] for mapping in mappings])
    for label, key in (
        ("expected gradient", "expected_gradient"),
        ("true gradient", "true_gradient"),
        ("bias", "bias"),
    ):
        rows.add_row(label, *[vector_text(mapping[key]) for mapping in mappings])
    for label, key in (
        ("E = c * true gradient, c", "multiple_of_true_gradient"),
        ("total variance", "total_variance"),
        ("second moment E|g|^2", "second_moment"),
        ("expected objective", "expected_objective"),
        ("variance of the objective", "objective_variance"),
        ("E[R] - beta KL", "true_objective"),
    ):
        rows.add_row(label, *[short(mapping[key]) for mapping in mappings])
    rows.add_row("cases for ordered draws", *[f"{m['cases']} for {m['ordered_draws']}" for m in mappings])
    yield rows
    for mapping in mappings:
        if len(mapping["prompts"]) > 1:
            yield Text("")
            shares = table(f"{mapping['variant']}: prompt", "expected share", "its own gradient", "multiplier")
            for entry in mapping["prompts"]:
                own, share = vector_text(entry["own_gradient"]), vector_text(entry["expected_share"])
                shares.add_row(entry["prompt"], share, own, short(entry["multiplier"]))
            yield shares
    for mapping in mappings:
        if "recorded" in mapping:
            yield from realised_parts(mapping["recorded"], f"{mapping['variant']} on the recorded draws")


def realised_parts(mapping: Json, title: str) -> Iterator[RenderableType]:
    """One batch for people."""
    yield Text("")
    yield Text(title, style="bold")
    rows = table("group", "response", "advantage", "ratios", "term", "slope in the ratio", "dF/d log pi")
    for g, advantages in enumerate(mapping["advantages"]):
        for i, advantage in enumerate(advantages):
            in_ratio = mapping["ratio_slopes"]
            rows.add_row(
                str(g + 1),
                str(i + 1),
                short(advantage),
                vector_text(mapping["ratios"][g][i]),
                "-" if mapping["terms"] is None else short(mapping["terms"][g][i]),
                "-" if in_ratio is None else vector_text(in_ratio[g][i]),
                vector_text(mapping["log_mass_slopes"][g][i]),
            )
    yield rows
    if mapping["objective"] is not None:
        yield Text(f"objective {short(mapping['objective'])}")
    if "gradient" in mapping:
        yield Text(f"gradient  {vector_text(mapping['gradient']) if mapping['gradient'] else 'undefined: a kink'}")
    if mapping["clipped_share"] is not None:
        yield Text("clipped share of the tokens: " + in_words(mapping["clipped_share"]))


def in_words(shares: Mapping[str, str]) -> str:
    """The shares that the tests count."""
    return ", ".join(f"{test} {share}" for test, share in shares.items())


def composition_rows(variants: Sequence[Any]) -> list[list[str]]:
    """One row for each named method: its name, its parts where they are not none, its source."""
    rows = []
    for variant in variants:
        parts = composition(variant)
        others = ", ".join(
            f"{part} {parts[part]}" for part in PARTS[5:] if parts[part] not in ("none", "all")
        )
        rows.append([variant.name, *[parts[part] for part in PARTS[:5]], others or "-", variant.source])
    return rows


HEADINGS = ("method", *PARTS[:5], "other parts", "source")


def composition_parts(variants: Sequence[Any]) -> Iterator[RenderableType]:
    """The named methods for people: a table of their parts, and one of their sources, names on one line."""
    parts, sources = table(*HEADINGS[:-1]), table("method", HEADINGS[-1])
    for name, *five, others, source in composition_rows(variants):
        parts.add_row(name, *map(broken, five), others)
        sources.add_row(name, source)
    for rows in (parts, sources):
        rows.columns[0].no_wrap = True
    yield parts
    yield ""
    yield sources


def broken(words: str, most: int = 15) -> str:
    """The words of a part on several lines where they are long, each line ending where a word does."""
    pieces = re.split(r"(?<=[,+])|(?<=/)(?=\D)", words) if len(words) > most else [words]
    return "\n".join(piece if len(piece) <= most else piece.replace("-", "-\n", 1) for piece in pieces)


def composition_markdown(variants: Sequence[Any]) -> str:
    """The table of named methods as Markdown."""
    lines = [f"| {' | '.join(HEADINGS)} |", "|---" * len(HEADINGS) + "|"]
    lines += [f"| {' | '.join(row)} |" for row in composition_rows(variants)]
    return "\n".join(lines)
