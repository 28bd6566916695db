"""A loss that is not the declared one, and how it comes of it: by one change of its settings, or by a factor."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
from grpocheck.verifier.recompute import BadSetting, LossCall, Recomputed, compare, recompute
from grpocheck.verifier.recompute.settings import CLAMPED, KL_WEIGHTS, PENALTIES, SAMPLER_MODES

WEIGHTS = {
    "none": "",
    "ratio": " times the importance ratio",
    "ratio-detached": " times the importance ratio, detached",
}
MOST_TOLD = 3
CLEAR = 1e-3
"""Share of a number that its bound may be, for the number to tell a factor."""
DENOMINATOR = 1000
ROOM = 1e-5


def explained(call: LossCall, found: Recomputed) -> str:
    """What makes the call's numbers of the declared loss, in words; empty where nothing that is looked for does."""
    told = [words for words, other in changes(call) if reproduces(other)][:MOST_TOLD]
    return f"they are those of the declared loss with {' or '.join(told)}" if told else multiple(call, found)


def reproduces(call: LossCall) -> bool:
    """Whether nothing of the call departs from its settings."""
    try:
        return not compare(call, recompute(call))
    except BadSetting:  # it has not what this loss is made of
        return False


def changes(call: LossCall) -> Iterator[tuple[str, LossCall]]:
    """The call with one thing changed in how its loss is computed, and that in words."""
    own = call.settings

    def but(**changed: object) -> LossCall:
        return replace(call, settings=replace(own, **changed))  # type: ignore[arg-type]

    if own.beta and call.ref_logps is not None:
        for kind in PENALTIES[1:]:
            for weight in KL_WEIGHTS:
                if (kind, weight) != (own.penalty, own.kl_weight):
                    yield f"the KL estimator {kind}{WEIGHTS[weight]}", but(penalty=kind, kl_weight=weight)
        yield "no KL term", but(beta=0.0)
        yield "the policy's own log-probabilities as the reference's", replace(call, ref_logps=call.new_logps)
    if own.delta is not None:
        yield "no delta", but(delta=None)
    if own.off_policy_mask_threshold is not None:
        yield "no off-policy mask", but(off_policy_mask_threshold=None)
    if own.top_entropy_quantile < 1:
        yield "no entropy mask", but(top_entropy_quantile=1.0)
    if own.entropy_coef:
        yield "no entropy bonus", but(entropy_coef=0.0)
        yield "the entropy bonus of the other sign", but(entropy_coef=-own.entropy_coef)
    if own.term_in_use in CLAMPED:
        yield "no clip", but(term="unclipped")
    if own.importance_sampling_level == "sequence":
        yield "the product of a response's ratios, not its geometric mean", but(importance_sampling_level="product")
    if own.sampler_correction or call.importance_ratio is not None:
        yield "no correction by the sampler's ratio", replace(but(sampler_correction=False), importance_ratio=None)
    elif call.sampling_logps is not None:
        for mode in SAMPLER_MODES:
            yield f"the sampler's correction {mode}", but(sampler_correction=True, sampler_mode=mode)
    yield "the new log-probabilities as the old ones", replace(call, old_logps=call.new_logps)
    if not call.mask.all():
        yield "padding and masked tokens counted", replace(call, mask=np.ones(call.mask.shape))


def multiple(call: LossCall, found: Recomputed) -> str:
    """The factor that all gradients have, and the loss where it has it too; empty where there is none but 1."""
    if call.grad_logps is None:
        return ""
    with np.errstate(divide="ignore", invalid="ignore"):
        clear = found.gradient_bound < CLEAR * np.abs(found.gradient)
        factors = (call.grad_logps / found.gradient)[clear]
    if not factors.size or not np.isfinite(factors).all():
        return ""
    middle = float(np.median(factors))
    factor = float(Fraction(middle).limit_denominator(DENOMINATOR))
    factor = factor if abs(factor - middle) <= ROOM * abs(middle) else middle
    with np.errstate(invalid="ignore"):
        off = np.abs(call.grad_logps - factor * found.gradient)
        away = off > abs(factor) * found.gradient_bound + ROOM * np.abs(factor * found.gradient)
    if away.any():
        return ""
    if abs(factor - 1) <= ROOM:
        more = 0.0 if call.loss is None else call.loss - found.loss
        size = f"{abs(more):g} {'more' if more > 0 else 'less'}"
        return f"the gradient is that of the declared loss, and the loss is {size}" if more else ""
    steps = call.gradient_accumulation_steps
    hint = f" (gradient_accumulation_steps is {steps})" if steps > 1 and factor in (steps, 1 / steps) else ""
    if call.loss is None:
        return f"the gradient is {factor:g} times that of the declared loss{hint}"
    room = abs(factor) * found.loss_bound + ROOM * abs(factor * found.loss)
    if abs(call.loss - factor * found.loss) <= room:
        return f"loss and gradient are {factor:g} times those of the declared loss{hint}"
    kept = "the declared one" if abs(call.loss - found.loss) <= found.loss_bound else "another"
    return f"the gradient is {factor:g} times that of the declared loss, and the loss is {kept}"
