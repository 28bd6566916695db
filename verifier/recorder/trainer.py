"""TRL's GRPOTrainer recorded as it trains: groups when they are rewarded, loss calls when they are made, logs.

The trainer's own methods are wrapped, each calls the original and hands its result on untouched. The gradient by the
log-probabilities is taken between the loss and them, which no parameter is part of.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from grpocheck.verifier.recorder.writing import Recorder

WRAPPED = ("_calculate_rewards", "_generate_and_score_completions", "_compute_loss")
LOG_PROBABILITIES = ("_get_per_token_logps_and_entropies", "_get_per_token_logps")
ROW, BATCH = "grpocheck_row", "grpocheck_batch"
"""Keys that travel with TRL's batch through its shuffling and slicing."""

FROM_TRAINER = {
    "loss_type": "loss_type", "importance_sampling_level": "importance_sampling_level",
    "scale_rewards": "scale_rewards", "multi_objective_aggregation": "multi_objective_aggregation",
    "num_iterations": "num_iterations", "beta": "beta", "epsilon": "epsilon_low", "epsilon_high": "epsilon_high",
    "num_generations": "num_generations", "max_completion_length": "max_completion_length",
    "temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "min_p": "min_p",
    "repetition_penalty": "repetition_penalty", "mask_truncated_completions": "mask_truncated_completions",
    "top_entropy_quantile": "top_entropy_quantile", "entropy_coef": "entropy_coef",
    "use_adaptive_entropy": "use_adaptive_entropy",
    "off_policy_mask_threshold": "off_policy_mask_threshold", "use_vllm": "use_vllm",
    "vllm_importance_sampling_correction": "vllm_importance_sampling_correction",
    "vllm_importance_sampling_mode": "vllm_importance_sampling_mode",
    "vllm_importance_sampling_clip_min": "vllm_importance_sampling_clip_min",
    "vllm_importance_sampling_clip_max": "vllm_importance_sampling_clip_max",
}  # fmt: skip
"""Settings under TRL's names, and the trainer's attributes that hold them as they are in effect."""

FROM_ARGUMENTS = (
    "delta", "use_bias_correction_kl", "sapo_temperature_pos", "sapo_temperature_neg", "vespo_k_pos",
    "vespo_lambda_pos", "vespo_k_neg", "vespo_lambda_neg", "bf16", "fp16", "learning_rate", "max_grad_norm",
    "per_device_train_batch_size", "gradient_accumulation_steps", "steps_per_generation", "generation_batch_size",
    "max_steps", "logging_steps", "seed",
)  # fmt: skip


class NotATrainer(TypeError):  # noqa: N818 - named for what it says
    """What was handed to ``record`` is not a trainer that it knows how to record."""


def record(trainer: Any, path: str | Path, gradients: bool = True, entropies: bool = True) -> Recorder:
    """Record a TRL GRPOTrainer into a JSON Lines file from now on; returns the recorder, which training closes.

    With several processes each writes a file of its own, those after the first with ``_rankN`` in the name.
    ``gradients`` and ``entropies`` say whether those tensors are written, too. Raises NotATrainer for what is no
    GRPOTrainer, and CannotRecord where the file cannot be written.
    """
    missing = [name for name in WRAPPED if not hasattr(trainer, name)]
    named = [name for name in LOG_PROBABILITIES if hasattr(trainer, name)]
    if missing or not named:
        what = ", ".join(missing or LOG_PROBABILITIES[:1])
        raise NotATrainer(f"{type(trainer).__name__} has no {what}; expected a GRPOTrainer of trl 0.19 or newer")
    rank = trainer.accelerator.process_index
    path = Path(path)
    own = path if rank == 0 else path.with_name(f"{path.stem}_rank{rank}{path.suffix}")
    recorder = Recorder(own, settings_of(trainer), list(getattr(trainer, "reward_func_names", [])) or None)
    _Recording(trainer, recorder, gradients, entropies).attach(named[0])
    return recorder


def settings_of(trainer: Any) -> dict[str, Any]:
    """The settings of a trainer as they are in effect, under TRL's names."""
    arguments = trainer.args
    found = {name: getattr(trainer, own) for name, own in FROM_TRAINER.items() if hasattr(trainer, own)}
    for name in FROM_ARGUMENTS:
        if hasattr(arguments, name):
            found[name] = getattr(arguments, name)
    found["world_size"] = trainer.accelerator.num_processes
    if hasattr(trainer, "reward_weights"):
        found["reward_weights"] = [float(weight) for weight in trainer.reward_weights]
    if hasattr(trainer, "reward_func_names"):
        found["reward_func_names"] = list(trainer.reward_func_names)
    return {name: value for name, value in found.items() if _is_plain(value)}


