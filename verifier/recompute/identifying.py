"""Which losses a recorded call is consistent with, from its tensors: all of them, where several coincide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from grpocheck.verifier.recompute.call import LossCall
from grpocheck.verifier.recompute.comparing import compare
from grpocheck.verifier.recompute.fitting import fitted
from grpocheck.verifier.recompute.formulas import recompute
from grpocheck.verifier.recompute.settings import LOSSES, BadSetting, LossSettings


def identify(call: LossCall) -> list[str]:
    """The loss types and levels, with their numbers, that give the call's loss and gradient within the bound.

    The first word of a name is TRL's loss type, the second the level of its ratio. The names in the call's settings are
    not looked at. Their numbers are; where no loss reproduces the call with these, those that the gradient shows.
    Raises BadSetting for a call without a recorded loss and gradient.
    """
    return [name_of(settings) for settings in consistent(call)]


def consistent(call: LossCall) -> list[LossSettings]:
    """The settings that reproduce the call; raises BadSetting for one without a recorded loss and gradient."""
    if call.loss is None and call.grad_logps is None:
        raise BadSetting("loss", None, "a recorded loss or gradient to compare with")
    for source in (with_own_numbers, with_fitted_numbers):
        found = []
        for loss_type, level in FAMILIES:
            matching = (settings for settings in source(call, loss_type, level) if _reproduces(call, settings))
            first = next(matching, None)
            found += [first] if first is not None and _of_its_level(first) else []
        if found:
            return found
    return []


def _of_its_level(settings: LossSettings) -> bool:
    """Whether the level is one of the loss's own: VESPO's weight is that of the whole response at either of them.

    There the sequence's ratio is only what a KL estimate may be weighted by; without that the level is called token.
    """
    weighted = settings.beta != 0 and settings.kl_weight != "none"
    return settings.loss_type != "vespo" or settings.importance_sampling_level == "token" or weighted


def _reproduces(call: LossCall, settings: LossSettings) -> bool:
    """Whether nothing of the call departs from the settings' loss."""
    tried = replace(call, settings=settings)
    try:
        return not compare(tried, recompute(tried))
    except BadSetting:  # the call has not what this loss is made of
        return False


FAMILIES = tuple((loss_type, level) for loss_type in LOSSES for level in ("token", "sequence"))


def with_own_numbers(call: LossCall, loss_type: str, level: str) -> Iterator[LossSettings]:
    """A loss type at a level with the call's own numbers."""
    own = call.settings
    length = own.maximum_length or call.new_logps.shape[1]
    caps = (own.epsilon_high, 1 + own.epsilon_high) if loss_type == "cispo" else (None,)
    for cap in caps:
        yield replace(
            own,
            loss_type=loss_type,
            importance_sampling_level=level,
            maximum_length=length,
            term=None,
            normalisation=None,
            cap=cap,
        )


def with_fitted_numbers(call: LossCall, loss_type: str, level: str) -> Iterator[LossSettings]:
    """A loss type at a level with the numbers that the call's gradient shows."""
    base = next(with_own_numbers(call, loss_type, level))
    try:
        yield from fitted(call, replace(base, delta=None))
    except BadSetting:  # the call has not what this loss is made of
        return


def name_of(settings: LossSettings) -> str:
    """The loss type, the level, and the numbers that its term has."""
    term = settings.term_in_use
    words = [settings.loss_type, settings.importance_sampling_level]
    if term in ("two-sided", "delta", "dual-clip"):
        words += [f"epsilon={settings.epsilon:g}", f"epsilon_high={settings.epsilon_high:g}"]
    if term == "delta":
        words.append(f"delta={settings.delta:g}")
    if term in ("clipped-weight", "dual-clip"):
        words.append(f"cap={settings.cap:g}")
    if term == "soft-gate":
        words.append("temperatures={:g}/{:g}".format(*settings.temperatures))
    if term == "gamma-weight":
        words.append("k={:g}/{:g}".format(*settings.gamma_powers))
        words.append("lambda={:g}/{:g}".format(*settings.gamma_rates))
    if settings.beta:
        words.append(f"beta={settings.beta:g}")
    return " ".join(words)
