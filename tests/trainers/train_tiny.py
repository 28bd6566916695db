"""Train a tiny random model for a few steps with TRL, recorded: python train_tiny.py FOLDER.

Nothing is downloaded. The last line is JSON: steps, calls, and the share of the time that the recorder took, the
median over the rounds of one generation and its updates, so that one which a busy machine held up does not decide.
"""

import json
import statistics
import sys
import time
from pathlib import Path

import torch
from datasets import Dataset
from grpocheck.verifier.recorder import record
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

WORDS = ["<pad>", "<eos>", "<bos>", "<unk>", *"abcdefghijklmnopqrstuvwx"]


def tokenizer():
    """One token for each letter."""
    made = Tokenizer(models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", eos_token="<eos>", bos_token="<bos>", unk_token="<unk>",
        padding_side="left",
    )  # fmt: skip


def model():
    """Six million random weights: small, and still more than the recorder's own work at each step."""
    torch.manual_seed(3)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(WORDS), hidden_size=256, intermediate_size=1024, num_hidden_layers=6, num_attention_heads=4,
            num_key_value_heads=2, max_position_embeddings=64, pad_token_id=0, eos_token_id=1, bos_token_id=2,
        )
    )


def first_letters(completions, **_):
    """The share of the letters a to h."""
    return [sum(word in "abcdefgh" for word in text.split()) / 8 for text in completions]


class Shares(TrainerCallback):
    """For each round of steps on one batch of responses, the recorder's part of the time since the round before."""

    def __init__(self, recorder):
        self.recorder, self.shares = recorder, []

    def on_train_begin(self, args, state, control, **_):
        """From here on."""
        self.began, self.spent = time.perf_counter(), self.recorder.seconds

    def on_step_end(self, args, state, control, **_):
        """The end of a round, or one step more of it."""
        if state.global_step % args.num_iterations:
            return
        now, spent = time.perf_counter(), self.recorder.seconds
        self.shares.append((spent - self.spent) / (now - self.began))
        self.began, self.spent = now, spent


def main(folder):
    """Train, and say what the recorder took."""
    arguments = GRPOConfig(
        output_dir=str(folder / "trainer"), per_device_train_batch_size=8, num_generations=4, max_completion_length=16,
        max_steps=8, num_iterations=2, logging_steps=1, learning_rate=3e-3, loss_type="dapo", report_to=[],
        save_strategy="no", use_cpu=True, bf16=False, disable_tqdm=True, beta=0.04, seed=11,
    )  # fmt: skip
    prompts = Dataset.from_list([{"prompt": f"{a} {b}"} for a in "abcd" for b in "efgh"])
    home = str(folder / "model")  # the reference model is read from there
    model().save_pretrained(home)
    tokenizer().save_pretrained(home)
    trainer = GRPOTrainer(
        model=home, args=arguments, reward_funcs=[first_letters], train_dataset=prompts, processing_class=tokenizer()
    )
    recorder = record(trainer, folder / "run.jsonl")
    shares = Shares(recorder)
    trainer.add_callback(shares)
    trainer.train()
    lines = [json.loads(line) for line in (folder / "run.jsonl").read_text(encoding="utf-8").splitlines()]
    calls = sum(line.get("kind") == "call" for line in lines)
    report = {"steps": trainer.state.global_step, "calls": calls, "share": statistics.median(shares.shares)}
    print(json.dumps({**report, "shares": [round(share, 4) for share in shares.shares]}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
