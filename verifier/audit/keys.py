"""Keys that grpocheck does not read: those near one that it reads are misspelt, the others are named once."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from grpocheck.core.invalid import shown
from grpocheck.verifier.audit.findings import Findings, Where, counted
from grpocheck.verifier.audit.rules import seen
from grpocheck.verifier.audit.settings import NUMBERS, WORDS

NEAR = 0.9
"""The ratio of difflib from which on a key is taken for another one: no setting of TRL's own is so near to one here."""
MOST_LOOKED_AT = 500
"""Unknown keys of one object that are looked at."""
MOST_NAMED = 12
"""Settings that are not read which a note names; of more it gives the number."""
GROUP = (
    *("kind", "batch", "step", "mode", "prompt", "responses", "rewards", "advantages"),
    *("pass", "tokens", "clip", "logged"),
)
KEYS: Mapping[str, tuple[str, ...]] = {
    "header": ("format", "version", "writer", "dtype", "settings", "functions"),
    "group": GROUP,
    "log": ("kind", "step", "numbers"),
    "call": ("kind", "arrays", "meta"),
    "tokens": ("new_logps", "old_logps", "ref_logps", "sampling_logps", "entropies", "mask"),
    "clip": ("epsilon", "epsilon_high", "delta"),
}
LOG_PROBABILITIES: Mapping[str, str] = {
    **dict.fromkeys(("logps", "per_token_logps", "logprobs", "log_probs"), "new_logps"),
    **dict.fromkeys(("old_per_token_logps", "old_logprobs", "old_log_probs"), "old_logps"),
    **dict.fromkeys(("ref_per_token_logps", "ref_logprobs", "ref_log_probs"), "ref_logps"),
    **dict.fromkeys(("sampling_per_token_logps", "rollout_log_probs"), "sampling_logps"),
    **dict.fromkeys(("completion_mask", "response_mask"), "mask"),
}
"""Names under which trainers keep what stands in tokens here."""
HOMES: Mapping[str, Mapping[str, str]] = {
    "group": {
        **{name: f"tokens.{name}" for name in KEYS["tokens"]},
        **{name: f"tokens.{meant}" for name, meant in LOG_PROBABILITIES.items()},
        **{name: f"clip.{name}" for name in KEYS["clip"]},
        **dict.fromkeys(("completions", "completion", "outputs"), "responses"),
    },
    "tokens": {name: f"tokens.{meant}" for name, meant in LOG_PROBABILITIES.items()},
}
"""Where what well-known keys hold is read, by the object that has them."""
METRICS = (
    *("clip_ratio/low_mean", "clip_ratio/high_mean", "clip_ratio/region_mean"),
    *("clip_ratio/low_min", "clip_ratio/high_max", "cispo_clip_ratio", "vespo/phi_seq_mean", "entropy", "kl"),
)
"""What TRL logs of a call of the loss."""
SETTINGS = (
    *NUMBERS,
    *WORDS,
    *("reward_weights", "loss_type", "generation_kwargs", "mask_truncated_completions", "sync_ref_model", "use_vllm"),
    *("bf16", "fp16", "use_bias_correction_kl", "sapo_temperature_pos", "sapo_temperature_neg"),
    *("vespo", "vespo_k_pos", "vespo_lambda_pos", "vespo_k_neg", "vespo_lambda_neg"),
    *("vllm_importance_sampling_correction", "vllm_importance_sampling_mode"),
    *("vllm_importance_sampling_clip_min", "vllm_importance_sampling_clip_max", "use_adaptive_entropy"),
)
NEUTRAL = ("learning_rate", "seed", "reward_func_names")
"""Settings that a recorder writes and that no rule is about."""


@lru_cache(maxsize=4096)
def near(key: str, known: tuple[str, ...]) -> str | None:
    """The known key that another is near to; None where there is none."""
    return next(iter(get_close_matches(key, known, 1, NEAR)), None)


