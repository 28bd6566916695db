"""The names a property may use: what each stands for, and where it lives.

Beside the constants of the problem there are the outcome's counts and status, and what belongs to a place of the run:
to a parameter and the step that leaves it, to a prompt's group, to a drawn response, to a response of the support, or
to a coordinate of theta.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from grpocheck.core.outcome import Status


class Sort(StrEnum):
    """What a quantifier ranges over."""

    RESPONSE = "responses"
    """The drawn responses, i = 1..G of every prompt."""
    SUPPORT = "support"
    """The responses of the support of every prompt, drawn or not."""
    PROMPT = "prompts"
    """The prompts l = 1..M."""
    COORDINATE = "theta"
    """The coordinates of theta, 1..d."""


class Level(StrEnum):
    """Where a quantity lives."""

    CONSTANT = "a constant of the problem"
    OUTCOME = "of the outcome"
    POINT = "of a parameter of the run"
    STEP = "of an applied step"


@dataclass(frozen=True)
class Quantity:
    """A name: its level, the sorts of the things it belongs to (none: it is one number), and what it is."""

    name: str
    level: Level
    sorts: tuple[Sort, ...]
    meaning: str
    alone: bool = False
    """Whether it is one number, too, where it is written without an index."""


R, S, P, J = Sort.RESPONSE, Sort.SUPPORT, Sort.PROMPT, Sort.COORDINATE

_ENTRIES = (
    Quantity("T", Level.CONSTANT, (), "outer iterations of the budget"),
    Quantity("M", Level.CONSTANT, (), "prompts"),
    Quantity("G", Level.CONSTANT, (), "draws of a group"),
    Quantity("K", Level.CONSTANT, (), "inner steps of an outer iteration"),
    Quantity("d", Level.CONSTANT, (), "coordinates of theta"),
    Quantity("epsilon", Level.CONSTANT, (), "the clip threshold"),
    Quantity("beta", Level.CONSTANT, (), "the weight of the penalty, reward units per nat"),
    Quantity("status", Level.OUTCOME, (), "complete, undefined-gradient or invalid-update"),
    Quantity("draws", Level.OUTCOME, (), "draws made"),
    Quantity("attempts", Level.OUTCOME, (), "gradient attempts"),
    Quantity("membership", Level.OUTCOME, (), "calls of the domain oracle"),
    Quantity("steps", Level.OUTCOME, (), "steps applied"),
    Quantity("iterations", Level.OUTCOME, (), "outer iterations started"),
    Quantity("t", Level.POINT, (), "the outer iteration, from 1"),
    Quantity("k", Level.POINT, (), "of an applied step its number, from 1; of a parameter the steps applied before it"),
    Quantity("F", Level.POINT, (), "F_t at theta"),
    Quantity("F_next", Level.STEP, (), "F_t at theta_next, the groups the same"),
    Quantity("step_size", Level.STEP, (), "eta[t][k]"),
    Quantity("theta_0", Level.POINT, (J,), "the parameter at which the run began"),
    Quantity("theta_old", Level.POINT, (J,), "the parameter at which the outer iteration began"),
    Quantity("theta", Level.POINT, (J,), "the parameter"),
    Quantity("theta_next", Level.STEP, (J,), "the parameter after the step"),
    Quantity("kl", Level.POINT, (P,), "KL(pi_theta || pi_ref) in nats; without an index the mean over prompts", True),
    Quantity("kl_next", Level.STEP, (P,), "the same at theta_next", True),
    Quantity("mean_reward", Level.POINT, (P,), "the mean reward of the prompt's group"),
    Quantity("deviation", Level.POINT, (P,), "the population standard deviation of the group's rewards"),
    Quantity("reward", Level.POINT, (R, S), "the reward of the response"),
    Quantity("advantage", Level.POINT, (R,), "the standardised advantage of the draw"),
    Quantity("reference", Level.POINT, (R, S), "the mass of the response under the reference policy"),
    Quantity("old_mass", Level.POINT, (R, S), "its mass under the frozen policy, at theta_old"),
    Quantity("mass", Level.POINT, (R, S), "its mass at theta"),
    Quantity("mass_next", Level.STEP, (R, S), "its mass at theta_next"),
    Quantity("ratio", Level.POINT, (R, S), "the importance ratio at theta, mass / old_mass"),
    Quantity("ratio_next", Level.STEP, (R, S), "the importance ratio at theta_next"),
    Quantity("term", Level.POINT, (R,), "min(ratio A, clip(ratio) A) at theta"),
    Quantity("term_next", Level.STEP, (R,), "the same at theta_next"),
)

QUANTITIES: Mapping[str, Quantity] = {entry.name: entry for entry in _ENTRIES}

STATUSES: Mapping[str, Status] = {
    **{status.value: status for status in Status},
    **{status.value.replace("-", "_"): status for status in Status},
}
"""The status names; a hyphen may be written as an underscore."""

FUNCTIONS: Mapping[str, tuple[int, int]] = {"abs": (1, 1), "sqrt": (1, 1), "log": (1, 1), "min": (2, 8), "max": (2, 8)}
"""The functions, and how many arguments they take."""

AGGREGATES = ("sum", "mean", "min", "max")
"""What can be taken over a range, as in sum(responses: advantage)."""

DOMAINS: Mapping[str, Sort] = {sort.value: sort for sort in Sort}
"""The words for what a quantifier ranges over."""

WORDS = ("all", "any", "in", "and", "or", "not", "implies", "iff")
"""The words of the language itself."""


def known_names() -> list[str]:
    """Everything that a name in a property can be, for suggestions and completion."""
    return [*QUANTITIES, *STATUSES, *FUNCTIONS, "sum", "mean", *DOMAINS, *WORDS]
