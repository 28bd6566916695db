"""The work that is measured: F_t and its gradient by the logits, as ours and as the peers would do it.

The peers are written the way their users write them: every drawn response is a term, a repeated draw is repeated.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
from grpocheck.core.advantage import group_advantages
from grpocheck.core.arithmetic import ExactArithmetic
from grpocheck.verifier.fast import Batch
from grpocheck.verifier.vectors.numbers import nearest

EPSILON, BETA = 0.2, 0.04


@dataclass(frozen=True)
class Instance:
    """One size: the batch, the logits to evaluate at, and the draws one by one for the peers."""

    batch: Batch
    theta: Any
    draws: list[list[int]]
    advantages: list[list[float]]


def instance(prompts: int, responses: int, group: int, seed: int = 1) -> Instance:
    """Random logits, rewards in quarters, draws and references; theta a step away from the old logits."""
    random = Random(seed)
    old, counts, advantages, reference, draws, each = [], [], [], [], [], []
    for _ in range(prompts):
        old.append(tuple(Fraction(random.gauss(0, 1)) for _ in range(responses)))
        drawn = [random.randrange(responses) for _ in range(group)]
        rewards = [Fraction(random.randrange(5), 4) for _ in range(responses)]
        own = group_advantages([rewards[j] for j in drawn], ExactArithmetic())
        made, of = Counter(drawn), dict(zip(drawn, own, strict=True))
        counts.append(tuple(made[j] for j in range(responses)))
        advantages.append(tuple(of.get(j, Fraction(0)) for j in range(responses)))
        weights = [random.randrange(1, 20) for _ in range(responses)]
        reference.append(tuple(Fraction(weight, sum(weights)) for weight in weights))
        draws.append(drawn)
        each.append(list(map(nearest, own)))
    batch = Batch(
        tuple(old), tuple(counts), tuple(advantages), tuple(reference), group, Fraction(1, 5), Fraction(1, 25)
    )
    theta = np.array([[float(entry) + random.gauss(0, 0.1) for entry in row] for row in old])
    return Instance(batch, theta, draws, each)


def torch_autograd(of: Instance) -> Callable[[], tuple[float, Any]]:
    """float64 and autograd, as a trainer does it."""
    import torch

    torch.set_num_threads(1)
    draws, advantages = torch.tensor(of.draws), torch.tensor(of.advantages, dtype=torch.float64)
    old = torch.tensor([[float(x) for x in row] for row in of.batch.logits_old], dtype=torch.float64)
    reference = torch.tensor([[float(x) for x in row] for row in of.batch.reference], dtype=torch.float64).log()
    old_logps = torch.log_softmax(old, 1).gather(1, draws)
    start = torch.tensor(of.theta)

    def evaluate() -> tuple[float, Any]:
        theta = start.clone().requires_grad_(True)
        logps = torch.log_softmax(theta, 1)
        ratio = (logps.gather(1, draws) - old_logps).exp()
        terms = torch.minimum(ratio * advantages, ratio.clamp(1 - EPSILON, 1 + EPSILON) * advantages)
        penalty = (logps.exp() * (logps - reference)).sum(1)
        objective = (terms.mean(1) - BETA * penalty).mean()
        objective.backward()
        return objective.item(), theta.grad

    return evaluate


def numpy_float64(of: Instance) -> Callable[[], tuple[float, Any]]:
    """float64 with the gradient by hand, no bounds."""
    draws, advantages = np.array(of.draws), np.array(of.advantages)
    old = np.array([[float(x) for x in row] for row in of.batch.logits_old])
    reference = np.log(np.array([[float(x) for x in row] for row in of.batch.reference]))
    rows = np.arange(len(draws))[:, None]
    old_logps = (old - np.log(np.exp(old).sum(1, keepdims=True)))[rows, draws]
    prompts, group = draws.shape

    def evaluate() -> tuple[float, Any]:
        shifted = of.theta - of.theta.max(1, keepdims=True)
        logps = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
        masses = np.exp(logps)
        ratio = np.exp(logps[rows, draws] - old_logps)
        clipped = np.clip(ratio, 1 - EPSILON, 1 + EPSILON)
        terms = np.minimum(ratio * advantages, clipped * advantages)
        away = logps - reference
        objective = (terms.mean(1) - BETA * (masses * away).sum(1)).mean()
        alive = np.where(ratio * advantages <= clipped * advantages, ratio * advantages, 0.0) / group
        pulls = np.zeros_like(masses)
        np.add.at(pulls, (rows, draws), alive)
        slopes = pulls - masses * pulls.sum(1, keepdims=True)
        slopes -= BETA * masses * (away - (masses * away).sum(1, keepdims=True))
        return float(objective), slopes / prompts

    return evaluate


def intervals(of: Instance, digits: int = 30) -> Callable[[], tuple[Any, Any]]:
    """mpmath's interval context, draw by draw."""
    from mpmath import iv

    iv.dps = digits + 8

    def number(value: Any) -> Any:
        exact = Fraction(value)
        return iv.mpf(exact.numerator) / exact.denominator

    def law(row: Any) -> tuple[list[Any], Any]:
        weights = [iv.exp(number(x)) for x in row]
        total = sum(weights)
        return [weight / total for weight in weights], total

    old = [law(row)[0] for row in of.batch.logits_old]
    logs = [[iv.log(number(x)) for x in row] for row in of.batch.reference]
    lower, upper, beta = number(1 - of.batch.epsilon), number(1 + of.batch.epsilon), number(of.batch.beta)

    def evaluate() -> tuple[Any, Any]:
        value, gradient = iv.mpf(0), []
        for theta, before, drawn, advantages, base in zip(of.theta, old, of.draws, of.advantages, logs, strict=True):
            masses, _ = law(theta)
            slopes = [iv.mpf(0)] * len(masses)
            for j, a in zip(drawn, advantages, strict=True):
                ratio, share = masses[j] / before[j], iv.mpf(a) / len(drawn)
                if (a > 0 and ratio.b < upper.a) or (a < 0 and ratio.a > lower.b):
                    value += share * ratio
                    slopes[j] += share / before[j]
                elif a:
                    value += share * (upper if a > 0 else lower)
            for j, mass in enumerate(masses):
                away = iv.log(mass) - base[j]
                value -= beta * mass * away
                slopes[j] -= beta * away
            mean = sum(mass * slope for mass, slope in zip(masses, slopes, strict=True))
            gradient.append([mass * (slope - mean) for mass, slope in zip(masses, slopes, strict=True)])
        return value / len(of.draws), gradient

    return evaluate


