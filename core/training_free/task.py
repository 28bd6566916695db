"""The task: all the data of a training-free run, fixed and checked before it starts.

Seed [003] fixes a task x, a group size G, an iteration budget K, a threshold delta, reward weights and the strength of
the experts. G >= 2, since the sample deviation divides by G - 1. ``delta`` may be None: the novelty bonus alone, which
only a first occurrence gets, can make the improvement fall below any delta.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, invariant, total
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.problem import LARGEST_SEED, MOST_DRAWS
from grpocheck.core.training_free.oracles import NamesTheBetter, TabledAnswers
from grpocheck.core.training_free.patterns import Pattern
from grpocheck.core.training_free.responses import ResponseTable, Shape, TokenTable
from grpocheck.core.training_free.reward import Weights
from grpocheck.core.values import count, distinct_texts, entries, rational, text

Record = tuple[tuple[str, ...], ...]
"""Recorded draws of a task that lists its responses: [iteration][i], each the text of a response."""

DELTA = Fraction(1, 100)
"""The threshold of the third stopping rule where a task states none, in reward units."""


@invariant(lambda self: self.group_size >= 2 and self.iterations >= 1, "G >= 2 and K >= 1")
@invariant(lambda self: set(self.failing) <= set(self.tests), "a test that was failing is a test of the task")
@dataclass(frozen=True)
class Task:
    """A task, ready to run. Constructing one that is none raises InvalidProblem, which names the key of the file.

    ``model`` None or a Shape leaves the base model to the supply (over whole responses, or token by token); ``answers``
    None leaves tests and quality to it, and ``introspection`` None the introspection. ``failing`` are the tests that
    count as previously failing in the first iteration, ``bank`` the patterns that the run starts with.
    """

    prompt: str
    tests: tuple[str, ...]
    group_size: int
    iterations: int
    failing: tuple[str, ...]
    model: ResponseTable | TokenTable | Shape | None = None
    kappa: Fraction = Fraction(1)
    delta: Fraction | None = DELTA
    weights: Weights = field(default_factory=Weights)
    bank: tuple[Pattern, ...] = ()
    answers: TabledAnswers | None = None
    introspection: NamesTheBetter | None = None
    recorded: Record | None = None
    seed: int | None = None

    @ensure(lambda self: self.kappa > 0, "kappa > 0")
    @ensure(lambda self: self.recorded is None or self.seed is None, "draws have one source")
    def __post_init__(self) -> None:
        """Read the numbers exactly and refuse what is no task."""
        if not text("prompt", self.prompt):
            raise InvalidProblem("prompt", self.prompt, "a prompt that is not empty")
        object.__setattr__(self, "tests", distinct_texts("tests", self.tests, "test"))
        for i, test in enumerate(entries("failing", self.failing, "a list of tests")):
            if test not in self.tests or test in self.failing[:i]:
                raise InvalidProblem(f"failing[{i}]", test, "a test of the task, once")
        count("group_size", self.group_size, 2, MOST_DRAWS)
        count("iterations", self.iterations, 1, MOST_DRAWS)
        if self.group_size * self.iterations > MOST_DRAWS:
            raise InvalidProblem("group_size", self.group_size, f"at most {MOST_DRAWS} generations in all")
        object.__setattr__(self, "kappa", rational("kappa", self.kappa))
        if self.kappa <= 0:
            raise InvalidProblem("kappa", self.kappa, "a number above 0")
        if self.delta is not None:
            object.__setattr__(self, "delta", rational("delta", self.delta))
        check_draws(self)


@total("bad input raises InvalidProblem")
@ensure(lambda task: task.recorded is None or len(task.recorded) == task.iterations, "a group for each iteration")
def check_draws(task: Task) -> None:
    """Refuse two sources of draws, and records that are not groups of the listed responses."""
    key = "draws.recorded"
    if task.seed is not None:
        count("draws.seed", task.seed, 0, LARGEST_SEED)
        if task.recorded is not None:
            raise InvalidProblem("draws", {"recorded": None, "seed": None}, "recorded or seed, not both")
    if task.recorded is None:
        return
    if not isinstance(task.model, ResponseTable):
        raise InvalidProblem(key, task.recorded, "responses listed in the task: [[responses]]")
    known = {response.text for response, _ in task.model.listed}
    if len(task.recorded) != task.iterations:
        raise InvalidProblem(key, task.recorded, f"{task.iterations} groups, one for each iteration")
    for t, group in enumerate(task.recorded):
        if len(entries(f"{key}[{t}]", group, "a list of responses")) != task.group_size:
            raise InvalidProblem(f"{key}[{t}]", group, f"{task.group_size} responses, the group size")
        for i, drawn in enumerate(group):
            if drawn not in known:
                raise InvalidProblem(f"{key}[{t}][{i}]", drawn, "the text of a listed response")
