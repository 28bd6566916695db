"""Losses recomputed from recorded tensors, within a certified bound of what a trainer's arithmetic may make of them."""

from grpocheck.verifier.recompute.call import LossCall
from grpocheck.verifier.recompute.comparing import Departure, compare
from grpocheck.verifier.recompute.formulas import Recomputed, recompute
from grpocheck.verifier.recompute.identifying import identify
from grpocheck.verifier.recompute.settings import BadSetting, LossSettings

__all__ = ["BadSetting", "Departure", "LossCall", "LossSettings", "Recomputed", "compare", "identify", "recompute"]
