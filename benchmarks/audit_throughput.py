"""How many tokens of recorded loss calls are audited a second, beside a plain numpy recomputation of the same data.

    python -m benchmarks.audit_throughput [--tokens 10000000] [--jobs 2]

The calls are made here: log-probabilities of a policy that drifted, advantages, a third of the positions padding, and
the loss and gradient of GRPO in float32, so that there is nothing to find. The plain recomputation computes
loss, gradient, clip fraction and mean ratio in float64, and has no bound on anything.
"""

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from grpocheck.verifier.audit.auditing import audit
from grpocheck.verifier.audit.crews import processes
from grpocheck.verifier.audit.discovery import runs_of

ROWS, POSITIONS, EPSILON = 32, 2048, 0.2
SECONDS, GIBIBYTES = 60.0, 1.0
"""What is promised for ten million tokens on two cores."""
CONFIG = {
    "loss_type": "grpo",
    "importance_sampling_level": "token",
    "epsilon": EPSILON,
    "epsilon_high": EPSILON,
    "beta": 0.0,
    "max_completion_length": POSITIONS,
}


def grpo(new: np.ndarray, old: np.ndarray, mask: np.ndarray, advantages: np.ndarray) -> tuple[np.ndarray, ...]:
    """Loss, gradient, clip fraction and mean ratio of GRPO, in the arrays' own format."""
    ratio = np.exp(new - old)
    column = advantages[:, None]
    clipped = np.clip(ratio, 1 - EPSILON, 1 + EPSILON)
    term = np.minimum(ratio * column, clipped * column)
    lengths = mask.sum(axis=1, keepdims=True)
    weight = mask / np.maximum(lengths, 1) / len(new)
    active = ratio * column <= clipped * column
    gradient = -np.where(active, ratio * column, 0) * weight
    held = ~active & (mask > 0)
    return -(term * weight).sum(), gradient, held.sum() / mask.sum(), (ratio * mask).sum() / mask.sum()


def make(folder: Path, tokens: int) -> int:
    """Write calls of about so many tokens; how many there are."""
    source = np.random.default_rng(11)
    made = number = 0
    (folder / "calls").mkdir()
    while made < tokens:
        lengths = source.integers(POSITIONS // 3, POSITIONS + 1, ROWS)
        mask = (np.arange(POSITIONS)[None, :] < lengths[:, None]).astype(np.uint8)
        old = (-source.exponential(1.5, (ROWS, POSITIONS))).astype(np.float32) * mask
        new = (old + source.normal(0, 0.1, old.shape).astype(np.float32)) * mask
        advantages = source.normal(0, 1, ROWS).astype(np.float32)
        loss, gradient, _, _ = grpo(new, old, mask.astype(np.float32), advantages)
        path = folder / "calls" / f"call_{number:03d}.npz"
        np.savez(
            path,
            new_logps=new,
            old_logps=old,
            mask=mask,
            advantages=advantages,
            loss=np.float32(loss),
            grad_logps=gradient.astype(np.float32),
            num_items_in_batch=np.int64(mask.sum()),
        )
        meta = {"config": CONFIG, "mode": "train", "logps_dtype": "torch.float32"}
        path.with_suffix(".json").write_text(json.dumps(meta))
        made += int(mask.sum())
        number += 1
    return made


def plain(folder: Path) -> float:
    """The seconds that the plain recomputation takes over all calls."""
    began = time.perf_counter()
    worst = 0.0
    for path in sorted((folder / "calls").glob("*.npz")):
        with np.load(path) as file:
            arrays = {name: file[name].astype(np.float64) for name in ("new_logps", "old_logps", "mask", "advantages")}
            recorded, slopes = float(file["loss"]), file["grad_logps"]
        loss, gradient, _, _ = grpo(arrays["new_logps"], arrays["old_logps"], arrays["mask"], arrays["advantages"])
        worst = max(worst, abs(float(loss) - recorded), float(np.abs(gradient - slopes).max()))
    if worst > 1e-4:
        raise SystemExit(f"the plain recomputation is {worst} off the recorded numbers")
    return time.perf_counter() - began


def main() -> int:
    """Make, measure and print; 1 where ten million tokens take longer, or more memory, than is promised."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, default=10_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tokens = make(folder, options.tokens)
        seconds_plain = plain(folder)
        began = time.perf_counter()
        report = audit(runs_of([folder]), processes(options.jobs))
        seconds = time.perf_counter() - began
    if report.tokens != tokens or not report.ok:
        raise SystemExit(f"{report.tokens} of {tokens} tokens audited, {[one.rule for one in report.findings]}")
    each = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if options.jobs > 1 else 0
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak = (own + options.jobs * each) / (1 << 20)
    print(f"{tokens} tokens in {report.files} calls, {options.jobs} processes")
    for what, took in (("audit", seconds), ("plain numpy, 1 process", seconds_plain)):
        print(f"{what:22} {took:7.1f} s   {tokens / took / 1e6:6.2f} million tokens a second")
    print(f"peak memory            {peak:7.2f} GiB  (this process and {options.jobs} times the largest worker)")
    promised = seconds <= SECONDS * tokens / 10_000_000 + 5 and peak < GIBIBYTES
    return 0 if promised else 1


if __name__ == "__main__":
    sys.exit(main())
