"""The fast tier of verification, run on a changed tree: contracts, examples and small enumerations, to the first kill.

Run as a program, with the changed tree first on the path. Prints one line of JSON: what killed, and for which claims.
Exit status 1 for a kill, 0 when everything held, 2 when the tier itself cannot run.
"""

import json
import sys
import time
import traceback

from grpocheck.contracts.claims import claims_named_in
from grpocheck.proofs.evidence import Budget, OutOfBudget, Verdict, discover

FAST = (
    "grpocheck.proofs.examples:",
    "grpocheck.proofs.properties:whole_runs_end_as_the_definition_says",
    "grpocheck.proofs.properties:terms_are_clipped_by_sign",
    "grpocheck.proofs.properties:advantages_are_standardised",
    "grpocheck.proofs.properties:ratios_and_divergences",
    "grpocheck.proofs.properties:responses_are_generated_token_by_token",
    "grpocheck.proofs.enumeration:small_runs",
    "grpocheck.proofs.properties:the_protocol_keeps_its_promises_whatever_the_oracles_answer",
    "grpocheck.proofs.properties:draws_have_the_law_of_the_masses",
)
"""The pieces of evidence of the fast tier, by the beginning of their names, in the order in which they are tried."""


def verdict(seconds: float) -> dict[str, object] | None:
    """The first kill: the evidence, the claims and what it says; None when everything held within the time."""
    entries = discover(("grpocheck.proofs.examples", "grpocheck.proofs.enumeration", "grpocheck.proofs.properties"))
    end = time.monotonic() + seconds
    for start in FAST:
        chosen = [entry for entry in entries if entry.name.startswith(start)]
        if not chosen:
            raise LookupError(f"no evidence named {start}")
        for entry in chosen:
            if time.monotonic() >= end:
                return None
            try:
                findings = entry.findings(entry.check(Budget(end - time.monotonic())))
            except OutOfBudget:
                return None
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
                place = traceback.extract_tb(error.__traceback__)[-1]
                named = next(filter(None, map(claims_named_in, str(error).splitlines())), ())
                return {"evidence": entry.name, "claims": named or entry.claims, "says": text[:300], "at": place.name}
            refuted = {claim: f.detail for claim, f in findings.items() if f.verdict is Verdict.REFUTED or f.broken}
            if refuted:
                claims = list(refuted)
                return {"evidence": entry.name, "claims": claims, "says": refuted[claims[0]][:300]}
    return None


if __name__ == "__main__":
    found = verdict(float(sys.argv[1]))
    print(json.dumps(found))
    sys.exit(0 if found is None else 1)
