"""Which mean over tokens a logged kl is: of which estimator of the divergence, and over which tokens."""

from collections.abc import Iterator

import numpy as np
from grpocheck.verifier.audit.model import Booleans, Floats
from grpocheck.verifier.recompute import LossCall

WORDS = {
    "k3": "exp(d) - d - 1, d = log(reference / policy) (k3)",
    "k1": "-d, d = log(reference / policy) (k1)",
    "k2": "d^2 / 2, d = log(reference / policy) (k2)",
    "k3-reversed": "exp(-d) + d - 1, d = log(reference / policy) (k3 with policy and reference exchanged)",
}
"""The estimators, those of more use first."""


@np.errstate(over="ignore", invalid="ignore")
def estimates(name: str, difference: Floats) -> Floats:
    """An estimator of each token, from d."""
    if name == "k1":
        return -difference
    if name == "k2":
        return difference * difference / 2
    signed = difference if name == "k3" else -difference
    return np.asarray(np.expm1(signed) - signed)


def means(call: LossCall) -> Iterator[tuple[str, str, float]]:
    """The name of each estimator, its mean in words, and the mean: over tokens that count, then over others."""
    if call.ref_logps is None:
        return
    new, reference = (np.asarray(one, dtype=np.float64) for one in (call.new_logps, call.ref_logps))
    counts = np.asarray(call.mask) > 0
    written = counts | (new != 0) | (reference != 0)  # what is 0 in both is padding
    per_token = {name: estimates(name, np.where(written, reference - new, 0.0)) for name in WORDS}
    for over, where in (("drawn tokens", counts), ("all tokens, masked ones too,", written)):
        for name, values in per_token.items():
            yield name, f"the mean over {over} of {WORDS[name]}", mean(values, where)
    for name, values in per_token.items():
        own = [mean(row, where) for row, where in zip(values, counts, strict=True) if where.any()]
        yield name, f"the mean over responses of each one's mean of {WORDS[name]}", float(np.mean(own or [0.0]))
        yield (
            name,
            f"the mean over responses of each one's sum of {WORDS[name]}",
            mean(values, counts) * float(counts.sum() / len(counts)),
        )


def mean(values: Floats, where: Booleans) -> float:
    """The mean of some numbers."""
    return float(values[where].mean()) if where.any() else 0.0


def named(call: LossCall, logged: float, room: float) -> tuple[str | None, str]:
    """The estimator whose mean was logged, and what it is in words; None where it is the mean of none of them."""
    for name, words, value in means(call):
        if abs(logged - value) <= room * max(1.0, abs(value)):
            return name, words
    return None, "the mean over tokens of none of the estimators k1, k2 and k3"
