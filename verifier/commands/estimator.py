"""The command ``estimator``: what a variant estimates on a problem, or what it makes of one group."""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from fractions import Fraction
from os.path import isfile
from pathlib import Path
from typing import Any

from grpocheck.core.arithmetic import Arithmetic, EnclosureArithmetic
from grpocheck.core.oracles import Undefined
from grpocheck.core.problem import Problem
from grpocheck.core.reading import file_text, parsed, problem_from_mapping
from grpocheck.core.values import rational
from grpocheck.core.variants.penalties import Divergence
from grpocheck.core.variants.policies import Update
from grpocheck.core.variants.registry import AS_GIVEN, NAMED, named
from grpocheck.core.variants.variant import Variant
from grpocheck.core.variants.words import with_parts
from grpocheck.verifier.commands.arithmetics import chosen_arithmetic
from grpocheck.verifier.estimator.exact import Verdict, estimate
from grpocheck.verifier.estimator.groups import read_groups, realised
from grpocheck.verifier.estimator.moments import MOST_CASES, TooManyCases, number_of_cases
from grpocheck.verifier.estimator.plot import Series, approximate, svg
from grpocheck.verifier.estimator.problems import update_of
from grpocheck.verifier.estimator.report import (
    HEADINGS,
    composition_parts,
    composition_rows,
    estimation_mapping,
    estimation_parts,
    realised_mapping,
    realised_parts,
    search_mapping,
)
from grpocheck.verifier.estimator.search import search
from grpocheck.verifier.failures import UNDECIDED, BadOption, emit, say
from grpocheck.verifier.files import check_writable, in_file, write_text
from grpocheck.verifier.prime_logs import PrimeLogs
from grpocheck.verifier.printing import printable
from grpocheck.verifier.progress import progress_bar
from grpocheck.verifier.tables import drawn

PLOTTED_SIZES = range(2, 9)


@dataclass(frozen=True)
class EstimatorRequest:
    """What was asked of ``estimator``."""

    name: str
    problem: Path | None
    parts: Sequence[str] = ()
    compare: Sequence[str] = ()
    compare_parts: Sequence[str] = ()
    at: str | None = None
    coordinates: str = "theta"
    group_size: int | None = None
    neighbours: bool = True
    plot: Path | None = None
    cases: int = MOST_CASES
    arithmetic: str = "auto"
    digits: int | None = None
    max_bits: int | None = None
    json: bool = False


def estimator(request: EstimatorRequest) -> int:
    """Print what the variant estimates on the problem, or what it makes of the groups; the exit status.

    0 where every comparison was decided, 3 where one was not, or where the enumeration would be too large.
    """
    if request.plot is not None:
        check_writable("--plot", request.plot, "a picture")
    try:
        mapping = estimator_mapping(request, in_file)
    except TooManyCases as error:
        say(f"grpocheck: {error}")
        if request.json:
            emit(json.dumps({"kind": "too-large", "cases": str(error.cases), "limit": error.limit}, indent=2))
        return UNDECIDED
    if request.json:
        emit(json.dumps(mapping, indent=2, ensure_ascii=False))
    else:
        emit(drawn(parts_of(mapping, request)))
    return UNDECIDED if any(m.get("verdict") == Verdict.UNDECIDED.value for m in mapping["variants"]) else 0


def table_of_variants(as_json: bool = False) -> int:
    """Print which named method is which composition of parts."""
    variants = list(NAMED.values())
    if as_json:
        rows = [dict(zip(HEADINGS, row, strict=True)) for row in composition_rows(variants)]
        emit(json.dumps({"methods": rows}, indent=2, ensure_ascii=False))
    else:
        emit(drawn(composition_parts(variants)))
    return 0


def parts_of(mapping: dict[str, Any], request: EstimatorRequest) -> Any:
    """The output for people."""
    if mapping["kind"] == "problem":
        title = f"{printable(str(request.problem))}, gradient by {request.coordinates}"
        return estimation_parts(mapping["variants"], title + (f" at {request.at}" if request.at else ""))
    return [part for m in mapping["variants"] for part in realised_parts(m, m["variant"])]


def estimator_mapping(
    request: EstimatorRequest, reading: Callable[[Path], AbstractContextManager[object]] = nullcontext
) -> dict[str, Any]:
    """Everything that the command prints, for programs; the file is read within the context that ``reading`` makes."""
    if isfile(request.name):
        meant = f"grpocheck estimator {request.problem or 'section-1'} {request.name}"
        expected = f"a method before it (--methods lists them): {meant}"
        raise BadOption("VARIANT", request.name, "it is a file", expected)
    if request.problem is None:
        raise BadOption("PROBLEM", None, "none is given", "a problem file, or a file of groups")
    if len(request.compare) != 1 and request.compare_parts:
        asked = " ".join(request.compare_parts)
        which = "there is no second method" if not request.compare else "there are several other methods"
        raise BadOption("--compare-with", asked, which, "one --compare VARIANT with it")
    variants = [with_parts(named(request.name), request.parts)]
    variants += [with_parts(named(name), request.compare_parts) for name in request.compare]
    with reading(request.problem):
        document = parsed(file_text(request.problem))
        if "groups" in document:
            return {"kind": "groups", "variants": [group_mapping(v, document, request) for v in variants]}
        problem = problem_from_mapping(document)
    if request.group_size is not None:
        problem = replace(problem, group_size=request.group_size, recorded=None)
    if request.plot is not None:
        write_text(request.plot, plotted(variants, problem, request))
    return {"kind": "problem", "variants": [problem_mapping(variant, problem, request) for variant in variants]}


