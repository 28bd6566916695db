"""One run of CrossHair over one postcondition, with an account of every path.

CrossHair's own verdict is not enough. It calls "confirmed" a function whose callee broke a contract, it silently skips
a path on which a precondition raises, and "precondition unsatisfiable" may only mean that every path beyond it was left
open. So each path is counted for what became of it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType
from typing import Any
from unittest.mock import patch

from crosshair import core
from crosshair.core import ConditionCheckable, ShortCircuitingContext, analyze_function
from crosshair.enforce import EnforcedConditions
from crosshair.options import AnalysisKind, AnalysisOptionSet
from crosshair.register_contract import REGISTERED_CONTRACTS, REGISTERED_MODULES
from crosshair.statespace import CallAnalysis, VerificationStatus, context_statespace
from crosshair.tracers import NoTracing
from crosshair.util import UnexploredPath
from grpocheck.contracts.exact_reals.refutation import ImpossiblePath
from grpocheck.proofs.symbolic.module_state import changed, fingerprint
from grpocheck.proofs.symbolic.values import Json, to_json
from grpocheck.proofs.symbolic.verdicts import Finding, Verdict

CONFIRMED, REFUTED, OPEN = "confirmed", "refuted", "left open"
OUTSIDE = "outside the precondition"
PRECONDITION_RAISED = "precondition raised"
IMPOSSIBLE = "impossible for the real logarithm"
SKIPPED = "skipped"

LOOKS = (1, 16, 256, 4096)
"""After how many paths modules are looked at, beside the end: a look takes longer than a short path."""


@dataclass
class Account:
    """What became of the paths."""

    packages: tuple[str, ...]
    """Packages whose modules must hold the same after each path as before the first."""
    paths: Counter[str] = field(default_factory=Counter)
    callees: set[str] = field(default_factory=set)
    arguments: Mapping[str, Json] | None = None
    left_behind: str | None = None
    before: dict[str, object] = field(default_factory=dict)

    def look_at_state(self) -> None:
        """Note a value at module level that is no longer what it was."""
        self.left_behind = self.left_behind or changed(self.before, fingerprint(self.packages))


def explore(function: Callable[..., Any], contract: Any, packages: tuple[str, ...], budget: float) -> Finding:
    """Explore the paths of a function for one of its icontract postconditions, in so many seconds of processor time."""
    # Without a limit of its own a path gets the square root of the budget, and the solver half of that.
    options = AnalysisOptionSet(
        analysis_kind=[AnalysisKind.icontract],
        per_condition_timeout=budget,
        per_path_timeout=budget / 2,
        report_all=True,
        stats=Counter(),
    )
    checkables: list[Any] = [entry for entry in analyze_function(function, options) if _checks(entry, contract)]
    if len(checkables) != 1:
        return Finding(Verdict.ERROR, "CrossHair does not list the postcondition: is it switched off by a directive?")
    if checkables[0].conditions.raises:
        return Finding(Verdict.ERROR, "its docstring names exceptions that CrossHair would accept")
    account = Account(packages)
    account.before = fingerprint(packages)
    with _observed(account):
        messages = list(checkables[0].analyze())
    account.look_at_state()
    exhausted = bool(options.stats and options.stats["exhaustion"])
    return _finding(account, exhausted, [message.message for message in messages])


def _checks(checkable: Any, contract: Any) -> bool:
    """Whether a checkable is that of a contract; by identity, since icontract keeps the last one first."""
    if not isinstance(checkable, ConditionCheckable):
        return False
    evaluate: Any = checkable.conditions.post[0].evaluate
    return getattr(evaluate, "args", ())[:1] == (contract,)


def _finding(account: Account, exhausted: bool, messages: list[str]) -> Finding:
    paths = account.paths
    total = paths.total()
    callees = tuple(sorted(account.callees))
    message = "; ".join(messages)

    def found(verdict: Verdict, detail: str = "", arguments: Mapping[str, Json] | None = None) -> Finding:
        return Finding(verdict, detail, total, arguments=arguments, callees=callees)

    if "NotDeterministic" in message:
        return found(Verdict.ERROR, "the same decisions led to different paths")
    if paths[REFUTED]:
        if account.arguments is None:
            return found(Verdict.UNDECIDED, f"a counterexample without arguments: {message}")
        return found(Verdict.REFUTED, message, account.arguments)
    if account.left_behind is not None:
        return found(Verdict.ERROR, f"a path left something behind at module level: {account.left_behind}")
    if paths[PRECONDITION_RAISED]:
        return found(Verdict.ERROR, "the precondition raised on a path")
    if paths[SKIPPED]:
        return found(Verdict.UNDECIDED, f"{paths[SKIPPED]} of {total} paths were skipped: a callee broke its contract")
    if paths[OPEN]:
        return found(Verdict.UNDECIDED, f"{paths[OPEN]} of {total} paths were left open")
    if not exhausted:
        return found(Verdict.UNDECIDED, f"the budget ended after {total} paths")
    if not paths[CONFIRMED] and paths[IMPOSSIBLE]:
        return found(Verdict.UNDECIDED, "no path was gone to its end")
    if not paths[CONFIRMED]:
        return found(Verdict.NEVER_HELD, "no argument satisfies the precondition")
    return found(Verdict.CONFIRMED)


@contextmanager
def _observed(account: Account) -> Iterator[None]:
    """Within the block, CrossHair's paths, callees and counterexamples are entered in the account."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(core, "attempt_call", _accounted(core.attempt_call, account)))
        stack.enter_context(
            patch.object(core, "make_counterexample_message", _recorded(core.make_counterexample_message, account))
        )
        stack.enter_context(
            patch.object(
                ShortCircuitingContext, "make_interceptor", _noted(ShortCircuitingContext.make_interceptor, account)
            )
        )
        stack.enter_context(patch.object(EnforcedConditions, "trace_call", _spared(EnforcedConditions.trace_call)))
        yield


