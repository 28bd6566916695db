"""What a run tells its observer: one event for each oracle call and each decision; a trace is these, written down."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Kind(StrEnum):
    """The kinds of events, in the order in which a run produces them."""

    START = "start"
    OUTER_ITERATION = "outer-iteration"
    DRAW = "draw"
    REWARD = "reward"
    GROUP = "group"
    ARITHMETIC = "arithmetic"
    GRADIENT = "gradient"
    MEMBERSHIP = "membership"
    APPLY = "apply"
    STOP = "stop"
    OUTCOME = "outcome"


@dataclass(frozen=True)
class Event:
    """One event: its kind and its values by name. Numbers are scalars of the run, not yet texts."""

    kind: Kind
    values: Mapping[str, object]


Observer: TypeAlias = Callable[[Event], None]
"""What is told of every oracle call and decision of a run, as they happen; a TraceWriter is one."""
