"""Where the witnesses against each non-claim are stored."""

from grpocheck.proofs.non_claims.files import path_of
from grpocheck.proofs.non_claims.task_search import WITNESSES
from grpocheck.proofs.non_claims.witnesses import witnesses_against


def stored_against(claim: str) -> tuple[str, ...]:
    """The files with the witnesses against a non-claim: problem files, or task files for the training-free ones."""
    problems = [str(path_of(witness)) for witness in witnesses_against(claim)]
    return (*problems, *(witness.path for witness in WITNESSES if witness.claim == claim))
