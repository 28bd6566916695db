"""Obligations: implications that z3 has to prove, each in a query of its own with a time limit.

Proved means that z3 found the hypotheses without the conclusion unsatisfiable. Refuted means that it found values
that satisfy them, which are shown. Anything else is unknown, which is never counted as proved.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import z3
from grpocheck.proofs.smt.logic import Truth, every, negation

SECONDS = 10.0
"""The time limit of one query; nearly all take milliseconds."""

FIRST_SECONDS = 1.0
"""What z3's default solver gets, before its solver without preprocessing gets the time limit."""

SMALL_SIZES = (5, 6, 8, 11, 16, 32)
"""Bounds on the size of the values that show a refutation, tried from the smallest."""


class Decision(StrEnum):
    """What z3 said of an obligation."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


def listed_values(model: z3.ModelRef, symbols: frozenset[str]) -> str:
    """The values of the symbols, by name."""
    values = {symbol.name(): model[symbol] for symbol in model.decls()}
    return ", ".join(f"{name} = {values[name]}" for name in sorted(symbols & set(values)))


@dataclass(frozen=True)
class Obligation:
    """Hypotheses from which a conclusion has to follow; ``about`` is the invariant or claim that it is part of."""

    about: str
    name: str
    hypotheses: tuple[Truth, ...]
    conclusion: Truth
    show: Callable[[z3.ModelRef, frozenset[str]], str] = listed_values
    """The values of a refutation, in words; the names are those of the symbols that the obligation is about."""
    size: Callable[[], z3.ArithRef] | None = None
    """What is kept small in the values of a refutation."""


@dataclass(frozen=True)
class Result:
    """What came of an obligation; ``detail`` shows the refutation, or why it is unknown."""

    about: str
    name: str
    decision: Decision
    detail: str = ""
    seconds: float = 0.0


def check(formula: Truth, seconds: float) -> tuple[z3.CheckSatResult, z3.Solver]:
    """Whether a formula has values, as the first of z3's solvers says that answers within its time."""
    for solver, limit in ((z3.Solver(), min(FIRST_SECONDS, seconds)), (z3.SimpleSolver(), seconds)):
        solver.set("timeout", max(1, round(1000 * limit)))
        solver.add(formula)
        answer = solver.check()
        if answer != z3.unknown:
            break
    return answer, solver


def discharge(obligation: Obligation, seconds: float = SECONDS) -> Result:
    """Ask z3 to prove an obligation within some seconds. What follows from contradictory hypotheses is not proved."""
    started = time.monotonic()
    hypotheses = every(*obligation.hypotheses)
    counterexample = every(hypotheses, negation(obligation.conclusion))
    found, solver = check(counterexample, seconds)
    if found == z3.sat:
        detail = obligation.show(small_model(obligation, solver), symbols_of(counterexample))
        decision = Decision.REFUTED
    elif found == z3.unknown:
        decision, detail = Decision.UNKNOWN, f"z3 has no answer: {solver.reason_unknown()}"
    elif check(hypotheses, seconds)[0] == z3.sat:
        decision, detail = Decision.PROVED, ""
    else:
        decision, detail = Decision.UNKNOWN, "z3 has no values for the hypotheses: what follows from them may be empty"
    return Result(obligation.about, obligation.name, decision, detail, time.monotonic() - started)


def symbols_of(formula: Truth) -> frozenset[str]:
    """The names of the constants that occur in a formula."""
    names: set[str] = set()
    seen: set[int] = set()
    waiting = [formula] if z3.is_expr(formula) else []
    while waiting:
        part = waiting.pop()
        if part.get_id() not in seen:
            seen.add(part.get_id())
            waiting.extend(part.children())
            if z3.is_const(part):
                names.add(part.decl().name())
    return frozenset(names)


def small_model(obligation: Obligation, solver: z3.Solver) -> z3.ModelRef:
    """A model of a satisfied solver, with a small size where one is found quickly."""
    model: z3.ModelRef = solver.model()
    if obligation.size is not None:
        solver.set("timeout", 500)
        size = obligation.size()
        for bound in SMALL_SIZES:
            solver.push()
            solver.add(size <= bound)
            if solver.check() == z3.sat:
                model = solver.model()
                break
            solver.pop()
    return model
