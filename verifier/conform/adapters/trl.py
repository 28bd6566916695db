"""TRL's GRPOTrainer._compute_loss, of the installed version, on a stand-in for the trainer.

The stand-in has the settings that the loss reads, one process, and a model that is not there: its log-probabilities are
those of the input. Everything between them and the loss is TRL's.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from grpocheck.verifier.conform.adapters.adapted import Adapted
from grpocheck.verifier.conform.adapters.extraction import definitions, extracted, package_folder
from grpocheck.verifier.conform.targets import Target
from grpocheck.verifier.conform.wanted import Numbers

METHODS = ("_compute_loss", "compute_loss", "get_off_policy_mask", "get_gamma_weights", "get_high_entropy_mask")
HELPERS = ("nanmin", "nanmax")
LONGEST = 16
BETA = Fraction(1, 25)
LEVELS = {"token": "token", "sequence": "geometric-mean"}

LOSSES: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "grpo": ("grpo-token", (), {}),
    "bnpo": ("bnpo", (), {}),
    "dr_grpo": ("dr-grpo", (), {}),
    "dapo": ("dapo", (), {"epsilon_high": 0.28}),
    "luspo": ("luspo", (), {}),
    "cispo": ("cispo", ("term=clipped-weight,cap=5",), {"epsilon_high": 5.0}),
    "sapo": ("sapo", (), {}),
    "vespo": ("vespo", (), {}),
}
"""Loss types: the variant that each is, with its parts, and the settings in which it departs from TRL's defaults."""


def adapted(site: Path | None = None) -> Iterator[Adapted]:
    """Every loss type that the installed version has, at both levels of the ratio, with and without a KL term."""
    folder, version = package_folder("trl", site)
    file = folder / "trainer" / "grpo_trainer.py"
    text = file.read_text(encoding="utf-8")
    method = "_compute_loss" if "def _compute_loss" in text else "compute_loss"
    levels = LEVELS if "importance_sampling_level" in text else {"token": "token"}
    typed = "self.loss_type" in text
    for loss_type, (variant, parts, changes) in LOSSES.items():
        # before there were loss types the loss was the mean over all tokens
        if f'"{loss_type}"' not in text if typed else loss_type != "bnpo":
            continue
        for level, ratio in levels.items():
            if loss_type == "vespo" and level == "sequence":
                continue  # its weight is of the whole response at either level
            for beta in (Fraction(0), BETA):
                chosen = (*parts, *(() if loss_type == "vespo" else (f"ratio={ratio}",)))
                if beta:
                    chosen += ("kl=k3",)
                name = f"trl {version} {loss_type} {level}" + (" with beta" if beta else "")
                settings = {"loss_type": loss_type, "importance_sampling_level": level, "beta": float(beta), **changes}
                yield Adapted(
                    Target(name, _Loss(file, method, settings), "torch", "float32"),
                    variant,
                    chosen,
                    Numbers(Fraction(1, 5), beta, LONGEST),
                )
    if "delta" in text:
        settings = {"loss_type": "grpo", "delta": 1.5}
        yield Adapted(
            Target(f"trl {version} grpo delta 1.5", _Loss(file, method, settings), "torch", "float32"),
            "delta", ("term=delta,delta=3/2",), Numbers(Fraction(1, 5), Fraction(0), LONGEST),
        )  # fmt: skip
    if "use_bias_correction_kl" in text:
        settings = {"loss_type": "grpo", "beta": float(BETA), "use_bias_correction_kl": True}
        yield Adapted(
            Target(f"trl {version} grpo weighted KL", _Loss(file, method, settings), "torch", "float32"),
            "grpo-token", ("kl=k3,weight=ratio",), Numbers(Fraction(1, 5), BETA, LONGEST),
        )  # fmt: skip


