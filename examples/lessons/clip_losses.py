"""Two losses of a batch of responses, for the lesson clip-by-sign: one with the minimum and one that forgot it.

Watch: in the folder examples/lessons,

    grpocheck conform clip_losses:with_minimum --variant grpo-token --with kl=none
    grpocheck conform clip_losses:without_minimum --variant grpo-token --with kl=none

The first conforms. The second clips the ratio before it multiplies, for either sign of the advantage, and the smallest
input on which that shows is printed. Arrays are [response, token] of log-probabilities; the loss is -F.
"""

from typing import Any

import numpy as np

EPSILON = 0.2


def mean_over_responses(terms: Any, mask: Any) -> Any:
    """Each response's mean over its own tokens, then the mean over the responses."""
    kept = np.where(mask > 0, terms, 0)
    return (kept.sum(axis=1) / np.maximum(mask.sum(axis=1), 1)).mean()


def with_minimum(new_logps: Any, old_logps: Any, ref_logps: Any, advantages: Any, mask: Any) -> Any:
    """min(w A, clip(w) A): a loss of probability on a bad response is always felt."""
    ratio, advantage = np.exp(new_logps - old_logps), advantages[:, None]
    clipped = np.clip(ratio, 1 - EPSILON, 1 + EPSILON)
    return -mean_over_responses(np.minimum(ratio * advantage, clipped * advantage), mask)


def without_minimum(new_logps: Any, old_logps: Any, ref_logps: Any, advantages: Any, mask: Any) -> Any:
    """clip(w) A: once a bad response is 1.2 times as likely, making it likelier costs nothing."""
    ratio, advantage = np.exp(new_logps - old_logps), advantages[:, None]
    return -mean_over_responses(np.clip(ratio, 1 - EPSILON, 1 + EPSILON) * advantage, mask)
