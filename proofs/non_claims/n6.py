"""N6 refuted: the expected best reward of a group can fall from one iteration to the next.

Three strengths, each a task of at most three responses and groups of two, each meeting every premise of the
proposition: the introspection names a token of the better response, always with a confidence above 1/2. Its proof takes
a better mean for stochastic order; what would be enough is in n6_condition.
"""

from grpocheck.contracts.claims import Kind
from grpocheck.proofs.evidence import Budget, Finding, evidence
from grpocheck.proofs.non_claims.n6_refutations import (
    external_falls_after_a_group,
    external_falls_on_average,
    novelty_falls,
)
from grpocheck.proofs.non_claims.n6_search import search_averaged, search_given_group, search_novelty
from grpocheck.proofs.non_claims.task_files import TaskWitness, replayed

WHY = (
    "Why the proof does not hold: a factor above 1 for the better response of one group takes mass from every other "
    "response, also from one that is better still and was not drawn. The mean of a draw rises; the best of a group, "
    "which lives on the rare good response, becomes worse."
)

WITNESSES = (
    TaskWitness(
        "n6_external_on_average",
        "N6",
        (
            "The external reward only, and not one unlucky group: the expectation over the first group too, whatever "
            "it is. The introspection always names the better response's token, with one confidence for all groups.",
            WHY,
        ),
        external_falls_on_average,
        search_averaged,
    ),
    TaskWitness(
        "n6_external_given_group",
        "N6",
        (
            "The external reward only: no entropy, no novelty. No test passes, so r_ext is a fifth of the quality, the "
            "same in both iterations. The first group lacks the best response, and the better of the two that it has "
            "is named, truly.",
            WHY,
        ),
        external_falls_after_a_group,
        search_given_group,
    ),
    TaskWitness(
        "n6_novelty",
        "N6",
        (
            "The cheap one: the whole reward as it is written. The bonus for a response that was not generated before "
            "is part of the best reward of the first group, always; by the second group most of it is used up. The "
            "other two parts rise: the bonus alone is to blame.",
            "Two responses are enough; with the external reward alone two never are (n6_condition.py).",
        ),
        novelty_falls,
        search_novelty,
    ),
)


@evidence(
    "N6",
    kind=Kind.WITNESS,
    scope="the expected best reward falls: r_ext on average, r_ext after one group, by novelty alone",
    files=("examples/non_claims/n6*.toml",),
)
def the_expected_best_reward_falls(budget: Budget) -> Finding:
    """N6."""
    return replayed(WITNESSES, budget)
