"""The whole procedure under scripted oracles: A1, A2, C1 to C4, D1, D2.

The gradient oracle is left arbitrary: it answers what the script says, any real numbers and "undefined" anywhere. (A
symbolic function would be no function, so the answers are tuples, of numbers and of whether they are defined; an
optional number would split the path when it is made, and not when it is asked for.) Parameter, step size and answers
are symbolic; sizes, draws and rewards are fixed. The contracts are icontract's own: see proofs.symbolic.harness.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.frozen import FrozenIteration
from grpocheck.core.oracles import UNDEFINED_GRADIENT, Supply, Undefined
from grpocheck.core.outcome import Outcome, Status
from grpocheck.core.problem import Problem
from grpocheck.core.procedure import run
from grpocheck.core.prompt import Prompt
from grpocheck.proofs.symbolic.arithmetic import SymbolicArithmetic
from grpocheck.proofs.symbolic.harness import harness
from icontract import ensure, require

EXACT = SymbolicArithmetic()

Six = tuple[Fraction, Fraction, Fraction, Fraction, Fraction, Fraction]
SixFlags = tuple[bool, bool, bool, bool, bool, bool]

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Scripted:
    """A finished run, with what the gradient oracle was shown at each attempt."""

    problem: Problem
    outcome: Outcome
    shown: tuple[tuple[FrozenIteration, Fraction], ...]
    references: tuple[tuple[Fraction, ...], ...]

    @property
    def started(self) -> int:
        """How many outer iterations were started."""
        return len(self.outcome.iterations)


def scripted(
    start: Fraction, eta: Fraction, slopes: Six, defined: SixFlags, prompts: int, group_size: int, iterations: int
) -> Scripted:
    """Run the Bernoulli problem of these sizes; the gradient oracle gives one answer after the other."""
    listed = tuple(
        Prompt(position, f"q{position}", ("good", "bad"), (Fraction(1), Fraction(1)), (HALF, HALF))
        for position in range(prompts)
    )
    draws = ((("good", "bad", "bad")[:group_size],) * prompts,) * iterations
    inner = len(slopes) // iterations
    problem = Problem(
        prompts=listed,
        family=Bernoulli(),
        theta=(start,),
        group_size=group_size,
        outer_iterations=iterations,
        inner_steps=inner,
        epsilon=Fraction(1, 5),
        beta=Fraction(0),
        step_sizes=((eta,) * inner,) * iterations,
        recorded=draws,
    )
    shown: list[tuple[FrozenIteration, Fraction]] = []

    def gradient(frozen: FrozenIteration, theta: Sequence[Fraction]) -> tuple[Fraction] | Undefined:
        shown.append((frozen, theta[0]))
        return (slopes[len(shown) - 1],) if defined[len(shown) - 1] else UNDEFINED_GRADIENT

    references = tuple(prompt.reference for prompt in listed)
    outcome = run(problem, Supply(gradient=gradient), arithmetic=EXACT, one_answer=False)
    return Scripted(problem, outcome, tuple(shown), references)


def applied(result: Scripted) -> list[Fraction]:
    """theta after every applied step."""
    return [step.theta[0] for entry in result.outcome.iterations for step in entry.steps if step.is_member]


def stays_inside(result: Scripted) -> bool:
    """A1, of the interval (0, 1)."""
    return all(0 < theta < 1 for theta in [*applied(result), result.outcome.theta[0]])


def returns_the_last_valid(result: Scripted, start: Fraction) -> bool:
    """A2."""
    returned: bool = result.outcome.theta[0] == [start, *applied(result)][-1]
    return returned


def draws_are_counted(result: Scripted) -> bool:
    """C1."""
    problem, ledger = result.problem, result.outcome.ledger
    each = len(problem.prompts) * problem.group_size
    complete = result.outcome.status is Status.COMPLETE
    return ledger.draws == each * result.started and (not complete or result.started == problem.outer_iterations)


def attempts_are_counted(result: Scripted) -> bool:
    """C2."""
    problem, ledger = result.problem, result.outcome.ledger
    stopped = result.outcome.status is not Status.COMPLETE
    budget = problem.outer_iterations * problem.inner_steps
    return (
        ledger.gradient_attempts == len(result.shown) <= budget
        and ledger.gradient_attempts == len(applied(result)) + stopped
        and ledger.steps_applied == len(applied(result))
    )


def memberships_are_counted(result: Scripted, defined: SixFlags) -> bool:
    """C3."""
    given = [answer for answer in defined[: len(result.shown)] if answer]
    return result.outcome.ledger.membership_calls == len(given) <= result.outcome.ledger.gradient_attempts


def status_says_why(result: Scripted, eta: Fraction, slopes: Six, defined: SixFlags) -> bool:
    """C4: complete after T*K applied steps, else the last attempt is undefined or leads out of (0, 1)."""
    last = len(result.shown) - 1
    if result.outcome.status is Status.COMPLETE:
        return len(applied(result)) == len(slopes)
    if result.outcome.status is Status.UNDEFINED_GRADIENT:
        return not defined[last]
    return defined[last] and not 0 < result.shown[last][1] + eta * slopes[last] < 1


def data_are_frozen(result: Scripted, start: Fraction) -> bool:
    """D1: within an outer iteration one set of groups and one theta_old, the parameter at which it began."""
    for attempt, (frozen, at) in enumerate(result.shown):
        first, entry = result.shown[attempt - attempt % result.problem.inner_steps]
        if frozen.groups != first.groups or frozen.theta_old[0] != entry:
            return False
        if attempt == 0 and at != start:
            return False
        if any(group.old_masses[0] != entry for group in frozen.groups):
            return False
    return True


def reference_stays(result: Scripted) -> bool:
    """D2."""
    return all(
        group.prompt.reference == reference
        for frozen, _ in result.shown
        for group, reference in zip(frozen.groups, result.references, strict=True)
    )


@harness(size="Bernoulli, T=2, K=3, M=2, G=3; any theta_0, eta > 0 and gradient answers")
@require(lambda theta, eta: 0 < theta < 1 and eta > 0)
@ensure(lambda result: stays_inside(result), "A1: theta is in U after every applied step and at the end")
@ensure(lambda theta, result: returns_the_last_valid(result, theta), "A2: the last valid parameter is returned")
@ensure(lambda result: draws_are_counted(result), "C1: draws = M*G*(outer iterations started)")
@ensure(lambda result: attempts_are_counted(result), "C2: gradient attempts = steps applied + stop <= T*K")
@ensure(lambda defined, result: memberships_are_counted(result, defined), "C3: membership calls = gradients returned")
@ensure(
    lambda eta, slopes, defined, result: status_says_why(result, eta, slopes, defined),
    "C4: one of three statuses, for its reason",
)
@ensure(lambda theta, result: data_are_frozen(result, theta), "D1: the frozen data do not change in the inner steps")
@ensure(lambda result: reference_stays(result), "D2: the reference never changes")
def run_of_six_steps(theta: Fraction, eta: Fraction, slopes: Six, defined: SixFlags) -> Scripted:
    """A run of T = 2 outer iterations of K = 3 steps."""
    return scripted(theta, eta, slopes, defined, prompts=2, group_size=3, iterations=2)
