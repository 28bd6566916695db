"""The whole procedure when the domain oracle is arbitrary too: A1, A2, C1 to C4.

The script holds an answer of the gradient oracle and one of the domain oracle for every attempt, whatever was asked.
So U is any set, and "theta is in U" means that the domain oracle said so of this very proposal. The masses are supplied
and constant. The contracts are icontract's own: see grpocheck.proofs.symbolic.harness.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from grpocheck.core.arithmetic.supply import Arithmetic
from grpocheck.core.domains import WholeSpace
from grpocheck.core.families.supplied import Supplied
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
HALF = Fraction(1, 2)
ITERATIONS, INNER, PROMPTS, GROUP = 3, 3, 2, 3

Numbers = tuple[Fraction, Fraction, Fraction, Fraction, Fraction, Fraction, Fraction, Fraction, Fraction]
Flags = tuple[bool, bool, bool, bool, bool, bool, bool, bool, bool]


@dataclass(frozen=True)
class Evenly:
    """A policy whose two responses have mass 1/2 wherever theta is."""

    def masses(self, theta: Sequence[Fraction], prompt: Prompt, arithmetic: Arithmetic) -> tuple[Fraction, ...]:
        """1/2 and 1/2."""
        return HALF, HALF

    def mass_gradients(
        self, theta: Sequence[Fraction], prompt: Prompt, arithmetic: Arithmetic
    ) -> tuple[tuple[Fraction, ...], ...]:
        """0 and 0."""
        return (Fraction(0),), (Fraction(0),)


@dataclass(frozen=True)
class Scripted:
    """A finished run, with the parameters that each oracle was asked about."""

    outcome: Outcome
    attempts: tuple[Fraction, ...]
    proposals: tuple[Fraction, ...]

    @property
    def applied(self) -> list[Fraction]:
        """theta after every applied step."""
        return [step.theta[0] for entry in self.outcome.iterations for step in entry.steps if step.is_member]


def was_admitted(result: Scripted, members: Flags) -> bool:
    """A1: the applied parameters are the proposals that the domain oracle admitted, in order."""
    admitted = [theta for theta, member in zip(result.proposals, members, strict=False) if member]
    return result.applied == admitted


def moved_by_eta(result: Scripted, theta: Fraction, etas: Numbers, slopes: Numbers) -> bool:
    """A1: every proposal is the parameter before it, moved by eta times the gradient."""
    before = [theta, *result.applied]
    moves = zip(result.proposals, before, etas, slopes, strict=False)
    return all(proposal == at + eta * slope for proposal, at, eta, slope in moves)


def has_its_reason(result: Scripted, defined: Flags, members: Flags) -> bool:
    """C4: complete after T*K applied steps, else the last answer says why."""
    last = len(result.attempts) - 1
    if result.outcome.status is Status.COMPLETE:
        return len(result.applied) == len(defined)
    if result.outcome.status is Status.UNDEFINED_GRADIENT:
        return not defined[last]
    return defined[last] and not members[last]


@harness(size="T=3, K=3, M=2, G=3; any domain oracle, gradient answers, theta_0 and eta > 0")
@require(lambda etas: all(eta > 0 for eta in etas))
@ensure(lambda members, result: was_admitted(result, members), "A1: M_U admitted every applied theta, and no other")
@ensure(
    lambda theta, etas, slopes, result: moved_by_eta(result, theta, etas, slopes),
    "A1: every proposal is theta + eta * gradient",
)
@ensure(
    lambda theta, result: result.outcome.theta[0] == [theta, *result.applied][-1],
    "A2: the last valid parameter is returned",
)
@ensure(
    lambda result: (
        result.outcome.ledger.draws == PROMPTS * GROUP * len(result.outcome.iterations)
        and (result.outcome.status is not Status.COMPLETE or len(result.outcome.iterations) == ITERATIONS)
    ),
    "C1: draws = M*G*(outer iterations started), T*M*G on completion",
)
@ensure(
    lambda result: (
        result.outcome.ledger.gradient_attempts
        == len(result.attempts)
        == len(result.applied) + (result.outcome.status is not Status.COMPLETE)
        and len(result.attempts) <= ITERATIONS * INNER
    ),
    "C2: gradient attempts = steps applied + stop <= T*K",
)
@ensure(
    lambda result: (
        result.outcome.ledger.membership_calls
        == len(result.proposals)
        == len(result.attempts) - (result.outcome.status is Status.UNDEFINED_GRADIENT)
    ),
    "C3: membership calls = attempts that returned a gradient",
)
@ensure(
    lambda defined, members, result: has_its_reason(result, defined, members),
    "C4: one of three statuses, for its reason",
)
def run_with_any_domain(theta: Fraction, etas: Numbers, slopes: Numbers, defined: Flags, members: Flags) -> Scripted:
    """A run whose two oracles answer what the script says."""
    prompts = tuple(
        Prompt(place, f"q{place}", ("good", "bad"), (Fraction(1), Fraction(1)), (HALF, HALF))
        for place in range(PROMPTS)
    )
    problem = Problem(
        prompts=prompts,
        family=Supplied(1),
        theta=(theta,),
        group_size=GROUP,
        outer_iterations=ITERATIONS,
        inner_steps=INNER,
        epsilon=Fraction(1, 5),
        beta=Fraction(0),
        step_sizes=tuple(etas[INNER * t : INNER * (t + 1)] for t in range(ITERATIONS)),
        domain=WholeSpace(1),
        recorded=((("good", "bad", "bad"),) * PROMPTS,) * ITERATIONS,
    )
    attempts: list[Fraction] = []
    asked: list[Fraction] = []

    def gradient(frozen: FrozenIteration, theta: Sequence[Fraction]) -> tuple[Fraction] | Undefined:
        attempts.append(theta[0])
        return (slopes[len(attempts) - 1],) if defined[len(attempts) - 1] else UNDEFINED_GRADIENT

    def domain(theta: Sequence[Fraction]) -> bool:
        asked.append(theta[0])
        if len(asked) == 1:
            return True  # theta_0 is in U: asked before the run, and not counted
        return True if members[len(asked) - 2] else False  # noqa: SIM210 - a symbolic answer becomes one of the two

    supply = Supply(gradient=gradient, domain=domain, policy=Evenly())
    outcome = run(problem, supply, arithmetic=EXACT, one_answer=False)
    return Scripted(outcome, tuple(attempts), tuple(asked[1:]))
