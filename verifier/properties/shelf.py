"""The shelf: claims and non-claims as properties, each with a problem, a scope, and the verdict it is known to have.

What the language cannot say is not here: that the returned parameter is the last valid one (A2), that nothing frozen
changes (D1, D2), differentiability (F1, F2), laws and expectations (G3, N3), and what speaks of other procedures.
"""

from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from grpocheck.contracts.claims import claim
from grpocheck.core.problem import Problem
from grpocheck.verifier.properties import shelf_problems as problems
from grpocheck.verifier.properties.runs import read_text
from grpocheck.verifier.properties.verdicts import Scope, Verdict

HOLDS, REFUTED, UNDECIDED = Verdict.HOLDS, Verdict.REFUTED, Verdict.UNDECIDED
RUN, DRAWS, SHAPE = Scope.RUN, Scope.DRAWS, Scope.SHAPE


@dataclass(frozen=True)
class Shelved:
    """A ready property: its name on the shelf, the claim it is of, its text, and the verdict it is known to have."""

    name: str
    claim: str | None
    title: str
    property: str
    problem_text: str
    scope: Scope
    verdict: Verdict
    reference: str
    """The theorem that proves it for every size, or the stored witness against it."""

    @cached_property
    def problem(self) -> Problem:
        """The problem it is checked on."""
        return read_text(self.problem_text)

    @cached_property
    def statement(self) -> str:
        """The claim in the registry's words; of none, the title."""
        return self.title if self.claim is None else claim(self.claim).statement


B2 = (
    "all prompts: (deviation > 0 implies sum(responses: advantage) = 0 and mean(responses: advantage^2) = 1 "
    "and max(responses: abs(advantage)) <= sqrt(G - 1)) and (deviation = 0 implies (all responses: advantage = 0))"
)
B5 = (
    "abs(F) <= sqrt(G - 1) * max(1 + epsilon, 1 / min(responses: old_mass)) + beta * log(1 / min(support: reference))"
)
C1 = "draws = M * G * iterations and draws <= T * M * G and (status = complete implies draws = T * M * G)"
C2 = (
    "attempts <= T * K and (status = complete implies attempts = steps) "
    "and (status != complete implies attempts = steps + 1)"
)
C3 = (
    "membership <= attempts and (status = undefined-gradient implies membership = attempts - 1) "
    "and (status != undefined-gradient implies membership = attempts)"
)
C4 = "status = complete or status = undefined-gradient or status = invalid-update"
E1 = (
    "(advantage > 0 implies term = min(ratio, 1 + epsilon) * advantage) "
    "and (advantage < 0 implies term = max(ratio, 1 - epsilon) * advantage) and (advantage = 0 implies term = 0)"
)
N2 = "sum(support: mass_next * reward) >= sum(support: mass * reward)"
N4B = "all prompts: sum(support: old_mass * log(old_mass / mass)) <= 1"