class _Loss:
    """A call of the loss: the trainer's code is read at the first one."""

    def __init__(self, file: Path, method: str, settings: dict[str, Any]) -> None:
        """The file of the trainer, its method, and the settings that are not TRL's defaults."""
        self.file, self.method, self.settings = file, method, settings
        self.trainer: Any = None

    def __call__(self, new: Any, old: Any, ref: Any, advantages: Any, mask: Any) -> Any:
        """The loss of the installed version."""
        if self.trainer is None:
            self.trainer = _trainer_class(self.file)
        stand_in = _stand_in(self.trainer, new, self.settings)
        ids = mask.long()
        inputs = {
            "prompt_ids": ids[:, :1],
            "prompt_mask": ids[:, :1],
            "completion_ids": ids,
            "completion_mask": ids,
            "advantages": advantages,
            "old_per_token_logps": old,
            "ref_per_token_logps": ref,
            "num_items_in_batch": mask.sum(),
        }
        return getattr(stand_in, self.method)(None, inputs)


def _trainer_class(file: Path) -> Any:
    """The methods of GRPOTrainer that make the loss, with the helpers they name."""
    import torch

    given: dict[str, Any] = {"torch": torch, "math": math, "nn": torch.nn, "F": torch.nn.functional}
    for source in (file, file.parent / "utils.py"):
        known = [name for name in HELPERS if name in definitions(source) and name not in given]
        given.update({name: extracted(source, [name], given).scope[name] for name in known})
    return extracted(file, ["GRPOTrainer"], given, {"GRPOTrainer": METHODS}).GRPOTrainer


def _stand_in(trainer: Any, new: Any, settings: dict[str, Any]) -> Any:
    """An instance that has what the loss reads, and no model."""
    import torch

    made = trainer.__new__(trainer)
    entropies = torch.zeros_like(new).detach()
    accelerator = SimpleNamespace(
        num_processes=1,
        sync_gradients=True,
        gather=lambda value: value,
        gather_for_metrics=lambda value: value,
        reduce=lambda value, reduction="sum": value,
        pad_across_processes=lambda value, **_: value,
    )
    epsilon = 0.2
    arguments = {
        "delta": settings.get("delta"),
        "use_bias_correction_kl": settings.get("use_bias_correction_kl", False),
        "steps_per_generation": 1,
        "sapo_temperature_pos": 1.0,
        "sapo_temperature_neg": 1.05,
        "vespo_k_pos": 2.0,
        "vespo_lambda_pos": 3.0,
        "vespo_k_neg": 3.0,
        "vespo_lambda_neg": 2.0,
        "gradient_accumulation_steps": 1,
    }
    attributes = {
        "loss_type": settings["loss_type"],
        "importance_sampling_level": settings.get("importance_sampling_level", "token"),
        "beta": settings.get("beta", 0.0),
        "epsilon_low": epsilon,
        "epsilon_high": settings.get("epsilon_high", epsilon),
        "max_completion_length": LONGEST,
        "num_iterations": 2,
        "top_entropy_quantile": 1.0,
        "off_policy_mask_threshold": None,
        "use_vllm": False,
        "vllm_importance_sampling_correction": False,
        "aux_loss_enabled": False,
        "use_adaptive_entropy": False,
        "entropy_coef": 0.0,
        "_entropy_bonus_enabled": False,
        "current_gradient_accumulation_steps": 1,
        "model": SimpleNamespace(training=True),
        "accelerator": accelerator,
        "control": SimpleNamespace(should_evaluate=False),
        "args": SimpleNamespace(**arguments),
        "_metrics": defaultdict(lambda: defaultdict(list)),
    }
    for name, value in attributes.items():
        setattr(made, name, value)
    made._get_per_token_logps = lambda *_, **__: new
    three = hasattr(trainer, "_compute_loss") and "aux_loss" in trainer._compute_loss.__code__.co_varnames
    made._get_per_token_logps_and_entropies = lambda *_, **__: (new, entropies, None) if three else (new, entropies)
    return made