def misspelt(found: Iterable[str], known: tuple[str, ...]) -> dict[str, str]:
    """The keys that are near a known one which is not there, with that one."""
    there = set(found)
    like = {key: near(key, known) for key in sorted(there.difference(known))[:MOST_LOOKED_AT]}
    return {key: meant for key, meant in sorted(like.items()) if meant is not None and meant not in there}


def misspelt_metrics(found: Iterable[str]) -> dict[str, str]:
    """Names of logged numbers that are near one that is checked, or the end of one, with that one."""
    ends = {name.partition("/")[2]: name for name in METRICS if "/" in name}
    return {**misspelt(found, METRICS), **{name: ends[name] for name in found if name in ends}}


def take_keys(kind: str, found: Mapping[str, Any], where: Where, findings: Findings) -> None:
    """The keys of a line, or of an object in it."""
    unknown = found.keys() - KEYS[kind]
    if not unknown:
        return
    wrong = misspelt(found, KEYS[kind])
    take_misspelt(kind, wrong, where, findings)
    for key in sorted(unknown - wrong.keys())[:MOST_LOOKED_AT]:
        home = home_of(kind, key, found)
        findings.add(
            seen(
                "key-unknown",
                where,
                f"the keys of a {kind}: {', '.join(KEYS[kind])}",
                f"{shown(key)}, which was not audited" if home else shown(key),
                advice=f"log what it holds as {home}, where it is read (docs/audit.md)" if home else "",
                apart=f"{kind} {key}",
            )
        )


def home_of(kind: str, key: str, found: Mapping[str, Any]) -> str | None:
    """Where what a well-known key holds is read; None for any other key, and where something stands there already."""
    home = HOMES.get(kind, {}).get(key)
    if home is None:
        return None
    outer, _, inner = home.partition(".")
    place = found if outer == kind else found.get(outer)
    there = place is not None if not inner else isinstance(place, Mapping) and inner in place
    return None if there else home


def take_settings(values: Mapping[str, Any], where: Where, findings: Findings) -> None:
    """Settings under names that are nearly those that are read, and in one note those under any other name."""
    wrong = misspelt(values, SETTINGS)
    take_misspelt("settings", wrong, where, findings)
    unknown = sorted(values.keys() - {*SETTINGS, *NEUTRAL, *wrong})
    if unknown:
        more = f" and {len(unknown) - MOST_NAMED} more" if len(unknown) > MOST_NAMED else ""
        findings.add(
            seen(
                "key-unknown",
                where,
                "settings under the names that TRL gives those which the audit looks at",
                f"{counted(len(unknown), 'setting')} that nothing was held against: "
                + ", ".join(map(shown, unknown[:MOST_NAMED]))
                + more,
                what="settings that are not read",
                apart="settings",
            )
        )


def take_misspelt(kind: str, wrong: Mapping[str, str], where: Where, findings: Findings) -> None:
    """Keys that are near one that is read, which is not there."""
    for key, meant in wrong.items():
        findings.add(
            seen(
                "key-misspelt", where, f"{meant} (did you mean that?)", f"{shown(key)} in {kind}", apart=f"{kind} {key}"
            )
        )


def take_line(kind: str, line: Mapping[str, Any], where: Where, findings: Findings) -> None:
    """The keys of a line of a recording, and numbers that were logged of a group without tokens."""
    take_keys(kind, line, where, findings)
    for part in ("tokens", "clip") if kind == "group" else ():
        if isinstance(line.get(part), dict):
            take_keys(part, line[part], where, findings)
    if kind == "header" and isinstance(line.get("settings"), dict):
        take_settings(line["settings"], where, findings)
    if kind == "group" and isinstance(line.get("logged"), dict):
        take_misspelt("logged", misspelt_metrics(line["logged"]), where, findings)
    if kind == "group" and "tokens" not in line and isinstance(line.get("logged"), dict) and line["logged"]:
        names = ", ".join(map(str, line["logged"]))
        findings.add(
            seen(
                "metric-unchecked",
                where,
                f"what {names} {'follows' if len(line['logged']) == 1 else 'follow'} from",
                f"{names} not checked: the group has no tokens",
                apart=names,
            )
        )