def bonus_of(trainer: Any) -> float | None:
    """The coefficient of the entropy bonus in the trainer's next call of the loss; None where it knows no bonus.

    An adapted one counts where the entropy of the step before was at most its target, and is changed in the call.
    """
    coefficient: float | None = getattr(trainer, "entropy_coef", None)
    if coefficient is None or not getattr(trainer, "use_adaptive_entropy", False):
        return coefficient
    last, target = getattr(trainer, "_last_world_entropy", None), getattr(trainer.args, "entropy_target", None)
    return 0.0 if last is not None and target is not None and not last <= target else coefficient


def _is_plain(value: Any) -> bool:
    """Whether JSON has the value."""
    if isinstance(value, list):
        return all(_is_plain(entry) for entry in value)
    return value is None or isinstance(value, bool | int | float | str)


def unique(names: list[str]) -> list[str]:
    """The names, with #2, #3 after those that stood before."""
    seen: dict[str, int] = {}
    made = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        made.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return made


class _Recording:
    """The wrapped methods, and the little that they hand to one another."""

    def __init__(self, trainer: Any, recorder: Recorder, gradients: bool, entropies: bool) -> None:
        """Of a trainer, into a recorder."""
        self.trainer, self.recorder = trainer, recorder
        self.gradients, self.entropies = gradients, entropies
        self.batch = self.calls = -1
        self.drawn_at = 0
        self.began: float | None = None
        self.rewards: Any = None
        self.seen: Any = None
        self.bonus: float | None = None
        self.inside = False

    def attach(self, log_probabilities: str) -> None:
        """Put the wrappers in the place of the trainer's methods, and listen to its logs and its end."""
        trainer = self.trainer
        for name, wrapper in (
            ("_calculate_rewards", self.rewarding),
            ("_generate_and_score_completions", self.generating),
            ("_compute_loss", self.losing),
            (log_probabilities, self.scoring),
        ):
            setattr(trainer, name, wrapper(getattr(trainer, name)))
        trainer.add_callback(_callback(self))

    def rewarding(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Keep the rewards of every function, gathered over the processes."""

        def wrapped(*arguments: Any, **options: Any) -> Any:
            self.rewards = original(*arguments, **options)
            return self.rewards

        return wrapped

    def generating(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Write the groups of a generation batch, and number its rows."""

        def wrapped(*arguments: Any, **options: Any) -> Any:
            self.began = self.began or time.perf_counter()
            found = original(*arguments, **options)
            began = time.perf_counter()
            before = self.recorder.seconds
            self.batch += 1
            self.drawn_at = self.trainer.state.global_step
            self.number_rows(found)
            if self.trainer.accelerator.process_index == 0:
                self.write_groups()
            self.recorder.seconds = before + time.perf_counter() - began
            return found

        return wrapped

    def scoring(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Keep what the loss sees of the log-probabilities."""

        def wrapped(*arguments: Any, **options: Any) -> Any:
            found = original(*arguments, **options)
            if self.inside:
                self.seen = found
            return found

        return wrapped

    def losing(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Write a call of the loss."""

        def wrapped(model: Any, inputs: Mapping[str, Any], *arguments: Any, **options: Any) -> Any:
            mode = "train" if self.trainer.model.training else "eval"
            metrics = self.trainer._metrics[mode]
            sizes = {name: len(values) for name, values in metrics.items()}
            self.inside, self.seen, self.bonus = True, None, bonus_of(self.trainer)
            try:
                loss = original(model, inputs, *arguments, **options)
            finally:
                self.inside = False
            began = time.perf_counter()
            before = self.recorder.seconds
            new = {name: values[sizes.get(name, 0) :] for name, values in metrics.items()}
            self.write_call(mode, inputs, loss, {name: values for name, values in new.items() if values})
            self.recorder.seconds = before + time.perf_counter() - began
            return loss

        return wrapped

    def number_rows(self, batch: Any) -> None:
        """Let each row of a generation batch carry its number, over all processes."""
        import torch

        advantages = batch["advantages"]
        rows = len(advantages)
        first = rows * self.trainer.accelerator.process_index
        batch[ROW] = torch.arange(first, first + rows, device=advantages.device)
        batch[BATCH] = torch.tensor(self.batch, device=advantages.device)

    def write_groups(self) -> None:
        """One line for each group, from what TRL itself keeps for its table."""
        trainer = self.trainer
        if self.rewards is None:
            return
        rewards = self.rewards.detach().cpu().tolist()
        training = trainer.model.training
        size = trainer.num_generations
        if not training:
            size = getattr(trainer, "num_generations_eval", size)
        names = unique(list(getattr(trainer, "reward_func_names", []))) or [str(k) for k in range(len(rewards[0]))]
        logs = trainer._logs

        def last(key: str) -> list[Any] | None:
            kept = list(logs.get(key, ()))
            return kept[-len(rewards) :] if len(kept) >= len(rewards) else None

        prompts, responses, advantages = last("prompt"), last("completion"), last("advantages")
        for start in range(0, len(rewards), size):
            rows = slice(start, start + size)
            self.recorder.group(
                {
                    name: [None if value != value else value for value in (row[k] for row in rewards[rows])]
                    for k, name in enumerate(names)
                },
                None if advantages is None else advantages[rows],
                batch=self.batch,
                step=trainer.state.global_step,
                prompt=None if prompts is None else _text(prompts[start]),
                responses=None if responses is None else [_text(response) for response in responses[rows]],
                mode="train" if training else "eval",
            )
        self.rewards = None

    def write_call(self, mode: str, inputs: Mapping[str, Any], loss: Any, metrics: Mapping[str, Any]) -> None:
        """The tensors of a call and what is said of it."""
        import torch

        trainer = self.trainer
        self.calls += 1
        seen = self.seen if isinstance(self.seen, tuple) else (self.seen, None)
        new, entropies = seen[0], seen[1]
        if new is None:
            return
        mask = inputs["completion_mask"]
        if inputs.get("tool_mask") is not None:
            mask = mask * inputs["tool_mask"]
        old = inputs.get("old_per_token_logps")
        arrays = {
            "new_logps": new,
            "old_logps": new if old is None else old,
            "mask": mask,
            "advantages": inputs["advantages"],
            "loss": loss,
        }
        optional = {
            "ref_logps": inputs.get("ref_per_token_logps"),
            "sampling_logps": inputs.get("sampling_per_token_logps"),
            "importance_ratio": inputs.get("importance_sampling_ratio"),
            "num_items_in_batch": inputs.get("num_items_in_batch"),
            "row": inputs.get(ROW),
            "entropies": entropies if self.entropies else None,
        }
        if self.gradients and loss.requires_grad:
            wanted = [new] + ([entropies] if entropies is not None and entropies.requires_grad else [])
            found = torch.autograd.grad(loss, wanted, retain_graph=True, allow_unused=True)
            optional["grad_logps"] = torch.zeros_like(new) if found[0] is None else found[0]
            if len(found) > 1 and found[1] is not None and self.entropies:
                optional["grad_entropies"] = found[1]
        arrays.update({name: value for name, value in optional.items() if value is not None})
        steps = getattr(trainer.args, "steps_per_generation", 1) or 1
        step = getattr(trainer, "_step", 0)
        batch = inputs.get(BATCH)
        number = self.batch if batch is None else int(batch)
        unmoved = mode == "train" and number == self.batch and trainer.state.global_step == self.drawn_at
        self.recorder.call(
            arrays,
            {
                "mode": mode,
                "rank": trainer.accelerator.process_index,
                "world_size": trainer.accelerator.num_processes,
                "call": self.calls,
                "gen": number,
                "first_pass": unmoved,
                "global_step": trainer.state.global_step,
                "micro_step": step,
                "slice_of_generation_batch": step % steps,
                "reuse_of_slice": step // steps % max(1, getattr(trainer, "num_iterations", 1)),
                "current_gradient_accumulation_steps": getattr(trainer, "current_gradient_accumulation_steps", 1),
                "steps_per_generation": steps,
                "old_logps_came_from_trainer": old is not None,
                "logps_dtype": str(new.dtype),
                "loss_dtype": str(loss.dtype),
                "trl_metrics_of_this_call": metrics,
                "config": {**settings_of(trainer), **({} if self.bonus is None else {"entropy_coef": self.bonus})},
            },
        )
        self.seen = None


def _text(value: Any) -> str:
    """A prompt or a response as a text: that of its messages, where it is made of them."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [part for part in value if isinstance(part, dict)]
        return "\n".join(f"{part.get('role', '')}: {part.get('content', '')}" for part in parts)
    return str(value)


def _callback(recording: _Recording) -> Any:
    """A transformers callback that writes the trainer's log, and ends the recording with the training."""
    from transformers import TrainerCallback

    class Recording(TrainerCallback):  # type: ignore[misc,unused-ignore]
        """Writes logs; says at the end what the recorder took."""

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            """One row of the log."""
            numbers = {name: value for name, value in (logs or {}).items() if isinstance(value, int | float)}
            if numbers and state.is_world_process_zero:
                recording.recorder.log(numbers, state.global_step)

        def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """What the recorder took, of which time."""
            took = {"grpocheck/recorder_seconds": recording.recorder.seconds}
            if recording.began is not None:
                took["grpocheck/training_seconds"] = time.perf_counter() - recording.began
            recording.recorder.log(took, state.global_step)

    return Recording()
