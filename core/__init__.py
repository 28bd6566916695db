"""The finite-budget group-relative update of seed [000], executable and exact; read next to the definition.

In the definition's order: prompt, problem, generation, families, draws, advantage, ratio, divergence, objective,
gradient, update, run; beside it the supply: oracles, arithmetic, guard, ledger, trace.
"""

from grpocheck.core.arithmetic.choice import arithmetic_named
from grpocheck.core.arithmetic.errors import DigitBudgetExceeded, NotExact, UndecidedComparison
from grpocheck.core.arithmetic.supply import Arithmetic
from grpocheck.core.events import Event, Kind, Observer
from grpocheck.core.frozen import FrozenIteration, Group
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.ledger import Bounds, Ledger
from grpocheck.core.oracles import (
    UNDEFINED_GRADIENT,
    DomainOracle,
    DrawOracle,
    GradientOracle,
    Policy,
    RewardOracle,
    Supply,
    Undefined,
)
from grpocheck.core.outcome import InnerStep, Outcome, OuterIteration, Status
from grpocheck.core.problem import Problem
from grpocheck.core.procedure import run
from grpocheck.core.prompt import Prompt
from grpocheck.core.reading import problem_from_mapping, read_problem
from grpocheck.core.replaying import replay
from grpocheck.core.trace import TraceWriter, read_trace
from grpocheck.core.trace_errors import TraceError, TraceMismatch
from grpocheck.core.violations import Clause, SupplyViolation
from grpocheck.core.writing import problem_to_mapping, problem_to_toml

__all__ = [
    "UNDEFINED_GRADIENT",
    "Arithmetic",
    "Bounds",
    "Clause",
    "DigitBudgetExceeded",
    "DomainOracle",
    "DrawOracle",
    "Event",
    "FrozenIteration",
    "GradientOracle",
    "Group",
    "InnerStep",
    "InvalidProblem",
    "Kind",
    "Ledger",
    "NotExact",
    "Observer",
    "Outcome",
    "OuterIteration",
    "Policy",
    "Problem",
    "Prompt",
    "RewardOracle",
    "Status",
    "Supply",
    "SupplyViolation",
    "TraceError",
    "TraceMismatch",
    "TraceWriter",
    "UndecidedComparison",
    "Undefined",
    "arithmetic_named",
    "problem_from_mapping",
    "problem_to_mapping",
    "problem_to_toml",
    "read_problem",
    "read_trace",
    "replay",
    "run",
]