def requested_arithmetic(request: EstimatorRequest) -> Arithmetic:
    """The arithmetic of the request, its logarithms of rationals in primes.

    Enclosures keep exact numbers exact, so that ``auto`` begins with them: there is nothing to go over to.
    """
    name = "enclosure" if request.arithmetic == "auto" else request.arithmetic
    options = {"digits": request.digits, "max_bits": request.max_bits}
    return PrimeLogs(chosen_arithmetic(name, lambda reason: None, **options))


def certified() -> Arithmetic:
    """The arithmetic of the search, whatever that of the request."""
    return PrimeLogs(EnclosureArithmetic())


def group_mapping(variant: Variant, document: dict[str, Any], request: EstimatorRequest) -> dict[str, Any]:
    """What a variant makes of the groups of a file."""
    arithmetic = requested_arithmetic(request)
    read = read_groups(document, arithmetic)
    if read.states_advantages:
        variant = replace(variant, advantage=AS_GIVEN)
    return {"variant": variant.name, **realised_mapping(realised(variant, read.batch, arithmetic), arithmetic)}


def problem_mapping(variant: Variant, problem: Problem, request: EstimatorRequest) -> dict[str, Any]:
    """What a variant estimates on a problem, over all draws, on its recorded ones, and on its neighbours."""
    arithmetic = requested_arithmetic(request)
    update = update_of(problem, arithmetic, numbers("--at", request.at), request.coordinates)
    cases = number_of_cases(variant, update, problem.group_size)
    with progress_bar(f"{variant.name}, groups", cases) as advance:
        found = estimate(variant, update, problem.group_size, arithmetic, request.cases, advance)
    mapping = estimation_mapping(found, [prompt.name for prompt in problem.prompts], arithmetic)
    if found.verdict is Verdict.BIASED and problem.beta != 0 and variant.kl.divergence is Divergence.NONE:
        mapping["sentence"] += f"; {without_penalty(problem)}"
    if problem.recorded is not None:
        mapping["recorded"] = recorded_mapping(variant, problem, update, arithmetic)
    if request.neighbours:
        result = search(variant, request.at is not None, problem.beta, problem.epsilon, certified)
        mapping["neighbours"] = search_mapping(result, arithmetic)
    return mapping


def without_penalty(problem: Problem) -> str:
    """What to know where a method without a KL part stands beside the gradient of an objective that has one."""
    return (
        f"this method has no KL part, and the true gradient has that of -beta KL, beta = {problem.beta}: "
        "--with kl=exact adds it, beta = 0 in the problem leaves both out"
    )


def recorded_mapping(variant: Variant, problem: Problem, update: Update, arithmetic: Arithmetic) -> dict[str, Any]:
    """What a variant makes of the recorded draws of the first outer iteration."""
    assert problem.recorded is not None
    draws = [
        tuple(prompt.responses.index(response) for response in group)
        for prompt, group in zip(problem.prompts, problem.recorded[0], strict=True)
    ]
    batch = update.batch(draws, variant, arithmetic)
    coefficients = update.coefficients(draws, variant, arithmetic)
    gradient = None
    if not isinstance(coefficients, Undefined):
        parts = [p.gradient_of(c) for p, c in zip(update.prompts, coefficients, strict=True)]
        gradient = [arithmetic.text(sum(column)) for column in zip(*parts, strict=True)]
    return {**realised_mapping(realised(variant, batch, arithmetic), arithmetic), "gradient": gradient}


def numbers(option: str, text: str | None) -> tuple[Fraction, ...] | None:
    """Numbers parted by commas."""
    return None if text is None else tuple(rational(option, entry.strip()) for entry in text.split(","))


def plotted(variants: Sequence[Variant], problem: Problem, request: EstimatorRequest) -> str:
    """Squared bias and total variance of each variant on the problem, by group size."""
    series = []
    for variant in variants:
        bias, variance = [], []
        for size in PLOTTED_SIZES:
            arithmetic = requested_arithmetic(request)
            update = update_of(problem, arithmetic, numbers("--at", request.at), request.coordinates)
            found = estimate(variant, update, size, arithmetic, request.cases)
            if found.bias is None:
                why = f"{variant.name} has no expected gradient at group size {size}: some draws leave a kink"
                raise BadOption("--plot", request.plot, why, "a method, or a point --at, that leaves none")
            bias.append((size, approximate(sum(entry * entry for entry in found.bias))))
            variance.append((size, approximate(found.moments.total_variance)))
        series.append(Series(variant.name, "squared bias", tuple(bias)))
        series.append(Series(variant.name, "total variance", tuple(variance)))
    names = " and ".join(variant.name for variant in variants)
    return svg(series, f"{names} on {', '.join(prompt.name for prompt in problem.prompts)}")
