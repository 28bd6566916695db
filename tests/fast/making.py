"""Batches to evaluate: random ones, and ones that are made to be hard."""

from collections import Counter
from fractions import Fraction
from math import log
from random import Random
from typing import Any

import numpy as np
from grpocheck.core.advantage import group_advantages
from grpocheck.core.arithmetic import ExactArithmetic
from grpocheck.verifier.fast import Batch

Theta = list[list[float]]


def batch(
    random: Random,
    sizes: list[int],
    group: int,
    beta: Fraction,
    spread: float = 1.0,
    rewards: tuple[int, ...] = (0, 1, 2),
) -> Batch:
    """A random batch: old logits by a normal law, draws and rewards uniform."""
    old, counts, advantages, reference = [], [], [], []
    for size in sizes:
        old.append(tuple(Fraction(random.gauss(0, spread)) for _ in range(size)))
        drawn = [random.randrange(size) for _ in range(group)]
        values = [Fraction(random.choice(rewards), 3) for _ in range(size)]
        own = dict(zip(drawn, group_advantages([values[j] for j in drawn], ExactArithmetic()), strict=True))
        made = Counter(drawn)
        counts.append(tuple(made[j] for j in range(size)))
        advantages.append(tuple(own.get(j, Fraction(0)) for j in range(size)))
        weights = [random.randrange(1, 30) for _ in range(size)]
        reference.append(tuple(Fraction(weight, sum(weights)) for weight in weights))
    return Batch(
        tuple(old), tuple(counts), tuple(advantages), tuple(reference), group, Fraction(1, 5), beta
    )


def near(random: Random, of: Batch, step: float) -> Theta:
    """Logits a random step away from the old ones."""
    return [[float(entry) + random.gauss(0, step) for entry in row] for row in of.logits_old]


def at_the_bound(random: Random, of: Batch) -> Theta:
    """Logits at which one response of each prompt has a ratio of 6/5 or 4/5 to within some units in the last place."""
    theta = []
    for row in of.logits_old:
        old = [float(entry) for entry in row]
        j, ratio = random.randrange(len(old)), random.choice((1.2, 0.8))
        weights = np.exp(np.array(old) - max(old))
        mass = weights[j] / weights.sum()
        if not 1e-6 < mass < 1 - 1e-6 or mass * ratio > 1 - 1e-6:
            theta.append(old)
            continue
        new = list(old)
        new[j] = old[j] + log(ratio * (1 - mass) / (1 - ratio * mass))
        for _ in range(random.randrange(4)):
            new[j] = float(np.nextafter(new[j], random.choice((-np.inf, np.inf))))
        theta.append(new)
    return theta


def padded(theta: Theta) -> Any:
    """Logits as the array that the filter takes."""
    size = max(map(len, theta))
    return np.array([[*row, *([-np.inf] * (size - len(row)))] for row in theta])
