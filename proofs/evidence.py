"""Evidence for claims: functions that try to break them, and what each of them found.

A piece of evidence is a function decorated with ``@evidence("A1", "C1", kind=..., scope=...)``. It takes a Budget and
returns one Finding for all its claims, or a mapping from claim to Finding. It is looked for in MODULES, runs in a
process of its own (grpocheck.verifier.workers), and its finding is cached by the sources that it imports.

    @evidence("E2", kind=Kind.ENUMERATION, scope="rho, A and epsilon in twelfths")
    def the_term_is_at_most_the_product(budget):
        ...
        return held(cases=1234)
"""

import importlib
import importlib.util
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from grpocheck.contracts.claims import REGISTRY, Kind, claim

MODULES: tuple[str, ...] = (
    "grpocheck.proofs.examples",
    "grpocheck.proofs.properties",
    "grpocheck.proofs.enumeration",
    "grpocheck.proofs.enumerated_definitions",
    "grpocheck.proofs.protocol",
    "grpocheck.proofs.groundwork.numbers",
    "grpocheck.proofs.groundwork.texts",
    "grpocheck.proofs.groundwork.arithmetics",
    "grpocheck.proofs.groundwork.problems",
    "grpocheck.proofs.groundwork.refusals",
    "grpocheck.proofs.groundwork.limits",
    "grpocheck.proofs.groundwork.traces",
    "grpocheck.proofs.groundwork.oracles",
    "grpocheck.proofs.groundwork.variants",
    "grpocheck.proofs.groundwork.variants_policies",
    "grpocheck.proofs.groundwork.variants_words",
    "grpocheck.proofs.groundwork.tic",
    "grpocheck.proofs.groundwork.training_free",
    "grpocheck.proofs.groundwork.training_free_traces",
    "grpocheck.proofs.smt.checks",
    "grpocheck.proofs.extraction.evidence",
    "grpocheck.proofs.kernel",
    "grpocheck.proofs.non_claims.evidence",
    "grpocheck.proofs.non_claims.n6",
    "grpocheck.proofs.non_claims.n8",
)
"""The modules of grpocheck that hold evidence, in the order in which a report lists it."""

@dataclass(frozen=True)
class Need:
    """A package that a module of evidence needs beyond those that grpocheck depends on."""

    package: str
    kind: Kind
    enable: str


NEEDS = {
    "grpocheck.proofs.properties": Need(
        "hypothesis", Kind.PROPERTY, "pip install '.[dev]' in a clone of grpocheck"
    )
}

DEFAULT_SECONDS = 120.0
"""Seconds that a piece of evidence may take where neither it nor the caller says otherwise."""


class Verdict(StrEnum):
    """What a piece of evidence says of a claim. Undecided and not-run are never counted as held."""

    HELD = "held"
    REFUTED = "refuted"
    UNDECIDED = "undecided"
    NOT_RUN = "not-run"


@dataclass(frozen=True)
class Finding:
    """A verdict, what it rests on, and why where it is not ``held``."""

    verdict: Verdict
    detail: str = ""
    """The counterexample, the reason why it is undecided, or why it did not run."""
    enable: str = ""
    """The command that makes it run, where it did not."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many cases, checks, paths or clauses were looked at."""
    pieces: int = 1
    """How many independent pieces of evidence this finding stands for."""
    broken: bool = False
    """Whether the check itself failed, so that the verdict says nothing about the claim."""


def held(pieces: int = 1, **counts: int) -> Finding:
    """Everything in the scope was looked at and the claim held; ``counts`` say how many cases, checks or paths.

    Raises ValueError for a finding that counts nothing.

    >>> held(cases=16384).verdict, dict(held(cases=16384).counts)
    (<Verdict.HELD: 'held'>, {'cases': 16384})
    """
    if not counts or any(count <= 0 for count in counts.values()):
        raise ValueError(f"held: counts: {counts!r}: expected at least one count, each above 0")
    return Finding(Verdict.HELD, counts=counts, pieces=pieces)


def refuted(counterexample: str, **counts: int) -> Finding:
    """A case of the scope in which the claim fails."""
    return Finding(Verdict.REFUTED, counterexample, counts=counts)


def undecided(reason: str, **counts: int) -> Finding:
    """The scope was not exhausted, and nothing in it refuted the claim."""
    return Finding(Verdict.UNDECIDED, reason, counts=counts)


def not_run(why: str, enable: str, pieces: int = 1) -> Finding:
    """The check could not run on this machine; ``enable`` is the command that makes it run."""
    return Finding(Verdict.NOT_RUN, why, enable, pieces=pieces)