def plain_balls(of: Instance, bits: int = 128) -> Callable[[], tuple[Any, Any]]:
    """A plain script on python-flint, draw by draw."""
    from flint import arb, ctx, fmpq

    def number(value: Any) -> Any:
        exact = Fraction(value)
        return arb(fmpq(exact.numerator, exact.denominator))

    def law(row: Any) -> list[Any]:
        weights = [number(x).exp() for x in row]
        total = sum(weights[1:], weights[0])
        return [weight / total for weight in weights]

    ctx.prec = bits
    old = [law(row) for row in of.batch.logits_old]
    reference = [[number(x) for x in row] for row in of.batch.reference]
    lower, upper, beta = number(1 - of.batch.epsilon), number(1 + of.batch.epsilon), number(of.batch.beta)

    def evaluate() -> tuple[Any, Any]:
        ctx.prec = bits
        value, gradient = arb(0), []
        for theta, before, drawn, advantages, base in zip(
            of.theta, old, of.draws, of.advantages, reference, strict=True
        ):
            masses = law(theta)
            slopes = [arb(0)] * len(masses)
            for j, a in zip(drawn, advantages, strict=True):
                ratio, share = masses[j] / before[j], arb(a) / len(drawn)
                if (a > 0 and ratio < upper) or (a < 0 and ratio > lower):
                    value += share * ratio
                    slopes[j] += share / before[j]
                elif a:
                    value += share * (upper if a > 0 else lower)
            for j, mass in enumerate(masses):
                away = (mass / base[j]).log()
                value -= beta * mass * away
                slopes[j] -= beta * away
            mean = sum((mass * slope for mass, slope in zip(masses, slopes, strict=True)), arb(0))
            gradient.append([mass * (slope - mean) for mass, slope in zip(masses, slopes, strict=True)])
        return value / len(of.draws), gradient

    return evaluate
