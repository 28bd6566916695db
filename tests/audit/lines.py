"""Recordings of our own format, written line by line."""

import json
import random
from fractions import Fraction as F
from pathlib import Path

HEADER = {"format": "grpocheck-groups", "version": 1}


def written(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def group(step: int, prompt: str, rewards: list[float], rule: str = "population", **more: object) -> dict[str, object]:
    """A line with advantages in float64 by one of three rules, in plain arithmetic."""
    mean = sum(map(F, rewards)) / len(rewards)
    squares = float(sum((F(reward) - mean) ** 2 for reward in rewards))
    lost, epsilon = {"population": (0, 0.0), "verl": (1, 1e-6), "none": (0, 0.0)}[rule]
    deviation = 1.0 if rule == "none" else (squares / (len(rewards) - lost)) ** 0.5 + epsilon
    advantages = [float(F(reward) - mean) / deviation if deviation else 0.0 for reward in rewards]
    return {"step": step, "prompt": prompt, "rewards": rewards, "advantages": advantages, **more}


def drawn(count: int, rule: str) -> list[dict[str, object]]:
    source = random.Random(5)
    return [group(i // 4, f"p{i}", [source.randint(0, 8) / 4 for _ in range(3 + i % 4)], rule) for i in range(count)]
