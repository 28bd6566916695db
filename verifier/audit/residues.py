"""Whether advantages of a group of equal rewards can be what float error left of a mean."""

from fractions import Fraction

import numpy as np
from grpocheck.core.variants.advantages import Baseline
from grpocheck.verifier.audit.candidates import Candidate
from grpocheck.verifier.audit.model import Floats


def no_residue(rewards: Floats, logged: Floats, best: Candidate, roundoff: float) -> str:
    """Why the advantages (G,) of equal rewards (G, K) are no residue of a float mean; empty where they may be one."""
    first = [float(reward) for reward in rewards[0] if reward == reward]
    present = [reward for reward in first if reward]
    if not all(np.array_equal(row, rewards[0], equal_nan=True) for row in rewards) or len(present) > 2:
        return ""  # three numbers may be added in another order for each response
    if len(set(logged[~np.isnan(logged)].tolist())) > 1:
        return "a residue would be the same for the same rewards"
    size = len(rewards)
    powers = size & (size - 1) == 0 and best.rule.first is None and best.rule.baseline is Baseline.MEAN
    if powers and len(present) <= 1 and set(best.weights) == {1.0}:
        odd = Fraction(sum(present)).numerator
        odd //= odd & -odd or 1
        if abs(odd) * size * roundoff <= 1:
            return "the mean of these rewards is exact in the trainer's format"
    return ""
