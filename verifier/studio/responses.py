"""What each drawn response does at a parameter: reward, advantage, ratio, its side of the clip, and its gradient."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from grpocheck.core import Arithmetic, Problem, UndecidedComparison
from grpocheck.core.arithmetic import Scalar
from grpocheck.core.families.family import Family
from grpocheck.core.frozen import Group
from grpocheck.core.gradient import Vector, is_active, kinked_draws
from grpocheck.core.ratio import clipped_term
from grpocheck.verifier.studio.shown import shown
from grpocheck.verifier.studio.stage import Situation


class Side(StrEnum):
    """Where a ratio stands against the clip interval [1 - epsilon, 1 + epsilon]."""

    BELOW = "below 1 − ε"
    AT_LOWER = "on 1 − ε"
    INSIDE = "inside"
    AT_UPPER = "on 1 + ε"
    ABOVE = "above 1 + ε"


class Gradient(StrEnum):
    """What a response adds to the gradient of F_t."""

    ALIVE = "alive"
    CUT = "cut: the clip holds its term constant"
    KINK = "none: its term has a kink here"
    FLAT = "0: on the bound, but its ratio does not move"
    ZERO = "0: its advantage is 0"


@dataclass(frozen=True)
class Policies:
    """Masses and mass gradients of every prompt at a parameter."""

    masses: tuple[Vector, ...]
    mass_gradients: tuple[tuple[Vector, ...], ...]


def policies_at(problem: Problem, theta: Vector, arithmetic: Arithmetic) -> Policies:
    """pi_theta and its derivatives, prompt by prompt."""
    family = problem.family
    assert isinstance(family, Family)
    return Policies(
        tuple(family.masses(theta, prompt, arithmetic) for prompt in problem.prompts),
        tuple(family.mass_gradients(theta, prompt, arithmetic) for prompt in problem.prompts),
    )


def side_of(ratio: Scalar, epsilon: Scalar, arithmetic: Arithmetic) -> Side:
    """Where a ratio stands; raises UndecidedComparison where that is not decided."""
    if arithmetic.equal(ratio, 1 - epsilon):
        return Side.AT_LOWER
    if arithmetic.equal(ratio, 1 + epsilon):
        return Side.AT_UPPER
    if arithmetic.less(ratio, 1 - epsilon):
        return Side.BELOW
    if arithmetic.less(1 + epsilon, ratio):
        return Side.ABOVE
    return Side.INSIDE


def gradient_of(
    i: int, group: Group, ratio: Scalar, kinked: tuple[int, ...] | None, epsilon: Scalar, arithmetic: Arithmetic
) -> Gradient:
    """What draw i of a group adds to the gradient at a ratio."""
    advantage = group.advantages[i]
    if arithmetic.equal(advantage, 0):
        return Gradient.ZERO
    if i in (kinked or ()):
        return Gradient.KINK
    if is_active(ratio, advantage, epsilon, arithmetic):
        return Gradient.ALIVE
    bound = 1 + epsilon if arithmetic.less(0, advantage) else 1 - epsilon
    return Gradient.FLAT if arithmetic.equal(ratio, bound) else Gradient.CUT


def response_rows(
    problem: Problem, situation: Situation, policies: Policies, arithmetic: Arithmetic
) -> list[dict[str, Any]]:
    """A row for each response drawn so far, with what is known of it.

    Rewards are the problem's, so a response that is drawn twice in a group is the same twice and is looked at once.
    """
    rows: list[dict[str, Any]] = []
    epsilon = arithmetic.number(problem.epsilon)
    for prompt, drawn in zip(problem.prompts, situation.draws, strict=True):
        place = prompt.position
        group = situation.groups[place] if place < len(situation.groups) else None
        masses = policies.masses[place]
        kinked: tuple[int, ...] | None = None
        if group is not None:
            kinked = decided_kinks(group, masses, policies.mass_gradients[place], epsilon, arithmetic)
        known: dict[tuple[int, bool], dict[str, Any]] = {}
        for i, draw in enumerate(drawn):
            key = (draw.position, draw.reward is not None)
            if key not in known:
                known[key] = {
                    "response": prompt.responses[draw.position],
                    "reward": None if draw.reward is None else shown(draw.reward).to_mapping(),
                    "mass": shown(masses[draw.position]).to_mapping(),
                }
                if group is not None:
                    known[key] |= group_part(i, group, masses[draw.position], kinked, epsilon, arithmetic)
            rows.append({"prompt": prompt.name, "i": i + 1, **known[key]})
    return rows


def decided_kinks(
    group: Group, masses: Vector, mass_gradients: tuple[Vector, ...], epsilon: Scalar, arithmetic: Arithmetic
) -> tuple[int, ...] | None:
    """The draws on a kink; None where a comparison is not decided."""
    try:
        return kinked_draws(group, masses, mass_gradients, epsilon, arithmetic)
    except UndecidedComparison:
        return None


def group_part(
    i: int, group: Group, mass: Scalar, kinked: tuple[int, ...] | None, epsilon: Scalar, arithmetic: Arithmetic
) -> dict[str, Any]:
    """What a complete group says of one of its draws."""
    advantage, ratio = group.advantages[i], mass / group.old_masses[i]
    part: dict[str, Any] = {
        "advantage": shown(advantage).to_mapping(),
        "old_mass": shown(group.old_masses[i]).to_mapping(),
        "ratio": shown(ratio).to_mapping(),
    }
    try:
        gradient = gradient_of(i, group, ratio, kinked, epsilon, arithmetic)
        part |= {
            "sign": 0 if gradient is Gradient.ZERO else 1 if arithmetic.less(0, advantage) else -1,
            "side": side_of(ratio, epsilon, arithmetic).value,
            "gradient": gradient.name.lower(),
            "gradient_says": gradient.value,
            "term": shown(clipped_term(ratio, advantage, epsilon, arithmetic)).to_mapping(),
        }
    except UndecidedComparison as error:
        part |= {"sign": 0, "side": "undecided", "gradient": "undecided", "gradient_says": str(error), "term": None}
    return part
