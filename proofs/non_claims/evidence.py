"""Witness evidence: every stored witness against a non-claim, run again.

The searches that found them are not repeated here: ``python -m grpocheck.proofs.non_claims.search`` does that.
"""

from dataclasses import replace

from grpocheck.contracts.claims import Kind
from grpocheck.core import InvalidProblem
from grpocheck.proofs.evidence import Budget, Finding, broken, evidence, not_run, refuted
from grpocheck.proofs.non_claims.files import FOLDER, WitnessLost, path_of, replay
from grpocheck.proofs.non_claims.witnesses import witnesses_against

FILES = ("examples/non_claims/*.toml",)


def replayed(claim: str, budget: Budget) -> Finding:
    """Refuted by all the stored witnesses against a claim; broken where one of them is lost."""
    if not FOLDER.is_dir():
        return not_run(f"there is no folder {FOLDER} with problem files here", "run it in a clone of the project")
    shown, lost = [], []
    witnesses = witnesses_against(claim)
    for done, witness in enumerate(witnesses, start=1):
        try:
            facts = replay(witness).facts
        except (WitnessLost, InvalidProblem) as error:
            lost.append(str(error))
        else:
            shown.append(f"{path_of(witness)}: {'; '.join(facts)} (grpocheck run {path_of(witness)})")
        budget.step(done, len(witnesses))
    if lost:
        return broken("; ".join(lost))
    return replace(refuted("\n".join(shown), witnesses=len(shown)), pieces=len(shown))


@evidence("N1", kind=Kind.WITNESS, scope="F_t falls over an applied step, without a penalty and by it", files=FILES)
def the_objective_falls(budget: Budget) -> Finding:
    """N1."""
    return replayed("N1", budget)


@evidence("N2", kind=Kind.WITNESS, scope="E[R] falls, for one draw and in expectation over all draws", files=FILES)
def the_return_falls(budget: Budget) -> Finding:
    """N2."""
    return replayed("N2", budget)


@evidence("N3", kind=Kind.WITNESS, scope="the expected gradient, over all draws, is not the true one", files=FILES)
def the_gradient_is_biased(budget: Budget) -> Finding:
    """N3."""
    return replayed("N3", budget)


@evidence("N4", kind=Kind.WITNESS, scope="a ratio outside the clip; KL of one step above 1, 10, 100 nats", files=FILES)
def one_step_goes_far(budget: Budget) -> Finding:
    """N4."""
    return replayed("N4", budget)


@evidence("N5", kind=Kind.WITNESS, scope="a negative log ratio, and a negative mean of them over a group", files=FILES)
def log_ratios_are_negative(budget: Budget) -> Finding:
    """N5."""
    return replayed("N5", budget)


@evidence("N7", kind=Kind.WITNESS, scope="theta returns exactly to theta_0, never stationary", files=FILES)
def theta_goes_in_a_circle(budget: Budget) -> Finding:
    """N7."""
    return replayed("N7", budget)
