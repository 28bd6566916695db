"""Groups of one response: beside its own mean its advantage is 0, whatever its reward is."""

from grpocheck.verifier.audit.findings import Observation, Where, counted
from grpocheck.verifier.audit.rules import seen


def all_zero(where: Where, groups: int, equal: int, alone: bool) -> Observation:
    """That every advantage of a run is 0; ``alone`` says that every group has one response."""
    if alone:
        return seen(
            "advantages-all-zero",
            where,
            "groups of two responses or more",
            f"0 everywhere; {counted(groups, 'group')} of one response",
            what="groups have one response: beside its own mean its advantage is 0, whatever its reward",
            advice="draw several responses for each prompt (num_generations), or log them in one group",
        )
    kept = f"{equal} of {counted(groups, 'group')} with equal rewards"
    return seen("advantages-all-zero", where, "advantages that tell responses apart", f"0 everywhere; {kept}")
