"""verl's policy losses (trainer/ppo/core_algos.py) of the installed version, with each way to aggregate that it has."""

from __future__ import annotations

import ast
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from grpocheck.verifier.conform.adapters.adapted import Adapted
from grpocheck.verifier.conform.adapters.extraction import definitions, extracted, package_folder
from grpocheck.verifier.conform.targets import Target
from grpocheck.verifier.conform.wanted import Numbers

AGGREGATIONS = {
    "token-mean": "all-tokens",
    "seq-mean-token-sum": "none",
    "seq-mean-token-mean": "own-length",
    "seq-mean-token-sum-norm": "maximum-length",
}
"""verl's loss_agg_mode, and the normalisation that each is; the maximum length is the width of the batch."""

LOSSES: dict[str, tuple[str, tuple[str, ...]]] = {
    "compute_policy_loss_vanilla": ("dual-clip", ("term=dual-clip,cap=3",)),
    "compute_policy_loss_gspo": ("gspo", ()),
    "compute_policy_loss_sapo": ("sapo", ("term=soft-gate,positive=1,negative=21/20",)),
    "compute_policy_loss_gpg": ("reinforce-mean", ()),
    "compute_policy_loss_cispo": ("cispo", ("term=clipped-weight,cap=6/5,floor=4/5",)),
}
ADVANTAGES: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("compute_grpo_outcome_advantage", {}, "mean/sample,epsilon=1/1000000"),
    ("compute_grpo_outcome_advantage", {"norm_adv_by_std_in_grpo": False}, "mean"),
    ("compute_rloo_outcome_advantage", {}, "leave-one-out"),
)
"""verl's advantages of outcomes, with options, and the rule that each is."""
GROUP_SIZE = 4
HELPERS = ("masked_sum", "masked_mean")
FUNCTIONS = ("agg_loss", "kl_penalty", "kl_penalty_forward")
PENALTIES = {"kl": "kl=k1", "mse": "kl=k2", "low_var_kl": "kl=k3,clamp-log-ratio=20,clamp-value=10"}
"""verl's words for a KL loss, and the estimate that each is."""
FIXED_AGGREGATION = {"compute_policy_loss_sapo": "seq-mean-token-mean"}
"""Losses that aggregate in one way whatever they are told."""


class _Config(dict[str, Any]):
    """A configuration as verl reads it: by attribute, by get, and as keywords of the aggregation."""

    def __getattr__(self, name: str) -> Any:
        return self.get(name)


class _OtherConfig:
    """What an algorithm's configuration is an instance of, and ours is not."""


def adapted(site: Path | None = None) -> Iterator[Adapted]:
    """Every policy loss that has a variant, with every aggregation of the installed version; then the KL estimates."""
    folder, version = package_folder("verl", site)
    file = folder / "trainer" / "ppo" / "core_algos.py"
    found = definitions(file)
    numbers = Numbers(Fraction(1, 5), Fraction(0), None)
    if "agg_loss" not in found:  # before the aggregations: one clip, the mean over tokens
        run = _Loss(file, "compute_policy_loss", None)
        yield Adapted(Target(f"verl {version} compute_policy_loss", run, "torch", "float32"), "bnpo", (), numbers)
        return
    modes = [mode for mode in AGGREGATIONS if f'"{mode}"' in file.read_text(encoding="utf-8")]
    losses = {name: known for name, known in LOSSES.items() if name in found}
    if "compute_policy_loss_vanilla" not in found:
        losses["compute_policy_loss"] = LOSSES["compute_policy_loss_vanilla"]
    for name, (variant, parts) in losses.items():
        for mode in modes:
            if FIXED_AGGREGATION.get(name, mode) != mode:
                continue
            chosen = (*parts, f"normalisation={AGGREGATIONS[mode]}")
            words = f"verl {version} {name.removeprefix('compute_policy_loss').strip('_') or 'vanilla'} {mode}"
            yield Adapted(Target(words, _Loss(file, name, mode), "torch", "float32"), variant, chosen, numbers)
    for word, kl in PENALTIES.items():
        beta = Fraction(1, 25)
        run = _Loss(file, next(iter(losses)), "token-mean", word, float(beta))
        target = Target(f"verl {version} KL {word}", run, "torch", "float32")
        yield Adapted(target, "dual-clip", ("term=dual-clip,cap=3", kl), Numbers(Fraction(1, 5), beta, None))
    for name, options, rule in ADVANTAGES:
        if name not in found or not set(options) <= _parameters(found[name]):
            continue
        words = f"verl {version} {name.removeprefix('compute_')}{' without std' if options else ''}"
        loss = _Rewarded(_Loss(file, next(iter(losses)), "token-mean"), name, options)
        target = Target(words, loss, "torch", "float32", wants_rewards=True, group_size=GROUP_SIZE)
        yield Adapted(target, "dual-clip", ("term=dual-clip,cap=3", f"advantage={rule}"), numbers)


