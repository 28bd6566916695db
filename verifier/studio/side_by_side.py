"""Two variants on the same groups: terms, gradients, what each would do next, and exact bias and variance."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from grpocheck.core import InvalidProblem, Kind, Problem, UndecidedComparison, Undefined
from grpocheck.core.arithmetic import Arithmetic, EnclosureArithmetic, Scalar
from grpocheck.core.gradient import Vector
from grpocheck.core.values import rational
from grpocheck.core.variants.policies import Positions, Update
from grpocheck.core.variants.registry import NAMED, named
from grpocheck.core.variants.variant import Variant
from grpocheck.core.variants.words import composition
from grpocheck.verifier.estimator.exact import estimate
from grpocheck.verifier.estimator.groups import Realised, realised
from grpocheck.verifier.estimator.moments import number_of_cases
from grpocheck.verifier.estimator.problems import update_of
from grpocheck.verifier.estimator.report import sentence
from grpocheck.verifier.prime_logs import PrimeLogs
from grpocheck.verifier.studio.shown import shown, vector
from grpocheck.verifier.studio.stage import Stage

MOST_CASES = 1500
"""Groups that are enumerated for bias and variance while a person waits."""
MOST_VISITED = 12
MOST_RATIOS = 8


def variants() -> list[dict[str, str]]:
    """The named variants, each with its source."""
    return [{"name": name, "source": entry.source} for name, entry in NAMED.items()]


def visited(stage: Stage) -> list[dict[str, Any]]:
    """The parameters of the first outer iteration: where its gradients were taken, so far as they are rational."""
    found = [("θ old", stage.situations[0].theta)]
    for event, now in zip(stage.events, stage.situations, strict=True):
        if event.kind is Kind.APPLY and now.t == 1:
            found.append((f"θ after {now.applied} step{'s' if now.applied > 1 else ''}", now.theta))
    return [
        {"label": label, "at": ", ".join(str(entry) for entry in theta)}
        for label, theta in found[:MOST_VISITED]
        if all(isinstance(entry, int | Fraction) for entry in theta)
    ]


def compared(stage: Stage, names: Sequence[object], at: object) -> dict[str, Any]:
    """Two variants at a parameter, on the draws of the first outer iteration. Raises InvalidProblem for bad names."""
    problem = stage.problem
    frozen = stage.frozen(1)
    if frozen is None:
        raise InvalidProblem("draws", None, "an outer iteration whose groups are complete")
    chosen = [named(str(name)[:80]) for name in names]
    place = parameter(problem, at)
    draws = [group.positions for group in frozen.groups]
    return {
        "visited": visited(stage),
        "at": ", ".join(str(entry) for entry in place or problem.theta),
        "rows": [
            {"prompt": group.prompt.name, "i": i + 1, "response": group.prompt.responses[position]}
            for group in frozen.groups
            for i, position in enumerate(group.positions)
        ],
        "sides": [side(problem, variant, draws, place) for variant in chosen],
    }


def parameter(problem: Problem, at: object) -> tuple[Fraction, ...] | None:
    """The parameter of a request; None where it is theta_0, at which every ratio is 1."""
    if at in (None, ""):
        return None
    if not isinstance(at, str) or len(at) > 2000:
        raise InvalidProblem("at", at, "numbers parted by commas")
    place = tuple(rational("at", entry.strip()) for entry in at.split(","))
    return None if place == problem.theta else place


def side(
    problem: Problem, variant: Variant, draws: Sequence[Positions], at: Sequence[Fraction] | None
) -> dict[str, Any]:
    """One variant: what it makes of the groups, and of all groups; an error where it cannot be had on this problem."""
    arithmetic: Arithmetic = PrimeLogs(EnclosureArithmetic())
    mapping: dict[str, Any] = {
        "name": variant.name,
        "source": variant.source,
        "parts": composition(variant),
        "error": None,
    }
    try:
        update = update_of(problem, arithmetic, at)
        return {
            **mapping,
            **on_these_draws(problem, variant, update, draws, at, arithmetic),
            "moments": moments(problem, variant, update, arithmetic),
        }
    except (InvalidProblem, UndecidedComparison) as error:
        return {**mapping, "error": str(error)}


def on_these_draws(
    problem: Problem,
    variant: Variant,
    update: Update,
    draws: Sequence[Positions],
    at: Sequence[Fraction] | None,
    arithmetic: Arithmetic,
) -> dict[str, Any]:
    """Advantages, ratios, terms, slopes, objective, gradient and the next parameter on the drawn groups."""
    found = realised(variant, update.batch(draws, variant, arithmetic), arithmetic)
    coefficients = update.coefficients(draws, variant, arithmetic)
    theta = [arithmetic.number(entry) for entry in at or problem.theta]
    mapping: dict[str, Any] = {
        "rows": rows_of(found),
        "objective": None if found.objective is None else shown(found.objective).to_mapping(),
        "gradient": None,
        "next": None,
        "inside": None,
    }
    if isinstance(coefficients, Undefined):
        return mapping
    parts = [prompt.gradient_of(c) for prompt, c in zip(update.prompts, coefficients, strict=True)]
    gradient: Vector = tuple(sum(column) for column in zip(*parts, strict=True))
    step = arithmetic.number(problem.step_sizes[0][0])
    proposal = tuple(entry + step * slope for entry, slope in zip(theta, gradient, strict=True))
    mapping["gradient"] = vector(gradient)
    mapping["next"] = vector(proposal)
    mapping["inside"] = problem.admissible_domain.contains(proposal, arithmetic)
    return mapping


def rows_of(found: Realised) -> list[dict[str, Any]]:
    """Each response: its advantage, its ratios (one for each token where the variant has them so), term and slope."""
    rows = []
    for g, advantages in enumerate(found.advantages):
        for i, advantage in enumerate(advantages):
            slope: Scalar = sum(found.slopes[g][i])
            ratios = [shown(ratio).to_mapping() for ratio in found.ratios[g][i][:MOST_RATIOS]]
            alike = len({ratio["exact"] for ratio in ratios}) == 1
            rows.append(
                {
                    "advantage": shown(advantage).to_mapping(),
                    "ratios": ratios[:1] if alike else ratios,
                    "term": None if found.terms is None else shown(found.terms[g][i]).to_mapping(),
                    "slope": shown(slope).to_mapping(),
                }
            )
    return rows


def moments(problem: Problem, variant: Variant, update: Update, arithmetic: Arithmetic) -> Mapping[str, Any]:
    """Expectation, bias and variance over every group that could be drawn; none where there are too many."""
    cases = number_of_cases(variant, update, problem.group_size)
    if cases > MOST_CASES:
        return {"cases": cases, "most": MOST_CASES, "sentence": None}
    try:
        found = estimate(variant, update, problem.group_size, arithmetic, MOST_CASES)
    except (InvalidProblem, UndecidedComparison) as error:
        return {"cases": cases, "most": MOST_CASES, "sentence": f"not to be had: {error}", "verdict": "undecided"}
    known = found.moments
    return {
        "cases": cases,
        "most": MOST_CASES,
        "verdict": found.verdict.value,
        "sentence": sentence(found, arithmetic),
        "expected": None if known.expected is None else vector(known.expected),
        "truth": vector(found.true_gradient),
        "bias": None if found.bias is None else vector(found.bias),
        "variance": None if known.total_variance is None else shown(known.total_variance).to_mapping(),
    }
