"""The fast tier of verification, run on a changed tree: contracts, examples and small enumerations, to the first kill.

As a program it is given names of evidence, and the changed tree first on the path; it prints one line of JSON: what
killed, and for which claims. Exit status 1 for a kill, 0 when everything held.
"""

import importlib
import json
import sys
import traceback
from collections.abc import Sequence

GROUNDWORK = "grpocheck.proofs.groundwork"
COMMON = (
    "grpocheck.proofs.examples:contracts_on_the_examples",
    "grpocheck.proofs.enumeration:smallest_runs",
)
"""What every change is tried on, after what is nearest to it."""

DEFINITIONS = (
    "grpocheck.proofs.enumerated_definitions:clipped_terms",
    "grpocheck.proofs.enumerated_definitions:ratios_and_divergences",
    "grpocheck.proofs.enumerated_definitions:generated_responses",
)
FOR_CLAIMS = (
    *DEFINITIONS,
    *reversed(COMMON),
    "grpocheck.proofs.properties:ratios_and_divergences",
    "grpocheck.proofs.properties:whole_runs_end_as_the_definition_says",
)
"""Evidence for claims alone, in which the mistakes of the catalogue are looked for."""

NUMBERS = (
    f"{GROUNDWORK}.texts:rationals_are_written_and_read",
    f"{GROUNDWORK}.texts:surds_are_written_and_read",
    f"{GROUNDWORK}.texts:decimals_are_rounded_outward",
    f"{GROUNDWORK}.texts:intervals_hold_and_are_narrow",
    f"{GROUNDWORK}.texts:expressions_are_described",
    f"{GROUNDWORK}.arithmetics:arithmetics_answer_or_say_why_not",
    f"{GROUNDWORK}.numbers:equal_expressions_are_found_equal",
    f"{GROUNDWORK}.numbers:extreme_numbers_are_enclosed",
    f"{GROUNDWORK}.numbers:near_ties_of_square_roots_are_decided",
    f"{GROUNDWORK}.numbers:enclosures_hold_and_decide",
    f"{GROUNDWORK}.numbers:square_roots_are_computed_exactly",
)
PROBLEMS = (
    f"{GROUNDWORK}.problems:problems_are_read_and_written",
    f"{GROUNDWORK}.problems:domains_hold_exactly_their_points",
    f"{GROUNDWORK}.problems:supports_and_masses_are_those_of_the_text",
    f"{GROUNDWORK}.problems:examples_are_written_back_as_they_are",
    f"{GROUNDWORK}.refusals:one_wrong_place_is_refused_by_its_key",
    f"{GROUNDWORK}.limits:files_and_values_are_shown_shortly",
    f"{GROUNDWORK}.limits:limits_are_where_they_are_said_to_be",
)
RUNS = (
    f"{GROUNDWORK}.oracles:draws_are_those_of_their_bits",
    f"{GROUNDWORK}.oracles:supplied_oracles_are_held_to_their_clauses",
    f"{GROUNDWORK}.oracles:ledgers_count_the_calls",
    f"{GROUNDWORK}.traces:changed_traces_are_noticed",
    f"{GROUNDWORK}.traces:runs_replay_from_their_traces",
)
VARIANTS = (
    f"{GROUNDWORK}.variants_words:words_are_read_and_refused",
    f"{GROUNDWORK}.variants:frozen_batches_are_those_by_hand",
    f"{GROUNDWORK}.variants_policies:kinks_clips_and_quantiles_are_those_by_hand",
    f"{GROUNDWORK}.variants_policies:supports_are_read_token_by_token",
    f"{GROUNDWORK}.variants_policies:gradients_follow_the_policy",
    f"{GROUNDWORK}.variants:named_methods_are_those_of_their_papers",
    f"{GROUNDWORK}.variants:compositions_are_their_formulas",
)
TIC = (
    f"{GROUNDWORK}.tic:moments_are_those_of_all_strings",
    f"{GROUNDWORK}.tic:own_lengths_are_those_of_all_strings",
    f"{GROUNDWORK}.tic:batch_variances_are_those_of_all_groups",
)
TRAINING_FREE = (
    f"{GROUNDWORK}.training_free:training_free_parts_are_those_by_hand",
    f"{GROUNDWORK}.training_free:training_free_runs_are_those_by_hand",
    f"{GROUNDWORK}.training_free:tasks_are_read_and_refused",
    f"{GROUNDWORK}.training_free_traces:training_free_traces_resume",
)

NEAREST = (
    ("arithmetic/", NUMBERS),
    ("variants/", VARIANTS),
    ("tic/", TIC),
    ("training_free/", TRAINING_FREE),
    ("families/", (*PROBLEMS, *DEFINITIONS)),
    *(
        (start, (*PROBLEMS, *RUNS))
        for start in ("problem", "prompt", "reading", "writing", "values", "invalid", "domains", "gen")
    ),
    *((start, DEFINITIONS) for start in ("advantage", "ratio", "divergence", "objective", "gradient", "frozen")),
    ("", RUNS),
)
"""The beginning of a file's name in core, and the pieces of evidence that are tried first; the first match counts."""


def tier_of(file: str) -> list[str]:
    """The names of the pieces of evidence that a change of a file of core is tried on, in order."""
    return [*next(names for start, names in NEAREST if file.startswith(start)), *COMMON]


def verdict(names: Sequence[str]) -> dict[str, object] | None:
    """The first kill by the named evidence: its name, the claims and what it says; None when everything held."""
    from grpocheck.contracts.claims import claims_named_in
    from grpocheck.proofs.evidence import Budget, Verdict, find

    # a change of core that cannot be imported is told apart from one that evidence kills
    importlib.import_module("grpocheck.core")
    for name in names:
        entry = find(name)
        try:
            findings = entry.findings(entry.check(Budget(1e9)))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            place = traceback.extract_tb(error.__traceback__)[-1]
            named = next(filter(None, map(claims_named_in, str(error).splitlines())), ())
            return {"evidence": name, "claims": named or entry.claims, "says": text[:300], "at": place.name}
        refuted = {claim: f.detail for claim, f in findings.items() if f.verdict is Verdict.REFUTED or f.broken}
        if refuted:
            return {"evidence": name, "claims": list(refuted), "says": next(iter(refuted.values()))[:300]}
    return None


if __name__ == "__main__":
    found = verdict(sys.argv[1:])
    print(json.dumps(found))
    sys.exit(0 if found is None else 1)