def _accounted(attempt: Callable[..., CallAnalysis], account: Account) -> Callable[..., CallAnalysis]:
    def attempt_call(*arguments: Any) -> CallAnalysis:
        outcome = SKIPPED
        try:
            analysis = attempt(*arguments)
            outcome = _outcome(analysis)
            return analysis
        except UnexploredPath:
            outcome = OPEN
            raise
        except ImpossiblePath:
            outcome = IMPOSSIBLE
            raise
        finally:
            account.paths[outcome] += 1
            if account.paths.total() in LOOKS:
                account.look_at_state()

    return attempt_call


def _outcome(analysis: CallAnalysis) -> str:
    statuses = {
        VerificationStatus.CONFIRMED: CONFIRMED,
        VerificationStatus.REFUTED: REFUTED,
        VerificationStatus.UNKNOWN: OPEN,
    }
    if analysis.verification_status is not None:
        return statuses[analysis.verification_status]
    if analysis.failing_precondition is None:
        return SKIPPED
    return PRECONDITION_RAISED if analysis.failing_precondition_reason else OUTSIDE


def _recorded(make: Callable[..., str], account: Account) -> Callable[..., str]:
    """The message of a counterexample, its arguments kept as exact numbers."""

    def make_counterexample_message(conditions: Any, arguments: Any, returned: Any = None) -> str:
        with NoTracing():
            realized = context_statespace().extra(core.LazyCreationRepr).deep_realize(arguments)
            account.arguments = {name: to_json(value) for name, value in realized.arguments.items()}
        return make(conditions, arguments, returned)

    return make_counterexample_message


def _noted(make: Callable[..., Any], account: Account) -> Callable[..., Any]:
    """The interceptor that CrossHair puts before a callee with contracts, the callee noted."""

    def make_interceptor(self: ShortCircuitingContext, original: Callable[..., Any]) -> Any:
        account.callees.add(f"{original.__module__}:{original.__qualname__}")
        return make(self, original)

    return make_interceptor


def _spared(trace_call: Callable[..., Any]) -> Callable[..., Any]:
    """CrossHair's look for contracts before every call, spared for functions that cannot have any.

    icontract keeps contracts in a function's attributes, so one without attributes has none. CrossHair would derive its
    signature at every call to find that out, and spend more time on that than on everything else.
    """

    def trace_call_if_decorated(self: EnforcedConditions, frame: Any, function: Any, target: Any) -> Any:
        plain = target is None and isinstance(function, FunctionType | BuiltinFunctionType)
        if plain and not getattr(function, "__dict__", None) and function not in REGISTERED_CONTRACTS:
            return None
        return trace_call(self, frame, function, target)

    return trace_call if REGISTERED_MODULES else trace_call_if_decorated
