"""A first look over the tables of a run: what their groups may be, and which weights their rewards may have."""

from collections import Counter

from grpocheck.verifier.audit.grouping import sizes, stretches
from grpocheck.verifier.audit.model import Log, Table
from grpocheck.verifier.audit.settings import Settings
from grpocheck.verifier.audit.weights import Equation, equation_of, weights_from_advantages, weights_from_log


class Survey:
    """A first look over all tables of a run: lengths of stretches, and what the log says of the weights."""

    def __init__(self) -> None:
        """Nothing seen yet."""
        self.lengths: Counter[int] = Counter()
        self.rows: Counter[int] = Counter()
        self.equations: list[Equation] = []
        self.names: tuple[str, ...] = ()
        self.named = True
        self.some: list[Table] = []

    def take(self, table: Table, log: Log | None) -> None:
        """Look at one table."""
        self.names = max(self.names, table.names, key=len)
        self.named &= table.groups is not None
        if table.groups is None:
            self.rows[len(table.rewards)] += 1
            if table.prompts is not None:
                self.lengths.update(length for _, length in stretches(table.prompts))
        equation = equation_of(table, log)
        if equation is not None:
            self.equations.append(equation)
        if len(self.some) < 8:
            self.some.append(table)

    def sizes(self, declared: int | None) -> list[int | None]:
        """The group sizes to read the tables with; None where the log names its groups."""
        if self.named:
            return [None]
        if declared is not None:
            return [declared]
        return [*sizes(self.lengths, self.rows)] or [None]

    def weights(self, settings: Settings, size: int | None) -> tuple[list[tuple[float, ...]], str]:
        """Weights of the reward functions to try, and where they come from."""
        functions = max(1, len(self.names))
        declared = settings.weights
        if declared is not None and len(declared) == functions:
            return [declared], "settings"
        ones = (1.0,) * functions
        if functions == 1 and not self.equations:
            return [ones], "the only reward function"
        found = weights_from_log(self.equations, functions)
        if found is not None:
            return [found], "the log's reward"
        guesses = weights_from_advantages(self.some, size, functions) if size is not None else []
        return [
            ones,
            *(guess for guess in guesses if guess != ones),
        ], "the advantages, which tell them up to their size"