def broken(reason: str) -> Finding:
    """The check itself failed; undecided, and never excused by the budget."""
    return Finding(Verdict.UNDECIDED, reason, broken=True)


class OutOfBudget(Exception):  # noqa: N818 - not an error: the check ran out of time
    """Raised inside a check whose time is over; its finding is then undecided."""


class Budget:
    """The seconds that a check may take, and where it reports how far it is."""

    def __init__(self, seconds: float, report: Callable[[int, int], None] | None = None) -> None:
        """A budget that starts now; ``report(done, total)`` is called at most ten times a second."""
        self.seconds = seconds
        self._report = report
        self._end = time.monotonic() + seconds
        self._next_report = 0.0

    def remaining(self) -> float:
        """The seconds that are left, 0 when there are none."""
        return max(0.0, self._end - time.monotonic())

    def step(self, done: int, total: int) -> None:
        """Report progress; raises OutOfBudget when the time is over."""
        now = time.monotonic()
        if self._report is not None and (now >= self._next_report or done == total):
            self._next_report = now + 0.1
            self._report(done, total)
        if now >= self._end:
            raise OutOfBudget(f"{done} of {total} cases in {self.seconds:g} s")


Result = Finding | Mapping[str, Finding]
Check = Callable[[Budget], Result]


@dataclass(frozen=True)
class Evidence:
    """A declared piece of evidence: which claims, which rung of the ladder, which scope, and how to run it."""

    name: str
    claims: tuple[str, ...]
    kind: Kind
    scope: str
    seconds: float
    files: tuple[str, ...]
    contracts: bool
    """Whether the contracts of core are on while it runs."""
    check: Check

    @property
    def module(self) -> str:
        """The module that declares it."""
        return self.name.partition(":")[0]

    def findings(self, result: Result) -> dict[str, Finding]:
        """The finding for each claim; a result about a claim that was not declared is an error."""
        if isinstance(result, Finding):
            return dict.fromkeys(self.claims, result)
        undeclared = sorted(set(result) - set(self.claims))
        if undeclared:
            raise ValueError(f"{self.name}: claims {undeclared}: expected only declared ones, {list(self.claims)}")
        return dict(result)


_DECLARED: dict[str, Evidence] = {}


def evidence(
    *claims: str,
    kind: Kind,
    scope: str,
    seconds: float = DEFAULT_SECONDS,
    files: tuple[str, ...] = (),
    contracts: bool = True,
) -> Callable[[Check], Check]:
    """Declare a function as evidence of a kind for claims of the registry, over a scope said in words.

    The function takes a Budget (in seconds) and returns a Finding, or one for each claim by its identifier. ``files``
    are glob patterns, relative to the working folder, of other files that the finding depends on. Checks of many cases
    against a reference of their own may run with ``contracts`` off. Raises UnknownClaim for a claim that the registry
    has not, and ValueError where there is no claim or no scope.
    """
    for identifier in claims:
        claim(identifier)
    if not claims or not scope.strip():
        raise ValueError("evidence: expected at least one claim and a scope")

    def declare(check: Check) -> Check:
        name = f"{check.__module__}:{check.__name__}"
        _DECLARED[name] = Evidence(name, claims, Kind(kind), scope, seconds, files, contracts, check)
        return check

    return declare


def is_available(module: str) -> bool:
    """Whether the package that a module of evidence needs is installed."""
    return module not in NEEDS or importlib.util.find_spec(NEEDS[module].package) is not None


def discover(modules: tuple[str, ...] | None = None) -> list[Evidence]:
    """All evidence declared in the given modules (MODULES unless said), in their order, where they are available."""
    found: list[Evidence] = []
    for module in filter(is_available, MODULES if modules is None else modules):
        importlib.import_module(module)
        found.extend(entry for entry in _DECLARED.values() if entry.module == module)
    return found


def absent_findings(module: str) -> dict[str, Finding]:
    """For a module that is not available: not-run, for each claim that is known to have such evidence."""
    need = NEEDS[module]
    why = f"{need.package} is not installed"
    return {
        entry.id: not_run(why, need.enable, pieces=entry.requires[need.kind])
        for entry in REGISTRY.values()
        if need.kind in entry.requires
    }


def find(name: str) -> Evidence:
    """The evidence with a name ``module:function``, importing its module; LookupError where there is none."""
    importlib.import_module(name.partition(":")[0])
    entry = _DECLARED.get(name)
    if entry is None:
        raise LookupError(f"evidence: {name!r}: expected the name of a function decorated with @evidence")
    return entry