class _Loss:
    """A call of a policy loss, with verl's KL loss beside it where there is one."""

    def __init__(self, file: Path, name: str, mode: str | None, penalty: str | None = None, beta: float = 0.0) -> None:
        """The file, the function, the aggregation (None: the version has none), and the KL loss."""
        self.file, self.name, self.mode, self.penalty, self.beta = file, name, mode, penalty, beta
        self.module: Any = None

    def __call__(self, new: Any, old: Any, ref: Any, advantages: Any, mask: Any) -> Any:
        """The loss of the installed version, with one advantage for each token as verl has them."""
        if self.module is None:
            self.module = module_of(self.file, self.name)
        spread = advantages.unsqueeze(-1).expand_as(new)
        function: Callable[..., Any] = getattr(self.module, self.name)
        if self.mode is None:
            return function(old, new, spread, mask, 0.2)
        if "config" in function.__code__.co_varnames[: function.__code__.co_argcount]:
            config = _Config(
                clip_ratio=0.2, clip_ratio_low=0.2, clip_ratio_high=0.2, clip_ratio_c=3.0, tau_pos=1.0, tau_neg=1.05,
                global_batch_info={}, policy_loss=_Config(),
            )  # fmt: skip
            found = function(old, new, spread, mask, loss_agg_mode=self.mode, config=config)
        else:
            found = function(old, new, spread, mask, cliprange=0.2, loss_agg_mode=self.mode)
        loss = found[0] if isinstance(found, tuple) else found
        if self.penalty is None:
            return loss
        estimates = self.module.kl_penalty(new, ref, self.penalty)
        return loss + self.beta * self.module.agg_loss(loss_mat=estimates, loss_mask=mask, loss_agg_mode=self.mode)


class _Rewarded:
    """A policy loss with verl's own advantages, of rewards that stand at the first token as verl sums them."""

    def __init__(self, loss: _Loss, name: str, options: dict[str, Any]) -> None:
        """The loss, the function of advantages, and its options."""
        self.loss, self.name, self.options = loss, name, options
        self.module: Any = None

    def __call__(self, new: Any, old: Any, ref: Any, rewards: Any, mask: Any) -> Any:
        """The loss of the installed version, of its own advantages."""
        import numpy
        import torch

        if self.module is None:
            self.module = module_of(self.loss.file, self.name)
        spread = torch.zeros_like(new).detach()
        spread[:, 0] = rewards
        index = numpy.arange(len(rewards)) // GROUP_SIZE
        every = torch.ones_like(mask)
        advantages, _ = getattr(self.module, self.name)(spread, every, index, **self.options)
        return self.loss(new, old, ref, advantages[:, 0], mask)


def _parameters(node: ast.stmt) -> set[str]:
    """The names of a function's parameters."""
    if not isinstance(node, ast.FunctionDef):
        return set()
    return {argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)}


def module_of(file: Path, *names: str) -> Any:
    """Functions of core_algos, with the torch helpers they name."""
    import numpy
    import torch

    helpers = file.parents[2] / "utils" / "torch_functional.py"
    known = [name for name in HELPERS if name in definitions(helpers)]
    functional = extracted(helpers, known, {"torch": torch, "F": torch.nn.functional})
    given = {
        "torch": torch, "np": numpy, "math": math, "defaultdict": defaultdict, "Enum": Enum, "verl_F": functional,
        "ActorConfig": _Config, "AlgoConfig": _OtherConfig, "DictConfig": _Config, "SimpleNamespace": SimpleNamespace,
    }  # fmt: skip
    also = [name for name in FUNCTIONS if name in definitions(file)]
    return extracted(file, list(dict.fromkeys([*also, *names])), given)