_ENTRIES = (
    Shelved("A1", "A1", "a step never leaves U", "0 < theta_next < 1", problems.ONE_STEP, SHAPE, HOLDS,
            "theorem Admissibility.applied_parameters_in_domain"),
    Shelved("A3", "A3", "masses are positive and sum to 1",
            "all prompts: sum(support: mass) = 1 and min(support: mass) > 0", problems.THREE_RESPONSES, DRAWS, HOLDS,
            "theorem Generation.response_masses_sum_to_one"),
    Shelved("B1", "B1", "no spread exactly when all rewards are equal",
            "all prompts: deviation >= 0 and (deviation = 0 iff (all i, j: reward[i] = reward[j]))",
            problems.THREE_RESPONSES, DRAWS, HOLDS, "theorem Advantage.deviation_zero_iff_rewards_equal"),
    Shelved("B2", "B2", "advantages are standardised", B2, problems.ONE_STEP, SHAPE, HOLDS,
            "theorem Advantage.advantages_have_unit_mean_square"),
    Shelved("B2 of three draws", "B2", "advantages are standardised", B2, problems.THREE_RESPONSES, DRAWS, HOLDS,
            "theorem Advantage.advantage_abs_le"),
    Shelved("B3", "B3", "ratios are positive, and 1 at the start", "ratio > 0 and (k = 0 implies ratio = 1)",
            problems.ONE_STEP, SHAPE, HOLDS, "theorem Objective.sequence_ratio_at_old"),
    Shelved("B4", "B4", "KL is not negative, and 0 only at the reference",
            "all prompts: kl >= 0 and (kl = 0 iff (all support: mass = reference))", problems.ONE_STEP, SHAPE, HOLDS,
            "theorem Divergence.divergence_zero_iff_equal"),
    Shelved("B5", "B5", "the objective is bounded", B5, problems.THREE_RESPONSES, DRAWS, HOLDS,
            "theorem Objective.objective_bound"),
    Shelved("C1", "C1", "the draws are counted and bounded", C1, problems.TWO_ITERATIONS, SHAPE, HOLDS,
            "theorem Budgets.draws_at_most"),
    Shelved("C2", "C2", "the gradient attempts are counted and bounded", C2, problems.TWO_ITERATIONS, SHAPE, HOLDS,
            "theorem Budgets.attempts_are_steps_and_stop"),
    Shelved("C3", "C3", "the membership calls are counted and bounded", C3, problems.TWO_ITERATIONS, SHAPE, HOLDS,
            "theorem Budgets.membership_calls_are_answered_attempts"),
    Shelved("C4", "C4", "one of three statuses", C4, problems.TWO_ITERATIONS, SHAPE, HOLDS,
            "theorem Budgets.run_terminates_within_bound"),
    Shelved("E1", "E1", "what a term is", E1, problems.ONE_STEP, SHAPE, HOLDS,
            "theorem ClippedTerm.term_of_positive_advantage"),
    Shelved("E2", "E2", "clipping only takes away", "term <= ratio * advantage", problems.ONE_STEP, SHAPE, HOLDS,
            "theorem ClippedTerm.term_le_unclipped"),
    Shelved("G1", "G1", "change of measure",
            "all prompts: sum(support: old_mass * ratio * reward) = sum(support: mass * reward)",
            problems.THREE_RESPONSES, DRAWS, HOLDS, "theorem FiniteLaws.change_of_measure"),
    Shelved("N1", "N1", "a step raises the objective", "F_next >= F", problems.ONE_STEP, SHAPE, REFUTED,
            "witness examples/non_claims/n1_penalty_overshoots.toml"),
    Shelved("N2", "N2", "a step raises the true objective", N2, problems.AT_ODDS, RUN, REFUTED,
            "witness examples/non_claims/n2_return_falls.toml"),
    Shelved("N4a", "N4", "clipping keeps the ratios inside", "1 - epsilon <= ratio <= 1 + epsilon",
            problems.LONG_STEP, DRAWS, REFUTED, "witness examples/non_claims/n4a_ratio_outside.toml"),
    Shelved("N4b", "N4", "clipping bounds KL(old to new)", N4B, problems.LONG_STEP, DRAWS, REFUTED,
            "witness examples/non_claims/n4b_divergence_above_1_nat.toml"),
    Shelved("N5a", "N5", "a log ratio is not negative", "log(mass / reference) >= 0", problems.ONE_STEP, DRAWS, REFUTED,
            "witness examples/non_claims/n5a_log_ratio_negative.toml"),
    Shelved("N5b", "N5", "the sample KL of a group is not negative",
            "all prompts: mean(responses: log(mass / reference)) >= 0", problems.THREE_RESPONSES, DRAWS, REFUTED,
            "witness examples/non_claims/n5b_sample_divergence_negative.toml"),
    Shelved("N7", "N7", "a parameter that was left does not come back", "theta_next = theta_0 implies theta = theta_0",
            problems.CYCLE, RUN, REFUTED, "witness examples/non_claims/n7_cycle.toml"),
    Shelved("every gradient exists", None, "The run never stops for want of a gradient.",
            "status != undefined-gradient", problems.KINK, DRAWS, REFUTED,
            "theorem ObjectiveGradient.objective_differentiable_iff"),
    Shelved("an undecided equality", None, "Two numbers that are equal, and that no enclosure tells apart.",
            "2 * log(sqrt(2)) = log(2)", problems.ONE_STEP, RUN, UNDECIDED, "docs/properties.md, undecided"),
)  # fmt: skip

SHELF = MappingProxyType({entry.name: entry for entry in _ENTRIES})
"""The ready properties by name."""
