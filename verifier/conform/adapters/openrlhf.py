"""OpenRLHF's PolicyLoss (models/loss.py) of the installed version, in every mode that it has."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from grpocheck.verifier.conform.adapters.adapted import Adapted
from grpocheck.verifier.conform.adapters.extraction import definitions, extracted, package_folder
from grpocheck.verifier.conform.targets import Target
from grpocheck.verifier.conform.wanted import Numbers


def adapted(site: Path | None = None) -> Iterator[Adapted]:
    """The clip, the dual clip and GSPO, over all tokens and over each response's own."""
    folder, version = package_folder("openrlhf", site)
    file = folder / "models" / "loss.py"
    text = file.read_text(encoding="utf-8")
    numbers = Numbers(Fraction(1, 5), Fraction(0), None)
    if "clip_eps_low" not in text:
        target = Target(f"openrlhf {version} PolicyLoss", _Loss(file, {"clip_eps": 0.2}), "torch", "float32")
        yield Adapted(target, "grpo-token", (), numbers)
        return
    modes: list[tuple[str, str, tuple[str, ...], dict[str, Any]]] = [
        ("token level", "bnpo", (), {"token_level_loss": True}),
        ("response level", "grpo-token", (), {"token_level_loss": False}),
        ("clip-higher", "dapo", (), {"token_level_loss": True, "clip_eps_high": 0.28}),
    ]
    if "dual_clip" in text:
        options = {"token_level_loss": True, "dual_clip": 3.0}
        modes.append(("dual clip", "dual-clip", ("term=dual-clip,cap=3",), options))
    if "gspo" in text:
        modes.append(("gspo", "gspo", (), {"policy_loss_type": "gspo"}))
    for words, variant, parts, options in modes:
        target = Target(f"openrlhf {version} PolicyLoss {words}", _Loss(file, options), "torch", "float32")
        yield Adapted(target, variant, parts, numbers)


class _Loss:
    """A call of PolicyLoss, with one advantage for each token as OpenRLHF has them."""

    def __init__(self, file: Path, options: dict[str, Any]) -> None:
        """The file and the options of the loss."""
        self.file, self.options = file, options
        self.loss: Any = None

    def __call__(self, new: Any, old: Any, ref: Any, advantages: Any, mask: Any) -> Any:
        """The loss of the installed version."""
        if self.loss is None:
            self.loss = _policy_loss(self.file)(**self.options)
        return self.loss(new, old, advantages.unsqueeze(-1).expand_as(new), action_mask=mask)


def _policy_loss(file: Path) -> Any:
    """The class, with the helpers it names."""
    import torch

    given: dict[str, Any] = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
    given.update(extracted(file.parent / "utils.py", ["masked_mean"], given).scope)
    names = [name for name in ("aggregate_loss", "PolicyLoss") if name in definitions(file)]
    return extracted(file, names, given).PolicyLoss
