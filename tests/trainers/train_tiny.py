"""Train a tiny random model for a few steps with TRL, recorded: python train_tiny.py FOLDER.

Nothing is downloaded. The last line printed is JSON: steps, calls, and the share of the time that the recorder took.
"""

import json
import sys
import time
from pathlib import Path

import torch
from datasets import Dataset
from grpocheck.verifier.recorder import record
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
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
    """Two layers of random weights."""
    torch.manual_seed(3)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(WORDS), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, max_position_embeddings=64, pad_token_id=0, eos_token_id=1, bos_token_id=2,
        )
    )


def first_letters(completions, **_):
    """The share of the letters a to h."""
    return [sum(word in "abcdefgh" for word in text.split()) / 8 for text in completions]


def main(folder):
    """Train, and say what the recorder took."""
    steps = 8
    arguments = GRPOConfig(
        output_dir=str(folder / "trainer"), per_device_train_batch_size=8, num_generations=4, max_completion_length=16,
        max_steps=steps, num_iterations=2, logging_steps=1, learning_rate=3e-3, loss_type="dapo", report_to=[],
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
    began = time.perf_counter()
    trainer.train()
    took = time.perf_counter() - began
    lines = [json.loads(line) for line in (folder / "run.jsonl").read_text(encoding="utf-8").splitlines()]
    calls = sum(line.get("kind") == "call" for line in lines)
    print(json.dumps({"steps": steps, "calls": calls, "share": recorder.seconds / took, "seconds": recorder.seconds}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
